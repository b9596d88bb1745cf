// SPDX-License-Identifier: GPL-2.0-only
//
// The file: its blocks, the small ones read, those of events listed. doc/cdict.5.

import {
	Cursor,
	Damage,
	add,
	binary,
	crc32,
	le32,
	low32,
	sub,
	unsigned,
	unzigzag,
	utf8,
} from './bytes.js';
import { inflateRaw } from './inflate.js';
import { Schema } from './schema.js';

const HEADER = 16;
const BLOCK_HEADER = 24;
const TRAILER = 16;
const SYNC = 0x1eb10cdc;
const END = 0x444e4443;
const BLOCK_MAX = 2 ** 28;
const BLOCK_EVENTS = 65536;
const CPUS_MAX = 65536;
const KEYS_MAX = 4096;
const MAGIC = [0x89, 0x43, 0x44, 0x49, 0x43, 0x54, 0x0d, 0x0a];

export const LOSS = { RING: 0, SAMPLES: 1, THROTTLE: 2, DISORDER: 3, DAMAGE: 4, LATE: 5 };
export const TASK = { FORK: 0, COMM: 1, EXEC: 2, EXIT: 3 };

function blockHeader(bytes, at) {
	if (bytes.length - at < BLOCK_HEADER || le32(bytes, at) !== SYNC) return null;
	if (le32(bytes, at + 20) !== crc32(bytes.subarray(at, at + 20))) return null;
	const h = {
		type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
		size: le32(bytes, at + 8),
		ordinal: le32(bytes, at + 12),
		crc: le32(bytes, at + 16),
	};
	return h.size <= BLOCK_MAX ? h : null;
}

// Offset of the next block header from @at on, or the file's size.
function resync(bytes, at) {
	for (;;) {
		at = bytes.indexOf(SYNC & 255, at);
		if (at < 0 || bytes.length - at < BLOCK_HEADER) return bytes.length;
		if (blockHeader(bytes, at)) return at;
		at++;
	}
}

// The content of a block's envelope.
async function unpack(payload, inflate) {
	const c = new Cursor(payload);
	const codec = c.u8();
	const size = c.count(BLOCK_MAX, 'content');
	if (codec === 0) {
		if (size !== c.left) throw new Damage('an envelope is of another size');
		return c.take(size);
	}
	if (codec !== 1 || size / 1040 > c.left) throw new Damage('an envelope cannot be');
	return inflate(c.take(c.left), size);
}

// ---- the small blocks -----------------------------------------------------------------------

function readInfo(content, info) {
	const c = new Cursor(content);
	while (c.left) {
		const [key, value] = [c.string(), c.string()];
		if (info.size >= KEYS_MAX && !info.has(key)) throw new Damage('more keys than may be');
		info.set(key, value);
	}
}

function readTasks(content, tasks) {
	const c = new Cursor(content);
	const comms = [];
	let [tid, ppid, t] = [0, 0, 0];
	while (c.left) {
		const flags = c.u8();
		const row = { what: flags & 3 };
		tid = low32(add(tid, c.svarint())) | 0;
		row.tid = tid;
		row.pid = flags & 4 ? low32(add(tid, c.svarint())) | 0 : tid;
		if (flags & 8) t = add(t, c.svarint());
		row.t = unsigned(t);
		if (row.what === TASK.FORK || row.what === TASK.EXIT) {
			ppid = low32(add(ppid, c.svarint())) | 0;
			row.ppid = ppid;
			row.ptid = flags & 16 ? low32(add(ppid, c.svarint())) | 0 : ppid;
		} else {
			if (flags & 32) comms.push(c.string());
			const back = flags & 32 ? 0 : c.varint();
			if (back >= comms.length) throw new Damage('a task has a name that is not there');
			row.comm = comms[comms.length - 1 - back];
		}
		tasks.push(row);
	}
}

// CPU and type are -1 when not known.
function readLosses(content, file) {
	const c = new Cursor(content);
	while (c.left) {
		const row = { what: c.count(255, 'what') };
		row.cpu = c.count(2 ** 32 - 1, 'CPU') - 1;
		row.type = c.count(2 ** 32 - 1, 'type') - 1;
		row.from = c.varint();
		row.to = unsigned(add(row.from, c.varint()));
		row.count = c.varint();
		if (row.what === LOSS.LATE) file.late.push(row);
		else file.losses.push(row);
	}
}

function readSkips(content, skips) {
	const c = new Cursor(content);
	while (c.left) {
		const name = c.string();
		skips.push({ name, count: c.varint() });
	}
}

const SMALL = {
	INFO: (content, file) => readInfo(content, file.info),
	SCHM: (content, file) => file.schema.read(content),
	TASK: (content, file) => readTasks(content, file.tasks),
	LOSS: (content, file) => readLosses(content, file),
	SKIP: (content, file) => readSkips(content, file.skips),
};

// ---- damage ---------------------------------------------------------------------------------

function seconds(ns) {
	const s = BigInt(ns);
	return `${s / 1000000000n}.${String(s % 1000000000n).padStart(9, '0')}`;
}

// What is wrong, as the C reader tells it: counts, and a sentence on the first fault.
class DamageSum {
	constructor() {
		this.cut = false;
		this.cutAt = 0;
		this.inputDamaged = false;
		this.blocks = 0;
		this.events = 0;
		this.skippedBytes = 0;
		this.first = '';
		this.firstAt = 0;
	}
	note(at, sentence) {
		if (this.first) return;
		this.first = sentence;
		this.firstAt = at;
	}
	noteEvents(b, why) {
		this.events += b.events;
		// What was said of this place before said less.
		if (this.first && this.firstAt >= b.at && this.firstAt < b.at + b.size) this.first = '';
		this.note(
			b.at,
			`event block of CPU ${b.cpu} at byte ${b.at} is damaged (${why}): ${b.events} events` +
				` from ${seconds(b.first)} to ${seconds(b.last)} s are lost`,
		);
	}
	get any() {
		return this.cut || this.blocks > 0 || this.skippedBytes > 0 || this.first !== '';
	}
}

// ---- the file -------------------------------------------------------------------------------

// Head of an EVNT payload.
export function blockHead(c) {
	const cpu = c.count(CPUS_MAX, 'CPU') - 1;
	const events = c.count(BLOCK_EVENTS, 'events');
	const first = c.varint();
	const last = unsigned(add(first, c.varint()));
	if (!events || last < first) throw new Damage('its head cannot be');
	return { cpu, events, first, last };
}

class CdictFile {
	constructor(bytes, inflate) {
		this.bytes = bytes;
		this.inflate = inflate;
		this.schema = new Schema();
		this.info = new Map(); // keys and values one character a byte; infoText() for people
		this.tasks = [];
		this.losses = [];
		this.late = [];
		this.skips = [];
		this.blocks = []; // of events: {number, at, size, cpu, events, first, last, bad}
		this.damage = new DamageSum();
	}

	infoText(key) {
		const v = this.info.get(key);
		return v === undefined ? null : utf8(v);
	}

	async readSmall(at, h, payload) {
		try {
			if (crc32(payload) !== h.crc) throw new Damage('its check sum is wrong');
			if (!Object.hasOwn(SMALL, h.type)) return true;
			SMALL[h.type](await unpack(payload, this.inflate), this);
			return true;
		} catch (e) {
			if (!(e instanceof Damage)) throw e;
			this.damage.blocks++;
			const name = h.type.replace(/[^A-Z]/g, '?');
			this.damage.note(
				at,
				`block ${name} at byte ${at} is damaged` +
					(h.type === 'SCHM' ? ': its event types cannot be read' : ''),
			);
			return false;
		}
	}

	// The head is believed for now; its CRC is tested when the block is read.
	addBlock(at, payload) {
		try {
			const head = blockHead(new Cursor(payload));
			this.blocks.push({ number: 0, at, size: payload.length + BLOCK_HEADER, ...head, bad: false });
		} catch (e) {
			if (!(e instanceof Damage)) throw e;
			this.damage.blocks++;
			this.damage.note(at, `event block at byte ${at} is damaged`);
		}
	}

	// Walks the blocks from the front; where the index block was, or 0.
	async scan() {
		const { bytes, damage } = this;
		let at = HEADER;
		let ordinal = 0;
		let index = 0;
		while (at < bytes.length) {
			if (index && bytes.length - at === TRAILER) break;
			const h = blockHeader(bytes, at);
			if (!h) {
				const next = resync(bytes, at + 1);
				damage.skippedBytes += next - at;
				damage.note(at, `${next - at} bytes at byte ${at} are no block`);
				at = next;
				continue;
			}
			const left = bytes.length - at - BLOCK_HEADER;
			if (h.size > left) {
				damage.note(at, `block at byte ${at} needs ${h.size} bytes, ${left} are left`);
				break;
			}
			if (h.ordinal !== ordinal) {
				damage.blocks += h.ordinal > ordinal ? h.ordinal - ordinal : 1;
				damage.note(at, `block ${ordinal} is missing before byte ${at}`);
			}
			ordinal = h.ordinal + 1;
			const payload = bytes.subarray(at + BLOCK_HEADER, at + BLOCK_HEADER + h.size);
			if (h.type === 'EVNT') this.addBlock(at, payload);
			else if ((await this.readSmall(at, h, payload)) && h.type === 'INDX') index = at;
			at += BLOCK_HEADER + h.size;
			damage.cutAt = at;
		}
		return index;
	}

	// The index passed its CRC, the payloads were not tested yet: it is believed.
	async checkIndex(index) {
		const { bytes, damage } = this;
		const known = new Map(this.blocks.map((b) => [b.at, b]));
		const size = le32(bytes, index + 8);
		let at = HEADER;
		let last = 0;
		try {
			const payload = bytes.subarray(index + BLOCK_HEADER, index + BLOCK_HEADER + size);
			const c = new Cursor(await unpack(payload, this.inflate));
			while (c.left) {
				const type = binary(c.take(4));
				const row = { at, size: c.varint() };
				if (type === 'EVNT') {
					row.cpu = c.count(2 ** 32 - 1, 'CPU') - 1;
					row.events = c.count(BLOCK_EVENTS, 'events');
					row.first = unsigned(add(last, unzigzag(c.varint())));
					last = unsigned(add(row.first, c.varint()));
					row.last = last;
					const b = known.get(at);
					if (b) Object.assign(b, row, { size: b.size });
					else damage.noteEvents(row, 'its head cannot be read');
				}
				at += Number(row.size);
			}
			if (at !== index && !damage.first) throw new Damage('it is not whole');
		} catch (e) {
			if (!(e instanceof Damage)) throw e;
			damage.blocks++;
			damage.note(index, `index at byte ${index} is damaged`);
		}
	}

	sumUp() {
		this.events = 0;
		this.first = null;
		this.last = null;
		this.cpus = 0;
		this.blocks.forEach((b, i) => {
			b.number = i;
			this.events += b.events;
			if (this.first === null || b.first < this.first) this.first = b.first;
			if (this.last === null || b.last > this.last) this.last = b.last;
			this.cpus = Math.max(this.cpus, b.cpu + 1);
		});
		const topology = this.info.get('topology.core');
		if (topology !== undefined)
			this.cpus = Math.max(this.cpus, topology.split(',').length);
		this.damage.inputDamaged = this.info.has('input.damage');
		// What times are told from; with no event any will do.
		this.first ??= 0;
		this.last ??= 0;
	}

	// A time of the file as ns since the first event.
	relative(t) {
		return sub(t, this.first);
	}

	// Notes that a block could not be read.
	bad(b, why) {
		if (b.bad) return;
		b.bad = true;
		this.damage.blocks++;
		this.damage.noteEvents(b, why);
	}

	// The tested payload of an event block; throws Damage, which is noted.
	payload(b) {
		const { bytes } = this;
		const payload = bytes.subarray(b.at + BLOCK_HEADER, b.at + b.size);
		if (crc32(payload) === le32(bytes, b.at + 16)) return payload;
		this.bad(b, 'its check sum is wrong');
		throw new Damage('its check sum is wrong');
	}
}

// Opens a file. Rejects when it is no cdict of a version that is known; all other faults are in
// .damage. inflate(bytes, size) undoes raw deflate: the bytes or a promise of them.
export async function openCdict(bytes, inflate = inflateRaw) {
	if (bytes.length < HEADER || MAGIC.some((b, i) => bytes[i] !== b))
		throw new Error('is no cdict file: its first bytes are not the cdict magic');
	if (le32(bytes, 12) !== crc32(bytes.subarray(0, 12))) throw new Error('file header is damaged');
	const [major, minor] = [bytes[8] | (bytes[9] << 8), bytes[10] | (bytes[11] << 8)];
	if (major !== 1)
		throw new Error(`is of format version ${major}.${minor}, this reader knows 1.x`);
	const file = new CdictFile(bytes, inflate);
	const index = await file.scan();
	if (index) await file.checkIndex(index);
	const end = bytes.length - TRAILER;
	if (
		!index ||
		le32(bytes, end + 12) !== END ||
		le32(bytes, end + 8) !== crc32(bytes.subarray(end, end + 8)) ||
		le32(bytes, end) + le32(bytes, end + 4) * 2 ** 32 !== index
	) {
		file.damage.cut = true;
		file.damage.note(bytes.length, `is cut at byte ${bytes.length}: its end is missing`);
	}
	file.sumUp();
	return file;
}
