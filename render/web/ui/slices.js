// SPDX-License-Identifier: GPL-2.0-only
// Long work on the document in slices, so that a zoom step never waits for it: a row of figures takes the browser
// about a quarter of a millisecond, most of it in layout.

export const GESTURE_MS = 120; // steps of a gesture follow each other faster than this
const BETWEEN_MS = 16;

const running = new Set();
let lastStep = -Infinity;

/** Work whose visible part is done at once, the rest bit by bit; new work replaces the rest of the old. */
export class Slices {
	#steps = null; // iterator
	#timer = 0;

	/** busy(+1 | -1): called when work remains, and when none does. */
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

	// Between two slices the browser handles user input.
	#next() {
		const wait = GESTURE_MS - (performance.now() - lastStep);

		if (wait <= 0 && this.#steps.next().done)
			this.drop();
		else
			this.#timer = setTimeout(() => this.#next(), Math.max(wait, BETWEEN_MS));
	}

	/** Does the rest now. */
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
 * Replaces the rows of a body: those down to the end of the window at once, the rest in slices.
 * make(i) returns the elements of row i; least: minimum height of a row in pixels; each: rows per slice; tail: elements after all rows.
 */
export function fillRows(slices, body, count, make, { least, each = 40, tail = [] }) {
	const rows = (from, to) => Array.from({ length: to - from }, (_, i) => make(from + i)).flat();
	const { top } = (body.isConnected ? body : document.body).getBoundingClientRect();
	const box = body.closest('section') ?? body;
	const first = Math.max(0, Math.min(count, Math.ceil((innerHeight - top) / least) + 4)); // it may begin below the window

	// Things below do not move while rows are missing.
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

/** Called at a step of a gesture: no work is done until there is no step for GESTURE_MS. */
export function holdSlices() {
	lastStep = performance.now();
}

export function inGesture() {
	return performance.now() - lastStep < GESTURE_MS;
}

/** Finishes all work: the page is being printed. */
export function finishSlices() {
	for (const slices of [...running])
		slices.finish();
}
