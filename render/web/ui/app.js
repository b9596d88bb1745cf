// SPDX-License-Identifier: GPL-2.0-only
// The page: holds the state, requests figures, and updates its parts after a change.
import { Card } from './card.js';
import { CLOCKS, moment, useClock } from './clock.js';
import { Details } from './details.js';
import { button, h, replace, replaceKept } from './dom.js';
import { Figures, rowsOf } from './figures.js';
import { FilterBar } from './filters.js';
import { FindingsOfChosen, findings } from './findings.js';
import { within } from './input/gestures.js';
import { Naming } from './input/naming.js';
import { Head } from './head.js';
import { followKeys } from './input/keys.js';
import { Overview } from './marks/overview.js';
import { Pins } from './marks/pins.js';
import { GESTURE_MS, finishSlices, holdSlices, inGesture } from './slices.js';
import { START, Store } from './input/state.js';
import { Selection } from './input/selection.js';
import { clean, duration, learnNames, plural, vmName } from './text.js';
import { applyTheme } from './theme.js';
import { AreaCard, areaOf } from './views/area.js';
import { lacksOf, viewsFor } from './views/views.js';

const LEAST_NS = 40; // the narrowest range

const SHEET = 690; // pixels: the height of a sheet of paper within its margins
const LEAST_PICTURE = 60, LEAST_PART = 0.4; // pixels: smaller pictures are not shrunk; the least scale

const BUSY = 80; // percent of all CPUs
const MANY = 40; // vCPUs: their exits are shown by VM

function isBusy({ tables: { capacity, vcpu } }) {
	const of = (table, key) => table.rows.map((row) => row[table.columns.indexOf(key)]);

	return of(capacity, 'busy_percent')[0] >= BUSY && of(vcpu, 'delayed_ns').some((ns) => ns > 0);
}

class App {
	constructor(page, decoder, root) {
		this.page = page;
		this.decoder = decoder;
		this.root = root;
		this.views = viewsFor(page);
		this.pointer = null; // the time under the pointer
		this.pointerAt = [0, 0]; // the pointer's place in the window then
		this.chosen = null; // [from, to] of the slice that was clicked
		this.jobs = 0;
		this.settling = 0; // timer: figures wait for the end of a gesture
		this.labels = new Map();
		learnNames(() => this.#names());
		this.card = new Card(document.body);
		this.figures = new Figures(decoder, (what, value) => this.#figuresSay(what, value));
		this.store = new Store(this.#start(), (state) => this.#limit(state), (next, before, gesture) => this.#changed(next, before, gesture));
		this.selection = new Selection(this);
		useClock(this.state.clock, this.capture);
		this.palette = applyTheme(page, this.state.theme);
		this.#build();
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.repaint());
		addEventListener('beforeprint', () => this.#print());
		addEventListener('afterprint', () => {
			delete document.documentElement.dataset.print;
			this.repaint();
		});
		followKeys(this);
	}

	get state() {
		return this.store.state;
	}

	get capture() {
		return this.page.captures[this.state.capture];
	}

	get window() {
		return [this.capture.window.from, this.capture.window.to];
	}

	/** The current range, [from, to]. */
	get range() {
		return this.state.range ?? this.window;
	}

	/** The narrowest range that has something to show. */
	get least() {
		const { bins } = this.capture;

		return this.figures.canDecode(this.capture) ? LEAST_NS
			: (bins.to - bins.from) / Math.min(bins.columns, bins.vcpus.length ? bins.vcpu_columns : bins.columns);
	}

	#start() {
		const { only, start } = this.page;
		const vcpus = this.page.captures.some((c) => c.tables.vcpu?.rows.length);
		const shows = (view) => this.page.captures.some((capture) => !lacksOf(view, capture));
		const has = this.views.filter((v) => (v.id !== 'vcpus' || vcpus) && shows(v));
		// without events of any view: the list of all events
		const first = ['compare', 'vcpus', 'tasks'].map((id) => has.find((v) => v.id === id)).find(Boolean) ?? has[0] ?? this.views.find((v) => v.id === 'cores') ?? this.views[0];
		/** @type {any} */
		const state = { ...START, view: first.id };

		// if all CPUs are busy, show the VMs that wait for them instead
		if (this.page.captures[0].tables.capacity?.rows.length && vcpus && isBusy(this.page.captures[0]))
			state.strip = 'vms';
		if (this.page.captures.some((c) => c.tables.vcpu?.rows.length > MANY))
			state.per = 'vm';
		if (only && this.views.some((view) => view.id === only))
			state.view = only;
		if (start?.what)
			state.heat = [start.what];
		if (start?.by === 'count' || start?.by === 'time')
			state.by = start.by;
		if (start?.by === 'run' || start?.by === 'switches')
			state.map = start.by;
		if (['task', 'group', 'state'].includes(start?.by))
			state.paint = start.by;
		if (start?.fold)
			state.fold = start.fold;
		return state;
	}

	/** Limits a state from the address to what this page has. */
	#limit(state) {
		const captures = this.page.captures;
		const capture = captures[Math.min(state.capture, captures.length - 1)];
		const { from, to } = capture.window;
		let { range } = state;

		if (range) {
			range = within([Math.max(range[0], from), Math.min(Math.max(range[1], range[0] + 1), to)], [from, to]);
			if (!(range[1] > range[0]) || (range[0] <= from && range[1] >= to))
				range = null;
		}
		return {
			...state, range, capture: capture.index,
			view: this.views.some((v) => v.id === state.view) ? state.view : this.views[0].id,
			tasks: state.tasks.filter((t) => t < capture.tasks.length),
			pins: [...new Set(state.pins)].filter((t) => t < capture.tasks.length),
			area: areaOf(state.area, [from, to]),
			clock: state.clock in CLOCKS ? state.clock : START.clock,
			theme: ['', 'dark', 'light'].includes(state.theme) ? state.theme : '',
		};
	}

	#build() {
		this.head = new Head(this);
		this.findingsOfChosen = new FindingsOfChosen(this, () => this.#showFindings());
		this.findings = h('section', { class: 'findings', 'aria-label': 'findings' });
		this.fold = button('', 'findings and overview: one line, or all', () => {
			this.open = this.brief;
			this.#fold();
		}, { class: 'fold', 'aria-controls': 'top' });
		this.overview = new Overview(this);
		this.filters = new FilterBar(this);
		this.pins = new Pins(this);
		this.details = new Details(this);
		this.area = new AreaCard(this);
		this.naming = new Naming(this);
		this.tabs = h('nav', { class: 'tabs', role: 'tablist' });
		this.note = h('div', { class: 'note', role: 'status', hidden: true });
		this.progress = h('div', { class: 'progress', hidden: true });
		this.main = h('main', { id: 'view', tabindex: '-1' });
		replace(this.root, this.head.el, this.page.only ? null : h('div', { id: 'top', class: 'top' }, this.findings, this.fold),
			h('div', { class: 'sticky' }, this.overview.el, h('div', { class: 'tabs-row' }, this.tabs, this.pins.offer, this.filters.el), this.pins.el, this.progress),
			this.note, this.main, this.details.el, this.area.el);
	}

	/** First paint. */
	begin() {
		this.figures.want(this.capture, this.range);
		this.#renderAll();
		this.#mark();
	}

	/** Whether findings and overview are one line each: on all tabs but the first, until they are opened. */
	get brief() {
		return !this.page.only && this.state.view !== this.store.start.view && this.state.view !== 'compare' && !this.open;
	}

	#fold() {
		const { brief } = this;

		document.documentElement.classList.toggle('brief', brief);
		this.fold.hidden = this.state.view === this.store.start.view || this.state.view === 'compare';
		this.fold.textContent = brief ? `▾ ${this.findings.children.length > 1 ? 'all ' : ''}${plural(this.findings.children.length, 'finding')}` : '▴ one line';
		this.fold.setAttribute('aria-expanded', String(!brief));
		if (this.wasBrief === brief)
			return;
		this.findings.style.minHeight = '';
		if (this.wasBrief !== undefined)
			this.overview.paint();
		this.wasBrief = brief;
	}

	/** While the range changes, lines that come and go must not move the page. */
	#showFindings(keep = true) {
		const { about } = this.findingsOfChosen;
		const lines = findings(this);

		if (keep && this.findingsOfChosen.about === about) {
			replaceKept(this.findings, lines);
		} else {
			this.findings.style.minHeight = '';
			replace(this.findings, lines);
		}
		this.#fold();
	}

	#renderAll() {
		this.head.render();
		this.#showFindings();
		this.overview.paint();
		this.#renderTabs();
		this.filters.render();
		this.pins.follow();
		this.#openView();
		this.details.follow();
		this.area.follow();
	}

	#renderTabs() {
		replace(this.tabs, this.page.only ? [] : this.views.map((view) => h('button', {
			type: 'button', role: 'tab', class: `tab${view.id === this.state.view ? ' on' : ''}${lacksOf(view, this.capture) ? ' lacks' : ''}`,
			'aria-selected': String(view.id === this.state.view), title: lacksOf(view, this.capture) ?? `${view.hint} (key ${view.key})`,
			data: { view: view.id }, on: { click: () => this.set({ view: view.id }) },
		}, h('span', { class: 'key' }, view.key), view.title)));
	}

	#openView() {
		this.view?.close();
		this.card.hide();
		const view = this.views.find((v) => v.id === this.state.view);
		const lacks = lacksOf(view, this.capture);

		this.overview.el.hidden = view.id === 'compare';
		this.view = view.make(this);
		// no table heads without rows; but the cores view lists events of any kind
		this.view.el.hidden = Boolean(lacks) && view.id !== 'cores';
		this.view.el.classList.toggle('lacks', Boolean(lacks));
		replace(this.main, lacks ? h('p', { class: 'empty' }, lacks) : null, this.view.el);
		this.view.update({ figures: true, range: true, filter: true });
	}

	/** Changes the state; the rest follows. */
	set(part, options) {
		this.store.set(part, options);
	}

	/** A new range from a gesture. */
	zoom(range, gesture = 'zoom') {
		this.set({ range }, { gesture });
	}

	/** A new range by a deliberate act; null: the whole window. */
	select(range) {
		this.set({ range });
	}

	/** An area, by a drag; @block: [shortest, longest, kind], in a heat map. */
	pick(range, block = []) {
		const [from, to] = [Math.floor(range[0]), Math.ceil(range[1])];

		this.chosen = null;
		this.store.set({ area: [from, Math.max(to, from + 1), ...block], look: [] }, { made: 'area' });
	}

	/** Adds the value to a list of the filter, or takes it away. */
	toggle(key, value, keep = false) {
		const list = this.state[key];
		const has = list.includes(value);

		this.set({ [key]: has ? list.filter((v) => v !== value) : keep ? [...list, value] : [value] });
	}

	#changed(next, before, gesture = null) {
		const started = performance.now();
		const differs = (...keys) => keys.some((key) => JSON.stringify(next[key]) !== JSON.stringify(before[key]));

		if (differs('theme'))
			this.palette = applyTheme(this.page, next.theme);
		if (differs('capture')) {
			this.labels.clear();
			learnNames(() => this.#names());
		}
		useClock(next.clock, this.capture);
		this.selection.changed();
		this.freshFigures = false;
		this.changing = true;
		this.figures.want(this.capture, this.range);
		this.changing = false;
		if (differs('capture', 'theme', 'clock')) {
			this.#renderAll();
		} else {
			const range = differs('range', 'marks');

			if (differs('strip'))
				this.overview.paint();
			this.head.follow();
			if (differs('look', 'critical') && !differs('view'))
				this.details.follow();
			if (range && gesture) {
				this.#mark();
				this.#paintSoon(started);
				if (this.freshFigures || this.settling)
					this.#settleSoon();
				return;
			}
			this.area.follow();
			this.freshFigures ||= this.#settled();
			if (range) {
				this.overview.moved();
				requestAnimationFrame(() => performance.measure('cdict-zoom', { start: started, end: performance.now() }));
			}
			this.filters.render();
			this.pins.follow();
			if (differs('view')) {
				this.#renderTabs();
				this.#showFindings(false);
				this.#openView();
				this.details.follow();
			} else {
				if (differs('area') && !range) {
					this.overview.moved();
					this.pins.paint();
					this.details.follow();
				}
				if (range || this.freshFigures || differs('tasks', 'vms', 'groups', 'search'))
					this.#showFindings();
				if (range)
					this.details.follow();
				this.view.update({
					range, filter: differs('tasks', 'vms', 'groups', 'cpus', 'reasons', 'states', 'search'),
					options: differs('by', 'per', 'map', 'heat', 'flame', 'open', 'compare', 'wait', 'matrix', 'fold', 'unfold', 'paint', 'queues'), figures: this.freshFigures
				});
			}
		}
		this.#mark();
	}

	/** Draws once for all steps of a gesture before the next frame. */
	#paintSoon(started) {
		if (this.frame)
			return;
		this.frame = requestAnimationFrame(() => {
			this.frame = 0;
			holdSlices();
			this.overview.moved();
			this.pins.follow();
			this.details.follow();
			this.filters.render();
			this.view.update({ range: true });
			performance.measure('cdict-zoom', { start: started, end: performance.now() });
		});
	}

	/** Shows figures that arrive during a gesture after its end, so that its steps do not wait for tables. */
	#settleSoon() {
		if (!this.settling)
			this.busy(1);
		clearTimeout(this.settling);
		this.settling = setTimeout(() => {
			this.#settled();
			this.#showFigures();
		}, GESTURE_MS);
	}

	/** Ends the wait for a gesture's end; whether figures were still to be shown. */
	#settled() {
		const due = Boolean(this.settling);

		clearTimeout(this.settling);
		this.settling = 0;
		if (due)
			this.busy(-1);
		return due;
	}

	#showFigures() {
		this.selection.changed();
		this.filters.render();
		this.#showFindings();
		this.pins.follow();
		this.view.update({ figures: true, range: false, filter: false });
		this.#mark();
	}

	#figuresSay(what, value) {
		if (what === 'busy' || what === 'idle') {
			this.waiting = what === 'busy';
			this.#showBusy();
		} else if (what === 'progress') {
			this.progress.style.setProperty('--part', String(value));
		} else if (what === 'shown' && this.changing) {
			this.freshFigures = true;
		} else if (what === 'shown' && this.view) {
			if (inGesture())
				this.#settleSoon();
			else
				this.#showFigures();
		}
	}

	/** Counts running computations: the page shows them after 200 ms. */
	busy(change) {
		this.jobs += change;
		this.#showBusy();
	}

	/** Once nothing is being computed any more. */
	async whenIdle() {
		do
			await new Promise((done) => { setTimeout(done, 50); });
		while (document.documentElement.dataset.busy);
	}

	#showBusy() {
		const on = this.waiting || this.jobs > 0;
		const root = document.documentElement;

		if (on)
			root.dataset.busy = '1';
		else
			delete root.dataset.busy;
		if (on === this.busyNow)
			return;
		this.busyNow = on;
		clearTimeout(this.busyTimer);
		if (on)
			this.busyTimer = setTimeout(() => this.#sayBusy(true), 200);
		else
			this.#sayBusy(false);
	}

	/** Figures of another range are pale while those of the current one are computed. */
	#sayBusy(on) {
		if (!this.progress)
			return;
		this.progress.hidden = !on;
		this.main.classList.toggle('stale', on && String(this.figures.shown?.range) !== String(this.range));
	}

	#mark() {
		const root = document.documentElement;
		const note = [this.capture.damage, this.figures.shown?.note].filter(Boolean).join(' ');

		root.dataset.view = this.state.view;
		root.dataset.range = this.range.join(',');
		this.note.hidden = !note;
		this.note.textContent = note ? clean(note) : '';
		document.title = `${clean(this.capture.label)} · ${this.views.find((v) => v.id === this.state.view).title} · cdict`;
	}

	/** The names of tasks, VMs and groups that may be shown at once. */
	#names() {
		return this.capture.tasks.flatMap(({ vm, fold }, task) => [this.who(task), ...vm === null ? [] : [vmName(vm)], ...fold === null ? [] : [clean(fold)]]);
	}

	/** The unique name of a task. */
	who(task) {
		if (task === null || task === undefined)
			return 'unknown task';
		let text = this.labels.get(task);

		if (text === undefined) {
			const t = this.capture.tasks[task];

			text = !t ? `task ${task}` : t.tid === 0 ? t.idle_cpu === null || t.idle_cpu === undefined ? 'IDLE' : `IDLE, CPU ${t.idle_cpu}` : clean(t.who ?? t.name);
			this.labels.set(task, text);
		}
		return text;
	}

	/** A table's rows as objects, for the current range. */
	rows(name) {
		return rowsOf(this.figures.shown?.tables?.[name]);
	}

	/** Whether these tables are loaded; if not, the view is drawn again when they are. */
	has(...names) {
		const { view } = this;
		const reading = this.figures.read(...names);

		if (!reading || this.reading === view)
			return !reading;
		this.reading = view;
		this.busy(1);
		reading.then(() => {
			this.reading = null;
			if (this.view === view)
				view.update({ figures: true, range: false, filter: false });
		}, (error) => {
			this.figures.shown.note = clean(error.message);
			this.#mark();
		}).finally(() => this.busy(-1));
		return false;
	}

	// Draws pictures for the width of the paper, else they would be scaled down.
	#print() {
		document.documentElement.dataset.print = '1';
		this.#runningLine();
		this.repaint('light');
		finishSlices();
		this.view.drawUnseen();
		this.#fitSheet();
	}

	// Shrinks a picture that does not fit below the head, else the rest of the first sheet would stay blank.
	#fitSheet() {
		const block = [...this.main.querySelectorAll('.heat, .plot, .flame')].find((el) => el.checkVisibility() && el.getBoundingClientRect().height > LEAST_PICTURE);
		const picture = /** @type {HTMLElement | null} */ (block?.querySelector('canvas') ?? block);

		if (!picture)
			return;
		const { top } = document.body.getBoundingClientRect();
		const { height, width } = picture.getBoundingClientRect();
		// with the line of words under it
		const last = block.nextElementSibling?.matches('p:not(:empty)') ? block.nextElementSibling : block;
		const over = last.getBoundingClientRect().bottom - top - SHEET;
		const part = (height - over) / height;

		if (over <= 0 || part < LEAST_PART)
			return;
		picture.style.width = `${Math.floor(width * part)}px`;
		picture.style.height = `${Math.floor(height * part)}px`;
	}

	// The line on each sheet: the content, and the sheet's number.
	#runningLine() {
		const [sheet] = document.styleSheets;
		const { capture } = this;
		const [from, to] = this.range;
		const own = [clean(capture.label), clean(capture.host ?? ''), this.view.title, this.state.range ? `${moment(from, 6)} + ${duration(to - from)}` : `all ${duration(to - from)}`];
		const what = (this.view.running() ?? own).filter(Boolean).join(' · ');
		const text = what.replaceAll(/["\\\n\r\f<]/g, (c) => `\\${c.codePointAt(0).toString(16)} `);

		if (this.runningRule !== undefined)
			sheet.deleteRule(this.runningRule);
		this.runningRule = sheet.insertRule(`@page { @bottom-left { content: "${text}"; font: 10px sans-serif; color: #5b6570; } @bottom-right { content: counter(page) " / " counter(pages); font: 10px sans-serif; color: #5b6570; } }`, sheet.cssRules.length);
	}

	repaint(theme = null) {
		this.palette = applyTheme(this.page, theme ?? this.state.theme);
		this.#renderAll();
	}
}

/** Starts the interface in @root. decoder is null when no capture is embedded. */
export function startApp(page, decoder, root) {
	const app = new App(page, decoder, root);

	globalThis.cdictPage = {
		page, decoder,
		get state() { return app.state; },
		setState: (part) => app.set(part),
		figures: () => app.figures.shown,
		table: (name) => app.rows(name),
		app,
	};
	app.begin();
	requestAnimationFrame(() => {
		document.documentElement.dataset.ready = '1';
		performance.measure('cdict-first-view', { start: 0, end: performance.now() });
		if (app.figures.canDecode(app.capture))
			setTimeout(() => app.figures.opened(app.capture).catch(() => { }), 50);
	});
	return app;
}
