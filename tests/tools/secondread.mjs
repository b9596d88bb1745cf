// SPDX-License-Identifier: GPL-2.0-only
//
// A second reader of cdict files, written from cdict(5) alone: what it and libcdict disagree
// about is wrong in one of them, or in the page.
//
//	node secondread.mjs [-a] FILE	what tests/tools/dumpevents.c prints
//
// Everything but main() is pure: bytes are Uint8Arrays, inflate(bytes, size) is given.
//
// 64-bit values are kept as the signed residue modulo 2^64: a Number when that is a safe
// integer, else a BigInt. Times are kept unsigned, in the same two forms, which compare with < .

export class Damage extends Error {}

// ---- 64 bits --------------------------------------------------------------------------------

const wrap = (big) => {
	const v = BigInt.asIntN(64, big);
	return v >= Number.MIN_SAFE_INTEGER && v <= Number.MAX_SAFE_INTEGER ? Number(v) : v;
};

const add = (a, b) => {
	if (typeof a === 'number' && typeof b === 'number') {
		const sum = a + b;
		if (Number.isSafeInteger(sum)) return sum;
	}
	return wrap(BigInt(a) + BigInt(b));
};

const sub = (a, b) => {
	if (typeof a === 'number' && typeof b === 'number') {
		const difference = a - b;
		if (Number.isSafeInteger(difference)) return difference;
	}
	return wrap(BigInt(a) - BigInt(b));
};

export const unsigned = (v) => {
	if (v >= 0) return v;
	const u = BigInt.asUintN(64, BigInt(v));
	return u <= Number.MAX_SAFE_INTEGER ? Number(u) : u;
};

// An unsigned number as the signed one it stands for.
const unzigzag = (u) => {
	if (typeof u === 'number') return u % 2 ? -(u + 1) / 2 : u / 2;
	return wrap((u >> 1n) ^ -(u & 1n));
};

const low32 = (v) => (typeof v === 'number' ? v >>> 0 : Number(BigInt.asUintN(32, v)));
const high32 = (v) =>
	typeof v === 'number' ? Math.floor(v / 4294967296) >>> 0 : Number(BigInt.asUintN(32, v >> 32n));

// ---- bytes ----------------------------------------------------------------------------------

class Cursor {
	constructor(bytes, at = 0, end = bytes.length) {
		this.bytes = bytes;
		this.at = at;
		this.end = end;
	}
	get left() {
		return this.end - this.at;
	}
	u8() {
		if (this.at >= this.end) throw new Damage('ends too early');
		return this.bytes[this.at++];
	}
	u32() {
		let v = 0;
		for (let i = 0; i < 4; i++) v += this.u8() * 2 ** (8 * i);
		return v;
	}
	// Unsigned: a Number below 2^49, else what it takes.
	varint() {
		let v = 0;
		let shift = 0;
		for (; shift < 49; shift += 7) {
			const b = this.u8();
			v += (b & 127) * 2 ** shift;
			if (b < 128) return v;
		}
		let big = BigInt(v);
		for (; shift < 70; shift += 7) {
			const b = this.u8();
			if (shift === 63 && b > 1) break;
			big |= BigInt(b & 127) << BigInt(shift);
			if (b < 128) return big <= Number.MAX_SAFE_INTEGER ? Number(big) : big;
		}
		throw new Damage('a number has more than 64 bits');
	}
	svarint() {
		return unzigzag(this.varint());
	}
	// A number that must be small.
	count(most, what) {
		const v = this.varint();
		if (v > most) throw new Damage(`${what}: ${v} is above ${most}`);
		return v;
	}
	take(n) {
		if (n > this.left) throw new Damage('ends too early');
		this.at += n;
		return this.bytes.subarray(this.at - n, this.at);
	}
	part(n) {
		if (n > this.left) throw new Damage('ends too early');
		this.at += n;
		return new Cursor(this.bytes, this.at - n, this.at);
	}
	string() {
		return this.take(this.varint());
	}
	text() {
		return new TextDecoder().decode(this.string());
	}
}

const crcTable = new Uint32Array(256).map((_, i) => {
	let c = i;
	for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
	return c >>> 0;
});

export function crc32(bytes) {
	let c = 0xffffffff;
	for (const b of bytes) c = crcTable[(c ^ b) & 255] ^ (c >>> 8);
	return (c ^ 0xffffffff) >>> 0;
}

const le32 = (bytes, at) => new Cursor(bytes, at, at + 4).u32();

// ---- the file -------------------------------------------------------------------------------

const HEADER = 16;
const BLOCK_HEADER = 24;
const TRAILER = 16;
const SYNC = 0x1eb10cdc;
const BLOCK_MAX = 2 ** 28;
const MAGIC = [0x89, 0x43, 0x44, 0x49, 0x43, 0x54, 0x0d, 0x0a];

const KIND = { UINT: 0, INT: 1, BYTES: 2, DATA_LOC: 3, REL_LOC: 4 };
const MODEL = {
	LAST: 0,
	TIME: 1,
	CURRENT: 2,
	NEXT: 3,
	WAKEE: 4,
	WOKEN: 5,
	TASK: 6,
	SAMETASK: 7,
	CELL: 8,
	PROCESS: 9,
	ELAPSED: 10,
	SUM: 11,
	SINCE: 12,
	CONTEXT: 13,
	FOLLOW: 14,
};
const isTask = (model) => model >= MODEL.CURRENT && model <= MODEL.SAMETASK;

function blockHeader(bytes, at) {
	if (bytes.length - at < BLOCK_HEADER || le32(bytes, at) !== SYNC) return null;
	if (le32(bytes, at + 20) !== crc32(bytes.subarray(at, at + 20))) return null;
	const h = {
		at,
		type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
		size: le32(bytes, at + 8),
		ordinal: le32(bytes, at + 12),
		crc: le32(bytes, at + 16),
	};
	return h.size <= BLOCK_MAX ? h : null;
}

function unpack(payload, inflate) {
	const c = new Cursor(payload);
	const codec = c.u8();
	const size = c.count(BLOCK_MAX, 'content');
	if (codec === 0) {
		if (size !== c.left) throw new Damage('an envelope is of another size');
		return c.take(size);
	}
	if (codec !== 1 || size / 1040 > c.left) throw new Damage('an envelope cannot be');
	return inflated(c.take(c.left), size, inflate);
}

function inflated(bytes, size, inflate) {
	let out;
	try {
		out = inflate(bytes, size);
	} catch {
		throw new Damage('a stream does not inflate');
	}
	if (out.length !== size) throw new Damage('a stream does not inflate to its size');
	return out;
}

// The sample's four fields, then tasks, then values: coding order.
const SAMPLE_FIELDS = [
	{ model: MODEL.TIME, kind: KIND.UINT },
	{ model: MODEL.CURRENT, kind: KIND.INT },
	{ model: MODEL.PROCESS, kind: KIND.INT, cell: 0, who: 1 },
	{ model: MODEL.LAST, kind: KIND.UINT, slot: 0 },
];

function codingOrder(type, schema) {
	const coded = [...SAMPLE_FIELDS];
	for (const tasks of [true, false])
		type.fields.forEach((f, i) => {
			if (isTask(f.model) !== tasks) return;
			const scalar = f.kind <= KIND.INT;
			const needsTask = [
				MODEL.NEXT,
				MODEL.SAMETASK,
				MODEL.CELL,
				MODEL.PROCESS,
				MODEL.SUM,
				MODEL.SINCE,
			].includes(f.model);
			if (
				f.model > MODEL.FOLLOW ||
				f.model === MODEL.TIME ||
				f.cell > 31 ||
				(!scalar &&
					(tasks ||
						[MODEL.ELAPSED, MODEL.SUM, MODEL.SINCE, MODEL.PROCESS].includes(f.model))) ||
				(needsTask && !(f.who < coded.length && isTask(coded[f.who].model))) ||
				(f.model === MODEL.SUM && !(f.arg >= 4 && f.arg < coded.length))
			)
				throw new Damage(`${type.name}: a field has a model that cannot be`);
			coded.push({ ...f, value: i, slot: schema.slots++ });
		});
	return coded;
}

function readSchema(content, schema) {
	const c = new Cursor(content);
	schema.bigEndian = c.u8() !== 0;
	schema.longSize = c.u8();
	schema.pageSize = c.count(2 ** 30, 'page size');
	if (c.varint() !== schema.types.length) throw new Damage('event types are missing');
	for (let n = c.count(4096, 'types'); n; n--) {
		const type = { index: schema.types.length, system: c.text(), event: c.text() };
		type.name = `${type.system}:${type.event}`;
		type.id = c.varint();
		type.format = c.text();
		type.fields = [];
		for (let k = c.count(128, 'fields'); k; k--) {
			const f = { name: c.text() };
			f.offset = c.count(2 ** 20, 'offset');
			f.size = c.count(2 ** 20, 'size');
			const kind = c.u8();
			f.kind = kind & 127;
			f.isText = kind > 127;
			[f.model, f.cell, f.who, f.arg] = [c.u8(), c.u8(), c.u8(), c.u8()];
			if (f.kind > KIND.REL_LOC) throw new Damage('a field is of an unknown kind');
			type.fields.push(f);
		}
		type.coded = codingOrder(type, schema);
		schema.types.push(type);
	}
}

function readInfo(content, info) {
	const c = new Cursor(content);
	while (c.left) {
		const key = c.text();
		info.set(key, c.text());
	}
}

const TASK_WHAT = ['fork', 'comm', 'exec', 'exit'];

function readTasks(content, tasks) {
	const c = new Cursor(content);
	const comms = [];
	let [tid, ppid, t] = [0, 0, 0];
	while (c.left) {
		const flags = c.u8();
		const row = { what: TASK_WHAT[flags & 3] };
		tid = low32(add(tid, c.svarint())) | 0;
		row.tid = tid;
		row.pid = flags & 4 ? low32(add(tid, c.svarint())) | 0 : tid;
		if (flags & 8) t = add(t, c.svarint());
		row.t = unsigned(t);
		if (row.what === 'fork' || row.what === 'exit') {
			ppid = low32(add(ppid, c.svarint())) | 0;
			row.ppid = ppid;
			row.ptid = flags & 16 ? low32(add(ppid, c.svarint())) | 0 : ppid;
		} else {
			if (flags & 32) comms.push(c.text());
			const back = flags & 32 ? 0 : c.varint();
			if (back >= comms.length) throw new Damage('a task has a name that is not there');
			row.comm = comms[comms.length - 1 - back];
		}
		tasks.push(row);
	}
}

const LOSS_WHAT = ['ring', 'samples', 'throttle', 'disorder', 'damage', 'late'];

function readLosses(content, losses) {
	const c = new Cursor(content);
	while (c.left) {
		const what = LOSS_WHAT[c.varint()];
		const row = { what, cpu: sub(c.varint(), 1), type: sub(c.varint(), 1), from: c.varint() };
		row.to = unsigned(add(row.from, c.varint()));
		row.count = c.varint();
		if (what) losses.push(row);
	}
}

function readSkips(content, skips) {
	const c = new Cursor(content);
	while (c.left) skips.push({ name: c.text(), count: c.varint() });
}

function blockHead(payload) {
	const c = new Cursor(payload);
	const cpu = c.count(0xffffffff, 'CPU') - 1;
	const events = c.count(65536, 'events');
	const first = c.varint();
	const last = unsigned(add(first, c.varint()));
	if (!events || last < first) throw new Damage('its head cannot be');
	return { c, cpu, events, first, last };
}

// Opens a file. inflate(bytes, size) undoes raw deflate. Throws when it is no cdict of a
// version that is known; all other faults are sentences in .damage.
export function openCdict(bytes, inflate) {
	if (bytes.length < HEADER || MAGIC.some((b, i) => bytes[i] !== b))
		throw new Error('is no cdict file');
	if (le32(bytes, 12) !== crc32(bytes.subarray(0, 12))) throw new Error('file header is damaged');
	if ((bytes[8] | (bytes[9] << 8)) !== 1) throw new Error('is of another major version');
	const file = {
		bytes,
		inflate,
		schema: { types: [], slots: 1 },
		info: new Map(),
		tasks: [],
		losses: [],
		skips: [],
		blocks: [],
		damage: [],
		cut: true,
	};
	const readers = {
		INFO: (content) => readInfo(content, file.info),
		SCHM: (content) => readSchema(content, file.schema),
		TASK: (content) => readTasks(content, file.tasks),
		LOSS: (content) => readLosses(content, file.losses),
		SKIP: (content) => readSkips(content, file.skips),
	};
	let at = HEADER;
	let ordinal = 0;
	let index = null;
	while (at < bytes.length) {
		if (index && bytes.length - at === TRAILER) break;
		const h = blockHeader(bytes, at);
		if (!h) {
			const from = at;
			do at++;
			while (at < bytes.length && !blockHeader(bytes, at));
			file.damage.push(`${at - from} bytes at byte ${from} are no block`);
			continue;
		}
		if (h.size > bytes.length - at - BLOCK_HEADER) {
			file.damage.push(`block at byte ${at} is cut`);
			break;
		}
		if (h.ordinal !== ordinal) file.damage.push(`block ${ordinal} is missing before byte ${at}`);
		ordinal = h.ordinal + 1;
		const payload = bytes.subarray(at + BLOCK_HEADER, at + BLOCK_HEADER + h.size);
		try {
			if (crc32(payload) !== h.crc) throw new Damage('its check sum is wrong');
			if (h.type === 'EVNT') {
				const { cpu, events, first, last } = blockHead(payload);
				file.blocks.push({ at, payload, cpu, events, first, last });
			} else if (h.type === 'INDX') {
				index = { at, content: unpack(payload, inflate) };
			} else if (readers[h.type]) {
				readers[h.type](unpack(payload, inflate));
			}
		} catch (e) {
			if (!(e instanceof Damage)) throw e;
			file.damage.push(`block ${h.type} at byte ${at} is damaged: ${e.message}`);
		}
		at += BLOCK_HEADER + h.size;
	}
	const end = bytes.length - TRAILER;
	if (
		index &&
		end >= HEADER &&
		le32(bytes, end + 12) === 0x444e4443 &&
		le32(bytes, end + 8) === crc32(bytes.subarray(end, end + 8)) &&
		le32(bytes, end) + le32(bytes, end + 4) * 2 ** 32 === index.at
	)
		file.cut = false;
	if (file.cut) file.damage.push(`is cut at byte ${bytes.length}: its end is missing`);
	if (index) checkIndex(file, index);
	return file;
}

function checkIndex(file, index) {
	const c = new Cursor(index.content);
	const known = new Map(file.blocks.map((b) => [b.at, b]));
	let at = HEADER;
	let last = 0;
	try {
		while (c.left) {
			const type = String.fromCharCode(...c.take(4));
			const size = c.varint();
			if (type === 'EVNT') {
				const cpu = c.varint() - 1;
				const events = c.varint();
				const first = unsigned(add(last, c.svarint()));
				last = unsigned(add(first, c.varint()));
				const b = known.get(at);
				if (!b)
					file.damage.push(`${events} events of CPU ${cpu} from ${first} to ${last} are lost`);
				else if (
					b.cpu !== cpu ||
					b.events !== events ||
					b.first !== first ||
					b.last !== last
				)
					file.damage.push(`block at byte ${at} is not what the index says`);
			}
			at += size;
		}
		if (at !== index.at) throw new Damage('it is not whole');
	} catch (e) {
		if (!(e instanceof Damage)) throw e;
		file.damage.push(`index is damaged: ${e.message}`);
	}
}

// ---- one block ------------------------------------------------------------------------------

const CODING = { DELTA: 0, SIGNED: 1, RAW: 2, DICT: 3, CODE: 4 };
const DENSE = 128;
const HIT = 128;
const MISS = Symbol('as predicted'); // what Column.next() gives when there was no miss

class Bits {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}
	// n bits, the lowest first; a Number up to 53 of them, else a BigInt.
	take(n) {
		if (n > this.bytes.length * 8 - this.at) throw new Damage('a column has too few bits');
		let low = 0;
		let high = 0n;
		for (let done = 0; done < n; ) {
			const shift = this.at % 8;
			const k = Math.min(8 - shift, n - done);
			const piece = (this.bytes[this.at >> 3] >> shift) & ((1 << k) - 1);
			if (n <= 45) low += piece * 2 ** done;
			else high |= BigInt(piece) << BigInt(done);
			done += k;
			this.at += k;
		}
		return n <= 45 ? low : high;
	}
}

// What one column says of the events of its type, one after the other.
class Column {
	constructor(coding) {
		this.coding = coding & 127;
		this.dense = coding >= DENSE;
		if (this.coding > CODING.CODE) throw new Damage('a column has an unknown coding');
		this.event = 0;
		this.nextMiss = -1;
	}
	setGaps(misses, gaps) {
		this.misses = misses;
		this.gaps = gaps;
		this.advance();
	}
	advance() {
		this.nextMiss = this.misses-- > 0 ? this.nextMiss + 1 + this.gaps.varint() : Infinity;
	}
	// A number or code, or MISS.
	next() {
		const at = this.event++;
		if (!this.dense) {
			if (at !== this.nextMiss) return MISS;
			this.advance();
		}
		if (this.coding === CODING.DICT) {
			const n = this.symbols.varint();
			if (n > this.table.length) throw new Damage('a symbol is not in its table');
			return n ? this.table[n - 1] : MISS;
		}
		if (this.coding === CODING.CODE) {
			const n = this.symbols.varint();
			if (!this.dense) return n;
			return n ? n - 1 : MISS;
		}
		const s = this.symbols.u8();
		if (s === HIT) return MISS;
		if (s > HIT) throw new Damage('a symbol is above 128');
		if (s < 2) return s;
		const bits = ((s + 2) >> 1) - 2;
		const top = 2 + (s & 1);
		const rest = this.bits.take(bits);
		if (bits <= 45) return top * 2 ** bits + rest;
		const n = (BigInt(top) << BigInt(bits)) | BigInt(rest);
		return n <= Number.MAX_SAFE_INTEGER ? Number(n) : n;
	}
}

class Streams {
	constructor(c, own, inflate) {
		const extents = [];
		for (let i = 0; i < own + 2; i++) {
			const e = { codec: 0 };
			if (i >= 2) e.codec = c.count(1, 'codec');
			e.size = c.count(BLOCK_MAX, 'stream');
			e.stored = i ? c.count(BLOCK_MAX, 'stream') : e.size;
			if (i === 1) {
				e.codec = e.stored ? 1 : 0;
				e.stored ||= e.size;
			}
			if (e.codec ? e.size / 1040 > e.stored : e.size !== e.stored)
				throw new Damage('a stream cannot be');
			extents.push(e);
		}
		this.cursors = extents.map(({ codec, size, stored }) => {
			const bytes = c.take(stored);
			return new Cursor(codec ? inflated(bytes, size, inflate) : bytes);
		});
	}
	part(stream, size) {
		if (stream >= this.cursors.length) throw new Damage('a stream is not there');
		return this.cursors[stream].part(size);
	}
}

const BITS = 0;
const POOL = 1;

function readColumn(coding, dir, streams) {
	const column = new Column(coding);
	if (!column.dense) {
		const misses = dir.count(65536, 'misses');
		column.setGaps(misses, streams.part(POOL, dir.varint()));
	}
	if (column.coding === CODING.DICT) {
		const entries = dir.varint();
		const part = streams.part(POOL, dir.varint());
		if (entries > part.left) throw new Damage('a table is longer than its bytes');
		column.table = [];
		for (let last = 0; column.table.length < entries; ) {
			last = add(last, part.svarint());
			column.table.push(last);
		}
	} else if (column.coding !== CODING.CODE) {
		const part = streams.part(BITS, dir.varint());
		column.bits = new Bits(part.take(part.left));
	}
	const stream = dir.varint();
	column.symbols = streams.part(stream, dir.varint());
	return column;
}

const NEVER = new (class {
	next() {
		return MISS;
	}
})();

// Head, streams, directory and tables of a block.
function openBlock(payload, schema, inflate) {
	const { c, cpu, events, first, last } = blockHead(payload);
	const types = [];
	let sum = 0;
	let room = 1;
	for (let n = c.count(256, 'types'); n; n--) {
		const index = c.varint();
		if (index >= schema.types.length) throw new Damage('it has a type that is not there');
		const of = c.count(65536, 'events');
		const type = schema.types[index];
		types.push({ type, columns: type.coded.map(() => NEVER) });
		sum += of;
		room += of * type.coded.length;
	}
	if (sum !== events) throw new Damage('its types have other events than it');
	const nTasks = c.count(room, 'tasks');
	const nStrings = c.count(room, 'strings');
	const dirSize = c.varint();
	const streams = new Streams(c, c.count(payload.length, 'streams'), inflate);
	const dir = streams.part(POOL, dirSize);
	const all = types.flatMap((t) => t.columns.map((_, i) => [t, i]));
	const tables = Array.from({ length: 5 }, () => new Cursor(new Uint8Array(0)));
	for (let id = -1; dir.left; ) {
		id += dir.varint();
		const coding = dir.u8();
		if (id < 5) {
			const stream = dir.varint();
			tables[id] = streams.part(stream, dir.varint());
			continue;
		}
		const column = readColumn(coding, dir, streams);
		if (id - 5 < all.length) {
			const [t, i] = all[id - 5];
			t.columns[i] = column;
		}
	}
	const [kindBytes, tidBytes, lengths, bytes, order] = tables;
	const kinds = new Uint8Array(events);
	if (types.length > 16) kinds.set(kindBytes.take(events));
	else if (types.length > 1)
		for (let i = 0; i < events; i += 2) {
			const b = kindBytes.u8();
			kinds[i] = b & 15;
			if (i + 1 < events) kinds[i + 1] = b >> 4;
		}
	const tids = [];
	for (let tid = 0; tids.length < nTasks; ) {
		tid = add(tid, tidBytes.svarint());
		tids.push(low32(tid) | 0);
	}
	const strings = [new Uint8Array(0)];
	while (strings.length < nStrings) strings.push(bytes.take(lengths.varint()));
	if (!nTasks || !nStrings) throw new Damage('it has no tasks');
	return { cpu, events, first, last, types, kinds, tids, strings, order };
}

function hash(slot, task, v) {
	let h = Math.imul(slot, 0x9e3779b1) ^ Math.imul(task, 0x85ebca6b);
	h = Math.imul(h ^ low32(v), 0xcc9e2d51);
	h = Math.imul(h ^ (h >>> 15) ^ high32(v), 0x1b873593);
	return (h ^ (h >>> 13)) >>> 0;
}

const NONE = -1;

function push(list, task) {
	let i = list.indexOf(task);
	if (i < 0 || i > 3) i = 3;
	list.copyWithin(1, 0, i);
	list[0] = task;
}

class State {
	constructor(tids, first) {
		this.t = first;
		this.account = 0;
		this.current = 0;
		this.woken = 0;
		this.followed = 15;
		this.tids = tids;
		this.tasks = tids.map(() => ({
			next: [NONE, NONE, NONE, NONE],
			wake: [NONE, NONE, NONE, NONE],
			wakee: NONE,
			out: 0,
			cells: [],
		}));
		this.latest = new Array(32).fill(0);
		this.slots = new Map();
		this.follow = new Map();
		this.context = new Map();
		this.follower = new Map();
	}
	list(f, row) {
		if (f.model === MODEL.NEXT) return this.tasks[row[f.who]].next;
		const t = this.tasks[row[1]];
		return t.wakee === NONE ? t.wake : this.tasks[t.wakee].wake;
	}
	predictTask(f, row) {
		switch (f.model) {
			case MODEL.CURRENT:
				return this.current;
			case MODEL.WOKEN:
				return this.woken;
			case MODEL.TASK:
				return this.slots.get(f.slot) ?? 0;
			case MODEL.SAMETASK:
				return row[f.who];
			default:
				return this.list(f, row)[0];
		}
	}
	learnTask(f, row, task) {
		if (f.model === MODEL.TASK) this.slots.set(f.slot, task);
		if (f.model !== MODEL.NEXT && f.model !== MODEL.WAKEE) return;
		push(this.list(f, row), task);
		if (f.model === MODEL.WAKEE) {
			this.tasks[row[1]].wakee = task;
			this.woken = task;
			return;
		}
		this.tasks[row[f.who]].out = this.t;
		if (this.tids[row[f.who]] === 0) this.account = this.t;
		this.current = task;
	}
	cell(f, row) {
		const v = this.tasks[row[f.who]].cells[f.cell];
		if (v !== undefined) return v;
		return f.model === MODEL.PROCESS ? this.tids[row[f.who]] : this.latest[f.cell];
	}
	contextPlaces(f, row) {
		const at = hash(f.slot, row[1], 0) % 4096;
		const last = this.context.get(at) ?? 0;
		return [at, hash(f.slot, row[1], last) % 32768];
	}
	predict(f, row) {
		switch (f.model) {
			case MODEL.CELL:
			case MODEL.PROCESS:
				return this.cell(f, row);
			case MODEL.SUM:
				return add(this.cell(f, row), row[f.arg]);
			case MODEL.ELAPSED:
				return sub(this.t, this.account);
			case MODEL.SINCE:
				return sub(this.t, this.tasks[row[f.who]].out);
			case MODEL.CONTEXT:
				return this.follower.get(this.contextPlaces(f, row)[1]) ?? 0;
			case MODEL.FOLLOW:
				return this.follow.get(f.slot * 16 + this.followed) ?? 0;
			default:
				return this.slots.get(f.slot) ?? 0;
		}
	}
	learn(f, row, v) {
		switch (f.model) {
			case MODEL.CELL:
			case MODEL.PROCESS:
			case MODEL.SUM: {
				const cells = this.tasks[row[f.who]].cells;
				if (cells[f.cell] !== v) {
					cells[f.cell] = v;
					this.latest[f.cell] = v;
				}
				break;
			}
			case MODEL.ELAPSED:
				this.account = this.t;
				break;
			case MODEL.SINCE:
				break;
			case MODEL.CONTEXT: {
				const [at, follower] = this.contextPlaces(f, row);
				this.follower.set(follower, v);
				this.context.set(at, v);
				break;
			}
			case MODEL.FOLLOW:
				this.follow.set(f.slot * 16 + this.followed, v);
				break;
			default:
				this.slots.set(f.slot, v);
		}
	}
}

function decodeTask(state, f, column, row) {
	const code = column.next();
	let task;
	if (code === MISS) task = state.predictTask(f, row);
	else if (column.coding !== CODING.CODE) throw new Damage('a task has no code');
	else if (f.model === MODEL.NEXT || f.model === MODEL.WAKEE)
		task = code < 3 ? state.list(f, row)[code + 1] : code - 3;
	else task = code;
	if (!(task >= 0 && task < state.tids.length)) throw new Damage('a task is not there');
	return task;
}

function decodeValue(state, f, column, row, strings) {
	const number = column.next();
	if (f.kind > KIND.INT) {
		if (number !== MISS && column.coding !== CODING.CODE)
			throw new Damage('a string has no code');
		const key = number === MISS ? state.predict(f, row) : number;
		if (!(key >= 0 && key < strings.length)) throw new Damage('a string is not there');
		return key;
	}
	if (number === MISS) return state.predict(f, row);
	if (column.coding === CODING.DELTA) return add(state.predict(f, row), number);
	if (column.coding === CODING.SIGNED) return add(state.predict(f, row), unzigzag(number));
	return typeof number === 'number' ? number : wrap(number);
}

function taskValue(tid, f) {
	if (f.kind === KIND.INT) return tid;
	if (f.size >= 8) return tid;
	return f.size === 4 ? tid >>> 0 : tid & (2 ** (8 * f.size) - 1);
}

// The events of a block, in order. values: per field of the type a 64-bit value, or bytes.
export function* decodeBlock(payload, schema, inflate) {
	const block = openBlock(payload, schema, inflate);
	const state = new State(block.tids, block.first);
	const { order } = block;
	let pass = order.left ? low32(order.varint()) : 0;
	let left = order.left ? order.varint() : Infinity;

	for (let n = 0; n < block.events; n++) {
		const kind = block.kinds[n];
		if (kind >= block.types.length) throw new Damage('an event is of no type');
		if (left === 0) {
			pass = low32(add(pass, order.svarint()));
			left = order.left ? order.varint() : Infinity;
		}
		left--;
		const { type, columns } = block.types[kind];
		const row = new Array(type.coded.length);
		const values = new Array(type.fields.length);
		const step = columns[0].next();
		if (step !== MISS) {
			state.t = unsigned(add(state.t, step));
			if (state.t > block.last) throw new Damage('a time lies outside it');
		}
		row[0] = state.t;
		row[1] = decodeTask(state, type.coded[1], columns[1], row);
		state.current = row[1];
		for (let i = 2; i < type.coded.length; i++) {
			const f = type.coded[i];
			if (isTask(f.model)) {
				row[i] = decodeTask(state, f, columns[i], row);
				state.learnTask(f, row, row[i]);
				values[f.value] = taskValue(state.tids[row[i]], f);
				continue;
			}
			row[i] = decodeValue(state, f, columns[i], row, block.strings);
			state.learn(f, row, row[i]);
			if (f.value !== undefined)
				values[f.value] = f.kind > KIND.INT ? block.strings[row[i]] : row[i];
		}
		state.followed = Math.min(kind, 15);
		yield {
			t: state.t,
			cpu: block.cpu,
			pass,
			tid: state.tids[row[1]],
			pid: low32(row[2]) | 0,
			mode: low32(row[3]) & 255,
			type,
			values,
		};
	}
}

// ---- all events -----------------------------------------------------------------------------

const order = (a, b) => {
	const unknownLast = (cpu) => (cpu < 0 ? Infinity : cpu);
	if (a.event.t !== b.event.t) return a.event.t < b.event.t ? -1 : 1;
	if (a.event.pass !== b.event.pass) return a.event.pass - b.event.pass;
	if (a.event.cpu !== b.event.cpu)
		return unknownLast(a.event.cpu) < unknownLast(b.event.cpu) ? -1 : 1;
	return a.number - b.number;
};

function* chainEvents(file, blocks) {
	for (const b of blocks)
		try {
			yield* decodeBlock(b.payload, file.schema, file.inflate);
		} catch (e) {
			if (!(e instanceof Damage)) throw e;
			file.damage.push(
				`${b.events} events of CPU ${b.cpu} from ${b.first} to ${b.last}: ${e.message}`,
			);
		}
}

// Every event of the file in the order of cdict(5). Damage of blocks goes to file.damage.
export function* eventsInOrder(file) {
	const chains = [];
	for (const b of file.blocks) {
		let chain = chains.find((c) => c.cpu === b.cpu && c.last <= b.first);
		if (!chain) {
			chain = { number: chains.length, cpu: b.cpu, blocks: [] };
			chains.push(chain);
		}
		chain.blocks.push(b);
		chain.last = b.last;
	}
	const open = [];
	for (const chain of chains) {
		chain.events = chainEvents(file, chain.blocks);
		chain.event = chain.events.next().value;
		if (chain.event) open.push(chain);
	}
	while (open.length) {
		let first = 0;
		for (let i = 1; i < open.length; i++) if (order(open[i], open[first]) < 0) first = i;
		yield open[first].event;
		open[first].event = open[first].events.next().value;
		if (!open[first].event) open.splice(first, 1);
	}
}

// ---- lines ----------------------------------------------------------------------------------

const hex = (b) => b.toString(16).padStart(2, '0');

function bytesText(bytes, isText) {
	if (!isText) return `{${Array.from(bytes, hex).join('')}}`;
	const plain = (b) => b >= 0x20 && b <= 0x7e && b !== 0x22 && b !== 0x5c;
	return `"${Array.from(bytes, (b) => (plain(b) ? String.fromCharCode(b) : `\\x${hex(b)}`)).join('')}"`;
}

export function eventLine(e) {
	let line = `${e.cpu < 0 ? '-' : e.cpu} ${e.t} ${e.tid} ${e.pid} ${e.mode} ${e.type.name}`;
	e.type.fields.forEach((f, i) => {
		const v = e.values[i];
		if (f.kind > KIND.INT) line += ` ${f.name}=${bytesText(v, f.isText)}`;
		else line += ` ${f.name}=${f.kind === KIND.UINT ? unsigned(v) : v}`;
	});
	return line;
}

// What is in a file beside events.
export function* otherLines(file) {
	const text = (s) => bytesText(new TextEncoder().encode(s), true);
	for (const [key, value] of file.info) yield `# info ${text(key)} ${text(value)}`;
	for (const t of file.tasks)
		yield `# ${t.what} ${t.t} ${t.pid}/${t.tid} ` +
			(t.comm === undefined ? `${t.ppid}/${t.ptid}` : text(t.comm));
	for (const l of file.losses.filter((row) => row.what !== 'late'))
		yield `# ${l.what} ${l.cpu} ${l.type} ${l.from}-${l.to} ${l.count}`;
	for (const l of file.losses.filter((row) => row.what === 'late'))
		yield `# late ${l.cpu} ${l.from} after ${l.to}`;
	for (const { name, count } of file.skips) yield `# skip ${text(name)} ${count}`;
}

async function main(args) {
	const all = args[0] === '-a';
	const path = args[args.length - 1];
	const [{ readFileSync, writeSync }, { inflateRawSync }] = await Promise.all([
		import('node:fs'),
		import('node:zlib'),
	]);
	const inflate = (bytes, size) => inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) });
	const print = (text) => {
		const bytes = Buffer.from(text, 'latin1');
		for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
	};
	let file;
	try {
		file = openCdict(readFileSync(path), inflate);
	} catch (e) {
		console.error(`secondread: ${path}: ${e.message}`);
		return 1;
	}
	let text = '';
	if (all) for (const line of otherLines(file)) text += `${line}\n`;
	for (const e of eventsInOrder(file)) {
		text += `${eventLine(e)}\n`;
		if (text.length > 1 << 16) {
			print(text);
			text = '';
		}
	}
	print(text);
	for (const sentence of file.damage) console.error(`secondread: ${path}: ${sentence}`);
	return file.damage.length ? 2 : 0;
}

if (typeof process !== 'undefined' && process.argv[1]?.endsWith('secondread.mjs'))
	process.exitCode = await main(process.argv.slice(2));
