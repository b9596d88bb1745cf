// SPDX-License-Identifier: GPL-2.0-only
// node bins.mjs PAGE - counts by column add up to the tables of the same page.

import { loader, readPage } from './page.mjs';

const [file] = process.argv.slice(2);
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
	if (bins.majority.some((task) => task !== 0xffffffff && !tids.has(task))) wrong.push('a majority of no task');
}
if (wrong.length) {
	console.log(wrong.slice(0, 8).join('\n'));
	process.exit(1);
}
console.log('adds up');
