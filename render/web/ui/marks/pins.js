// SPDX-License-Identifier: GPL-2.0-only
// Tasks that stay in view in all views, each as a lane under the strip.
import { LEFT, RIGHT, drawLoss, timeScale } from './axis.js';
import { button, h, replace } from '../dom.js';
import { timeGestures } from '../input/gestures.js';
import { Lanes } from './lanes.js';
import { drawMarks } from './marks.js';
import { Plot } from './plot.js';
import { Tracks } from './tracks.js';
import { count } from '../text.js';

const LANE = 18, GAP = 2;
const MOST = 8; // lanes

export class Pins {
	constructor(app) {
		this.app = app;
		this.lanes = new Lanes(app, () => this.paint());
		this.tracks = new Tracks(app, () => this.paint()); // of tasks that are not vCPUs
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
			this.tracks.drop();
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

		replace(this.offer, some.length && app.figures.canDecode(app.capture) ? button(free.length > room ? `pin ${some.length} of ${count(free.length)} tasks` : some.length === 1 ? 'pin' : `pin ${some.length} tasks`,
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
		if (others.length && app.figures.canDecode(app.capture))
			this.tracks.follow(others);
		else
			this.tracks.drop();
	}

	paint() {
		if (!this.el.hidden)
			this.plot.paint();
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
			(this.#isVcpu(task) ? this.lanes : this.tracks).draw(s, task, scale, top, LANE);
		});
		drawLoss(s, palette, app.capture, scale, 0, bottom);
		drawMarks(s, app, scale, 0, bottom);
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
		const at = scale.invert(x);
		const found = this.tracks.at(task, at);

		return found && { lines: found.lines, box, click: found.look ? () => app.details.look(found.look, task, at) : null };
	}
}
