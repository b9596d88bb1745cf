// SPDX-License-Identifier: GPL-2.0-only
// The critical path of the clicked task in the area, or in the shown range: as cdict vm --critical.
import { moment, spanText } from './clock.js';
import { h, named, replace, swatch } from './dom.js';
import { Question, placesBy, rowsOf } from './figures.js';
import { trackColour } from './marks/tracks.js';
import { count, duration, exactNs, percent, plural } from './text.js';

const SUMS = 6, PARTS = 6; // rows that are shown
const NONE = 0xffffffff;
const LOOKS = { running: 'run', preempted: 'wait', waiting: 'wait', blocked: 'off' };

export class Critical {
	/** drawn(): called when it has arrived, or is dropped. */
	constructor(app, drawn) {
		this.app = app;
		this.drawn = drawn;
		this.question = new Question(app);
		this.path = null; // {key, by: Map(task -> places), ...answer}
		this.el = h('div', { class: 'details-path', hidden: true });
	}

	/** The time that it is of. */
	get range() {
		const { area } = this.app.state;

		return area.length ? area.slice(0, 2) : this.app.range;
	}

	/** Follows the state; @task null: none is wanted. */
	follow(task) {
		const { app, range } = this;
		const key = task === null ? null : `${app.capture.index} ${task} ${range}`;

		if (key === this.key)
			return;
		const had = this.path;

		this.key = key;
		this.path = null;
		this.el.hidden = key === null;
		this.question.drop();
		if (key === null) {
			if (had)
				this.drawn();
			return;
		}
		replace(this.el, h('p', { class: 'dim' }, '…'));
		this.question.ask((decoder, signal) => decoder.critical(app.capture, range, { task, signal }), (answer, error) => {
			this.path = answer ? { ...answer, range, of: task, by: placesBy(answer.task) } : null;
			this.#render(error);
			this.drawn();
		});
	}

	/** The tasks on it, those with most time first. */
	tasks(most) {
		const { path } = this;

		if (!path)
			return [];
		const sums = [...path.by].map(([task, places]) => [task, places.reduce((sum, i) => sum + path.to[i] - path.from[i], 0)]);

		return sums.sort((a, b) => b[1] - a[1]).slice(0, most).map(([task]) => task).filter((task) => task !== NONE);
	}

	/** Marks the task's parts of it in a lane. */
	draw(s, task, scale, top) {
		const { path, app } = this;
		const [from, to] = scale.domain();
		let last = -1;

		for (const i of path?.by.get(task) ?? []) {
			if (path.to[i] <= from || path.from[i] >= to)
				continue;
			const a = Math.max(last, scale(Math.max(from, path.from[i]))), b = Math.max(a + 1, scale(Math.min(to, path.to[i])));

			// shorter ones share a pixel
			if (b - last < 1)
				continue;
			s.rect(a, top, b - a, 3, app.palette.accent);
			last = b;
		}
	}

	#render(error) {
		const { app, path } = this;

		if (!path) {
			replace(this.el, h('p', { class: 'dim' }, `no critical path: ${error?.message ?? 'not decoded'}`));
			return;
		}
		const sums = rowsOf(path.tables.critical_sums);
		const longest = Array.from(path.from, (_, i) => i).sort((a, b) => (path.to[b] - path.from[b]) - (path.to[a] - path.from[a])).slice(0, PARTS);

		replace(this.el, h('h4', null, `Critical path of ${app.who(path.of)}, ${spanText(path.range)}: what its progress depended on`),
			h('table', { class: 'inside', data: { table: 'critical_sums' } }, h('tbody', null, sums.slice(0, SUMS).map((row) => h('tr', { data: { tid: app.capture.tasks[row.task]?.tid, state: row.state } },
				h('td', null, this.#state(row.state), named(app.who(row.task))), h('td', null, row.state), h('td', { class: 'num dim' }, percent(row.percent)),
				h('td', { class: 'num', title: `${exactNs(row.time_ns)} in ${plural(row.parts, 'part')}`, data: { key: 'time_ns', value: row.time_ns } }, duration(row.time_ns)))))),
			sums.length > SUMS ? h('p', { class: 'dim small' }, `and ${count(sums.length - SUMS)} more`) : null,
			h('p', null, `${plural(path.from.length, 'part')}, the longest: `, longest.flatMap((i, k) => [k ? ', ' : '', this.#part(i)])));
	}

	#state(state) {
		return state === 'unknown' ? swatch(null, 'hatched') : swatch(trackColour(this.app.palette, state));
	}

	#part(i) {
		const { app, path } = this;
		const [task, from, state] = [path.task[i], path.from[i], path.states[path.state[i]]];
		const behind = path.behind[i] === NONE ? null : [' behind ', named(app.who(path.behind[i]))];

		return h('button', {
			type: 'button', class: 'link', title: `${path.depth[i] ? `it woke the one before; link ${path.depth[i]}; ` : ''}from ${moment(from, 9)}; click: details`,
			data: { part: i, value: path.to[i] - from }, on: { click: () => app.details.look(LOOKS[state] ?? 'run', task, from) },
		}, named(app.who(task)), ` ${state}`, behind, ` ${duration(path.to[i] - from)}`);
	}
}
