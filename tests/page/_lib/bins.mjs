// SPDX-License-Identifier: GPL-2.0-only
// node bins.mjs PAGE [SLICES.json] - counts by column add up to the tables of the same page. With the capture's slices, from cdict query (ts, dur, cpu,
// tid): each column has the task, and the group, that had the CPU longest.

import { readFileSync } from 'node:fs';
import { loader, readPage } from './page.mjs';

const [file, slices] = process.argv.slice(2);
const page = await readPage(file);
const wrong = [];
const sum = (array, from = 0, to = array.length) => {
	let all = 0;
	for (let i = from; i < to; i++) all += array[i];
	return all;
};
const rowsOf = (capture, name) => loader.tableObjects(capture.tables[name]);
function equal(what, got, want) {
	if (got !== want) wrong.push(`${what}: the bins have ${got}, the table ${want}`);
}

/** Who had each CPU longest, column by column, from the slices alone. */
function longest({ bins, tasks, t0_ns: t0 }, all) {
	const origin = BigInt(t0), wide = (bins.to - bins.from) / bins.columns;
	const ofTid = new Map(tasks.map((task) => [task.tid, task]));
	const cells = new Map();
	let groups = 0, other = 0;
	for (const { ts, dur, cpu, tid } of all) {
		const task = ofTid.get(tid);
		const begin = Number(BigInt(ts) - origin);
		const [from, to] = [Math.max(begin, bins.from), Math.min(begin + Number(dur), bins.to)];
		for (let i = Math.floor((from - bins.from) / wide); i < bins.columns && bins.from + i * wide < to; i++) {
			const ns = Math.min(to, bins.from + (i + 1) * wide) - Math.max(from, bins.from + i * wide);
			const cell = cells.get(cpu * bins.columns + i) ?? cells.set(cpu * bins.columns + i, { tasks: new Map(), groups: new Map() }).get(cpu * bins.columns + i);
			cell.tasks.set(task.index, (cell.tasks.get(task.index) ?? 0) + ns);
			cell.groups.set(task.fold, (cell.groups.get(task.fold) ?? 0) + ns);
		}
	}
	const close = 3; // columns do not begin at a whole ns
	for (const [at, cell] of cells) {
		const task = bins.majority[at], stored = bins.group_majority[at] ?? 0xffffffff, group = stored === 0xffffffff ? task : stored;
		if (task === 0xffffffff || !tasks[task].tid) continue; // mostly idle
		if (!(cell.tasks.get(task) + close >= Math.max(...[...cell.tasks].filter(([key]) => tasks[key].tid).map(([, ns]) => ns)))) wrong.push(`column ${at}: ${tasks[task].who} did not have the CPU longest`);
		const most = Math.max(...[...cell.groups].filter(([name]) => name !== null).map(([, ns]) => ns));
		if (!(cell.groups.get(tasks[group].fold) + close >= most)) wrong.push(`column ${at}: ${tasks[group].fold} had the CPU for ${cell.groups.get(tasks[group].fold)} ns, another group for ${most}`);
		groups++;
		other += tasks[group].fold !== tasks[task].fold;
	}
	if (!groups || !other) wrong.push(`${groups} columns, in ${other} of which the group is not that of the task`);
}

for (const capture of page.captures) {
	const { bins } = capture;
	const n = bins.columns;

	for (const cpu of rowsOf(capture, 'cpus')) {
		const [from, to] = [cpu.cpu * n, (cpu.cpu + 1) * n];
		equal(`busy_ns of CPU ${cpu.cpu}`, sum(bins.busy_ns, from, to), cpu.busy_ns ?? 0);
		equal(`unknown_ns of CPU ${cpu.cpu}`, sum(bins.unknown_ns, from, to), cpu.unknown_ns);
		equal(`switches of CPU ${cpu.cpu}`, sum(bins.switches, from, to), cpu.switches ?? 0);
	}

	const states = ['guest', 'exit', 'qemu', 'preempted', 'waiting', 'halted', 'blocked', 'unknown'];
	const vcpus = rowsOf(capture, 'vcpu');
	equal('vCPUs', bins.vcpus.join(), vcpus.map((row) => row.task).join());
	vcpus.forEach((row, i) => states.forEach((state, s) => {
		const from = (i * states.length + s) * bins.vcpu_columns;
		equal(`${state} of ${capture.tasks[row.task].who}`, sum(bins.vcpu_ns, from, from + bins.vcpu_columns), row[`${state}_ns`] ?? 0);
	}));

	const tasks = new Map(rowsOf(capture, 'tasks').map((row) => [row.task, row]));
	bins.spark_tasks.forEach((task, i) => {
		if (tasks.has(task)) equal(`run_ns of ${capture.tasks[task].who}`, sum(bins.spark_ns, i * bins.spark_columns, (i + 1) * bins.spark_columns), tasks.get(task).run_ns);
	});
	for (const [task, row] of tasks) {
		if (row.run_ns && capture.tasks[task].tid && bins.spark_tasks.length < 512 && !bins.spark_tasks.includes(task))
			wrong.push(`${capture.tasks[task].who} ran, but has no sparkline`);
	}

	const filtered = capture.filter.task !== null || capture.filter.tid !== null || capture.filter.vm !== null;
	const events = {
		run: rowsOf(capture, 'tasks').filter((row) => filtered || !row.idle).reduce((all, row) => all + row.switches, 0),
		wakeup: null,
		sleep: null,
		// by the time of kvm_exit, the table by that of the entry after it
		guest: capture.window_events === capture.events ? rowsOf(capture, 'exits').reduce((all, row) => all + row.count, 0) : null,
		exit: rowsOf(capture, 'guest').reduce((all, row) => all + row.entries, 0),
	};
	for (const [kind, want] of Object.entries(events)) {
		const heat = bins.heat[kind];
		if (!heat) {
			if (want) wrong.push(`a heat map is missing: ${kind}`);
			continue;
		}
		if (want !== null) equal(`heat map ${kind}`, heat.events, want);
		equal(`cells of ${kind}`, sum(heat.count) + heat.outside + heat.unplaced + heat.shorter + heat.longer, heat.events);
		for (let i = 0; i < heat.cell.length; i++) {
			if (heat.cell[i] >= heat.columns * heat.rows || (i && heat.cell[i] <= heat.cell[i - 1]) || !heat.count[i]) wrong.push(`${kind}: cell ${i} is out of order`);
		}
	}

	const tids = new Set(capture.tasks.map((task) => task.index));
	if (bins.group_majority.some((task) => task !== 0xffffffff && !tids.has(task))) wrong.push('a majority of a group of no task');
	if (slices)
		longest(capture, JSON.parse(readFileSync(slices)).query[0].rows);
	if (bins.majority.some((task) => task !== 0xffffffff && !tids.has(task))) wrong.push('a majority of no task');
}
if (wrong.length) {
	console.log(wrong.slice(0, 8).join('\n'));
	process.exit(1);
}
console.log('adds up');
