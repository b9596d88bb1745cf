// SPDX-License-Identifier: GPL-2.0-only
// The events in view, as `cdict script` prints them, page by page. They are requested only when the list is in view: the
// first events of hundreds of CPUs are in as many blocks, and the list is below as many rows.
import { clockTime, moment } from './clock.js';
import { button, h, replace } from './dom.js';
import { Question } from './figures.js';
import { MARGIN, inView } from './marks/plot.js';
import { copyText } from './table.js';
import { clean, count } from './text.js';

const PAGE = 200;

export class EventList {
	constructor(app) {
		this.app = app;
		this.question = new Question(app);
		this.rows = [];
		this.total = 0;
		this.words = h('span', { class: 'dim' });
		this.more = button('more', `the next ${PAGE}`, () => this.#load(this.rows.length), { hidden: true });
		this.types = h('select', { 'aria-label': 'events', on: { change: () => { this.key = null; this.follow(); } } });
		this.body = h('tbody');
		this.el = h('div', { class: 'events' },
			h('div', { class: 'table-bar' }, h('strong', null, 'Events in view'), this.words, h('span', { class: 'space' }), this.types,
				button('copy', 'copy the lines', () => copyText(this.#lines()))),
			h('div', { class: 'events-scroll' }, h('table', { class: 'event-list', data: { table: 'events' } }, this.body), this.more));
		this.sight = new IntersectionObserver((entries) => { if (entries.some((e) => e.isIntersecting)) this.follow(); }, { rootMargin: `${MARGIN}px` });
		this.sight.observe(this.el);
		replace(this.types, h('option', { value: '' }, 'all types'), app.capture.types.map((t) => h('option', { value: t.name }, clean(t.name))));
	}

	follow() {
		const { app } = this;

		if (!app.figures.canDecode(app.capture)) {
			this.words.textContent = clean(app.capture.why_not ?? 'the capture is not in this page');
			return;
		}
		const key = `${app.state.capture}:${app.range}:${app.selection.list()}:${app.state.cpus}:${this.types.value}`;

		if (key === this.key)
			return;
		if (!inView(this.el)) {
			this.key = null;
			this.question.drop();
			this.words.textContent = '';
			this.more.hidden = true;
			replace(this.body, null);
			return;
		}
		this.key = key;
		this.#load(0);
	}

	/** The number of events, if known: those of the range are counted with its figures; else null. */
	#known(offset) {
		const { app } = this;
		const { shown } = app.figures;
		const whole = String(app.range) === String(app.window);

		if (offset)
			return this.total;
		if (app.selection.any || app.state.cpus.length || this.types.value)
			return null;
		return whole ? app.capture.window_events : String(shown?.range) === String(app.range) ? shown.events ?? null : null;
	}

	#load(offset) {
		const { app } = this;
		const tasks = app.selection.list();
		const { cpus } = app.state;

		this.question.ask((decoder, signal) => decoder.events(app.capture, app.range, {
			tasks, cpus: cpus.length ? cpus : null, type: this.types.value || null, offset, limit: PAGE, known: this.#known(offset), signal,
		}), (result, error) => {
			if (error) {
				this.words.textContent = `not decoded: ${error.message}`;
				return;
			}
			this.rows = offset ? [...this.rows, ...result.rows] : result.rows;
			this.total = result.total;
			this.words.textContent = this.total > this.rows.length ? `the first ${count(this.rows.length)} of ${count(this.total)}` : count(this.total);
			this.more.hidden = this.rows.length >= this.total;
			replace(this.body, this.rows.map((row) => this.#row(row)));
		});
	}

	#row(row) {
		const { app } = this;

		return h('tr', {
			class: 'click', data: { task: row.task, at: row.at }, title: 'click: go there', on: {
				click: () => {
					const span = Math.min(app.range[1] - app.range[0], 1e6);

					if (!getSelection()?.toString())
						app.select([Math.floor(row.at - span / 2), Math.ceil(row.at + span / 2)]);
				}
			}
		},
			h('td', { title: clean(row.comm ?? '') }, h('bdi', null, row.task === null || row.task === undefined ? clean(row.comm ?? '') : app.who(row.task))), h('td', { class: 'num dim' }, String(row.tid)), h('td', { class: 'num dim' }, `[${String(row.cpu).padStart(3, '0')}]`),
			h('td', { class: 'num' }, moment(row.at, 9).replace(/ s$/, '')), h('td', { class: 'type' }, clean(row.type)), h('td', { class: 'trace' }, h('bdi', null, clean(row.text))));
	}

	#lines() {
		return this.rows.map((row) => `${clean(row.comm ?? '')} ${row.tid} [${String(row.cpu).padStart(3, '0')}] ${clockTime(this.app.capture, row.at)}: ${clean(row.type)}: ${clean(row.text)}\n`).join('');
	}

	close() {
		this.sight.disconnect();
		this.question.drop();
	}
}
