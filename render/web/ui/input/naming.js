// SPDX-License-Identifier: GPL-2.0-only
// Marks: m sets one at the pointer, Enter then names it; m on a mark opens its name again.
import { h } from '../dom.js';

const NEAR = 0.005; // of the range: m on a mark, not beside it
const AWAY_PX = 40; // of the pointer: the mark is not to be named
const LONGEST = 60; // characters of a name
const ABOVE = 36; // pixels

export class Naming {
	constructor(app) {
		this.app = app;
		this.mark = null; // that can be named now
		this.input = h('input', {
			type: 'text', size: '20', maxlength: LONGEST, placeholder: 'Enter: name this mark', 'aria-label': 'name of the mark', spellcheck: 'false',
			on: {
				keydown: (e) => this.#key(e),
				blur: () => this.#done(),
			},
		});
		this.el = h('div', { class: 'naming', hidden: true }, this.input,
			h('button', { type: 'button', class: 'close', title: 'remove this mark', 'aria-label': 'remove this mark', on: { pointerdown: (e) => e.preventDefault(), click: () => this.#set(null) } }, '×'));
		document.body.append(this.el);
		addEventListener('pointermove', (e) => {
			if (this.mark !== null && document.activeElement !== this.input && Math.hypot(e.clientX - this.place[0], e.clientY - this.place[1]) > AWAY_PX)
				this.close();
		});
	}

	/** Sets a mark at the pointer; a third one without a name starts again. */
	set() {
		const { app } = this;
		const { marks } = app.state;

		if (app.pointer === null)
			return;
		const at = Math.round(app.pointer);
		const near = marks.find((mark) => Math.abs(mark.at - at) <= (app.range[1] - app.range[0]) * NEAR);

		if (!near)
			app.store.set({ marks: [...(marks.filter(({ name }) => !name).length > 1 ? marks.filter(({ name }) => name) : marks), { at, name: '' }] }, { made: `mark ${at}` });
		this.#open(near ?? { at, name: '' });
		if (near)
			this.input.focus();
	}

	#open({ at, name }) {
		const { app } = this;
		const [x, y] = this.place = app.pointerAt;

		this.mark = at;
		app.card.hide();
		this.input.value = name;
		this.el.hidden = false;
		this.el.style.left = `${Math.max(4, Math.min(x + 4, innerWidth - this.el.offsetWidth - 4))}px`;
		this.el.style.top = `${Math.max(4, y - ABOVE)}px`;
	}

	/** Enter, right after m: whether it was meant for the name. */
	enter() {
		if (this.mark === null)
			return false;
		this.input.focus();
		this.input.select();
		return true;
	}

	#key(e) {
		if (e.key === 'Enter')
			this.#done();
		else if (e.key === 'Escape')
			this.close();
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	}

	#done() {
		if (this.mark !== null)
			this.#set(this.input.value.trim());
	}

	/** Names the mark; null: removes it. */
	#set(name) {
		const { app, mark: at } = this;
		const { marks } = app.state;

		this.close();
		app.store.set({ marks: name === null ? marks.filter((mark) => mark.at !== at) : marks.map((mark) => (mark.at === at ? { at, name } : mark)) }, { made: `mark ${at}` });
	}

	close() {
		this.mark = null;
		this.el.hidden = true;
		this.input.blur();
	}
}
