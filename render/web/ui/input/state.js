// SPDX-License-Identifier: GPL-2.0-only
// The state of the page, also in the address: one immutable object that is replaced.

const NUMBERS = { start: [], parse: (text) => text.split(',').filter(Boolean).map(Number).filter((n) => Number.isInteger(n) && n >= 0) };
const TEXTS = { start: [], parse: (text) => text.split(',').filter(Boolean).map(decodeURIComponent), each: encodeURIComponent };
const MARKS = { start: [], parse: parseMarks, each: ({ at, name }) => (name ? `${at}:${encodeURIComponent(name)}` : String(at)) };
const TEXT = { start: '', single: true, parse: decodeURIComponent };

// Part of the state -> its start value, and its form in the fragment when it differs from that.
/** @type {Object<string, any>} */
const PARTS = {
	view: { ...TEXT, start: 'vcpus' },
	range: { parse: parseRange, start: null },
	tasks: NUMBERS,
	vms: TEXTS,
	groups: TEXTS,
	cpus: NUMBERS,
	reasons: TEXTS,
	states: TEXTS,
	search: TEXT,
	theme: TEXT,
	capture: { single: true, parse: (text) => Number(text) || 0, start: 0 },
	by: { ...TEXT, start: 'time' }, // exits: by count or by time
	per: { ...TEXT, start: 'task' }, // exits: a bar per task or per VM
	map: { ...TEXT, start: 'run' }, // core map: run time or switches
	heat: { ...TEXTS, start: ['run', 'wakeup'] }, // switches: which intervals
	flame: { ...TEXT, start: 'off-cpu' }, // flame graph: which one
	open: NUMBERS, // vCPU rows that are open
	compare: { ...TEXT, start: 'vcpu' },
	marks: MARKS, // {at, name}: times, and names or ''
	area: NUMBERS, // from, to; of a heat map also: shortest, longest, place in KINDS (marks/heat.js)
	strip: { ...TEXT, start: 'cpus' }, // overview: cpus, or waiting vms
	wait: NUMBERS, // the open one: from, to, task that waited, task that had the CPU, the CPU, for how long of it
	matrix: { ...TEXT, start: 'delays' }, // of VMs: who delayed whom, or who ran on the other thread
	clock: { ...TEXT, start: 'clock' }, // for times: since the start, the recording's clock (as the commands), the wall clock
	look: NUMBERS, // the open thing: kind (details.js), task, a time in it
	inside: NUMBERS, // the wait of a guest's task that is explained: its tid, a time in it
	critical: { ...TEXT, start: '' }, // 'on': with the critical path of that task
	pins: NUMBERS, // tasks that are lanes under the strip
	fold: { ...TEXT, start: 'auto' }, // many tasks as few rows: auto, groups or tasks
	unfold: TEXTS, // the open ones of those
	queues: { ...TEXT, start: '' }, // cores: 'on': with run queues
	paint: { ...TEXT, start: 'auto' }, // cores: a colour per task, group or state; auto: per group if there are many tasks
};

/** @type {any} */
export const START = Object.freeze(Object.fromEntries(Object.entries(PARTS).map(([key, { start }]) => [key, start])));

function parseRange(text) {
	const [from, to] = text.split(',').map(Number);

	return Number.isFinite(from) && Number.isFinite(to) && to > from && from >= 0 ? [from, to] : null;
}

function parseMarks(text) {
	const marks = text.split(',').filter(Boolean).map((part) => {
		const [at, name = ''] = part.split(':');

		return { at: Number(at), name: decodeURIComponent(name) };
	});

	return marks.filter(({ at }) => Number.isInteger(at) && at >= 0);
}

function same(a, b) {
	return JSON.stringify(a) === JSON.stringify(b);
}

/** The state as a fragment without '#'. */
export function toFragment(state, start) {
	const parts = [];

	for (const [key, how] of Object.entries(PARTS)) {
		const value = state[key];

		if (same(value, start[key]))
			continue;
		const text = Array.isArray(value) ? value.map(how.each ?? String).join(',') : encodeURIComponent(value ?? '');
		parts.push(`${key}=${text}`);
	}
	return parts.join('&');
}

/** A fragment's state; invalid parts have their start values. */
export function fromFragment(fragment, start) {
	const state = { ...start };

	for (const part of fragment.replace(/^#/, '').split('&')) {
		const [name, text] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)];
		const key = name === 'vm' ? 'vms' : name; // as one writes it by hand

		if (!Object.hasOwn(PARTS, key))
			continue;
		try {
			state[key] = PARTS[key].parse(PARTS[key].single || PARTS[key].each ? text : decodeURIComponent(text));
		} catch {
			state[key] = start[key];
		}
	}
	return state;
}

const GESTURE_MS = 700;

/** The state of the page: in the address, with back and forward. */
export class Store {
	#listener;
	#last = 0;

	constructor(start, limit, listener) {
		this.start = start;
		this.limit = limit; // (state) => a state that fits the page
		this.#listener = listener;
		this.state = limit(fromFragment(location.hash, start));
		addEventListener('hashchange', () => this.#reread());
		addEventListener('popstate', () => this.#reread());
	}

	#reread() {
		const next = this.limit(fromFragment(location.hash, this.start));

		if (!same(next, this.state)) {
			const before = this.state;

			this.state = next;
			this.#last = 0;
			this.#listener(next, before);
		}
	}

	/**
	 * Replaces parts of the state. With {gesture: 'zoom'} (the wheel, a key held down) the steps of one gesture are a
	 * single entry of the history. With {made: 'area'}, so are areas that follow each other.
	 */
	set(part, { gesture = null, made = null } = {}) {
		const next = this.limit({ ...this.state, ...part });
		const before = this.state;

		if (same(next, before))
			return;
		const now = performance.now();
		const goesOn = gesture ? gesture === this.gesture && now - this.#last < GESTURE_MS : made && history.state?.made === made;

		this.#last = gesture ? now : 0;
		this.gesture = gesture;
		this.state = next;
		this.#write(goesOn, made);
		this.#listener(next, before, gesture);
	}

	/** Takes back what the current entry of the history made; if another one made it, the current one is changed to @part. */
	takeBack(made, part) {
		if (history.state?.made === made) {
			history.back();
			return;
		}
		const before = this.state;

		this.state = this.limit({ ...before, ...part });
		this.#last = 0;
		this.#write(true, null);
		this.#listener(this.state, before);
	}

	#write(instead, made) {
		const fragment = `#${toFragment(this.state, this.start)}`;

		try {
			history[instead ? 'replaceState' : 'pushState']({ made }, '', fragment);
		} catch {
			// browsers limit the rate: then the address is one step behind
		}
	}
}
