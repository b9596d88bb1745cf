// SPDX-License-Identifier: GPL-2.0-only
// The head line: what was recorded, whether anything is missing, search, theme, save, help.
import { moment, spanText, wallTime } from './clock.js';
import { button, h, replace } from './dom.js';
import { lossOf } from './marks/axis.js';
import { showHelp } from './help.js';
import { saveMenu } from './save.js';
import { searchRegex } from './input/selection.js';
import { themeName } from './theme.js';
import { clean, count, duration, plural, short } from './text.js';

const SEARCH_MS = 150;

export class Head {
	constructor(app) {
		this.app = app;
		this.what = h('div', { class: 'what' });
		this.search = h('input', {
			type: 'search', class: 'search', placeholder: 'search tasks, VMs  ( / )', 'aria-label': 'search tasks and VMs',
			title: 'a regular expression, as for -t; ignores case unless it has capital letters', spellcheck: 'false',
			on: { input: () => this.#typed(), keydown: (e) => { if (e.key === 'Escape' || e.key === 'Enter') this.search.blur(); }, blur: () => this.#left() },
		});
		this.theme = button('', null, () => app.set({ theme: themeName(app.state.theme) === 'dark' ? 'light' : 'dark' }), { class: 'icon' });
		this.el = h('header', { class: 'head' }, this.what, this.search, this.theme,
			saveMenu(app), button('?', 'help: keys and gestures (?)', () => showHelp(app), { class: 'icon', 'aria-label': 'help' }));
	}

	#typed() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.#find(), SEARCH_MS);
	}

	#find() {
		const text = this.search.value;
		const good = searchRegex(text) !== null;

		clearTimeout(this.timer);
		this.timer = null;
		this.search.classList.toggle('wrong', !good);
		if (good)
			this.app.set({ search: text }, { gesture: 'search' });
	}

	/** Without the focus, the field shows the search in effect. */
	#left() {
		if (this.timer)
			this.#find();
		else if (!this.search.classList.contains('wrong'))
			this.search.value = this.app.state.search;
	}

	/** Called after a change of state. */
	follow() {
		if (document.activeElement !== this.search)
			this.search.value = this.app.state.search;
	}

	render() {
		const { capture, page } = this.app;
		const dark = themeName(this.app.state.theme) === 'dark';

		this.search.value = this.app.state.search;
		this.theme.textContent = dark ? '☀' : '☾';
		this.theme.title = dark ? 'light colours' : 'dark colours';
		replace(this.what,
			page.captures.length > 1 ? this.#chooser() : h('strong', null, h('bdi', null, clean(capture.label))),
			this.#facts(capture).map(([text, title, how]) => h('span', { class: `fact ${how ?? ''}`, title }, h('bdi', null, text))),
			this.#loss(capture), this.#missing(capture),
			capture.recorded.map((line) => h('span', { class: 'badge scope', title: clean(this.#byClock(capture, line)) },
				capture.recorded_until === null || !line.includes(': one CPU after the other') ? clean(line.split(': ')[1]) : `all CPUs recorded from ${moment(capture.recorded_until, 3)} on`)));
	}

	/** The line with its one time converted to the page's clock. */
	#byClock({ recorded_until: until }, line) {
		return until === null ? line : line.replace(/\d+\.\d{6} s/, moment(until, 6));
	}

	#chooser() {
		const { captures } = this.app.page;

		return h('select', {
			class: 'capture', title: 'the capture that the views show; the comparison shows all', 'aria-label': 'capture',
			on: { change: (e) => this.app.set({ capture: Number(e.target.value), range: null, tasks: [], open: [], marks: [], area: [] }) },
		}, captures.map((c) => h('option', { value: c.index, selected: c.index === this.app.state.capture }, clean(c.label))));
	}

	#facts(capture) {
		const wall = wallTime(capture, capture.window.from);
		const span = capture.window.to - capture.window.from;
		const from = wall ? ` from ${wall.time} UTC` : '';
		const facts = [
			[capture.host, [capture.cpu, capture.arch].filter(Boolean).join(' · '), 'host'],
			[capture.kernel, capture.perf_version ? `kernel; recorded by perf ${capture.perf_version}` : 'kernel', 'kernel'],
			[`${duration(span)}${from}`, wall ? `${wall.day} ${wall.time}.${wall.ns} UTC, ${count(span)} ns` :
				`${count(span)} ns; no wall clock: record with perf record -k mono`, 'firm'],
			[`${short(capture.window_events)} events`, `${plural(capture.window_events, 'event')} of ${plural(capture.types.length, 'type')}, ` +
				plural(capture.cpus.length, 'CPU'), 'firm'],
		];

		return facts.filter(([text]) => text).map(([text, title, how]) => [clean(text), clean(title), how]);
	}

	#loss(capture) {
		const gaps = lossOf(capture);
		const { lost, percent, text } = capture.loss;

		if (!gaps.length && !lost && !capture.damage)
			return h('span', { class: 'badge good', title: clean(text ?? 'no events lost') }, 'no loss');
		const cpus = [...new Set(gaps.map((l) => l.cpu).filter((c) => c !== null))].sort((a, b) => a - b);
		const from = Math.min(...gaps.map((l) => l.from_ns)), to = Math.max(...gaps.map((l) => l.to_ns));
		const where = gaps.length ? `, ${cpus.length ? `CPU ${cpus.length > 4 ? `${cpus.slice(0, 4).join(', ')} …` : cpus.join(', ')}, ` : ''}` +
			spanText([from, to]) : '';

		return button(`⚠ ${percent > 0 && percent < 0.1 ? '< 0.1' : percent.toFixed(1)} % lost${where}`,
			`${clean(text ?? '')} Click: show where.`, () => this.#showLoss(from, to), { class: 'badge warn' });
	}

	/** A badge for figures that are unknown because their events were not recorded. */
	#missing({ not_recorded: list }) {
		const title = list.map(({ event, unknown }) => `not recorded: ${event}; unknown: ${unknown}`).join('\n');
		const names = `unknown: ${list.map(({ unknown }) => unknown).join(' · ')}`;

		// only their number if there is no room for all (style.css)
		return !list.length ? null : list.length < 2 ? h('span', { class: 'badge missing', title }, names)
			: [h('span', { class: 'badge missing long', title }, names), h('span', { class: 'badge missing brief', title }, `${list.length} event types missing`)];
	}

	#showLoss(from, to) {
		if (!Number.isFinite(from))
			return;
		const edge = Math.max((to - from) * 0.2, 1e6);

		this.app.set({ view: this.app.views.some((v) => v.id === 'cores') ? 'cores' : this.app.state.view, range: [Math.floor(from - edge), Math.ceil(to + edge)] });
	}
}
