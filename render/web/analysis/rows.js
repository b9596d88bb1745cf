// SPDX-License-Identifier: GPL-2.0-only
//
// The events of a range as people read them, a page of them at a time.

import { ALL_FIELDS, Walk, loadBlock } from '../decode/order.js';
import { utf8 } from '../decode/bytes.js';
import { Mapping } from './names.js';
import { Printer } from './print.js';
import { KIND } from './types.js';

// Fields that name a task, by kind: an event belongs to those too.
const NAMED = {
	[KIND.SWITCH]: [0, 1],
	[KIND.WAKING]: [0],
	[KIND.WAKEUP]: [0],
	[KIND.WAKEUP_NEW]: [0],
	[KIND.MIGRATE]: [0],
	[KIND.IOWAIT]: [0],
	[KIND.FORK]: [0],
};

class Filter {
	constructor(capture, map, { tasks = null, cpus = null, types = null }) {
		this.capture = capture;
		this.map = map;
		this.tasks = tasks ? new Set(tasks) : null;
		this.cpus = cpus ? new Set(cpus) : null;
		this.types = types ? new Set(types) : null;
		this.tids = null;
		if (!this.tasks) return;
		// Most tids are one task's: then the tid tells.
		this.tids = new Set(map.tasks.filter((t) => this.tasks.has(t.index)).map((t) => t.tid));
	}
	isTask(tid, cpu, t) {
		return this.tids.has(tid) && this.tasks.has(this.map.at(tid, cpu, t)?.index);
	}
	takes(batch, i, k, row) {
		if (this.types && !this.types.has(utf8(batch.types[k].type.name))) return false;
		if (!this.tids) return true;
		const { cpu } = batch;
		const t = batch.t[i];
		if (this.isTask(batch.tid[i], cpu, t)) return true;
		const { kind, c } = this.capture.types.columns(batch)[k];
		return (NAMED[kind] ?? []).some((f) => c[f] !== null && this.isTask(c[f][row], cpu, t));
	}
}

// {total, rows} of the events in [from, to), and at @to when it is the capture's end.
export async function events(capture, range, options = {}) {
	const { offset = 0, limit = 200, onBlock = null } = options;
	const eng = capture.engine(range);
	const map = new Mapping(eng, capture.tasks ?? []);
	map.prepare();
	const filter = new Filter(capture, map, options);
	const walk = new Walk(capture.file, {
		from: eng.from,
		to: eng.to,
		cpus: filter.cpus,
		want: capture.types.want,
		cache: capture.cache,
	});
	const found = [];
	let total = 0;
	await walk.run((batch, i, k, row) => {
		if (!eng.inside(batch.t[i]) || !filter.takes(batch, i, k, row)) return;
		if (total++ >= offset && found.length < limit) found.push([batch, i, k, row]);
	}, onBlock);
	const printer = (capture.printer ??= new Printer());
	const rows = [];
	const wholes = new Map(); // by batch: the same block with all its fields
	for (const [batch, i, k, row] of found) {
		if (!wholes.has(batch))
			wholes.set(batch, await loadBlock(capture.file, batch.block, ALL_FIELDS, capture.cache));
		const whole = wholes.get(batch);
		const tid = batch.tid[i];
		const task = map.at(tid, batch.cpu, batch.t[i]);
		rows.push({
			at: batch.t[i],
			cpu: batch.cpu,
			tid,
			task: task?.index ?? null,
			comm: task?.comm ?? (tid ? `:${tid}` : 'swapper'),
			type: utf8(batch.types[k].type.name),
			text: whole ? printer.text(whole, k, row) : '',
		});
	}
	return { total, rows };
}
