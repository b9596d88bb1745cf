// SPDX-License-Identifier: GPL-2.0-only
// The comparison of captures: side by side and as a signed difference, aligned by name, the largest change first.
import { clockTime } from '../clock.js';
import { choice, h, replace, swatch } from '../dom.js';
import { foldChoice, folded, groupName, turn } from '../groups.js';
import { COMPARISONS, FIGURE_WORDS, differenceColour, signed } from '../compare.js';
import { STATES, STATE_WORDS, inkOn, legend, stateItems } from '../marks/legend.js';
import { Table } from '../table.js';
import { clean, count, duration, figure, percent } from '../text.js';
import { View } from './view.js';

const RAMP = 8; // steps to either side
const WAITS = { delayed_percent: 'waited (preempted and waiting together)', preempted_percent: 'preempted (not all captures have wake-ups: how long vCPUs waited in all is not compared)' };

function chanceText(p) {
	return p === null ? '' : p < 0.0005 ? '<0.001' : p.toFixed(3);
}

export class CompareView extends View {
	constructor(app) {
		super(app, 'Comparison');
		this.tools = h('div', { class: 'tools' });
		this.sides = h('div', { class: 'sides' });
		this.key = h('div', { class: 'legend-box' });
		this.verdict = h('div', { class: 'verdict' });
		this.body = h('div');
		this.other = 1;
		this.el.append(this.verdict, this.sides, this.tools, this.key, this.body);
		app.card.watch(this.body, (el) => (el.dataset.card ? el.dataset.card.split('\n') : null));
	}

	get kind() {
		const kinds = Object.keys(COMPARISONS).filter((key) => this.app.page.compare.tables[key]);

		return kinds.includes(this.app.state.compare) ? this.app.state.compare : kinds[0];
	}

	update(change) {
		if (!change.figures && !change.options && !change.filter)
			return;
		const { app, kind } = this;
		const { compare, captures } = app.page;
		const table = compare.tables[kind];
		const side = (c, word, look) => this.#side(c.label, ` ${duration(c.window.to - c.window.from)} from ${clockTime(c, c.window.from).slice(0, -3)} s`, word, look);

		replace(this.verdict, compare.rules?.length ? this.#verdict(compare) : null);
		replace(this.sides, ...(compare.sides ? this.#groups(compare) : [side(captures[0], 'base', 'hollow'), '→',
		captures.length > 2 ? this.#chooseOther(captures) : null, side(captures[this.other], 'new', 'solid')]),
			h('span', { class: 'dim' }, `${this.#lengths(compare, captures)}ounts and times are rates: per second, or percent of the window.`, ` Rows are aligned by name. The whole windows are compared.${table.more ? ` The page has the ${count(table.rows.length)} rows that changed most, … and ${count(table.more)} more are not in it.` : ''}${table.hint ? ` ${table.hint[0].toUpperCase()}${table.hint.slice(1)}.` : ''}`));
		replace(this.tools, choice('compare', Object.keys(COMPARISONS).filter((key) => compare.tables[key]).map((key) => [key, COMPARISONS[key].title]), kind,
			(next) => app.set({ compare: next })), kind === 'tasks' && compare.tables.groups ? foldChoice(app, table.rows.length) : null);
		// first, as it sets the range of colours
		replace(this.body, kind === 'coremap' ? this.#matrix(table) : this.#table(table, kind));
		replace(this.key, kind === 'vcpu' ? legend(stateItems(app.palette)) : null,
			kind === 'coremap' ? this.#ramp() : h('span', { class: 'difference-key' }, swatch(null, 'less'), 'less than base', swatch(null, 'more'), 'more than base'),
			kind === 'vcpu' ? h('span', { class: 'dim' }, `Base, new and difference: ${WAITS[this.#main(table)]}, percent of the window.`) : null);
	}

	/** The figure by which rows are compared: the first one, but preempted if only some captures have wake-ups. */
	#main({ figures: [first], figures, rows }) {
		return first in WAITS && rows.every(({ values }) => values.every((row) => (row?.[0] ?? null) === null)) && figures.includes('preempted_percent') ? 'preempted_percent' : first;
	}

	/** The windows, if they differ. */
	#lengths({ normalised }, captures) {
		const [base, other] = [captures[0], captures[this.other]].map(({ window: { from, to } }) => to - from);

		return !normalised ? 'C' : base === other ? 'Windows differ in length: c' : `The windows differ in length by ${duration(Math.abs(base - other))}: c`;
	}

	/** Two sides of several captures. */
	#groups({ sides, alpha }) {
		const side = ({ label, runs }, word, look) => this.#side(label, runs > 1 ? ` ${runs} runs` : null, word, look);

		return [side(sides[0], 'base', 'hollow'), '→', side(sides[1], 'new', 'solid'),
		sides[0].runs + sides[1].runs > 2 ? h('span', { class: 'dim' }, `Figures are medians of the runs. ~: may be chance (p of ${alpha} or more, Mann-Whitney).`) : null];
	}

	/** The rules of cdict diff, and their result. */
	#verdict({ rules, broken }) {
		const bad = broken.length, open = rules.filter((rule) => rule.judged === 0);
		const columns = [['rule', 'rule'], ['name', 'task'], ['reason', 'reason'], ['cpu', 'CPU'], ['was', 'was'], ['is', 'is'], ['by', 'by'], ['relative', '%'], ['allowed', 'allowed'], ['chance', 'p'], ['runs', 'runs']]
			.filter(([key]) => broken.some((row) => row[key] !== null));
		const look = (key) => (['rule', 'name', 'reason'].includes(key) ? key : 'num');

		return [
			h('p', null, h('strong', { class: bad ? 'more-text' : null }, bad ? `${bad} figure${bad > 1 ? 's are' : ' is'} worse than allowed.` : open.length < rules.length ? 'Nothing is worse than allowed.' : 'No rule could be judged.')),
			bad ? h('div', { class: 'table-scroll' }, h('table', { class: 'figures', data: { table: 'broken' } },
				h('thead', null, h('tr', null, columns.map(([key, title]) => h('th', { class: look(key) }, title)))),
				h('tbody', null, broken.map((row) => h('tr', { data: { key: row.name } }, columns.map(([key]) => h('td', { class: look(key) }, h('bdi', null, row[key] === null ? '' : clean(String(row[key])))))))))) : null,
			open.length ? h('p', null, 'Not judged: ', open.map((rule, i) => [i ? ', ' : '', h('code', null, clean(rule.rule))])) : null,
		];
	}

	#side(label, tail, word, look) {
		return h('span', { class: 'side' }, h('span', { class: `box ${look}` }), h('span', { class: 'dim' }, `${word}: `), h('strong', null, h('bdi', null, clean(label))), tail ? h('span', { class: 'dim' }, tail) : null);
	}

	#chooseOther(captures) {
		return h('select', { 'aria-label': 'capture to compare with the base', on: { change: (e) => { this.other = Number(e.target.value); this.update({ options: true }); } } },
			captures.slice(1).map((c) => h('option', { value: c.index, selected: c.index === this.other }, clean(c.label))));
	}

	/** {key, base: values | null, now: values | null} of the wanted rows. */
	#rows(table) {
		const { selection } = this.app;

		return table.rows.filter((row) => !selection.any || row.tasks[this.app.state.capture]?.some((t) => selection.task(t)))
			.map((row) => ({ ...row, base: row.values[0], now: row.values[this.other] }));
	}

	#table(table, kind) {
		const words = COMPARISONS[kind];
		const at = (key) => table.figures.indexOf(key);
		const value = (side, key) => (row) => row[side]?.[at(key)] ?? null;
		const change = (key) => (row) => row.differences[this.other]?.[at(key)] ?? null;
		const chance = (key) => (row) => row.p?.[this.other]?.[at(key)] ?? null;
		const { groups } = this.app.page.compare.tables;
		const tree = kind === 'tasks' && groups && folded(this.app, table.rows.length) ? this.#tree(groups, table) : null;
		const rows = tree?.roots ?? this.#rows(table);
		const main = this.#main(table);
		const word = FIGURE_WORDS[main] ?? main;
		const hint = kind === 'vcpu' ? `${WAITS[main] ?? word}, percent of the window` : word;
		const most = Math.max(1e-9, ...rows.flatMap((row) => [value('base', main)(row) ?? 0, value('now', main)(row) ?? 0]));
		const mostChange = Math.max(1e-9, ...rows.map((row) => Math.abs(change(main)(row) ?? 0)));
		const columns = [
			{ key: 'name', title: words.row, text: true, value: (row) => row.key.join(' · '), show: (row) => this.#name(row, table) },
			{
				key: 'bars', title: kind === 'vcpu' ? 'base above, new below' : `${FIGURE_WORDS[main] ?? main}: base hollow, new solid`, text: true, csv: false, value: () => undefined,
				show: (row) => (kind === 'vcpu' ? this.#stateBars(row, table) : this.#pairBar(value('base', main)(row), value('now', main)(row), most, main))
			},
			{ key: `${main}_base`, title: `${word}: base`, hint, value: value('base', main), show: (row) => figure(main, value('base', main)(row)) },
			{ key: `${main}_new`, title: 'new', hint, value: value('now', main), show: (row) => figure(main, value('now', main)(row)) },
			{ key: `${main}_change`, title: 'difference', hint, value: change(main), show: (row) => this.#signedCell(main, change(main)(row), chance(main)(row)) },
			...(rows.some((row) => chance(main)(row) !== null) ? [{
				key: `${main}_p`, title: 'p', hint: 'probability that the runs differ this much by chance', value: chance(main), show: (row) => chanceText(chance(main)(row))
			}] : []),
			{ key: 'bar', title: '', text: true, csv: false, value: () => undefined, show: (row) => this.#differenceBar(change(main)(row), mostChange) },
			...table.figures.filter((key) => key !== main && words.columns.includes(key) && rows.some((row) => value('base', key)(row) || value('now', key)(row))).flatMap((key) => [
				{
					key: `${key}_new`, title: FIGURE_WORDS[key] ?? key, hint: 'the new capture, and its difference from the base', value: value('now', key),
					show: (row) => this.#bothCell(key, row.now ? value('now', key)(row) : null, value('base', key)(row), change(key)(row), chance(key)(row))
				},
			]),
		];
		const out = new Table(columns, {
			app: this.app, name: `compare-${kind}`, file: () => `comparison-${kind}`, rowData: (row) => ({ key: row.key.join('\u001f'), change: row.change }), rowClass: (row) => (!row.base || !row.now ? 'lone' : null),
			tree: () => tree, onRow: tree ? (row) => { if (row.group) turn(this.app, row); } : null,
		});

		this.current = { table, rows, main, value, change, most, mostChange, kind };
		out.setRows(rows);
		return out.el;
	}

	/** Groups, and the tasks of open ones. */
	#tree(groups, table) {
		const { app } = this;
		const placeOf = (row) => {
			const k = row.tasks.findIndex((tasks) => tasks.length);

			return app.page.captures[k]?.tasks[row.tasks[k][0]];
		};
		const leaves = this.#rows(table);
		const roots = this.#rows(groups).map((row) => {
			const under = leaves.filter((leaf) => (placeOf(leaf)?.fold ?? null) === placeOf(row)?.fold);

			return under.length > 1 ? { ...row, under, group: row.key[0], role: null, kind: placeOf(row)?.fold_kind, tasks_: Math.max(...row.tasks.map((t) => t.length)) } : under[0] ?? row;
		});
		const flat = (sorted) => sorted(roots).flatMap((row) => [row, ...(app.state.unfold.includes(row.group) ? sorted(row.under) : [])]);

		this.under = new Set(roots.flatMap((row) => row.under ?? []));
		return { leaves, roots, flat };
	}

	/** Why the row's sides are not compared, or null. */
	#whyNot(row, table) {
		const unknown = Math.max(row.unknown[0], row.unknown[this.other]);

		return row.nameless ? 'VM without a name' : unknown > table.unknown_most ? `${percent(unknown)} unknown` : null;
	}

	#name(row, table) {
		const only = [!row.base ? 'new only' : !row.now ? 'base only' : null, this.#whyNot(row, table)].filter(Boolean).slice(row.nameless ? 1 : 0).join(' · ');
		const badge = only ? h('span', { class: 'badge small' }, only) : null;

		if (row.group)
			return [groupName(this.app, { ...row, tasks: row.tasks_ }), badge];
		return [h('bdi', { class: this.under?.has(row) ? 'tree' : null, css: { '--depth': 1 } }, clean(row.key[0])), row.key[1] !== undefined ? h('span', { class: 'dim' }, ' · ', h('bdi', null, clean(row.key[1]))) : null,
		row.tasks[0].length > 1 || row.tasks[this.other]?.length > 1 ? h('span', { class: 'dim', title: 'tasks of the same name are one row' }, ` ×${Math.max(row.tasks[0].length, row.tasks[this.other].length)}`) : null,
			badge];
	}

	#pairBar(base, now, most, key) {
		const bar = (v, look) => (v === null ? null : h('div', { class: look, css: { width: `${100 * v / most}%` } }));

		return h('div', { class: 'pair', data: { card: `base ${figure(key, base)}\nnew ${figure(key, now)}` } }, bar(now, 'solid'), bar(base, 'hollow'));
	}

	#stateBars(row, table) {
		const bar = (values, look) => h('div', { class: `bar ${look}` }, values ? STATES.map((state) => {
			const v = values[table.figures.indexOf(`${state}_percent`)] ?? 0;

			return h('div', { class: `state-${state}`, data: { key: `${state}_percent`, value: v, card: `${look}: ${STATE_WORDS[state]}\n${percent(v)} of the window` }, css: { width: `${v}%` } });
		}) : null);

		return h('div', { class: 'bars-two' }, bar(row.base, 'base'), bar(row.now, 'new'));
	}

	/** The new value and its difference from @was; the old value if the row is gone or cannot be compared. */
	#bothCell(key, now, was, change, p) {
		if (now === null && was !== null)
			return h('span', { class: 'dim' }, `was ${figure(key, was)}`);
		return [figure(key, now), change === null ? null : h('span', { class: 'small' }, ' ', this.#signedCell(key, change, p, true))];
	}

	/** @p: the probability of chance; null: unknown. */
	#signedCell(key, v, p = null, brief = false) {
		if (v === null)
			return h('span', { class: 'dim' }, '–');
		if (p !== null && !(p < this.app.page.compare.alpha))
			return h('span', { class: 'dim', title: `${signed(key, v)}, p ${chanceText(p)}` }, '~');
		return h('span', { class: Math.abs(v) < 1e-12 ? 'dim' : v > 0 ? 'more-text' : 'less-text' }, brief ? signed(key, v).replace(/ points$/, '') : signed(key, v));
	}

	#differenceBar(v, most) {
		const more = (v ?? 0) > 0, part = 50 * Math.abs(v ?? 0) / most;

		return h('div', { class: 'difference' }, h('div', { class: more ? 'more' : 'less', css: { width: `${part}%`, left: `${more ? 50 : 50 - part}%` } }));
	}

	#dark() {
		return this.app.palette === this.app.page.palette.dark;
	}

	/** The colours of differences with their ends in numbers. */
	#ramp() {
		const { most } = this.current;
		const steps = Array.from({ length: 2 * RAMP + 1 }, (_, i) => h('span', { css: { background: i === RAMP ? this.app.palette.paper : differenceColour((i - RAMP) / RAMP, this.#dark()) } }));
		const end = (sign) => `${sign}${most.toFixed(most < 9.95 ? 1 : 0)}`;

		return h('span', { class: 'ramp-legend' }, h('span', { class: 'dim' }, 'less than base'), end('−'), h('span', { class: 'ramp', 'aria-hidden': 'true' }, steps), end('+'), h('span', { class: 'dim' }, 'points more'));
	}

	/** Core maps: run % of base and new in each cell, shade and sign of the difference. */
	#matrix(table) {
		const by = new Map();
		const cpus = new Set();
		const unsure = []; // cells with too much unknown time
		const at = table.figures.indexOf('run_percent');

		for (const row of this.#rows(table)) {
			const [name, cpu] = row.key;

			if (this.#whyNot(row, table) || !row.differences[this.other]) {
				if (!row.nameless && row.differences.length)
					unsure.push({ name, cpu: Number(cpu), why: this.#whyNot(row, table) ?? 'not compared' });
				continue;
			}
			const of = by.get(name) ?? { name, cells: new Map() };

			of.cells.set(Number(cpu), { base: row.base?.[at] ?? 0, now: row.now?.[at] ?? 0, change: row.differences[this.other]?.[at] ?? 0 });
			by.set(name, of);
			cpus.add(Number(cpu));
		}
		// in rows and columns that have compared cells
		for (const { name, cpu, why } of unsure)
			if (cpus.has(cpu) && !by.get(name)?.cells.has(cpu))
				by.get(name)?.cells.set(cpu, { why });
		const columns = [...cpus].sort((a, b) => a - b);
		const rows = [...by.values()].sort((a, b) => Number(a.name === 'IDLE') - Number(b.name === 'IDLE'));
		const most = Math.max(1, ...rows.filter((r) => r.name !== 'IDLE').flatMap((r) => [...r.cells.values()].map((c) => Math.abs(c.change ?? 0))));

		this.current = { kind: 'coremap', rows, columns, most };
		return h('div', null, h('p', { class: 'dim note-above' }, 'Difference of run % in points, new minus base; hover: both. Rows with the largest change first; rows with too much unknown time are left out, or ?.'),
			h('div', { class: 'table-scroll' }, h('table', { class: columns.length <= 12 ? 'coremap few' : 'coremap', data: { table: 'compare-coremap' } },
				h('thead', null, h('tr', null, h('th', { class: 'who' }, 'task'), columns.map((cpu) => h('th', { class: 'num cpu' }, columns.length > 40 ? String(cpu) : `CPU ${cpu}`)))),
				h('tbody', null, rows.slice(0, 300).map((row) => h('tr', { data: { key: row.name } }, h('th', { class: 'who' }, h('bdi', null, clean(row.name))), columns.map((cpu) => this.#matrixCell(row, cpu, most))))))));
	}

	#matrixCell(row, cpu, most) {
		const cell = row.cells.get(cpu);

		if (!cell)
			return h('td', { class: 'num cell' });
		if (cell.why)
			return h('td', { class: 'num cell dim', title: cell.why }, '?');
		const v = cell.change;
		const colour = Math.abs(v) < 0.05 ? null : differenceColour(v / most, this.#dark());

		return h('td', { class: 'num cell', css: { background: colour, color: colour && inkOn(colour) }, data: { cpu, base: cell.base, now: cell.now, value: v, card: `${clean(row.name)} on CPU ${cpu}\nbase ${percent(cell.base)}\nnew ${percent(cell.now)}` } },
			Math.abs(v) < 0.05 ? '·' : `${v > 0 ? '+' : '−'}${Math.abs(v).toFixed(Math.abs(v) < 9.95 ? 1 : 0)}`);
	}

	/** For each sheet of paper: the sides, and the kind of comparison. */
	running() {
		const { compare, captures } = this.app.page;
		const [base, now] = compare.sides ?? [captures[0], captures[this.other]];

		return [`${clean(base.label)} → ${clean(now.label)}`, COMPARISONS[this.kind].title];
	}

	/** For saved pictures: the sides. */
	caption() {
		const [base, now] = [this.app.page.captures[0], this.app.page.captures[this.other]];
		const { sides } = this.app.page.compare;
		const runs = (s) => `${clean(s.label)}${s.runs > 1 ? ` (${s.runs} runs)` : ''}`;
		const side = (c) => `${clean(c.label)} (${duration(c.window.to - c.window.from)} from ${clockTime(c, c.window.from)} s)`;

		if (sides)
			return `base ${runs(sides[0])} · new ${runs(sides[1])} · rates and percent of the window`;
		return `base ${side(base)} · new ${side(now)} · rates and percent of the window`;
	}

	drawings() {
		const { current, app } = this;
		const { palette } = app;

		if (current.kind === 'coremap')
			return [{ title: 'Core map: difference of run %, new minus base', height: () => Math.min(60, current.rows.length) * 22 + 24, draw: (s, w) => this.#drawMatrix(s, w) }];
		const rows = current.rows.slice(0, 40);
		const { value, change, main, most, mostChange, table, kind } = current;

		return [{
			title: kind === 'vcpu' ? `vCPU states, base above, new below; ${main === 'preempted_percent' ? 'how long they were preempted' : 'how long they waited'}, and the difference` :
				`${COMPARISONS[kind].title}: ${FIGURE_WORDS[main] ?? main}, base hollow, new solid, and the difference`,
			legend: kind === 'vcpu' ? stateItems(palette) : [], height: () => rows.length * 26 + 6,
			draw: (s, w) => rows.forEach((row, i) => {
				const y = i * 26, left = 230, wide = w - left - 420;
				const [a, b, d] = [value('base', main)(row), value('now', main)(row), change(main)(row) ?? null];

				s.text(left - 8, y + 12, clean(row.key.join(' · ')), { colour: palette.text, anchor: 'end', room: left - 12 });
				if (kind === 'vcpu') {
					[row.base, row.now].forEach((values, k) => {
						let x = left;

						for (const state of values ? STATES : []) {
							const part = wide * (values[table.figures.indexOf(`${state}_percent`)] ?? 0) / 100;

							if (state === 'unknown' && part > 0)
								s.hatch(x, y + 2 + k * 11, part, 10, palette.loss);
							else if (part > 0)
								s.rect(x, y + 2 + k * 11, part, 10, palette.states[state]);
							x += part;
						}
					});
				} else {
					s.rect(left, y + 5, wide * (b ?? 0) / most, 14, palette.accent);
					const end = left + wide * (a ?? 0) / most;

					[[left, y + 3, end, y + 3], [left, y + 21, end, y + 21], [left, y + 3, left, y + 21], [end, y + 3, end, y + 21]].forEach((p) => s.line(...p, palette.text));
				}
				s.text(left + wide + 12, y + 12, `${figure(main, a)} → ${figure(main, b)}`, { colour: palette.dim, size: 11 });
				const middle = w - 150, part = d && mostChange ? 70 * Math.abs(d) / mostChange : 0;

				if (part)
					s.rect(d > 0 ? middle : middle - part, y + 5, part, 14, differenceColour(Math.sign(d)));
				s.text(w - 4, y + 12, d === null ? '–' : signed(main, d), { colour: palette.text, size: 11, anchor: 'end' });
			}),
		}];
	}

	#drawMatrix(s, w) {
		const { rows, columns, most } = this.current;
		const { palette } = this.app;
		const wide = Math.min(90, (w - 200) / columns.length);

		columns.forEach((cpu, i) => { if (wide > 20) s.text(200 + wide * (i + 0.5), 10, wide > 44 ? `CPU ${cpu}` : String(cpu), { colour: palette.dim, size: 11, anchor: 'middle' }); });
		rows.slice(0, 60).forEach((row, k) => {
			const y = 22 + k * 22;

			s.text(192, y + 11, clean(row.name), { colour: palette.text, anchor: 'end', room: 190 });
			columns.forEach((cpu, i) => {
				const cell = row.cells.get(cpu);
				const v = cell?.change ?? 0;

				if (Math.abs(v) < 0.05)
					return;
				const colour = differenceColour(v / most, this.#dark());

				s.rect(200 + wide * i, y, wide - 1, 21, colour);
				s.text(200 + wide * (i + 0.5), y + 11, `${v > 0 ? '+' : '−'}${Math.abs(v).toFixed(1)}`, { colour: inkOn(colour), size: 11, anchor: 'middle' });
			});
		});
	}
}
