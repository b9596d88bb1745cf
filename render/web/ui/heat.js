// SPDX-License-Identifier: GPL-2.0-only
// The heat map of intervals: time across, length up (logarithmic), shade = how many. As render/view_switches.c. Several
// kinds on one another have a colour each; where they meet a cell is parted between them.
import { d3 } from '../d3.js';
import { moment } from './clock.js';
import { button, h, replace } from './dom.js';
import { drawLogAxis, drawLoss, drawTimeAxis, timeScale } from './axis.js';
import { Question } from './figures.js';
import { legend, mixed, rampColour, rampLegend } from './legend.js';
import { count, duration, exactNs } from './text.js';
import { drawMarks } from './marks.js';

export const KINDS = {
	run: { title: 'How long tasks ran', axis: 'length of each run, drawn where it ended', one: 'run', many: 'runs' },
	sleep: { title: 'How long tasks were off the CPU', axis: 'time off the CPU, drawn where it ended', one: 'return to a CPU', many: 'returns to a CPU' },
	wakeup: { title: 'Wake-up latency: how long tasks waited for a CPU', axis: 'from wake-up to running, drawn where it ended', one: 'wake-up', many: 'wake-ups' },
	guest: { title: 'How long guests ran between exits', axis: 'kvm_entry to kvm_exit, drawn where it ended', one: 'stay in the guest', many: 'stays in the guest' },
	exit: { title: 'How long exits took', axis: 'kvm_exit to kvm_entry, drawn where it ended', one: 'exit', many: 'exits' },
};

const COLOURS = { run: (p) => p.states.guest, sleep: (p) => p.states.blocked, wakeup: (p) => p.states.preempted, guest: (p) => p.spare[0], exit: (p) => p.states.exit };
const LEAST_PX = 3.5; // a cell's width
const FAINT = 0.25; // of a colour of its own, for one interval

const LEFT = 70, RIGHT = 12, TOP = 8, BOTTOM = 22;
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

export class HeatMap {
	/** @kinds: one, or several to be drawn on one another. */
	constructor(view, kinds, height) {
		this.view = view;
		this.app = view.app;
		this.kinds = kinds;
		this.question = new Question(this.app);
		this.list = new Question(this.app);
		this.own = null; // {key, bins}: of the filtered tasks
		this.words = h('span', { class: 'dim' });
		this.ramp = h('span');
		this.found = h('div', { class: 'found', hidden: true });
		this.plot = view.plot({
			label: this.#title(), height, time: { left: LEFT, right: RIGHT }, title: `${this.#title()}: ${this.#axis()}`,
			ramp: () => (this.alone && this.grid ? ['1', `${count(this.grid.layers[0].max)} per cell`] : null),
			legend: () => (this.alone ? [] : this.#legend()),
			draw: (s, w, tall) => this.#draw(s, w, tall), hit: (x, y) => this.#hit(x, y),
		});
		this.el = h('div', { class: 'heat', data: { heat: kinds.join(' ') } }, h('div', { class: 'heat-head' },
			h('h3', null, this.#title()), h('span', { class: 'dim small' }, this.#axis()), h('span', { class: 'space' }), this.ramp),
			this.plot.el, this.words, this.found);
	}

	get alone() {
		return this.kinds.length === 1;
	}

	#title() {
		return this.alone ? KINDS[this.kinds[0]].title : 'How long it took';
	}

	#axis() {
		return this.alone ? KINDS[this.kinds[0]].axis : 'length, drawn where it ended';
	}

	#legend() {
		const { layers } = this.grid ?? { layers: [] };

		return layers.map(({ kind, colour, max }) => ({ key: kind, colour, text: `${KINDS[kind].many}: 1 to ${count(max)} per cell` }));
	}

	/** The bins to show: all tasks' from the figures, else of the filtered tasks, once the decoder has them. */
	follow() {
		const { app } = this;
		const tasks = app.selection.list();
		const key = `${app.state.capture}:${app.range}:${tasks}`;

		this.found.hidden = true;
		if (!tasks || !app.figures.canDecode(app.capture)) {
			this.own = null;
			this.question.drop();
			this.#finish();
			return;
		}
		if (this.own?.key === key)
			return;
		this.question.ask((decoder, signal) => decoder.bins(app.capture, app.range, { columns: 1024, heat: this.kinds, tasks, signal }), (bins) => {
			this.own = bins && { key, bins };
			this.#finish();
		});
	}

	#finish() {
		this.grid = null;
		this.plot.paint();
		const { app } = this;
		const { grid } = this;
		const tail = `${this.kinds.includes('exit') && app.state.reasons.length ? '; of all reasons' : ''}${app.selection.any && !this.own ? '; of all tasks: the filter needs the capture in the page' : ''}`;

		replace(this.ramp, !grid ? [] : this.alone ? rampLegend(app.palette, '1', `${count(grid.layers[0].max)} per cell`) : legend(this.#legend()));
		this.words.textContent = this.kinds.map((kind) => this.#account(kind)).join(' · ') + tail;
		this.plot.el.dataset.events = String(this.kinds.reduce((sum, kind) => sum + (this.#bins()?.heat?.[kind]?.events ?? 0), 0));
	}

	/** How many there are of a kind, and how many of them are drawn. */
	#account(kind) {
		const heat = this.#bins()?.heat?.[kind];
		const { one, many } = KINDS[kind];

		if (!heat)
			return this.app.capture.bins.heat[kind] ? `no ${many} in this range for these tasks` : `the capture has no events that tell of ${many}`;
		const drawn = heat.events - heat.outside - heat.unplaced - heat.shorter - heat.longer;
		const left = [[heat.unplaced, 'whose beginning was not seen'], [heat.shorter, 'of less than 1 ns'], [heat.longer, 'longer than 1000 s'],
		[heat.outside, 'outside the range']].filter(([n]) => n > 0).map(([n, text]) => `${count(n)} ${text}`);

		return `${count(heat.events)} ${heat.events === 1 ? one : many}${left.length ? `: ${count(drawn)} drawn, ${left.join(', ')}` : ', all drawn'}`;
	}

	#bins() {
		return this.own?.bins ?? this.app.figures.shown?.bins;
	}

	/** The cells as they are drawn: sums of neighbours where those would be too small to see. */
	#gridOf(plotWidth, plotHeight) {
		const bins = this.#bins();
		const heats = this.kinds.map((kind) => ({ kind, heat: bins?.heat?.[kind] })).filter(({ heat }) => heat?.cell.length);

		if (!heats.length)
			return null;
		const [from, to] = this.app.range;
		const pixels = plotWidth * (bins.to - bins.from) / (to - from); // of all columns
		const least = LEAST_PX * Math.min(2, heats.length);
		let columns = Math.min(...heats.map(({ heat }) => heat.columns));

		while (pixels / columns < least && columns > 1)
			columns /= 2;
		let low = Infinity, high = 0;
		for (const { heat } of heats) {
			// cells are in the order of their rows
			low = Math.min(low, Math.floor(heat.cell[0] / heat.columns));
			high = Math.max(high, Math.floor(heat.cell[heat.cell.length - 1] / heat.columns));
		}
		const { per_decade: per, lo_ns: lo } = heats[0].heat;
		const [first, last] = [Math.floor(low / per), Math.floor(high / per) + 1];
		const tall = DIVISORS.find((d) => plotHeight / ((last - first) * per) * d >= 4) ?? per;
		const layers = heats.map(({ kind, heat }) => ({ kind, colour: COLOURS[kind](this.app.palette), ...cellsOf(heat, columns, tall) }));
		const scale = d3.scaleLog().domain([lo * 10 ** first, lo * 10 ** last]).range([TOP + plotHeight, TOP]);

		return { layers, columns, wide: (bins.to - bins.from) / columns, from: bins.from, tall, per, lo, scale, bins };
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
			drawLoss(s, palette, app.capture, scale, TOP, plotHeight);
			return;
		}
		drawLogAxis(s, palette, grid.scale, LEFT, width - RIGHT);
		drawLoss(s, palette, app.capture, scale, TOP, plotHeight);
		s.clip(LEFT, TOP, width - LEFT - RIGHT, plotHeight, () => {
			const ends = Array.from({ length: grid.columns + 1 }, (_, i) => Math.round(scale(grid.from + i * grid.wide)));

			for (const [key, parts] of this.#cells(grid)) {
				const row = Math.floor(key / grid.columns), column = key % grid.columns;
				const x1 = ends[column], x2 = Math.max(x1 + 1, ends[column + 1]);

				if (x2 < LEFT || x1 > width - RIGHT)
					continue;
				const y2 = Math.round(grid.scale(this.#edge(grid, row))), y1 = Math.round(grid.scale(this.#edge(grid, row + 1)));
				const each = (x2 - x1) / parts.length;

				parts.forEach((colour, i) => s.rect(x1 + i * each, y1, each, Math.max(1, y2 - y1), colour));
			}
		});
		drawMarks(s, app, scale, TOP, plotHeight, true);
	}

	/** [[cell, [a colour for each kind in it]]]. */
	#cells({ layers }) {
		const { palette } = this.app;
		const level = (n, max) => (max === 1 ? 1 : Math.log(n) / Math.log(max));

		if (this.alone) {
			const [{ cells, max }] = layers;

			return [...cells].map(([key, n]) => [key, [rampColour(palette, level(n, max))]]);
		}
		const out = new Map();

		for (const { cells, max, colour } of layers) {
			for (const [key, n] of cells) {
				const own = mixed(palette.plot, colour, FAINT + (1 - FAINT) * level(n, max));

				if (out.has(key))
					out.get(key).push(own);
				else
					out.set(key, [own]);
			}
		}
		return out;
	}

	/** The cell under the pointer: what is in it, and of that the kind whose part is pointed at. */
	#cellAt(x, y) {
		const { grid, app } = this;
		const scale = timeScale(app.range, LEFT, this.plot.width - RIGHT);

		if (!grid || x < LEFT || x > this.plot.width - RIGHT || y < TOP || y > this.plot.height - BOTTOM)
			return null;
		const column = Math.floor((scale.invert(x) - grid.from) / grid.wide);
		const row = Math.floor(Math.log10(grid.scale.invert(y) / grid.lo) * grid.per / grid.tall);
		const parts = grid.layers.map(({ kind, cells }) => ({ kind, n: cells.get(row * grid.columns + column) })).filter(({ n }) => n);
		const at = grid.from + column * grid.wide;
		const share = (scale.invert(x) - at) / grid.wide;

		return parts.length ? { parts, chosen: parts[Math.min(parts.length - 1, Math.floor(share * parts.length))], row, column, at } : null;
	}

	#hit(x, y) {
		const { app, grid } = this;
		const cell = this.#cellAt(x, y);

		if (!cell)
			return null;
		const [lo, hi] = [this.#edge(grid, cell.row), this.#edge(grid, cell.row + 1)];
		const decodes = app.figures.canDecode(app.capture);

		return {
			lines: [`${cell.parts.map(({ kind, n }) => `${count(n)} ${KINDS[kind][n === 1 ? 'one' : 'many']}`).join(', ')} of ${duration(Number(lo.toPrecision(3)))} to ${duration(Number(hi.toPrecision(3)))}`,
			`from ${moment(cell.at, 9)}`, `in ${duration(Math.round(grid.wide))}`, decodes ? `click: which ${this.alone ? 'they' : `${KINDS[cell.chosen.kind].many} they`} are` : null],
			box: { y: y - 6, h: 12 },
			click: decodes ? () => this.#listCell(cell, lo, hi) : null,
		};
	}

	#listCell(cell, lo, hi) {
		const { app, grid } = this;
		const range = [Math.ceil(cell.at), Math.ceil(cell.at + grid.wide)];
		const { kind } = cell.chosen;

		this.list.ask((decoder, signal) => decoder.select(app.capture, {
			kind, range, lo_ns: lo, hi_ns: hi, tasks: app.selection.list(),
		}, { limit: 100, signal }), (result, error) => {
			this.found.hidden = false;
			replace(this.found, error ? h('p', { class: 'dim' }, `not decoded: ${error.message}`) : this.#foundRows(kind, result));
		});
	}

	#foundRows(kind, { total, rows }) {
		const { app } = this;

		return [h('div', { class: 'found-head' }, h('strong', null, `${count(total)} ${KINDS[kind][total === 1 ? 'one' : 'many']}`),
			button('×', 'close', () => { this.found.hidden = true; }, { class: 'close' })),
		rows.map((row) => h('button', {
			type: 'button', class: 'found-row', title: `${exactNs(row.to - row.from)}; click: show it on the cores`,
			on: { click: () => app.details.look({ run: 'run', sleep: 'off', wakeup: 'wait', guest: 'guest', exit: 'exit' }[kind], row.task, row.from, { view: 'cores', range: [Math.floor(row.from - (row.to - row.from)), Math.ceil(row.to + (row.to - row.from))] }) },
		}, h('bdi', null, app.who(row.task)), h('span', { class: 'dim' }, `CPU ${row.cpu}`), h('span', { class: 'num' }, duration(row.to - row.from)),
			h('span', { class: 'dim num' }, `from ${moment(row.from, 9)}`)))];
	}

	close() {
		this.question.drop();
		this.list.drop();
	}
}
