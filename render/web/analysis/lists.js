// SPDX-License-Identifier: GPL-2.0-only
//
// What a range holds, one by one: slices of CPUs, states of vCPUs, wake-ups and exits, intervals of
// a heat map's block. doc/page.md, "The decoder".

import { SLICE_NAMES, Slices } from './slices.js';
import { reasonsOf } from './exits.js';
import { NO_CPU, NO_TASK, NO_TIME } from './table.js';
import { KIND } from './types.js';
import { STATE, Vcpus } from './vcpu.js';

const NONE = 0xffffffff;

// Thrown to end a walk that has told enough.
class Enough extends Error {}

async function walkUnlessEnough(eng, onBlock) {
	try {
		await eng.walk(onBlock);
		return true;
	} catch (e) {
		if (!(e instanceof Enough)) throw e;
		return false;
	}
}

// Texts by number.
class Texts {
	constructor() {
		this.all = [];
		this.numbers = new Map();
	}
	number(text) {
		let n = this.numbers.get(text);
		if (n === undefined) {
			n = this.all.push(text) - 1;
			this.numbers.set(text, n);
		}
		return n;
	}
}

// Numbers of the wanted tasks, or null: all.
const wantedSet = (tasks) => (tasks === null || tasks === undefined ? null : new Set(tasks));

// ---- who ran where ----------------------------------------------------------------------------

export async function pieces(capture, range, { max = 200000, onBlock = null } = {}) {
	const eng = capture.engine(range);
	const map = capture.mapping(eng);
	const cpus = Array.from({ length: eng.nCpus }, () => []);
	let n = 0;
	eng.add(
		new Slices(eng, ['piece'], (kind, task, cpu, start, end) => {
			if (n++ >= max) throw new Enough();
			cpus[cpu].push(task, start, end);
		}),
	);
	if (!(await walkUnlessEnough(eng, onBlock))) return { complete: false };
	const out = {
		complete: true,
		cpu: new Uint32Array(n),
		task: new Uint32Array(n),
		from: new Float64Array(n),
		to: new Float64Array(n),
	};
	let i = 0;
	cpus.forEach((list, cpu) => {
		for (let k = 0; k < list.length; k += 3, i++) {
			out.cpu[i] = cpu;
			out.task[i] = list[k] === NO_TASK ? NONE : (map.index(list[k]) ?? NONE);
			out.from[i] = list[k + 1];
			out.to[i] = list[k + 2];
		}
	});
	return out;
}

// ---- states of vCPUs --------------------------------------------------------------------------

export async function states(capture, range, { tasks = null, max = 200000, onBlock = null } = {}) {
	const eng = capture.engine(range);
	const map = capture.mapping(eng);
	const wanted = wantedSet(tasks);
	const reasons = new Texts();
	const found = [];
	const isWanted = (w) => {
		const t = map.task(w.task);
		return t !== null && t.vcpu !== null && (wanted ? wanted.has(t.index) : t.wanted);
	};
	const vcpus = new Vcpus(eng, reasonsOf(eng), {
		onState(w, state, reason, from, to) {
			if (!isWanted(w)) return;
			if (found.length >= max) throw new Enough();
			const waits = state === STATE.PREEMPTED || state === STATE.WAITING;
			found.push({
				task: w.task,
				state,
				reason: reason ? reasons.number(reason.reason.name) : NONE,
				behind: waits ? vcpus.waiters.topOf(w.task) : NO_TASK,
				from: Math.max(from, eng.from),
				to: Math.min(to, eng.to),
			});
		},
	});
	eng.add(vcpus);
	if (!(await walkUnlessEnough(eng, onBlock))) return { complete: false };
	const column = (of) => Uint32Array.from(found, of);
	return {
		complete: true,
		task: column((s) => map.index(s.task) ?? NONE),
		state: Uint8Array.from(found, (s) => s.state),
		reason: column((s) => s.reason),
		reasons: reasons.all,
		behind: column((s) => (s.behind === NO_TASK ? NONE : (map.index(s.behind) ?? NONE))),
		from: Float64Array.from(found, (s) => s.from),
		to: Float64Array.from(found, (s) => s.to),
	};
}

// ---- wake-ups, exits, entries, migrations -----------------------------------------------------

const MARK = { WAKEUP: 0, EXIT: 1, ENTRY: 2, MIGRATION: 3 };

class Marks {
	constructor(eng, map, wanted, max, reasons) {
		this.eng = eng;
		this.map = map;
		this.wanted = wanted;
		this.max = max;
		this.reasons = reasons;
		this.texts = new Texts();
		this.all = [];
		this.woken = []; // by task: its latest wake-up's mark, until it runs
		this.kvmOpen = []; // by task: its latest exit or entry
	}
	put(what, cpu, task, at, text = null) {
		const index = this.map.index(task);
		if (index === null || (this.wanted && !this.wanted.has(index))) return null;
		if (this.all.length >= this.max) throw new Enough();
		const mark = { what, cpu, index, at, dur: NaN, text: text === null ? NONE : this.texts.number(text) };
		this.all.push(mark);
		return mark;
	}
	wake(wake) {
		if (!wake.first) return;
		this.woken[wake.task] = wake.in
			? this.put(MARK.WAKEUP, wake.target === NO_CPU ? wake.cpu : wake.target, wake.task, wake.t)
			: null;
	}
	sw(sw) {
		const mark = this.woken[sw.next];
		if (mark && sw.ready === mark.at) mark.dur = sw.t - sw.ready;
		this.woken[sw.next] = null;
	}
	sched(ev) {
		if (ev.in && ev.kind === KIND.MIGRATE) this.put(MARK.MIGRATION, ev.dest, ev.task, ev.t);
	}
	kvm(k) {
		const entry = k.kind === KIND.KVM_ENTRY;
		if (!entry && k.kind !== KIND.KVM_EXIT) return;
		const open = this.kvmOpen[k.task];
		const opposite = entry ? MARK.EXIT : MARK.ENTRY;
		if (open && open.what === opposite && this.eng.hole(true, NO_CPU, open.at, k.t) === NO_TIME)
			open.dur = k.t - open.at;
		const name = entry ? null : this.reasons.of(k.isa, k.value, k.how).name;
		this.kvmOpen[k.task] = k.in
			? this.put(entry ? MARK.ENTRY : MARK.EXIT, k.cpu, k.task, k.t, name)
			: null;
	}
}

export async function marks(capture, range, { tasks = null, max = 200000, onBlock = null } = {}) {
	const eng = capture.engine(range);
	const found = new Marks(eng, capture.mapping(eng), wantedSet(tasks), max, reasonsOf(eng));
	eng.add(found);
	if (!(await walkUnlessEnough(eng, onBlock))) return { complete: false };
	const { all } = found;
	return {
		complete: true,
		what: Uint8Array.from(all, (m) => m.what),
		cpu: Uint32Array.from(all, (m) => m.cpu),
		task: Uint32Array.from(all, (m) => m.index),
		at: Float64Array.from(all, (m) => m.at),
		dur: Float64Array.from(all, (m) => m.dur),
		text: Uint32Array.from(all, (m) => m.text),
		texts: found.texts.all,
	};
}

// ---- intervals of a heat map ------------------------------------------------------------------

// Tells the intervals of a kind that heat maps count: tell(task, cpu, from, to).
function tellIntervals(capture, eng, map, kind, tasks, tell) {
	const wanted = wantedSet(tasks);
	const chosen = [];
	const isChosen = (task) => {
		if (wanted) return wanted.has(map.index(task));
		return capture.filtered ? map.wanted(task) : eng.tasks[task].tid !== 0;
	};
	if (!SLICE_NAMES.includes(kind)) throw new Error(`there is no heat map of "${kind}"`);
	eng.add(
		new Slices(eng, [kind], (_, task, cpu, from, to) => {
			chosen[task] ??= isChosen(task);
			if (chosen[task]) tell(task, cpu, from, to);
		}),
	);
}

// The intervals that end in @range and are [lo_ns, hi_ns) long, the longest first.
export async function select(
	capture,
	{ kind, range, lo_ns = 0, hi_ns = Infinity, tasks = null },
	{ limit = 200, onBlock = null } = {},
) {
	const eng = capture.engine(range);
	const map = capture.mapping(eng);
	let rows = [];
	let total = 0;
	const longest = () => {
		rows.sort((a, b) => b.to - b.from - (a.to - a.from) || a.to - b.to);
		rows.length = Math.min(rows.length, limit);
	};
	tellIntervals(capture, eng, map, kind, tasks, (task, cpu, from, to) => {
		if (from === NO_TIME || to - from < lo_ns || to - from >= hi_ns) return;
		total++;
		rows.push({ task, cpu, from, to });
		if (rows.length > 4 * limit + 1000) longest();
	});
	await eng.walk(onBlock);
	longest();
	rows = rows.map((r) => ({ ...r, task: map.index(r.task), cpu: r.cpu === NO_CPU ? null : r.cpu }));
	return { total, rows };
}

const SECOND = 1e9;
const SECONDS_MAX = 100000;

// Ends of intervals by their offset within the second: a row a second since the capture's first
// event, from that of range[0] on.
export async function subsecond(capture, range, { kind, tasks = null, columns = 128, onBlock = null }) {
	const eng = capture.engine(range);
	const first = Math.floor(eng.from / SECOND);
	const seconds = Math.min(SECONDS_MAX, Math.floor(eng.to / SECOND) - first + 1);
	const count = new Uint32Array(seconds * columns);
	tellIntervals(capture, eng, capture.mapping(eng), kind, tasks, (task, cpu, from, to) => {
		const row = Math.floor(to / SECOND) - first;
		const column = Math.floor(((to % SECOND) * columns) / SECOND);
		if (row >= 0 && row < seconds) count[row * columns + column]++;
	});
	await eng.walk(onBlock);
	return { seconds, columns, count };
}
