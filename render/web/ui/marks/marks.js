// SPDX-License-Identifier: GPL-2.0-only
// Marks that were set with m, and the area.
import { duration } from '../text.js';

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

/** Draws the area, lines at marks and at both ends of the clicked thing, and with @words the distance of two marks. */
export function drawMarks(s, app, scale, top, height, words = false, block = null) {
	const marks = [...app.state.marks].sort((a, b) => a - b);
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
	for (const at of marks) {
		if (at >= from && at <= to)
			s.line(scale(at), top, scale(at), top + height, palette.accent, 1.5);
	}
	if (!words || marks.length !== 2 || marks[1] < from || marks[0] > to)
		return;
	const text = duration(marks[1] - marks[0]);
	const x = (scale(Math.max(from, marks[0])) + scale(Math.min(to, marks[1]))) / 2;
	const wide = s.measure(text, 12, 600) + 12;

	s.rect(x - wide / 2, top, wide, 18, palette.accent);
	s.text(x, top + 9, text, { colour: palette.paper, size: 12, weight: 600, anchor: 'middle' });
}
