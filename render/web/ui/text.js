// SPDX-License-Identifier: GPL-2.0-only
// Display forms of names and numbers; the same words and digits as render/draw/text.c.

import { moment } from './clock.js';

// Characters that a browser interprets instead of showing: bidi controls, zero widths, fillers (base/text/escape.c).
const DECEPTIVE = [
	[0x00ad, 0x00ad], [0x034f, 0x034f], [0x061c, 0x061c], [0x115f, 0x1160], [0x17b4, 0x17b5],
	[0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x3164, 0x3164],
	[0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0x1d173, 0x1d17a],
	[0xe0000, 0xe0fff],
];

const hex = (n, digits) => n.toString(16).padStart(digits, '0');

function isControl(cp) {
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

/** Foreign text, safe to show: control characters as \xNN, bidi and zero widths as <U+202E>. */
export function clean(raw) {
	let out = '';

	for (const ch of String(raw)) {
		const cp = ch.codePointAt(0);

		if (isControl(cp))
			out += cp < 0x80 ? `\\x${hex(cp, 2)}` : `\\xc2\\x${hex(cp, 2)}`;
		else if (cp >= 0xad && DECEPTIVE.some(([a, b]) => cp >= a && cp <= b))
			out += `<U+${hex(cp, 4).toUpperCase()}>`;
		else
			out += ch;
	}
	return out;
}

/** A VM's display name; one without a name is shown by its process' number: "VM 1959". */
export function vmName(raw) {
	return /^\d+$/.test(raw) ? `VM ${raw}` : clean(raw);
}

/** "1234567.8" -> "1,234,567.8" */
export function grouped(digits) {
	return digits.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** 1234567 -> "1,234,567" */
export function count(v) {
	return grouped(String(Math.round(v)));
}

function scaled(v, units, gap) {
	let unit = 0;

	while (Math.abs(v) >= 999.5 && unit + 1 < units.length) {
		v /= 1000;
		unit++;
	}
	const size = Math.abs(v);
	const digits = Number.isInteger(v) ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	return grouped(v.toFixed(digits)) + (units[unit] ? gap + units[unit] : '');
}

/** Three significant digits and a unit: "212 ms"; a dash for unknown. */
export function duration(ns) {
	return ns === null ? '–' : scaled(ns, ['ns', 'µs', 'ms', 's'], ' ');
}

/** 34998 -> "35.0k" */
export function short(v) {
	return scaled(v, ['', 'k', 'M', 'G', 'T'], '');
}

/** Formats a number that is already in percent. */
export function percent(v) {
	const size = Math.abs(v);

	if (size > 0 && size < 0.05)
		return '< 0.1 %';
	return `${v.toFixed(size < 99.95 ? 1 : 0)} %`;
}

/** "212,345,678 ns" */
export function exactNs(ns) {
	return `${count(ns)} ns`;
}

/** @type {[RegExp, (ns: number) => string][]} */
const SHOWN_AS = [
	[/percent$/, percent],
	[/_at_ns$/, (v) => moment(v)],
	[/_ns(_per_s)?$/, duration],
	[/_per_s$/, short],
];

/** The value of column @key in tables. */
export function figure(key, v) {
	if (v === null || v === undefined)
		return '–';
	if (typeof v !== 'number')
		return clean(v);
	for (const [pattern, show] of SHOWN_AS) {
		if (pattern.test(key))
			return v === 0 ? '0' : show(v);
	}
	return Number.isInteger(v) ? count(v) : short(v);
}

/** The value of column @key with all its digits. */
export function exactFigure(key, v) {
	if (v === null || v === undefined)
		return 'unknown';
	if (typeof v !== 'number')
		return clean(v);
	if (/percent$/.test(key))
		return `${v} %`;
	return /_ns$/.test(key) ? exactNs(v) : count(v);
}

/** "1 vCPU", "3 vCPUs" */
export function plural(n, one, many = `${one}s`) {
	return `${count(n)} ${n === 1 ? one : many}`;
}

// Shortened names, as in base/text/shorten.c: without what those that begin alike share, and never two of them alike.
const ALIKE = 4, WORTH = 3, FORMS = 7; // letters that begin alike; a shorter begin is not worth its place; ways to cut
/** @type {() => string[]} */
let namesOf = () => [];
/** @type {Map<string, number> | null} */
let shared = null; // letters at a name's begin that all like it share
const taken = new Map(); // shortened -> name

/** The names that shorten() tells apart; names() is called when the first one is shortened. */
export function learnNames(names) {
	namesOf = names;
	shared = null;
	taken.clear();
}

function sharedOf(text) {
	if (!shared) {
		const all = [...new Set(namesOf())].sort();

		shared = new Map();
		for (let i = 0, end = 0; i < all.length; i = end) {
			for (end = i + 1; end < all.length && all[end].slice(0, ALIKE) === all[i].slice(0, ALIKE);)
				end++;
			const first = [...all[i]], last = [...all[end - 1]];
			let same = 0;

			while (end > i + 1 && same < first.length && first[same] === last[same])
				same++;
			for (const name of all.slice(i, end))
				shared.set(name, same);
		}
	}
	return shared.get(text) ?? 0;
}

function inForm(letters, form, room, same) {
	let head = [0, 0, room / 3, room / 2, room * 2 / 3, 0, room][form], rest = room, begin = '', from = 0;

	if (form === 0) // without what is shared, whose begin stays if there is room
		head = same ? same - (letters.length - room) : room / 3;
	if (form === 0 && head < WORTH)
		head = 0;
	if (form === 5) { // the place where it begins to differ
		[begin, from, rest] = ['…', same, room - 1];
		head = rest / 2;
	}
	head = Math.floor(head);
	return `${begin}${letters.slice(from, from + head).join('')}…${rest > head ? letters.slice(head - rest).join('') : ''}`;
}

/**
 * As much of @text as fits(text) accepts: different texts become different ones. '': nothing that could be told apart.
 * @part: of its letters, as many probably fit.
 */
export function shorten(text, fits, part = 0.5) {
	if (fits(text))
		return text;
	const letters = [...text], same = sharedOf(text);

	for (let form = 0; form < FORMS; form++) {
		let room = WORTH - 1, over = Math.min(letters.length, 201), next = Math.floor(letters.length * part);

		// the longest that fits
		for (let steps = 0; over - room > 1; steps++) {
			const middle = Math.min(Math.max(next, room + 1), over - 1);

			if (fits(inForm(letters, form, middle, same)))
				room = middle;
			else
				over = middle;
			next = steps ? (room + over) >> 1 : room === middle ? middle + 1 : middle - 1;
		}
		const short = inForm(letters, form, room, same);

		if (room >= WORTH && (taken.get(short) ?? text) === text) {
			taken.set(short, text);
			return short;
		}
	}
	return '';
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';

const MEASURED = 4096; // texts
/** @type {Map<string, number>} */
const widths = new Map();
let ruler = null, rulerFont = ''; // setting a font is slow, even the same

/** The width of @text in pixels. */
export function measure(text, size = 12, weight = 400) {
	const font = `${weight} ${size}px ${FONT}`, key = `${weight} ${size} ${text}`;
	let wide = widths.get(key);

	if (wide !== undefined)
		return wide;
	ruler ??= document.createElement('canvas').getContext('2d');
	if (font !== rulerFont)
		ruler.font = rulerFont = font;
	wide = ruler.measureText(text).width;
	if (widths.size >= MEASURED)
		widths.clear();
	widths.set(key, wide);
	return wide;
}

/** @text, shortened if it is wider than @room. */
export function fit(text, room, size = 12, weight = 400) {
	return shorten(text, (short) => measure(short, size, weight) <= room, room / measure(text, size, weight));
}
