// SPDX-License-Identifier: GPL-2.0-only
//
// Context switches and busy time per CPU and time bucket; as analyze/switches.c.

import { NO_TASK } from './table.js';
import { KIND, OFF } from './types.js';

const CELLS_MAX = 2 ** 22;
const BUCKETS_MAX = 2 ** 20;
const MOST = 20;

// The smallest of 1, 2, 5, 10, 20, 50, ... ns that makes at most 20 buckets, as cdict switches.
export function niceBucket(window) {
	const least = Math.ceil(window / MOST);
	for (let tens = 1; ; tens *= 10)
		for (const step of [1, 2, 5]) if (step * tens >= least) return step * tens;
}

export class Switches {
	// bucket: ns, 0: a round length that makes at most 20.
	constructor(eng, bucket = 0) {
		const most = Math.min(Math.floor(CELLS_MAX / (eng.nCpus || 1)) || 1, BUCKETS_MAX);
		this.eng = eng;
		this.bucket = bucket || niceBucket(eng.window);
		if (Math.floor(eng.window / this.bucket) >= most)
			this.bucket = Math.floor(eng.window / most) + 1;
		this.buckets = Math.floor(eng.window / this.bucket) + 1;
		const n = this.buckets * eng.nCpus;
		this.switches = new Float64Array(n);
		this.involuntary = new Float64Array(n);
		this.wakeups = new Float64Array(n);
		this.busy = new Float64Array(n);
		this.idle = new Float64Array(n);
		this.unknown = new Float64Array(n);
	}

	at(cpu, t) {
		return cpu * this.buckets + Math.floor((t - this.eng.from) / this.bucket);
	}

	run(run) {
		let { from } = run;
		let of = this.idle;
		if (run.task === NO_TASK) of = this.unknown;
		else if (this.eng.tasks[run.task].tid) of = this.busy;
		while (from < run.to) {
			const left = this.bucket - ((from - this.eng.from) % this.bucket);
			const ns = Math.min(run.to - from, left);
			of[this.at(run.cpu, from)] += ns;
			from += ns;
		}
	}

	sw(sw) {
		if (!sw.in) return;
		const i = this.at(sw.cpu, sw.t);
		this.switches[i]++;
		if (sw.off === OFF.RUNNABLE || sw.off === OFF.PREEMPTED) this.involuntary[i]++;
	}

	wake(wake) {
		if (
			wake.in &&
			wake.cpu < this.eng.nCpus &&
			(wake.kind !== KIND.WAKEUP || !this.eng.types.has.waking)
		)
			this.wakeups[this.at(wake.cpu, wake.t)]++;
	}
}
