// SPDX-License-Identifier: GPL-2.0-only
//
// Event types as the file describes them, and which model predicts which field.

import { Cursor, Damage, binary } from './bytes.js';

export const KIND = { UINT: 0, INT: 1, BYTES: 2, DATA_LOC: 3, REL_LOC: 4 };
export const MODEL = {
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

const TYPES_MAX = 4096;
const FIELDS_MAX = 128;
const PAYLOAD_MAX = 2 ** 20;
const CELLS_MAX = 32;

export function isTask(model) {
	return model >= MODEL.CURRENT && model <= MODEL.SAMETASK;
}

const NEEDS_TASK = new Set([
	MODEL.NEXT,
	MODEL.SAMETASK,
	MODEL.CELL,
	MODEL.PROCESS,
	MODEL.SUM,
	MODEL.SINCE,
]);
const SCALARS_ONLY = new Set([MODEL.ELAPSED, MODEL.SUM, MODEL.SINCE, MODEL.PROCESS]);

// The sample's four fields, then tasks, then values: coding order.
const SAMPLE_FIELDS = [
	{ model: MODEL.TIME, kind: KIND.UINT, size: 8, cell: 0, who: 0, arg: 0, slot: 0, value: -1 },
	{ model: MODEL.CURRENT, kind: KIND.INT, size: 4, cell: 0, who: 0, arg: 0, slot: 0, value: -1 },
	{ model: MODEL.PROCESS, kind: KIND.INT, size: 4, cell: 0, who: 1, arg: 0, slot: 0, value: -1 },
	{ model: MODEL.LAST, kind: KIND.UINT, size: 1, cell: 0, who: 0, arg: 0, slot: 0, value: -1 },
];

function fits(f, coded) {
	if (f.model > MODEL.FOLLOW || f.model === MODEL.TIME || f.cell >= CELLS_MAX) return false;
	if (f.kind > KIND.INT && (isTask(f.model) || SCALARS_ONLY.has(f.model))) return false;
	if (f.model === MODEL.SUM && !(f.arg >= 4 && f.arg < coded.length)) return false;
	return !NEEDS_TASK.has(f.model) || (f.who < coded.length && isTask(coded[f.who].model));
}

function codingOrder(type, schema) {
	const coded = [...SAMPLE_FIELDS];
	let { slots } = schema;
	for (const tasks of [true, false])
		type.fields.forEach((f, i) => {
			if (isTask(f.model) !== tasks) return;
			if (!fits(f, coded)) throw new Damage(`${type.name}: a field has a model that cannot be`);
			coded.push({ ...f, value: i, slot: slots++ });
		});
	schema.slots = slots;
	return coded;
}

// Names and formats are texts of one character a byte, as all of the file's.
function readName(c) {
	const bytes = c.take(c.varint());
	if (bytes.includes(0)) throw new Damage('a name has a NUL in it');
	return binary(bytes);
}

function readField(c) {
	const f = { name: readName(c) };
	f.offset = c.count(PAYLOAD_MAX, 'offset');
	f.size = c.count(PAYLOAD_MAX, 'size');
	const kind = c.u8();
	f.kind = kind & 127;
	f.isText = kind > 127;
	[f.model, f.cell, f.who, f.arg] = [c.u8(), c.u8(), c.u8(), c.u8()];
	if (f.kind > KIND.REL_LOC) throw new Damage('a field is of an unknown kind');
	if (f.kind <= KIND.INT ? ![1, 2, 4, 8].includes(f.size) : f.kind > KIND.BYTES && f.size !== 4)
		throw new Damage('a field is of a size that cannot be');
	return f;
}

export class Schema {
	constructor() {
		this.types = [];
		this.slots = 1; // slot 0: the cpumode of the sample
		this.bigEndian = false;
		this.longSize = 8;
		this.pageSize = 4096;
	}

	// Adds the types of a SCHM block; those before a fault stay.
	read(content) {
		const c = new Cursor(content);
		const [big, longSize] = [c.u8(), c.u8()];
		const pageSize = c.count(2 ** 30, 'page size');
		if (c.varint() !== this.types.length) throw new Damage('event types are missing');
		const n = c.count(TYPES_MAX, 'types');
		if (big > 1 || (longSize !== 4 && longSize !== 8)) throw new Damage('schema cannot be');
		[this.bigEndian, this.longSize, this.pageSize] = [big !== 0, longSize, pageSize];
		for (let i = 0; i < n; i++) this.readType(c);
	}

	readType(c) {
		const type = { index: this.types.length, system: readName(c), event: readName(c) };
		type.name = `${type.system}:${type.event}`;
		type.id = c.count(2 ** 32 - 1, 'id');
		type.format = readName(c);
		type.fields = [];
		const n = c.count(FIELDS_MAX, 'fields');
		for (let k = 0; k < n; k++) type.fields.push(readField(c));
		if (this.types.length >= TYPES_MAX || this.find(type.name))
			throw new Damage(`event type ${type.name} cannot be`);
		type.coded = codingOrder(type, this);
		this.types.push(type);
	}

	find(name) {
		return this.types.find((t) => t.name === name);
	}
}

export function fieldIndex(type, name) {
	return type.fields.findIndex((f) => f.name === name);
}
