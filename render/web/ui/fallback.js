// SPDX-License-Identifier: GPL-2.0-only
// A range's figures from the bins alone, for pages that do not carry the capture: what bins cannot tell is null.

const STATES = ['guest', 'exit', 'qemu', 'preempted', 'waiting', 'halted', 'blocked', 'unknown'];

/** The smallest range of whole columns around @range. */
export function snapToBins(capture, [from, to]) {
	const { bins, window } = capture;
	const finest = Math.min(bins.columns, bins.vcpus.length ? bins.vcpu_columns : bins.columns);
	const part = (to - from) / (window.to - window.from);
	// a range of several of their columns suits the tasks' run times too
	const columns = part * bins.spark_columns >= 3 ? Math.min(finest, bins.spark_columns) : finest;
	const wide = (window.to - window.from) / columns;
	const a = Math.floor((from - window.from) / wide + 1e-6);
	const b = Math.max(a + 1, Math.ceil((to - window.from) / wide - 1e-6));

	return [Math.round(window.from + a * wide), Math.round(window.from + Math.min(b, columns) * wide)];
}

/** Sums row @row of @array over [a, b), parts of the row in 0..1. */
function sumOf(array, row, columns, a, b) {
	let sum = 0;

	for (let i = Math.round(a * columns); i < Math.round(b * columns); i++)
		sum += array[row * columns + i];
	return sum;
}

// Only when the range is of whole columns, there are figures.
function whole(columns, a, b) {
	return Math.abs(a * columns - Math.round(a * columns)) < 1e-6 && Math.abs(b * columns - Math.round(b * columns)) < 1e-6;
}

function table(columns, rows) {
	return { columns, rows: rows.map((row) => columns.map((key) => row[key] ?? null)), total: null };
}

export function figuresOfBins(capture, range) {
	const { bins, window, tables } = capture;
	const span = window.to - window.from;
	const [a, b] = [(range[0] - window.from) / span, (range[1] - window.from) / span];
	const length = range[1] - range[0];
	const out = { ...tables };

	out.vcpu = vcpuTable(bins, tables, a, b, length);
	out.tasks = taskTable(bins, tables, a, b, length);
	out.exits = exitTable(bins, tables, a, b);
	for (const name of ['guest', 'vcpu_reasons', 'antagonists', 'latency', 'coremap', 'cpus'])
		out[name] = tables[name] && { ...tables[name], rows: [] };
	return {
		capture, range, tables: out, bins,
		note: `${capture.why_not ?? 'The capture is not in this page.'} These figures come from bins of ` +
			`${((bins.to - bins.from) / bins.columns / 1e6).toPrecision(3)} ms: some are not known, and zoom ends there; small curves show the whole window.`,
	};
}

function vcpuTable(bins, tables, a, b, length) {
	if (!tables.vcpu)
		return tables.vcpu;
	const rows = bins.vcpus.map((task, i) => {
		const row = { task };

		STATES.forEach((state, k) => { row[`${state}_ns`] = sumOf(bins.vcpu_ns, i * 8 + k, bins.vcpu_columns, a, b); });
		row.delayed_ns = row.preempted_ns + row.waiting_ns;
		row.delayed_percent = 100 * row.delayed_ns / length;
		return row;
	});

	rows.sort((x, y) => y.delayed_ns - x.delayed_ns);
	return table(tables.vcpu.columns, rows);
}

function taskTable(bins, tables, a, b, length) {
	if (!tables.tasks)
		return tables.tasks;
	const exact = whole(bins.spark_columns, a, b);
	const rows = bins.spark_tasks.map((task, i) => {
		const run = exact ? sumOf(bins.spark_ns, i, bins.spark_columns, a, b) : null;

		return { task, run_ns: run, run_percent: run === null ? null : 100 * run / length };
	});

	return table(tables.tasks.columns, rows);
}

function exitTable(bins, tables, a, b) {
	if (!tables.exits)
		return tables.exits;
	const rows = bins.exit_reasons.map(({ reason, reason_code, idle }, i) => ({
		task: null, reason, reason_code, idle: idle ? 1 : 0,
		count: sumOf(bins.exit_count, i, bins.columns, a, b),
		time_ns: sumOf(bins.exit_ns, i, bins.columns, a, b),
	})).filter((row) => row.count || row.time_ns);
	const all = rows.reduce((sum, row) => sum + row.count, 0);
	const work = rows.reduce((sum, row) => sum + (row.idle ? 0 : row.time_ns), 0);

	for (const row of rows) {
		row.count_percent = all ? 100 * row.count / all : 0;
		row.time_percent = row.idle || !work ? null : 100 * row.time_ns / work;
	}
	return table(tables.exits.columns, rows);
}
