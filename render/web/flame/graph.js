// SPDX-License-Identifier: GPL-2.0-only
// Zoom and search in an existing flame graph in SVG. Each g.f is a frame: data-s, its start, and data-t, its total, in
// the values of the stacks; data-d, its depth; data-n, its name if the text is cut. Names are only ever read as text
// and written as text.

/** @type {[string, number][]} */
const SIZES = [['ijl', 3.5], ['.,:;|/-_ ', 6.1], ['[](){}frt', 5], ['mwMW@%&#', 12], ['ABCDEFGHIJKLNOPQRSTUVXYZ', 9.4]];
const LEAST = 20; // pixels: a text in less tells nothing about a name
const ENDS = [0.25, 0.5, 0.75, 1, 0]; // parts of the room for a name's end, in order of preference; as in render/views/flame.c

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

		const taken = new Map();

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
			f.text.textContent = fit(f.name, w - 8, taken);
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

/** The width of a letter in pixels: on the wide side for the usual fonts. */
function wide(letter) {
	return letter > '~' ? 12 : SIZES.find(([letters]) => letters.includes(letter))?.[1] ?? 7.7;
}

/** As much of @name as fits into @room pixels; '' where a text would be another name's: taken has the name of each text. */
function fit(name, room, taken) {
	const letters = [...name], sizes = letters.map(wide);
	const upTo = (most, list) => {
		let n = 0;

		for (let used = 0; n < list.length && (used += list[n]) <= most;)
			n++;
		return n;
	};
	const whole = upTo(room, sizes) === letters.length, left = room - wide('…');
	const forms = whole ? [name] : left < LEAST ? [] : ENDS.map((part) => {
		const end = upTo(left * part, [...sizes].reverse()), used = sizes.slice(letters.length - end).reduce((sum, size) => sum + size, 0);

		return `${letters.slice(0, upTo(left - used, sizes)).join('')}…${letters.slice(letters.length - end).join('')}`;
	});
	const text = forms.find((form) => (taken.get(form) ?? name) === name) ?? '';

	taken.set(text, name);
	return text;
}
