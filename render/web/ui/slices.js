// SPDX-License-Identifier: GPL-2.0-only
// Long work on the document in slices, so that a zoom step never waits for it: a row of figures takes the browser
// about a quarter of a millisecond, most of it in layout.

export const GESTURE_MS = 120; // steps of a gesture follow each other faster than this
const BETWEEN_MS = 16;

const running = new Set();
let lastStep = -Infinity;

/** Work of which the visible part is done at once, the rest bit by bit; new work replaces what is left of the old. */
export class Slices {
	#steps = null; // iterator
	#timer = 0;

	/** busy(+1 | -1): there is work left, there is none. */
	constructor(busy) {
		this.busy = busy;
	}

	/** Each next() of @steps does one slice. */
	begin(steps) {
		this.drop();
		this.#steps = steps;
		this.#timer = setTimeout(() => this.#next(), GESTURE_MS);
		running.add(this);
		this.busy(1);
	}

	// The time between two slices lets in whatever the user does.
	#next() {
		const wait = GESTURE_MS - (performance.now() - lastStep);

		if (wait <= 0 && this.#steps.next().done)
			this.drop();
		else
			this.#timer = setTimeout(() => this.#next(), Math.max(wait, BETWEEN_MS));
	}

	/** Does what is left now. */
	finish() {
		while (this.#steps && !this.#steps.next().done)
			;
		this.drop();
	}

	drop() {
		if (!this.#steps)
			return;
		clearTimeout(this.#timer);
		this.#steps = null;
		running.delete(this);
		this.busy(-1);
	}
}

/**
 * Rows of a body, made anew: those down to the end of the window at once, the rest in slices.
 * make(i) gives the elements of row i; least: pixels that a row takes at least; each: rows a slice; tail: elements after them all.
 */
export function fillRows(slices, body, count, make, { least, each = 40, tail = [] }) {
	const rows = (from, to) => Array.from({ length: to - from }, (_, i) => make(from + i)).flat();
	const { top } = (body.isConnected ? body : document.body).getBoundingClientRect();
	const box = body.closest('section') ?? body;
	const first = Math.max(0, Math.min(count, Math.ceil((innerHeight - top) / least) + 4)); // it may begin below the window

	// What is below stays where it is while rows are missing.
	box.style.minHeight = body.childElementCount ? `${box.getBoundingClientRect().height}px` : '';
	body.replaceChildren(...rows(0, first), ...(first < count ? [] : tail));
	slices.begin((function* () {
		for (let i = first; i < count && body.isConnected; i += each) {
			body.append(...rows(i, Math.min(count, i + each)), ...(i + each < count ? [] : tail));
			yield;
		}
		box.style.minHeight = '';
	})());
}

/** A step of a gesture was made: nothing is done until there is none for GESTURE_MS. */
export function holdSlices() {
	lastStep = performance.now();
}

export function inGesture() {
	return performance.now() - lastStep < GESTURE_MS;
}

/** Nothing may be left: the page is being printed. */
export function finishSlices() {
	for (const slices of [...running])
		slices.finish();
}
