// SPDX-License-Identifier: GPL-2.0-only
// The heat map of intervals: time across, length up (logarithmic), shade = number. Like render/views/switches.c.
import { d3 } from '../../d3.js';
import { moment } from '../clock.js';
import { button, h, replace } from '../dom.js';
import { RIGHT, drawLogAxis, drawMissing, drawTimeAxis, timeScale } from './axis.js';
import { Question } from '../figures.js';
import { Chosen } from '../groups.js';
import { countCells, countEnds, countRamp } from './legend.js';
import { count, duration, exactNs } from '../text.js';
import { drawMarks } from './marks.js';

export const KINDS = {
	run: { title: 'How long tasks ran', axis: 'length of each run, drawn where it ended', one: 'run', many: 'runs' },
	sleep: { title: 'How long tasks were off the CPU', axis: 'time off the CPU, drawn where it ended', one: 'return to a CPU', many: 'returns to a CPU' },
	wakeup: { title: 'Wake-up latency', axis: 'from wake-up to running, drawn where it ended', one: 'wait after a wake-up', many: 'waits after a wake-up' },
	guest: { title: 'How long guests ran between exits', axis: 'kvm_entry to kvm_exit, drawn where it ended', one: 'stay in the guest', many: 'stays in the guest' },
	exit: { title: 'How long exits took', axis: 'kvm_exit to kvm_entry, drawn where it ended', one: 'exit', many: 'exits' },
};

const LEAST_PX = 3.5, MOST_ACROSS = 450; // cells: their width, their number
const LEAST_HIGH = 4, MOST_HIGH = 60;

const TOP = 8, BOTTOM = 22, BAND = 7;
const LEFT = 56; // as wide as a duration of three digits; style.css has it, too
const DIVISORS = [1, 2, 3, 4, 6, 8, 12, 24];

/** Sums of neighbours: {cells: Map(row * columns + column -> n), max}. */
function cellsOf(heat, columns, tall) {
	const wide = heat.columns / columns;
	const cells = new Map();
	let max = 0;

	for (let i = 0; i < heat.cell.length; i++) {
		const cell = heat.cell[i];
		const key = Math.floor(Math.floor(cell / heat.columns) / tall) * columns + Math.floor(cell % heat.columns / wide);
		const n = (cells.get(key) ?? 0) + heat.count[i];

		cells.set(key, n);
		if (n > max)
			max = n;
	}
	return { cells, max };
}

/** The filter for intervals of a kind; null: all. */
export function chosenOf(app, kind) {
	const { cpus, reasons } = app.state;

	return { tasks: app.selection.list(), cpus: cpus.length ? cpus : null, reasons: kind === 'exit' && reasons.length ? reasons : null };
}

/** A line for each interval; a click shows it on the cores. */
export function intervalRows(app, kind, rows) {
	return rows.map((row) => h('button', {
		type: 'button', class: 'found-row', title: `${exactNs(row.to - row.from)}; click: show it on the cores`, data: { task: row.task, from: row.from, to: row.to },
		on: { click: () => app.details.look({ run: 'run', sleep: 'off', wakeup: 'wait', guest: 'guest', exit: 'exit' }[kind], row.task, row.from, { view: 'cores', range: [Math.floor(row.from - (row.to - row.from)), Math.ceil(row.to + (row.to - row.from))] }) },
	}, h('bdi', null, app.who(row.task)), h('span', { class: 'dim' }, `CPU ${row.cpu}`), h('span', { class: 'num' }, duration(row.to - row.from)),
		h('span', { class: 'dim num' }, `from ${moment(row.from, 9)}`)));
}

export class HeatMap {
	/** @exits: for that kind, the view's tables of the same choice. */
	constructor(view, kind, height, exits = null) {
		this.app = view.app;
		this.kind = kind;
		this.question = new Question(this.app);
		this.list = new Question(this.app);
		this.own = null; // {key, bins}: of the filtered tasks
		this.exits = exits ?? (kind === 'exit' ? new Chosen(this.app, 'exits', () => this.#say(), { cpus: false, reasons: true }) : null);
		this.words = h('span', { class: 'dim' });
		this.ramp = h('span');
		this.found = h('div', { class: 'found', hidden: true });
		this.plot = view.plot({
			label: KINDS[kind].title, height, time: { left: LEFT, right: RIGHT }, title: `${KINDS[kind].title}: ${KINDS[kind].axis}`,
			ramp: () => (this.grid ? countEnds(this.app.palette, 1, this.grid.max) : null),
			draw: (s, w, tall) => this.#draw(s, w, tall), hit: (x, y) => this.#hit(x, y), block: (a, b) => this.#block(a, b),
		});
		this.el = h('div', { class: 'heat', data: { heat: kind } }, h('div', { class: 'heat-head' },
			h('h3', null, KINDS[kind].title), h('span', { class: 'dim small' }, KINDS[kind].axis), h('span', { class: 'space' }), this.ramp),
			this.plot.el, this.words, this.found);
	}

	/** Gets the bins to show: of all tasks from the figures, or of the filtered tasks, once the decoder has them. */
	follow() {
		const { app } = this;
		const { tasks, cpus, reasons } = chosenOf(app, this.kind);
		const key = JSON.stringify([app.state.capture, app.range, tasks, cpus, reasons]);

		this.found.hidden = true;
		this.exits?.ask();
		if ((!tasks && !cpus && !reasons) || !app.figures.canDecode(app.capture)) {
			this.own = null;
			this.question.drop();
			this.#finish();
			return;
		}
		if (this.own?.key === key) {
			this.#say();
			return;
		}
		this.question.ask((decoder, signal) => decoder.bins(app.capture, app.range, { columns: 1024, heat: [this.kind], tasks, cpus, reasons, signal }), (bins) => {
			this.own = bins && { key, bins };
			this.#finish();
		});
	}

	#finish() {
		this.grid = null;
		this.plot.paint();
		const { app, grid } = this;

		replace(this.ramp, grid ? countRamp(app.palette, 1, grid.max) : []);
		this.#say();
		this.plot.el.dataset.events = String(this.#bins()?.heat?.[this.kind]?.events ?? 0);
	}

	#say() {
		const { app } = this;
		const { recorded_until: until } = app.capture;
		const chosen = app.selection.any || app.state.cpus.length || (this.kind === 'exit' && app.state.reasons.length);
		const tail = chosen && !this.own ? '; of all tasks, CPUs and reasons: filtering needs the capture in the page' : '';

		this.words.textContent = this.#account(this.kind) + this.#idleWords() + tail + (until !== null && until > app.range[0] ? `; hatched above: not all CPUs were recorded before ${moment(until, 6)}` : '');
	}

	/** The number of intervals of a kind, and how many of them are drawn. */
	#account(kind) {
		const heat = this.#bins()?.heat?.[kind];
		const { one, many } = KINDS[kind];

		if (!heat)
			return this.app.capture.bins.heat[kind] ? `no ${many} in this range for these tasks` : `the capture has no events for ${many}`;
		const left = [[heat.unplaced, 'whose start was not seen'], [heat.shorter, 'of less than 1 ns'], [heat.longer, 'longer than 1000 s'],
		[heat.outside, 'outside the range']].filter(([n]) => n > 0).map(([n, text]) => `${count(n)} ${text}`);

		return left.length ? `${count(heat.drawn)} ${heat.drawn === 1 ? one : many} drawn of ${count(heat.events)} that ended here; ${left.join(', ')}` : `${count(heat.events)} ${heat.events === 1 ? one : many}, all drawn`;
	}

	/** A note about idle guests: the bars of exits exclude them, but their long halts stand out here. */
	#idleWords() {
		const { app } = this;

		if (!this.exits || app.state.cpus.length || !this.#bins()?.heat?.exit)
			return '';
		const row = this.exits.rows('exit_reasons')?.find((sum) => sum.idle && app.selection.reason(sum.reason)); // a machine has one such reason
		const ends = row?.unpaired ? `, the end of ${count(row.unpaired)} of them not seen` : '';

		return row?.count ? `; ${count(row.count)} ${row.count === 1 ? 'was' : 'were'} of idle guests${ends}` : '';
	}

	#bins() {
		return this.own?.bins ?? this.app.figures.shown?.bins;
	}

	/** The drawn cells: sums of neighbours if those would be too small to see. */
	#gridOf(plotWidth, plotHeight) {
		const bins = this.#bins();
		const heat = bins?.heat?.[this.kind];

		if (!heat?.cell.length)
			return null;
		const [from, to] = this.app.range;
		const pixels = plotWidth * (bins.to - bins.from) / (to - from); // of all columns
		let { columns } = heat;

		while (pixels / columns < Math.max(LEAST_PX, plotWidth / MOST_ACROSS) && columns > 1)
			columns /= 2;
		// cells are in the order of their rows
		const low = Math.floor(heat.cell[0] / heat.columns), high = Math.floor(heat.cell[heat.cell.length - 1] / heat.columns);
		const { per_decade: per, lo_ns: lo } = heat;
		const [first, last] = [Math.floor(low / per), Math.floor(high / per) + 1];
		const tall = DIVISORS.find((d) => plotHeight / ((last - first) * per) * d >= Math.max(LEAST_HIGH, plotHeight / MOST_HIGH)) ?? per;
		const scale = d3.scaleLog().domain([lo * 10 ** first, lo * 10 ** last]).range([TOP + plotHeight, TOP]);

		return { ...this.#cellsOf(heat, columns, tall), columns, wide: (bins.to - bins.from) / columns, from: bins.from, tall, per, lo, scale, bins };
	}

	/** The sums, kept while steps of a zoom do not change them. */
	#cellsOf(heat, columns, tall) {
		const { kept } = this;

		if (kept?.heat !== heat || kept.columns !== columns || kept.tall !== tall)
			this.kept = { heat, columns, tall, sums: cellsOf(heat, columns, tall) };
		return this.kept.sums;
	}

	#edge(grid, row) {
		return grid.lo * 10 ** (row * grid.tall / grid.per);
	}

	#draw(s, width, height) {
		const { app } = this;
		const { palette } = app;
		const scale = timeScale(app.range, LEFT, width - RIGHT);
		const plotHeight = height - TOP - BOTTOM;
		const grid = this.#gridOf(width - LEFT - RIGHT, plotHeight);

		this.grid = grid;
		s.rect(0, 0, width, height, palette.paper);
		s.rect(LEFT, TOP, width - LEFT - RIGHT, plotHeight, palette.plot);
		drawTimeAxis(s, palette, scale, TOP, TOP + plotHeight);
		if (!grid) {
			s.text((LEFT + width - RIGHT) / 2, TOP + plotHeight / 2, 'nothing to draw in this range for these tasks', { colour: palette.dim, anchor: 'middle' });
			drawMissing(s, palette, app.capture, scale, TOP, plotHeight, BAND);
			return;
		}
		drawLogAxis(s, palette, grid.scale, LEFT, width - RIGHT);
		drawMissing(s, palette, app.capture, scale, TOP, plotHeight, BAND);
		s.clip(LEFT, TOP, width - LEFT - RIGHT, plotHeight, () => {
			const ends = Array.from({ length: grid.columns + 1 }, (_, i) => Math.round(scale(grid.from + i * grid.wide)));
			const heights = new Map(); // cached: there are few rows
			const cells = countCells(s, palette, 1, grid.max);
			const heightOf = (row) => {
				if (!heights.has(row))
					heights.set(row, Math.round(grid.scale(this.#edge(grid, row))));
				return heights.get(row);
			};

			for (const [key, n] of grid.cells) {
				const column = key % grid.columns;
				const x1 = ends[column], x2 = Math.max(x1 + 1, ends[column + 1]);

				if (x2 < LEFT || x1 > width - RIGHT)
					continue;
				const row = Math.floor(key / grid.columns);
				const y2 = heightOf(row), y1 = heightOf(row + 1);

				cells.put(x1, y1, x2, Math.max(y1 + 1, y2), n);
			}
			cells.end();
		});
		drawMarks(s, app, scale, TOP, plotHeight, true, this.#areaBlock());
	}

	/** The cell under the pointer, and its count. */
	#cellAt(x, y) {
		const { grid, app } = this;
		const scale = timeScale(app.range, LEFT, this.plot.width - RIGHT);

		if (!grid || x < LEFT || x > this.plot.width - RIGHT || y < TOP || y > this.plot.height - BOTTOM)
			return null;
		const column = Math.floor((scale.invert(x) - grid.from) / grid.wide);
		const row = Math.floor(Math.log10(grid.scale.invert(y) / grid.lo) * grid.per / grid.tall);
		const n = grid.cells.get(row * grid.columns + column);

		return n ? { n, row, column, at: grid.from + column * grid.wide } : null;
	}

	#hit(x, y) {
		const { app, grid } = this;
		const cell = this.#cellAt(x, y);

		if (!cell)
			return null;
		const [lo, hi] = [this.#edge(grid, cell.row), this.#edge(grid, cell.row + 1)];
		const decodes = app.figures.canDecode(app.capture);

		return {
			lines: [`${count(cell.n)} ${KINDS[this.kind][cell.n === 1 ? 'one' : 'many']} of ${duration(Number(lo.toPrecision(3)))} to ${duration(Number(hi.toPrecision(3)))}`,
			`from ${moment(cell.at, 9)}`, `in ${duration(Math.round(grid.wide))}`, decodes ? 'click: list them' : null],
			box: { y: y - 6, h: 12 },
			click: decodes ? () => this.#listCell(cell, lo, hi) : null,
		};
	}

	#listCell(cell, lo, hi) {
		const { app, grid } = this;
		const range = [Math.ceil(cell.at), Math.ceil(cell.at + grid.wide)];
		const { kind } = this;

		this.list.ask((decoder, signal) => decoder.select(app.capture, {
			kind, range, lo_ns: Math.round(lo), hi_ns: Math.round(hi), ...chosenOf(app, kind),
		}, { limit: 100, signal }), (result, error) => {
			this.found.hidden = false;
			replace(this.found, error ? h('p', { class: 'dim' }, `not decoded: ${error.message}`) : this.#foundRows(kind, result));
		});
	}

	#foundRows(kind, { total, rows }) {
		const { app } = this;

		return [h('div', { class: 'found-head' }, h('strong', null, `${count(total)} ${KINDS[kind][total === 1 ? 'one' : 'many']}`),
			button('×', 'close', () => { this.found.hidden = true; }, { class: 'close' })), intervalRows(app, kind, rows)];
	}

	/** The lengths of a drag from y @a to y @b: {area: [shortest, longest, kind], y: [top, bottom], words}, or null outside the plot. */
	#block(a, b) {
		const { scale } = this.grid ?? {};
		const [low, high] = scale?.range() ?? [];
		const [top, bottom] = [Math.max(high, Math.min(a, b)), Math.min(low, Math.max(a, b))];

		if (!scale || bottom - top < 1)
			return null;
		const [lo, hi] = [Math.round(scale.invert(bottom)), Math.round(scale.invert(top))];

		return { area: [lo, Math.max(hi, lo + 1), Object.keys(KINDS).indexOf(this.kind)], y: [top, bottom], words: `${duration(Number(lo.toPrecision(3)))} to ${duration(Number(hi.toPrecision(3)))}` };
	}

	/** Top and bottom of the area, if it is one of this heat map; null: all lengths. */
	#areaBlock() {
		const [, , lo, hi, kind] = this.app.state.area;
		const { scale } = this.grid ?? {};

		if (!scale || Object.keys(KINDS)[kind] !== this.kind)
			return null;
		const [low, high] = scale.range();
		const y = (ns) => Math.min(low, Math.max(high, scale(Math.max(1, ns))));

		return [y(hi), y(lo)];
	}

	close() {
		this.exits?.close();
		this.question.drop();
		this.list.drop();
	}
}
