// SPDX-License-Identifier: GPL-2.0-only
//
// What is to be done for each event of a type: one step a coded field, with its column. Fields
// that nobody asked for, and on which none that is asked for depends, have no step.

import { CODING } from './block.js';
import { KIND, MODEL, isTask } from './schema.js';

const OWN_CELL = new Set([MODEL.CELL, MODEL.PROCESS, MODEL.SUM]);
const HAS_WHO = new Set([
	MODEL.NEXT,
	MODEL.SAMETASK,
	MODEL.CELL,
	MODEL.PROCESS,
	MODEL.SUM,
	MODEL.SINCE,
]);
const NOTHING = new Uint8Array(0);

// How a step's value is kept for the reader.
export const KEEP = { NO: 0, TASK: 1, VALUE: 2 };

// The column's state lives in the step: one object, one shape, for the decoder's inner loop.
export class Step {
	constructor(f, column, index) {
		this.model = f.model;
		this.index = index;
		this.scalar = f.kind <= KIND.INT;
		this.who = f.who;
		this.arg = f.arg;
		this.cell = f.cell;
		this.slot = f.slot;
		this.task = isTask(f.model);
		// Of tasks: the value is the tid, cut to the field's size when it is unsigned.
		this.mask = this.task && f.kind === KIND.UINT && f.size < 8 ? f.size : 0;
		this.keep = KEEP.NO;
		this.out = null;
		this.fit = 0; // what @out can hold
		// The column; without one every event is as predicted.
		this.coding = column ? column.coding : CODING.CODE;
		this.dense = column !== null && column.dense;
		this.table = column?.table ?? null;
		this.misses = column ? column.misses : 0;
		this.next = -1; // the next event that missed, Infinity after the last
		this.gaps = column?.gaps?.bytes ?? NOTHING;
		this.gap = column?.gaps?.at ?? 0;
		this.gapEnd = column?.gaps?.end ?? 0;
		this.symbols = column?.symbols?.bytes ?? NOTHING;
		this.symbol = column?.symbols?.at ?? 0;
		this.symbolEnd = column?.symbols?.end ?? 0;
		this.bits = column?.bits?.bytes ?? NOTHING;
		this.bit = (column?.bits?.at ?? 0) * 8;
		this.bitEnd = (column?.bits?.end ?? 0) * 8;
	}
}

// Which coded fields of a block's types are to be decoded: an array of Uint8Array, 1 for yes.
// @want(type) gives the wanted fields' numbers in the type, or null for all.
export function neededFields(types, want) {
	const needed = types.map(({ type }) => {
		const fields = want(type);
		const all = new Set(fields ?? type.fields.keys());
		return Uint8Array.from(type.coded, (f, i) =>
			i < 4 || f.model === MODEL.NEXT || f.model === MODEL.WAKEE || all.has(f.value) ? 1 : 0,
		);
	});
	for (let changed = true; changed; ) {
		changed = false;
		const cells = new Set();
		const models = new Set();
		const every = (visit) =>
			types.forEach(({ type }, k) => type.coded.forEach((f, i) => visit(f, k, i)));
		const need = (k, i) => {
			if (needed[k][i]) return;
			needed[k][i] = 1;
			changed = true;
		};
		every((f, k, i) => {
			if (!needed[k][i]) return;
			if (HAS_WHO.has(f.model)) need(k, f.who);
			if (f.model === MODEL.SUM) need(k, f.arg);
			if (OWN_CELL.has(f.model)) cells.add(f.cell);
			if (f.model === MODEL.ELAPSED || f.model === MODEL.CONTEXT) models.add(f.model);
		});
		// Memories that fields share: whoever writes there must be followed.
		every((f, k, i) => {
			if (OWN_CELL.has(f.model) ? cells.has(f.cell) : models.has(f.model)) need(k, i);
		});
	}
	return needed;
}
