// SPDX-License-Identifier: GPL-2.0-only
// A table of figures: click a head to sort, type to filter, copy as text, save as CSV.
import { ENTER, button, h, named, replace } from './dom.js';
import { clean, count, exactFigure, figure, plural } from './text.js';
import { download } from './download.js';
import { Slices } from './slices.js';

const FIRST_ROWS = 120;
const SLICE_ROWS = 40; // more than a screen of 1080 lines shows

/** One RFC 4180 cell; a leading = + - @ of foreign text is quoted, so that spreadsheets do not take it as a formula. */
export function csvCell(value) {
	let text = value === null || value === undefined ? '' : typeof value === 'string' ? clean(value) : String(value);

	if (typeof value === 'string' && /^[=+\-@]/.test(text))
		text = `'${text}`;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function order(a, b) {
	if (typeof a === 'number' && typeof b === 'number')
		return a - b;
	return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/**
 * columns: [{key, title, hint, value(row), show(row) -> text | node, text: bool, rest: bool, first: 'asc' | 'desc', csv: bool}]
 *   rest: it takes the remaining width;
 *   value: the exact value (data-value, sort, CSV), by default row[key]; show: the displayed value, by default value formatted by the key's unit.
 * options: {app, name, rowData(row) -> data-…, onRow(row), rowClass(row), sort: [key, 'asc' | 'desc'], file,
 *   drawn(trs): called when these rows were made, tree() -> Tree of groups.js whose open rows are shown, or null}
 */
export class Table {
	constructor(columns, options) {
		this.options = options;
		this.sort = options.sort ?? null;
		this.filter = '';
		this.rows = [];
		this.all = false;
		this.slices = new Slices((change) => options.app.busy(change));
		this.head = h('tr');
		this.body = h('tbody');
		this.table = h('table', { class: 'figures', data: { table: options.name } }, h('thead', null, this.head), this.body);
		this.count = h('span', { class: 'dim' });
		this.more = button('', 'show every row', () => this.#showAll(), { hidden: true, class: 'link' });
		this.input = h('input', {
			type: 'search', placeholder: 'filter rows', size: '12', 'aria-label': 'filter rows',
			on: { input: () => { this.filter = this.input.value.toLowerCase(); this.#draw(); } },
		});
		this.bar = h('div', { class: 'table-bar' }, this.count, this.more, h('span', { class: 'space' }), this.input,
			button('copy', 'copy the rows as text', () => this.copy()),
			button('CSV', 'save the rows, exact values, as CSV', () => this.save()));
		this.el = h('div', { class: 'table-box' }, this.bar, h('div', { class: 'table-scroll' }, this.table));
		this.setColumns(columns);
	}

	setColumns(columns) {
		this.columns = columns.map((column) => ({ value: (row) => row[column.key], ...column }));
		this.#heads();
	}

	setRows(rows) {
		this.rows = rows;
		this.#draw();
	}

	#showAll() {
		this.all = true;
		this.#draw();
	}

	#heads() {
		replace(this.head, this.columns.map((c) => {
			const on = this.sort?.[0] === c.key;

			return h('th', {
				class: [c.text ? null : 'num', c.rest ? 'rest' : null, on ? 'sorted' : null].filter(Boolean).join(' ') || null, title: c.hint, tabindex: c.title ? '0' : null, 'aria-label': c.title ? null : 'as a bar',
				'aria-sort': on ? (this.sort[1] === 'asc' ? 'ascending' : 'descending') : null,
				on: {
					click: () => this.#sortBy(c),
					keydown: (e) => { if (e.key === 'Enter') this.#sortBy(c); },
				},
				data: { sort: c.key },
			}, c.title, h('span', { class: 'arrow', 'aria-hidden': 'true' }, on ? (this.sort[1] === 'asc' ? ' ▴' : ' ▾') : ''));
		}));
	}

	#sortBy(column) {
		const first = column.first ?? (column.text ? 'asc' : 'desc');
		const turned = this.sort?.[1] === 'asc' ? 'desc' : 'asc';

		this.sort = [column.key, this.sort?.[0] === column.key ? turned : first];
		this.#heads();
		this.#draw();
	}

	/** The wanted rows, in order. */
	shown() {
		const tree = this.options.tree?.() ?? null;

		if (!this.filter)
			return tree ? tree.flat((rows) => this.#sorted(rows)) : this.#sorted(this.rows);
		return this.#sorted((tree?.leaves ?? this.rows).filter((row) => this.columns.some((c) => String(this.#text(c, row)).toLowerCase().includes(this.filter))));
	}

	#sorted(rows) {
		const column = this.sort && this.columns.find((c) => c.key === this.sort[0]);

		if (!column)
			return rows;
		const sign = this.sort[1] === 'asc' ? 1 : -1;
		const missing = (v) => v === null || v === undefined;

		return [...rows].sort((a, b) => {
			const [x, y] = [column.value(a), column.value(b)];

			return missing(x) || missing(y) ? Number(missing(x)) - Number(missing(y)) : sign * order(x, y);
		});
	}

	#text(column, row) {
		const value = column.value(row);

		return typeof value === 'string' ? clean(value) : figure(column.key, value);
	}

	#draw() {
		const rows = this.shown();
		const shown = this.all ? rows : rows.slice(0, FIRST_ROWS);

		const tree = this.options.tree?.();

		this.count.textContent = tree && !this.filter ? `${plural(rows.length, 'row')} for ${plural(tree.leaves.length, 'task')}` : rows.length === this.rows.length ? plural(rows.length, 'row')
			: `${count(rows.length)} of ${plural(this.rows.length, 'row')}`;
		this.more.hidden = shown.length === rows.length;
		this.more.textContent = `${count(rows.length - shown.length)} more`;
		this.#drawRows(shown);
	}

	// Draws rows in view at once, the others later; until then the old rows stay in their places.
	#drawRows(rows) {
		const { body } = this;
		const first = Math.min(this.#firstInView(), Math.max(0, rows.length - SLICE_ROWS));
		const put = (from, to) => {
			const made = rows.slice(from, to).map((row, i) => this.#row(row, from + i));

			made.forEach((tr, i) => {
				const old = body.rows[from + i];

				if (old)
					old.replaceWith(tr);
				else
					body.append(tr);
			});
			this.options.drawn?.(made);
		};

		while (body.rows.length > rows.length)
			body.lastChild.remove();
		// Rows are appended in order, so all rows before the first in view exist.
		put(first, first + SLICE_ROWS);
		this.slices.begin(this.#rest(rows, first, put));
	}

	*#rest(rows, first, put) {
		const { body } = this;

		this.#keepWidths();
		for (let i = 0; i < rows.length && body.isConnected; i += SLICE_ROWS) {
			if (i + SLICE_ROWS <= first || i >= first + SLICE_ROWS) {
				put(i, i + SLICE_ROWS);
			} else {
				put(i, first);
				put(first + SLICE_ROWS, i + SLICE_ROWS);
			}
			yield;
		}
		// a long name in a later row pushes the last column out
		if (this.table.offsetWidth > this.table.parentElement.clientWidth)
			for (const th of this.head.cells)
				th.style.minWidth = '';
		this.#keepWidths();
	}

	// Keeps widths: a change of one lays out every row again, and moves columns away from under the pointer.
	#keepWidths() {
		const heads = [...this.head.cells];
		const widths = heads.map((th) => th.getBoundingClientRect().width);

		heads.forEach((th, i) => {
			if (!this.columns[i].rest && widths[i] >= (parseFloat(th.style.minWidth) || 0) + 1)
				th.style.minWidth = `${Math.floor(widths[i])}px`; // rounded up they would be wider than the table
		});
	}

	#firstInView() {
		const { body } = this;

		if (!body.rows.length)
			return 0;
		const box = body.getBoundingClientRect();
		const at = Math.floor(-box.top / (box.height / body.rows.length)) - 2;

		return Math.min(Math.max(0, at), body.rows.length);
	}

	#row(row, i) {
		const { rowData, rowClass, onRow } = this.options;

		return h('tr', {
			data: { row: i, ...rowData?.(row) }, class: [onRow ? 'click' : null, rowClass?.(row)].filter(Boolean).join(' ') || null,
			...onRow ? { ...ENTER, 'aria-label': this.#text(this.columns[0], row) } : null, on: onRow ? { click: (e) => { if (!getSelection()?.toString()) onRow(row, e); } } : null,
		}, this.columns.map((c) => this.#cell(c, row)));
	}

	#cell(column, row) {
		const value = column.value(row);

		return h('td', {
			class: [column.text ? null : 'num', column.rest ? 'rest' : null].filter(Boolean).join(' ') || null,
			data: { key: column.key, value: value === undefined ? null : JSON.stringify(value) },
			title: column.title === '' || column.show && value === undefined ? null : column.text ? clean(value ?? '') : exactFigure(column.key, value),
		}, column.show ? column.show(row) : column.text ? named(clean(value ?? '')) : figure(column.key, value));
	}

	#plain() {
		return this.columns.filter((c) => c.csv !== false);
	}

	copy() {
		const columns = this.#plain();
		const lines = [columns.map((c) => c.title), ...this.shown().map((row) => columns.map((c) => this.#text(c, row)))];
		const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
		const text = lines.map((line) => line.map((cell, i) => (columns[i].text ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
			.join('  ').trimEnd()).join('\n');

		copyText(`${text}\n`);
	}

	save() {
		const columns = this.#plain();
		const lines = [columns.map((c) => c.key), ...this.shown().map((row) => columns.map((c) => c.value(row)))];

		download(`${this.options.file?.() ?? this.options.name}.csv`, 'text/csv',
			`${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`);
	}
}

/** Copies to the clipboard; from file:// by a text field if the browser requires that. */
export function copyText(text) {
	const old = () => {
		const field = h('textarea', { class: 'offscreen' });

		field.value = text;
		document.body.append(field);
		field.select();
		document.execCommand('copy');
		field.remove();
	};

	if (navigator.clipboard)
		navigator.clipboard.writeText(text).catch(old);
	else
		old();
}
