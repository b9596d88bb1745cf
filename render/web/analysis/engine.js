// SPDX-License-Identifier: GPL-2.0-only
//
// One walk over a range of a capture that feeds every analysis; as analyze/engine.c, and with the
// same figures (doc/figures.md). Times are ns since the capture's first event.
//
// An analysis is an object with any of the methods run, away, sw, wake, sched, kvm (each given one
// object that is used again), events(task, cpu, n), start() and finish(). What is told is borrowed.

import { low32 } from '../decode/bytes.js';
import { LOSS, TASK } from '../decode/container.js';
import { Walk } from '../decode/order.js';
import { Holes } from './holes.js';
import { NO_CPU, TaskTable } from './table.js';
import { CpuState, trackExec, trackFinish, trackHoles, trackSample, trackSwitch, trackWake } from './track.js';
import { KIND } from './types.js';

const bits = (...kinds) => kinds.reduce((all, k) => all | (1 << k), 0);
// Events whose loss makes the scheduler's, and KVM's, pairs unsure.
const SCHED_KINDS = bits(KIND.SWITCH, KIND.WAKING, KIND.WAKEUP, KIND.WAKEUP_NEW);
const KVM_KINDS = bits(
	KIND.KVM_ENTRY,
	KIND.KVM_EXIT,
	KIND.KVM_USERSPACE,
	KIND.KVM_PIO,
	KIND.KVM_MMIO,
	KIND.KVM_MSR,
);

const CPUS_MAX = 65536;
const MODE_GUEST_KERNEL = 4;
const MODE_GUEST_USER = 5;

// With a range: how far around it the walk looks for who was running and who was asleep.
export const LEAD = 100000000;

export class Engine {
	// options: {from, to, lead, cpus: Set, cache, noGuestMode}
	constructor(file, types, options = {}) {
		const last = Number(file.relative(file.last));
		const lead = options.lead ?? LEAD;
		this.file = file;
		this.types = types;
		this.options = options;
		this.last = last;
		this.from = Math.min(Math.max(options.from ?? 0, 0), last);
		this.to = Math.min(options.to ?? last, last);
		if (this.from > this.to) this.from = this.to;
		this.window = this.to - this.from;
		this.closed = this.to === last;
		this.walkFrom = this.from > lead ? this.from - lead : 0;
		this.walkTo = last - this.to > lead ? this.to + lead : last;
		this.now = this.walkFrom;
		this.nCpus = Math.min(file.cpus, CPUS_MAX);
		this.schedHoles = new Holes(file, types.infos, SCHED_KINDS, this.nCpus);
		this.kvmHoles = new Holes(file, types.infos, KVM_KINDS, this.nCpus);
		this.reach = -Infinity; // how far the scheduler holes begun so far reach
		this.begun = 0;
		this.table = new TaskTable(this.nCpus);
		this.tasks = this.table.all;
		this.cpus = [];
		for (let c = 0; c < this.nCpus; c++) {
			this.table.idleOf(c);
			this.cpus.push(new CpuState(this.walkFrom, !options.cpus || options.cpus.has(c)));
		}
		this.analyses = [];
		this.records = types.records;
		this.nextRecord = 0;
		// the summary
		this.events = 0;
		this.guestMode = 0;
		this.mismatches = 0;
		this.unknown = 0; // over all CPUs: time of which nobody knows who ran
		// What the analyses are given, made once.
		this.run = {
			cpu: 0,
			task: 0,
			start: 0.5,
			end: 0.5,
			from: 0.5,
			to: 0.5,
			startSeen: false,
			endSeen: false,
			in: false,
		};
		this.away = {
			task: 0,
			cpu: 0,
			off: 0,
			ended: false,
			io: false,
			start: 0.5,
			end: 0.5,
			from: 0.5,
			to: 0.5,
		};
		this.sw = {
			t: 0.5,
			cpu: 0,
			in: false,
			prev: 0,
			next: 0,
			off: 0,
			sliceStart: 0.5,
			awaySince: 0.5,
			away: 0,
			ready: 0.5,
			lastCpu: 0,
			torn: false,
		};
		this.wake = { t: 0.5, cpu: 0, in: false, first: false, kind: 0, task: 0, target: 0 };
		this.sched = { t: 0.5, cpu: 0, in: false, kind: 0, task: 0, orig: 0, dest: 0 };
		this.kvm = { t: 0.5, cpu: 0, in: false, kind: 0, task: 0, isa: 0, value: 0, how: 0 };
	}

	add(analysis) {
		this.analyses.push(analysis);
		return analysis;
	}

	inside(t) {
		return t >= this.from && (t < this.to || (t === this.to && this.closed));
	}

	// @piece.from, .to: [start, end] inside the window; equal when nothing is left.
	clip(piece, start, end) {
		const lo = start > this.from ? start : this.from;
		const hi = end < this.to ? end : this.to;
		piece.from = lo;
		piece.to = hi > lo ? hi : lo;
	}

	clipped(start, end) {
		const lo = start > this.from ? start : this.from;
		const hi = end < this.to ? end : this.to;
		return hi > lo ? hi - lo : 0;
	}

	// The first time in [from, to] from which on events may be missing on @cpu (NO_CPU: on any).
	hole(kvm, cpu, from, to) {
		return (kvm ? this.kvmHoles : this.schedHoles).find(cpu, from, to);
	}

	// How long a task was on a CPU from the walk's start to now.
	ranFor(task) {
		const t = this.tasks[task];
		return t.ran + (t.where === 1 ? this.now - t.since : 0);
	}

	// Time in the window on @cpu (NO_CPU: of any, once) inside a hole.
	lossOf(cpu) {
		return this.schedHoles.ns(cpu, this.from, this.to);
	}

	applyRecords(t) {
		const { records, table } = this;
		for (; this.nextRecord < records.length; this.nextRecord++) {
			const r = records[this.nextRecord];
			if (r.at > t) return;
			if (r.what === TASK.FORK) {
				table.birth(r.tid, r.pid, r.ppid, r.early ? -Infinity : r.at);
			} else if (r.what === TASK.EXIT) {
				const task = r.tid > 0 ? table.peek(r.tid) : null;
				if (task) task.exit = r.at;
			} else if (r.tid > 0) {
				const task = table.find(r.tid, NO_CPU);
				if (r.pid >= 0) task.pid = r.pid;
				task.setComm(r.comm);
			}
		}
	}

	tellSched(kind, cpu, row, c5) {
		const t = this.table.find(c5[0][row] | 0, cpu);
		if (!t) return;
		const { sched } = this;
		sched.t = this.now;
		sched.cpu = cpu;
		sched.in = this.inside(this.now);
		sched.kind = kind;
		sched.task = t.index;
		if (kind === KIND.MIGRATE) {
			sched.orig = low32(c5[1][row]);
			sched.dest = low32(c5[2][row]);
		} else if (kind === KIND.IOWAIT) {
			t.io = true;
		}
		for (let i = 0; i < this.onSched.length; i++) this.onSched[i].sched(sched);
	}

	tellKvm(kind, cpu, tid, row, c5) {
		if (tid <= 0) return;
		const { kvm } = this;
		let t;
		if (cpu < this.nCpus && this.cpus[cpu].lastTid === tid) {
			t = this.tasks[this.cpus[cpu].last]; // by trackSample(), of this event
		} else {
			t = this.table.find(tid, cpu);
			if (!t) return;
		}
		kvm.t = this.now;
		kvm.cpu = cpu;
		kvm.in = this.inside(this.now);
		kvm.kind = kind;
		kvm.task = t.index;
		kvm.value = c5[1] === null ? 0 : c5[1][row];
		kvm.how = c5[2] === null ? 0 : c5[2][row];
		kvm.isa = kind === KIND.KVM_EXIT && c5[3] !== null ? Number(c5[3][row]) : 0;
		if (kind === KIND.KVM_ENTRY || kind === KIND.KVM_EXIT) t.isVcpu = true;
		if (c5[0] !== null) t.vcpuId = Number(c5[0][row]) | 0;
		for (let i = 0; i < this.onKvm.length; i++) this.onKvm[i].kvm(kvm);
	}

	dispatch(kind, cpu, tid, batch, row, c5) {
		switch (kind) {
			case KIND.SWITCH:
				if (cpu < this.nCpus) trackSwitch(this, cpu, batch, row, c5);
				break;
			case KIND.WAKING:
			case KIND.WAKEUP:
			case KIND.WAKEUP_NEW:
				trackWake(this, kind, cpu, batch, row, c5);
				break;
			case KIND.MIGRATE:
			case KIND.IOWAIT:
				this.tellSched(kind, cpu, row, c5);
				break;
			case KIND.FORK:
				this.table.birth(low32(c5[0][row]) | 0, -1, -1, this.now);
				break;
			case KIND.EXEC:
				trackExec(this, cpu, c5[0][row] | 0, c5[1][row] | 0);
				break;
			case KIND.OTHER:
			case KIND.RUNTIME:
			case KIND.EXIT:
				break;
			default:
				this.tellKvm(kind, cpu, tid, row, c5);
		}
	}

	// One event; false ends the walk.
	take(batch, i, known, row) {
		const t = batch.t[i];
		const mode = batch.mode[i];
		const guest = mode === MODE_GUEST_KERNEL || mode === MODE_GUEST_USER;
		if (guest && this.options.noGuestMode) return;
		if (t > this.now) this.now = t;
		const now = this.now;
		if (this.begun < this.schedHoles.all.length) trackHoles(this, now);
		if (this.nextRecord < this.records.length) this.applyRecords(now);
		const inside = this.inside(now);
		if (inside) {
			this.events++;
			if (guest) this.guestMode++;
		}
		const cpu = batch.cpu < 0 ? NO_CPU : batch.cpu;
		trackSample(this, known.kind, cpu, batch.tid[i], batch.pid[i], inside);
		if (known.kind !== KIND.OTHER)
			this.dispatch(known.kind, cpu, batch.tid[i], batch, row, known.c);
	}

	// Walks once; the analyses' results are then ready. onBlock(share) may return a promise, and
	// throw to end it.
	async walk(onBlock = null) {
		if (typeof this.file.relative(this.file.last) !== 'number')
			throw new Error('the capture is longer than times can tell: 104 days');
		const having = (method) => this.analyses.filter((a) => a[method]);
		this.onRun = having('run');
		this.onAway = having('away');
		this.onSw = having('sw');
		this.onWake = having('wake');
		this.onSched = having('sched');
		this.onKvm = having('kvm');
		this.onEvents = having('events');
		for (const a of having('start')) a.start();
		const walk = new Walk(this.file, {
			from: this.walkFrom,
			to: this.walkTo,
			want: this.types.want,
			cache: this.options.cache,
		});
		let batch = null;
		let known = null;
		await walk.run((b, i, k, row) => {
			if (b !== batch) {
				batch = b;
				known = this.types.columns(b);
			}
			this.take(b, i, known[k], row);
		}, onBlock);
		this.applyRecords(this.walkTo);
		trackFinish(this, this.walkTo);
		for (const c of this.cpus) if (c.counts) this.unknown += c.unknown;
		for (const a of having('finish')) a.finish();
	}

	// Events that are missing by the loss records that touch the window.
	lostEvents() {
		let lost = 0;
		for (const l of this.file.losses) {
			const [from, to] = [Number(this.file.relative(l.from)), Number(this.file.relative(l.to))];
			if (l.what !== LOSS.DISORDER && from <= this.to && to >= this.from) lost += Number(l.count);
		}
		return lost;
	}
}
