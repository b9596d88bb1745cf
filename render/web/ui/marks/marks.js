// SPDX-License-Identifier: GPL-2.0-only
// Marks that were set with m.
import { duration } from '../text.js';

/** Draws lines at marks and at both ends of the clicked thing, and with @words the distance of two marks. */
export function drawMarks(s, app, scale, top, height, words = false) {
	const marks = [...app.state.marks].sort((a, b) => a - b);
	const [from, to] = scale.domain();
	const { palette } = app;
	const { thing } = app.details;

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
