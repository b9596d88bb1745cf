// SPDX-License-Identifier: GPL-2.0-only
// Lanes of any tasks: what each did over time, interval by interval if there are few enough, else column by column.
import { moment } from '../clock.js';
import { Question, placesBy } from '../figures.js';
import { firstAfter, outline } from './lanes.js';
import { STATE_WORDS, inkOn } from './legend.js';
import { clean, count, duration } from '../text.js';

const COLUMNS = 1024;
const WIDE = 3; // pixels: narrower intervals share their pixels
const ROOM = 34; // pixels: a name takes more

/** States, the most useful at the bottom. */
export const TRACK_STATES = ['guest', 'exit', 'qemu', 'running', 'preempted', 'waiting', 'halted', 'asleep', 'blocked', 'unknown'];

export const TRACK_WORDS = {
	...STATE_WORDS, stolen: 'stolen: runs, as the guest sees it, but its vCPU waits for a CPU', busy: 'CPU busy: waits for a CPU of the guest, which runs another task',
	away: 'vCPU away: waits for a CPU of the guest, whose vCPU does not run', running: 'running', asleep: 'asleep', blocked: 'blocked: asleep for another reason, uninterruptibly (D), or stopped',
};

export const NONE = 0xffffffff;

/** What to look at when a state is clicked; of a vCPU: that state. */
const LOOKS = { running: 'run', preempted: 'wait', waiting: 'wait', asleep: 'off', blocked: 'off' };

/** Each state has its own: those without one in the palette have the tasks' colours that are furthest from the others. */
export function trackColour(palette, state) {
	return { running: palette.tasks[6], asleep: palette.states.halted, stolen: palette.tasks[4], away: palette.tasks[1], busy: palette.tasks[5] }[state] ?? palette.states[state];
}

export class Tracks {
	/** drawn(): called when the answer arrives. */
	constructor(app, drawn) {
		this.app = app;
		this.drawn = drawn;
		this.question = new Question(app);
		this.answer = null;
	}

	/** Asks for the lanes of @tasks in the range; @whole: also exits and wake-ups. */
	follow(tasks, whole = false) {
		const { app } = this;
		const { range, capture } = app;
		const key = `${app.state.capture}:${range}:${tasks}`;

		if (key === this.asked)
			return;
		this.asked = key;
		this.question.ask((decoder, signal) => decoder.tracks(capture, range, { tasks, columns: COLUMNS, type: whole ? 'vm' : null, signal }), (answer) => {
			this.answer = answer ? { range, by: answer.exact ? placesBy(answer.task) : null, ...answer } : null;
			this.drawn();
		});
	}

	drop() {
		this.question.drop();
		this.asked = null;
	}

	/** The time of @task in each state: [[state, ns]]. */
	sums(task) {
		const { answer } = this;
		const row = answer ? answer.tasks.indexOf(task) : -1;

		return row < 0 ? [] : answer.states.map((state, k) => [state, answer.ns.subarray((row * answer.states.length + k) * answer.columns, (row * answer.states.length + k + 1) * answer.columns).reduce((sum, ns) => sum + ns, 0)]);
	}

	isVcpu(task) {
		return this.answer?.vcpus.includes(task) ?? false;
	}

	draw(s, task, scale, top, height) {
		const { answer } = this;
		const [left, right] = scale.range();
		const row = answer ? answer.tasks.indexOf(task) : -1;

		s.rect(left, top, right - left, height, this.app.palette.plot);
		if (row >= 0) {
			const px = Math.round(right) - Math.round(left);
			const shares = new Float64Array(answer.states.length * px);

			if (answer.exact)
				this.#drawExact(s, task, scale, top, height, shares);
			else
				this.#addColumns(row, scale, shares, px);
			for (let x = 0; x < px; x++)
				this.#column(s, shares, x, Math.round(left) + x, top, height);
		}
		this.outline(s, task, scale, top, height);
	}

	outline(s, task, scale, top, height) {
		outline(s, this.app, task, scale, top, height);
	}

	who(task) {
		return this.app.who(task);
	}

	/** What to write on interval i: the first that fits. */
	labels(i, state) {
		const behind = this.answer.behind[i];

		return (state !== 'preempted' && state !== 'waiting') || behind === NONE ? [] : [`behind ${this.app.who(behind)}`, this.app.who(behind)];
	}

	#mark(s, state, x, y, w, height) {
		if (state === 'unknown')
			s.hatch(x, y, w, height, this.app.palette.loss);
		else
			s.rect(x, y, w, height, trackColour(this.app.palette, state));
	}

	/** Draws the wide intervals, and adds the others to @shares of their pixels. */
	#drawExact(s, task, scale, top, height, shares) {
		const { answer } = this;
		const list = answer.by.get(task) ?? [];
		const n = answer.states.length;
		const left = Math.round(scale.range()[0]), px = Math.round(scale.range()[1]) - left;
		const [from, to] = scale.domain();
		const k = (scale.range()[1] - scale.range()[0]) / (to - from);

		for (let at = firstAfter((i) => answer.to[list[i]], 0, list.length, from); at < list.length && answer.from[list[at]] < to; at++) {
			const i = list[at];
			const a = Math.max(0, (answer.from[i] - from) * k), b = Math.min(px, (answer.to[i] - from) * k);
			const state = answer.states[answer.state[i]];

			if (b - a >= WIDE) {
				this.#mark(s, state, left + a, top, b - a, height);
				this.#name(s, i, state, left + a, left + b, top, height);
				continue;
			}
			for (let x = Math.floor(a); x < Math.ceil(b) && x < px; x++)
				shares[x * n + answer.state[i]] += Math.min(b, x + 1) - Math.max(a, x);
		}
	}

	/** In a wait: who had the CPU. */
	#name(s, i, state, a, b, top, height) {
		const { app } = this;
		const text = b - a < ROOM || height < 13 ? null : this.labels(i, state).find((it) => s.measure(it, 10.5) < b - a - 8);

		if (text)
			s.text(a + 4, top + height / 2, text, { colour: inkOn(trackColour(app.palette, state)), size: 10.5 });
	}

	#addColumns(row, scale, shares, px) {
		const { answer } = this;
		const n = answer.states.length;
		const wide = (answer.range[1] - answer.range[0]) / answer.columns;
		const left = Math.round(scale.range()[0]);

		for (let x = 0; x < px; x++) {
			const a = (scale.invert(left + x) - answer.range[0]) / wide, b = (scale.invert(left + x + 1) - answer.range[0]) / wide;
			const first = Math.max(0, Math.floor(a)), last = Math.min(answer.columns - 1, Math.max(Math.ceil(b) - 1, Math.floor(a)));

			if (b < 0 || a >= answer.columns)
				continue;
			for (let k = 0; k < n; k++) {
				let sum = 0;

				for (let i = first; i <= last; i++)
					sum += answer.ns[(row * n + k) * answer.columns + i];
				shares[x * n + k] = sum / ((last - first + 1) * wide);
			}
		}
	}

	/** One pixel: its states in proportion. */
	#column(s, shares, at, x, top, height) {
		let y = top + height;

		const { states } = this.answer;

		for (let k = 0; k < states.length; k++) {
			const part = Math.min(1, shares[at * states.length + k]) * height;

			if (part < 0.05)
				continue;
			y -= part;
			this.#mark(s, states[k], x, Math.max(top, y), 1, part);
		}
	}

	/** Why, behind whom and where it did what it did in interval i. */
	because(i) {
		const { answer } = this;
		const behind = answer.behind[i];

		return [answer.reason[i] !== NONE ? `exit: ${clean(answer.reasons[answer.reason[i]])}` : null,
		behind === NONE ? null : `behind ${this.app.who(behind)}`, answer.cpu[i] !== NONE ? `on CPU ${answer.cpu[i]}` : null].filter(Boolean);
	}

	/** What @task did at time @t: lines for the card, and the kind of thing to look at. */
	at(task, t) {
		const { answer } = this;
		const row = answer ? answer.tasks.indexOf(task) : -1;

		if (row < 0 || t < answer.range[0] || t >= answer.range[1])
			return null;
		if (answer.exact) {
			const list = answer.by.get(task) ?? [];
			const i = list[firstAfter((k) => answer.to[list[k]], 0, list.length, t)];

			return i === undefined || answer.from[i] > t ? null : this.#interval(task, i);
		}
		const wide = (answer.range[1] - answer.range[0]) / answer.columns;
		const column = Math.floor((t - answer.range[0]) / wide);
		const parts = answer.states.map((state, k) => [state, answer.ns[(row * answer.states.length + k) * answer.columns + column]])
			.filter(([, ns]) => ns > 0).sort((a, b) => b[1] - a[1]).slice(0, 2);

		return parts.length ? {
			look: this.isVcpu(task) ? 'state' : LOOKS[parts[0][0]] ?? null,
			lines: [`${this.who(task)} at ${moment(t, 4)}`, ...parts.map(([state, ns]) => `${duration(ns)} ${TRACK_WORDS[state]}`), `of ${duration(Math.round(wide))}; zoom in for single ones`],
		} : null;
	}

	#interval(task, i) {
		const { answer } = this;
		const state = answer.states[answer.state[i]];
		const [from, to] = [answer.from[i], answer.to[i]];

		return {
			look: this.isVcpu(task) ? 'state' : LOOKS[state] ?? null,
			lines: [`${this.who(task)}: ${TRACK_WORDS[state]}`, this.because(i).join(', ') || null,
			`${duration(to - from)} (${count(to - from)} ns)`, `from ${moment(from, 9)}`],
		};
	}
}
