// SPDX-License-Identifier: GPL-2.0-only
//
// What the guests exited for and how long it took; as analyze/exits.c.

import { Histogram } from './histogram.js';
import { Reasons } from './reasons.js';
import { NO_CPU, NO_TIME } from './table.js';
import { KIND } from './types.js';

export class ExitRow {
	constructor(task, reason) {
		this.task = task;
		this.reason = reason;
		this.events = 0;
		this.broken = 0; // without a usable kvm_entry (edge, loss)
		this.time = new Histogram();
		this.cpuNs = 0; // of time.sum: the thread was on a CPU
	}
	merge(from) {
		this.events += from.events;
		this.broken += from.broken;
		this.cpuNs += from.cpuNs;
		this.time.merge(from.time);
	}
}

// Time in the guest of one thread: kvm_entry to the next kvm_exit.
export class GuestRow {
	constructor(task) {
		this.task = task;
		this.entries = 0;
		this.broken = 0;
		this.time = new Histogram();
		this.guest = 0; // clipped to the window
	}
}

// What one thread has begun.
class Thread {
	constructor() {
		this.exitAt = NO_TIME;
		this.exitCpu = 0;
		this.exitRow = null;
		this.entryAt = NO_TIME;
		this.entryCpu = 0;
		this.guest = null;
		this.ran = 0; // eng.ranFor() at the exit
		this.rows = new Map(); // by reason
	}
}

// The reasons of a capture: those that Exits and Vcpus count by.
export function reasonsOf(eng) {
	const type = eng.file.schema.find('kvm:kvm_exit');
	return new Reasons(type ? type.format : '');
}

export class Exits {
	// options.onExit(row, from, to, inside): each exit with its end, for bins.
	constructor(eng, reasons, options = {}) {
		this.eng = eng;
		this.reasons = reasons;
		this.threads = [];
		this.rows = []; // of a thread and reason; sorted by finish()
		this.guests = [];
		this.onBegin = options.onBegin ?? null;
		this.onEnd = options.onEnd ?? null;
	}

	thread(task) {
		const { threads } = this;
		while (threads.length <= task) threads.push(null);
		return (threads[task] ??= new Thread());
	}

	// Whether events of the thread can be missing between @at and now.
	torn(at, cpu, k) {
		if (!this.eng.kvmHoles.all.length) return false;
		const { moved } = this.eng.tasks[k.task];
		const stayed = cpu === k.cpu && (moved === NO_TIME || moved <= at);
		return this.eng.hole(true, stayed ? k.cpu : NO_CPU, at, k.t) !== NO_TIME;
	}

	exit(th, k) {
		const reason = this.reasons.of(k.isa, k.value, k.how);
		let row = th.rows.get(reason);
		if (!row) {
			row = new ExitRow(k.task, reason);
			th.rows.set(reason, row);
			this.rows.push(row);
		}
		if (k.in) row.events++;
		if (this.onBegin !== null && k.in) this.onBegin(row, k.t);
		if (th.exitAt !== NO_TIME) th.exitRow.broken++;
		th.exitAt = k.t;
		th.exitCpu = k.cpu;
		th.exitRow = row;
		th.ran = this.eng.ranFor(k.task);
		if (th.entryAt === NO_TIME) return;
		if (this.torn(th.entryAt, th.entryCpu, k)) {
			th.guest.broken++;
		} else {
			if (k.in) th.guest.time.add(k.t - th.entryAt, th.entryAt);
			th.guest.guest += this.eng.clipped(th.entryAt, k.t);
		}
		th.entryAt = NO_TIME;
	}

	entry(th, k) {
		if (th.guest === null) {
			th.guest = new GuestRow(k.task);
			this.guests.push(th.guest);
		}
		if (k.in) th.guest.entries++;
		if (th.entryAt !== NO_TIME) th.guest.broken++;
		th.entryAt = k.t;
		th.entryCpu = k.cpu;
		if (th.exitAt === NO_TIME) return;
		const row = th.exitRow;
		if (this.torn(th.exitAt, th.exitCpu, k)) {
			row.broken++;
		} else if (k.in) {
			row.time.add(k.t - th.exitAt, th.exitAt);
			row.cpuNs += this.eng.ranFor(k.task) - th.ran;
			if (this.onEnd !== null) this.onEnd(row, th.exitAt, k.t);
		}
		th.exitAt = NO_TIME;
	}

	kvm(k) {
		if (k.kind === KIND.KVM_ENTRY) this.entry(this.thread(k.task), k);
		else if (k.kind === KIND.KVM_EXIT) this.exit(this.thread(k.task), k);
	}

	finish() {
		for (const th of this.threads) {
			if (th === null) continue;
			if (th.exitAt !== NO_TIME) th.exitRow.broken++;
			if (th.entryAt !== NO_TIME) th.guest.broken++;
		}
		const big = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
		this.rows.sort(
			(a, b) =>
				a.task - b.task ||
				a.reason.isa - b.reason.isa ||
				big(a.reason.code, b.reason.code),
		);
		this.guests.sort((a, b) => a.task - b.task);
	}
}
