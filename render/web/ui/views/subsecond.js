// SPDX-License-Identifier: GPL-2.0-only
// Offsets in the second: a row per second (or per several in a long recording), the offset across. Periodic events form
// a line.
import { moment } from '../clock.js';
import { h, replace } from '../dom.js';
import { Question } from '../figures.js';
import { KINDS, chosenOf } from '../marks/heat.js';
import { within } from '../input/gestures.js';
import { countCells, countEnds, countRamp } from '../marks/legend.js';
import { count, duration } from '../text.js';

const LEFT = 44, RIGHT = 10, TOP = 2, BOTTOM = 20, COLUMNS = 128;
const MOST_HEIGHT = 420, LEAST_ROW = 2, LEAST_NS = 1.5e9;

/** All cells, from the non-empty ones. */
function dense({ seconds, columns, cell, count: of }) {
	const all = new Uint32Array(seconds * columns);

	cell.forEach((at, i) => { all[at] = of[i]; });
	return all;
}

/** The drawn map: rows of as many seconds as needed to be visible; at, n: the non-empty cells (row * columns + column). */
function drawn({ columns, count: of }, seconds) {
	const per = Math.ceil(seconds * LEAST_ROW / MOST_HEIGHT);
	const rows = Math.ceil(seconds / per);
	const sums = new Uint32Array(rows * columns);
	const at = [], n = [];
	let min = Infinity, max = 0;

	for (let second = 0; second < seconds; second++) {
		const row = Math.floor(second / per) * columns;

		for (let i = 0; i < columns; i++)
			sums[row + i] += of[second * columns + i];
	}
	for (let i = 0; i < sums.length; i++) {
		if (!sums[i])
			continue;
		at.push(i);
		n.push(sums[i]);
		min = Math.min(min, sums[i]);
		max = Math.max(max, sums[i]);
	}
	return { per, rows, columns, sums, at, n, min, max };
}

export class SecondMap {
	constructor(view) {
		this.view = view;
		this.app = view.app;
		this.question = new Question(this.app);
		this.map = null;
		this.ramp = h('span');
		this.words = h('span', { class: 'dim' });
		this.plot = view.plot({
			label: 'offset within the second', title: () => `Pattern within each second, one row ${this.#each()}`, ramp: () => (this.max ? countEnds(this.app.palette, this.map.min, this.max) : null), height: () => this.#height(),
			shows: () => [this.map, this.app.palette], draw: (s, w, tall) => this.#draw(s, w, tall), hit: (x, y) => this.#hit(x, y),
		});
		this.el = h('div', { class: 'heat second' }, h('div', { class: 'heat-head' }, h('h3', null, 'Pattern within each second'),
			h('span', { class: 'space' }), this.ramp), this.plot.el, this.words);
		this.#drag();
	}

	#height() {
		const rows = this.map?.rows ?? 8;

		return TOP + BOTTOM + Math.min(MOST_HEIGHT, Math.max(120, rows * Math.max(2, Math.min(24, MOST_HEIGHT / rows))));
	}

	/** Shows or hides the map, before its neighbours are drawn: a shorter window has less than two rows. */
	place() {
		const { app } = this;

		this.el.hidden = !app.figures.canDecode(app.capture) || app.window[1] - app.window[0] < LEAST_NS;
		this.view.el.classList.toggle('no-second', this.el.hidden);
	}

	follow(kind, range) {
		const { app } = this;

		if (this.el.hidden)
			return;
		const chosen = chosenOf(app, kind);
		const key = JSON.stringify([app.state.capture, kind, range, chosen]);

		if (key === this.key)
			return;
		this.key = key;
		// the page has the map of the whole capture, as decoding a large one takes seconds
		const all = Object.values(chosen).every((list) => list === null);
		const stored = all && String(range) === String([app.window[0], app.window[1]]) ? app.capture.bins.heat[kind]?.second : null;

		if (stored) {
			this.question.drop();
			stored.map ??= this.#drawn(range, { ...stored, count: dense(stored) }); // kept for the next time
			this.#have(kind, stored.map, null);
			return;
		}
		this.question.ask((decoder, signal) => decoder.subsecond(app.capture, range, { kind, ...chosen, columns: COLUMNS, signal }), (map, error) => this.#have(kind, map && this.#drawn(range, map), error));
	}

	#drawn(range, map) {
		return { range, ...drawn(map, Math.min(map.seconds, Math.max(1, Math.ceil(range[1] / 1e9) - Math.floor(range[0] / 1e9)))) };
	}

	#have(kind, map, error) {
		this.map = map;
		this.max = this.map?.max ?? 0;
		replace(this.ramp, this.max ? countRamp(this.app.palette, map.min, map.max) : []);
		this.words.textContent = error ? `not decoded: ${error.message}` : `${KINDS[kind].many}, one row ${this.#each()}; drag over a block for the figures of that time`;
		this.plot.paint();
	}

	#each() {
		return !this.map || this.map.per === 1 ? 'per second' : `per ${this.map.per} seconds`;
	}

	#geometry() {
		const { map, plot } = this;
		const tall = (plot.height - TOP - BOTTOM) / map.rows;
		const wide = (plot.width - LEFT - RIGHT) / map.columns;

		return { tall, wide, first: Math.floor(map.range[0] / 1e9) };
	}

	#draw(s, w, height) {
		const { palette } = this.app;
		const { map } = this;

		s.rect(0, 0, w, height, palette.paper);
		s.rect(LEFT, TOP, w - LEFT - RIGHT, height - TOP - BOTTOM, palette.plot);
		if (!map)
			return;
		const tall = (height - TOP - BOTTOM) / map.rows;
		const wide = (w - LEFT - RIGHT) / map.columns;
		const cells = countCells(s, palette, map.min, map.max);
		const across = Array.from({ length: map.columns + 1 }, (_, i) => Math.round(LEFT + i * wide));
		const first = Math.floor(map.range[0] / 1e9);
		const every = Math.max(1, Math.ceil(14 / tall));

		for (let row = 0; row < map.rows; row += every)
			s.text(LEFT - 6, TOP + row * tall + Math.min(tall, 14) / 2, `${first + row * map.per} s`, { colour: palette.dim, size: 11, anchor: 'end' });
		for (let k = 0; k < map.at.length; k++) {
			const at = map.at[k], n = map.n[k];

			const column = at % map.columns, y = Math.round(TOP + Math.floor(at / map.columns) * tall);
			const below = Math.round(TOP + (Math.floor(at / map.columns) + 1) * tall) - (tall > 4 ? 1 : 0);

			cells.put(across[column], y, across[column + 1], Math.max(y + 1, below), n);
		}
		cells.end();
		for (const ms of [0, 250, 500, 750, 1000]) {
			const x = LEFT + (w - LEFT - RIGHT) * ms / 1000;

			s.line(Math.round(x) + 0.5, TOP, Math.round(x) + 0.5, height - BOTTOM, palette.grid);
			s.text(x, height - BOTTOM + 11, ms ? `${ms} ms` : '0', { colour: palette.dim, size: 11, anchor: ms === 1000 ? 'end' : 'middle' });
		}
	}

	#place(x, y) {
		const { map, plot } = this;

		if (!map || x < LEFT || x > plot.width - RIGHT || y < TOP || y > plot.height - BOTTOM)
			return null;
		const { tall, wide, first } = this.#geometry();
		const [row, column] = [Math.min(map.rows - 1, Math.floor((y - TOP) / tall)), Math.min(map.columns - 1, Math.floor((x - LEFT) / wide))];

		return { row, column, from: (first + row * map.per) * 1e9 + column * 1e9 / map.columns, n: map.sums[row * map.columns + column] };
	}

	#hit(x, y) {
		const at = this.#place(x, y);

		return at && { lines: [`${count(at.n)} at ${moment(at.from, 3)}`, this.map.per === 1 ? `in ${duration(1e9 / this.map.columns)}` : `in ${duration(1e9 / this.map.columns)} of each of ${this.map.per} seconds`, 'drag: figures of that time'], box: { y: y - 6, h: 12 } };
	}

	#drag() {
		const { el, canvas } = this.plot;
		const at = (e) => {
			const { left, top } = canvas.getBoundingClientRect();

			return { x: e.clientX - left, y: e.clientY - top };
		};
		let start = null;

		el.addEventListener('pointerdown', (e) => {
			const p = at(e);

			start = e.button === 0 ? this.#place(p.x, p.y) && p : null;
			if (start)
				el.setPointerCapture(e.pointerId);
		});
		el.addEventListener('pointermove', (e) => { if (start) this.plot.showBand(start.x, at(e).x, ''); });
		el.addEventListener('pointerup', (e) => {
			const a = start && this.#place(start.x, start.y);
			const end = at(e);
			const b = a && this.#place(Math.min(Math.max(end.x, LEFT), this.plot.width - RIGHT), Math.min(Math.max(end.y, TOP), this.plot.height - BOTTOM));

			start = null;
			this.plot.showBand(null);
			if (!a || !b || (a.row === b.row && a.column === b.column))
				return;
			const [first, last] = a.from < b.from ? [a, b] : [b, a];

			this.app.pick(within([first.from, last.from + (this.map.per - 1) * 1e9 + 1e9 / this.map.columns], this.app.window));
		});
	}

	close() {
		this.question.drop();
	}
}
