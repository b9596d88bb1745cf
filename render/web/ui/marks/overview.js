// SPDX-License-Identifier: GPL-2.0-only
// The strip at the top: the whole window at a glance, and the range chosen in it.
import { d3 } from '../../d3.js';
import { CLOCKS, clockKind, clockTime, moment, wallTime } from '../clock.js';
import { choice, h, replace, swatch } from '../dom.js';
import { LEFT, RIGHT, drawLoss, drawTimeAxis, labelStep, lossOf, timeScale } from './axis.js';
import { within } from '../input/gestures.js';
import { Brush } from './brush.js';
import { STATES, rampColour, rampLegend } from './legend.js';
import { drawArea, drawNames } from './marks.js';
import { Plot } from './plot.js';
import { duration, plural, vmName } from '../text.js';

const AXIS = 18;
const LEAST = 36, BRIEF = 20; // pixels of all rows

/** Most height of all its rows, by the window's height. */
const most = d3.scaleLinear().domain([800, 1080, 2160]).range([84, 110, 140]).clamp(true);

export class Overview {
	constructor(app) {
		this.app = app;
		this.head = h('div', { class: 'strip-head' });
		this.hatchKey = h('span', { class: 'dim', hidden: true }, swatch(null, 'hatched'), ' unknown');
		this.plot = new Plot({
			app, label: 'the whole window: how busy each CPU was', height: () => this.#rowsHeight() + this.#axis(),
			draw: (s, w) => this.#draw(s, w), hit: (x, y) => this.#hit(x, y),
		});
		this.brush = new Brush((chosen, ended) => this.#brushed(chosen, ended));
		this.plot.el.append(this.brush.el);
		this.el = h('section', { class: 'overview', 'aria-label': 'overview' }, this.head, this.plot.el);
		this.brush.el.addEventListener('dblclick', () => app.select(null));
	}

	/** Rows of the strip: {label, value(column) 0..1 for its shade, unknown(column) 0..1: the unknown part, part: value is a share of the whole, not of the known part, words(column), cpu}. */
	#rows() {
		const { capture, state } = this.app;
		const { bins } = capture;

		if (state.strip === 'vms' && bins.vcpus.length)
			return this.#vmRows(capture, bins);
		const wide = (bins.to - bins.from) / bins.columns;

		return capture.cpus.filter((c) => c.seen).map(({ cpu }) => ({
			label: `CPU ${cpu}`, cpu, columns: bins.columns,
			value: (i) => bins.busy_ns[cpu * bins.columns + i] / wide,
			unknown: (i) => bins.unknown_ns[cpu * bins.columns + i] / wide,
			words: (i) => `busy ${duration(bins.busy_ns[cpu * bins.columns + i])}${bins.unknown_ns[cpu * bins.columns + i] ? `, unknown ${duration(bins.unknown_ns[cpu * bins.columns + i])}` : ''}`,
		}));
	}

	#vmRows(capture, bins) {
		const n = bins.vcpu_columns;
		const wide = (bins.to - bins.from) / n;

		const place = new Map(bins.vcpus.map((task, i) => [task, i]));
		const unknown = (task, i) => bins.vcpu_ns[(place.get(task) * STATES.length + STATES.indexOf('unknown')) * n + i];

		return bins.vms.map(({ vcpus }, row) => {
			const { vm } = capture.tasks[vcpus[0]];

			return {
				label: vm === null ? 'vCPUs' : vmName(vm), vm, columns: n, part: true,
				value: (i) => bins.vm_delayed_ns[row * n + i] / (vcpus.length * wide),
				unknown: (i) => Math.min(1, vcpus.reduce((sum, task) => sum + unknown(task, i), 0) / (vcpus.length * wide)),
				words: (i) => `${plural(vcpus.length, 'vCPU')} waited for a CPU ${duration(bins.vm_delayed_ns[row * n + i])}`,
			};
		});
	}

	#axis() {
		return this.app.brief ? 0 : AXIS;
	}

	#rowsHeight() {
		if (this.app.brief)
			return BRIEF;
		const all = most(innerHeight);

		return Math.round(Math.max(LEAST, Math.min(all, this.rows.length * (this.rows.length > 12 ? 4 : 14) * all / 84)));
	}

	paint() {
		const { app } = this;
		const vms = app.capture.bins.vcpus.length > 0;

		this.rows = this.#rows();
		replace(this.head,
			vms ? choice(null, [['cpus', 'busy CPUs', 'how busy each CPU was'], ['vms', 'waiting VMs', 'how much the vCPUs of each VM waited for a CPU']],
				app.state.strip, (strip) => app.set({ strip })) : h('span', { class: 'dim' }, 'busy CPUs'),
			rampLegend(app.palette, '0', app.state.strip === 'vms' ? '100 % waiting' : '100 % busy'),
			this.hatchKey,
			this.#clocks(),
			h('span', { class: 'dim hint' }, 'drag here: zoom to it · drag below: an area · double click: all'));
		this.plot.paint();
	}

	/** The choice of the page's clock. */
	#clocks() {
		const { app } = this;
		const wall = wallTime(app.capture, 0);
		const first = `the first event was at ${clockTime(app.capture, 0)} s${wall ? `, ${wall.day} ${wall.time}.${wall.ns} UTC` : ''}`;
		const clocks = choice('times', Object.entries(CLOCKS).map(([key, [name, title]]) => [key, name, `${title}; ${first}`]), clockKind(), (clock) => app.set({ clock }));
		const no = clocks.querySelector('[data-choice=wall]');

		if (!wall) {
			no.disabled = true;
			no.title = 'no wall clock: record with perf record -k mono';
		}
		return clocks;
	}

	#draw(s, width) {
		const { app, rows } = this;
		const { palette, capture } = app;
		const scale = timeScale(app.window, LEFT, width - RIGHT);
		const height = this.#rowsHeight();
		const tall = height / rows.length;
		const each = labelStep(tall, 12 + Math.max(0, 6 - tall / 2)); // the first is not above the strip
		// with a name for some rows only, a line connects it to its row
		const lines = each > 1 && tall > 2;

		s.rect(0, 0, width, height + this.#axis(), palette.paper);
		s.rect(LEFT, 0, width - RIGHT - LEFT, height, palette.plot);
		this.hatched = lossOf(capture).length > 0;
		// with more rows than pixels several share one
		const share = Math.ceil(rows.length / height);

		for (let k = 0; k < rows.length; k += share)
			this.#drawRow(s, rows.slice(k, k + share), scale, share > 1 ? Math.floor(k * tall) : k * tall,
				share > 1 ? Math.floor((k + share) * tall) - Math.floor(k * tall) : tall > 3 ? tall - 1 : tall);
		rows.forEach((row, k) => {
			if (k % each === 0 && !app.brief)
				this.#label(s, row, k * tall + (tall > 3 ? tall - 1 : tall) / 2, lines);
			if (row.cpu !== undefined)
				drawLoss(s, palette, capture, scale, k * tall, tall, row.cpu);
		});
		if (rows.length && rows[0].cpu === undefined)
			drawLoss(s, palette, capture, scale, 0, height);
		this.hatchKey.hidden = !this.hatched;
		if (this.#axis())
			drawTimeAxis(s, palette, scale, height, height);
		this.drawnMarks = this.#marks();
		drawArea(s, app, scale, [0, height]);
		for (const { at } of app.state.marks)
			s.line(scale(at), 0, scale(at), height, palette.accent, 2);
		drawNames(s, app, scale, 0, 11);
		this.#placeBrush(width, height);
	}

	#label(s, { label }, y, line) {
		const { palette } = this.app;

		if (line)
			s.line(LEFT - 8, Math.floor(y) + 0.5, LEFT - 2, Math.floor(y) + 0.5, palette.axis);
		s.text(LEFT - (line ? 11 : 8), Math.max(6, y), label, { colour: palette.dim, size: 11, anchor: 'end', room: LEFT - 12 });
	}

	#drawRow(s, rows, scale, y, tall) {
		const { palette } = this.app;
		const [left, right] = scale.range();
		const px = Math.ceil(right - left);
		const { columns } = rows[0];
		let hatched = { x: 0, part: 0 }; // the hatch: its first pixel, its part of the height

		for (let x = 0; x <= px; x++) {
			const a = Math.floor(x * columns / px);
			const b = Math.max(a + 1, Math.floor((x + 1) * columns / px));
			const all = (b - a) * rows.length;
			let sum = 0, unknown = 0;

			for (const row of x < px ? rows : []) {
				for (let i = a; i < b; i++) {
					sum += row.value(i);
					unknown += row.unknown(i);
				}
			}
			// if one of two vCPUs is unknown, the other one is drawn, no darker than if both were known
			if (sum > 0 && unknown < 0.95 * all)
				s.rect(left + x, y, 1, tall, rampColour(palette, Math.min(1, sum / (rows[0].part ? all : all - unknown))));
			// unknown is not idle; of a VM's row only the part of the vCPUs that are unknown
			const part = unknown < 0.45 * all || x === px ? 0 : rows[0].part && unknown < 0.95 * all ? 0.5 : 1;

			if (part === hatched.part)
				continue;
			if (hatched.part) {
				s.hatch(left + hatched.x, y + Math.ceil(tall * (1 - hatched.part)), x - hatched.x, Math.floor(tall * hatched.part), palette.loss);
				this.hatched = true;
			}
			hatched = { x, part };
		}
	}

	#hit(x, y) {
		const [left, right] = [LEFT, this.plot.width - RIGHT];
		const row = this.rows[Math.floor(y / this.#rowsHeight() * this.rows.length)];

		if (!row || x < left || x > right || y > this.#rowsHeight())
			return null;
		const i = Math.min(row.columns - 1, Math.floor((x - left) / (right - left) * row.columns));
		const [from, to] = this.app.window;
		const at = from + i * (to - from) / row.columns;

		return {
			lines: [row.label, row.words(i), `${moment(at, 4)} + ${duration(Math.round((to - from) / row.columns))}`],
			box: { y: 0, h: this.#rowsHeight() + this.#axis() },
		};
	}

	/** Everything drawn over the rows. */
	#marks() {
		const { marks, area } = this.app.state;

		return JSON.stringify([marks, area]);
	}

	/** Called when the range was changed elsewhere. */
	moved() {
		if (this.drawnMarks === this.#marks() && this.plot.width > 0)
			this.#placeBrush(this.plot.width, this.#rowsHeight());
		else
			this.plot.paint();
	}

	#placeBrush(width, height) {
		const { app } = this;
		const scale = timeScale(app.window, 0, width - RIGHT - LEFT);

		if (!this.brush.dragging)
			this.brush.place(LEFT, width - RIGHT - LEFT, height, app.state.range ? app.range.map(scale) : null);
	}

	#brushed(chosen, ended) {
		const { app } = this;

		if (chosen) {
			const scale = timeScale(app.window, 0, this.plot.width - RIGHT - LEFT);
			const [from, to] = chosen.map(scale.invert);

			if (to - from >= app.least)
				app.zoom(within([from, to], app.window), 'strip');
		}
		if (ended)
			this.plot.paint();
	}
}
