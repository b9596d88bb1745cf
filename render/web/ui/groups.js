// SPDX-License-Identifier: GPL-2.0-only
// Many tasks as few rows: VM -> role -> thread, else tasks of one name. The engine assigns groups and makes the sums.
import { button, choice, h, named } from './dom.js';
import { Question, rowsOf } from './figures.js';
import { clean, plural, vmName } from './text.js';

const IDLE = { group: 'IDLE', role: null, kind: 'idle' };
const FEW = 30; // tasks: up to this many are not grouped

/** The name of an open group in the address. */
export function keyOf(row) {
	return row.role === null || row.role === undefined ? row.group : `${row.group}\n${row.role}`;
}

export function folded(app, tasks) {
	return app.state.fold === 'groups' || (app.state.fold === 'auto' && tasks > FEW);
}

export function foldChoice(app, tasks) {
	return choice('rows', [['groups', 'groups', 'VMs and their parts, kernel threads, tasks with the same name'], ['tasks', 'tasks', 'one row per task']],
		folded(app, tasks) ? 'groups' : 'tasks', (fold) => app.set({ fold }));
}

/** Opens or closes the group. */
export function turn(app, row) {
	app.toggle('unfold', keyOf(row), true);
}

/** A click on a group opens or closes it; with shift it filters by its tasks. */
export function pickGroup(app, row, e) {
	if (!e.shiftKey || row.kind === 'idle')
		turn(app, row);
	else
		app.toggle(row.kind === 'vm' ? 'vms' : 'groups', row.group);
}

export function isVm(app, name) {
	return app.capture.tasks.some(({ vm }) => vm === name);
}

/** The display name of a group. */
export function nameOfGroup(row) {
	return row.kind === 'vm' && !row.role ? vmName(row.group) : clean(row.role ?? row.group);
}

/** ▸ or ▾, the group's name and its number of tasks. */
export function groupName(app, row, one = 'task') {
	const open = app.state.unfold.includes(keyOf(row));
	const name = nameOfGroup(row);

	return h('span', { class: 'group-name' },
		button(open ? '▾' : '▸', open ? 'fold' : 'unfold', (e) => { e.stopPropagation(); turn(app, row); }, { class: 'opener', 'aria-expanded': String(open), 'aria-label': `${open ? 'fold' : 'unfold'} ${name}` }),
		h('span', { class: row.role ? null : 'strong' }, named(name, 150)), h('span', { class: 'dim count' }, plural(row.tasks, one)));
}

/**
 * The rows of a table as a tree. leaves: rows with a task; groups, roles: rows of the engine's tables, or null if unknown:
 * then groups have no figures.
 * roots: the rows at the top; children(row): those of an open row.
 */
export class Tree {
	constructor(app, leaves, groups, roles) {
		this.app = app;
		this.leaves = leaves;
		this.depths = new Map();
		this.#under = new Map();
		this.roots = [];
		const known = new Map([...groups ?? [], ...roles ?? []].map((row) => [keyOf(row), row]));
		const all = new Map();

		for (const leaf of leaves) {
			const { fold, fold_role, fold_kind } = app.capture.tasks[leaf.task];
			const group = into(all, known, fold === null ? IDLE : { group: fold, role: null, kind: fold_kind });

			group.members.push(leaf);
			if (fold_role !== null)
				into(group.parts, known, { group: fold, role: fold_role, kind: fold_kind }).members.push(leaf);
		}
		// in the engine's order
		const rank = new Map([...known.keys()].map((key, i) => [key, i]));

		for (const [, group] of [...all].sort(([a], [b]) => (rank.get(a) ?? Infinity) - (rank.get(b) ?? Infinity) || 0))
			this.roots.push(this.#add(group, 0));
	}

	#under;

	/** Adds a group; returns its row, or the task's for a single task. */
	#add({ row, members, parts }, depth) {
		if (members.length === 1) {
			this.depths.set(members[0], depth);
			return members[0];
		}
		const rows = parts.size > 1 ? [...parts.values()].map((part) => this.#add(part, depth + 1)) : members;

		for (const under of rows)
			this.depths.set(under, depth + 1);
		this.depths.set(row, depth);
		this.#under.set(row, rows);
		return row;
	}

	children(row) {
		return this.app.state.unfold.includes(keyOf(row)) ? this.#under.get(row) ?? null : null;
	}

	/** All rows of groups. */
	groups() {
		return [...this.#under.keys()];
	}

	/** The tasks of a group. */
	tasksOf(row) {
		const under = this.#under.get(row);

		return under ? under.flatMap((r) => this.tasksOf(r)) : [row.task];
	}

	depth(row) {
		return this.depths.get(row) ?? 0;
	}

	/** Rows in display order; sorted(rows) sorts those of one level. */
	flat(sorted, rows = this.roots) {
		return sorted(rows).flatMap((row) => [row, ...this.flat(sorted, this.children(row) ?? [])]);
	}
}

function into(all, known, place) {
	const key = keyOf(place);
	let group = all.get(key);

	if (!group) {
		group = { row: null, members: [], parts: new Map() };
		all.set(key, group);
	}
	// figures are those of the whole group: without the engine's row there are none
	group.row ??= known.has(key) ? { ...known.get(key) } : { ...place, tasks: 0, unknown: true };
	if (group.row.unknown)
		group.row.tasks++;
	return group;
}

/** Tables of the chosen tasks, CPUs and reasons: for all of them they are loaded, for a choice the engine makes them later. */
export class Chosen {
	#question;
	#key = null;

	/** call: the decoder's; drawn(): called when they arrive; by: filters besides tasks, and the tables that reasons alone do not change. */
	constructor(app, call, drawn, { cpus = true, reasons = false, whole = [] } = {}) {
		this.app = app;
		this.call = call;
		this.drawn = drawn;
		this.by = { cpus, reasons, whole };
		this.#question = new Question(app);
		this.known = null; // {key, tables, why_not}: the latest answer
		this.asked = null;
	}

	/** Whether an answer is pending. */
	get waits() {
		return this.asked !== null;
	}

	ask() {
		const { app, by } = this;
		const { range, tables } = app.figures.shown;
		const tasks = app.selection.list(), [cpus, reasons] = ['cpus', 'reasons'].map((what) => (by[what] && app.state[what].length ? app.state[what] : null));
		const key = JSON.stringify([app.capture.index, range, tasks, cpus, reasons]);

		this.#key = key;
		if (!tasks && !cpus && !reasons) {
			this.#question.drop();
			this.known = { key, tables };
		} else if (this.known?.key !== key) {
			if (this.asked !== key)
				this.#question.ask((decoder, signal) => decoder[this.call](app.capture, range, { tasks, cpus, reasons, signal }), (answer, error) => {
					this.asked = null;
					this.known = { key, tables: answer?.tables ?? Object.fromEntries((tasks ? [] : by.whole).map((name) => [name, tables[name]])), why_not: error?.message };
					this.drawn();
				});
			this.asked = key;
			return;
		}
		this.asked = null;
	}

	/** The table, or null: unknown, or not yet known. */
	table(name) {
		return this.known?.key === this.#key ? this.latest(name) : null;
	}

	/** The table, or the previous one until it is known. */
	latest(name) {
		return this.known?.tables[name] ?? null;
	}

	/** Its rows. */
	rows(name) {
		const table = this.table(name);

		return table ? rowsOf(table) : null;
	}

	close() {
		this.#question.drop();
	}
}

/** Rows by VM of the chosen vCPUs, from the engine; without one, those of VMs that are chosen as a whole. */
export function vmRows(app, chosen, name) {
	const known = chosen.rows(name);
	const partly = new Set();

	if (known || app.figures.canDecode(app.capture))
		return known ?? [];
	for (const t of app.capture.tasks) {
		if (t.vcpu !== null && !app.selection.task(t.index))
			partly.add(t.vm ?? t.name);
	}
	return app.rows(name).filter((row) => !partly.has(row.vm));
}
