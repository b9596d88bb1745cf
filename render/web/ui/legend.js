// SPDX-License-Identifier: GPL-2.0-only
// Legends that explain themselves, and the words for states: those of render/view_vcpu.c.
import { h } from './dom.js';

export const STATES = ['guest', 'exit', 'qemu', 'preempted', 'waiting', 'halted', 'blocked', 'unknown'];

export const STATE_WORDS = {
	guest: 'in the guest',
	exit: 'handling an exit',
	qemu: 'in QEMU',
	preempted: 'preempted: ready to run, another task had the CPU',
	waiting: 'waiting: woken, not yet on a CPU',
	halted: 'halted: the guest was idle',
	blocked: 'blocked: asleep for another reason',
	unknown: 'unknown: not seen',
};

/**
 * items: [{colour | hatch, dot, text, title, key, on, click}]; `on` false: filtered away.
 */
export function legend(items) {
	return h('div', { class: 'legend' }, items.map((item) => {
		const swatch = h('span', { class: item.hatch ? 'swatch hatched' : item.dot ? 'swatch dot' : 'swatch' });

		if (item.colour)
			swatch.style.background = item.colour;
		return h(item.click ? 'button' : 'span', {
			type: item.click ? 'button' : null, class: item.on === false ? 'item off' : 'item', title: item.title,
			'aria-pressed': item.click ? String(item.on !== false) : null,
			data: { legend: item.key }, on: item.click ? { click: item.click } : null,
		}, swatch, h('bdi', null, item.text));
	}));
}

/** The same on a surface, for saved pictures; how high it got. */
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

/** Items of the vCPU states, of which @has tells which there are. */
export function stateItems(palette, has = () => true) {
	return STATES.filter(has).map((state) => ({
		key: state, text: STATE_WORDS[state],
		colour: state === 'unknown' ? null : palette.states[state], hatch: state === 'unknown',
	}));
}

/** A ramp with its ends in numbers; @from: where of the whole ramp it begins. */
export function rampLegend(palette, low, high, from = 0) {
	const steps = 16;
	const bar = h('span', { class: 'ramp', 'aria-hidden': 'true' });

	for (let i = 0; i < steps; i++) {
		const cell = h('span');

		cell.style.background = rampColour(palette, from + (1 - from) * i / (steps - 1));
		bar.append(cell);
	}
	return h('span', { class: 'ramp-legend' }, h('span', { class: 'dim' }, low), bar, h('span', { class: 'dim' }, high));
}

/** The same on a surface, ending at @right. */
export function drawRamp(s, palette, right, y, [low, high, from = 0]) {
	const steps = 16, wide = 8;
	const x = right - s.measure(high, 11) - 8 - steps * wide;

	s.text(right, y, high, { colour: palette.dim, size: 11, anchor: 'end' });
	for (let i = 0; i < steps; i++)
		s.rect(x + i * wide, y - 6, wide, 12, rampColour(palette, from + (1 - from) * i / (steps - 1)));
	s.text(x - 8, y, low, { colour: palette.dim, size: 11, anchor: 'end' });
}

/** The ramp's colour for a level of 0..1; more is darker on white, brighter on black. */
export function rampColour(palette, level) {
	return palette.ramp[Math.min(palette.ramp.length - 1, Math.max(0, Math.round(level * (palette.ramp.length - 1))))];
}

/** Colours of counts from @min to @max: {from: where they begin in the ramp, level(n): 0..1}. Where there are few of each, one can be seen. */
export function countLevels(min, max) {
	const from = max === min ? 1 : max <= 4 ? 0.5 : 0;

	return { from, level: (n) => (max === min ? 1 : from + (1 - from) * Math.log(n / min) / Math.log(max / min)) };
}

/** Black or white, whichever can be read on @colour. */
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
