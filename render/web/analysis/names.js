// SPDX-License-Identifier: GPL-2.0-only
//
// A walk's tasks, and which of the capture's they are. The capture's come from `cdict report`, with
// labels and filters; without them (describeTasks) a task is called by its comm, as the commands do.

import { utf8 } from '../decode/bytes.js';
import { NO_CPU, NO_TIME } from './table.js';

const time = (t) => (t === NO_TIME ? null : t);

// The tasks of a finished walk, as capture.tasks of doc/page.md has them.
export function describeTasks(eng) {
	const process = (t) => (t.pid >= 0 ? t.pid : t.tid);
	const vms = new Set(eng.tasks.filter((t) => t.isVcpu).map(process));
	return eng.tasks.map((t) => {
		const comm = utf8(t.comm);
		const name = comm || (t.tid ? ':?' : `swapper/${t.idleCpu}`);
		const vm = t.tid && vms.has(process(t)) ? String(process(t)) : null;
		return {
			index: t.index,
			tid: t.tid,
			pid: t.pid,
			idle_cpu: t.tid || t.idleCpu === NO_CPU ? null : t.idleCpu,
			comm,
			name,
			// With what tells it from its likes; names that are labels say enough.
			who: t.tid && name === comm ? `${name}-${vm ?? t.tid}` : name,
			vm,
			vcpu: t.vcpuId >= 0 ? t.vcpuId : null,
			role: null,
			group: null,
			born_ns: time(t.born),
			exit_ns: time(t.exit),
			first_ns: time(t.first),
			last_ns: time(t.last),
			reused: t.reused,
			wanted: true,
		};
	});
}

// Which task of the capture one of a walk is.
export class Mapping {
	// @tasks: of the capture; null: those of the walk itself, once it is done.
	constructor(eng, tasks) {
		this.eng = eng;
		this.tasks = tasks;
		this.byTid = null;
		this.found = [];
	}

	prepare() {
		if (this.byTid) return;
		this.tasks ??= describeTasks(this.eng);
		this.byTid = new Map();
		for (const t of this.tasks) {
			const key = t.tid ? t.tid : -1 - (t.idle_cpu ?? -1);
			if (this.byTid.has(key)) this.byTid.get(key).push(t);
			else this.byTid.set(key, [t]);
		}
		for (const of of this.byTid.values())
			of.sort((a, b) => (a.born_ns ?? -Infinity) - (b.born_ns ?? -Infinity) || a.index - b.index);
	}

	// The capture's task, or null. Of several with one tid the latest that was born by then.
	task(index) {
		this.prepare();
		let t = this.found[index];
		if (t === undefined) {
			const own = this.eng.tasks[index];
			t = this.byTime(own.tid ? own.tid : -1 - own.idleCpu, Math.min(own.first, own.born));
			// Before its first mention it may yet turn out to be another.
			if (own.first !== NO_TIME || own.born !== NO_TIME) this.found[index] = t;
		}
		return t;
	}

	byTime(key, t) {
		const of = this.byTid.get(key);
		if (!of) return null;
		let found = of[0];
		for (const other of of) if ((other.born_ns ?? -Infinity) <= t) found = other;
		return found;
	}

	// The capture's task that a sample of @tid on @cpu at @t is of, or null.
	at(tid, cpu, t) {
		this.prepare();
		return this.byTime(tid ? tid : -1 - cpu, t);
	}

	index(index) {
		return this.task(index)?.index ?? null;
	}

	wanted(index) {
		return this.task(index)?.wanted ?? false;
	}

	who(index) {
		return this.task(index)?.who ?? null;
	}
}
