// SPDX-License-Identifier: GPL-2.0-only
// Zoom and search in an existing flame graph in SVG. Each g.f is a frame: data-s, its start, and data-t, its total, in
// the values of the stacks; data-d, its depth; data-n, its name if the text is cut. Names are only ever read as text
// and written as text.

const CHAR = 6.6; // width of a character, in the picture's pixels: on the wide side

export class FlameGraph {
	/** @say is called with the text of the frame under the pointer, or ''. */
	constructor(svg, say) {
		this.svg = svg;
		this.sum = Number(svg.dataset.sum);
		this.left = Number(svg.dataset.left);
		this.room = svg.viewBox.baseVal.width - 2 * this.left;
		this.frames = [...svg.querySelectorAll('g.f')].map((g) => {
			const [rect, text] = [g.querySelector('rect'), g.querySelector('text')];

			return { g, rect, text, name: g.dataset.n ?? text.textContent, says: g.querySelector('title').textContent, from: Number(g.dataset.s), total: Number(g.dataset.t), depth: Number(g.dataset.d) };
		});
		this.of = new Map(this.frames.map((frame) => [frame.g, frame]));
		[this.zoomed] = this.frames;
		svg.addEventListener('click', (event) => this.#at(event, (frame) => this.zoom(frame)));
		svg.addEventListener('pointermove', (event) => {
			if (!this.#at(event, (frame) => say(frame.says)))
				say('');
		});
		svg.addEventListener('pointerleave', () => say(''));
	}

	#at(event, what) {
		const frame = this.of.get(event.target.closest?.('g.f'));

		if (frame)
			what(frame);
		return frame;
	}

	/** Zooms to @frame; its callers stay, as wide as the picture. */
	zoom(frame = this.frames[0]) {
		const { left, room } = this;
		const [from, to] = [frame.from, frame.from + frame.total];

		this.zoomed = frame;
		for (const f of this.frames) {
			const below = f.depth < frame.depth && f.from <= from && f.from + f.total >= to;
			const inside = f.depth >= frame.depth && f.from >= from && f.from + f.total <= to && (f.depth > frame.depth || f === frame);
			const x = below ? left : left + (room * (f.from - from)) / (frame.total || 1);
			const w = below || f === frame ? room : (room * f.total) / (frame.total || 1);

			f.g.classList.toggle('below', below);
			f.g.style.display = (below || inside) && w >= 0.1 ? '' : 'none';
			if (!(below || inside))
				continue;
			f.rect.setAttribute('x', x.toFixed(2));
			f.rect.setAttribute('width', w.toFixed(2));
			f.text.setAttribute('x', (x + 4).toFixed(2));
			f.text.textContent = fit(f.name, w - 8);
		}
	}

	/** Marks the frames whose name matches @wish, a pattern or, if it is not a valid one, plain text; returns their share
	 * of the total, or null without a wish. */
	search(wish) {
		let pattern = null;
		let end = -1;
		let found = 0;

		if (wish) {
			try {
				pattern = new RegExp(wish, 'i');
			} catch {
				pattern = { test: (name) => name.toLowerCase().includes(wish.toLowerCase()) };
			}
		}
		for (const f of this.frames) {
			const hit = f.depth > 0 && Boolean(pattern?.test(f.name));

			f.g.classList.toggle('hit', hit);
			// callers come first: frames inside a found one are already counted
			if (hit && f.from >= end) {
				found += f.total;
				end = f.from + f.total;
			}
		}
		return pattern ? found / (this.sum || 1) : null;
	}
}

/** As much of @name as fits into @room pixels. */
function fit(name, room) {
	const most = Math.floor(room / CHAR);
	const letters = [...name];

	return letters.length <= most ? name : most < 2 ? '' : `${letters.slice(0, most - 1).join('')}…`;
}
