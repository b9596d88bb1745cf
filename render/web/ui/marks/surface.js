// SPDX-License-Identifier: GPL-2.0-only
// The surfaces for pictures: a canvas, or SVG text, with the same calls.
//
//   rect(x, y, w, h, colour)   shade(x, y, w, h, colour, part): translucent   hatch(x, y, w, h, colour)   line(x1, y1, x2, y2, colour, width)
//   dot(x, y, r, colour, edge) text(x, y, text, {colour, size, anchor, weight, room, edge})
//   clip(x, y, w, h, body)     measure(text, size, weight)

import { FONT, fit, measure } from '../text.js';

/** Rectangles that come row by row: neighbours of one colour are joined, which is faster on a canvas. */
export class Runs {
	#run = null;

	constructor(s) {
		this.s = s;
	}

	add(x1, y1, x2, y2, colour) {
		const run = this.#run;

		if (run && run.x2 === x1 && run.y1 === y1 && run.y2 === y2 && run.colour === colour) {
			run.x2 = x2;
			return;
		}
		this.end();
		this.#run = { x1, y1, x2, y2, colour };
	}

	end() {
		if (this.#run)
			this.s.rect(this.#run.x1, this.#run.y1, this.#run.x2 - this.#run.x1, this.#run.y2 - this.#run.y1, this.#run.colour);
		this.#run = null;
	}
}

const ANCHORS = { start: 'left', middle: 'center', end: 'right' };

export class CanvasSurface {
	constructor(context, ratio = 1) {
		this.c = context;
		this.ratio = ratio;
		this.hatches = new Map();
	}

	rect(x, y, w, h, colour) {
		this.c.fillStyle = colour;
		this.c.fillRect(x, y, w, h);
	}

	shade(x, y, w, h, colour, part) {
		this.c.save();
		this.c.globalAlpha = part;
		this.rect(x, y, w, h, colour);
		this.c.restore();
	}

	hatch(x, y, w, h, colour) {
		this.c.save();
		this.c.fillStyle = this.#pattern(colour);
		this.c.fillRect(x, y, w, h);
		this.c.restore();
	}

	#pattern(colour) {
		let pattern = this.hatches.get(colour);

		if (!pattern) {
			const tile = document.createElement('canvas');
			const size = Math.round(6 * this.ratio);

			tile.width = tile.height = size;
			const t = tile.getContext('2d');
			t.strokeStyle = colour;
			t.lineWidth = 1.5 * this.ratio;
			t.beginPath();
			for (const d of [-size, 0, size]) {
				t.moveTo(d - 1, size + 1);
				t.lineTo(d + size + 1, -1);
			}
			t.stroke();
			pattern = this.c.createPattern(tile, 'repeat');
			pattern.setTransform(new DOMMatrix().scale(1 / this.ratio));
			this.hatches.set(colour, pattern);
		}
		return pattern;
	}

	line(x1, y1, x2, y2, colour, width = 1) {
		this.c.strokeStyle = colour;
		this.c.lineWidth = width;
		this.c.beginPath();
		this.c.moveTo(x1, y1);
		this.c.lineTo(x2, y2);
		this.c.stroke();
	}

	dot(x, y, r, colour, edge) {
		this.c.beginPath();
		this.c.arc(x, y, r, 0, 2 * Math.PI);
		this.c.fillStyle = colour;
		this.c.fill();
		if (edge) {
			this.c.strokeStyle = edge;
			this.c.lineWidth = 1.5;
			this.c.stroke();
		}
	}

	text(x, y, text, { colour = null, size = 12, anchor = 'start', weight = 400, room = null, edge = null } = {}) {
		this.c.fillStyle = colour;
		this.c.font = `${weight} ${size}px ${FONT}`;
		this.c.textAlign = ANCHORS[anchor];
		this.c.textBaseline = 'middle';
		this.c.direction = 'ltr';
		if (edge) {
			this.c.strokeStyle = edge;
			this.c.lineWidth = 2;
			this.c.strokeText(text, x, y);
		}
		this.c.fillText(room === null ? text : fit(text, room, size, weight), x, y);
	}

	clip(x, y, w, h, body) {
		this.c.save();
		this.c.beginPath();
		this.c.rect(x, y, w, h);
		this.c.clip();
		body();
		this.c.restore();
	}

	measure(text, size, weight) {
		return measure(text, size, weight);
	}
}

const code = (c) => `&#${c.charCodeAt(0)};`;

// XML allows no lone surrogates and no U+FFFE.
function escape(text) {
	return text.toWellFormed?.().replace(/[\ufffe\uffff]/g, '\ufffd').replace(/[&<>"']/g, code) ??
		text.replace(/[\ud800-\udfff\ufffe\uffff]/g, '\ufffd').replace(/[&<>"']/g, code);
}

const r = (v) => String(Math.round(v * 100) / 100);

export class SvgSurface {
	constructor(width, height) {
		this.width = width;
		this.height = height;
		this.out = [];
		this.defs = [];
		this.hatches = new Map();
	}

	rect(x, y, w, h, colour) {
		this.out.push(`<rect x="${r(x)}" y="${r(y)}" width="${r(w)}" height="${r(h)}" fill="${colour}"/>`);
	}

	shade(x, y, w, h, colour, part) {
		this.out.push(`<rect x="${r(x)}" y="${r(y)}" width="${r(w)}" height="${r(h)}" fill="${colour}" fill-opacity="${part}"/>`);
	}

	hatch(x, y, w, h, colour) {
		let id = this.hatches.get(colour);

		if (!id) {
			id = `hatch${this.hatches.size}`;
			this.hatches.set(colour, id);
			this.defs.push(`<pattern id="${id}" width="4.2" height="4.2" patternUnits="userSpaceOnUse" ` +
				`patternTransform="rotate(45)"><rect width="1.5" height="4.2" fill="${colour}"/></pattern>`);
		}
		this.rect(x, y, w, h, `url(#${id})`);
	}

	line(x1, y1, x2, y2, colour, width = 1) {
		this.out.push(`<line x1="${r(x1)}" y1="${r(y1)}" x2="${r(x2)}" y2="${r(y2)}" stroke="${colour}" ` +
			`stroke-width="${width}"/>`);
	}

	dot(x, y, radius, colour, edge) {
		this.out.push(`<circle cx="${r(x)}" cy="${r(y)}" r="${radius}" fill="${colour}"` +
			`${edge ? ` stroke="${edge}" stroke-width="1.5"` : ''}/>`);
	}

	text(x, y, text, { colour = null, size = 12, anchor = 'start', weight = 400, room = null, edge = null } = {}) {
		const shown = room === null ? text : fit(text, room, size, weight);

		this.out.push(`<text x="${r(x)}" y="${r(y)}" dy="0.35em" font-size="${size}" text-anchor="${anchor}" ` +
			`${weight === 400 ? '' : `font-weight="${weight}" `}${edge ? `stroke="${edge}" stroke-width="2" paint-order="stroke" ` : ''}fill="${colour}">${escape(shown)}</text>`);
	}

	clip(x, y, w, h, body) {
		const id = `clip${this.defs.length}`;

		this.defs.push(`<clipPath id="${id}"><rect x="${r(x)}" y="${r(y)}" width="${r(w)}" height="${r(h)}"/></clipPath>`);
		this.out.push(`<g clip-path="url(#${id})">`);
		body();
		this.out.push('</g>');
	}

	measure(text, size, weight) {
		return measure(text, size, weight);
	}

	toString() {
		return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" ` +
			`width="${r(this.width)}" height="${r(this.height)}" viewBox="0 0 ${r(this.width)} ${r(this.height)}" ` +
			`font-family="${escape(FONT)}">\n<defs>${this.defs.join('')}</defs>\n${this.out.join('\n')}\n</svg>\n`;
	}
}
