// SPDX-License-Identifier: GPL-2.0-only
// One VM on one axis: a lane for each of its threads, exits as ticks under the vCPUs, arrows from who woke to who was woken.
import { moment } from '../clock.js';
import { h, replace } from '../dom.js';
import { columnsOf } from '../figures.js';
import { LEFT, RIGHT, drawLoss, drawTimeAxis, timeScale } from '../marks/axis.js';
import { legend, reasonColours } from '../marks/legend.js';
import { drawMarks } from '../marks/marks.js';
import { Inside } from '../marks/inside.js';
import { NONE, TRACK_STATES, TRACK_WORDS, Tracks, trackColour } from '../marks/tracks.js';
import { clean, plural } from '../text.js';

const VCPU = 20, THREAD = 15, TICKS = 6, GAP = 3, AXIS = 20, TITLE = 15; // pixels
const FIRST = 12; // lanes that are shown at first
const ARROWS = 80; // of wake-ups: with more, only those of the chosen chain
const REASONS = 5; // in the key
const NEAR = 3; // pixels

export class Timeline {
	constructor(view) {
		this.app = view.app;
		this.tracks = new Tracks(view.app, () => this.#arrived());
		this.inside = new Inside(view.app, view.file.bind(view), () => {
			this.#place();
			this.#arrived();
		});
		this.lanes = []; // [{task, top, tall, vcpu}]; inner: task is a lane of inside
		this.open = false; // all threads are lanes
		this.key = h('div', { class: 'legend-box' });
		this.more = h('p', { class: 'dim small' });
		this.plot = view.plot({
			label: 'the VM’s threads over time', title: () => 'The VM’s threads over time', height: () => this.#bottom() + AXIS, time: { left: LEFT, right: RIGHT },
			legend: () => this.#items(), draw: (s, w, tall) => this.#draw(s, w, tall), hit: (x, y) => this.#hit(x, y),
		});
		this.el = h('div', { class: 'timeline' }, this.plot.el, this.key, this.more, this.inside.el);
	}

	/** Follows the state; vm: as capture.tasks[].fold, null: none. */
	update(vm) {
		if (vm === null) {
			this.vm = null;
			this.close();
			return;
		}
		if (vm !== this.vm)
			this.open = false;
		this.vm = vm;
		this.#place();
		this.tracks.follow(this.lanes.filter(({ inner }) => !inner).map(({ task }) => task), true);
		this.inside.follow(this.#threads().filter(({ vcpu }) => vcpu).map(({ task }) => task));
		this.plot.paint();
	}

	close() {
		this.tracks.drop();
		this.inside.drop();
	}

	#arrived() {
		replace(this.key, legend(this.#items()));
		this.plot.paint();
	}

	/** The links of the chosen wait's chain, or none. */
	get chain() {
		return this.app.details.chain?.links ?? [];
	}

	/** The VM's threads: its vCPUs, then the others, those that waited longest in the whole capture first; so a zoom moves none. */
	#threads() {
		const { app } = this;
		const { tables: { tasks: table }, tasks } = app.capture;
		const [task, delayed, run] = columnsOf(table, 'task', 'delayed_ns', 'run_ns');
		const waited = new Map(Array.from(task, (t, i) => [t, [delayed[i] ?? 0, run[i] ?? 0]]));
		const of = (t) => waited.get(t.index) ?? [0, 0];

		return tasks.filter((t) => t.fold_kind === 'vm' && t.fold === this.vm && t.tid !== 0)
			.sort((a, b) => Number(b.vcpu !== null) - Number(a.vcpu !== null) || (a.vcpu ?? 0) - (b.vcpu ?? 0) || of(b)[0] - of(a)[0] || of(b)[1] - of(a)[1] || a.index - b.index)
			.map((t) => ({ task: t.index, vcpu: t.vcpu !== null, waited: of(t)[0], seen: t.vcpu !== null || !waited.size || of(t).some((ns) => ns > 0) }));
	}

	/** Chooses the lanes and their places. */
	#place() {
		const { app } = this;
		const all = this.#threads();
		const kept = new Set(this.open ? all : all.filter(({ seen }) => seen).sort((a, b) => b.waited - a.waited).slice(0, FIRST));
		const shown = all.filter((lane) => kept.has(lane));
		let top = 2;

		// the chain's other tasks, of the host or of another VM, and those of the critical path
		for (const task of [...this.chain.map((link) => link.task), ...app.details.critical.tasks(FIRST)]) {
			if (task !== null && !shown.some((lane) => lane.task === task))
				shown.push({ task, vcpu: app.capture.tasks[task].vcpu !== null, waited: 0, seen: true, guest: true });
		}
		const inner = this.inside.rows.filter((row) => row.lane !== null);
		const lanes = inner.slice(0, this.open ? inner.length : FIRST).map((row) => ({ task: row.lane, inner: true }));

		this.lanes = [...shown, ...lanes].map((lane) => {
			top += lane === lanes[0] ? TITLE : 0;

			const tall = lane.vcpu ? VCPU : THREAD;
			const placed = { ...lane, top, tall };

			top += tall + (lane.vcpu ? TICKS : 0) + GAP;
			return placed;
		});
		this.#renderMore(all.length - kept.size + inner.length - lanes.length);
	}

	#renderMore(rest) {
		replace(this.more, rest || this.open ? h('button', {
			type: 'button', class: 'link', on: {
				click: () => {
					this.open = !this.open;
					this.update(this.vm);
				},
			},
		}, this.open ? 'only those that waited longest' : `… and ${plural(rest, 'more thread')}`) : null);
	}

	#bottom() {
		const last = this.lanes.at(-1);

		return last ? last.top + last.tall + (last.vcpu ? TICKS : 0) + GAP : 0;
	}

	/** The intervals of a lane. */
	#of({ inner }) {
		return inner ? this.inside : this.tracks;
	}

	/** What is in the picture, for the key. */
	#items() {
		const { app: { palette } } = this;
		const there = new Set(this.lanes.flatMap((lane) => this.#of(lane).sums(lane.task).filter(([, ns]) => ns > 0).map(([state]) => state)));
		const reasons = this.#reasons().slice(0, REASONS);

		const both = there.has('halted') && there.delete('asleep'); // one colour

		return [...[...TRACK_STATES, 'stolen', 'away', 'busy'].filter((state) => there.has(state)).map((state) => ({
			key: state, text: both && state === 'halted' ? 'halted, asleep' : TRACK_WORDS[state].split(':')[0], title: TRACK_WORDS[state], colour: state === 'unknown' ? null : trackColour(palette, state), hatch: state === 'unknown',
		})), ...reasons.map(([reason]) => ({ key: `tick-${reason}`, text: `exit: ${clean(reason)}`, title: 'ticks under a vCPU; where there are too many, the most frequent reason', colour: this.colours.get(reason) }))];
	}

	/** Reasons of exits in the picture, the most frequent first; sets their colours. */
	#reasons() {
		const { answer } = this.tracks;
		const counts = new Map();

		for (const reason of answer?.most ?? [])
			if (reason !== NONE)
				counts.set(answer.reasons[reason], (counts.get(answer.reasons[reason]) ?? 0) + 1);
		const list = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

		this.colours = reasonColours(this.app.palette, list.map(([reason]) => reason));
		return list;
	}

	#laneOf(task) {
		return this.lanes.find((lane) => !lane.inner && lane.task === task);
	}

	/** A name without the VM's own, which all lanes share. */
	#name(task) {
		const who = this.app.who(task), own = `${clean(this.vm)}.`;

		return who.startsWith(own) && who.length > own.length ? who.slice(own.length) : who;
	}

	#draw(s, width, height) {
		const { app } = this;
		const { palette } = app;
		const scale = timeScale(app.range, LEFT, width - RIGHT);
		const bottom = this.#bottom();

		s.rect(0, 0, width, height, palette.paper);
		drawTimeAxis(s, palette, scale, 0, bottom);
		this.#reasons();
		const first = this.lanes.find(({ inner }) => inner);

		if (first)
			s.text(LEFT, first.top - TITLE / 2, 'inside the guest', { colour: palette.dim, size: 11 });
		for (const lane of this.lanes) {
			const { task, top, tall, vcpu, guest, inner } = lane;

			s.text(LEFT - 8, top + tall / 2, inner ? this.inside.who(task) : this.#name(task), { colour: guest ? palette.dim : palette.text, anchor: 'end', room: LEFT - 12, size: 12 });
			s.clip(LEFT, top, width - LEFT - RIGHT, tall, () => this.#of(lane).draw(s, task, scale, top, tall));
			if (vcpu)
				this.#drawExits(s, task, scale, top + tall + 1);
		}
		drawLoss(s, palette, app.capture, scale, 0, bottom);
		this.#drawArrows(s, scale);
		drawMarks(s, app, scale, 0, bottom);
	}

	/** Ticks of exits: each, if there is room for it, else columns of the most frequent reason. */
	#drawExits(s, task, scale, top) {
		const { answer } = this.tracks;
		const vcpu = answer ? answer.vcpus.indexOf(task) : -1;
		const [left, right] = scale.range();
		const px = Math.round(right - left);

		if (vcpu < 0)
			return;
		const mine = answer.each_exit ? this.#exitsOf(task) : null;

		if (mine && mine.length < px / 3) {
			for (const i of mine) {
				const x = scale(answer.exit_at[i]);

				if (x >= left && x <= right)
					s.rect(Math.min(x, right - 1), top, 1, TICKS - 1, this.#colour(answer.exit_reason[i]));
			}
			return;
		}
		const wide = (answer.range[1] - answer.range[0]) / answer.columns;

		for (let i = 0, next; i < answer.columns; i = next) {
			const reason = answer.most[vcpu * answer.columns + i];

			for (next = i + 1; next < answer.columns && answer.most[vcpu * answer.columns + next] === reason; next++)
				;
			const a = Math.max(left, scale(answer.range[0] + i * wide)), b = Math.min(right, scale(answer.range[0] + next * wide));

			if (reason !== NONE && b > a)
				s.rect(a, top, b - a, TICKS - 1, this.#colour(reason));
		}
	}

	#exitsOf(task) {
		const { answer } = this.tracks;
		const mine = [];

		for (let i = 0; i < answer.exit_task.length; i++)
			if (answer.exit_task[i] === task)
				mine.push(i);
		return mine;
	}

	#colour(reason) {
		return this.colours.get(this.tracks.answer.reasons[reason]) ?? this.app.palette.reasons.other;
	}

	/** Wake-ups in the range from lane to lane: [{at, by, task, cpu}]; none if there are too many to be read. */
	#wakes() {
		const { answer } = this.tracks;
		const [from, to] = this.app.range;
		const list = [];

		for (let i = 0; i < (answer?.wake_at?.length ?? 0); i++) {
			const [at, by, task] = [answer.wake_at[i], answer.wake_by[i], answer.wake_task[i]];

			if (at < from || at > to || by === NONE || by === task || !this.#laneOf(by) || !this.#laneOf(task))
				continue;
			if (list.length === ARROWS)
				return [];
			list.push({ at, by, task, cpu: answer.wake_cpu[i] });
		}
		return list;
	}

	/** The wake-ups of the chain: each link was woken by the next one. */
	#links() {
		const { chain } = this;

		return chain.slice(0, -1).map((link, i) => ({ at: link.from, by: chain[i + 1].task, task: link.task, cpu: link.cpu })).filter(({ by, task }) => by !== null && task !== null);
	}

	#drawArrows(s, scale) {
		const { palette } = this.app;
		const [from, to] = scale.domain();

		this.arrows = [...this.#wakes().map((wake) => ({ ...wake, chosen: false })), ...this.#links().filter(({ at }) => at >= from && at <= to).map((wake) => ({ ...wake, chosen: true }))];
		// what each link of the chain did until it woke the one before it
		for (const [i, { task, from: a }] of this.chain.entries()) {
			const lane = this.#laneOf(task), end = i ? this.chain[i - 1].from : this.chain[0].from + this.chain[0].waited;

			if (lane && end > from && a < to)
				s.rect(scale(Math.max(from, a)), lane.top + lane.tall - 2, Math.max(2, scale(Math.min(to, end)) - scale(Math.max(from, a))), 2, palette.accent);
		}
		for (const { at, by, task, chosen } of this.arrows) {
			const a = this.#laneOf(by), b = this.#laneOf(task);

			if (!a || !b)
				continue;
			const x = scale(at), down = b.top > a.top;
			const [y1, y2] = [a.top + a.tall / 2, down ? b.top : b.top + b.tall]; // long enough between neighbours, too
			const head = down ? -4 : 4, colour = chosen ? palette.accent : palette.text;

			for (const [edge, wide] of chosen ? [[palette.paper, 4], [colour, 2]] : [[colour, 1]]) {
				s.line(x, y1, x, y2, edge, wide);
				s.line(x - 3, y2 + head, x, y2, edge, wide);
				s.line(x + 3, y2 + head, x, y2, edge, wide);
			}
		}
	}

	#hit(x, y) {
		const { app, inside } = this;
		const lane = this.lanes.find(({ top, tall, vcpu }) => y >= top && y < top + tall + (vcpu ? TICKS : 0));

		if (!this.plot.width)
			return null;
		const scale = timeScale(app.range, LEFT, this.plot.width - RIGHT);
		const arrow = x < LEFT ? null : this.#arrowAt(x, y, scale);

		if (arrow)
			return arrow;
		if (!lane)
			return null;
		const box = { y: lane.top, h: lane.tall };

		if (x < LEFT && lane.inner)
			return { lines: [inside.who(lane.task), 'a task of the guest'], box };
		if (x < LEFT)
			return { lines: [app.who(lane.task), 'click: only this task'], box, click: (e) => app.toggle('tasks', lane.task, e.shiftKey) };
		const at = scale.invert(x);

		if (y >= lane.top + lane.tall)
			return this.#exitAt(lane, x, at, scale);
		const found = this.#of(lane).at(lane.task, at);

		return found && { lines: found.lines, box, click: lane.inner ? () => inside.explain(lane.task, at) : found.look ? () => app.details.look(found.look, lane.task, at) : null };
	}

	#arrowAt(x, y, scale) {
		const { app } = this;

		for (const { at, by, task, cpu } of this.arrows ?? []) {
			const a = this.#laneOf(by), b = this.#laneOf(task);

			if (!a || !b || Math.abs(scale(at) - x) > NEAR || y < Math.min(a.top + a.tall, b.top + b.tall) - NEAR || y > Math.max(a.top, b.top) + NEAR)
				continue;
			return {
				lines: [`${app.who(by)} woke ${app.who(task)}`, `at ${moment(at, 9)}${cpu === NONE || cpu === null ? '' : `, on CPU ${cpu}`}`, 'click: the wait that began'],
				box: { y: Math.min(a.top, b.top), h: Math.abs(a.top - b.top) + THREAD }, click: () => app.details.look('wait', task, at),
			};
		}
		return null;
	}

	#exitAt(lane, x, at, scale) {
		const { app, tracks: { answer } } = this;
		const vcpu = answer ? answer.vcpus.indexOf(lane.task) : -1;
		const box = { y: lane.top + lane.tall, h: TICKS };

		if (vcpu < 0)
			return null;
		if (answer.each_exit) {
			const best = this.#exitsOf(lane.task).map((i) => [Math.abs(scale(answer.exit_at[i]) - x), i]).filter(([far]) => far <= NEAR).sort((a, b) => a[0] - b[0])[0]?.[1];

			return best === undefined ? null : {
				lines: [`exit of ${app.who(lane.task)}`, clean(answer.reasons[answer.exit_reason[best]]), `at ${moment(answer.exit_at[best], 9)}`], box,
				click: () => app.details.look('exit', lane.task, answer.exit_at[best]),
			};
		}
		const wide = (answer.range[1] - answer.range[0]) / answer.columns;
		const column = Math.floor((at - answer.range[0]) / wide);
		const n = answer.exits[vcpu * answer.columns + column];

		return n > 0 ? { lines: [`${plural(n, 'exit')} of ${app.who(lane.task)} at ${moment(at, 4)}`, `mostly ${clean(answer.reasons[answer.most[vcpu * answer.columns + column]])}`, 'zoom in for single ones'], box } : null;
	}
}
