// SPDX-License-Identifier: GPL-2.0-only
// The elements of the file -> one object: doc/page.md, "The object".

// ---- bytes ----------------------------------------------------------------------------------

// Characters decoded before yielding, some ms: with the browser's own decoder, or without. Multiples of 4.
const CHUNK_NATIVE = 1 << 20;
const CHUNK = 1 << 18;

const SIX_BITS = (() => {
	const of = new Uint8Array(128).fill(255);
	const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
	for (let i = 0; i < 64; i++) of[letters.charCodeAt(i)] = i;
	return of;
})();

// Browsers of 2025 have it; the type checker's library does not yet.
const hasNative = 'setFromBase64' in Uint8Array.prototype;

// Decodes four letters to three bytes from text[from] on; the caller made room.
function decodeInto(out, at, text, from, to) {
	if (hasNative) {
		/** @type {any} */ (out.subarray(at)).setFromBase64(text.slice(from, to));
		return;
	}
	for (let i = from; i < to; i += 4) {
		const v = (SIX_BITS[text.charCodeAt(i)] << 18) | (SIX_BITS[text.charCodeAt(i + 1)] << 12) |
			(SIX_BITS[text.charCodeAt(i + 2)] << 6) | SIX_BITS[text.charCodeAt(i + 3)];
		out[at++] = v >> 16;
		out[at++] = v >> 8;
		out[at++] = v;
	}
}

function bytesFor(text) {
	if (text.length % 4) throw new Error('the page is truncated: base64 of an odd length');
	const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
	return { whole: text.length - (padding ? 4 : 0), padding, out: new Uint8Array((text.length / 4) * 3 - padding) };
}

function decodeLast({ whole, padding, out }, text) {
	if (!padding) return;
	const last = new Uint8Array(3);
	decodeInto(last, 0, text.slice(whole).replace(/=/g, 'A'), 0, 4);
	out.set(last.subarray(0, 3 - padding), (whole / 4) * 3);
}

// Base64 without blanks; only the last group may be padded.
export function decodeBase64(text) {
	const to = bytesFor(text);
	decodeInto(to.out, 0, text, 0, to.whole);
	decodeLast(to, text);
	return to.out;
}

// The same for a whole capture, in pieces, yielding in between.
async function decodeBase64InTurns(texts) {
	const to = texts.map(bytesFor);
	const chunk = hasNative ? CHUNK_NATIVE : CHUNK;
	const out = new Uint8Array(to.reduce((sum, piece) => sum + piece.out.length, 0));
	let at = 0;
	for (const [i, text] of texts.entries()) {
		for (let from = 0; from < to[i].whole; from += chunk) {
			decodeInto(to[i].out, (from / 4) * 3, text, from, Math.min(to[i].whole, from + chunk));
			await new Promise((resolve) => setTimeout(resolve, 0));
		}
		decodeLast(to[i], text);
		out.set(to[i].out, at);
		at += to[i].out.length;
		to[i].out = null;
	}
	return out;
}

// @format: of DecompressionStream, which the type checker's library does not have yet.
async function inflate(bytes, format) {
	const { DecompressionStream } = /** @type {any} */ (globalThis);
	const { readable, writable } = new DecompressionStream(format);
	const writer = writable.getWriter();
	// In one piece: with many, each would wait while the document is still being read.
	const written = writer.write(bytes).then(() => writer.close());
	const [out] = await Promise.all([new Response(readable).arrayBuffer(), written]);
	return out;
}

// ---- arrays of the bins -----------------------------------------------------------------------

// [offset, length, bytes per value] -> the values: 8 gives a Float64Array, less a Uint32Array.
function arrayOf(buffer, [offset, length, size]) {
	if (size === 8) return new Float64Array(buffer, offset, length);
	if (size === 4) return new Uint32Array(buffer, offset, length);
	return Uint32Array.from(size === 2 ? new Uint16Array(buffer, offset, length) : new Uint8Array(buffer, offset, length));
}

// Ascending values from the steps between them.
function fromSteps(steps) {
	for (let i = 1; i < steps.length; i++) steps[i] += steps[i - 1];
	return steps;
}

// In the file an array is {"array": [offset, length, size]}, or {"steps": [...]}.
function withArrays(value, buffer) {
	if (Array.isArray(value)) return value;
	if (value === null || typeof value !== 'object') return value;
	if (value.array) return arrayOf(buffer, value.array);
	if (value.steps) return fromSteps(arrayOf(buffer, value.steps));
	const out = {};
	for (const key of Object.keys(value)) out[key] = withArrays(value[key], buffer);
	return out;
}

// The answer of the file or the engine: JSON, and the memory of its arrays, both ArrayBuffers.
export function answerOf({ json, arrays }) {
	const { tables, ...rest } = JSON.parse(new TextDecoder().decode(json));
	const answer = withArrays(rest, arrays);
	if (tables) answer.tables = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, withRows(table)]));
	return answer;
}

// ---- tables -------------------------------------------------------------------------------------

// A table's rows as objects, or only the rows @which; none of a table that was not read yet.
export function tableObjects({ columns, by_column: values }, which = values ? values[0].map((_, i) => i) : []) {
	return which.map((i) => {
		const row = {};
		for (let k = 0; k < columns.length; k++) row[columns[k]] = values[k][i];
		return row;
	});
}

/**
 * The sums below the table as such an object, or null.
 * @returns {any}
 */
export function totalOf({ columns, total }) {
	return total ? Object.fromEntries(columns.map((key, i) => [key, total[i]])) : null;
}

// The row as the command prints it with --format json; times are BigInt.
export function commandRow(capture, table, row) {
	const out = {};
	table.columns.forEach((key, i) => {
		const value = row[i];
		if (key === 'task') {
			const task = value === null ? null : capture.tasks[value];
			for (const k of table.identity) out[k] = task && !(k === 'pid' && task.pid < 0) ? task[k] : null;
		} else if (key === 'antagonist' || key === 'next') {
			const task = capture.tasks[value];
			out[key] = task.name;
			out[`${key}_tid`] = task.tid;
			out[`${key}_pid`] = task.pid < 0 ? null : task.pid;
			out[`${key}_vm`] = task.vm;
		} else if (key === 'worst_task' || key === 'worst_antagonist') {
			const task = value === null ? null : capture.tasks[value];
			out[key] = task ? task.who : null;
			out[`${key}_tid`] = task ? task.tid : null;
		} else if (key.endsWith('_at_ns')) {
			out[key] = value === null ? null : BigInt(capture.t0_ns) + BigInt(value);
		} else {
			out[key] = value;
		}
	});
	return out;
}

// ---- the page -------------------------------------------------------------------------------------

export function textOf(document, id) {
	const element = document.getElementById(id);
	return element ? element.textContent : null;
}

// The program comes before the captures, which are complete when the whole file was read. An element is complete when
// another one follows.
function wasRead(document, id = null) {
	const isThere = () => document.readyState !== 'loading' || (id !== null && document.getElementById(id)?.nextElementSibling);
	if (isThere()) return null;
	return new Promise((resolve) => {
		const watch = new MutationObserver(() => isThere() && done());
		const done = () => {
			watch.disconnect();
			document.removeEventListener('DOMContentLoaded', done);
			resolve();
		};
		document.addEventListener('DOMContentLoaded', done);
		if (id !== null) watch.observe(document.body, { childList: true });
	});
}

export async function inflatedOf(document, id, format = 'deflate') {
	return inflate(decodeBase64(textOf(document, id)), format);
}

// In the file tasks and tables are stored column by column.
function taskObjects(columns) {
	const keys = Object.keys(columns);
	return columns.tid.map((_, index) => {
		const task = { index };
		for (const key of keys) task[key] = columns[key][index];
		task.who ??= `${task.name}-${task.tid}`;
		return task;
	});
}

// Rows are made on demand: a table may have half a million.
function withRows(table) {
	let rows = null;
	return Object.defineProperty(table, 'rows', {
		enumerable: true,
		get: () => (table.late ? [] : rows ??= table.by_column[0].map((_, i) => table.by_column.map((column) => column[i]))),
	});
}

// A table of @count rows that comes after the program, and is like any other one after read().
function lateTable(document, id, name, count) {
	let reading = null;
	const table = {
		late: count,
		read: () => (reading ??= (async () => {
			await wasRead(document, id);
			const json = textOf(document, id) === null ? null : await inflatedOf(document, id).catch(() => null);
			if (!json) throw new Error(`the page is truncated: table "${name}" is missing`);
			Object.assign(table, JSON.parse(new TextDecoder().decode(json))[name], { late: 0 });
		})()),
	};
	return withRows(table);
}

async function loadCapture(document, head, index) {
	const [json, arrays] = await Promise.all([inflatedOf(document, `tables-${index}`), inflatedOf(document, `bins-${index}`)]);
	const { tasks, tables, late, bins } = answerOf({ json, arrays });
	for (const [name, count] of Object.entries(late)) tables[name] = lateTable(document, `table-${index}-${name}`, name, count);
	return {
		...head,
		index,
		tasks: taskObjects(tasks),
		tables,
		bins,
		async bytesOf() {
			await wasRead(document);
			const texts = [];
			for (let id = `capture-${index}`, text; (text = textOf(document, id)) !== null; id = `capture-${index}-${texts.length}`) texts.push(text);
			if (!texts.length) throw new Error('the capture is not in this page');
			const bytes = await decodeBase64InTurns(texts);
			if (bytes.length !== head.bytes) throw new Error(`the page is truncated: it has ${bytes.length} of ${head.bytes} bytes of the capture`);
			return bytes;
		},
	};
}

// Reasons are foreign text: the file has them in pairs, not as keys.
function withReasons(palette) {
	return { ...palette, reasons: Object.assign(Object.create(null), Object.fromEntries(palette.reasons)) };
}

// A promise of the page's object.
export async function loadPage(document) {
	const head = JSON.parse(textOf(document, 'cdict-page'));
	if (head.format.version !== 1) throw new Error(`unsupported version ${head.format.version}`);
	const captures = await Promise.all(head.captures.map((capture, i) => loadCapture(document, capture, i)));
	const palette = { light: withReasons(head.palette.light), dark: withReasons(head.palette.dark) };
	return {
		...head,
		palette,
		captures,
		workerSource: textOf(document, 'cdict-worker'),
		engine: async () => new Uint8Array(await inflatedOf(document, 'cdict-engine', 'gzip')),
	};
}
