// SPDX-License-Identifier: GPL-2.0-only
// An opened vCPU: its antagonists, the exits that took its time, and the lengths of its waits.
import { h, nameRoom, named, unbroken } from '../dom.js';
import { Question } from '../figures.js';
import { reasonColours } from '../marks/legend.js';
import { Table } from '../table.js';
import { count, duration, plural } from '../text.js';

export function vcpuDetail(view, row, antagonists) {
	return h('div', { class: 'detail-columns' }, antagonistTable(view, row, antagonists), reasonTable(view, row), histogram(view, row));
}

function shareBar(part, colour) {
	return h('div', { class: 'share-bar' }, h('div', { css: { width: `${Math.min(100, part)}%`, background: colour } }));
}

function antagonistTable(view, row, antagonists) {
	const { app } = view;
	const table = new Table([
		{ key: 'antagonist', title: 'behind', text: true, value: (r) => app.who(r.antagonist), show: (r) => named(app.who(r.antagonist), nameRoom(132)) },
		{ key: 'behind_ns', title: 'waited', hint: 'while this task had the CPU' },
		{ key: 'delayed_percent', title: 'share' },
		{ key: 'bar', title: '', text: true, csv: false, value: () => undefined, show: (r) => shareBar(r.delayed_percent, app.palette.states.preempted) },
		{ key: 'preempted_ns', title: 'preempted' },
		{ key: 'waiting_ns', title: 'waiting' },
		{ key: 'took_over', title: 'took over', hint: 'how often it replaced this vCPU on the CPU' },
	], { app, name: 'antagonists', file: view.file('antagonists'), rowData: (r) => ({ task: r.task, antagonist: r.antagonist }), onRow: (r) => app.toggle('tasks', r.antagonist, true) });

	table.setRows(antagonists);
	return h('div', { class: 'block' }, h('h4', null, 'Antagonists'), antagonists.length ? table.el : h('p', { class: 'dim' }, row.delayed_ns === null || row.delayed_ns ? 'unknown' : 'it never waited for a CPU'));
}

function reasonTable(view, row) {
	const { app } = view;
	const rows = app.rows('vcpu_reasons').filter((r) => r.task === row.task);
	const colours = reasonColours(app.palette, rows.map((r) => r.reason));
	const table = new Table([
		{ key: 'reason', title: 'exit', text: true },
		{ key: 'exit_ns', title: 'handling', hint: 'on a CPU, in the kernel' },
		{ key: 'qemu_ns', title: 'in the VMM' },
		{ key: 'exit_percent', title: 'of the range' },
		{ key: 'bar', title: '', text: true, csv: false, value: () => undefined, show: (r) => shareBar((r.exit_percent + r.qemu_percent) * 2, colours.get(r.reason)) },
	], {
		app, name: 'vcpu_reasons', file: view.file('vcpu-exits'), rowData: (r) => ({ task: r.task, reason: r.reason }),
		onRow: (r) => app.set({ view: 'exits', reasons: [r.reason], tasks: [row.task] })
	});

	table.setRows(rows);
	return h('div', { class: 'block' }, h('h4', null, 'Cost of its exits'), rows.length ? table.el : h('p', { class: 'dim' }, 'no exits here'));
}

/** Waits after wake-ups by length, one bar a third of a decade. */
function histogram(view, row) {
	const { app } = view;
	const box = h('div', { class: 'block' }, h('h4', null, 'Waits after wake-ups'));
	const latency = app.rows('latency').find((r) => r.task === row.task);

	if (latency?.latency_count)
		box.append(h('p', { class: 'dim' }, unbroken(`${plural(latency.latency_count, 'wait')}: half at most ${duration(latency.latency_p50_ns)}, ` +
			`99 % at most ${duration(latency.latency_p99_ns)}, longest ${duration(latency.latency_max_ns)}`)));
	else
		box.append(h('p', { class: 'dim' }, 'no wake-ups here'));
	if (!latency?.latency_count || !app.figures.canDecode(app.capture))
		return box;
	const bars = h('div', { class: 'histogram' });

	box.append(bars);
	new Question(app).ask((decoder, signal) => decoder.histogram(app.capture, app.range, { kind: 'wakeup', tasks: [row.task], signal }),
		(rows) => bars.append(...histogramRows(rows ?? [], app.palette.states.waiting)));
	return box;
}

function histogramRows(bars, colour) {
	const most = Math.max(...bars.map((bar) => bar.count));

	return bars.map(({ from_ns, to_ns, count: n }) => h('div', { class: 'histogram-row', title: `${plural(n, 'wait')} of ${duration(from_ns)} to ${duration(to_ns)}` },
		h('span', { class: 'dim num' }, `≥ ${duration(Number(from_ns.toPrecision(2))).replace(/^(\d)(?:\.(\d)\d*)? /, (_, whole, tenth = 0) => `${whole}.${tenth} `)}`), h('div', { class: 'track' }, h('div', { css: { width: `${100 * n / most}%`, background: colour } })),
		h('span', { class: 'num' }, n ? count(n) : '')));
}
