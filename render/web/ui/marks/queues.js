// SPDX-License-Identifier: GPL-2.0-only
// Run queues: how many tasks wait for each CPU over time, and which ones at a moment.
import { moment } from '../clock.js';
import { choice } from '../dom.js';
import { Question, placesBy } from '../figures.js';
import { duration, plural } from '../text.js';
import { covers } from './lanes.js';

const COLUMNS = 1024, MOST = 20000; // waits
const MOST_STEPS = 4000; // of all CPUs: with more, columns are drawn
const REST_MS = 60; // of the pointer, before the engine is asked for the tasks
const NAMED = 3; // lines of a card

/** Begins of each length: [{at, n}], in order of time. */
function stepsOf(waits, list) {
	const ends = list.flatMap((i) => [[waits.from[i], 1], [waits.to[i], -1]]).sort((a, b) => a[0] - b[0]);
	const steps = [];
	let n = 0;

	for (const [at, by] of ends) {
		n += by;
		if (steps.at(-1)?.at === at)
			steps.at(-1).n = n;
		else
			steps.push({ at, n });
	}
	return steps;
}

export class Queues {
	/** drawn(): called when they arrive; named(): when tasks at the pointer are known. */
	constructor(app, drawn, named) {
		this.app = app;
		this.drawn = drawn;
		this.named = named;
		this.question = new Question(app);
		this.names = new Question(app);
		this.all = null; // {range, ...the engine's answer, steps: by CPU}
	}

	/** Why a capture has none, or null. */
	get lacks() {
		const { capture, figures } = this.app;
		const { has } = capture;

		return !figures.canDecode(capture) ? 'the capture is not in this page' : !has.switch || !(has.waking || has.wakeup) ? 'needs sched_switch and sched_waking or sched_wakeup events' : null;
	}

	get on() {
		return this.app.state.queues === 'on' && !this.lacks;
	}

	/** The height of a CPU's track, with @n CPUs. */
	height(n) {
		return !this.on ? 0 : n <= 8 ? 18 : n <= 24 ? 11 : n <= 64 ? 7 : 4;
	}

	/** Asks for those of the range. */
	follow() {
		const { app } = this;
		const { range } = app;
		const key = `${app.state.capture}:${range}`;

		if (!this.on) {
			this.close();
			return;
		}
		if (key === this.asked)
			return;
		this.asked = key;
		this.question.ask((decoder, signal) => decoder.queues(app.capture, range, { columns: COLUMNS, max: MOST, signal }), (answer) => {
			const few = answer?.exact && 2 * answer.task.length <= MOST_STEPS;

			this.all = answer && { range, ...answer, steps: few ? new Map([...placesBy(answer.cpu)].map(([cpu, list]) => [cpu, stepsOf(answer, list)])) : null };
			this.drawn();
		});
	}

	/** For the key. */
	items() {
		return this.on ? [{ colour: this.app.palette.states.waiting, text: `tasks that wait for the CPU${this.all?.longest ? `, up to ${this.all.longest}` : ''}${this.all && !this.all.steps ? ' (their mean; pale: the most)' : ''}` }] : [];
	}

	/** The button that shows or hides them. */
	turner() {
		const { on, lacks } = this;
		const el = choice('', [['queues', 'run queue', lacks ?? 'below each CPU: how many tasks wait for it; under the pointer: which ones']], on ? 'queues' : '', () => this.app.set({ queues: on ? '' : 'on' }));

		el.querySelector('button').disabled = Boolean(lacks);
		return el;
	}

	draw(s, cpu, scale, top, tall) {
		const { app, all } = this;
		const { palette } = app;
		const [left, right] = scale.range();

		s.rect(left, top, right - left, tall, palette.plot);
		if (!all)
			return;
		const high = (n) => (n ? Math.max(1, n / Math.max(1, all.longest) * tall) : 0);
		const full = (...box) => s.rect(...box), pale = (...box) => s.shade(...box, 0.4);
		const bar = (from, to, n, put) => {
			const a = Math.max(left, scale(from)), b = Math.min(right, Math.max(scale(to), scale(from) + 0.5));

			if (b > a && n)
				put(a, top + tall - high(n), b - a, high(n), palette.states.waiting);
		};

		if (all.steps) {
			const steps = all.steps.get(cpu) ?? [];

			steps.forEach(({ at, n }, i) => bar(at, steps[i + 1]?.at ?? at, n, full));
		} else {
			const wide = (all.range[1] - all.range[0]) / all.columns;

			for (let i = 0; i < all.columns; i++) {
				const at = all.range[0] + i * wide, k = cpu * all.columns + i;

				if (!all.most[k])
					continue;
				bar(at, at + wide, all.most[k], pale);
				bar(at, at + wide, all.ns[k] / wide, full);
			}
		}
		for (let i = 0; i < all.unknown_from.length; i++) {
			const a = Math.max(left, scale(all.unknown_from[i])), b = Math.min(right, Math.max(scale(all.unknown_to[i]), a + 2));

			if (b > a)
				s.hatch(a, top, b - a, tall, palette.loss);
		}
	}

	/** Those of @cpu at @t: [{task, ready}], longest first, from an answer. */
	#waits(answer, cpu, t) {
		const found = [];

		for (let i = 0; i < answer.task.length; i++) {
			if (answer.cpu[i] === cpu && answer.from[i] <= t && t < answer.to[i])
				found.push({ task: answer.task[i], ready: answer.ready[i] });
		}
		return found.sort((a, b) => a.ready - b.ready);
	}

	/** The tasks in the queue of @cpu at @t, or null: not known yet. */
	tasksAt(cpu, t) {
		const { app, all, known } = this;

		if (all?.exact && covers(app, all))
			return this.#waits(all, cpu, t);
		if (known?.cpu === cpu && known.t === t)
			return known.waits;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.names.ask((decoder, signal) => decoder.queues(app.capture, [t, t + 1], { columns: 1, max: MOST, signal }), (answer) => {
			this.known = { cpu, t, waits: answer?.exact ? this.#waits(answer, cpu, t) : [] };
			this.named();
		}), REST_MS);
		return null;
	}

	/** The card, and what a click opens. */
	at(cpu, time) {
		const { app } = this;
		const t = Math.min(Math.max(0, Math.floor(time)), app.window[1] - 1);
		const { all } = this;

		if (all?.unknown_from.some((from, i) => from <= t && t < all.unknown_to[i]))
			return { lines: [`run queue of CPU ${cpu} at ${moment(t, 6)}: unknown`, 'events of some CPU are missing'] };
		const waits = this.tasksAt(cpu, t);

		if (!waits)
			return { lines: [`CPU ${cpu} at ${moment(t, 6)}`, '…'] };
		const line = ({ task, ready }) => `${app.who(task)}, for ${duration(t - ready)}`;
		const rest = waits.slice(NAMED - 1);

		return {
			lines: [`${waits.length ? `${plural(waits.length, 'task')} ${waits.length === 1 ? 'waits' : 'wait'}` : 'no task waits'} for CPU ${cpu} at ${moment(t, 6)}`,
			...waits.slice(0, NAMED - 1).map(line), rest.length ? rest.map(line).slice(0, 6).join(' · ') + (rest.length > 6 ? ` · and ${rest.length - 6} more` : '') : null],
			click: waits.length ? () => app.details.look('wait', waits[0].task, t) : null,
		};
	}

	close() {
		this.asked = this.all = this.known = null;
		clearTimeout(this.timer);
		this.question.drop();
		this.names.drop();
	}
}
