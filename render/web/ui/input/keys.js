// SPDX-License-Identifier: GPL-2.0-only
// The keyboard: 1-7 views, w a s d zoom and move, f fit, / search, m marks, Enter the area, Esc back, ? help.
import { pan, within, zoomToArea, zoomed } from './gestures.js';
import { closeHelp, showHelp } from '../help.js';
import { closeMenu } from '../save.js';

const STEP = 0.75;

function zoomBy(app, factor) {
	const [from, to] = app.range;
	const at = app.pointer ?? (from + to) / 2;

	app.zoom(zoomed(app.range, at, factor, app.window, app.least));
}

/** Fits the range to the slice clicked or the area made last, else to the marks, else to everything. */
function fit(app) {
	const marks = app.state.marks.map(({ at }) => at).sort((a, b) => a - b);
	const what = app.chosen ?? (app.state.area.length ? app.state.area : marks.length > 1 && marks.at(-1) > marks[0] ? [marks[0], marks.at(-1)] : null);

	app.chosen = null;
	if (!what) {
		app.select(null);
		return;
	}
	const edge = Math.max((what[1] - what[0]) * 0.1, app.least);

	app.select(within([Math.floor(what[0] - edge), Math.ceil(what[1] + edge)], app.window));
}

function undo(app) {
	if (closeHelp() || closeMenu())
		return;
	if (app.state.look.length && app.details.el.contains(document.activeElement)) {
		app.details.close();
		return;
	}
	if (app.state.area.length && !app.details.wanted) {
		app.store.takeBack('area', { area: [] });
		return;
	}
	if (JSON.stringify(app.state) === JSON.stringify(app.store.start))
		return;
	if (history.length > 1)
		history.back();
	else
		app.set({ ...app.store.start });
}

/** Makes an area of the time between the first mark and the last. */
function between(app) {
	const marks = app.state.marks.map(({ at }) => at).sort((a, b) => a - b);

	if (marks.length > 1)
		app.pick([marks[0], marks.at(-1)]);
}

const KEYS = {
	e: between,
	w: (app) => zoomBy(app, STEP),
	s: (app) => zoomBy(app, 1 / STEP),
	a: (app) => pan(app, -0.2),
	d: (app) => pan(app, 0.2),
	f: fit,
	m: (app) => app.naming.set(),
	',': (app) => app.details.step('before'),
	'.': (app) => app.details.step('after'),
	'<': (app) => app.details.step('worse'),
	'>': (app) => app.details.step('milder'),
	'?': showHelp,
	Escape: undo,
	'/': (app) => { app.head.search.focus(); app.head.search.select(); },
};

export function followKeys(app) {
	// a card explains what was under the pointer: not what a click, a key or the wheel has put there
	for (const type of ['pointerdown', 'keydown', 'wheel'])
		addEventListener(type, () => app.card.hide(), { capture: true, passive: true });
	addEventListener('keydown', (e) => {
		const typing = e.target instanceof Element && e.target.closest('input, select, textarea');

		if (typing || e.ctrlKey || e.metaKey || e.altKey)
			return;
		// clickable elements that are not buttons
		if ((e.key === 'Enter' || e.key === ' ') && e.target instanceof HTMLElement && e.target.matches('[data-enter]')) {
			e.target.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: e.shiftKey }));
			e.preventDefault();
			return;
		}
		if (e.key === 'Enter' && app.naming.enter()) {
			e.preventDefault();
			return;
		}
		app.naming.close();
		if (e.key === 'Enter' && app.state.area.length && !e.defaultPrevented && !(e.target instanceof Element && e.target.closest('button, a, summary, th'))) {
			zoomToArea(app);
			e.preventDefault();
			return;
		}
		const view = app.views.find((v) => v.key === e.key);

		if (view)
			app.set({ view: view.id });
		else if (KEYS[e.key])
			KEYS[e.key](app);
		else
			return;
		e.preventDefault();
	});
}
