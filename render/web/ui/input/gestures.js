// SPDX-License-Identifier: GPL-2.0-only
// Wheel and drag on pictures of time: the wheel changes the page's range, a drag makes an area.
import { duration } from '../text.js';

const CLICK_PX = 4;
const FLAT_PX = 8; // of a drag in a heat map: a flatter one takes all lengths

/** @range scaled by @factor, at least @least ns, with @at kept in its place; within @window. */
export function zoomed(range, at, factor, window, least) {
	const [from, to] = range;
	const whole = window[1] - window[0];
	const span = Math.min(whole, Math.max(least, (to - from) * factor));
	const part = (at - from) / (to - from);

	return within([at - part * span, at - part * span + span], window);
}

/** The range moved into the window, in whole ns. */
export function within([from, to], window) {
	const span = Math.min(to - from, window[1] - window[0]);
	const start = Math.min(Math.max(from, window[0]), window[1] - span);

	return [Math.floor(start), Math.min(Math.ceil(start + span), window[1])];
}

/** Makes @plot handle the wheel, dragging and clicks. */
export function timeGestures(plot, app) {
	const { el, canvas } = plot;
	let drag = null;

	el.addEventListener('wheel', (e) => {
		const at = plot.timeAt(e.clientX);
		const across = Math.abs(e.deltaX) > Math.abs(e.deltaY);

		// If the whole window is shown the wheel scrolls the page, as everywhere else.
		if (at === null || (!app.state.range && (!e.ctrlKey || across)))
			return;
		e.preventDefault();
		const unit = e.deltaMode === 1 ? 20 : 1;

		if (across) {
			pan(app, e.deltaX * unit / plot.width);
			return;
		}
		app.zoom(zoomed(app.range, at, Math.exp(Math.max(-1, Math.min(1, e.deltaY * unit * 0.003))), app.window, app.least));
	}, { passive: false });

	el.addEventListener('pointerdown', (e) => {
		const at = plot.timeAt(e.clientX);

		if (at === null || e.button === 1)
			return;
		const { left, top } = canvas.getBoundingClientRect();

		drag = { x: e.clientX - left, y: e.clientY - top, at, pans: e.button === 2 || e.shiftKey, range: app.range, moved: false };
		el.setPointerCapture(e.pointerId);
	});

	el.addEventListener('pointermove', (e) => {
		if (!drag)
			return;
		const { left, top } = canvas.getBoundingClientRect();
		const x = e.clientX - left, y = e.clientY - top;

		drag.moved ||= Math.abs(x - drag.x) >= CLICK_PX || (plot.options.block && Math.abs(y - drag.y) >= FLAT_PX);
		if (!drag.moved)
			return;
		app.card.hide();
		if (drag.pans) {
			const [from, to] = drag.range;
			const by = (drag.x - x) / (plot.width - plot.time.left - plot.time.right) * (to - from);

			app.zoom(within([from + by, to + by], app.window));
			return;
		}
		drag.to = plot.nearestTime(e.clientX);
		drag.block = Math.abs(y - drag.y) >= FLAT_PX ? plot.options.block?.(drag.y, y) ?? null : null;
		// an upright one takes all of the time in view
		const upright = drag.block && Math.abs(x - drag.x) < CLICK_PX;
		const ends = upright ? [plot.time.left, plot.width - plot.time.right] : [drag.x, Math.min(Math.max(x, plot.time.left), plot.width - plot.time.right)];

		drag.range = upright ? app.range : [Math.min(drag.at, drag.to), Math.max(drag.at, drag.to)];
		plot.showBand(...ends, [duration(Math.round(drag.range[1] - drag.range[0])), ...drag.block ? [drag.block.words] : []].join(' × '), drag.block?.y);
	});

	const end = (e, cancelled) => {
		const was = drag;

		drag = null;
		plot.showBand(null);
		if (!was || cancelled)
			return;
		if (!was.moved) {
			if (e.button === 0)
				plot.found?.click?.(e);
		} else if (!was.pans && was.to !== undefined) {
			app.pick(was.range, was.block?.area);
		}
	};
	el.addEventListener('pointerup', (e) => end(e, false));
	el.addEventListener('pointercancel', (e) => end(e, true));
	el.addEventListener('contextmenu', (e) => { if (plot.timeAt(e.clientX) !== null) e.preventDefault(); });
	el.addEventListener('dblclick', (e) => {
		const at = plot.timeAt(e.clientX);

		if (at === null)
			return;
		if (at >= app.state.area[0] && at <= app.state.area[1])
			zoomToArea(app);
		else
			app.select(null);
	});
}

/** The area becomes the page's range. */
export function zoomToArea(app) {
	const [from, to] = app.state.area;

	app.set({ range: within([from, Math.max(to, from + app.least)], app.window), area: [], look: [] });
}

/** Moves the range by @part of its length. */
export function pan(app, part) {
	const [from, to] = app.range;
	const by = (to - from) * part;

	app.zoom(within([from + by, to + by], app.window));
}
