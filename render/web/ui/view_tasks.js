// SPDX-License-Identifier: GPL-2.0-only
// View 3: every task: run time with the switches beside it, wake-ups, latency, and when it ran.
import { d3 } from '../d3.js';
import { drawTimeAxis, drawValueAxis, timeScale } from './axis.js';
import { h, replace } from './dom.js';
import { legend } from './legend.js';
import { CanvasSurface } from './surface.js';
import { Table } from './table.js';
import { count, duration, exactNs, percent, short } from './text.js';
import { View, taskData } from './view.js';

const SPARK_W = 150, SPARK_H = 18;

export class TasksView extends View {
	constructor(app) {
		super(app, 'Tasks: CPU time against context switches');
		this.key = h('div', { class: 'legend-box' });
		this.seen = new IntersectionObserver((entries) => {
			for (const { isIntersecting, target } of entries) {
				if (isIntersecting) {
					this.seen.unobserve(target);
					this.#spark(target, Number(target.getAttribute('data-spark')));
				}
			}
		}, { rootMargin: '200px' });
		this.table = this.#makeTable();
		this.el.append(this.key, this.table.el);
		app.card.watch(this.table.body, (el) => this.#explain(el));
	}

	rows() {
		const { app } = this;
		const { selection, state } = app;
		const rows = app.rows('tasks').filter((row) => (app.capture.tasks[row.task]?.tid === 0 ? !selection.any : selection.task(row.task)));

		if (!state.cpus.length)
			return rows;
		const onCpus = new Set(app.rows('coremap').filter((cell) => selection.cpu(cell.cpu)).map((cell) => cell.task));

		return rows.filter((row) => onCpus.has(row.task));
	}

	#makeTable() {
		const { app } = this;
		const number = (key, title, hint) => ({ key, title, hint, value: (r) => r[key] });
		const name = (r) => [h('bdi', null, app.who(r.task)), r.lossy ? h('span', { class: 'lossy', title: 'events are missing: this may be more' }, '~') : null];

		return new Table([
			{ key: 'name', title: 'task', text: true, value: (r) => app.who(r.task), show: name },
			{ key: 'tid', title: 'tid', value: (r) => app.capture.tasks[r.task].tid, first: 'asc', show: (r) => String(app.capture.tasks[r.task].tid) },
			{ key: 'run_percent', title: 'run %', hint: 'of the range; 100 is one CPU all the time', value: (r) => r.run_percent },
			{ key: 'bars', title: 'CPU % ▮ and switches ●', hint: 'bars: CPU %; dots: switches, on a scale of their own', text: true, csv: false, value: () => undefined, show: (r) => this.#barCell(r) },
			number('run_ns', 'run', 'time on a CPU'),
			number('switches', 'switches'),
			number('voluntary', 'own', 'it slept or blocked'),
			number('involuntary', 'forced', 'it was preempted'),
			number('wakeups', 'wake-ups'),
			number('latency_p50_ns', 'lat p50', 'from the wake-up to running: half no longer than this'),
			number('latency_p99_ns', 'p99'),
			number('latency_max_ns', 'max', 'the longest wait after a wake-up'),
			number('migrations', 'migr', 'switched in on another CPU than it was on last'),
			{ key: 'spark', title: 'when it ran', hint: 'run % over time; as high as the task\'s own most', text: true, csv: false, value: () => undefined, show: (r) => h('canvas', { class: 'spark', data: { spark: r.task, card: 'spark' } }) },
		], {
			app, name: 'tasks', file: this.file('tasks'), rowData: (r) => taskData(app, r.task), rowClass: (r) => (app.state.tasks.includes(r.task) ? 'picked' : null),
			onRow: (r, e) => app.toggle('tasks', r.task, e.shiftKey || e.ctrlKey), drawn: (trs) => this.#drawSparks(trs),
		});
	}

	#barCell(row) {
		const bar = h('div', { class: 'task-bar' }), fill = h('div', { class: 'fill' }), dot = h('div', { class: 'dot' });

		if (row.idle)
			fill.classList.add('idle');
		fill.style.width = `${Math.min(100, 100 * (row.run_percent ?? 0) / this.mostPercent)}%`;
		bar.append(fill);
		if (row.switches) {
			dot.style.left = `${Math.min(100, 100 * row.switches / this.mostSwitches)}%`;
			bar.append(dot);
		}
		bar.dataset.card = 'bar';
		return bar;
	}

	update(change) {
		const { app } = this;
		const rows = this.rows();
		const busy = rows.filter((row) => !row.idle);

		if (!change.figures && !change.filter && !change.options)
			return;
		this.mostPercent = Math.max(1, ...busy.map((row) => row.run_percent ?? 0));
		this.mostSwitches = Math.max(1, ...busy.map((row) => row.switches ?? 0));
		this.byTask = new Map(rows.map((row) => [row.task, row]));
		replace(this.key, legend([
			{ colour: app.palette.states.guest, text: `CPU %: the full width is ${percent(this.mostPercent)} of one CPU` },
			{
				colour: app.palette.states.preempted, text: busy.some((row) => row.switches !== null) ?
					`● context switches: the full width is ${count(this.mostSwitches)}` : '● context switches: not known here'
			},
		]), h('span', { class: 'dim hint' }, app.state.cpus.length ? 'only tasks that ran on the chosen CPUs; figures are of all CPUs' :
			'click a row: filter by it; shift-click: this one too'));
		this.table.setRows(rows);
	}

	#drawSparks(trs) {
		this.#sparkBins();
		for (const tr of trs)
			this.seen.observe(tr.querySelector('canvas.spark'));
	}

	drawUnseen() {
		super.drawUnseen();
		for (const canvas of this.table.body.querySelectorAll('canvas.spark'))
			this.#spark(canvas, Number(canvas.dataset.spark));
	}

	#sparkBins() {
		const bins = this.app.figures.shown.bins;

		if (this.sparkRow?.bins !== bins)
			this.sparkRow = { bins, of: new Map(bins.spark_tasks.map((task, i) => [task, i])) };
		return this.sparkRow;
	}

	/** CPU time, column by column, or null. */
	#series(task) {
		const { bins, of } = this.#sparkBins();
		const row = of.get(task);

		if (row === undefined)
			return null;
		const n = bins.spark_columns;

		return Array.from(bins.spark_ns.subarray(row * n, (row + 1) * n));
	}

	#spark(canvas, task) {
		const series = this.#series(task);
		const ratio = devicePixelRatio || 1;

		canvas.width = SPARK_W * ratio;
		canvas.height = SPARK_H * ratio;
		canvas.style.width = `${SPARK_W}px`;
		canvas.style.height = `${SPARK_H}px`;
		if (!series)
			return;
		const context = canvas.getContext('2d');

		context.scale(ratio, ratio);
		drawSpark(new CanvasSurface(context, ratio), this.app.palette, series, 0, 0, SPARK_W, SPARK_H);
	}

	#explain(el) {
		const task = Number(el.closest('tr').dataset.task);
		const row = this.byTask.get(task);
		const { app } = this;

		if (!row)
			return null;
		if (el.dataset.card === 'spark') {
			const series = this.#series(task);

			return series ? [app.who(task), `run ${percent(row.run_percent)} of the range`, `most ${duration(Math.max(...series))} in one of ${series.length} parts`] :
				[app.who(task), 'too little to be drawn over time'];
		}
		return [app.who(task), `run ${row.run_ns === null ? 'not known' : `${exactNs(row.run_ns)}, ${percent(row.run_percent)}`}`,
		row.switches === null ? null : `${count(row.switches)} switches${row.idle ? '' : `: ${count(row.voluntary)} own, ${count(row.involuntary)} forced`}`,
		row.latency_max_ns ? `longest wait after a wake-up ${duration(row.latency_max_ns)}` : null];
	}

	close() {
		this.seen.disconnect();
		super.close();
	}

	drawings() {
		const { app } = this;
		const { palette } = app;
		const rows = this.table.shown().filter((row) => !row.idle).slice(0, 60);

		return [{
			title: rows.length < this.rows().length ? `the first ${rows.length} tasks of ${this.rows().length}` : null,
			legend: [{ colour: palette.states.guest, text: 'CPU time, % of one CPU (axis below)' }, { colour: palette.states.preempted, text: 'context switches (axis above)' },
			{ colour: palette.accent, text: 'run % over time, at the right' }],
			height: () => rows.length * 22 + 44, draw: (s, w) => this.#drawAll(s, w, rows),
		}];
	}

	#drawAll(s, w, rows) {
		const { app } = this;
		const { palette } = app;
		const right = w - 330;
		const cpu = d3.scaleLinear().domain([0, this.mostPercent]).range([200, right]);
		const switches = d3.scaleLinear().domain([0, this.mostSwitches]).range([200, right]);
		const bottom = 20 + rows.length * 22;
		const time = timeScale(app.range, w - 200, w - 4);

		drawValueAxis(s, palette, cpu, 20, bottom, { unit: 'percent' });
		drawValueAxis(s, palette, switches, 20, bottom, { above: true, colour: palette.states.preempted });
		rows.forEach((row, i) => {
			const y = 20 + i * 22 + 2;
			const series = this.#series(row.task);

			s.text(192, y + 9, app.who(row.task), { colour: palette.text, anchor: 'end', room: 188 });
			s.rect(200, y, cpu(row.run_percent ?? 0) - 200, 18, palette.states.guest);
			s.dot(switches(row.switches ?? 0), y + 9, 4, palette.states.preempted, palette.paper);
			s.text(right + 10, y + 9, `${percent(row.run_percent ?? 0)} · ${short(row.switches ?? 0)}`, { colour: palette.dim, size: 11 });
			if (series)
				drawSpark(s, palette, series, w - 200, y, 196, 18);
		});
		drawTimeAxis(s, palette, time, bottom, bottom);
	}
}

function drawSpark(s, palette, series, x, y, w, tall) {
	const wide = w / series.length;
	const most = Math.max(...series);

	s.rect(x, y + tall - 0.5, w, 0.5, palette.grid);
	series.forEach((ns, i) => {
		const part = most ? ns / most * (tall - 1) : 0;

		if (part > 0)
			s.rect(x + i * wide, y + tall - Math.max(1, part), wide, Math.max(1, part), palette.accent);
	});
}
