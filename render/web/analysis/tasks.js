// SPDX-License-Identifier: GPL-2.0-only
//
// What each task did: time on and off the CPU, switches, wake-ups, migrations, latency. As
// analyze/tasks.c.

import { Histogram } from './histogram.js';
import { NO_CPU, NO_TASK, NO_TIME } from './table.js';
import { KIND, OFF } from './types.js';

export class TaskRow {
	constructor(task) {
		this.task = task;
		this.cpu = NO_CPU;
		this.run = 0;
		this.edge = 0;
		this.unknown = 0;
		this.slice = new Histogram();
		this.switches = 0;
		this.switchIns = 0;
		this.outs = [0, 0, 0, 0, 0, 0];
		this.off = [0, 0, 0, 0, 0, 0];
		this.iowait = 0;
		this.iowaits = 0;
		this.wakeups = 0;
		this.migrations = 0;
		this.nodeMigrations = 0;
		this.events = 0;
		this.latency = new Histogram();
	}
	get involuntary() {
		return this.outs[OFF.RUNNABLE] + this.outs[OFF.PREEMPTED];
	}
	get voluntary() {
		return this.outs.reduce((a, b) => a + b) - this.involuntary;
	}
	merge(from) {
		this.run += from.run;
		this.edge += from.edge;
		this.unknown += from.unknown;
		this.slice.merge(from.slice);
		this.switches += from.switches;
		this.switchIns += from.switchIns;
		for (let s = 0; s < 6; s++) {
			this.outs[s] += from.outs[s];
			this.off[s] += from.off[s];
		}
		this.iowait += from.iowait;
		this.iowaits += from.iowaits;
		this.wakeups += from.wakeups;
		this.migrations += from.migrations;
		this.nodeMigrations += from.nodeMigrations;
		this.events += from.events;
		this.latency.merge(from.latency);
	}
}

export class Tasks {
	// nodes: NUMA node per CPU, -1 unknown, or null.
	constructor(eng, nodes = null) {
		this.eng = eng;
		this.nodes = nodes;
		this.byTask = []; // null where nothing happened
		this.rows = [];
	}

	row(task) {
		const { byTask } = this;
		while (byTask.length <= task) byTask.push(null);
		let r = byTask[task];
		if (r === null) r = byTask[task] = new TaskRow(task);
		return r;
	}

	run(run) {
		if (run.task === NO_TASK || (run.from === run.to && !run.in)) return;
		const r = this.row(run.task);
		r.run += run.to - run.from;
		if (!run.startSeen || !run.endSeen) r.edge += run.to - run.from;
		else if (run.in) r.slice.add(run.end - run.start, run.start);
	}

	away(away) {
		const ns = away.to - away.from;
		if (!ns) return;
		const r = this.row(away.task);
		if (away.off === OFF.UNKNOWN) {
			r.unknown += ns;
			return;
		}
		r.off[away.off] += ns;
		if (away.off === OFF.DISK && away.io) {
			r.iowait += ns;
			r.iowaits++;
		}
	}

	sw(sw) {
		let r = this.row(sw.prev);
		r.cpu = sw.cpu;
		if (sw.in) {
			r.switches++;
			r.outs[sw.off]++;
		}
		r = this.row(sw.next);
		r.cpu = sw.cpu;
		if (!sw.in) return;
		r.switchIns++;
		if (sw.ready !== NO_TIME) r.latency.add(sw.t - sw.ready, sw.ready);
		if (sw.lastCpu === NO_CPU || sw.lastCpu === sw.cpu) return;
		r.migrations++;
		const from = this.nodes?.[sw.lastCpu] ?? -1;
		const to = this.nodes?.[sw.cpu] ?? -1;
		if (from >= 0 && to >= 0 && from !== to) r.nodeMigrations++;
	}

	wake(wake) {
		if (!wake.in || (wake.kind === KIND.WAKEUP && this.eng.types.has.waking)) return;
		this.row(wake.task).wakeups++;
	}

	sched(ev) {
		if (ev.in && ev.kind === KIND.MIGRATE) this.row(ev.task);
	}

	events(task, cpu, n) {
		this.row(task).events += n;
	}

	finish() {
		for (const r of this.byTask) {
			if (r === null) continue;
			if (!r.switches && !r.switchIns) r.cpu = this.eng.tasks[r.task].cpu;
			this.rows.push(r);
		}
	}
}
