// SPDX-License-Identifier: GPL-2.0-only
//
// Which task is which: a tid between its birth and its death. As analyze/table.c.

export const NO_TASK = -1;
export const NO_CPU = 0x3fffffff;
export const NO_TIME = Infinity;
export const WHERE = { NEVER: 0, ON: 1, OFF: 2, LOST: 3 };

const COMM_MAX = 15;

export class Task {
	constructor(index, tid) {
		this.index = index;
		this.tid = tid;
		this.pid = -1;
		this.ppid = -1;
		this.idleCpu = NO_CPU; // of IDLE: whose
		this.comm = ''; // a character a byte
		this.born = NO_TIME;
		this.exit = NO_TIME;
		this.reused = false;
		this.isVcpu = false;
		this.vcpuId = -1;
		this.events = 0;
		this.first = NO_TIME; // first and last mention
		this.last = NO_TIME;
		// where it is
		this.since = NO_TIME; // ON: switch-in; OFF: switch-out; LOST: from then on unknown
		this.ready = NO_TIME; // first wake-up since the switch-out
		this.moved = NO_TIME; // last switch in or out
		this.ran = 0; // closed slices, from the walk's start
		this.cpu = NO_CPU;
		this.where = WHERE.NEVER;
		this.off = 0;
		this.io = false;
		this.gone = false; // switched out dead
	}
	setComm(comm) {
		this.comm = comm.length > COMM_MAX ? comm.slice(0, COMM_MAX) : comm;
	}
	mention(now) {
		if (this.first === NO_TIME) this.first = now;
		this.last = now;
	}
}

export class TaskTable {
	constructor(cpus) {
		this.all = [];
		this.cpus = cpus;
		this.byTid = new Map(); // the latest task of a tid
		this.births = 0; // tids that got another task
		this.idle = new Array(cpus).fill(null);
	}

	add(tid) {
		const t = new Task(this.all.length, tid);
		this.all.push(t);
		return t;
	}

	idleOf(cpu) {
		if (cpu >= this.cpus) return null;
		let t = this.idle[cpu];
		if (!t) {
			t = this.add(0);
			t.pid = 0;
			t.idleCpu = cpu;
			t.setComm(`swapper/${cpu}`);
			this.idle[cpu] = t;
		}
		return t;
	}

	// The current task of @tid, made when new; null for what is none. tid 0: IDLE of @cpu.
	find(tid, cpu) {
		if (tid <= 0) return tid ? null : this.idleOf(cpu);
		let t = this.byTid.get(tid);
		if (!t) {
			t = this.add(tid);
			this.byTid.set(tid, t);
		}
		return t;
	}

	peek(tid) {
		return this.byTid.get(tid) ?? null;
	}

	// @tid is a new task from @t on; -Infinity: it was already there.
	birth(tid, pid, ppid, t) {
		if (tid <= 0) return null;
		const old = this.peek(tid);
		const early = t === -Infinity;
		let task = old;
		// The record and the tracepoint both tell of one fork: who was not heard of since is the
		// same task.
		if (!old) {
			task = this.find(tid, NO_CPU);
		} else if (!early && old.first !== NO_TIME) {
			task = this.add(tid);
			task.reused = old.reused = true;
			this.byTid.set(tid, task);
			this.births++;
		}
		if (pid >= 0) task.pid = pid;
		if (ppid >= 0) task.ppid = ppid;
		if (!early) task.born = t;
		return task;
	}
}
