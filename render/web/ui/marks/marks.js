// SPDX-License-Identifier: GPL-2.0-only
// Marks that were set with m, and the area.
import { fit } from '../text.js';
import { clean, duration } from '../text.js';

/** Draws the area over [top, top + height], or over @block, [y1, y2] of a heat map. */
export function drawArea(s, app, scale, [top, bottom]) {
	const { area } = app.state;
	const [from, to] = scale.domain();

	if (!area.length || area[1] < from || area[0] > to)
		return;
	const a = scale(Math.max(from, area[0])), b = Math.max(scale(Math.min(to, area[1])), a + 1);
	const { accent } = app.palette;

	s.shade(a, top, b - a, bottom - top, accent, 0.13);
	for (const [at, x] of [[area[0], a], [area[1], b]]) {
		if (at >= from && at <= to)
			s.line(x, top, x, bottom, accent, 1.5);
	}
	for (const y of [top + 1, bottom - 1])
		s.line(a, y, b, y, accent, 2);
}

/** The marks' times, ascending. */
const timesOf = (marks) => marks.map(({ at }) => at).sort((a, b) => a - b);

const FLAG = 18; // pixels: the height of a name or a distance
const NAME_ROOM = 180;

/** Draws the names of marks at the head of their lines, one below the other if they overlap; returns their height. */
export function drawNames(s, app, scale, top, size = 12) {
	const { palette, state: { marks } } = app;
	const [left, right] = scale.range();
	const tall = size + 6;
	const ends = []; // of each row of names

	for (const { at, name } of [...marks].sort((a, b) => a.at - b.at)) {
		const x = scale(at);

		if (!name || x < left || x > right)
			continue;
		const text = fit(clean(name), NAME_ROOM, size, 600);
		const wide = s.measure(text, size, 600) + 10;
		const begin = x + wide > right ? x - wide : x;
		let row = ends.findIndex((end) => end <= begin);

		if (row < 0)
			row = ends.length;
		ends[row] = begin + wide + 4;
		s.rect(begin - 1, top + row * tall, wide + 2, tall, palette.paper);
		s.rect(begin, top + row * tall, wide, tall - 1, palette.accent);
		s.text(begin + 5, top + row * tall + (tall - 1) / 2, text, { colour: palette.paper, size, weight: 600 });
	}
	return ends.length * tall;
}

/** Draws the distance of neighbouring marks, of more than two if there is room. */
function drawDistances(s, app, scale, top) {
	const marks = timesOf(app.state.marks);
	const [from, to] = scale.domain();
	const { palette } = app;

	for (let i = 1; i < marks.length; i++) {
		const [a, b] = [marks[i - 1], marks[i]];

		if (b < from || a > to || b === a)
			continue;
		const text = duration(b - a);
		const begin = scale(Math.max(from, a)), end = scale(Math.min(to, b));
		const x = (begin + end) / 2;
		const wide = s.measure(text, 12, 600) + 12;

		if (marks.length > 2 && wide > end - begin)
			continue;
		s.rect(x - wide / 2, top, wide, FLAG, palette.accent);
		s.text(x, top + FLAG / 2, text, { colour: palette.paper, size: 12, weight: 600, anchor: 'middle' });
	}
}

/** Draws the area, lines at marks and at both ends of the clicked thing, and with @words names and distances of the marks. */
export function drawMarks(s, app, scale, top, height, words = false, block = null) {
	const [from, to] = scale.domain();
	const { palette } = app;
	const { thing } = app.details;

	drawArea(s, app, scale, block ?? [top, top + height]);
	if (thing && thing.to > from && thing.from < to) {
		const a = scale(Math.max(from, thing.from)), b = scale(Math.min(to, thing.to));

		// the clicked thing, in every picture of time
		for (const [at, x] of [[thing.from, a], [thing.to, b]]) {
			if (at >= from && at <= to)
				s.line(x, top, x, top + height, palette.accent, 1);
		}
	}
	for (const at of timesOf(app.state.marks)) {
		if (at >= from && at <= to)
			s.line(scale(at), top, scale(at), top + height, palette.accent, 1.5);
	}
	if (words)
		drawDistances(s, app, scale, top + drawNames(s, app, scale, top));
}
