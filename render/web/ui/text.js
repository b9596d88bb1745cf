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

/** 1234567 -> "1,234,567" */
export function count(v) {
	return String(Math.round(v)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

function scaled(v, units, gap) {
	let unit = 0;

	while (Math.abs(v) >= 999.5 && unit + 1 < units.length) {
		v /= 1000;
		unit++;
	}
	const size = Math.abs(v);
	const digits = Number.isInteger(v) ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	return v.toFixed(digits) + (units[unit] ? gap + units[unit] : '');
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

/** A long name without its middle: "insta…0001d", so that similar names stay distinct. */
export function shortName(text, most = 14) {
	const letters = [...text];

	return letters.length <= most ? text : `${letters.slice(0, Math.floor(most / 2) - 1).join('')}…${letters.slice(-Math.ceil(most / 2)).join('')}`;
}
