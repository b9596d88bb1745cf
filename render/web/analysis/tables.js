// SPDX-License-Identifier: GPL-2.0-only
//
// The tables of a range, as `cdict report` writes those of the whole window (doc/page.md, "Tables"):
// the commands' own rows and columns.

import { LatencyRow } from './latency.js';
import { NO_CPU, NO_TASK } from './table.js';
import { TaskRow } from './tasks.js';
import { OFF } from './types.js';

export const TASK = ['name', 'tid', 'pid', 'comm', 'vm', 'vcpu'];

// Percent with ten digits, as the commands print it.
export function share(part, whole) {
	return whole ? Number(((100 * part) / whole).toPrecision(10)) : null;
}

export const cpuOf = (cpu) => (cpu === NO_CPU ? null : cpu);

// [avg, percentiles..., max, at] of a histogram, null when it is empty.
export function spread(h, percents) {
	if (h === null || !h.count) return new Array(percents.length + 3).fill(null);
	return [h.avg, ...percents.map((p) => h.percentile(p)), h.max, h.maxAt];
}

// Rows in order of some columns: {key: 1 ascending, -1 descending}; empty cells last, equal rows as
// they stand.
export function sortRows(columns, rows, order) {
	const keys = order.map(([key, sign]) => [columns.indexOf(key), sign]);
	rows.sort((a, b) => {
		for (const [i, sign] of keys) {
			if (a[i] === b[i]) continue;
			if (a[i] === null || b[i] === null) return a[i] === null ? 1 : -1;
			return a[i] < b[i] ? -sign : sign;
		}
		return 0;
	});
}

// ---- tasks ----------------------------------------------------------------------------------

const TASKS_COLUMNS = [
	'task',
	'cpu',
	'idle',
	'run_ns',
	'run_percent',
	'edge_ns',
	'unknown_ns',
	'switches',
	'voluntary',
	'involuntary',
	'sleeps',
	'blocks',
	'iowaits',
	'preempted',
	'sleep_ns',
	'block_ns',
	'iowait_ns',
	'preempt_ns',
	'wakeups',
	'migrations',
	'node_migrations',
	'latency_avg_ns',
	'latency_p50_ns',
	'latency_p99_ns',
	'latency_max_ns',
	'latency_max_at_ns',
	'slice_avg_ns',
	'slice_p50_ns',
	'slice_p99_ns',
	'slice_max_ns',
	'events',
	'lossy',
];

function taskNumbers(r, eng) {
	return [
		r.run,
		share(r.run, eng.window),
		r.edge,
		r.unknown,
		r.switches,
		r.voluntary,
		r.involuntary,
		r.outs[OFF.SLEEP],
		r.outs[OFF.DISK],
		r.iowaits,
		r.outs[OFF.PREEMPTED],
		r.off[OFF.SLEEP],
		r.off[OFF.DISK],
		r.iowait,
		r.off[OFF.RUNNABLE] + r.off[OFF.PREEMPTED],
		eng.types.knowsWakeups ? r.wakeups : null,
		r.migrations,
		r.nodeMigrations,
		...spread(r.latency, [50, 99]),
		...spread(r.slice, [50, 99]).slice(0, 4),
		r.events,
	];
}

export function tasksTable(eng, tasks, unknown, map) {
	const rows = [];
	const total = new TaskRow(NO_TASK);
	let lossy = false;
	for (const r of tasks.rows) {
		if (!map.wanted(r.task)) continue;
		const task = eng.tasks[r.task];
		const own = unknown.lossy(r.task);
		if (task.tid) {
			total.merge(r);
			lossy ||= own;
		}
		const cpu = cpuOf(task.tid === 0 && task.idleCpu !== NO_CPU ? task.idleCpu : r.cpu);
		const idle = task.tid === 0 ? 1 : 0;
		rows.push([map.index(r.task), cpu, idle, ...taskNumbers(r, eng), own]);
	}
	sortRows(TASKS_COLUMNS, rows, [
		['idle', 1],
		['run_ns', -1],
	]);
	return {
		identity: TASK,
		columns: TASKS_COLUMNS,
		rows,
		total: [null, null, null, ...taskNumbers(total, eng), lossy],
	};
}

// ---- latency --------------------------------------------------------------------------------

const LATENCY_COLUMNS = [
	'task',
	'latency_count',
	'latency_ns',
	'latency_avg_ns',
	'latency_p50_ns',
	'latency_p99_ns',
	'latency_p999_ns',
	'latency_max_ns',
	'latency_max_at_ns',
	'preempt_count',
	'preempt_ns',
	'preempt_avg_ns',
	'preempt_p99_ns',
	'preempt_max_ns',
	'preempt_max_at_ns',
	'torn',
	'lossy',
];

function latencyNumbers(r) {
	return [
		r.wakeup.count,
		r.wakeup.sum,
		...spread(r.wakeup, [50, 99, 99.9]),
		r.preempt.count,
		r.preempt.sum,
		...spread(r.preempt, [99]),
		r.torn,
	];
}

export function latencyTable(latency, unknown, map) {
	const total = new LatencyRow(NO_TASK);
	let lossy = false;
	const rows = [];
	for (const r of latency.rows) {
		if (!map.wanted(r.task)) continue;
		total.merge(r);
		lossy ||= unknown.lossy(r.task);
		rows.push([map.index(r.task), ...latencyNumbers(r), unknown.lossy(r.task)]);
	}
	sortRows(LATENCY_COLUMNS, rows, [['latency_max_ns', -1]]);
	return {
		identity: TASK,
		columns: LATENCY_COLUMNS,
		rows,
		total: [null, ...latencyNumbers(total), lossy],
	};
}

// ---- CPUs -----------------------------------------------------------------------------------

const COREMAP_COLUMNS = [
	'task',
	'cpu',
	'idle',
	'unknown',
	'run_ns',
	'run_percent',
	'edge_ns',
	'switches',
	'lossy',
];

export function coremapTable(eng, coremap, unknown, map) {
	const cells = coremap.cells
		.filter((c) => map.wanted(c.task))
		.map((c) => ({ ...c, tid: eng.tasks[c.task].tid, idle: eng.tasks[c.task].tid ? 0 : 1 }));
	coremap.cpus.forEach((c, cpu) => {
		if (c.unknown) cells.push({ task: NO_TASK, cpu, tid: Infinity, idle: 0, run: c.unknown });
	});
	cells.sort((a, b) => a.idle - b.idle || (a.tid < b.tid ? -1 : a.tid > b.tid ? 1 : a.cpu - b.cpu));
	const rows = cells.map((c) =>
		c.task === NO_TASK
			? [null, c.cpu, 0, 1, c.run, share(c.run, eng.window), null, null, eng.lossOf(c.cpu) > 0]
			: [
					map.index(c.task),
					c.cpu,
					c.idle,
					0,
					c.run,
					share(c.run, eng.window),
					c.edge,
					c.switches,
					unknown.lossy(c.task),
				],
	);
	return { identity: TASK, columns: COREMAP_COLUMNS, rows, total: null };
}

const CPUS_COLUMNS = [
	'cpu',
	'node',
	'busy_ns',
	'busy_percent',
	'idle_ns',
	'idle_percent',
	'unknown_ns',
	'switches',
	'lossy',
];

export function cpusTable(eng, coremap, nodes) {
	const rows = [];
	coremap.cpus.forEach((c, cpu) => {
		if (eng.options.cpus && !eng.options.cpus.has(cpu)) return;
		const node = nodes?.[cpu] ?? -1;
		rows.push([
			cpu,
			node < 0 ? null : node,
			c.busy,
			share(c.busy, eng.window),
			c.idle,
			share(c.idle, eng.window),
			c.unknown,
			c.switches,
			eng.lossOf(cpu) > 0,
		]);
	});
	return { identity: [], columns: CPUS_COLUMNS, rows, total: null };
}

// ---- switches -------------------------------------------------------------------------------

const SWITCHES_COLUMNS = [
	'cpu',
	'from_ns',
	'length_ns',
	'switches',
	'involuntary',
	'wakeups',
	'switches_per_s',
	'busy_ns',
	'busy_percent',
	'idle_ns',
	'unknown_ns',
	'lossy',
];

// Rows of CPU and bucket; from_ns since the first event.
export function switchesTable(eng, sw) {
	const rows = [];
	for (let cpu = 0; cpu < eng.nCpus; cpu++) {
		if (eng.options.cpus && !eng.options.cpus.has(cpu)) continue;
		const lossy = eng.lossOf(cpu) > 0;
		for (let b = 0; b < sw.buckets; b++) {
			const i = cpu * sw.buckets + b;
			const length = sw.busy[i] + sw.idle[i] + sw.unknown[i];
			if (!sw.switches[i] && !sw.wakeups[i] && !length) continue;
			rows.push([
				cpu,
				eng.from + b * sw.bucket,
				length,
				sw.switches[i],
				sw.involuntary[i],
				eng.types.knowsWakeups ? sw.wakeups[i] : null,
				length ? Math.floor((sw.switches[i] * 1e9) / length + 0.5) : null,
				sw.busy[i],
				share(sw.busy[i], length),
				sw.idle[i],
				sw.unknown[i],
				lossy && sw.unknown[i] > 0,
			]);
		}
	}
	return { identity: [], columns: SWITCHES_COLUMNS, rows, total: null };
}
