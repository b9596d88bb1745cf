// SPDX-License-Identifier: GPL-2.0-only
//
// How long tasks that could run waited for a CPU; as analyze/latency.c.

import { Histogram } from './histogram.js';
import { NO_TIME } from './table.js';
import { OFF } from './types.js';

export class LatencyRow {
	constructor(task, wakeup = new Histogram()) {
		this.task = task;
		this.wakeup = wakeup;
		this.preempt = new Histogram();
		this.torn = 0; // waits not counted because events are missing
	}
	merge(from) {
		this.wakeup.merge(from.wakeup);
		this.preempt.merge(from.preempt);
		this.torn += from.torn;
	}
}

export class Latency {
	// Tasks counts the waits after wake-ups already.
	constructor(eng, tasks) {
		this.eng = eng;
		this.tasks = tasks;
		this.byTask = [];
		this.rows = [];
	}

	row(task) {
		const { byTask } = this;
		while (byTask.length <= task) byTask.push(null);
		return (byTask[task] ??= new LatencyRow(task, this.tasks.row(task).latency));
	}

	sw(sw) {
		if (!sw.in || this.eng.tasks[sw.next].tid === 0) return;
		if (sw.torn) this.row(sw.next).torn++;
		if (sw.ready !== NO_TIME || sw.awaySince === NO_TIME) return;
		if (sw.away === OFF.RUNNABLE || sw.away === OFF.PREEMPTED)
			this.row(sw.next).preempt.add(sw.t - sw.awaySince, sw.awaySince);
	}

	finish() {
		for (const t of this.tasks.rows)
			if (t.latency.count && this.eng.tasks[t.task].tid) this.row(t.task);
		this.rows = this.byTask.filter((r) => r !== null);
	}
}
