// SPDX-License-Identifier: GPL-2.0-only
// View 3: every task: run time and switches, wake-ups, latency, and when it ran.
import { d3 } from '../../d3.js';
import { beganAt } from '../clock.js';
import { drawMissing, drawTimeAxis, drawValueAxis, timeScale } from '../marks/axis.js';
import { h, nameRoom, named, replace } from '../dom.js';
import { Chosen, Tree, foldChoice, folded, groupName, keyOf, nameOfGroup, pickGroup } from '../groups.js';
import { legend } from '../marks/legend.js';
import { CanvasSurface } from '../marks/surface.js';
import { Table } from '../table.js';
import { clean, count, duration, exactNs, percent, plural, short } from '../text.js';
import { View, taskData } from './view.js';

const SPARK_LEAST = 80, SPARK_H = 18;

export class TasksView extends View {
	constructor(app) {
		super(app, 'Tasks: CPU time against context switches');
		this.key = h('div', { class: 'legend-box' });
		this.seen = new IntersectionObserver((entries) => {
			for (const { isIntersecting, target } of entries) {
				if (isIntersecting) {
					this.seen.unobserve(target);
					this.#spark(target, target.getAttribute('data-spark'));
				}
			}
		}, { rootMargin: '200px' });
		this.sizes = new ResizeObserver(() => this.#drawSparks([...this.table.body.rows]));
		this.chosen = new Chosen(app, 'tasks', () => this.#render());
		this.table = this.#makeTable();
		this.next = h('div', { class: 'successors', hidden: true });
		this.el.append(this.key, this.table.el, this.next);
		this.sizes.observe(this.table.el);
		app.card.watch(this.table.body, (el) => this.#explain(el));
	}

	/** A row per task: of the chosen CPUs once the engine has answered, until then of all. */
	rows() {
		const { app } = this;
		const { selection } = app;
		const own = app.state.cpus.length ? this.chosen.rows('tasks') : null;
		const rows = (own ?? app.rows('tasks')).filter((row) => (app.capture.tasks[row.task]?.tid === 0 ? !selection.any : selection.task(row.task)));

		if (!app.state.cpus.length || !app.has('coremap'))
			return rows;
		const onCpus = new Set(app.rows('coremap').filter((cell) => selection.cpu(cell.cpu)).map((cell) => cell.task));

		return rows.filter((row) => onCpus.has(row.task));
	}

	#makeTable() {
		const { app } = this;
		const number = (key, title, hint) => ({ key, title, hint });
		const name = (r) => h('span', { class: 'tree', css: { '--depth': this.tree?.depth(r) ?? 0 } }, r.task === undefined ? groupName(app, r) : named(app.who(r.task), nameRoom(158)), r.lossy ? h('span', { class: 'lossy', title: 'lossy: missing events may have changed these figures' }, '~') : null);
		const tid = (r) => app.capture.tasks[r.task]?.tid;

		return new Table([
			{ key: 'name', title: 'task', text: true, value: (r) => (r.task === undefined ? r.role ?? r.group : app.who(r.task)), show: name },
			{ key: 'tid', title: 'tid', value: tid, first: 'asc', show: (r) => String(tid(r) ?? '') },
			{ key: 'run_percent', title: 'run %', hint: 'of the range; 100 is one CPU all the time' },
			{ key: 'bars', title: 'CPU ▮ switches ●', hint: 'bars: CPU %; dots: switches, on a scale of their own', text: true, csv: false, value: () => undefined, show: (r) => this.#barCell(r) },
			number('run_ns', 'run', 'time on a CPU'),
			number('switches', 'switches'),
			number('involuntary', 'forced', 'it was preempted; at the other switches it slept or blocked'),
			number('wakeups', 'wake-ups'),
			number('delayed_ns', 'waited', 'runnable, but not on a CPU: after wake-ups and preemptions; of a VM: all its threads, not its vCPUs alone'),
			number('delays', 'waits', 'waits that ended in the range'),
			number('worst_ns', 'worst', 'the longest wait, after a wake-up or a preemption'),
			{ ...number('worst_at_ns', 'at', 'when the longest wait began; ◂: at or before the begin of this range'), show: (r) => (r.worst_at_ns === null || r.worst_at_ns === undefined ? '–' : beganAt(r.worst_at_ns, app.range)) },
			number('latency_p50_ns', 'lat p50', 'from the wake-up to running: half no longer than this'),
			number('latency_p99_ns', 'p99'),
			number('latency_max_ns', 'max', 'the longest wait after a wake-up'),
			number('migrations', 'migr', 'switched in on another CPU than before'),
			{ key: 'spark', title: 'when it ran', rest: true, hint: 'run % over time; each row scaled to its own maximum; hatched: events are missing', text: true, csv: false, value: () => undefined, show: (r) => h('canvas', { class: 'spark', 'aria-hidden': 'true', data: { spark: r.task ?? keyOf(r), card: 'spark' } }) },
		], {
			app, name: 'tasks', file: this.file('tasks'), rowData: (r) => (r.task === undefined ? { group: r.group, role: r.role } : taskData(app, r.task)),
			rowClass: (r) => (r.task === undefined ? 'group' : app.state.tasks.includes(r.task) ? 'picked' : null), tree: () => this.tree,
			onRow: (r, e) => (r.task === undefined ? pickGroup(app, r, e) : app.toggle('tasks', r.task, e.shiftKey || e.ctrlKey)), drawn: (trs) => this.#drawSparks(trs),
		});
	}

	#barCell(row) {
		const part = (n, most) => `${Math.min(100, 100 * n / most)}%`;

		return h('div', { class: 'task-bar', data: { card: 'bar' } }, h('div', { class: row.idle ? 'fill idle' : 'fill', css: { width: part(row.run_percent ?? 0, this.mostPercent) } }),
			row.switches ? h('div', { class: 'dot', css: { left: part(row.switches, this.mostSwitches) } }) : null);
	}

	update(change) {
		if (!change.figures && !change.filter && !change.options)
			return;
		this.chosen.ask();
		this.#render();
	}

	#render() {
		const { app } = this;
		const rows = this.rows();
		const tree = folded(app, rows.length) ? new Tree(app, rows, this.chosen.rows('tasks_groups'), this.chosen.rows('tasks_roles')) : null;
		const tops = (tree?.roots ?? rows).filter((row) => !row.idle);
		const cpus = app.state.cpus.length ? this.chosen.rows('tasks') ? ' · figures are of the chosen CPUs' : ' · figures are of all CPUs' : '';

		this.tree = tree;
		this.mostPercent = Math.max(1, ...tops.map((row) => row.run_percent ?? 0));
		this.mostSwitches = Math.max(1, ...tops.map((row) => row.switches ?? 0));
		this.byKey = new Map(rows.map((row) => [String(row.task), row]));
		for (const row of tree?.groups() ?? [])
			this.byKey.set(keyOf(row), row);
		replace(this.key, foldChoice(app, rows.length), legend([
			{ colour: app.palette.states.guest, text: `CPU %: the full width is ${percent(this.mostPercent)} of one CPU` },
			{
				colour: app.palette.states.preempted, dot: true, text: tops.some((row) => (row.switches ?? null) !== null) ?
					`context switches: the full width is ${count(this.mostSwitches)}` : 'context switches: unknown'
			},
			{ colour: app.palette.accent, text: 'when it ran: each row scaled to its own maximum' },
		]), h('span', { class: 'dim hint' }, `${tree ? 'click a group: unfold; shift-click: only its tasks' : 'click a row: filter by it; shift-click: this one too'}${cpus}`));
		this.table.setRows(tree?.roots ?? rows);
		this.#renderNext();
	}

	/** The tasks that ran next on the CPU, after the chosen ones. */
	#renderNext() {
		const { app } = this;
		const rows = app.state.tasks.length ? this.chosen.rows('successors') ?? [] : [];

		this.next.hidden = !rows.length;
		if (!rows.length)
			return;
		const several = new Set(rows.map((row) => row.task)).size > 1;
		const table = new Table([
			...several ? [{ key: 'name', title: 'after', text: true, value: (r) => app.who(r.task) }] : [],
			{ key: 'next', title: 'ran next', text: true, value: (r) => app.who(r.next) },
			{ key: 'count', title: 'times' },
			{ key: 'percent', title: 'share', hint: 'of its switches' },
			{ key: 'involuntary', title: 'forced', hint: 'it was preempted for this one' },
		], { app, name: 'successors', file: this.file('successors'), rowData: (r) => ({ task: r.task, next: r.next }), onRow: (r) => app.toggle('tasks', r.next, true) });

		table.setRows(rows);
		replace(this.next, h('h3', null, several ? 'Tasks that ran next on the CPU' : `Tasks that ran next on the CPU after ${app.who(rows[0].task)}`), table.el);
	}

	#drawSparks(trs) {
		this.sparkWide = null;
		this.#sparkBins();
		for (const tr of trs)
			this.seen.observe(tr.querySelector('canvas.spark'));
	}

	drawUnseen() {
		super.drawUnseen();
		this.sparkWide = null;
		for (const canvas of this.table.body.querySelectorAll('canvas.spark'))
			this.#spark(canvas, canvas.dataset.spark);
	}

	#sparkBins() {
		const bins = this.app.figures.shown.bins;

		if (this.sparkRow?.bins !== bins)
			this.sparkRow = { bins, of: new Map(bins.spark_tasks.map((task, i) => [task, i])) };
		return this.sparkRow;
	}

	/** CPU time by column of a task, or the sum of a group's tasks; or null. */
	#series(key) {
		const { bins, of } = this.#sparkBins();
		const row = this.byKey.get(String(key));
		const places = (row && row.task === undefined ? this.tree?.tasksOf(row) ?? [] : [Number(key)]).map((task) => of.get(task)).filter((at) => at !== undefined);
		const n = bins.spark_columns;

		return places.length ? Array.from({ length: n }, (_, i) => places.reduce((sum, at) => sum + bins.spark_ns[at * n + i], 0)) : null;
	}

	/** A note if a group's line has only some of its tasks, those with bins; or null. */
	#missing(row) {
		const all = this.tree?.tasksOf(row) ?? [];
		const kept = all.filter((task) => this.#sparkBins().of.has(task)).length;

		return kept < all.length ? `the line shows the ${count(kept)} of its ${count(all.length)} tasks that ran longest` : null;
	}

	#spark(canvas, key) {
		const series = this.#series(key);
		const ratio = devicePixelRatio || 1;

		const wide = this.sparkWide ??= Math.max(SPARK_LEAST, canvas.clientWidth);

		canvas.width = wide * ratio;
		canvas.height = SPARK_H * ratio;
		const context = canvas.getContext('2d');

		if (!series) {
			context.scale(ratio, ratio);
			const row = this.byKey.get(String(key));

			if (!row?.idle && !row?.run_ns)
				drawSpark(new CanvasSurface(context, ratio), this.app, [0], 0, 0, wide, SPARK_H);
			else if (!row.idle)
				new CanvasSurface(context, ratio).text(0, SPARK_H / 2, 'too many tasks', { colour: this.app.palette.dim, size: 11, room: wide });
			return;
		}
		context.scale(ratio, ratio);
		drawSpark(new CanvasSurface(context, ratio), this.app, series, 0, 0, wide, SPARK_H);
	}

	#explain(el) {
		const key = el.closest('tr').querySelector('canvas.spark')?.dataset.spark;
		const row = this.byKey.get(key);
		const { app } = this;

		if (!row)
			return null;
		const name = row.task === undefined ? `${nameOfGroup({ ...row, role: null })}${row.role ? `: ${clean(row.role)}` : ''}, ${plural(row.tasks, 'task')}` : app.who(row.task);

		if (el.dataset.card === 'spark') {
			const series = this.#series(key);

			if (!series)
				return [name, row.idle ? 'IDLE is not drawn over time' : `not drawn over time: only the ${count(this.#sparkBins().of.size)} tasks that ran longest are`];
			return row.task === undefined ? [name, `run ${percent(row.run_percent ?? 0)} of the range`, this.#missing(row)] :
				[name, `run ${percent(row.run_percent)} of the range`, `at most ${duration(Math.max(...series))} in one of ${series.length} parts`];
		}
		return [name, (row.run_ns ?? null) === null ? 'run time unknown' : `run ${exactNs(row.run_ns)}, ${percent(row.run_percent)}`,
			(row.switches ?? null) === null ? null : `${plural(row.switches, 'switch', 'switches')}${row.idle || (row.involuntary ?? null) === null ? '' : `: ${count(row.voluntary)} own, ${count(row.involuntary)} forced`}`,
			row.latency_max_ns ? `longest wait after a wake-up ${duration(row.latency_max_ns)}` : null];
	}

	close() {
		this.seen.disconnect();
		this.sizes.disconnect();
		this.chosen.close();
		super.close();
	}

	drawings() {
		const { app } = this;
		const { palette } = app;
		const rows = this.table.shown().filter((row) => !row.idle).slice(0, 60);

		return [{
			title: rows.length < this.table.shown().filter((row) => !row.idle).length ? `the first ${rows.length} rows of ${this.table.shown().length}` : null,
			legend: [{ colour: palette.states.guest, text: 'CPU time, % of one CPU (axis below)' }, { colour: palette.states.preempted, dot: true, text: 'context switches (axis above)' },
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
			const series = this.#series(row.task ?? keyOf(row));

			s.text(192, y + 9, row.task === undefined ? `${nameOfGroup(row)} (${row.tasks})` : app.who(row.task), { colour: palette.text, anchor: 'end', room: 188 });
			s.rect(200, y, cpu(row.run_percent ?? 0) - 200, 18, palette.states.guest);
			s.dot(switches(row.switches ?? 0), y + 9, 4, palette.states.preempted, palette.paper);
			s.text(right + 10, y + 9, `${percent(row.run_percent ?? 0)} · ${short(row.switches ?? 0)}`, { colour: palette.dim, size: 11 });
			if (series)
				drawSpark(s, app, series, w - 200, y, 196, 18);
		});
		drawTimeAxis(s, palette, time, bottom, bottom);
	}
}

function drawSpark(s, { palette, capture, range }, series, x, y, w, tall) {
	const wide = w / series.length;
	const most = Math.max(...series);

	drawMissing(s, palette, capture, timeScale(range, x, x + w), y, tall, tall);
	s.rect(x, y + tall - 0.5, w, 0.5, palette.grid);
	series.forEach((ns, i) => {
		const part = most ? ns / most * (tall - 1) : 0;

		if (part > 0)
			s.rect(x + i * wide, y + tall - Math.max(1, part), wide, Math.max(1, part), palette.accent);
	});
}
