// SPDX-License-Identifier: GPL-2.0-only
//
// Intervals as they end, one by one: for heat maps and lists. As analyze/slices.c.

import { NO_CPU, NO_TIME } from './table.js';
import { KIND } from './types.js';

export const SLICE = { RUN: 0, SLEEP: 1, WAKEUP: 2, GUEST: 3, EXIT: 4, PIECE: 5 };
export const SLICE_NAMES = ['run', 'sleep', 'wakeup', 'guest', 'exit'];

export class Slices {
	// @kinds: names of those wanted ("piece" too); tell(kind, task, cpu, start, end): start NO_TIME
	// when it was not seen, or is broken by loss.
	constructor(eng, kinds, tell) {
		this.eng = eng;
		this.tell = tell;
		this.wanted = [...SLICE_NAMES, 'piece'].map((name) => kinds.includes(name));
		this.threads = [];
		const [run, sleep, wakeup, guest, exit, piece] = this.wanted;
		// Without them the engine need not call.
		if (!run && !sleep && !wakeup) this.sw = undefined;
		if (!piece) this.run = undefined;
		if (!guest && !exit) this.kvm = undefined;
	}

	sw(sw) {
		if (!sw.in) return;
		const { wanted } = this;
		if (wanted[SLICE.RUN]) this.tell(SLICE.RUN, sw.prev, sw.cpu, sw.sliceStart, sw.t);
		if (wanted[SLICE.SLEEP]) this.tell(SLICE.SLEEP, sw.next, sw.cpu, sw.awaySince, sw.t);
		// without a wake-up there is nothing to tell: it was preempted, or never asleep
		if (wanted[SLICE.WAKEUP] && sw.ready !== NO_TIME)
			this.tell(SLICE.WAKEUP, sw.next, sw.cpu, sw.ready, sw.t);
	}

	run(run) {
		if (run.from < run.to) this.tell(SLICE.PIECE, run.task, run.cpu, run.from, run.to);
	}

	// Whether events of the thread can be missing between its last one and now.
	torn(th, k) {
		if (!this.eng.kvmHoles.all.length) return false;
		const { moved } = this.eng.tasks[k.task];
		const stayed = th.cpu === k.cpu && (moved === NO_TIME || moved <= th.t);
		return this.eng.hole(true, stayed ? k.cpu : NO_CPU, th.t, k.t) !== NO_TIME;
	}

	kvm(k) {
		const entry = k.kind === KIND.KVM_ENTRY;
		if (!entry && k.kind !== KIND.KVM_EXIT) return;
		const { threads, eng } = this;
		while (threads.length <= k.task) threads.push(null);
		const th = (threads[k.task] ??= { any: false, entry: false, cpu: 0, t: 0 });
		let start = NO_TIME;
		if (th.any && th.entry !== entry && !this.torn(th, k)) start = th.t;
		const kind = entry ? SLICE.EXIT : SLICE.GUEST;
		const counts = !eng.options.cpus || eng.options.cpus.has(k.cpu);
		if (k.in && counts && this.wanted[kind]) this.tell(kind, k.task, k.cpu, start, k.t);
		th.any = true;
		th.entry = entry;
		th.cpu = k.cpu;
		th.t = k.t;
	}
}

