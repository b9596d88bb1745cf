// SPDX-License-Identifier: GPL-2.0-only
// View 4: the map of tasks and CPUs, CPUs by NUMA node and core, totals at both ends, IDLE last.
import { tableObjects } from '../../page.js';
import { Cells } from '../marks/cells.js';
import { ENTER, button, choice, h, named, replace } from '../dom.js';
import { inkOn, rampColour, rampLegend } from '../marks/legend.js';
import { RowsBy, columnsOf } from '../figures.js';
import { Chosen, Tree, foldChoice, folded, groupName, isVm, keyOf, nameOfGroup, pickGroup } from '../groups.js';
import { saveTable } from '../save.js';
import { Slices, fillRows } from '../slices.js';
import { copyText } from '../table.js';
import { count, exactNs, percent, plural, short } from '../text.js';
import { View } from './view.js';

const FIRST_CELLS = 15000;
const SLICE_CELLS = 1500;
const ROW_CELLS = 8; // cost of a row for the browser besides its CPUs, in cells
const ROW = 23; // pixels
const MANY = 40; // CPUs: with more, cells are shades without numbers, so that all are in view
const EACH = 16; // every so many columns have their number

/** The cells of a task or a group by CPU, made on demand: a map may have 100,000, with few rows in view. */
class Line {
	#cells = null;
	#at = [];

	constructor(table) {
		this.table = table;
	}

	add(i) {
		this.#at.push(i);
	}

	get(cpu) {
		this.#cells ??= new Map(tableObjects(this.table, this.#at).map((cell) => [cell.cpu, cell]));
		return this.#cells.get(cpu);
	}

	/** The largest value, at least @most. */
	most(key, most) {
		const [values] = columnsOf(this.table, key);

		for (const i of this.#at)
			most = Math.max(most, values[i]);
		return most;
	}
}

export class CoremapView extends View {
	constructor(app) {
		super(app, 'Core map: which task ran on which CPU');
		this.tools = h('div', { class: 'tools' });
		this.head = h('thead');
		this.body = h('tbody');
		this.table = h('table', { class: 'coremap', data: { table: 'coremap' }, 'aria-label': 'tasks by CPU: arrow keys go from cell to cell, Enter shows that task on that CPU' }, this.head, this.body);
		this.note = h('p', { class: 'dim note-above' });
		this.el.append(this.tools, this.note, h('div', { class: 'table-scroll' }, this.table));
		app.card.watch(this.table, (el) => this.#explain(el));
		this.table.addEventListener('click', (e) => this.#clicked(e));
		this.cells = new Cells(this.table, app.card, 'td.cell[data-card]', (el) => this.#explain(el));
		this.all = false;
		this.queues = new Map();
		this.slices = new Slices((change) => app.busy(change));
		this.chosen = new Chosen(app, 'coremap', () => this.#render());
	}

	get key() {
		return this.app.state.map === 'switches' ? 'switches' : 'run_ns';
	}

	/** CPUs in order: node by node, siblings of a core side by side: {cpu, node, first: begins a node}. */
	columns() {
		const { capture, selection } = this.app;
		const core = new Map(capture.siblings.flatMap((group) => group.map((cpu) => [cpu, Math.min(...group)])));
		const seen = capture.cpus.filter(({ cpu, seen: ran }) => ran && selection.cpu(cpu));
		const list = [...seen].sort((a, b) => a.node - b.node || (core.get(a.cpu) ?? a.cpu) - (core.get(b.cpu) ?? b.cpu) || a.cpu - b.cpu);

		return list.map((c, i) => ({ ...c, core: core.get(c.cpu) ?? c.cpu, first: i > 0 && c.node !== list[i - 1].node }));
	}

	/** {all, idle, unknown: of all CPUs, tasks: Map(task -> sum), cpus: Map(cpu -> sum)}, as far as known. */
	#sums() {
		const sums = { tasks: new Map(), cpus: new Map() };

		for (const row of this.chosen.rows('coremap_sums') ?? []) {
			if (row.idle || row.unknown)
				sums[row.idle ? 'idle' : 'unknown'] = row;
			else if (row.cpu !== null)
				sums.cpus.set(row.cpu, row);
			else if (row.task !== null)
				sums.tasks.set(row.task, row);
			else
				sums.all = row;
		}
		return sums;
	}

	/** Tasks with their cells, most first, IDLE apart: {tasks: [{task, cells: Line, sum}], sums, idle, unknown}. */
	#matrix() {
		const { app } = this;
		const table = app.figures.shown.tables.coremap;
		const [task, cpu, isIdle, isUnknown] = columnsOf(table, 'task', 'cpu', 'idle', 'unknown');
		const by = new Map();
		const idle = new Map(), unknown = new Map();
		const sums = this.#sums();

		for (let i = 0; i < cpu.length; i++) {
			if (!app.selection.cpu(cpu[i]))
				continue;
			if (isUnknown[i])
				unknown.set(cpu[i], tableObjects(table, [i])[0]);
			else if (isIdle[i])
				idle.set(cpu[i], tableObjects(table, [i])[0]);
			else if (app.selection.task(task[i])) {
				const row = by.get(task[i]) ?? { task: task[i], cells: new Line(table), sum: sums.tasks.get(task[i]) };

				row.cells.add(i);
				by.set(task[i], row);
			}
		}
		const key = this.key;
		const rows = [...by.values()];
		const tree = folded(app, rows.length) ? this.#tree(rows) : null;
		const sorted = (list) => [...list].sort((a, b) => (b.sum?.[key] ?? 0) - (a.sum?.[key] ?? 0));

		return { tasks: tree ? tree.flat(sorted) : sorted(rows), all: rows.length, tree, sums, idle, unknown };
	}

	/** Groups as a tree; the engine has their cells, too. */
	#tree(rows) {
		const { chosen } = this;
		const tables = [chosen.table('coremap_groups'), chosen.table('coremap_roles')];
		const tree = new Tree(this.app, rows, ...tables.map((table) => table && new RowsBy(table, 'cpu').of(null)));
		const of = new Map();

		for (const table of tables) {
			const [group, role, cpu] = columnsOf(table, 'group', 'role', 'cpu');

			for (let i = 0; i < group.length; i++) {
				const key = keyOf({ group: group[i], role: role[i] });

				if (!of.has(key))
					of.set(key, new Line(table));
				// a group without roles is in both tables
				if (cpu[i] !== null && of.get(key).table === table)
					of.get(key).add(i);
			}
		}
		for (const row of tree.groups()) {
			row.cells = of.get(keyOf(row)) ?? new Line({});
			row.sum = row.unknown ? undefined : row;
		}
		return tree;
	}

	update(change) {
		if (!change.figures && !change.filter && !change.options)
			return;
		this.chosen.ask();
		this.#render();
	}

	#render() {
		const { app } = this;

		if (!app.has('coremap', 'coremap_groups', 'coremap_roles'))
			return;
		const matrix = this.#matrix();
		const columns = this.columns();
		let most = 1, mostPercent = 0;

		for (const row of matrix.tasks) {
			most = row.cells.most('switches', most);
			mostPercent = row.cells.most('run_percent', mostPercent);
		}
		// the ramp ends at the largest value
		const full = mostPercent || 100;

		this.table.classList.toggle('many', columns.length > MANY);
		this.table.style.setProperty('--cell', `${Math.max(3, Math.floor((document.body.clientWidth - 340) / columns.length))}px`);
		this.table.classList.toggle('few', columns.length <= 12);
		this.matrix = matrix;
		this.cols = columns;
		this.queues = new Map(app.rows('cpus').filter((c) => typeof c.queue_mean === 'number').map((c) => [c.cpu, c]));
		this.level = (cell) => (this.key === 'switches' ? (most > 1 ? Math.log(Math.max(1, cell.switches)) / Math.log(most) : 1) : cell.run_percent / full);
		this.ramp = this.key === 'switches' ? ['1', `${count(most)} switches`] : ['0', percent(full)];
		replace(this.tools, foldChoice(app, matrix.all),
			choice('cells show', [['run', 'run %', 'of the range'], ['switches', 'switches', 'away from the task']], app.state.map, (map) => app.set({ map })),
			rampLegend(app.palette, ...this.ramp),
			h('span', { class: 'dim hint' }, 'click a cell: that task or group on that CPU over time'),
			h('span', { class: 'space' }), button('copy', 'copy the map as text', () => copyText(this.#asText('\t'))),
			button('CSV', 'save the map as CSV, exact values', () => saveTable(app, 'coremap')));
		this.#renderHead(columns);
		this.#renderBody(matrix, columns);
		this.note.textContent = columnsOf(app.figures.shown.tables.coremap, 'cpu')[0].length ? (this.key === 'switches' ? 'Context switches away from the task, per CPU; shade: logarithmic.' :
			'Percent of the range that the task ran, per CPU; tasks, IDLE and unknown of a CPU add up to 100 %.') + (columns.length > MANY ? ' The rows below the tasks are shaded relative to 100 %, the run queue relative to its maximum.' : '') :
			app.figures.shown.note ? 'The map of a range needs the capture in the page.' : 'no sched_switch events in this range';
	}

	#renderHead(columns) {
		const nodes = new Map();

		for (const c of columns)
			nodes.set(c.node, (nodes.get(c.node) ?? 0) + 1);
		const name = (c, i) => (columns.length <= MANY || i === 0 ? `CPU ${c.cpu}` : i % EACH ? '' : String(c.cpu));
		const named = [...nodes.keys()].some((node) => node >= 0);

		replace(this.head,
			named && (nodes.size > 1 || columns.length > 1) ? h('tr', null, h('th'), h('th'), [...nodes].map(([node, n], i) => h('th', { class: i ? 'node first' : 'node', colspan: n }, node < 0 ? '' : `NUMA node ${node}`))) : null,
			h('tr', null, h('th', { class: 'who' }, 'task'), h('th', { class: 'num' }, this.app.state.cpus.length ? 'these CPUs' : 'all CPUs'),
				columns.map((c, i) => h('th', { class: c.first ? 'num cpu first' : 'num cpu', title: c.core !== c.cpu ? `hardware thread of CPU ${c.core}'s core` : null, data: { cpu: c.cpu } },
					// on paper a button is not repeated on each sheet
					document.documentElement.dataset.print ? name(c, i) : h('button', { type: 'button', class: 'link', title: `only CPU ${c.cpu}`, 'aria-label': `only CPU ${c.cpu}`, on: { click: (e) => this.app.toggle('cpus', c.cpu, e.shiftKey) } }, name(c, i))))));
	}

	#renderBody(matrix, columns) {
		const { app } = this;
		const most = this.all ? Infinity : Math.max(20, Math.floor(FIRST_CELLS / (columns.length + ROW_CELLS)));
		const depth = (row) => ({ class: 'tree', css: { '--depth': matrix.tree?.depth(row) ?? 0 } });
		const row = (row) => h('tr', { data: row.task === undefined ? { group: row.group, role: row.role } : { task: row.task, tid: app.capture.tasks[row.task].tid } },
			row.task === undefined ? h('th', { class: 'who', title: 'click: unfold; shift-click: only its tasks', data: { fold: keyOf(row) } }, h('span', depth(row), groupName(app, row)))
				: h('th', { class: 'who', title: 'click: only this task', ...ENTER, data: { pick: row.task } }, h('span', depth(row), named(app.who(row.task), 215))),
			this.#total(row.sum), columns.map((c) => this.#cell(row.cells.get(c.cpu), row.task ?? null, c)));
		const tail = [];

		if (matrix.tasks.length > most)
			tail.push(h('tr', null, h('td', { colspan: columns.length + 2 }, button(plural(matrix.tasks.length - most, matrix.tree ? 'more row' : 'more task'), 'show every row', () => { this.all = true; this.#renderBody(matrix, columns); }, { class: 'link' }))));
		if (matrix.tasks.length)
			tail.push(this.#sumRow(app.selection.any ? 'total of selected' : 'total', columns, matrix.sums.cpus, 'total', matrix.sums.all));
		if (matrix.idle.size)
			tail.push(this.#sumRow('IDLE', columns, matrix.idle, 'idle', matrix.sums.idle));
		if (matrix.unknown.size)
			tail.push(this.#sumRow('unknown', columns, matrix.unknown, 'unknown', matrix.sums.unknown));
		if (this.queues.size)
			tail.push(this.#queueRow(columns));
		fillRows(this.slices, this.body, Math.min(most, matrix.tasks.length), (i) => [row(matrix.tasks[i])],
			{ least: ROW, each: Math.ceil(SLICE_CELLS / (columns.length + ROW_CELLS)), tail });
		this.cells.follow();
	}

	/** The row with the mean number of tasks that waited for each CPU. */
	#queueRow(columns) {
		const { app } = this;
		const most = Math.max(...[...this.queues.values()].map((q) => q.queue_mean));

		return h('tr', { class: 'queue', data: { sum: 'queue' } },
			h('th', { class: 'who', title: 'runnable tasks that waited for the CPU, without the running one: mean over time' }, 'run queue'), h('td'),
			columns.map((c) => {
				const q = this.queues.get(c.cpu);

				return h('td', {
					class: c.first ? 'num cell first' : 'num cell', css: { background: q?.queue_mean > 0 && columns.length > MANY ? rampColour(app.palette, q.queue_mean / most) : null },
					data: q ? { cpu: c.cpu, key: 'queue_mean', value: q.queue_mean, card: 'queue' } : { cpu: c.cpu },
				}, q ? q.queue_mean.toFixed(2) : '–');
			}));
	}

	#sumRow(name, columns, cells, kind, all) {
		return h('tr', { class: kind, data: { sum: kind } }, h('th', { class: 'who' }, name), this.#total(all),
			columns.map((c) => this.#cell(cells.get(c.cpu), null, c, true)));
	}

	/** The sum of several CPUs or tasks; a dash while it is unknown. */
	#total(sum) {
		if (!sum)
			return h('td', { class: 'num strong', title: this.chosen.waits ? null : 'sums of a selection need the capture in the page' }, '–');
		return h('td', { class: 'num strong', data: { key: this.key, value: sum[this.key], total: 1 }, title: this.key === 'run_ns' ? exactNs(sum.run_ns) : count(sum.switches) }, this.figure(sum));
	}

	figure(cell) {
		if (this.key === 'switches')
			return cell.switches ? short(cell.switches) : '–';
		const part = cell.run_percent;

		return !cell.run_ns ? '–' : part < 0.05 ? '<.1' : part.toFixed(part < 9.95 ? 1 : 0);
	}

	#cell(cell, task, column, plain = false) {
		// a CPU's maximum is 100 %
		const level = cell && (plain && this.key === 'run_ns' ? cell.run_percent / 100 : this.level(cell));
		const shaded = cell && (!plain || this.cols.length > MANY) && cell[this.key] > 0 && (this.key === 'switches' || level >= 0.002);
		const colour = shaded ? rampColour(this.app.palette, Math.min(1, level)) : null;

		return h('td', {
			class: column.first ? 'num cell first' : 'num cell', css: { background: colour, color: colour && inkOn(colour) },
			data: cell ? { task, cpu: column.cpu, key: this.key, value: cell[this.key], run: cell.run_ns, percent: cell.run_percent, switches: cell.switches, edge: cell.edge_ns, card: 'cell' } : { cpu: column.cpu },
		}, cell ? this.figure(cell) : '');
	}

	#explain(el) {
		const { app } = this;
		const { task, cpu, run, percent: part, switches } = el.dataset;

		if (el.dataset.card === 'queue') {
			const q = this.queues.get(Number(cpu));

			return [`${q.queue_mean.toFixed(2)} tasks waited for CPU ${cpu} on average`, `half of the time at most ${count(q.queue_p50)}, 99 % of it at most ${count(q.queue_p99)}, never more than ${count(q.queue_max)}`,
			q.queue_stay_ns ? `more than one for ${exactNs(q.queue_above_1_ns)}, ${exactNs(q.queue_stay_ns)} at a stretch` : 'never more than one'];
		}
		const { group, role } = el.closest('tr').dataset;
		const row = group === undefined ? null : this.matrix.tree?.groups().find((one) => one.group === group && (one.role ?? undefined) === role);
		const name = task !== undefined ? app.who(Number(task)) : row ? nameOfGroup(row) : el.closest('tr').querySelector('th').textContent;

		return [`${name} on CPU ${cpu}`, `ran ${exactNs(Number(run))}, ${percent(Number(part))} of the range`, plural(Number(switches), 'switch', 'switches'),
		task === undefined && !row ? null : 'click: over time'];
	}

	#clicked(e) {
		const pick = e.target.closest('[data-pick]');
		const groups = this.matrix.tree?.groups() ?? [];
		const group = groups.find((row) => keyOf(row) === e.target.closest('[data-fold]')?.dataset.fold);
		const cell = e.target.closest('td.cell[data-card=cell]');
		const { group: name, role } = cell?.closest('tr').dataset ?? {};
		const of = groups.find((row) => row.group === name && (row.role ?? undefined) === role);

		if (group)
			pickGroup(this.app, group, e);
		else if (pick)
			this.app.toggle('tasks', Number(pick.dataset.pick), e.shiftKey);
		else if (cell && (of || cell.dataset.task !== undefined))
			this.app.set({ view: 'cores', ...this.#filterFor(of, cell.dataset.task), cpus: [Number(cell.dataset.cpu)] });
	}

	/** The filter for a row: a whole group by its name, a role by its tasks. */
	#filterFor(group, task) {
		const none = { tasks: [], vms: [], groups: [] };

		if (!group)
			return { ...none, tasks: [Number(task)] };
		if (group.role)
			return { ...none, tasks: this.matrix.tree.tasksOf(group) };
		return { ...none, [isVm(this.app, group.group) ? 'vms' : 'groups']: [group.group] };
	}

	close() {
		this.chosen.close();
		super.close();
	}

	#nameOf(row) {
		return row.task === undefined ? `${nameOfGroup(row)} (${row.tasks})` : this.app.who(row.task);
	}

	#asText(tab) {
		const head = ['task', 'all CPUs', ...this.cols.map((c) => `CPU ${c.cpu}`)];
		const lines = this.matrix.tasks.map((row) => [this.#nameOf(row), row.sum ? this.figure(row.sum) : '–', ...this.cols.map((c) => (row.cells.get(c.cpu) ? this.figure(row.cells.get(c.cpu)) : '–'))]);

		return `${[head, ...lines].map((line) => line.join(tab)).join('\n')}\n`;
	}

	drawings() {
		const { app } = this;
		const { palette } = app;
		const rows = this.matrix.tasks.slice(0, 80);
		/** @type {[string, (cpu: number) => object][]} */
		const ends = [['total', (cpu) => this.matrix.sums.cpus.get(cpu)], ['IDLE', (cpu) => this.matrix.idle.get(cpu)]];

		if (this.matrix.unknown.size)
			ends.push(['unknown', (cpu) => this.matrix.unknown.get(cpu)]);

		return [{
			title: this.key === 'switches' ? 'context switches away from the task, per CPU' : '% of the window that the task ran, per CPU',
			ramp: this.ramp, height: () => (rows.length + ends.length) * 22 + 30,
			draw: (s, w) => {
				const wide = Math.min(110, (w - 190) / (this.cols.length + 1));
				const put = (cell, x, y, shade) => {
					if (!cell || !cell[this.key])
						return;
					const colour = shade && this.level(cell) >= 0.002 ? rampColour(palette, this.level(cell)) : null;

					if (colour)
						s.rect(x, y, wide - 1, 21, colour);
					if (wide > 24)
						s.text(x + wide / 2, y + 11, this.figure(cell), { colour: colour ? inkOn(colour) : palette.text, size: 11, anchor: 'middle' });
				};

				this.cols.forEach((c, i) => { if (wide > 20) s.text(180 + wide * (i + 1.5), 10, wide > 44 ? `CPU ${c.cpu}` : String(c.cpu), { colour: palette.dim, size: 11, anchor: 'middle' }); });
				s.text(180 + wide / 2, 10, 'all', { colour: palette.dim, size: 11, anchor: 'middle' });
				rows.forEach((row, k) => {
					const y = 22 + k * 22;

					s.text(172, y + 11, this.#nameOf(row), { colour: palette.text, anchor: 'end', room: 170 });
					put(row.sum, 180, y, false);
					this.cols.forEach((c, i) => put(row.cells.get(c.cpu), 180 + wide * (i + 1), y, true));
				});
				ends.forEach(([name, of], k) => {
					const y = 26 + (rows.length + k) * 22;

					s.text(172, y + 11, name, { colour: palette.text, anchor: 'end', weight: 600 });
					this.cols.forEach((c, i) => put(of(c.cpu), 180 + wide * (i + 1), y, false));
				});
			},
		}];
	}
}
