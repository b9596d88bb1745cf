// SPDX-License-Identifier: GPL-2.0-only
//
// Where every vCPU's time went, and who was in its way; as analyze/vcpu.c. The states of a row add
// up to the window, to the ns.

import { Histogram } from './histogram.js';
import { NO_CPU, NO_TASK, NO_TIME } from './table.js';
import { KIND, OFF } from './types.js';
import { Waiters } from './waiters.js';

export const STATE = {
	GUEST: 0,
	EXIT: 1,
	QEMU: 2,
	PREEMPTED: 3,
	WAITING: 4,
	HALTED: 5,
	BLOCKED: 6,
	UNKNOWN: 7,
};
export const STATE_NAMES = [
	'guest',
	'exit',
	'qemu',
	'preempted',
	'waiting',
	'halted',
	'blocked',
	'unknown',
];

const NEW = 0;
const ON = 1;
const PREEMPTED = 2;
const WAITING = 3;
const HALTED = 4;
const BLOCKED = 5;
const DEAD = 6;
const OFF_STATES = [7, 7, STATE.PREEMPTED, STATE.WAITING, STATE.HALTED, STATE.BLOCKED, 7];

const MODE_UNKNOWN = 0;
const MODE_GUEST = 1;
const MODE_EXIT = 2;
const MODE_QEMU = 3;
const MODE_STATES = [STATE.UNKNOWN, STATE.GUEST, STATE.EXIT, STATE.QEMU];

const ENTRY = 0;
const EXIT = 1;
const USERSPACE = 2;
const OUT = 3;

// Whether @what may follow when the thread is in @mode.
function fits(mode, what) {
	if (mode === MODE_GUEST) return what === EXIT;
	return mode !== MODE_UNKNOWN && what !== EXIT;
}

// Every task is followed, since a thread shows only with its first KVM event that it is a vCPU.
class Watch {
	constructor(task, since) {
		this.task = task;
		this.since = since; // accounted up to here
		this.where = NEW;
		this.mode = MODE_UNKNOWN;
		this.kvmSeen = false;
		this.cpu = NO_CPU; // it runs or waits on
		this.reason = null; // of the last exit: {reason, exit, qemu}
		this.reasons = new Map();
		this.ns = [0, 0, 0, 0, 0, 0, 0, 0];
		this.edge = 0;
		this.lost = 0;
		this.absent = 0;
		this.preemptions = 0;
		this.waits = 0;
		this.halts = 0;
		this.blocks = 0;
		this.preempted = null; // Histogram, when there was one
		this.waiting = null;
		this.worst = { dur: 0, at: 0, cpu: NO_CPU, state: 0, behind: NO_TASK };
		this.antagonists = [];
		this.behind = 0;
	}
	get delayed() {
		return this.ns[STATE.PREEMPTED] + this.ns[STATE.WAITING];
	}
}

// QEMU calls its vCPU threads so from their start: their waits are watched before their first exit.
function isCandidate(task) {
	return task.isVcpu || (task.comm.startsWith('CPU ') && task.comm.includes('/KVM'));
}

export class Vcpus {
	// options.onState(watch, state, reason, from, to, behind): each interval, for bins and lists;
	// @to may lie outside the window.
	constructor(eng, reasons, options = {}) {
		this.eng = eng;
		this.names = reasons;
		this.off = !eng.file.schema.find('kvm:kvm_exit') && !eng.file.schema.find('kvm:kvm_entry');
		this.watches = [];
		this.waiters = new Waiters(eng);
		this.rows = [];
		this.onState = options.onState ?? null;
	}

	watch(task) {
		const { watches } = this;
		while (watches.length <= task) watches.push(null);
		let w = watches[task];
		if (w === null) w = watches[task] = new Watch(task, this.eng.walkFrom);
		return w;
	}

	account(w, state, to) {
		if (to <= w.since) return;
		const ns = this.eng.clipped(w.since, to);
		if (this.onState !== null && ns)
			this.onState(w, state, state === STATE.EXIT || state === STATE.QEMU ? w.reason : null, w.since, to);
		w.since = to;
		w.ns[state] += ns;
		if (state === STATE.UNKNOWN) {
			if (w.kvmSeen) w.lost += ns;
		} else if (w.reason !== null) {
			if (state === STATE.EXIT) w.reason.exit += ns;
			else if (state === STATE.QEMU) w.reason.qemu += ns;
		}
	}

	holeOn(cpu, from, to) {
		const { eng } = this;
		return (
			eng.hole(true, cpu, from, to) !== NO_TIME || eng.hole(false, cpu, from, to) !== NO_TIME
		);
	}

	// The thread itself does @what on @cpu at @t: its time on the CPU up to there.
	onCpuUntil(w, t, cpu, what) {
		if (w.where === ON && w.cpu === cpu && fits(w.mode, what) && !this.holeOn(cpu, w.since, t)) {
			this.account(w, MODE_STATES[w.mode], t);
			return;
		}
		this.account(w, STATE.UNKNOWN, t);
		w.mode = MODE_UNKNOWN;
	}

	// The time off the CPU up to @t; false when it is torn: it may have run meanwhile.
	offCpuUntil(w, t) {
		if (w.where === DEAD) w.absent += this.eng.clipped(w.since, t);
		if (w.where === NEW || w.where === ON || w.where === DEAD) {
			this.account(w, STATE.UNKNOWN, t);
			return false;
		}
		const hole = this.eng.hole(false, NO_CPU, w.since, t);
		if (hole === NO_TIME) {
			this.account(w, OFF_STATES[w.where], t);
			return true;
		}
		this.account(w, OFF_STATES[w.where], hole);
		this.account(w, STATE.UNKNOWN, t);
		return false;
	}

	waitBegins(w, task, cpu) {
		w.cpu = cpu;
		if (isCandidate(this.eng.tasks[task]))
			this.waiters.add(task, cpu, w.since, w.where === WAITING);
	}

	waitEnds(w, sw, start, whole) {
		const done = this.waiters.end(sw.next, whole);
		if (!whole || !sw.in || !isCandidate(this.eng.tasks[sw.next])) return;
		const dur = sw.t - start;
		if (w.where === WAITING) (w.waiting ??= new Histogram()).add(dur, start);
		else (w.preempted ??= new Histogram()).add(dur, start);
		if (dur > w.worst.dur)
			w.worst = {
				dur,
				at: start,
				cpu: sw.cpu,
				state: OFF_STATES[w.where],
				behind: done ? done.top : NO_TASK,
			};
	}

	sw(sw) {
		if (this.off) return;
		let w = this.watch(sw.prev);
		if (w.where === PREEMPTED || w.where === WAITING) this.waiters.end(sw.prev, false);
		this.onCpuUntil(w, sw.t, sw.cpu, OUT);
		const idle = w.mode === MODE_EXIT && w.reason !== null && w.reason.reason.idle;
		w.cpu = sw.cpu;
		if (sw.off === OFF.RUNNABLE || sw.off === OFF.PREEMPTED) {
			w.where = PREEMPTED;
			if (sw.in) w.preemptions++;
			this.waitBegins(w, sw.prev, sw.cpu);
			if (sw.in && isCandidate(this.eng.tasks[sw.prev]))
				this.waiters.antagonist(sw.prev, sw.next).tookOver++;
		} else if (sw.off === OFF.DEAD) {
			w.where = DEAD;
		} else {
			w.where = idle ? HALTED : BLOCKED;
			if (sw.in && idle) w.halts++;
			else if (sw.in) w.blocks++;
		}

		w = this.watch(sw.next);
		const start = w.since;
		const waited = w.where === PREEMPTED || w.where === WAITING;
		const whole = this.offCpuUntil(w, sw.t);
		if (waited) this.waitEnds(w, sw, start, whole);
		if (!whole || w.mode === MODE_GUEST) w.mode = MODE_UNKNOWN;
		w.where = ON;
		w.cpu = sw.cpu;
	}

	wake(wake) {
		if (this.off) return;
		const w = this.watch(wake.task);
		if (wake.first && (w.where === HALTED || w.where === BLOCKED || w.where === NEW)) {
			if (!this.offCpuUntil(w, wake.t)) w.mode = MODE_UNKNOWN;
			w.where = WAITING;
			if (wake.in) w.waits++;
			this.waitBegins(w, wake.task, wake.target !== NO_CPU ? wake.target : w.cpu);
		} else if (w.where === WAITING && wake.target !== NO_CPU && wake.target !== w.cpu) {
			this.waiters.move(wake.task, wake.target, wake.t);
			w.cpu = wake.target;
		}
	}

	sched(ev) {
		if (ev.kind !== KIND.MIGRATE || this.off) return;
		const w = this.watch(ev.task);
		if ((w.where === PREEMPTED || w.where === WAITING) && ev.dest !== w.cpu) {
			this.waiters.move(ev.task, ev.dest, ev.t);
			w.cpu = ev.dest;
		}
	}

	reasonOf(w, k) {
		const reason = this.names.of(k.isa, k.value, k.how);
		let r = w.reasons.get(reason);
		if (!r) w.reasons.set(reason, (r = { reason, exit: 0, qemu: 0 }));
		return r;
	}

	kvm(k) {
		let what = USERSPACE;
		if (k.kind === KIND.KVM_ENTRY) what = ENTRY;
		else if (k.kind === KIND.KVM_EXIT) what = EXIT;
		else if (k.kind !== KIND.KVM_USERSPACE) return;
		const w = this.watch(k.task);
		if (w.where === PREEMPTED || w.where === WAITING) this.waiters.end(k.task, false);
		this.onCpuUntil(w, k.t, k.cpu, what);
		w.where = ON;
		w.cpu = k.cpu;
		if (what === ENTRY) {
			w.mode = MODE_GUEST;
		} else if (what === EXIT) {
			w.mode = MODE_EXIT;
			w.reason = this.reasonOf(w, k);
		} else {
			if (w.mode === MODE_UNKNOWN) w.reason = null;
			w.mode = MODE_QEMU;
		}
		w.kvmSeen = true;
	}

	run(run) {
		if (run.task !== NO_TASK && this.waiters.cpus[run.cpu].length)
			this.waiters.ran(run.cpu, run.task, run.start, run.end);
	}

	// The state the thread is in when the walk ends.
	lastState(w, end) {
		const state = MODE_STATES[w.mode];
		if (w.where !== ON) {
			const whole = this.offCpuUntil(w, end);
			this.waiters.end(w.task, whole);
			return;
		}
		if (state === STATE.UNKNOWN || this.holeOn(w.cpu, w.since, end)) {
			this.account(w, STATE.UNKNOWN, end);
			return;
		}
		const before = w.ns[state];
		this.account(w, state, end);
		w.edge += w.ns[state] - before;
	}

	finish() {
		const { eng } = this;
		for (const w of this.watches) {
			if (w === null || !w.kvmSeen || !eng.tasks[w.task].isVcpu) continue;
			this.lastState(w, eng.walkTo);
			const { born } = eng.tasks[w.task];
			if (born !== NO_TIME && born > eng.walkFrom) w.absent += eng.clipped(eng.walkFrom, born);
			this.rows.push(w);
		}
		this.rows.sort((a, b) => b.delayed - a.delayed || a.task - b.task);
		const big = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
		for (const w of this.rows) {
			w.antagonists = this.waiters.of(w.task);
			for (const a of w.antagonists) w.behind += a.preempted + a.waiting;
			w.reasonRows = [...w.reasons.values()].sort(
				(a, b) =>
					b.exit + b.qemu - (a.exit + a.qemu) ||
					a.reason.isa - b.reason.isa ||
					big(a.reason.code, b.reason.code),
			);
		}
	}
}
