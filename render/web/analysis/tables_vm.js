// SPDX-License-Identifier: GPL-2.0-only
//
// The tables of VMs: exits, time in the guest, and what their vCPUs did; like the others in tables.js.

import { ExitRow } from './exits.js';
import { NO_TASK } from './table.js';
import { TASK, cpuOf, share, sortRows, spread } from './tables.js';
import { STATE_NAMES } from './vcpu.js';

// ---- exits ----------------------------------------------------------------------------------

const EXITS_COLUMNS = [
	'task',
	'reason',
	'reason_code',
	'idle',
	'count',
	'count_percent',
	'time_ns',
	'time_percent',
	'min_ns',
	'avg_ns',
	'p50_ns',
	'p99_ns',
	'p999_ns',
	'max_ns',
	'max_at_ns',
	'cpu_ns',
	'unpaired',
	'lossy',
];

function exitNumbers(r, idle, sums) {
	return [
		r.events,
		share(r.events, sums.work.events + sums.idle.events),
		r.time.sum,
		idle ? null : share(r.time.sum, sums.work.time.sum),
		r.time.count ? r.time.min : null,
		...spread(r.time, [50, 99, 99.9]),
		r.cpuNs,
		r.broken,
	];
}

export const codeNumber = (code) => Number(BigInt.asIntN(64, code));

export function exitsTable(exits, unknown, map) {
	const sums = { work: new ExitRow(NO_TASK, null), idle: new ExitRow(NO_TASK, null) };
	const wanted = exits.rows.filter((r) => map.wanted(r.task));
	let lossy = false;
	for (const r of wanted) {
		(r.reason.idle ? sums.idle : sums.work).merge(r);
		lossy ||= unknown.lossy(r.task);
	}
	const rows = wanted.map((r) => [
		map.index(r.task),
		r.reason.name,
		codeNumber(r.reason.code),
		r.reason.idle ? 1 : 0,
		...exitNumbers(r, r.reason.idle, sums),
		unknown.lossy(r.task),
	]);
	sortRows(EXITS_COLUMNS, rows, [
		['idle', 1],
		['time_ns', -1],
	]);
	return {
		identity: ['name', 'tid', 'pid', 'vm', 'vcpu'],
		columns: EXITS_COLUMNS,
		rows,
		total: [null, null, null, null, ...exitNumbers(sums.work, false, sums), lossy],
	};
}

// How long the exits of each row of the table took.
export function exitTimesTable(exits, map) {
	const rows = exits.rows
		.filter((r) => map.wanted(r.task))
		.map((r) => [map.index(r.task), r.reason.name, r.time.pairs()]);
	return { identity: [], columns: ['task', 'reason', 'bins'], rows, total: null };
}

const GUEST_COLUMNS = [
	'task',
	'entries',
	'guest_ns',
	'guest_percent',
	'avg_ns',
	'p50_ns',
	'p99_ns',
	'p999_ns',
	'max_ns',
	'max_at_ns',
	'unpaired',
	'lossy',
];

export function guestTable(eng, exits, unknown, map) {
	const rows = exits.guests
		.filter((g) => map.wanted(g.task))
		.map((g) => [
			map.index(g.task),
			g.entries,
			g.guest,
			share(g.guest, eng.window),
			...spread(g.time, [50, 99, 99.9]),
			g.broken,
			unknown.lossy(g.task),
		]);
	sortRows(GUEST_COLUMNS, rows, [['guest_ns', -1]]);
	return { identity: ['name', 'tid', 'vm', 'vcpu'], columns: GUEST_COLUMNS, rows, total: null };
}

// ---- vCPUs ----------------------------------------------------------------------------------

const VCPU_COLUMNS = [
	'task',
	'delayed_ns',
	'delayed_percent',
	...STATE_NAMES.map((name) => `${name}_ns`),
	'edge_ns',
	'lost_ns',
	'absent_ns',
	'behind_ns',
	'preemptions',
	'waits',
	'halts',
	'blocks',
	'preempted_avg_ns',
	'preempted_p99_ns',
	'waiting_avg_ns',
	'waiting_p99_ns',
	'worst_ns',
	'worst_at_ns',
	'worst_cpu',
	'worst_state',
	'worst_behind',
	'lossy',
];

// Events of it are missing: by the scheduler's account, or by its own.
function doubtful(w, unknown) {
	return w.lost > 0 || unknown.lossy(w.task);
}

function worst(w, map) {
	if (!w.worst.dur) return [null, null, null, null, null];
	const { dur, at, cpu, state, behind } = w.worst;
	return [dur, at, cpuOf(cpu), STATE_NAMES[state], behind === NO_TASK ? null : map.who(behind)];
}

export function vcpuTable(eng, vcpus, unknown, map) {
	const wanted = vcpus.rows.filter((w) => map.wanted(w.task));
	const sums = new Array(STATE_NAMES.length).fill(0);
	const rows = wanted.map((w) => {
		w.ns.forEach((ns, i) => (sums[i] += ns));
		return [
			map.index(w.task),
			w.delayed,
			share(w.delayed, eng.window),
			...w.ns,
			w.edge,
			w.lost,
			w.absent,
			w.behind,
			w.preemptions,
			w.waits,
			w.halts,
			w.blocks,
			...spread(w.preempted, [99]).slice(0, 2),
			...spread(w.waiting, [99]).slice(0, 2),
			...worst(w, map),
			doubtful(w, unknown),
		];
	});
	let total = null;
	if (rows.length) {
		const delayed = sums[3] + sums[4];
		total = [null, delayed, share(delayed, eng.window * rows.length), ...sums];
		while (total.length < VCPU_COLUMNS.length - 1) total.push(null);
		total.push(wanted.some((w) => doubtful(w, unknown)));
	}
	return { identity: TASK, columns: VCPU_COLUMNS, rows, total };
}

const REASONS_COLUMNS = [
	'task',
	'reason',
	'reason_code',
	'idle',
	'exit_ns',
	'exit_percent',
	'qemu_ns',
	'qemu_percent',
	'lossy',
];

export function vcpuReasonsTable(eng, vcpus, unknown, map) {
	const rows = [];
	for (const w of vcpus.rows) {
		if (!map.wanted(w.task)) continue;
		for (const { reason, exit, qemu } of w.reasonRows)
			rows.push([
				map.index(w.task),
				reason.name,
				codeNumber(reason.code),
				reason.idle ? 1 : 0,
				exit,
				share(exit, eng.window),
				qemu,
				share(qemu, eng.window),
				doubtful(w, unknown),
			]);
	}
	return { identity: TASK, columns: REASONS_COLUMNS, rows, total: null };
}

const ANTAGONISTS_COLUMNS = [
	'task',
	'antagonist',
	'behind_ns',
	'delayed_percent',
	'preempted_ns',
	'waiting_ns',
	'slices',
	'took_over',
	'lossy',
];

export function antagonistsTable(vcpus, unknown, map) {
	const rows = [];
	for (const w of vcpus.rows) {
		if (!map.wanted(w.task)) continue;
		for (const a of w.antagonists)
			rows.push([
				map.index(w.task),
				map.index(a.task),
				a.preempted + a.waiting,
				share(a.preempted + a.waiting, w.delayed),
				a.preempted,
				a.waiting,
				a.slices,
				a.tookOver,
				doubtful(w, unknown),
			]);
	}
	return { identity: TASK, columns: ANTAGONISTS_COLUMNS, rows, total: null };
}
