// SPDX-License-Identifier: GPL-2.0-only
// The cells of a table by keyboard: one of them is a stop of the Tab key, arrows move to the others, Enter is a click
// (keys.js). The current cell is explained like under the pointer, and labelled for a screen reader.

const WAYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };

/** Cells that match @which; linesOf(cell): its text, the name of its row first. */
export class Cells {
	constructor(table, card, which, linesOf) {
		this.table = table;
		this.which = which;
		table.addEventListener('keydown', (e) => this.#key(e));
		this.say = (target) => {
			if (!target.matches(which))
				return;
			const lines = linesOf(target).filter(Boolean);
			const box = target.getBoundingClientRect();

			target.setAttribute('aria-label', lines.join(', '));
			card.show(lines, box.left, box.bottom, box);
		};
		table.addEventListener('focusin', ({ target }) => this.say(target));
		table.addEventListener('focusout', ({ target }) => { if (target.matches(which)) card.hide(); });
	}

	/** Called after the rows were made again: the stop is where it was, else in the first row. */
	follow() {
		const { row, column } = this.at ?? {};
		const cell = this.table.tBodies[0]?.rows[row]?.cells[column];

		this.#stop(cell?.matches(this.which) ? cell : this.table.querySelector(this.which));
	}

	#stop(cell) {
		if (this.stop)
			this.stop.tabIndex = -1;
		this.stop = cell ?? null;
		if (!cell)
			return;
		cell.tabIndex = 0;
		cell.setAttribute('data-enter', '');
	}

	/** The nearest cell in that direction, skipping empty ones. */
	#next(cell, [down, right]) {
		const tr = cell.parentElement;
		let found = null;

		if (Math.abs(right) === Infinity) {
			const all = [...tr.cells].filter((c) => c.matches(this.which));

			return right < 0 ? all[0] : all.at(-1);
		}
		for (let row = tr, i = cell.cellIndex; !found && row;) {
			if (down)
				row = down > 0 ? row.nextElementSibling : row.previousElementSibling;
			else
				i += right;
			const to = row?.cells[i];

			if (!down && !to)
				break;
			found = to?.matches(this.which) ? to : null;
		}
		return found;
	}

	#key(e) {
		const way = WAYS[e.key];

		if (!way || !e.target.matches(this.which) || e.ctrlKey || e.metaKey || e.altKey)
			return;
		const to = this.#next(e.target, way);

		e.preventDefault();
		if (!to || to === e.target) {
			this.say(e.target);
			return;
		}
		this.at = { row: to.parentElement.sectionRowIndex, column: to.cellIndex };
		this.#stop(to);
		to.focus();
		to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
	}
}
