// SPDX-License-Identifier: GPL-2.0-only
// Axes: positions and labels of ticks, and loss, which is hatched where it happened.
import { d3 } from '../../d3.js';
import { clockKind, clockOffset, moment } from '../clock.js';
import { duration, grouped } from '../text.js';

// Begin and end of time in a picture of full width, in pixels from its edges: a time has the same x in the strip and in
// every lane below.
export const LEFT = 150;
export const RIGHT = 12;

/** With rows @tall pixels high, every how many have a name, at least @apart pixels apart: 1, 2, 4, 5, 8, 10, 16, 20, ... */
export function labelStep(tall, apart) {
	const least = apart / tall;
	const power = (k) => k * 2 ** Math.max(0, Math.ceil(Math.log2(least / k) - 1e-9));

	return Math.min(power(1), least > 4 ? power(5) : Infinity);
}

/** Time to pixels: a linear scale of range [from, to] onto [left, right]. */
export function timeScale(range, left, right) {
	return d3.scaleLinear().domain(range).range([left, right]);
}

/** @type {[number, string][]} */
const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

function decimals(step) {
	return Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

/** The same by another clock: at its round times; below a millisecond counted from a base. */
function clockTicks([from, to], step) {
	const first = (size) => Math.ceil((from + clockOffset(size)) / size) * size - clockOffset(size);
	const fine = step < 1e6;
	const base = first(1e6) - (first(1e6) > from ? 1e6 : 0);
	const [size, unit] = UNITS.find(([ns]) => to - base >= ns) ?? UNITS[3];
	const ticks = [];

	for (let at = first(step); at <= to; at += step)
		ticks.push({ at, label: fine ? `+${((at - base) / size).toFixed(decimals(step / size))} ${unit}` : moment(at, decimals(step / 1e9)) });
	return { base: fine ? base : null, ticks };
}

/** Ticks of times [from, to]: {base: null | ns, ticks: [{at, label}]}; labels count from base when all digits would be too many. */
export function timeTicks([from, to], most) {
	const step = Math.max(1, Math.round(d3.tickStep(from, to, Math.max(1, most))));

	if (clockKind() !== 'start')
		return clockTicks([from, to], step);
	const far = to / step > 1e5;
	const grain = 10 ** Math.ceil(Math.log10(to - from));
	const base = far ? Math.floor(from / grain) * grain : 0;
	const [size, unit] = UNITS.find(([ns]) => (far ? to - base : to) >= ns) ?? UNITS[3];
	const ticks = [];

	for (let k = Math.ceil(from / step - 1e-9); k * step <= to; k++) {
		const at = k * step;
		const v = (at - base) / size;

		ticks.push({ at, label: v === 0 && !far ? '0' : `${far ? '+' : ''}${grouped(v.toFixed(decimals(step / size)))} ${unit}` });
	}
	return { base: far ? base : null, ticks };
}

/** As many ticks as their labels leave room for: those of another clock may be long. */
function ticksThatFit(s, scale) {
	const [left, right] = scale.range();
	const many = timeTicks(scale.domain(), Math.floor((right - left) / 90)), [one, two] = many.ticks;

	if (clockKind() === 'start' || !two || s.measure(two.label, 11) + 20 <= scale(two.at) - scale(one.at))
		return many;
	return timeTicks(scale.domain(), Math.floor((right - left) / 130));
}

/**
 * The axis of time under a picture: grid lines over [top, bottom], labels at the bottom (or at the top).
 * @palette the theme's colours.
 */
export function drawTimeAxis(s, palette, scale, top, bottom, { above = false } = {}) {
	const [left, right] = scale.range();
	const { base, ticks } = ticksThatFit(s, scale);
	const y = above ? top - 8 : bottom + 10;
	let last = -Infinity;

	if (base !== null) {
		const text = clockKind() === 'start' ? `${(base / 1e9).toFixed(9).replace(/0+$/, '').replace(/\.$/, '')} s` : moment(base, 3);

		s.text(left, y, text, { colour: palette.dim, size: 11, weight: 600 });
		last = left + s.measure(text, 11, 600);
	}
	for (const { at, label } of ticks) {
		const x = Math.round(scale(at)) + 0.5;
		const half = s.measure(label, 11) / 2;

		if (x > right + 1)
			continue;
		s.line(x, top, x, bottom, palette.grid);
		const middle = Math.max(left + half - 5, Math.min(x, right - half + 5));
		if (middle - half < last + 10)
			continue;
		s.text(middle, y, label, { colour: palette.dim, size: 11, anchor: 'middle' });
		last = middle + half;
	}
	s.line(left, above ? top - 0.5 : bottom + 0.5, right, above ? top - 0.5 : bottom + 0.5, palette.axis);
}

/** Decades of a logarithmic axis of durations at the left of a picture. */
export function drawLogAxis(s, palette, scale, left, right) {
	const [lo, hi] = scale.domain();
	let used = Infinity;

	for (let e = Math.floor(Math.log10(lo) + 1e-9); e <= Math.log10(hi) + 1e-9; e++) {
		for (let m = 1; m < 10; m++) {
			const at = m * 10 ** e;

			if (at < lo * 0.999 || at > hi * 1.001)
				continue;
			const y = Math.round(scale(at)) + 0.5;
			if (m > 1) {
				s.line(left - 3, y, left, y, palette.axis);
				continue;
			}
			s.line(left, y, right, y, palette.grid);
			s.line(left - 6, y, left, y, palette.axis);
			if (used - y >= 13) {
				s.text(left - 9, y, duration(at), { colour: palette.dim, size: 11, anchor: 'end' });
				used = y;
			}
		}
	}
}

/** @type {[number, string][]} */
const THOUSANDS = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];

/** The labels of @ticks, all with the same unit and as many decimals as their step needs. @unit: 'count' or 'time'. */
export function valueLabels(ticks, unit) {
	const step = (ticks[1] ?? 1) - (ticks[0] ?? 0), most = ticks.at(-1);
	const [size, name] = unit === 'time' ? UNITS.find(([ns]) => most >= ns) ?? UNITS[3] : most < 1e4 ? [1, ''] : THOUSANDS.find(([n]) => most >= n);
	const show = (v) => grouped((v / size).toFixed(decimals(step / size)));

	return ticks.map((v) => (v === 0 ? '0' : `${show(v)}${unit === 'time' ? ' ' : ''}${name}`));
}

/** An axis of counts, times or percent along the bottom of bars. */
export function drawValueAxis(s, palette, scale, top, bottom, { unit = 'count', above = false, colour = null, edge = -Infinity } = {}) {
	const [left, right] = scale.range();
	const ticks = unit === 'share' ? (right - left < 210 ? [0, 50, 100] : [0, 25, 50, 75, 100]) : scale.ticks(Math.max(2, Math.floor((right - left) / 80)));
	const labels = unit === 'count' || unit === 'time' ? valueLabels(ticks, unit) : ticks.map((v) => (v === 0 ? '0' : `${v} %`));
	let last = -Infinity;

	for (const [i, at] of ticks.entries()) {
		const x = Math.round(scale(at)) + 0.5;
		const label = labels[i];
		const half = s.measure(label, 11) / 2;

		if (!above)
			s.line(x, top, x, bottom, palette.grid);
		else
			s.line(x, top - 4, x, top, colour ?? palette.axis);
		if (x - half < last + 8 || (unit === 'count' && !Number.isInteger(at)))
			continue;
		s.text(Math.min(Math.max(x, edge + half), unit === 'share' ? right - half : Infinity), above ? top - 10 : bottom + 10, label, { colour: colour ?? palette.dim, size: 11, anchor: 'middle' });
		last = x + half;
	}
	if (!above)
		s.line(left, bottom + 0.5, right, bottom + 0.5, palette.axis);
}

/** Hatches the times in which events of @cpu (null: of any) are missing. At least two pixels wide. */
export function drawLoss(s, palette, capture, scale, top, height, cpu = null) {
	const [from, to] = scale.domain();
	const [left, right] = scale.range();
	let end = -Infinity;

	for (const gap of lossOf(capture, cpu)) {
		if (gap.to_ns < from || gap.from_ns > to)
			continue;
		const a = Math.max(left, Math.max(scale(gap.from_ns), end));
		const b = Math.min(right, Math.max(scale(gap.to_ns), a + 2));

		if (b <= a)
			continue;
		s.hatch(a, top, b - a, height, palette.loss);
		end = b;
	}
}

/** The same for figures of all CPUs, with a band of @band pixels at the top while not all of them were recorded yet. */
export function drawMissing(s, palette, capture, scale, top, height, band) {
	const { recorded_until: until } = capture;
	const [from, to] = scale.domain(), [left, right] = scale.range();

	drawLoss(s, palette, capture, scale, top, height);
	if (until !== null && until > from)
		s.hatch(left, top, (until < to ? scale(until) : right) - left, band, palette.loss);
}

const sorted = new WeakMap();

/** The records of loss that affect @cpu, by time. Events out of order are not missing. */
export function lossOf(capture, cpu = null) {
	let gaps = sorted.get(capture);

	if (!gaps) {
		gaps = capture.loss.records.filter((l) => l.what !== 'disorder').sort((a, b) => a.from_ns - b.from_ns);
		sorted.set(capture, gaps);
	}
	return cpu === null ? gaps : gaps.filter((l) => l.cpu === null || l.cpu === cpu);
}
