// SPDX-License-Identifier: GPL-2.0-only
// Runs, times off a CPU, waits, stays in guests and exits, put together from the lines of `cdict script` as doc/figures.md
// defines them: another way to what heat maps count.

import { cdict } from './page.mjs';

const LINE = /^\s*(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+):\s(.*)$/;

/** {run, sleep, wakeup, guest, exit: [{tid, cpu, from: null | ns, to, reason, doubtful}]}, times since t0_ns; doubtful: a switch was not seen in between. */
export function intervalsOf(file, t0_ns) {
	const lines = cdict('script', '-q', file).split('\n').map((line) => LINE.exec(line)).filter(Boolean);
	// without sched_wakeup a sleeper's switch-in is due to the waking of before its switch-out, where none came after it
	const alone = !lines.some(([, , , , , event]) => event === 'sched:sched_wakeup');
	const early = new Set(), since = new Map();
	const out = { run: [], sleep: [], wakeup: [], guest: [], exit: [] };
	const on = new Map(), away = new Map(), woken = new Map(), kvm = new Map();
	const runs = new Set(); // tasks with an event and not switched out since
	const gaps = []; // [from, to]: a switch was not seen, since another task than the one on the CPU was switched out

	for (const [, own, where, s, ns, event, text] of lines) {
		const at = Number(BigInt(s + ns) - BigInt(t0_ns)), cpu = Number(where), tid = Number(own);
		const pid = (key) => Number(new RegExp(` ?${key}=(\\d+)`).exec(text)?.[1]);

		// a task with an event runs: a wait has ended
		woken.delete(tid);
		runs.add(tid);
		if (event === 'sched:sched_switch') {
			const prev = pid('prev_pid'), next = Number(/==> .*next_pid=(\d+)/.exec(text)[1]);
			const ran = on.get(cpu);

			if (ran?.tid !== prev) gaps.push([ran?.at ?? -1, at]);
			if (prev) out.run.push({ tid: prev, cpu, from: ran?.tid === prev ? ran.at : null, to: at });
			if (next) out.sleep.push({ tid: next, cpu, from: away.get(next) ?? null, to: at });
			if (next && !woken.has(next) && since.has(next)) woken.set(next, since.get(next));
			if (next && (woken.get(next) ?? null) !== null) out.wakeup.push({ tid: next, cpu, from: woken.get(next), to: at });
			woken.delete(next);
			woken.delete(prev);
			since.delete(next);
			if (alone && early.delete(prev) && !/prev_state=R/.test(text)) since.set(prev, at);
			early.delete(next);
			runs.delete(prev);
			runs.add(next);
			away.set(prev, at);
			on.set(cpu, { tid: next, at });
		} else if (/^sched:sched_(waking|wakeup|wakeup_new)$/.test(event) && !/success=0/.test(text)) {
			const wakee = pid('pid');

			if (runs.has(wakee) && event === 'sched:sched_waking') early.add(wakee);

			if (!woken.has(wakee) && !runs.has(wakee)) woken.set(wakee, on.has(pid('target_cpu')) ? at : null);
		} else if (event === 'kvm:kvm_entry' || event === 'kvm:kvm_exit') {
			const entry = event === 'kvm:kvm_entry', before = kvm.get(tid);
			const from = before && before.entry !== entry ? before.at : null;

			out[entry ? 'exit' : 'guest'].push({ tid, cpu, from, to: at, reason: entry && from !== null ? before.reason : null });
			kvm.set(tid, { entry, at, reason: entry ? null : /reason (\S+)/.exec(text)?.[1] });
		}
	}
	// intervals pending or open while a switch was not seen are dropped, or have an unknown beginning
	for (const one of Object.values(out).flat())
		one.doubtful = gaps.some(([from, to]) => from < one.to && to > (one.from ?? one.to));
	return out;
}
