// SPDX-License-Identifier: GPL-2.0-only
// The current picture as SVG or PNG: the view's drawings under a title that says what they show.
import { moment } from './clock.js';
import { button, h } from './dom.js';
import { download } from './download.js';
import { drawLegend, drawRamp } from './legend.js';
import { CanvasSurface, SvgSurface, fit } from './surface.js';
import { copyText } from './table.js';
import { clean, duration } from './text.js';

const WIDTH = 1280, EDGE = 16;

/** "run · compute-01 · 5.02 s from 922.060149460 s · VM 1044 · no events lost" */
function caption(app) {
	if (app.view.caption)
		return app.view.caption();
	const { capture } = app;
	const [from, to] = app.range;

	return [clean(capture.label), capture.host && clean(capture.host), `${duration(to - from)} from ${moment(from, 9)}`,
	clean(app.selection.words()), clean(capture.loss.text ?? '')].filter(Boolean).join(' · ');
}

/** Draws the view on a surface made for its size. make(width, height) gives the surface. */
function compose(app, make) {
	const { palette } = app;
	const drawings = app.view.drawings();
	const width = WIDTH - 2 * EDGE;
	const probe = new SvgSurface(1, 1);
	const title = app.view.title;
	const parts = drawings.map((d) => ({ ...d, tall: d.height(width), above: (d.title ? 22 : 0) + (d.legend?.length ? drawLegend(probe, palette, d.legend, 0, 0, width) + 4 : 0) }));
	const height = 64 + parts.reduce((sum, p) => sum + p.tall + p.above + 14, 0) + EDGE;
	const s = make(WIDTH, height);
	let y = 64;

	s.rect(0, 0, WIDTH, height, palette.paper);
	s.text(EDGE, 22, title, { colour: palette.text, size: 18, weight: 700 });
	s.text(EDGE, 44, fit(caption(app), width, 13), { colour: palette.dim, size: 13 });
	for (const part of parts) {
		if (part.title)
			s.text(EDGE, y + 9, part.title, { colour: palette.text, size: 13, weight: 600, room: width - (part.ramp ? 260 : 0) });
		if (part.ramp)
			drawRamp(s, palette, EDGE + width, y + 9, part.ramp);
		if (part.legend?.length)
			drawLegend(s, palette, part.legend, EDGE, y + (part.title ? 22 : 0), width);
		y += part.above;
		part.draw(shifted(s, EDGE, y), width, part.tall);
		y += part.tall + 14;
	}
	return s;
}

/** The surface with its origin at (dx, dy). */
function shifted(s, dx, dy) {
	return {
		rect: (x, y, ...rest) => s.rect(x + dx, y + dy, ...rest),
		hatch: (x, y, ...rest) => s.hatch(x + dx, y + dy, ...rest),
		line: (x1, y1, x2, y2, ...rest) => s.line(x1 + dx, y1 + dy, x2 + dx, y2 + dy, ...rest),
		dot: (x, y, ...rest) => s.dot(x + dx, y + dy, ...rest),
		text: (x, y, ...rest) => s.text(x + dx, y + dy, ...rest),
		clip: (x, y, ...rest) => s.clip(x + dx, y + dy, ...rest),
		measure: (...rest) => s.measure(...rest),
	};
}

function fileName(app, ending) {
	const label = app.capture.label.replace(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^\.+/, '').slice(0, 60) || 'cdict';

	return `${label}-${app.state.view}.${ending}`;
}

export function svgText(app) {
	return compose(app, (w, h2) => new SvgSurface(w, h2)).toString();
}

function saveSvg(app) {
	download(fileName(app, 'svg'), 'image/svg+xml', svgText(app));
}

function savePng(app) {
	const canvas = h('canvas');

	compose(app, (w, tall) => {
		canvas.width = w * 2;
		canvas.height = tall * 2;
		const context = canvas.getContext('2d');
		context.scale(2, 2);
		return new CanvasSurface(context, 2);
	});
	canvas.toBlob((blob) => { if (blob) download(fileName(app, 'png'), 'image/png', blob); }, 'image/png');
}

export function saveMenu(app) {
	return h('details', { class: 'menu' }, h('summary', { class: 'icon', title: 'save the current picture, or print', 'aria-label': 'save' }, '⤓'),
		h('div', { class: 'menu-box' },
			button('picture as SVG', 'text stays text', (e) => { close(e); saveSvg(app); }, { data: { save: 'svg' } }),
			button('picture as PNG', 'twice as fine as the screen', (e) => { close(e); savePng(app); }, { data: { save: 'png' } }),
			button('print …', 'on white paper', (e) => { close(e); print(); }, { data: { save: 'print' } }),
			button('copy the link', 'the address of exactly this view', (e) => { close(e); copyText(location.href); })));
}

function close(e) {
	e.target.closest('details').open = false;
}
