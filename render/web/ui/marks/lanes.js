// SPDX-License-Identifier: GPL-2.0-only
// The states of a vCPU over time: stacked columns of the bins, or the intervals themselves if there are few enough.
import { moment } from '../clock.js';
import { Question, placesBy } from '../figures.js';
import { STATES, STATE_WORDS } from './legend.js';
import { clean, count, duration } from '../text.js';

const MOST_EVENTS = 120000; // a range with more is drawn from bins
const MOST = 60000; // intervals
const NONE = 0xffffffff;
const ON_CPU = ['guest', 'exit', 'qemu', 'unknown'].map((state) => STATES.indexOf(state)); // states of a task on a CPU

/** Number of events in the range, estimated if it needs decoding. */
export function eventsIn(app) {
	const [from, to] = app.range;
	const { capture } = app;
	const shown = app.figures.shown;

	if (shown?.events !== undefined && String(shown.range) === String(app.range))
		return shown.events;
	return capture.window_events * (to - from) / (capture.window.to - capture.window.from);
}

/** Marks the critical path in @task's lane, and frames the clicked thing if it is of @task. */
export function outline(s, app, task, scale, top, height) {
	const { thing } = app.details;
	const [from, to] = scale.domain();

	if (thing?.task === task && thing.to > from && thing.from < to)
		frame(s, app, scale, top, height, thing);
	app.details.critical.draw(s, task, scale, top);
}

/** Frames the clicked @thing. */
export function frame(s, app, scale, top, height, thing) {
	const [from, to] = scale.domain();
	const a = scale(Math.max(from, thing.from)), b = Math.max(a + 2, scale(Math.min(to, thing.to)));

	for (const y of [top, top + height - 2])
		s.rect(a, y, b - a, 2, app.palette.text);
	for (const x of [a, b - 2])
		s.rect(x, top, 2, height, app.palette.text);
}

/** Whether @of, the engine's answer for a range, covers the current range. */
export function covers(app, of) {
	const [from, to] = app.range;

	return of && of.range[0] <= from && of.range[1] >= to;
}

/** The first of intervals in order of time, from number @low to before @high, that ends after @t. */
export function firstAfter(endOf, low, high, t) {
	while (low < high) {
		const middle = (low + high) >> 1;

		if (endOf(middle) <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** The only state in a column: unknown if it is empty; -1: several. */
function pure(shares) {
	let only = STATES.indexOf('unknown');

	for (let k = 0, seen = 0; k < 8; k++) {
		if (!shares[k])
			continue;
		if (seen++)
			return -1;
		only = k;
	}
	return only;
}

/** Scales shares to a sum of 1. */
function normal(shares) {
	const sum = shares.reduce((all, part) => all + part, 0);

	return sum > 0 ? shares.map((part) => part / sum) : shares;
}

export class Lanes {
	constructor(app, drawn) {
		this.app = app;
		this.drawn = drawn;
		this.question = new Question(app);
		this.exact = null; // {range, by: Map(task -> indexes), states}
	}

	/** Asks for the intervals of the range if there are few enough. */
	follow(tasks) {
		const { app } = this;

		if (!app.figures.canDecode(app.capture) || eventsIn(app) > MOST_EVENTS) {
			this.question.drop();
			return;
		}
		const range = app.range;

		this.question.ask((decoder, signal) => decoder.states(app.capture, range, { tasks, max: MOST, signal }), (states) => {
			if (!states?.complete)
				return;
			this.exact = { range, states, by: placesBy(states.task) };
			this.drawn();
		});
	}

	close() {
		this.question.drop();
	}

	covers() {
		return covers(this.app, this.exact);
	}

	colour(state) {
		const { palette, selection } = this.app;

		return selection.state(state) ? palette.states[state] : palette.grid;
	}

	draw(s, task, scale, top, height) {
		const { palette } = this.app;
		const [left, right] = scale.range();

		s.rect(left, top, right - left, height, palette.plot);
		if (this.covers())
			this.#drawExact(s, task, scale, top, height);
		else
			this.drawBins(s, [task], scale, top, height);
		outline(s, this.app, task, scale, top, height);
	}

	#mark(s, k, x, y, w, height) {
		if (STATES[k] === 'unknown')
			s.hatch(x, y, w, height, this.app.palette.loss);
		else
			s.rect(x, y, w, height, this.colour(STATES[k]));
	}

	#drawExact(s, task, scale, top, height) {
		const { states, by } = this.exact;
		const left = Math.round(scale.range()[0]), right = Math.round(scale.range()[1]);
		const px = right - left;
		const shares = new Float64Array(8 * px);
		const flush = (x) => this.#column(s, shares.subarray(x * 8, x * 8 + 8), left + x, 1, top, height);
		const [from, to] = scale.domain();

		for (const i of by.get(task) ?? []) {
			if (states.to[i] <= from || states.from[i] >= to)
				continue;
			const a = Math.max(0, scale(states.from[i]) - left), b = Math.min(px, scale(states.to[i]) - left);

			if (b - a >= 3) {
				this.#mark(s, states.state[i], left + a, top, b - a, height);
				continue;
			}
			for (let x = Math.floor(a); x < Math.ceil(b) && x < px; x++)
				shares[x * 8 + states.state[i]] += Math.min(b, x + 1) - Math.max(a, x);
		}
		for (let x = 0; x < px; x++)
			flush(x);
	}

	/** One stacked column: the guest at the bottom, unknown time on top. */
	#column(s, shares, x, w, top, height) {
		let y = top + height;

		for (let k = 0; k < 8; k++) {
			const part = Math.min(1, shares[k]) * height;

			if (part < 0.05)
				continue;
			y -= part;
			this.#mark(s, k, x, Math.max(top, y), w, part);
		}
	}

	/** The states of @task in its slice of a CPU, [from, to] of time and [a, b] of pixels: each pixel has the right share of each state. */
	drawSlice(s, task, [from, to], [a, b], top, height) {
		const { states, by } = this.exact;
		const list = by.get(task) ?? [];
		const begin = b - a < 3 ? a : Math.floor(a), px = b - a < 3 ? 1 : Math.ceil(b) - begin; // a narrow one is one column
		const k = (b - a) / (to - from);
		const shares = new Float64Array(8 * px);

		for (let i = firstAfter((k) => states.to[list[k]], 0, list.length, from); i < list.length && states.from[list[i]] < to; i++) {
			const state = states.state[list[i]];

			if (!ON_CPU.includes(state))
				continue;
			const left = (Math.max(from, states.from[list[i]]) - from) * k + a - begin, right = (Math.min(to, states.to[list[i]]) - from) * k + a - begin;

			if (px === 1)
				shares[state] += right - left;
			else
				for (let x = Math.floor(left); x < right && x < px; x++)
					shares[x * 8 + state] += Math.min(right, x + 1) - Math.max(left, x);
		}
		for (let x = 0, next; x < px; x = next) {
			const all = shares.subarray(x * 8, x * 8 + 8);
			const alone = pure(all);

			for (next = x + 1; alone >= 0 && next < px && pure(shares.subarray(next * 8, next * 8 + 8)) === alone;)
				next++;
			const l = Math.max(a, begin + x), wide = (px === 1 ? b : Math.min(b, begin + next)) - l;

			if (alone >= 0)
				this.#mark(s, alone, l, top, wide, height);
			else
				this.#column(s, normal(all), l, wide, top, height);
		}
	}

	/** The same for a column of bins, [a, b] of pixels, in which it had the CPU for most of the time: from its states on any CPU. */
	drawBinOnCpu(s, task, t, [a, b], top, height) {
		const of = this.#binsOf(task);
		const column = of ? Math.min(of.columns - 1, Math.max(0, Math.floor((t - of.bins.from) / of.wide))) : 0;
		const shares = Float64Array.from(STATES, (_, k) => (of && k !== STATES.indexOf('unknown') && ON_CPU.includes(k) ? of.bins.vcpu_ns[(of.row * 8 + k) * of.columns + column] : 0));

		this.#column(s, normal(shares), a, b - a, top, height);
	}

	#binsOf(task) {
		const bins = this.app.figures.shown.bins;
		const row = bins.vcpus.indexOf(task);

		return row < 0 ? null : { bins, row, columns: bins.vcpu_columns, wide: (bins.to - bins.from) / bins.vcpu_columns };
	}

	/** Draws the bins of a task, or of several stacked; by whole pixels, else the background would show at their edges. */
	drawBins(s, tasks, scale, top, height) {
		const all = tasks.map((task) => this.#binsOf(task)).filter(Boolean);
		const [of] = all;
		const left = Math.round(scale.range()[0]), right = Math.round(scale.range()[1]);
		const px = right - left;

		if (!of)
			return;
		const shares = new Float64Array(8);

		for (let x = 0; x < px; x++) {
			const a = (scale.invert(left + x) - of.bins.from) / of.wide, b = (scale.invert(left + x + 1) - of.bins.from) / of.wide;
			const first = Math.max(0, Math.floor(a)), last = Math.min(of.columns - 1, Math.max(Math.ceil(b) - 1, Math.floor(a)));

			if (b < 0 || a >= of.columns)
				continue;
			for (let k = 0; k < 8; k++) {
				let sum = 0;

				for (const { row } of all)
					for (let i = first; i <= last; i++)
						sum += of.bins.vcpu_ns[(row * 8 + k) * of.columns + i];
				shares[k] = sum / ((last - first + 1) * of.wide * all.length);
			}
			this.#column(s, shares, left + x, 1, top, height);
		}
	}

	/**
	 * The same at pixel @x, and a time @at in it.
	 * @returns {{lines: string[], at: number, range?: number[]} | null}
	 */
	under(task, scale, x) {
		const t = scale.invert(x);
		const found = this.at(task, t, scale.invert(x + 1) - t);

		return found && { ...found, at: found.range ? Math.min(Math.max(t, found.range[0]), found.range[1] - 1) : t };
	}

	/** The state at time @t, that has most of a pixel of @wide ns: lines for the card, and the interval if it is known. */
	at(task, t, wide) {
		const { app } = this;

		if (this.covers()) {
			const { states, by } = this.exact;
			const list = by.get(task) ?? [];
			const [a, b] = [t - wide / 2, t + wide / 2];
			let best = -1, most = 0;

			for (let i = firstAfter((k) => states.to[list[k]], 0, list.length, a); i < list.length && states.from[list[i]] < b; i++) {
				const part = Math.min(b, states.to[list[i]]) - Math.max(a, states.from[list[i]]);

				if (part > most)
					[best, most] = [list[i], part];
			}
			if (best >= 0)
				return this.#interval(states, best, task);
		}
		const of = this.#binsOf(task);
		const column = of ? Math.floor((t - of.bins.from) / of.wide) : -1;

		if (!of || column < 0 || column >= of.columns)
			return null;
		const parts = STATES.map((state, k) => [state, of.bins.vcpu_ns[(of.row * 8 + k) * of.columns + column]])
			.filter(([, ns]) => ns > 0).sort((a, b) => b[1] - a[1]).slice(0, 2);

		return {
			lines: [`${app.who(task)} at ${moment(t, 4)}`,
			...parts.map(([state, ns]) => `${duration(ns)} ${STATE_WORDS[state]}`),
			`of ${duration(Math.round(of.wide))}; zoom in for the events`]
		};
	}

	#interval(states, i, task) {
		const { app } = this;
		const state = STATES[states.state[i]];
		const [from, to] = [states.from[i], states.to[i]];
		const why = states.reason[i] !== NONE ? `exit: ${clean(states.reasons[states.reason[i]])}` : null;
		const behind = states.behind[i] !== NONE ? `behind ${app.who(states.behind[i])}` : null;

		return {
			range: [from, to],
			lines: [`${app.who(task)}: ${STATE_WORDS[state]}`, [why, behind].filter(Boolean).join(', ') || null,
			`${duration(to - from)} (${count(to - from)} ns)`, `from ${moment(from, 9)}`],
		};
	}
}
