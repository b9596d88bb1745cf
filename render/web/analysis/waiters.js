// SPDX-License-Identifier: GPL-2.0-only
//
// Which vCPUs wait for which CPU, and who runs there meanwhile; as analyze/waiters.c.

import { NO_TASK } from './table.js';

class Waiter {
	constructor(task, since, woken) {
		this.task = task;
		this.woken = woken; // waits after a wake-up, else preempted
		this.booked = since; // who ran is booked up to here
		this.top = NO_TASK; // who ran longest at a stretch
		this.topNs = 0;
		this.cpu = -1;
		this.bookings = new Map(); // who -> {slices, ns}: counts only if no event was missed
	}
}

export class Antagonist {
	constructor(task) {
		this.task = task;
		this.preempted = 0;
		this.waiting = 0;
		this.slices = 0;
		this.tookOver = 0;
	}
}

export class Waiters {
	constructor(eng) {
		this.eng = eng;
		this.cpus = Array.from({ length: eng.nCpus }, () => []);
		this.byTask = new Map(); // task -> its Waiter
		this.antagonists = new Map(); // vCPU -> Map of who -> Antagonist
	}

	antagonist(task, who) {
		let of = this.antagonists.get(task);
		if (!of) this.antagonists.set(task, (of = new Map()));
		let a = of.get(who);
		if (!a) of.set(who, (a = new Antagonist(who)));
		return a;
	}

	book(w, who, from, to) {
		if (from < w.booked) from = w.booked;
		if (to <= from) return;
		w.booked = to;
		if (to - from > w.topNs) {
			w.topNs = to - from;
			w.top = who;
		}
		const ns = this.eng.clipped(from, to);
		if (!ns) return;
		const b = w.bookings.get(who);
		if (b) {
			b.slices++;
			b.ns += ns;
		} else {
			w.bookings.set(who, { slices: 1, ns });
		}
	}

	// @task ran on @cpu in [start, end]: books it to whom waits there.
	ran(cpu, task, start, end) {
		const list = this.cpus[cpu];
		for (let i = 0; i < list.length; i++) this.book(list[i], task, start, end);
	}

	put(w, cpu) {
		if (cpu >= this.cpus.length) return;
		w.cpu = cpu;
		this.cpus[cpu].push(w);
		this.byTask.set(w.task, w);
	}

	// Books what runs on its CPU up to now, and takes it from the CPU's list.
	takeOut(task) {
		const w = this.byTask.get(task);
		if (!w) return null;
		this.byTask.delete(task);
		const list = this.cpus[w.cpu];
		const c = this.eng.cpus[w.cpu];
		// At a switch-in of the task itself the engine has already told the piece: then nothing is
		// left to book.
		if (c.cur !== NO_TASK && c.cur !== task) this.book(w, c.cur, c.since, this.eng.now);
		list[list.indexOf(w)] = list[list.length - 1];
		list.pop();
		return w;
	}

	// Who has been in a waiting task's way longest so far, NO_TASK when nobody.
	topOf(task) {
		const w = this.byTask.get(task);
		if (!w) return NO_TASK;
		const c = this.eng.cpus[w.cpu];
		const now = c.cur === task ? 0 : this.eng.now - Math.max(c.since, w.booked);
		return c.cur !== NO_TASK && now > w.topNs ? c.cur : w.top;
	}

	// CPUs that do not exist are taken as none.
	add(task, cpu, since, woken) {
		this.end(task, false);
		this.put(new Waiter(task, since, woken), cpu);
	}

	// @task waits no longer: what ran until now counts as in its way if @whole, else is forgotten.
	// Gives the Waiter, or null when it did not wait.
	end(task, whole) {
		const w = this.takeOut(task);
		if (!w || !whole) return w;
		for (const [who, b] of w.bookings) {
			const a = this.antagonist(task, who);
			a.slices += b.slices;
			if (w.woken) a.waiting += b.ns;
			else a.preempted += b.ns;
		}
		return w;
	}

	move(task, cpu, t) {
		const w = this.takeOut(task);
		if (!w) return;
		w.booked = t;
		this.put(w, cpu);
	}

	// Those of a vCPU, most time first.
	of(task) {
		return [...(this.antagonists.get(task)?.values() ?? [])].sort(
			(a, b) => b.preempted + b.waiting - (a.preempted + a.waiting) || a.task - b.task,
		);
	}
}
