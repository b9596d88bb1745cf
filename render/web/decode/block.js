// SPDX-License-Identifier: GPL-2.0-only
//
// Opens the payload of an EVNT block: streams inflated, directory read, tables taken apart. What
// the columns mean is decoded by events.js.

import { Cursor, Damage, add, low32 } from './bytes.js';
import { blockHead } from './container.js';

const BLOCK_MAX = 2 ** 28;
const PAD = 16;
const BITS = 0;
const POOL = 1;
const TABLES = 5;
const NOTHING = new Uint8Array(0);

export const CODING = { DELTA: 0, SIGNED: 1, RAW: 2, DICT: 3, CODE: 4 };

// One column, as the directory has it: cursors into the streams.
class Column {
	constructor(coding) {
		this.coding = coding & 127;
		this.dense = coding > 127;
		this.misses = 0;
		this.gaps = null;
		this.table = null;
		this.bits = null;
		this.symbols = null;
		if (this.coding > CODING.CODE) throw new Damage('a column has an unknown coding');
	}
}

function readExtents(c, own) {
	const extents = [];
	let [raw, stored] = [0, 0];
	if (own > c.left / 3) throw new Damage('more streams than bytes');
	for (let i = 0; i < own + 2; i++) {
		const e = { codec: 0 };
		if (i >= 2) e.codec = c.count(1, 'codec');
		e.size = c.count(BLOCK_MAX, 'stream');
		e.stored = i ? c.count(BLOCK_MAX, 'stream') : e.size;
		if (i === POOL) {
			e.codec = e.stored ? 1 : 0;
			e.stored ||= e.size;
		}
		if (e.codec ? Math.floor(e.size / 1040) > e.stored : e.size !== e.stored)
			throw new Damage('a stream cannot be');
		raw += e.size + PAD;
		stored += e.stored;
		extents.push(e);
	}
	if (stored > c.left || raw > 2 * BLOCK_MAX)
		throw new Damage('its streams are longer than the block');
	return extents;
}

async function readStreams(c, own, inflate) {
	const streams = readExtents(c, own).map(({ codec, size, stored }) => {
		const bytes = c.take(stored);
		return codec ? inflate(bytes, size) : bytes;
	});
	return (await Promise.all(streams)).map((bytes) => new Cursor(bytes));
}

function part(streams, dir) {
	const stream = dir.varint();
	const size = dir.varint();
	if (stream >= streams.length) throw new Damage('a stream is not there');
	return streams[stream].part(size);
}

function readColumn(coding, dir, streams) {
	const column = new Column(coding);
	if (!column.dense) {
		column.misses = dir.count(65536, 'misses');
		column.gaps = streams[POOL].part(dir.varint());
	}
	if (column.coding === CODING.DICT) {
		const entries = dir.varint();
		const bytes = streams[POOL].part(dir.varint());
		if (entries > bytes.left) throw new Damage('a table is longer than its bytes');
		column.table = [];
		for (let last = 0; column.table.length < entries; ) {
			last = add(last, bytes.svarint());
			column.table.push(last);
		}
	} else if (column.coding !== CODING.CODE) {
		column.bits = streams[BITS].part(dir.varint());
	}
	column.symbols = part(streams, dir);
	return column;
}

function readDirectory(dir, streams, types) {
	const tables = Array.from({ length: TABLES }, () => new Cursor(NOTHING));
	const places = types.flatMap((t) => t.columns.map((_, i) => [t.columns, i]));
	for (let id = -1; dir.left; ) {
		const skip = dir.count(2 ** 32 - 1, 'column');
		const coding = dir.u8();
		if (!skip) throw new Damage('its directory cannot be read');
		id += skip;
		if (id < TABLES) {
			tables[id] = part(streams, dir);
			continue;
		}
		// A column of a later minor version is read over.
		const column = readColumn(coding, dir, streams);
		if (id - TABLES < places.length) {
			const [columns, i] = places[id - TABLES];
			columns[i] = column;
		}
	}
	return tables;
}

function readTids(c, n) {
	if (!n || n > c.left) throw new Damage('its table of tasks cannot be read');
	const tids = new Int32Array(n);
	for (let i = 0, tid = 0; i < n; i++) {
		tid = add(tid, c.svarint());
		tids[i] = low32(tid);
	}
	return tids;
}

function readStrings(lengths, bytes, n) {
	if (!n || n - 1 > lengths.left) throw new Damage('its table of strings cannot be read');
	const strings = [NOTHING];
	while (strings.length < n) strings.push(bytes.take(lengths.varint()));
	return strings;
}

// Promise of an open block; rejects with Damage. @payload passed its CRC.
export async function openBlock(payload, schema, inflate) {
	const c = new Cursor(payload);
	const block = blockHead(c);
	const n = c.count(256, 'types');
	block.types = [];
	let sum = 0;
	let fields = 1;
	for (let k = 0; k < n; k++) {
		const index = c.varint();
		const of = c.varint();
		if (!(index < schema.types.length)) throw new Damage('it has a type that is not there');
		const type = schema.types[index];
		block.types.push({ type, n: of, columns: type.coded.map(() => null) });
		sum += Number(of);
		if (sum > block.events) throw new Damage('its types have more events than it');
		fields += of * type.coded.length;
	}
	const nTasks = c.varint();
	const nStrings = c.varint();
	const dirSize = c.varint();
	const own = c.varint();
	if (sum !== block.events) throw new Damage('its types have other events than it');
	if (nTasks > fields || nStrings > fields)
		throw new Damage('it has more tasks or strings than fields');
	const streams = await readStreams(c, own, inflate);
	const tables = readDirectory(streams[POOL].part(dirSize), streams, block.types);
	const [kinds, tids, lengths, bytes, order] = tables;
	block.tids = readTids(tids, nTasks);
	block.strings = readStrings(lengths, bytes, nStrings);
	block.kinds = kinds.take(kinds.left);
	if (n > 1 && block.kinds.length !== (n > 16 ? sum : (sum + 1) >> 1))
		throw new Damage('it has more events than kinds');
	block.order = order;
	return block;
}
