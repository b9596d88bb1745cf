// SPDX-License-Identifier: GPL-2.0-only
// One wait: the task that waited, the task that had the CPU, and the CPU, one above the other.
import { moment } from '../clock.js';
import { button, h, replace } from '../dom.js';
import { LEFT, RIGHT, drawLoss, drawTimeAxis, timeScale } from '../marks/axis.js';
import { aroundOf } from '../details.js';
import { Lanes } from '../marks/lanes.js';
import { drawMarks } from '../marks/marks.js';
import { NO_TASK, Pieces } from '../marks/pieces.js';
import { duration } from '../text.js';

const LANE = 26, GAP = 4, AXIS = 20;

export class Wait {
	constructor(view) {
		this.app = view.app;
		this.lanes = new Lanes(view.app, () => this.plot.paint());
		this.pieces = new Pieces(view.app, () => this.plot.paint());
		this.words = h('p', { class: 'sentence', role: 'status' });
		this.plot = view.plot({
			label: 'the waiting task, its antagonist and the CPU', height: 3 * (LANE + GAP) + AXIS, time: { left: LEFT, right: RIGHT },
			draw: (s, w, tall) => this.#draw(s, w, tall), hit: (x, y) => this.#hit(x, y),
		});
		this.el = h('div', { class: 'wait', hidden: true }, this.words, this.plot.el);
	}

	/** {from, to, victim, culprit, cpu, held}, or null: none is open. */
	#wait() {
		const { app } = this;
		const [from, to, victim, culprit, cpu, held] = app.state.wait;

		return app.state.wait.length === 6 && app.capture.tasks[victim] && app.capture.tasks[culprit] && to > from
			? { from, to, victim, culprit, cpu, held } : null;
	}

	update(change) {
		const wait = this.#wait();
		const { app } = this;

		this.el.hidden = !wait;
		if (!wait) {
			this.pieces.close();
			this.lanes.close();
			return;
		}
		replace(this.words, this.#sentence(wait), ' ',
			button('zoom to it', 'zoom to this wait, with a margin', () => app.select(aroundOf(wait)), { class: 'link' }), ' ',
			button('all tasks on that CPU', 'show the CPU in the view Cores', () => app.set({ view: 'cores', cpus: [wait.cpu], range: aroundOf(wait) }), { class: 'link' }), ' ',
			button('×', 'close', () => app.set({ wait: [] }), { class: 'close' }));
		this.#ask(wait);
		if (!change.figures || !this.plot.stale)
			this.plot.paint();
	}

	#sentence({ from, to, victim, culprit, cpu, held }) {
		const { app } = this;
		const nameOf = (task) => h('bdi', { class: 'strong' }, app.who(task));
		const had = app.capture.tasks[culprit].tid === 0 ? 'it was idle' : [nameOf(culprit), ' had it'];

		return [nameOf(victim), ` waited ${duration(to - from)} for CPU ${cpu} from ${moment(from)} on: `, had, ` for ${duration(held)} of that.`];
	}

	#ask({ victim }) {
		if (this.pieces.follow() || victim !== this.victim)
			this.lanes.follow([victim]);
		this.victim = victim;
	}

	/** The top of lane @i. */
	#top(i) {
		return i * (LANE + GAP) + 2;
	}

	#draw(s, width, height) {
		const { app } = this;
		const { palette } = app;
		const wait = this.#wait();
		const scale = timeScale(app.range, LEFT, width - RIGHT);
		const bottom = 3 * (LANE + GAP);

		s.rect(0, 0, width, height, palette.paper);
		if (!wait)
			return;
		drawTimeAxis(s, palette, scale, 0, bottom);
		[app.who(wait.victim), app.who(wait.culprit), `CPU ${wait.cpu}`].forEach((text, i) =>
			s.text(LEFT - 8, this.#top(i) + LANE / 2, text, { colour: palette.text, anchor: 'end', room: LEFT - 12 }));
		this.lanes.draw(s, wait.victim, scale, this.#top(0), LANE);
		for (const i of [1, 2])
			s.rect(LEFT, this.#top(i), width - LEFT - RIGHT, LANE, palette.plot);
		if (this.pieces.covered) {
			this.#drawPieces(s, scale, 1, wait, (task) => task === wait.culprit);
			this.#drawPieces(s, scale, 2, wait, (_, cpu) => cpu === wait.cpu);
		}
		drawLoss(s, palette, app.capture, scale, this.#top(2), LANE, wait.cpu);
		for (const t of [wait.from, wait.to]) {
			if (t >= app.range[0] && t <= app.range[1])
				s.line(scale(t), 0, scale(t), bottom, palette.text, 1);
		}
		drawMarks(s, app, scale, 0, bottom);
	}

	/** @cpu: where it ran; on another CPU it did not cause this wait. */
	#colour(task, cpu, wait) {
		const { app } = this;
		const { palette } = app;

		if (app.capture.tasks[task]?.tid === 0)
			return wait.culprit === task ? palette.grid : palette.plot;
		if (task === wait.culprit)
			return cpu === wait.cpu ? palette.states.preempted : palette.other_task;
		return task === wait.victim ? palette.states.guest : palette.other_task;
	}

	#drawPieces(s, scale, lane, wait, is) {
		const { app, pieces: { all: pieces } } = this;
		const { palette } = app;
		const [from, to] = app.range;

		for (let i = 0; i < pieces.cpu.length; i++) {
			const [task, cpu] = [pieces.task[i], pieces.cpu[i]];

			if (pieces.to[i] <= from || pieces.from[i] >= to || !is(task, cpu))
				continue;
			const a = scale(Math.max(from, pieces.from[i])), b = scale(Math.min(to, pieces.to[i]));
			const y = this.#top(lane);

			if (task === NO_TASK) {
				s.hatch(a, y, b - a, LANE, palette.loss);
				continue;
			}
			s.rect(a, y, Math.max(0.5, b - a), LANE, this.#colour(task, cpu, wait));
			if (b - a > 3)
				s.rect(b - 1, y, 1, LANE, palette.paper);
			this.#name(s, lane === 1 ? `on CPU ${cpu}` : app.who(task), a, b, y);
		}
	}

	#name(s, text, a, b, y) {
		if (b - a > 40 && s.measure(text, 11) < b - a - 10)
			s.text(a + 5, y + LANE / 2, text, { colour: '#000000', size: 11, room: b - a - 10 });
	}

	#hit(x, y) {
		const { app } = this;
		const wait = this.#wait();
		const lane = Math.floor(y / (LANE + GAP));
		const at = wait && this.plot.width ? timeScale(app.range, LEFT, this.plot.width - RIGHT).invert(x) : NaN;
		const box = { y: this.#top(lane), h: LANE };

		if (!wait || x < LEFT || lane > 2)
			return null;
		if (lane === 0) {
			const found = this.lanes.under(wait.victim, timeScale(app.range, LEFT, this.plot.width - RIGHT), x);

			return found && { lines: found.lines, box, click: () => app.details.look('state', wait.victim, found.at) };
		}
		if (!this.pieces.covered)
			return null;
		const { all: pieces } = this.pieces;

		for (let i = 0; i < pieces.cpu.length; i++) {
			if (pieces.from[i] > at || pieces.to[i] <= at || !(lane === 1 ? pieces.task[i] === wait.culprit : pieces.cpu[i] === wait.cpu))
				continue;
			return {
				lines: [pieces.task[i] === NO_TASK ? 'which task ran is unknown' : app.who(pieces.task[i]), `on CPU ${pieces.cpu[i]}`,
				duration(pieces.to[i] - pieces.from[i]), `from ${moment(pieces.from[i], 9)}`], box,
				click: pieces.task[i] === NO_TASK ? null : () => app.details.look('run', pieces.task[i], at),
			};
		}
		return null;
	}

	close() {
		this.pieces.close();
		this.lanes.close();
	}
}
