// SPDX-License-Identifier: GPL-2.0-only
// The figures of the current range: those of the file for the whole window, else the decoder's. A page without a decoder
// keeps those of the whole window, with a note.
import { tableObjects } from '../page.js';
import { clean } from './text.js';
import { GESTURE_MS, inGesture } from './slices.js';

const KEPT = 12; // ranges whose figures are cached

const objects = new WeakMap();

/** The table's rows as objects, made once. */
export function rowsOf(table) {
	if (!table || table.late)
		return [];
	let rows = objects.get(table);

	if (!rows) {
		rows = tableObjects(table);
		objects.set(table, rows);
	}
	return rows;
}

/** Columns of a table by their keys; empty ones without a table. */
export function columnsOf(table, ...keys) {
	return keys.map((key) => table?.by_column?.[table.columns.indexOf(key)] ?? []);
}

/** The places of each value: Map(value -> indexes), of indexes for which @wanted(i) is true. */
export function placesBy(values, wanted = (_) => true) {
	const places = new Map();

	for (let i = 0; i < values.length; i++) {
		if (!wanted(i))
			continue;
		const list = places.get(values[i]);

		if (list)
			list.push(i);
		else
			places.set(values[i], [i]);
	}
	return places;
}

/** Rows of a table by the value of a column, made on demand, as a table may be large. */
export class RowsBy {
	#at;

	constructor(table, key) {
		this.table = table;
		this.#at = placesBy(columnsOf(table, key)[0]);
	}

	/** The rows of @value, in the table's order, at most @most. */
	of(value, most = Infinity) {
		return tableObjects(this.table, this.#at.get(value)?.slice(0, most) ?? []);
	}
}

/** Figures of the whole window, for a range whose own are not available. */
function ofWindow(capture, why) {
	const { window: { from, to }, bins, tables } = capture;
	const column = ((bins.to - bins.from) / bins.columns / 1e6).toPrecision(3);

	return {
		capture, range: [from, to], tables, bins,
		note: `${clean(why)} Figures are those of the whole window; pictures of the range have columns of ${column} ms.`,
	};
}

/** The available figures, shown: {range, tables, bins, note}; note: why some are missing, or null. */
export class Figures {
	#kept = new Map();
	#opened = new Map();
	#wanted = null;
	#abort = null;
	#timer = 0;

	/** listener(what): 'shown' new figures, 'busy' begun, 'idle' ended, 'progress' (0..1) */
	constructor(decoder, listener) {
		this.decoder = decoder;
		this.listener = listener;
		this.shown = null;
	}

	/** A promise, fulfilled when the decoder has the capture's bytes. */
	opened(capture) {
		if (!this.decoder || !capture.embedded)
			return Promise.reject(new Error(capture.why_not ?? 'the capture is not in this page'));
		if (!this.#opened.has(capture.index))
			this.#opened.set(capture.index, this.decoder.open(capture));
		return this.#opened.get(capture.index);
	}

	/** Large tables are read on demand: a promise, fulfilled when these are loaded, or null: they are. */
	read(...names) {
		const late = names.map((name) => this.shown?.tables?.[name]).filter((table) => table?.late);

		return late.length ? Promise.all(late.map((table) => table.read())) : null;
	}

	canDecode(capture) {
		return Boolean(this.decoder && capture.embedded);
	}

	/** Asks for a range's figures; `shown` has them at once or some time later. */
	want(capture, range) {
		const { window, index } = capture;
		const key = `${index}:${range}`;

		if (this.#wanted === key)
			return;
		const same = this.shown?.capture === capture && !this.shown.note && String(this.shown.range) === String(range);

		if (this.shown?.capture !== capture)
			this.shown = { ...ofWindow(capture, ''), note: null };
		this.#wanted = key;
		this.#abort?.abort();
		clearTimeout(this.#timer);
		// Zoomed in and out again before new figures arrived: the current ones are right.
		if (same)
			this.listener('idle');
		else if (range[0] === window.from && range[1] === window.to)
			this.#show({ ...ofWindow(capture, ''), note: null });
		else if (!this.canDecode(capture))
			this.#show(ofWindow(capture, capture.why_not ?? 'The capture is not in this page.'));
		else if (this.#kept.has(key))
			this.#show(this.#kept.get(key));
		else
			this.#later(capture, range, key);
	}

	#show(figures) {
		this.shown = figures;
		this.listener('idle');
		this.listener('shown');
	}

	#later(capture, range, key) {
		const abort = new AbortController();

		this.#abort = abort;
		this.listener('busy');
		this.#timer = setTimeout(async () => {
			try {
				await this.opened(capture);
				const got = await this.decoder.figures(capture, range, {
					columns: 1024, signal: abort.signal, onProgress: (part) => this.listener('progress', part),
				});

				if (abort.signal.aborted)
					return;
				const figures = { capture, range, note: null, ...got };

				this.#kept.set(key, figures);
				if (this.#kept.size > KEPT)
					this.#kept.delete(this.#kept.keys().next().value);
				this.#show(figures);
			} catch (error) {
				if (abort.signal.aborted)
					return;
				this.#show(ofWindow(capture, `not decoded: ${error.message}`));
			}
		}, GESTURE_MS);
	}
}

/** A question to the decoder whose answer is dropped when a newer one is asked. */
export class Question {
	#abort = null;

	constructor(app) {
		this.app = app;
	}

	/** call(decoder, signal) returns a promise; answer(result, error) is called unless a newer question was asked. */
	ask(call, answer) {
		const abort = new AbortController();

		this.drop();
		this.#abort = abort;
		this.app.busy(1);
		// During a gesture the decoder would only delay its next step.
		new Promise((go) => { setTimeout(go, inGesture() ? GESTURE_MS : 0); })
			.then(() => abort.signal.throwIfAborted())
			.then(() => this.app.figures.opened(this.app.capture))
			.then(() => call(this.app.decoder, abort.signal))
			.then((result) => { if (!abort.signal.aborted) answer(result, null); },
				(error) => { if (!abort.signal.aborted) answer(null, error); })
			.finally(() => this.app.busy(-1));
	}

	drop() {
		this.#abort?.abort();
		this.#abort = null;
	}
}
