// SPDX-License-Identifier: GPL-2.0-only
//
// The events of an open block as columns: typed arrays, no object an event.
//
// Values are 64-bit residues (bytes.js). Nearly all blocks hold safe integers only and are decoded
// to typed arrays; one that does not is decoded again, with plain arrays that hold BigInts too.

import { CODING } from './block.js';
import { Damage, add, high32, low32, sub, unsigned, wrap } from './bytes.js';
import { KIND, MODEL } from './schema.js';
import { KEEP, Step, neededFields } from './steps.js';

const HIT = 128;
const RANKS = 4;
const CONTEXTS = 4096;
const FOLLOWERS = 32768;
const FOLLOWED = 15;
const ROW_MAX = 4 + 128;
const SAFE = Number.MAX_SAFE_INTEGER;

// Thrown when a block needs more than safe integers.
class Wide extends Error {}

// ---- columns --------------------------------------------------------------------------------

function takeVarint(s) {
	const { symbols } = s;
	let v = 0;
	for (let scale = 1; ; scale *= 128) {
		if (s.symbol >= s.symbolEnd) throw new Damage('event block: a column contradicts itself');
		const b = symbols[s.symbol++];
		v += (b & 127) * scale;
		if (b < 128) return v;
		// Codes above name nothing: whatever they are, they are refused.
		if (scale > 2 ** 49) throw new Damage('event block: a column contradicts itself');
	}
}

// Moves a sparse column to its next miss. Past the block's events it is never reached.
function advance(s) {
	if (s.misses-- <= 0) {
		s.next = Infinity;
		return;
	}
	let gap = 0;
	for (let shift = 0; ; shift += 7) {
		if (s.gap >= s.gapEnd || shift > 28) {
			s.next = Infinity;
			return;
		}
		const b = s.gaps[s.gap++];
		gap += (b & 127) * 2 ** shift;
		if (b < 128) break;
	}
	s.next = gap > 65536 ? Infinity : s.next + 1 + gap;
}

// n bits of the column, at most 32, the lowest first.
function takeBits(s, n) {
	const { bits } = s;
	const at = s.bit >>> 3;
	const shift = s.bit & 7;
	let v =
		(bits[at] | (bits[at + 1] << 8) | (bits[at + 2] << 16) | (bits[at + 3] << 24)) >>> shift;
	if (shift + n > 32) v |= bits[at + 4] << (32 - shift);
	s.bit += n;
	return n === 32 ? v >>> 0 : v & ((1 << n) - 1);
}

// A number of more than 32 bits; signed: zigzag.
function longNumber(s, top, bits) {
	const low = takeBits(s, 32);
	const high = takeBits(s, bits - 32);
	if (bits <= 51) {
		const v = (top * 2 ** (bits - 32) + high) * 4294967296 + low;
		if (s.coding !== CODING.SIGNED) return v;
		return v % 2 ? -(v + 1) / 2 : v / 2;
	}
	const v = (((BigInt(top) << BigInt(bits - 32)) | BigInt(high)) << 32n) | BigInt(low);
	return wrap(s.coding === CODING.SIGNED ? (v >> 1n) ^ -(v & 1n) : v);
}

// What the column says of an event: false when it is as predicted; else the number, with its sign
// when the coding has one, is in got[0]. Asked only when the column mentions the event.
function takeMiss(s, got) {
	if (!s.dense) advance(s);
	if (s.coding <= CODING.RAW) {
		if (s.symbol >= s.symbolEnd) throw new Damage('event block: a column contradicts itself');
		const sym = s.symbols[s.symbol++];
		if (sym < 2) {
			got[0] = s.coding === CODING.SIGNED ? 0 - sym : sym;
			return true;
		}
		if (sym === HIT) return false;
		const bits = ((sym + 2) >> 1) - 2;
		if (sym > HIT || bits > s.bitEnd - s.bit)
			throw new Damage('event block: a column contradicts itself');
		const top = 2 + (sym & 1);
		if (bits > 30) {
			const v = bits <= 32 ? shortNumber(s, top, bits) : longNumber(s, top, bits);
			if (typeof v !== 'number' && !Array.isArray(got)) throw new Wide();
			got[0] = v;
			return true;
		}
		const v = ((top << bits) | takeBits(s, bits)) >>> 0;
		got[0] = s.coding === CODING.SIGNED ? (v >>> 1) ^ -(v & 1) : v;
		return true;
	}
	const n = takeVarint(s);
	if (s.coding === CODING.DICT) {
		if (n > s.table.length) throw new Damage('event block: a column contradicts itself');
		if (n === 0) return false;
		const v = s.table[n - 1];
		if (typeof v !== 'number' && !Array.isArray(got)) throw new Wide();
		got[0] = v;
		return true;
	}
	if (s.dense && n === 0) return false;
	got[0] = s.dense ? n - 1 : n;
	return true;
}

function shortNumber(s, top, bits) {
	const v = top * 2 ** bits + takeBits(s, bits);
	if (s.coding !== CODING.SIGNED) return v;
	return v % 2 ? -(v + 1) / 2 : v / 2;
}

// ---- memory ---------------------------------------------------------------------------------

function hash(slot, task, v) {
	let h = Math.imul(slot, 0x9e3779b1) ^ Math.imul(task, 0x85ebca6b);
	h = Math.imul(h ^ low32(v), 0xcc9e2d51);
	h = Math.imul(h ^ (h >>> 15) ^ high32(v), 0x1b873593);
	return (h ^ (h >>> 13)) >>> 0;
}

// Moves a task to the front of the four at @at.
function push(list, at, task) {
	let i = 0;
	while (i < RANKS - 1 && list[at + i] !== task) i++;
	for (; i > 0; i--) list[at + i] = list[at + i - 1];
	list[at] = task;
}

// The models' memory of one block. Unset cells are NaN.
class Memory {
	constructor(block, schema, base, wide) {
		const numbers = (n, v = 0) => (wide ? new Array(n).fill(v) : new Float64Array(n).fill(v));
		const n = block.tids.length;
		this.wide = wide;
		this.tids = block.tids;
		this.got = numbers(1);
		this.row = numbers(ROW_MAX);
		this.tasks = new Int32Array(ROW_MAX);
		this.next = new Int32Array(n * RANKS).fill(-1);
		this.wake = new Int32Array(n * RANKS).fill(-1);
		this.wakee = new Int32Array(n).fill(-1);
		// Times count from @base here: 0 of the file is -base.
		this.zero = sub(0, base);
		this.out = null;
		this.account = numbers(1);
		this.cells = new Array(32).fill(null);
		this.latest = numbers(32);
		this.slots = numbers(schema.slots);
		this.follow = null;
		this.context = null;
		this.follower = null;
		this.numbers = numbers;
		this.schema = schema;
	}

	// Makes what the step's model needs.
	prepare(s) {
		const n = this.tids.length;
		if (s.model === MODEL.CELL || s.model === MODEL.PROCESS || s.model === MODEL.SUM)
			this.cells[s.cell] ??= this.numbers(n, NaN);
		else if (s.model === MODEL.FOLLOW)
			this.follow ??= this.numbers(this.schema.slots * (FOLLOWED + 1));
		else if (s.model === MODEL.CONTEXT) {
			this.context ??= this.numbers(CONTEXTS);
			this.follower ??= this.numbers(FOLLOWERS);
		} else if (s.model === MODEL.ELAPSED || s.model === MODEL.SINCE) {
			if (typeof this.zero !== 'number' && !this.wide) throw new Wide();
			this.out ??= this.numbers(n, this.zero);
			this.account[0] = this.zero;
		}
	}
}

function plus(a, b, wide) {
	if (typeof a === 'number' && typeof b === 'number') {
		const sum = a + b;
		if (sum >= -SAFE && sum <= SAFE) return sum;
	}
	if (!wide) throw new Wide();
	return add(a, b);
}

function minus(a, b, wide) {
	if (typeof a === 'number' && typeof b === 'number') {
		const difference = a - b;
		if (difference >= -SAFE && difference <= SAFE) return difference;
	}
	if (!wide) throw new Wide();
	return sub(a, b);
}

// ---- predictions ----------------------------------------------------------------------------

// The prediction of a field that is no task.
function predict(s, m, t, followed) {
	switch (s.model) {
		case MODEL.CELL: {
			const v = m.cells[s.cell][m.tasks[s.who]];
			return v === v ? v : m.latest[s.cell];
		}
		case MODEL.PROCESS: {
			const v = m.cells[s.cell][m.tasks[s.who]];
			return v === v ? v : m.tids[m.tasks[s.who]];
		}
		case MODEL.FOLLOW:
			return m.follow[s.slot * (FOLLOWED + 1) + followed];
		case MODEL.CONTEXT: {
			const last = m.context[hash(s.slot, m.tasks[1], 0) % CONTEXTS];
			return m.follower[hash(s.slot, m.tasks[1], last) % FOLLOWERS];
		}
		case MODEL.SUM: {
			const v = m.cells[s.cell][m.tasks[s.who]];
			return plus(v === v ? v : m.latest[s.cell], m.row[s.arg], m.wide);
		}
		case MODEL.ELAPSED:
			return minus(t, m.account[0], m.wide);
		case MODEL.SINCE:
			return minus(t, m.out[m.tasks[s.who]], m.wide);
		default:
			return m.slots[s.slot];
	}
}

function learn(s, m, v, t, followed) {
	switch (s.model) {
		case MODEL.CELL:
		case MODEL.PROCESS:
		case MODEL.SUM: {
			const cells = m.cells[s.cell];
			const who = m.tasks[s.who];
			if (cells[who] !== v) {
				cells[who] = v;
				m.latest[s.cell] = v;
			}
			break;
		}
		case MODEL.ELAPSED:
			m.account[0] = t;
			break;
		case MODEL.SINCE:
			break;
		case MODEL.FOLLOW:
			m.follow[s.slot * (FOLLOWED + 1) + followed] = v;
			break;
		case MODEL.CONTEXT: {
			const at = hash(s.slot, m.tasks[1], 0) % CONTEXTS;
			m.follower[hash(s.slot, m.tasks[1], m.context[at]) % FOLLOWERS] = v;
			m.context[at] = v;
			break;
		}
		default:
			m.slots[s.slot] = v;
	}
}

// A field that is no task, when its column mentions the event.
function missedValue(s, m, t, followed, strings) {
	const missed = takeMiss(s, m.got);
	if (!s.scalar) {
		if (missed && s.coding !== CODING.CODE)
			throw new Damage('event block: a column contradicts itself');
		const key = missed ? m.got[0] : predict(s, m, t, followed);
		if (!(key >= 0 && key < strings)) throw new Damage('event block: a column contradicts itself');
		return key;
	}
	if (!missed) return predict(s, m, t, followed);
	if (s.coding <= CODING.SIGNED) return plus(predict(s, m, t, followed), m.got[0], m.wide);
	return m.got[0];
}

// Where the four tasks of a NEXT or WAKEE field begin, in m.next or m.wake.
function ranksAt(s, m) {
	if (s.model === MODEL.NEXT) return m.tasks[s.who] * RANKS;
	const t = m.tasks[1];
	return (m.wakee[t] < 0 ? t : m.wakee[t]) * RANKS;
}

function tidValue(tid, size) {
	if (!size) return tid;
	return size === 4 ? tid >>> 0 : tid & (2 ** (8 * size) - 1);
}

// ---- a block --------------------------------------------------------------------------------

// What was decoded: n events of one CPU. t[i], kind[i] (index into types), tid[i], pid[i], mode[i];
// types[k].columns[f][j] is field f of the type's j-th event, null when it was not asked for;
// texts are keys into strings. damage: why it ends early, or null.
class Batch {
	constructor(block) {
		const { events } = block;
		this.block = null; // of the file's list
		this.cpu = block.cpu;
		this.n = 0;
		this.t = null;
		this.kind = new Uint8Array(events);
		this.tid = new Int32Array(events);
		this.pid = new Int32Array(events);
		this.mode = new Uint8Array(events);
		this.pass = null; // Uint32Array, or null: all are this.passes
		this.passes = 0;
		this.strings = block.strings;
		this.texts = []; // for whoever reads texts again and again
		this.types = block.types.map(({ type, n }) => ({
			type,
			n,
			columns: type.fields.map(() => null),
		}));
		this.bytes = events * 18;
		this.damage = null;
	}
}

function newColumn(f, n, wide) {
	if (f.kind > KIND.INT) return new Int32Array(n);
	if (wide) return new Array(n).fill(0);
	if (f.size > 4) return new Float64Array(n);
	return f.kind === KIND.INT ? new Int32Array(n) : new Uint32Array(n);
}

// Typed arrays cut what does not fit: then plain ones are needed.
const FIT = { ANY: 0, INT32: 1, UINT32: 2 };

function fitOf(out) {
	if (out instanceof Int32Array) return FIT.INT32;
	return out instanceof Uint32Array ? FIT.UINT32 : FIT.ANY;
}

function planSteps(block, batch, m, want) {
	const needed = neededFields(block.types, want);
	return block.types.map(({ type, n, columns }, k) => {
		const steps = [];
		type.coded.forEach((f, i) => {
			if (!needed[k][i]) return;
			const s = new Step(f, columns[i], i);
			if (!s.dense) advance(s);
			if (i >= 2) m.prepare(s);
			if (f.value >= 0) {
				s.keep = s.task ? KEEP.TASK : KEEP.VALUE;
				s.out = newColumn(f, n, m.wide);
				s.fit = fitOf(s.out);
				batch.types[k].columns[f.value] = s.out;
				batch.bytes += n * (s.out.BYTES_PER_ELEMENT ?? 16);
			}
			steps.push(s);
		});
		return { at: 0, n, time: steps[0], tid: steps[1], rest: steps.slice(2) };
	});
}

// C's cursor: past its end it reads 0.
function varintOr0(c) {
	try {
		return c.varint();
	} catch (e) {
		if (!(e instanceof Damage)) throw e;
		c.at = c.end;
		return 0;
	}
}

// The recorder's passes, event by event; most blocks have one.
function readPasses(batch, order, events) {
	let pass = low32(varintOr0(order));
	batch.passes = pass;
	if (!order.left) return;
	batch.pass = new Uint32Array(events);
	batch.bytes += 4 * events;
	let left = low32(varintOr0(order));
	for (let n = 0; n < events; n++) {
		if (left === 0) {
			const u = varintOr0(order);
			const delta = typeof u === 'number' && u < 2 ** 32 ? (u % 2 ? -(u + 1) / 2 : u / 2) : 0;
			pass = (pass + delta) >>> 0;
			left = order.left ? low32(varintOr0(order)) : 2 ** 32;
		}
		left--;
		batch.pass[n] = pass;
	}
}

function decodeTask(s, m, current, woken, at) {
	let code = -1;
	if ((s.dense || s.next === at) && takeMiss(s, m.got)) {
		if (s.coding !== CODING.CODE) throw new Damage('event block: a column contradicts itself');
		code = m.got[0];
	}
	switch (s.model) {
		case MODEL.CURRENT:
			return code < 0 ? current : code;
		case MODEL.WOKEN:
			return code < 0 ? woken : code;
		case MODEL.SAMETASK:
			return code < 0 ? m.tasks[s.who] : code;
		case MODEL.TASK:
			return code < 0 ? m.slots[s.slot] : code;
		default: {
			if (code >= RANKS - 1) return code - (RANKS - 1);
			const list = s.model === MODEL.NEXT ? m.next : m.wake;
			return list[ranksAt(s, m) + (code < 0 ? 0 : code + 1)];
		}
	}
}

function decodeRange(block, batch, m, types, base) {
	const { events, kinds, tids } = block;
	const paired = types.length <= 16;
	const strings = block.strings.length;
	const last = sub(block.last, base);
	const nTasks = tids.length;
	const { got, tasks } = m;
	let t = sub(block.first, base);
	let current = 0;
	let woken = 0;
	let followed = FOLLOWED;

	for (let n = 0; n < events; n++) {
		let k = 0;
		if (types.length > 1) k = paired ? (kinds[n >> 1] >> ((n & 1) << 2)) & 15 : kinds[n];
		if (k >= types.length) throw new Damage('event block: an event is of no type');
		const type = types[k];
		const at = type.at++;
		if (at >= type.n) throw new Damage('event block: an event is of no type');
		let s = type.time;
		if ((s.dense || s.next === at) && takeMiss(s, got)) {
			const d = got[0] >= 0 ? got[0] : unsigned(got[0]);
			if (d > minus(last, t, true)) throw new Damage('event block: a time lies outside it');
			t = plus(t, d, m.wide);
		}
		s = type.tid;
		let task = current;
		if (s.dense || s.next === at) {
			task = decodeTask(s, m, current, woken, at);
			if (!(task < nTasks)) throw new Damage('event block: a column contradicts itself');
		}
		current = task;
		tasks[1] = task;
		const { rest } = type;
		for (let i = 0; i < rest.length; i++) {
			s = rest[i];
			if (s.task) {
				task = decodeTask(s, m, current, woken, at);
				if (!(task >= 0 && task < nTasks))
					throw new Damage('event block: a column contradicts itself');
				tasks[s.index] = task;
				if (s.model === MODEL.NEXT) {
					push(m.next, ranksAt(s, m), task);
					if (m.out !== null) {
						m.out[tasks[s.who]] = t;
						if (tids[tasks[s.who]] === 0) m.account[0] = t;
					}
					current = task;
				} else if (s.model === MODEL.WAKEE) {
					push(m.wake, ranksAt(s, m), task);
					m.wakee[tasks[1]] = task;
					woken = task;
				} else if (s.model === MODEL.TASK) {
					m.slots[s.slot] = task;
				}
				if (s.keep !== KEEP.NO) s.out[at] = s.mask ? tidValue(tids[task], s.mask) : tids[task];
				continue;
			}
			let v;
			if (s.dense || s.next === at) v = missedValue(s, m, t, followed, strings);
			else {
				v = predict(s, m, t, followed);
				if (!s.scalar && !(v >= 0 && v < strings))
					throw new Damage('event block: a column contradicts itself');
			}
			learn(s, m, v, t, followed);
			m.row[s.index] = v;
			if (s.keep !== KEEP.NO) {
				if (s.fit === FIT.INT32 ? v !== (v | 0) : s.fit === FIT.UINT32 && v !== v >>> 0)
					throw new Wide();
				s.out[at] = v;
			} else if (s.index === 2) batch.pid[n] = low32(v);
			else if (s.index === 3) batch.mode[n] = low32(v);
		}
		followed = k < FOLLOWED ? k : FOLLOWED;
		batch.t[n] = t;
		batch.kind[n] = k;
		batch.tid[n] = tids[tasks[1]];
		batch.n = n + 1;
	}
}

function decode(block, schema, base, want, wide) {
	const batch = new Batch(block);
	const m = new Memory(block, schema, base, wide);
	batch.t = wide ? new Array(block.events).fill(0) : new Float64Array(block.events);
	const order = block.order.part(block.order.left);
	block.order.at = order.at;
	try {
		const types = planSteps(block, batch, m, want);
		readPasses(batch, order, block.events);
		decodeRange(block, batch, m, types, base);
	} catch (e) {
		if (!(e instanceof Damage)) throw e;
		batch.damage = e.message;
	}
	return batch;
}

// The events of an open block, their times counted from @base.
export function decodeBlock(block, schema, base, want) {
	const narrow = typeof sub(block.first, base) === 'number' && typeof sub(block.last, base) === 'number';
	if (narrow)
		try {
			return decode(block, schema, base, want, false);
		} catch (e) {
			if (!(e instanceof Wide)) throw e;
		}
	return decode(block, schema, base, want, true);
}
