// SPDX-License-Identifier: GPL-2.0-only
// Tasks that stay in view in all views, each as a lane under the strip.
import { LEFT, RIGHT, drawLoss, timeScale } from './axis.js';
import { moment } from '../clock.js';
import { button, h, replace } from '../dom.js';
import { Question } from '../figures.js';
import { timeGestures } from '../input/gestures.js';
import { Lanes, outline } from './lanes.js';
import { drawMarks } from './marks.js';
import { Plot } from './plot.js';
import { count, duration } from '../text.js';

const LANE = 18, GAP = 2;
const MOST = 8; // lanes
const STATES = ['running', 'preempted', 'waiting', 'asleep', 'blocked', 'unknown'];
const WORDS = {
	running: 'running', preempted: 'preempted: ready to run, another task had the CPU', waiting: 'waiting: woken, not yet on a CPU',
	asleep: 'asleep', blocked: 'in uninterruptible sleep (D), or stopped', unknown: 'unknown',
};
const LOOKS = { running: 'run', preempted: 'wait', waiting: 'wait', asleep: 'off', blocked: 'off' };
const COLUMNS = 1024;

export class Pins {
	constructor(app) {
		this.app = app;
		this.lanes = new Lanes(app, () => this.paint());
		this.question = new Question(app);
		this.offer = h('span', { class: 'pin-offer' });
		this.closers = h('div', { class: 'pin-closers' });
		this.plot = new Plot({
			app, label: 'pinned tasks over time', height: () => this.#tasks().length * (LANE + GAP) + 2, time: { left: LEFT, right: RIGHT },
			draw: (s, w) => this.#draw(s, w), hit: (x, y) => this.#hit(x, y),
		});
		timeGestures(this.plot, app);
		this.el = h('section', { class: 'pins', 'aria-label': 'pinned tasks', hidden: true }, this.plot.el, this.closers);
	}

	#tasks() {
		return this.app.state.pins.filter((task) => this.app.capture.tasks[task]).slice(0, MOST);
	}

	#isVcpu(task) {
		return this.app.capture.bins.vcpus.includes(task);
	}

	/** Called when the state or the figures may have changed. */
	follow() {
		const tasks = this.#tasks();
		const { app } = this;

		this.#renderOffer();
		this.el.hidden = !tasks.length;
		if (!tasks.length) {
			this.question.drop();
			this.lanes.close();
			this.asked = null;
			return;
		}
		replace(this.closers, tasks.map((task) => button('×', `unpin ${app.who(task)}`, () => app.set({ pins: app.state.pins.filter((pin) => pin !== task) }),
			{ class: 'close', 'aria-label': `unpin ${app.who(task)}` })));
		this.#ask(tasks);
		this.paint();
	}

	/** The button that pins the tasks of the search. */
	#renderOffer() {
		const { app } = this;
		const free = (app.selection.list() ?? []).filter((task) => !app.state.pins.includes(task));
		const room = MOST - this.#tasks().length;
		const some = free.slice(0, room);

		replace(this.offer, some.length && app.figures.canDecode(app.capture) ? button(free.length > room ? `pin ${some.length} of ${count(free.length)}` : some.length === 1 ? 'pin' : `pin ${some.length}`,
			`keep in view, each as a lane: ${some.map((task) => app.who(task)).join(', ')}`, () => app.set({ pins: [...app.state.pins, ...some] }), { class: 'link' }) : null);
	}

	#ask(tasks) {
		const { app } = this;
		const key = `${app.state.capture}:${app.range}:${tasks}`;
		const others = tasks.filter((task) => !this.#isVcpu(task));

		if (key === this.asked)
			return;
		this.asked = key;
		if (others.length < tasks.length)
			this.lanes.follow(tasks.filter((task) => this.#isVcpu(task)));
		if (!others.length || !app.figures.canDecode(app.capture)) {
			this.question.drop();
			return;
		}
		const { range, capture } = app;

		this.question.ask((decoder, signal) => decoder.tracks(capture, range, { tasks: others, columns: COLUMNS, signal }), (answer) => {
			this.tracks = answer ? { range, ...answer } : null;
			this.paint();
		});
	}

	paint() {
		if (!this.el.hidden)
			this.plot.paint();
	}

	#colour(state) {
		const { palette } = this.app;

		return { running: palette.tasks[2], preempted: palette.states.preempted, waiting: palette.states.waiting, asleep: palette.states.halted, blocked: palette.states.blocked }[state];
	}

	#draw(s, width) {
		const { app } = this;
		const { palette } = app;
		const scale = timeScale(app.range, LEFT, width - RIGHT);
		const tasks = this.#tasks();
		const bottom = tasks.length * (LANE + GAP);

		s.rect(0, 0, width, bottom + 2, palette.paper);
		tasks.forEach((task, i) => {
			const top = i * (LANE + GAP) + 1;

			s.text(LEFT - 8, top + LANE / 2, app.who(task), { colour: palette.text, anchor: 'end', room: LEFT - 34, size: 12 });
			if (this.#isVcpu(task)) {
				this.lanes.draw(s, task, scale, top, LANE);
			} else {
				s.rect(LEFT, top, width - LEFT - RIGHT, LANE, palette.plot);
				s.clip(LEFT, top, width - LEFT - RIGHT, LANE, () => this.#drawTrack(s, task, scale, top));
				outline(s, app, task, scale, top, LANE);
			}
		});
		drawLoss(s, palette, app.capture, scale, 0, bottom);
		drawMarks(s, app, scale, 0, bottom);
	}

	#drawTrack(s, task, scale, top) {
		const { tracks } = this;
		const row = tracks ? tracks.tasks.indexOf(task) : -1;
		const mark = (state, x, y, w, tall) => (state === 'unknown' ? s.hatch(x, y, w, tall, this.app.palette.loss) : s.rect(x, y, w, tall, this.#colour(state)));

		if (row < 0)
			return;
		if (tracks.exact && tracks.task.length < 4 * COLUMNS) {
			for (let i = 0; i < tracks.task.length; i++) {
				const x = scale(tracks.from[i]);

				if (tracks.task[i] === task)
					mark(tracks.states[tracks.state[i]], x, top, Math.max(0.5, scale(tracks.to[i]) - x), LANE);
			}
			return;
		}
		const wide = (tracks.range[1] - tracks.range[0]) / tracks.columns;

		for (let column = 0; column < tracks.columns; column++) {
			const x = scale(tracks.range[0] + column * wide), w = scale(tracks.range[0] + (column + 1) * wide) - x;
			let y = top + LANE;

			STATES.forEach((state, k) => {
				const part = tracks.ns[(row * STATES.length + k) * tracks.columns + column] / wide * LANE;

				if (part < 0.05)
					return;
				y -= part;
				mark(state, x, Math.max(top, y), w + 0.3, part);
			});
		}
	}

	#hit(x, y) {
		const { app } = this;
		const i = Math.floor(y / (LANE + GAP));
		const task = this.#tasks()[i];
		const box = { y: i * (LANE + GAP), h: LANE };

		if (task === undefined || !this.plot.width)
			return null;
		if (x < LEFT)
			return { lines: [app.who(task), 'click: only this task'], box, click: (e) => app.toggle('tasks', task, e.shiftKey) };
		const scale = timeScale(app.range, LEFT, this.plot.width - RIGHT);

		if (this.#isVcpu(task)) {
			const found = this.lanes.under(task, scale, x);

			return found && { lines: found.lines, box, click: () => app.details.look('state', task, found.at) };
		}
		return this.#trackAt(task, scale.invert(x), box);
	}

	#trackAt(task, at, box) {
		const { app, tracks } = this;

		if (!tracks?.tasks.includes(task))
			return null;
		if (!tracks.exact) {
			const column = Math.floor((at - tracks.range[0]) / (tracks.range[1] - tracks.range[0]) * tracks.columns);
			const row = tracks.tasks.indexOf(task);
			const parts = STATES.map((state, k) => [state, tracks.ns[(row * STATES.length + k) * tracks.columns + column] ?? 0]).filter(([, ns]) => ns > 0).sort((a, b) => b[1] - a[1]);

			return parts.length ? { lines: [`${app.who(task)} at ${moment(at, 4)}`, ...parts.slice(0, 2).map(([state, ns]) => `${duration(ns)} ${WORDS[state]}`), 'zoom in for single slices'], box } : null;
		}
		for (let i = 0; i < tracks.task.length; i++) {
			if (tracks.task[i] !== task || tracks.from[i] > at || tracks.to[i] <= at)
				continue;
			const state = tracks.states[tracks.state[i]];

			return {
				lines: [`${app.who(task)}: ${WORDS[state]}`, state === 'running' ? `on CPU ${tracks.cpu[i]}` : null, duration(tracks.to[i] - tracks.from[i]), `from ${moment(tracks.from[i], 9)}`],
				box, click: LOOKS[state] ? () => app.details.look(LOOKS[state], task, at) : null,
			};
		}
		return null;
	}
}
