// SPDX-License-Identifier: GPL-2.0-only
// The small card that explains the thing under the pointer: at most four lines, never over it.
import { h, replace } from './dom.js';

const GAP = 12;

export class Card {
	constructor(root) {
		this.el = h('div', { class: 'card', role: 'status', hidden: true });
		root.append(this.el);
	}

	/** Shows @lines next to the pointer at (x, y), outside @box (in the window's pixels) if there is one. */
	show(lines, x, y, box = null) {
		const [head, ...rest] = lines.filter(Boolean).slice(0, 4);

		replace(this.el, h('div', { class: 'card-head' }, h('bdi', null, head)), rest.map((line) => h('div', null, h('bdi', null, line))));
		this.el.hidden = false;
		const { width, height } = this.el.getBoundingClientRect();
		const below = (box ? Math.max(box.bottom, y) : y) + GAP;
		const above = (box ? Math.min(box.top, y) : y) - GAP - height;
		const left = x + GAP + width < innerWidth ? x + GAP : x - GAP - width;

		this.el.style.left = `${Math.max(4, left)}px`;
		this.el.style.top = `${below + height < innerHeight || above < 0 ? below : above}px`;
	}

	hide() {
		this.el.hidden = true;
	}

	/** Shows cards for elements under @host: linesOf() is called when the pointer is over one. */
	watch(host, linesOf) {
		let mine = false;

		host.addEventListener('pointermove', (e) => {
			const target = e.target.closest?.('[data-card]');
			const lines = target && host.contains(target) ? linesOf(target) : null;

			if (lines)
				this.show(lines, e.clientX, e.clientY, target.getBoundingClientRect());
			else if (mine)
				this.hide();
			mine = Boolean(lines);
		});
		host.addEventListener('pointerleave', () => this.hide());
	}
}
