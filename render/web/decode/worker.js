// SPDX-License-Identifier: GPL-2.0-only
//
// The worker's entry: answers client.js, one call after another. Messages: {id, call, args},
// {id, cancel: true}; answers {id, result}, {id, error}, {id, progress}. doc/page.md, "The decoder".

import { Bins } from '../analysis/bins.js';
import { Capture } from '../analysis/figures.js';
import { reasonsOf } from '../analysis/exits.js';
import { marks, pieces, select, states, subsecond } from '../analysis/lists.js';
import { events } from '../analysis/rows.js';
import { openCdict } from './container.js';
import { checksum } from './lines.js';
import { BlockCache } from './order.js';

const YIELD_MS = 30; // how long others wait at most, when blocks are short
const PROGRESS_MS = 100;
const WARM_UPS = 4;
const WARM_NS = 1e6;

class Cancelled extends Error {}

// Lets messages in; unlike timers it is not slowed down.
const channel = new MessageChannel();
let woken = null;
channel.port1.onmessage = () => woken();
function breathe() {
	return new Promise((resolve) => {
		woken = resolve;
		channel.port2.postMessage(0);
	});
}

// The buffers of a result's typed arrays, that they be moved and not copied.
function buffersOf(value, found = new Set()) {
	if (ArrayBuffer.isView(value)) found.add(value.buffer);
	else if (Array.isArray(value)) {
		// Rows of numbers and texts hold none.
		if (value.length && typeof value[0] === 'object') for (const v of value) buffersOf(v, found);
	} else if (value && typeof value === 'object')
		for (const v of Object.values(value)) buffersOf(v, found);
	return found;
}

class Server {
	constructor(post) {
		this.post = post;
		this.captures = new Map();
		this.cache = new BlockCache();
		this.cancelled = new Set();
		this.queue = [];
		this.busy = false;
		this.cold = []; // captures that were opened just now
	}

	receive({ id, call, args, cancel }) {
		if (cancel) {
			this.cancelled.add(id);
			return;
		}
		this.queue.push({ id, call, args });
		if (!this.busy) this.serve();
	}

	async serve() {
		this.busy = true;
		while (this.queue.length) {
			const { id, call, args } = this.queue.shift();
			try {
				await breathe();
				if (this.cancelled.has(id)) throw new Cancelled();
				const result = await this.answer(call, args, this.watcher(id));
				this.post({ id, result }, [...buffersOf(result)]);
			} catch (e) {
				if (!(e instanceof Cancelled)) this.post({ id, error: String(e?.message ?? e) }, []);
			}
			this.cancelled.delete(id);
			if (!this.queue.length) await this.warmUp();
		}
		this.busy = false;
	}

	// The first figures of a range take several times as long as later ones: the engine compiles what
	// it finds busy. So a short range is counted while nobody asks.
	async warmUp() {
		const capture = this.cold.pop();
		if (!capture) return;
		const middle = Math.floor(Number(capture.file.relative(capture.file.last)) / 2);
		const stop = () => {
			if (this.queue.length) throw new Cancelled();
		};
		try {
			for (let i = 0; i < WARM_UPS; i++) {
				await breathe();
				stop();
				await capture.figures([middle, middle + WARM_NS], { onBlock: stop });
			}
		} catch (e) {
			// Damage is told to whoever asks for that range.
			if (!(e instanceof Cancelled)) this.cold.length = 0;
		}
	}

	// Called between blocks with the share done: lets messages in, tells it, ends what was cancelled.
	watcher(id) {
		let yielded = performance.now();
		let told = yielded;
		return async (share) => {
			const now = performance.now();
			if (now - yielded < YIELD_MS) return;
			await breathe();
			yielded = performance.now();
			if (this.cancelled.has(id)) throw new Cancelled();
			if (yielded - told < PROGRESS_MS) return;
			told = yielded;
			this.post({ id, progress: share }, []);
		};
	}

	capture(index) {
		const capture = this.captures.get(index);
		if (!capture) throw new Error('this capture was not opened');
		return capture;
	}

	async open({ capture: index, bytes, tasks, filtered }) {
		const file = await openCdict(bytes);
		// Blocks are kept by file: keys must differ.
		const cache = {
			get: (key) => this.cache.get(`${index} ${key}`),
			put: (key, batch) => this.cache.put(`${index} ${key}`, batch),
		};
		const capture = new Capture(file, { tasks, filtered, cache });
		this.captures.set(index, capture);
		this.cold.push(capture);
		return { events: file.events };
	}

	async bins({ capture: index, range, columns, heat, tasks }, onBlock) {
		const capture = this.capture(index);
		const eng = capture.engine(range);
		const bins = new Bins(eng, reasonsOf(eng), {
			columns,
			heat,
			tasks: tasks ? new Set(tasks) : null,
			map: capture.mapping(eng),
			filtered: capture.filtered,
			rows: false,
		});
		await eng.walk(onBlock);
		return bins.result();
	}

	async answer(call, args, onBlock) {
		if (call === 'open') return this.open(args);
		if (call === 'bins') return this.bins(args, onBlock);
		const capture = this.capture(args.capture);
		const options = { ...args, onBlock };
		switch (call) {
			case 'figures': {
				const { tables, bins, events: count, unknown_ns } = await capture.figures(args.range, options);
				return { tables, bins, events: count, unknown_ns };
			}
			case 'pieces':
				return pieces(capture, args.range, options);
			case 'states':
				return states(capture, args.range, options);
			case 'marks':
				return marks(capture, args.range, options);
			case 'events':
				return events(capture, args.range, options);
			case 'select':
				return select(capture, args.what, options);
			case 'subsecond':
				return subsecond(capture, args.range, options);
			case 'checksum':
				return checksum(capture.file, onBlock);
			default:
				throw new Error(`there is no call ${call}`);
		}
	}
}

const server = new Server((message, transfer) => self.postMessage(message, transfer));
self.onmessage = ({ data }) => server.receive(data);
