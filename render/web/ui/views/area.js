// SPDX-License-Identifier: GPL-2.0-only
// The area that a drag made: the figures of its time, its intervals in a heat map, and what to do with it.
import { moment } from '../clock.js';
import { button, h, replace, swatch } from '../dom.js';
import { fileOf } from '../download.js';
import { Question, rowsOf } from '../figures.js';
import { zoomToArea } from '../input/gestures.js';
import { KINDS, chosenOf, intervalRows } from '../marks/heat.js';
import { copyTicket } from '../save.js';
import { Table } from '../table.js';
import { clean, count, duration, exactNs, figure } from '../text.js';
import { figuresOf, shownFigures, sumsOf } from './ticket.js';
import { taskData } from './view.js';

export const AREA_KINDS = Object.keys(KINDS);
const LISTED = 100;

/** A valid area in the window, or none: [from, to] or [from, to, shortest, longest, kind]. */
export function areaOf(area, window) {
	const [from, to, lo, hi, kind] = area;
	const inside = to > from && from < window[1] && to > window[0];

	if (!inside || ![2, 5].includes(area.length) || (area.length === 5 && (!(hi > lo) || !AREA_KINDS[kind])))
		return area.length ? [] : area;
	return from >= window[0] && to <= window[1] ? area : [Math.max(from, window[0]), Math.min(to, window[1]), ...area.slice(2)];
}

const number = (key, title, hint) => ({ key, title, hint });

export class AreaCard {
	constructor(app) {
		this.app = app;
		this.question = new Question(app);
		this.list = new Question(app);
		this.head = h('div', { class: 'area-head' });
		this.figures = h('dl', { class: 'area-figures' });
		this.found = h('div', { class: 'area-list', hidden: true });
		this.byTask = false;
		this.tasks = h('div', { class: 'area-tasks', hidden: true });
		this.el = h('aside', { class: 'details area', 'aria-label': 'area', hidden: true }, this.head, this.figures, this.found, this.tasks);
	}

	/** When it is first shown: a page opens without it. */
	#makeTable() {
		const { app } = this;

		this.table = new Table([
			{ key: 'name', title: 'task', text: true, value: (r) => app.who(r.task), show: (r) => h('bdi', null, app.who(r.task)) },
			number('run_ns', 'run'), number('run_percent', 'run %', 'of one CPU'), number('delayed_ns', 'waited', 'runnable, but not on a CPU'), number('worst_ns', 'worst'),
			number('switches', 'switches'), number('involuntary', 'forced'),
			number('latency_p50_ns', 'latency p50', 'from wake-up to running'), number('latency_p99_ns', 'p99'), number('latency_max_ns', 'max'), number('exits', 'exits'),
		], {
			app, name: 'area_tasks', file: () => fileOf(app, 'area'), sort: ['delayed_ns', 'desc'], rowData: (r) => taskData(app, r.task),
			onRow: (r, e) => app.toggle('tasks', r.task, e.shiftKey),
		});
		this.tasks.append(this.table.el);
	}

	/** Called when the state may have changed. */
	follow() {
		const { app } = this;
		const { area } = app.state;
		const shown = area.length > 0 && !app.details.wanted;

		this.el.hidden = !shown;
		document.documentElement.classList.toggle('with-area', shown);
		if (!area.length) {
			this.question.drop();
			this.list.drop();
			this.key = this.answer = this.listed = null;
			return;
		}
		const key = JSON.stringify([app.capture.index, area, app.selection.list(), app.state.cpus, app.state.reasons]);

		this.#renderHead();
		if (key === this.key)
			return;
		this.key = key;
		this.#ask(area);
	}

	#ask([from, to, lo, hi, place]) {
		const { app } = this;
		const kind = AREA_KINDS[place];

		this.answer = this.why = this.listed = null;
		this.found.hidden = !kind;
		replace(this.found, []);
		if (!app.figures.canDecode(app.capture)) {
			this.why = `no figures: ${clean(app.capture.why_not ?? 'the capture is not in this page')}`;
			this.found.hidden = true;
			this.#render();
			return;
		}
		this.question.ask((_, signal) => figuresOf(app, [from, to], signal), (answer, error) => {
			this.answer = answer;
			this.why = error ? `not decoded: ${error.message}` : null;
			this.#render();
		});
		if (!kind) {
			this.list.drop();
			return;
		}
		this.list.ask((decoder, signal) => decoder.select(app.capture, { kind, range: [from, to], lo_ns: lo, hi_ns: hi, ...chosenOf(app, kind) }, { limit: LISTED, signal }), (result, error) => {
			this.listed = result;
			replace(this.found, error ? h('p', { class: 'dim' }, `not decoded: ${error.message}`) : [
				h('strong', { data: { total: result.total } }, `${count(result.total)} ${KINDS[kind][result.total === 1 ? 'one' : 'many']} of ${duration(lo)} to ${duration(hi)}`),
				result.total > result.rows.length ? h('span', { class: 'dim' }, ` · the ${result.rows.length} longest`) : null, intervalRows(app, kind, result.rows)]);
		});
	}

	/** The intervals of a heat map as a line of text. */
	words() {
		const { listed } = this;

		return listed ? [`${this.found.firstChild.textContent}${listed.rows.length ? `; the longest: ${this.app.who(listed.rows[0].task)}, ${duration(listed.rows[0].to - listed.rows[0].from)} from ${moment(listed.rows[0].from, 9)} on CPU ${listed.rows[0].cpu}` : ''}`] : [];
	}

	#renderHead() {
		const { app } = this;
		const [from, to] = app.state.area;
		const again = () => {
			this.byTask = !this.byTask;
			this.#renderHead();
			this.#render();
		};

		replace(this.head, swatch(app.palette.accent), h('span', { class: 'details-length', title: exactNs(to - from), data: { key: 'ns', value: to - from } }, duration(to - from)),
			h('span', { class: 'num', data: { from, to } }, `from ${moment(from, 9)} to ${moment(to, 9)}`), h('span', { class: 'dim' }, app.selection.words()),
			h('span', { class: 'space' }),
			button(this.byTask ? 'sums only' : 'per task', 'a row for each task', again, { class: 'link', 'aria-expanded': String(this.byTask), data: { area: 'tasks' } }),
			button('copy as ticket text', 'the figures as a sentence, and the commands that print them; the picture is saved as PNG', () => copyTicket(app), { class: 'link', data: { area: 'ticket' } }),
			button('zoom', 'show only this time (Enter, or double click on the area)', () => zoomToArea(app), { class: 'link', data: { area: 'zoom' } }),
			button('×', 'remove the area (Esc)', () => app.store.takeBack('area', { area: [] }), { class: 'close', 'aria-label': 'remove the area' }));
	}

	#render() {
		const { answer } = this;

		replace(this.figures, this.why ? h('dd', null, this.why) : !answer ? h('dd', null, '…') : shownFigures(sumsOf(answer)).map(({ title, hint, parts }) => h('div', { title: hint }, h('dt', null, title),
			parts.map(({ table, key, value, after }) => h('dd', { title: exactNs(value).replace(/ ns$/, /_ns$/.test(key) ? ' ns' : ''), data: { table, key, value } }, figure(key, value), after ? h('span', { class: 'dim' }, ` ${after}`) : null)))));
		this.tasks.hidden = !this.byTask || !answer;
		if (this.tasks.hidden)
			return;
		const exits = new Map(rowsOf(answer.tables.exits_sums).filter((row) => row.task !== null && row.idle === 0).map((row) => [row.task, row.count]));

		if (!this.table)
			this.#makeTable();
		this.table.setRows(rowsOf(answer.tables.tasks).filter((row) => !row.idle).map((row) => ({ ...row, exits: exits.get(row.task) ?? null })));
	}
}
