// SPDX-License-Identifier: GPL-2.0-only
//
// Who runs where, who is off since when; as analyze/track.c. What is known comes from switches: the
// next of one is the prev of the CPU's following one. Whatever contradicts is unknown.

import { binary, low32 } from '../decode/bytes.js';
import { NO_CPU, NO_TASK, NO_TIME, WHERE } from './table.js';
import { KIND, OFF } from './types.js';

// A CPU whose runner was contradicted: unknown up to its next switch.
const BLIND_TO_SWITCH = Infinity;

export class CpuState {
	constructor(from, counts) {
		this.cur = NO_TASK; // index of who runs, NO_TASK: not known
		this.since = from; // this piece began
		this.blind = 0; // cur unknown: not known until then; afterwards prev will tell
		this.seen = false; // a switch started the piece
		this.unknown = 0; // in the window
		this.any = false; // somebody was known to run here
		// The latest sample's task, to spare the look-up and to count its events together.
		this.last = NO_TASK;
		this.lastTid = -1;
		this.lastPid = 0;
		this.births = 0;
		this.lastT = 0;
		this.samples = 0;
		this.counts = counts;
	}
}

function cpuCounts(eng, cpu) {
	return cpu >= eng.nCpus || eng.cpus[cpu].counts;
}

function tellRun(eng, cpu, task, start, end, startSeen, endSeen) {
	const c = eng.cpus[cpu];
	const { run } = eng;
	run.cpu = cpu;
	run.task = task;
	run.start = start;
	run.end = end;
	run.startSeen = startSeen;
	run.endSeen = endSeen;
	eng.clip(run, start, end);
	if (task === NO_TASK) {
		if (start === end) return;
		c.unknown += run.to - run.from;
	} else {
		eng.tasks[task].ran += end - start;
		c.any = true;
	}
	if (!c.counts) return;
	run.in = endSeen && eng.inside(end);
	for (let i = 0; i < eng.onRun.length; i++) eng.onRun[i].run(run);
}

function tellAway(eng, t, off, start, end, ended) {
	if (start >= end && !ended) return;
	if (!cpuCounts(eng, t.cpu)) return;
	const { away } = eng;
	away.task = t.index;
	away.cpu = t.cpu;
	away.off = off;
	away.ended = ended;
	away.io = t.io;
	away.start = start;
	away.end = end;
	eng.clip(away, start, end);
	for (let i = 0; i < eng.onAway.length; i++) eng.onAway[i].away(away);
}

// Where the first hole in (from, to) begins; cheap while no hole began.
function holeSince(eng, from, to) {
	if (eng.reach <= from) return NO_TIME;
	return eng.schedHoles.find(NO_CPU, from, to);
}

function lose(t, since) {
	t.where = WHERE.LOST;
	t.since = since;
	t.ready = NO_TIME;
}

// Who is known to run on @cpu from samples alone did not run on to now: it did up to its last
// sample.
function endAtLastSample(eng, cpu) {
	const c = eng.cpus[cpu];
	const at = Math.max(c.lastT, c.since);
	tellRun(eng, cpu, c.cur, c.since, at, false, false);
	lose(eng.tasks[c.cur], at);
	c.since = at;
	c.cur = NO_TASK;
	eng.mismatches++;
}

// The task turns up although its CPU thought it still ran there.
function leaveCpu(eng, t) {
	const c = t.cpu < eng.nCpus ? eng.cpus[t.cpu] : null;
	if (!c || c.cur !== t.index) {
		lose(t, t.since);
	} else if (!c.seen && c.last === c.cur) {
		endAtLastSample(eng, t.cpu);
		c.blind = BLIND_TO_SWITCH;
	} else {
		lose(t, t.since);
		c.cur = NO_TASK;
		c.blind = BLIND_TO_SWITCH;
		eng.mismatches++;
	}
}

// A task turns up running on its CPU at @at, without a switch-in: tells of the time before as far
// as it is known.
function turnUp(eng, t, at) {
	if (t.where === WHERE.NEVER) return;
	if (t.where === WHERE.OFF) {
		let hole = holeSince(eng, t.since, at);
		if (hole === NO_TIME) hole = t.since;
		tellAway(eng, t, t.off, t.since, hole, false);
		tellAway(eng, t, OFF.UNKNOWN, hole, at, false);
		return;
	}
	if (t.where === WHERE.ON) leaveCpu(eng, t);
	tellAway(eng, t, OFF.UNKNOWN, t.since, at, false);
}

// Whether nothing speaks against @t having run since @since.
function plausible(t, since) {
	return (
		t.where !== WHERE.ON &&
		(t.where !== WHERE.LOST || t.since <= since) &&
		(t.moved === NO_TIME || t.moved < since)
	);
}

// The task of @tid; one that was switched out dead is another from now on.
function living(eng, tid, cpu) {
	let t = eng.table.find(tid, cpu);
	if (t && t.gone) t = eng.table.birth(tid, t.pid, -1, eng.now);
	if (t) t.mention(eng.now);
	return t;
}

// A text of the batch, a character a byte.
function textOf(batch, key) {
	return (batch.texts[key] ??= binary(batch.strings[key]));
}

function commOf(batch, column, row, t) {
	if (column === null || t.tid === 0) return;
	const comm = textOf(batch, column[row]);
	if (comm && comm !== t.comm) t.setComm(comm);
}

// The piece of the CPU that ends with prev being switched out.
function endPiece(eng, cpu, prev) {
	const c = eng.cpus[cpu];
	const t = eng.now;
	if (c.cur === prev.index) {
		tellRun(eng, cpu, prev.index, c.since, t, c.seen, true);
		return;
	}
	if (c.cur !== NO_TASK) {
		eng.mismatches++;
		lose(eng.tasks[c.cur], c.since);
		tellRun(eng, cpu, NO_TASK, c.since, t, false, true);
		turnUp(eng, prev, t);
		return;
	}
	let from = Math.max(c.blind, c.since);
	if (from > t || !plausible(prev, from)) from = t;
	tellRun(eng, cpu, NO_TASK, c.since, from, false, false);
	turnUp(eng, prev, from);
	if (from < t) tellRun(eng, cpu, prev.index, from, t, false, true);
}

// sched_switch; @c5: its columns.
export function trackSwitch(eng, cpu, batch, row, c5) {
	const c = eng.cpus[cpu];
	const t = eng.now;
	const prevTid = c5[0][row];
	const nextTid = c5[1][row];
	const state = c5[2][row];
	let p = c.cur === NO_TASK ? null : eng.tasks[c.cur];
	if (p !== null && p.tid === (prevTid | 0)) p.mention(t);
	else p = living(eng, prevTid | 0, cpu);
	const n = living(eng, nextTid | 0, cpu);
	if (p === null || n === null) return;
	const off = state === 0 ? OFF.RUNNABLE : eng.types.states.of(state);
	commOf(batch, c5[3], row, p);
	if (!n.comm) commOf(batch, c5[4], row, n);

	const { sw } = eng;
	sw.t = t;
	sw.cpu = cpu;
	sw.in = eng.inside(t);
	sw.prev = p.index;
	sw.next = n.index;
	sw.off = off;
	sw.sliceStart = c.cur === p.index && c.seen ? c.since : NO_TIME;
	sw.awaySince = NO_TIME;
	sw.ready = NO_TIME;
	sw.torn = false;
	endPiece(eng, cpu, p);
	p.where = WHERE.OFF;
	p.off = off;
	p.gone = off === OFF.DEAD && p.tid !== 0;
	p.since = p.moved = t;
	p.ready = NO_TIME;
	p.io = false;
	p.cpu = cpu;

	sw.lastCpu = n.cpu;
	sw.away = OFF.UNKNOWN;
	if (n.where === WHERE.OFF && holeSince(eng, n.since, t) === NO_TIME) {
		sw.awaySince = n.since;
		sw.away = n.off;
		tellAway(eng, n, n.off, n.since, t, true);
	} else {
		sw.torn = n.where !== WHERE.NEVER;
		turnUp(eng, n, t);
	}
	if (n.ready !== NO_TIME) {
		if (holeSince(eng, n.ready, t) === NO_TIME) sw.ready = n.ready;
		else sw.torn = true;
	}
	n.ready = NO_TIME;
	n.cpu = cpu;
	n.since = n.moved = t;

	if (c.counts) for (let i = 0; i < eng.onSw.length; i++) eng.onSw[i].sw(sw);

	c.since = t;
	if (t < c.blind && c.blind !== BLIND_TO_SWITCH) {
		// Inside a hole: it was switched in, but for how long nobody saw.
		n.where = WHERE.LOST;
		c.cur = NO_TASK;
	} else {
		n.where = WHERE.ON;
		c.cur = n.index;
		c.blind = 0;
	}
	c.seen = true;
}

// sched_waking, sched_wakeup, sched_wakeup_new.
export function trackWake(eng, kind, cpu, batch, row, c5) {
	const t = living(eng, c5[0][row] | 0, NO_CPU);
	if (t === null) return;
	if (!t.comm) commOf(batch, c5[2], row, t);
	const { wake } = eng;
	wake.t = eng.now;
	wake.cpu = cpu;
	wake.kind = kind;
	wake.in = eng.inside(eng.now);
	wake.task = t.index;
	wake.target = c5[1] === null ? NO_CPU : low32(c5[1][row]);
	if (kind === KIND.WAKEUP && eng.types.has.waking) wake.first = false;
	else wake.first = t.where !== WHERE.ON && t.ready === NO_TIME;
	if (wake.first) t.ready = eng.now;
	if (cpuCounts(eng, cpu)) for (let i = 0; i < eng.onWake.length; i++) eng.onWake[i].wake(wake);
}

// A thread that is not its group's leader and execs takes over the leader's tid.
export function trackExec(eng, cpu, tid, oldTid) {
	if (tid === oldTid || cpu >= eng.nCpus) return;
	const c = eng.cpus[cpu];
	const old = eng.table.peek(oldTid);
	const leader = eng.table.find(tid, cpu);
	if (!old || !leader || c.cur !== old.index) return;
	tellRun(eng, cpu, old.index, c.since, eng.now, c.seen, false);
	old.where = WHERE.OFF;
	old.off = OFF.DEAD;
	old.gone = true;
	if (!leader.gone) turnUp(eng, leader, eng.now);
	leader.where = WHERE.ON;
	leader.gone = false;
	leader.since = leader.moved = eng.now;
	leader.cpu = cpu;
	leader.mention(eng.now);
	c.cur = leader.index;
	c.since = eng.now;
	c.seen = false;
}

function tellEvents(eng, task, cpu, n) {
	for (let i = 0; i < eng.onEvents.length; i++) eng.onEvents[i].events(task, cpu, n);
}

// Tells of the samples that were counted together.
function flushSamples(eng, c, cpu) {
	if (c.last === NO_TASK) return;
	const t = eng.tasks[c.last];
	if (c.lastT > t.last) t.last = c.lastT;
	if (!c.samples) return;
	t.events += c.samples;
	tellEvents(eng, c.last, cpu, c.samples);
	c.samples = 0;
}

// A sample of a CPU that is not known: it tells of its task alone.
function sampleOfNoCpu(eng, tid, inside) {
	const t = tid > 0 ? eng.table.find(tid, NO_CPU) : null;
	if (!t) return;
	t.mention(eng.now);
	if (!inside) return;
	t.events++;
	tellEvents(eng, t.index, NO_CPU, 1);
}

// The sample is of another task than the CPU's last one.
function otherSample(eng, c, kind, cpu, tid, pid) {
	const t = eng.table.find(tid, cpu);
	if (!t) return false;
	flushSamples(eng, c, cpu);
	if (
		c.cur !== NO_TASK &&
		!c.seen &&
		eng.tasks[c.cur].tid !== tid &&
		kind !== KIND.SWITCH &&
		kind !== KIND.EXEC
	) {
		// The switch between the two was not seen.
		endAtLastSample(eng, cpu);
		c.blind = eng.now;
	}
	c.last = t.index;
	c.lastTid = tid;
	c.lastPid = pid;
	c.births = eng.table.births;
	t.mention(eng.now);
	if (pid > 0) t.pid = pid;
	return true;
}

// Nobody is known to run on @cpu: its last sample's task does.
function takeRunner(eng, c, cpu) {
	const t = eng.tasks[c.last];
	let from = Math.max(c.blind, c.since);
	if (from > eng.now || t.gone || !eng.types.has.switch) return;
	if (!plausible(t, from)) from = eng.now;
	if (!plausible(t, from)) return;
	tellRun(eng, cpu, NO_TASK, c.since, from, false, false);
	turnUp(eng, t, from);
	t.where = WHERE.ON;
	t.since = t.moved = from;
	t.ready = NO_TIME;
	t.cpu = cpu;
	c.cur = c.last;
	c.since = from;
	c.seen = false;
	c.blind = 0;
}

// Any event says who runs on its CPU: counts it, learns the pid, and, where the runner is not
// known, takes it from there.
export function trackSample(eng, kind, cpu, tid, pid, inside) {
	if (tid < 0 || (tid === 0 && pid !== 0)) return;
	if (cpu >= eng.nCpus) {
		sampleOfNoCpu(eng, tid, inside);
		return;
	}
	const c = eng.cpus[cpu];
	if (
		(tid !== c.lastTid || pid !== c.lastPid || c.births !== eng.table.births) &&
		!otherSample(eng, c, kind, cpu, tid, pid)
	)
		return;
	c.lastT = eng.now;
	if (inside && c.counts) c.samples++;
	if (c.cur === NO_TASK && kind !== KIND.SWITCH) takeRunner(eng, c, cpu);
}

// A hole begins on @cpu.
function blind(eng, cpu, from, to) {
	const c = eng.cpus[cpu];
	if (from < c.since) from = c.since;
	if (c.cur !== NO_TASK) {
		tellRun(eng, cpu, c.cur, c.since, from, c.seen, false);
		lose(eng.tasks[c.cur], from);
		c.cur = NO_TASK;
		c.blind = to;
	} else {
		tellRun(eng, cpu, NO_TASK, c.since, from, false, false);
		if (c.blind === BLIND_TO_SWITCH || to > c.blind) c.blind = to;
	}
	c.since = from;
}

export function trackHoles(eng, t) {
	const { all } = eng.schedHoles;
	for (; eng.begun < all.length && all[eng.begun].from < t; eng.begun++) {
		const h = all[eng.begun];
		if (h.to <= eng.walkFrom) continue;
		if (h.to > eng.reach) eng.reach = h.to;
		for (let c = 0; c < eng.nCpus; c++)
			if (h.cpu === c || h.cpu === NO_CPU) blind(eng, c, h.from, h.to);
	}
}

export function trackFinish(eng, end) {
	trackHoles(eng, end);
	eng.now = end;
	for (let cpu = 0; cpu < eng.nCpus; cpu++) {
		const c = eng.cpus[cpu];
		flushSamples(eng, c, cpu);
		tellRun(eng, cpu, c.cur, c.since, end, c.seen, false);
		c.since = end;
	}
	for (const t of eng.tasks) {
		if (t.where === WHERE.LOST) {
			tellAway(eng, t, OFF.UNKNOWN, t.since, Math.min(end, t.exit), false);
		} else if (t.where === WHERE.OFF && !t.gone) {
			const hole = Math.min(end, holeSince(eng, t.since, end));
			tellAway(eng, t, t.off, t.since, hole, false);
			tellAway(eng, t, OFF.UNKNOWN, hole, end, false);
		}
	}
}
