// SPDX-License-Identifier: GPL-2.0-only
// The range and the filter as chips; a click removes one.
import { momentIn } from './clock.js';
import { button, h, named, replace } from './dom.js';
import { clean, count, duration } from './text.js';

const LISTS = ['tasks', 'vms', 'groups', 'cpus', 'reasons', 'states'];
const WORDS = { cpus: 'CPU', vms: 'VM', reasons: 'exit', states: 'state' };
const MOST = 4;
const NAME = 190; // pixels of a name

export class FilterBar {
	constructor(app) {
		this.app = app;
		this.el = h('div', { class: 'filters' });
	}

	render() {
		replace(this.el, this.#range(), this.#chips(), this.#clear());
	}

	#range() {
		const { app } = this;
		const [from, to] = app.range;
		const text = `${momentIn(from, to - from)} + ${duration(to - from)}`;

		if (!app.state.range)
			return h('span', { class: 'dim', title: `${count(to - from)} ns` }, `all ${duration(to - from)}`);
		return this.#chip(text, `from ${count(from)} ns to ${count(to)} ns after the first event, ${count(to - from)} ns`, { range: null }, 'time');
	}

	#chip(text, title, part, kind, shown = text) {
		return h('span', { class: 'chip', title, data: { chip: kind } }, h('bdi', null, shown),
			button('×', 'remove this filter', () => this.app.set(part), { class: 'close', 'aria-label': `remove ${text}` }));
	}

	#chips() {
		const { app } = this;
		const { state } = app;
		const list = (key, show) => {
			const values = state[key];

			if (values.length > MOST)
				return [this.#chip(`${count(values.length)} × ${WORDS[key] ?? 'task'}`, values.map(show).join(', '), { [key]: [] }, key)];
			return values.map((v) => {
				const word = WORDS[key] ? `${WORDS[key]} ` : '';

				return this.#chip(word + show(v), 'shown by the filter', { [key]: values.filter((other) => other !== v) }, key, [word, named(show(v), NAME)]);
			});
		};

		return [
			LISTS.map((key) => list(key, key === 'tasks' ? (t) => app.who(t) : clean)),
			state.search ? [this.#chip(`/${clean(state.search)}/`, 'only matching names', { search: '' }, 'search')] : [],
		].flat(2);
	}

	#clear() {
		const { state } = this.app;
		const n = LISTS.reduce((sum, key) => sum + state[key].length, 0) + (state.search ? 1 : 0) + (state.range ? 1 : 0);

		return n > 1 ? button('clear', 'reset to the whole window, without filters', () => this.app.set({
			range: null, search: '', ...Object.fromEntries(LISTS.map((key) => [key, []])),
		}), { class: 'link' }) : null;
	}
}
