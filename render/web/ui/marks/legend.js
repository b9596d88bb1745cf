// SPDX-License-Identifier: GPL-2.0-only
// Legends, and the words for states: those of render/views/vcpu.c.
import { h, swatch } from '../dom.js';
import { Runs } from './surface.js';
import { count } from '../text.js';

export const STATES = ['guest', 'exit', 'qemu', 'preempted', 'waiting', 'halted', 'blocked', 'unknown'];

export const STATE_WORDS = {
	guest: 'in the guest',
	exit: 'handling an exit',
	qemu: 'in the VMM',
	preempted: 'preempted: ready to run, another task had the CPU',
	waiting: 'waiting: woken, not yet on a CPU',
	halted: 'halted: the guest was idle',
	blocked: 'blocked: asleep for another reason',
	unknown: 'unknown: not seen',
};

const RAMP_STEPS = 16;

/**
 * items: [{colour | hatch, dot, text, title, key, on, click}]; `on` false: filtered out.
 */
export function legend(items) {
	return h('div', { class: 'legend' }, items.map((item) => h(item.click ? 'button' : 'span', {
		type: item.click ? 'button' : null, class: item.on === false ? 'item off' : 'item', title: item.title,
		'aria-pressed': item.click ? String(item.on !== false) : null,
		data: { legend: item.key }, on: item.click ? { click: item.click } : null,
	}, swatch(item.colour, item.hatch ? 'hatched' : item.dot ? 'dot' : ''), h('bdi', null, item.text))));
}

/** The same on a surface, for saved pictures; returns its height. */
export function drawLegend(s, palette, items, x, y, room) {
	let at = x, row = y + 8;

	for (const item of items) {
		const wide = 18 + s.measure(item.text, 12) + 16;

		if (at + wide > x + room && at > x) {
			at = x;
			row += 18;
		}
		if (item.hatch)
			s.hatch(at, row - 6, 12, 12, palette.loss);
		else if (item.dot)
			s.dot(at + 6, row, 5, item.colour, palette.paper);
		else
			s.rect(at, row - 6, 12, 12, item.colour);
		s.text(at + 18, row, item.text, { colour: palette.text, size: 12 });
		at += wide;
	}
	return items.length ? row + 12 - y : 0;
}

/** Items of the vCPU states for which @has is true. */
export function stateItems(palette, has = () => true) {
	return STATES.filter(has).map((state) => ({
		key: state, text: STATE_WORDS[state],
		colour: state === 'unknown' ? null : palette.states[state], hatch: state === 'unknown',
	}));
}

/** A ramp with numbers at its ends; @from: its start within the whole ramp. */
export function rampLegend(palette, low, high, from = 0) {
	const cells = Array.from({ length: RAMP_STEPS }, (_, i) => h('span', { css: { background: rampColour(palette, from + (1 - from) * i / (RAMP_STEPS - 1)) } }));

	return h('span', { class: 'ramp-legend' }, h('span', { class: 'dim' }, low), h('span', { class: 'ramp', 'aria-hidden': 'true' }, cells), h('span', { class: 'dim' }, high));
}

/** The same on a surface, ending at @right. */
export function drawRamp(s, palette, right, y, [low, high, from = 0]) {
	const wide = 8;
	const x = right - s.measure(high, 11) - 8 - RAMP_STEPS * wide;

	s.text(right, y, high, { colour: palette.dim, size: 11, anchor: 'end' });
	for (let i = 0; i < RAMP_STEPS; i++)
		s.rect(x + i * wide, y - 6, wide, 12, rampColour(palette, from + (1 - from) * i / (RAMP_STEPS - 1)));
	s.text(x - 8, y, low, { colour: palette.dim, size: 11, anchor: 'end' });
}

/** The ramp's colour for a level of 0..1; more is further from the paper. */
export function rampColour(palette, level) {
	return palette.ramp[Math.min(palette.ramp.length - 1, Math.max(0, Math.round(level * (palette.ramp.length - 1))))];
}

/** Colours of counts from @min to @max: {from: their start in the ramp, where a single event is visible; level(n): 0..1}. */
export function countLevels({ one }, min, max) {
	const from = max === min ? 1 : one;

	return { from, level: (n) => (max === min ? 1 : from + (1 - from) * Math.log(n / min) / Math.log(max / min)) };
}

/**
 * The ends of such a ramp, as rampLegend() and drawRamp() take them.
 * @returns {[string, string, number]}
 */
export function countEnds(palette, min, max) {
	return [count(min), `${count(max)} per cell`, countLevels(palette, min, max).from];
}

/** A ramp of counts with its ends; no ramp for a single count. */
export function countRamp(palette, min, max) {
	const [low, high, from] = countEnds(palette, min, max);

	return max === min ? h('span', { class: 'dim small' }, high) : rampLegend(palette, low, `${high}, logarithmic`, from);
}

/** Draws cells of counts from @min to @max that come row by row: put(x1, y1, x2, y2, n), then end(). */
export function countCells(s, palette, min, max) {
	const colours = new Map(); // cached: there are few counts
	const { level } = countLevels(palette, min, max);
	const runs = new Runs(s);
	const put = (x1, y1, x2, y2, n) => {
		if (!colours.has(n))
			colours.set(n, rampColour(palette, level(n)));
		runs.add(x1, y1, x2, y2, colours.get(n));
	};

	return { put, end: () => runs.end() };
}

/** Black or white, whichever is readable on @colour. */
export function inkOn(colour) {
	const v = parseInt(colour.slice(1), 16);
	const [r, g, b] = [v >> 16, v >> 8 & 255, v & 255].map((part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));

	return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}

/** Colours of exit reasons: fixed by name, spare ones by rank for the rest. */
export function reasonColours(palette, reasons) {
	const known = new Map(Object.entries(palette.reasons).map(([name, colour]) => [name.toLowerCase(), colour]));
	const out = new Map();
	let spare = 0;

	for (const reason of reasons) {
		const taken = (colour) => [...out.values()].includes(colour);
		let colour = known.get(reason.toLowerCase());

		for (let n = 0; (!colour || taken(colour)) && n < palette.spare.length; n++)
			colour = palette.spare[spare++ % palette.spare.length];
		out.set(reason, colour ?? palette.reasons.other);
	}
	return out;
}
