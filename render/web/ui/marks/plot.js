// SPDX-License-Identifier: GPL-2.0-only
// A picture on a canvas: drawn when its size or content changes and it is in view, explained under the pointer.
import { h } from '../dom.js';
import { CanvasSurface } from './surface.js';

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
export const MARGIN = 200; // pixels around the window in which pictures are drawn already

const plots = new WeakMap(); // element -> Plot
let sizes = null, sights = null;

// One observer for all of them: places are read before anything is drawn, which changes the document.
function observe(plot) {
	sizes ??= new ResizeObserver((entries) => paintAll(entries.map(({ target }) => plots.get(target)).filter((p) => p?.resized())));
	sights ??= new IntersectionObserver((entries) => {
		for (const { isIntersecting, target } of entries) {
			const seen = plots.get(target);

			if (isIntersecting && seen?.stale)
				seen.paint();
		}
	}, { rootMargin: `${MARGIN}px` });
	plots.set(plot.el, plot);
	sizes.observe(plot.el);
	sights.observe(plot.el);
}

export function inView(el) {
	const { top, bottom } = el.getBoundingClientRect();

	return bottom >= -MARGIN && top <= innerHeight + MARGIN;
}

/** Draws the plots in view; the others when they come into view. */
export function paintAll(list) {
	const changed = list.filter((plot) => plot.changed());
	const seen = changed.filter((plot) => inView(plot.el));

	for (const plot of changed)
		plot.stale = true;
	for (const plot of seen)
		plot.paint();
}

export class Plot {
	/**
	 * options: {app, label, height (number or (width) -> number), draw(surface, width, height),
	 *           hit(x, y) -> {lines, box, click} | null, time: {left, right} | null, block(y1, y2): what a drag takes besides time, reserve: takes its height undrawn,
	 *           shows() -> [its inputs], if it has no time axis and need not be drawn again when the range changes}
	 */
	constructor(options) {
		this.options = options;
		this.app = options.app;
		this.canvas = h('canvas', options.hit ? { role: 'application', tabindex: '0', 'aria-label': `${options.label}; arrow keys move, Enter clicks` } : { role: 'img', 'aria-label': options.label });
		this.band = h('div', { class: 'band', hidden: true });
		this.spot = h('div', { class: 'spot', hidden: true });
		this.el = h('div', { class: 'plot' }, this.canvas, this.band, this.spot);
		this.width = 0;
		this.stale = true; // the canvas is out of date
		if (options.reserve)
			this.canvas.style.height = `${this.heightFor(0)}px`;
		this.#follow();
		if (options.hit)
			this.#followKeys();
		observe(this);
	}

	get time() {
		return this.options.time ?? null;
	}

	/** Whether its width has changed. */
	resized() {
		const width = this.el.clientWidth;

		return width > 0 && width !== this.width;
	}

	/** Whether drawing would change it now. */
	changed() {
		const { was } = this;

		return this.stale || !was || this.resized() || this.options.shows().some((it, i) => it !== was[i]);
	}

	heightFor(width) {
		const { height } = this.options;

		return Math.round(typeof height === 'function' ? height(width) : height);
	}

	/** Draws now. */
	paint() {
		const width = this.el.clientWidth || this.width;

		if (!width)
			return;
		const height = this.heightFor(width);
		const ratio = devicePixelRatio || 1;

		this.stale = false;
		this.was = this.options.shows?.();
		this.width = width;
		this.height = height;
		this.#size(width, height, ratio);
		const context = this.canvas.getContext('2d');
		context.setTransform(this.canvas.width / width, 0, 0, ratio, 0, 0);
		this.options.draw(new CanvasSurface(context, ratio), width, height);
	}

	/** Setting a canvas' size allocates memory, even for the same size, so only for a new one; each picture begins with its paper. */
	#size(width, height, ratio) {
		const [w, h2] = [Math.round(width * ratio), Math.round(height * ratio)];

		if (this.canvas.width !== w || this.canvas.height !== h2) {
			this.canvas.width = w;
			this.canvas.height = h2;
		}
		this.canvas.style.height = `${height}px`;
	}

	/** The time at the window's x, or null if the picture has none there. */
	timeAt(clientX) {
		const { left, right } = this.canvas.getBoundingClientRect();

		return !this.time || clientX < left + this.time.left - 4 || clientX > right - this.time.right + 4 ? null : this.nearestTime(clientX);
	}

	/** The same, but clamped to the picture's first or last time. */
	nearestTime(clientX) {
		const { left, width } = this.canvas.getBoundingClientRect();
		const [from, to] = this.app.range;
		const [a, b] = [this.time.left, width - this.time.right];

		return from + (Math.min(Math.max(clientX - left, a), b) - a) / (b - a) * (to - from);
	}

	#follow() {
		this.el.addEventListener('pointermove', (e) => {
			this.at = e;
			this.point();
		});
		this.el.addEventListener('pointerleave', () => {
			this.found = this.at = null;
			this.app.pointer = null;
			this.app.card.hide();
		});
		if (!this.time) {
			this.el.addEventListener('click', (e) => this.found?.click?.(e));
		}
	}

	/** Explains the thing under the pointer, if it is in the picture. */
	point() {
		const { at: e } = this;

		if (!e)
			return;
		const { left, top } = this.canvas.getBoundingClientRect();
		const found = this.options.hit?.(e.clientX - left, e.clientY - top) ?? null;

		this.found = found;
		this.app.pointer = this.timeAt(e.clientX);
		this.app.pointerAt = [e.clientX, e.clientY];
		this.canvas.classList.toggle('click', Boolean(found?.click));
		if (found?.lines) {
			const b = found.box;
			const box = b && { top: top + b.y, bottom: top + b.y + b.h };

			this.app.card.show(found.lines, e.clientX, e.clientY, box);
		} else {
			this.app.card.hide();
		}
	}

	/** The keyboard's pointer: an arrow key moves to the next different thing in that direction. */
	#followKeys() {
		this.canvas.addEventListener('keydown', (e) => {
			if (e.ctrlKey || e.metaKey || e.altKey)
				return;
			if (WAYS[e.key])
				this.#go(WAYS[e.key]);
			else if (e.key === 'Enter' && !this.spot.hidden)
				this.#at(this.keyed.x, this.keyed.y)?.click?.(e);
			else
				return;
			e.preventDefault();
		});
		this.canvas.addEventListener('blur', () => {
			this.spot.hidden = true;
			this.app.card.hide();
		});
	}

	#at(x, y) {
		return this.options.hit(x, y) ?? null;
	}

	#go([dx, dy]) {
		const said = (found) => (found?.lines ? found.lines.join('\n') : '');
		const inside = () => x >= 0 && y >= 0 && x < this.width && y < this.height;
		let { x, y } = this.keyed ?? this.#first();
		let found = this.#at(x, y);
		const was = said(found);

		if (this.keyed && !this.spot.hidden)
			do {
				x += dx;
				y += dy;
				found = this.#at(x, y);
			} while (inside() && (!said(found) || said(found) === was));
		if (!said(found) || !inside())
			return;
		this.keyed = { x, y };
		const { left, top } = this.canvas.getBoundingClientRect();

		this.spot.hidden = false;
		this.spot.style.left = `${x}px`;
		this.spot.style.top = `${y}px`;
		this.app.pointer = this.timeAt(left + x);
		this.app.pointerAt = [left + x, top + y];
		this.app.card.show(found.lines, left + x, top + y, { top: top + y - 6, bottom: top + y + 6 });
	}

	/** The first place with something, after the names of rows if possible. */
	#first() {
		for (let y = 2; y < this.height; y += 4)
			for (let x = (this.time?.left ?? 0) + 1; x < this.width; x += 2)
				if (this.#at(x, y)?.lines)
					return { x, y };
		return { x: 0, y: 0 };
	}

	/** Shows the selection in progress over [x1, x2], of the whole height or over [y1, y2], with a text; null removes it. */
	showBand(x1, x2, text, ys = null) {
		this.band.hidden = x1 === null;
		this.band.style.top = `${ys ? ys[0] : 0}px`;
		this.band.style.bottom = `${ys ? this.height - ys[1] : 0}px`;
		if (x1 === null)
			return;
		this.band.style.left = `${Math.min(x1, x2)}px`;
		this.band.style.width = `${Math.abs(x2 - x1)}px`;
		this.band.textContent = text;
	}

	close() {
		sizes.unobserve(this.el);
		sights.unobserve(this.el);
	}
}
