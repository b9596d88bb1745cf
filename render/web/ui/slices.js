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
