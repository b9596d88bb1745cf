// SPDX-License-Identifier: GPL-2.0-only
// The selection in the strip: a drag makes it, moves it, or moves one of its edges.
import { h } from '../dom.js';

const EDGE = 4; // pixels: a drag that begins this near to an edge moves it

export class Brush {
	#wide = 0;
	#chosen = null; // [left, right] in pixels
	#drag = null; // {fixed}: the edge that stays; {grip, ends}: where the whole was taken, and its ends then; moved

	/** brushed(chosen, ended): called during a drag and at its end; null: nothing was chosen. */
	constructor(brushed) {
		this.brushed = brushed;
		this.selection = h('div', { class: 'selection', hidden: true });
		this.el = h('div', {
			class: 'brush', 'aria-hidden': 'true', on: {
				pointerdown: (e) => this.#begin(e), pointermove: (e) => this.#move(e),
				pointerup: () => this.#end(), pointercancel: () => this.#end(),
			}
		}, this.selection);
	}

	get dragging() {
		return this.#drag !== null;
	}

	/** Its place in the picture, and what is chosen there; null: nothing. */
	place(left, wide, high, chosen) {
		this.#wide = wide;
		this.el.style.left = `${left}px`;
		this.el.style.width = `${wide}px`;
		this.el.style.height = `${high}px`;
		this.#show(chosen);
	}

	#show(chosen) {
		this.#chosen = chosen;
		this.selection.hidden = chosen === null;
		if (!chosen)
			return;
		this.selection.style.left = `${chosen[0]}px`;
		this.selection.style.width = `${chosen[1] - chosen[0]}px`;
	}

	#at(e) {
		return Math.min(this.#wide, Math.max(0, e.clientX - this.el.getBoundingClientRect().left));
	}

	/** The drag that would begin at @x. */
	#dragAt(x) {
		const [a, b] = this.#chosen ?? [Infinity, -Infinity];

		if (Math.min(Math.abs(x - a), Math.abs(x - b)) <= EDGE)
			return { fixed: Math.abs(x - a) < Math.abs(x - b) ? b : a };
		return x > a && x < b ? { grip: x, ends: [a, b] } : { fixed: x };
	}

	#begin(e) {
		if (e.button || e.ctrlKey)
			return;
		this.#drag = this.#dragAt(this.#at(e));
		this.el.setPointerCapture(e.pointerId);
	}

	#move(e) {
		const x = this.#at(e);
		const drag = this.#drag ?? this.#dragAt(x);

		this.el.style.cursor = drag.ends ? 'move' : this.#chosen && drag.fixed !== x ? 'ew-resize' : '';
		if (!this.#drag)
			return;
		drag.moved = true;
		if (drag.ends) {
			const [a, b] = drag.ends;
			const by = Math.min(this.#wide - b, Math.max(-a, x - drag.grip));

			this.#show([a + by, b + by]);
		} else {
			this.#show([Math.min(drag.fixed, x), Math.max(drag.fixed, x)]);
		}
		this.brushed(this.#chosen, false);
	}

	#end() {
		const drag = this.#drag;

		if (!drag)
			return;
		this.#drag = null;
		this.brushed(drag.moved ? this.#chosen : null, true);
	}
}
