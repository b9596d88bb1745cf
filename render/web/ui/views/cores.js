// SPDX-License-Identifier: GPL-2.0-only
// View 6: which task had each CPU, down to single slices, wake-ups and exits; and the events themselves.
import { moment } from '../clock.js';
import { choice, h, replaceKept } from '../dom.js';
import { LEFT, RIGHT, drawLoss, drawTimeAxis, labelStep, timeScale } from '../marks/axis.js';
import { EventList } from '../events.js';
import { Question, placesBy, rowsOf } from '../figures.js';
import { Chosen, folded, isVm } from '../groups.js';
import { Lanes, covers, eventsIn, outline } from '../marks/lanes.js';
import { STATE_WORDS, inkOn, legend, reasonColours } from '../marks/legend.js';
import { drawMarks } from '../marks/marks.js';
import { NO_TASK, Pieces } from '../marks/pieces.js';
import { Queues } from '../marks/queues.js';
import { clean, count, duration, percent, plural, vmName } from '../text.js';
import { View } from './view.js';

const AXIS = 22;
const MOST_MARKS = 4000;
const COLOURS = 12;
const PAPER = 560; // pixels of a sheet for all CPUs
const CROWD = 300; // marks: with more, lines instead of triangles
const ROOM = 330; // pixels of the window above and below the picture
const MOST_REASONS = 5; // in the key
const WAKEUP = 0, EXIT = 1, ENTRY = 2, MIGRATION = 3;

/** A linear scale as a plain function, which is faster. */
function straight(scale) {
	const [from, to] = scale.domain(), [left, right] = scale.range();
	const k = (right - left) / (to - from);

	return (t) => left + (t - from) * k;
}

export class CoresView extends View {
	constructor(app) {
		super(app, 'Cores: which task had each CPU');
		this.key = h('div', { class: 'legend-box' });
		this.words = h('p', { class: 'dim' });
		this.pieces = new Pieces(app, () => this.#repaint());
		this.markQuestion = new Question(app);
		this.queues = new Queues(app, () => { this.#repaint(); this.#renderKey(); }, () => this.main.point());
		this.lanes = new Lanes(app, () => this.#repaint()); // states of vCPUs, when they are the colours
		this.stripes = new Map(); // reason -> number of its stripes that are at least a pixel wide
		this.chosen = new Chosen(app, 'tasks', () => this.#renderKey()); // run time of the colours' tasks on the chosen CPUs
		this.events = new EventList(app);
		this.main = this.plot({
			label: 'which task had each CPU over time', height: () => this.cpus().length * this.#pitch() + this.#top() + AXIS, time: { left: LEFT, right: RIGHT },
			legend: () => [...this.#legendItems(), ...this.#reasonItems(), ...this.queues.items()], draw: (s, w, tall) => this.#draw(s, w, tall), hit: (x, y) => this.#hit(x, y),
		});
		this.el.append(this.key, this.main.el, this.words, this.events.el);
	}

	cpus() {
		return this.app.capture.cpus.filter(({ cpu, seen }) => seen && this.app.selection.cpu(cpu)).map(({ cpu }) => cpu);
	}

	rowHeight() {
		const n = this.cpus().length;

		// all of them on one sheet
		if (document.documentElement.dataset.print && n > 24)
			return Math.max(2, Math.floor(PAPER / n));
		if (document.documentElement.dataset.print && n <= 8)
			return 24;
		// as tall as the window allows, but tall enough to distinguish things
		const [most, least] = n <= 8 ? [innerHeight > 1100 ? 44 : 30, 20] : n <= 24 ? [20, 14] : n <= 64 ? [12, 7] : [8, 3];

		return Math.max(least, Math.min(most, Math.floor((innerHeight - ROOM) / n) - this.queues.height(n)));
	}

	/** From one row to the next: a run queue is below each. */
	#pitch() {
		return this.rowHeight() + this.queues.height(this.cpus().length);
	}

	/** The top of the first row: below a second axis if that at the foot is outside the window. */
	#top() {
		return !document.documentElement.dataset.print && this.cpus().length * this.#pitch() > innerHeight - ROOM ? AXIS : 0;
	}

	/** Gives colours to the filtered tasks, else to those that ran longest in the whole window, so that zoom keeps colours. */
	#pickColours() {
		const { app } = this;
		const { tasks, bins, tables } = app.capture;
		const chosen = app.selection.list();
		const { paint } = app.state;

		// when many tasks are folded into few rows, colours are those of groups, unless the user chooses otherwise
		this.painting = paint !== 'auto' ? paint : folded(app, chosen?.length ?? tables.tasks.rows.length) ? 'group' : 'task';
		const groups = this.painting === 'group';
		const wanted = chosen && new Set(groups ? chosen.map((task) => tasks[task].fold) : chosen);
		const rank = groups ? rowsOf(tables.tasks_groups).filter((row) => row.kind !== 'idle').map((row) => row.group) : bins.spark_tasks.filter((task) => tasks[task].tid !== 0);
		const order = wanted ? [...rank.filter((key) => wanted.has(key)), ...[...wanted].filter((key) => !rank.includes(key))] : rank;

		this.coloured = this.painting === 'state' ? [] : order.slice(0, COLOURS);
		this.colours = new Map(this.coloured.map((key, i) => [key, app.palette.tasks[i]]));
	}

	colour(task) {
		const { app } = this;
		const of = app.capture.tasks[task];

		if (task === NO_TASK)
			return null;
		if (of?.tid === 0)
			return app.palette.plot;
		if (app.selection.any && !app.selection.task(task))
			return app.palette.other_task;
		if (this.painting === 'state')
			return this.#stateColour(of);
		return this.colours.get(this.painting === 'group' ? of?.fold : task) ?? app.palette.other_task;
	}

	/** Before its states are known a vCPU on a CPU counts as in the guest; other threads of a VM are its VMM's. */
	#stateColour(task) {
		const { states, tasks: [, , kernel], other_task: other } = this.app.palette;

		return task?.vcpu !== null ? states.guest : task.fold_kind === 'vm' ? states.qemu : task.fold_kind === 'kernel' ? kernel : other;
	}

	update(change) {
		const { app } = this;

		this.#pickColours();
		if (change.figures || change.filter || change.options) {
			this.chosen.ask();
			this.#renderKey();
		}
		if (change.range || change.filter || change.figures)
			this.#askPieces();
		this.queues.follow();
		if (this.painting === 'state' && (change.range || change.figures || change.options))
			this.lanes.follow(app.capture.bins.vcpus);
		this.#repaint();
		this.events.follow(); // below the picture, if that is in view
	}

	#repaint() {
		this.main.paint();
		this.#renderWords();
	}

	#askPieces() {
		const { app } = this;
		const { range } = app;

		if (!this.pieces.follow()) {
			if (!this.pieces.asked)
				this.markQuestion.drop();
			return;
		}
		if (eventsIn(app) > 20 * MOST_MARKS)
			this.marks = null;
		else
			this.markQuestion.ask((decoder, signal) => decoder.marks(app.capture, range, { max: MOST_MARKS, signal }), (marks) => {
				this.marks = marks?.complete ? { range, ...marks } : null;
				this.#sortExits();
				this.main.paint();
				this.#renderKey();
			});
	}

	#legendItems() {
		const { app } = this;
		const { palette } = app;
		const groups = this.painting === 'group';

		if (this.painting === 'state')
			return [...(app.capture.bins.vcpus.length ? ['guest', 'exit'] : []).map((state) => ({ key: state, colour: palette.states[state], text: STATE_WORDS[state] })),
			{ key: 'qemu', colour: palette.states.qemu, text: app.capture.not_recorded.some(({ unknown }) => unknown.includes('VMM')) ? 'other threads of the VMM' : 'in the VMM, and its other threads' }, { key: 'kernel', colour: palette.tasks[2], text: 'kernel threads' },
			{ key: 'others', colour: palette.other_task, text: 'tasks of the host' }];
		const run = new Map(groups ? this.chosen.rows('tasks_groups')?.map((row) => [row.group, row.run_ns]) : this.chosen.rows('tasks')?.map((row) => [row.task, row.run_ns]));
		const vms = new Set(app.capture.tasks.map(({ vm }) => vm));
		const items = this.coloured.map((key, i) => ({
			key, task: groups ? undefined : key, group: groups ? key : undefined, colour: palette.tasks[i],
			text: `${groups ? vms.has(key) ? vmName(key) : clean(key) : app.who(key)}  ${run.get(key) ? duration(run.get(key)) : '–'}`,
		}));

		const known = groups ? this.chosen.rows('tasks_groups') : this.chosen.rows('tasks');
		const others = !known || known.some((row) => row.run_ns > 0 && !row.idle && row.kind !== 'idle' && !this.colours.has(groups ? row.group : row.task));

		return others || app.selection.any ? [...items, { key: 'others', colour: palette.other_task, text: 'others' }] : items;
	}

	#pick(item, e) {
		const { app } = this;

		if (item.task !== undefined)
			app.toggle('tasks', item.task, e.shiftKey);
		else
			app.toggle(isVm(app, item.group) ? 'vms' : 'groups', item.group, e.shiftKey);
	}

	#renderKey() {
		const { app } = this;

		replaceKept(this.key, choice('colour', [['task', 'task', 'one colour per task'], ['group', 'group', 'one colour per VM, for kernel threads, or for tasks with the same name'],
		['state', 'state', 'states of vCPUs; VMM, kernel threads, host tasks']], this.painting, (paint) => app.set({ paint })), this.queues.turner(),
			legend(this.#legendItems().map((item) => {
				const own = item.task !== undefined || item.group !== undefined;

				return { ...item, title: own ? 'click: only this one' : item.key === 'others' ? 'all other tasks' : item.text, on: true, click: own ? (e) => this.#pick(item, e) : null };
			})), legend(this.queues.items()), h('span', { class: 'dim small' }, ['empty: idle', 'hatched: unknown', ...this.#marksKey()].join(' · ')), this.#stripesKey());
	}

	/** The key of the marks that are in the picture. */
	#marksKey() {
		if (!covers(this.app, this.marks))
			return [];
		const there = new Set(this.marks.what);
		const crowd = this.marks.at.length > CROWD;

		return [there.has(WAKEUP) && (crowd ? 'tick at the head: a wake-up' : '▾ wake-up'), there.has(EXIT) && (crowd ? 'tick at the foot: an exit' : '▴ exit'), there.has(MIGRATION) && '◆ migration'].filter(Boolean);
	}

	/** Reasons of the stripes, the most frequent first. */
	#stripeReasons() {
		const { texts } = this.marks ?? {};

		return [...this.stripes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([reason]) => ({ text: clean(texts[reason]), colour: this.#reasonColour(reason) }));
	}

	#reasonItems() {
		return this.#stripeReasons().slice(0, MOST_REASONS).map(({ text, colour }) => ({ colour, text: `exit: ${text}` }));
	}

	#stripesKey() {
		const reasons = this.#stripeReasons();
		const others = reasons.slice(MOST_REASONS).map(({ text }) => text);

		return reasons.length ? [h('span', { class: 'dim small' }, 'stripe at a slice’s foot: handling an exit'),
		legend(reasons.slice(0, MOST_REASONS).map(({ text, colour }) => ({ text, colour, title: `stripes of this colour: exits, ${text}` }))),
		others.length ? h('span', { class: 'dim small', title: others.join(', ') }, `others: ${others.length} more, each in its colour`) : null] : null;
	}

	#renderWords() {
		const { app } = this;
		const exact = this.pieces.covered;
		const bins = app.figures.shown.bins;
		const states = this.painting !== 'state' || !bins.vcpus.length ? '' : !exact ? '; a vCPU’s slice shows its states at about that time' : this.lanes.covers() ? '; in a vCPU’s slice, each pixel shows its states in proportion' : '; a vCPU’s slice is drawn as in the guest throughout: zoom in for its states';

		this.words.textContent = exact ? `Every slice, to scale; below a pixel: the ${this.painting === 'group' ? 'group' : 'task'} that had the CPU longest${this.rowHeight() > 4 ? ', with a line on top' : ''}${states}.` :
			`Each column is the ${this.painting === 'group' ? 'group' : 'task'} that had the CPU longest in its ${duration(Math.round((bins.to - bins.from) / bins.columns))}, empty where it was mostly idle${states}` +
			`${app.figures.canDecode(app.capture) ? '; zoom in for single slices.' : '; the capture is not in this page, so zoom ends here.'}`;
	}

	#draw(s, width, height) {
		const { app } = this;
		const { palette } = app;
		const cpus = this.cpus();
		const tall = this.rowHeight();
		const scale = timeScale(app.range, LEFT, width - RIGHT);
		const head = this.#top();
		const pitch = this.#pitch(), queue = pitch - tall;
		const bottom = head + cpus.length * pitch;
		const every = labelStep(pitch, 16);
		const striped = [...this.stripes.keys()].join();

		this.colours ?? this.#pickColours();
		this.stripes.clear();
		s.rect(0, 0, width, height, palette.paper);
		drawTimeAxis(s, palette, scale, head, bottom);
		if (head)
			drawTimeAxis(s, palette, scale, head, head, { above: true });
		cpus.forEach((cpu, i) => {
			const lane = tall - (tall > 5 ? 2 : tall > 3 ? 1 : 0); // height
			const y = head + i * pitch + (tall > 5 ? 1 : 0);

			if (i % every === 0)
				s.text(LEFT - 8, Math.max(6, y + lane / 2), `CPU ${cpu}`, { colour: palette.text, anchor: 'end' });
			s.rect(LEFT, y, width - LEFT - RIGHT, lane, palette.plot);
			if (this.pieces.covered)
				this.#drawPieces(s, cpu, scale, y, lane);
			else
				this.#drawBins(s, cpu, scale, y, lane);
			drawLoss(s, palette, app.capture, scale, y, lane, cpu);
			if (app.details.thing?.cpu === cpu)
				outline(s, app, app.details.thing.task, scale, y, lane);
			if (queue)
				this.queues.draw(s, cpu, scale, head + i * pitch + tall, queue - (queue > 8 ? 4 : 1));
		});
		if (covers(app, this.marks))
			this.#drawEvents(s, cpus, scale, head, tall, pitch);
		drawMarks(s, app, scale, head, bottom - head, true);
		if (striped !== [...this.stripes.keys()].join())
			this.#renderKey();
	}

	/** Draws slices; those below a pixel share it: the task or group that had it longest is drawn, and marked by a line on top. */
	#drawPieces(s, cpu, scale, y, tall) {
		const { all: pieces } = this.pieces;
		const { palette } = this.app;
		const [left, right] = scale.range();
		const [from, to] = this.app.range;
		const x = straight(scale);
		const states = this.painting === 'state' && this.lanes.covers();
		const groups = this.painting === 'group';
		const shares = new Map(); // of the pixel, by task or group: [ns, its longest slice]
		let pixel = -1;
		const flush = () => {
			let most = null;

			for (const share of shares.values())
				most = !most || share[0] > most[0] ? share : most;
			shares.clear();
			if (!most)
				return;
			const which = most[1];
			const task = pieces.task[which];
			const colour = this.colour(task);

			if (colour && colour !== palette.plot) {
				if (states && this.#isGuest(task))
					this.lanes.drawSlice(s, task, [pieces.from[which], pieces.to[which]], [left + pixel, left + pixel + 1], y, tall);
				else
					s.rect(left + pixel, y, 1, tall, colour);
				if (tall > 3)
					s.rect(left + pixel, y, 1, 1, palette.dim);
			}
		};

		for (let i = this.pieces.first(cpu, from); i < pieces.cpu.length && pieces.cpu[i] === cpu; i++) {
			if (pieces.from[i] >= to)
				break;
			const a = Math.max(left, x(pieces.from[i])), b = Math.min(right, x(pieces.to[i]));

			if (b - a >= 1) {
				const colour = this.colour(pieces.task[i]);

				if (!colour)
					s.hatch(a, y, b - a, tall, palette.loss);
				else if (states && this.#isGuest(pieces.task[i]))
					this.lanes.drawSlice(s, pieces.task[i], [Math.max(from, pieces.from[i]), Math.min(to, pieces.to[i])], [a, b], y, tall);
				else if (colour !== palette.plot)
					s.rect(a, y, b - a, tall, colour);
				if (colour && colour !== palette.plot && tall >= 10 && this.painting !== 'state')
					this.#exitsIn(s, i, a, b, x, y, tall);
				if (colour && colour !== palette.plot && b - a > 46 && tall >= 16)
					this.#name(s, pieces.task[i], colour, a, b, y, tall);
				continue;
			}
			const at = Math.floor(a - left);

			if (at !== pixel) {
				flush();
				pixel = at;
			}
			const of = this.app.capture.tasks[pieces.task[i]];

			if (!of || of.tid === 0)
				continue;
			const key = groups ? of.fold : of.index, long = pieces.to[i] - pieces.from[i];
			const share = shares.get(key);

			if (!share)
				shares.set(key, [long, i]);
			else
				shares.set(key, [share[0] + long, long > pieces.to[share[1]] - pieces.from[share[1]] ? i : share[1]]);
		}
		flush();
	}

	/** Draws exits of a slice, from kvm_exit to kvm_entry, as a stripe along its foot if they are at least a pixel wide. */
	#exitsIn(s, piece, a, b, x, y, tall) {
		if (!covers(this.app, this.marks))
			return;
		const { marks, pieces: { all: pieces } } = this;
		const [from, to] = [pieces.from[piece], pieces.to[piece]];
		const high = Math.max(3, Math.round(tall * 0.3));

		for (const i of this.exitsOf.get(pieces.task[piece]) ?? []) {
			if (marks.at[i] >= to)
				break;
			const end = Math.min(b, x(Math.min(to, marks.at[i] + marks.dur[i])));
			const begin = Math.max(a, x(marks.at[i]));

			if (marks.at[i] + marks.dur[i] <= from || end - begin < 0.5)
				continue;
			s.rect(begin, y + tall - high, end - begin, high, this.#reasonColour(marks.text[i]));
			if (end - begin >= 1 && marks.text[i] < marks.texts.length)
				this.stripes.set(marks.text[i], (this.stripes.get(marks.text[i]) ?? 0) + 1);
		}
	}

	#reasonColour(reason) {
		return this.reasonColour.get(reason) ?? this.app.palette.states.exit;
	}

	/** Marks of exits by task, in order of time, and the colours of their reasons. */
	#sortExits() {
		const { marks } = this;

		this.exitsOf = placesBy(marks?.task ?? [], (i) => marks.what[i] === EXIT && !Number.isNaN(marks.dur[i]));
		const colours = reasonColours(this.app.palette, marks?.texts ?? []);

		this.reasonColour = new Map((marks?.texts ?? []).map((text, i) => [i, colours.get(text)]));
	}

	/** Whether @task is drawn by its states: a vCPU that is not filtered out. */
	#isGuest(task) {
		return this.colour(task) === this.app.palette.states.guest;
	}

	#name(s, task, colour, a, b, y, tall) {
		const name = this.app.who(task);

		const wide = s.measure(name, 11);

		if (wide > b - a - 10)
			return;
		const { palette } = this.app;
		const backed = this.painting === 'state'; // the background may have several colours

		if (backed)
			s.rect(Math.round(a) + 2, y + tall / 2 - 7, wide + 6, 14, palette.paper);
		s.text(a + 5, y + tall / 2, name, { colour: backed ? palette.text : inkOn(colour), size: 11, room: b - a - 10 });
	}

	/** The task that had a column longest; with colours of groups, a task of the group that did. */
	#most(bins, cpu, column) {
		const at = cpu * bins.columns + column;
		const other = this.painting === 'group' ? bins.group_majority[at] ?? NO_TASK : NO_TASK;

		return other === NO_TASK ? bins.majority[at] : other;
	}

	#drawBins(s, cpu, scale, y, tall) {
		const { bins } = this.app.figures.shown;
		const { palette } = this.app;
		const [left, right] = scale.range();
		const x = straight(scale);
		const wide = (bins.to - bins.from) / bins.columns;
		const first = Math.max(0, Math.floor((scale.domain()[0] - bins.from) / wide));
		const end = Math.min(bins.columns, Math.ceil((scale.domain()[1] - bins.from) / wide));

		// Neighbours of one colour are one rectangle.
		for (let i = first, next; i < end; i = next) {
			const task = this.#most(bins, cpu, i);
			const colour = this.colour(task);
			const states = this.painting === 'state' && this.#isGuest(task);

			for (next = i + 1; !states && next < end && this.colour(this.#most(bins, cpu, next)) === colour;)
				next++;
			const a = Math.max(left, x(bins.from + i * wide)), b = Math.min(right, x(bins.from + next * wide));

			if (b <= a)
				continue;
			if (!colour)
				s.hatch(a, y, b - a, tall, palette.loss);
			else if (states)
				this.lanes.drawBinOnCpu(s, task, bins.from + (i + 0.5) * wide, [a, Math.min(right, a + Math.max(b - a, 0.5) + 0.3)], y, tall);
			else if (colour !== palette.plot)
				s.rect(a, y, Math.max(b - a, 0.5) + 0.3, tall, colour);
		}
	}

	/** Draws wake-ups, exits and migrations as small marks at the rows' edges. */
	#drawEvents(s, cpus, scale, head, tall, pitch) {
		const { marks, app } = this;
		const { palette } = app;
		const row = new Map(cpus.map((cpu, i) => [cpu, i]));
		const [from, to] = app.range;
		const crowd = marks.at.length > CROWD;

		for (let i = 0; i < marks.at.length; i++) {
			const k = row.get(marks.cpu[i]);

			if (k === undefined || marks.at[i] < from || marks.at[i] > to || (app.selection.any && !app.selection.task(marks.task[i])))
				continue;
			const x = scale(marks.at[i]), y = head + k * pitch + 1;

			if (marks.what[i] === ENTRY)
				continue;
			if (crowd && marks.what[i] !== MIGRATION) {
				const [a, b] = this.#tick(marks.cpu[i], marks.at[i], x, scale);

				s.rect(a, marks.what[i] === WAKEUP ? y : y + tall - 5, b - a, 3, palette.text);
			} else if (marks.what[i] === WAKEUP) {
				glyph(s, palette, x, y + 4, '▾', 10);
			} else if (marks.what[i] === EXIT) {
				glyph(s, palette, x, y + tall - 6, '▴', 9);
			} else if (marks.what[i] === MIGRATION) {
				glyph(s, palette, x, y + tall / 2, '◆', 8);
			}
		}
	}

	/** Both edges of the tick at @t, a pixel wide, kept inside its slice. */
	#tick(cpu, t, x, scale) {
		const { all: pieces } = this.pieces;
		const i = this.pieces.covered ? this.pieces.first(cpu, t) : Infinity;

		if (!(i < pieces?.cpu.length) || pieces.cpu[i] !== cpu || pieces.from[i] > t)
			return [x, x + 1];
		const a = Math.max(scale(pieces.from[i]), Math.min(x, scale(pieces.to[i]) - 1));

		return [a, Math.min(a + 1, scale(pieces.to[i]))];
	}

	#hit(x, y) {
		const { app } = this;
		const tall = this.rowHeight();
		const head = this.#top();
		const pitch = this.#pitch();
		const row = Math.floor((y - head) / pitch);
		const cpu = this.cpus()[row];
		const below = y - head - row * pitch; // the top of the row

		if (cpu === undefined)
			return null;
		const box = below < tall ? { y: head + row * pitch, h: tall } : { y: head + row * pitch + tall, h: pitch - tall };

		if (x < LEFT)
			return { lines: [`CPU ${cpu}`, 'click: only this CPU'], box, click: (e) => app.toggle('cpus', cpu, e.shiftKey) };
		const scale = timeScale(app.range, LEFT, this.main.width - RIGHT);
		const t = scale.invert(x);

		if (below >= tall)
			return { ...this.queues.at(cpu, t), box };
		const mark = this.#markAt(cpu, x, below, scale);

		if (mark)
			return { ...mark, box };
		return this.pieces.covered ? this.#pieceAt(cpu, t, scale.invert(x + 1) - t, box) : this.#binAt(cpu, t, box);
	}

	#markAt(cpu, x, y, scale) {
		if (!covers(this.app, this.marks))
			return null;
		const { marks, app } = this;
		let best = -1, near = 4;

		// only where they are drawn: the rest of the row is the slice's
		const tall = this.rowHeight(), high = y % tall, edge = Math.min(10, tall / 3);
		const here = [high < edge, high > tall - edge, false, Math.abs(high - tall / 2) < edge / 2];

		for (let i = 0; i < marks.at.length; i++) {
			const far = Math.abs(scale(marks.at[i]) - x);

			if (marks.cpu[i] === cpu && far < near && here[marks.what[i]])
				[best, near] = [i, far];
		}
		// the stripe of an exit, at a slice's foot
		for (let i = 0; best < 0 && high > 0.6 * tall && i < marks.at.length; i++) {
			const t = scale.invert(x);

			if (marks.what[i] === EXIT && marks.cpu[i] === cpu && marks.at[i] <= t && t < marks.at[i] + marks.dur[i])
				best = i;
		}
		if (best < 0)
			return null;
		const what = ['wake-up of', 'exit of', 'entry of', 'migration of'][marks.what[best]];

		const kind = ['wait', 'exit', 'guest', 'off'][marks.what[best]];
		const click = () => app.details.look(kind, marks.task[best], marks.at[best]);

		return {
			click, lines: [`${what} ${app.who(marks.task[best])}`, marks.text[best] < marks.texts.length ? clean(marks.texts[marks.text[best]]) : null,
			`at ${moment(marks.at[best], 9)}, CPU ${cpu}`, Number.isNaN(marks.dur[best]) ? null : `${duration(marks.dur[best])} (${count(marks.dur[best])} ns)`]
		};
	}

	/** The slice with most of the pixel at @t, @wide ns. */
	#pieceAt(cpu, t, wide, box) {
		const { app, pieces: { all: pieces } } = this;
		const [a, b] = [t - wide / 2, t + wide / 2];
		let best = -1, most = -1;

		for (let i = this.pieces.first(cpu, a); i < pieces.cpu.length && pieces.cpu[i] === cpu && pieces.from[i] <= b; i++) {
			const part = Math.min(b, pieces.to[i]) - Math.max(a, pieces.from[i]);

			if (part > most)
				[best, most] = [i, part];
		}
		if (best >= 0) {
			const [from, to, task] = [pieces.from[best], pieces.to[best], pieces.task[best]];

			return {
				lines: [`${app.who(task === NO_TASK ? null : task)} on CPU ${cpu}`, `${duration(to - from)} (${count(to - from)} ns)`, `from ${moment(from, 9)}`, `to ${moment(to, 9)}`],
				box, click: (e) => {
					app.chosen = [from, to];
					if (e.shiftKey && task !== NO_TASK)
						app.toggle('tasks', task);
					else if (task !== NO_TASK)
						app.details.look('run', task, Math.min(Math.max(t, from), to - 1));
				},
			};
		}
		return null;
	}

	#binAt(cpu, t, box) {
		const { app } = this;
		const { bins } = app.figures.shown;
		const wide = (bins.to - bins.from) / bins.columns;
		const i = Math.floor((t - bins.from) / wide);

		if (i < 0 || i >= bins.columns)
			return null;
		const task = this.#most(bins, cpu, i);
		const fold = this.painting === 'group' ? app.capture.tasks[task]?.fold : undefined;

		return {
			lines: [`mostly ${fold ? clean(fold) : app.who(task === NO_TASK ? null : task)} on CPU ${cpu}`, `busy ${percent(100 * bins.busy_ns[cpu * bins.columns + i] / wide)}, ${plural(bins.switches[cpu * bins.columns + i], 'switch', 'switches')}`,
			`in ${duration(Math.round(wide))} from ${moment(bins.from + i * wide, 5)}`], box, click: () => app.details.lookAt(cpu, [bins.from + i * wide, bins.from + (i + 1) * wide], task),
		};
	}

	close() {
		this.pieces.close();
		this.queues.close();
		this.markQuestion.drop();
		this.events.close();
		this.lanes.close();
		this.chosen.close();
		super.close();
	}
}

/** A mark that is visible on any colour. */
function glyph(s, palette, x, y, text, size) {
	s.text(x, y, text, { colour: palette.text, size, anchor: 'middle', edge: palette.paper });
}
