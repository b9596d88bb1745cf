// SPDX-License-Identifier: GPL-2.0-only
//
// The worker's entry: answers client.js, one call after another. Messages: {id, call, args},
// {id, cancel: true}; answers {id, result}, {id, error}, {id, progress}. doc/page.md, "The decoder".

import { Engine } from './engine.js';

const YIELD_MS = 30; // the longest wait of other messages
const PROGRESS_MS = 100;

class Cancelled extends Error { }

// Lets messages in; unlike timers it is not throttled.
const channel = new MessageChannel();
let woken = null;
channel.port1.onmessage = () => woken();
function breathe() {
	return new Promise((resolve) => {
		woken = resolve;
		channel.port2.postMessage(0);
	});
}

class Server {
	constructor(post) {
		this.post = post;
		this.module = null;
		this.engines = new Map(); // by capture: {engine, filtered}
		this.cancelled = new Set();
		this.queue = [];
		this.busy = false;
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
				this.post({ id, result }, Object.values(result).filter((v) => v instanceof ArrayBuffer));
			} catch (e) {
				if (!(e instanceof Cancelled)) this.post({ id, error: String(e?.message ?? e) }, []);
			}
			this.cancelled.delete(id);
		}
		this.busy = false;
	}

	// Called between steps with the share done: lets messages in, reports progress, throws if the call was cancelled.
	watcher(id) {
		let yielded = performance.now();
		let reported = yielded;
		return async (share) => {
			const now = performance.now();
			if (now - yielded < YIELD_MS) return;
			await breathe();
			yielded = performance.now();
			if (this.cancelled.has(id)) throw new Cancelled();
			if (yielded - reported < PROGRESS_MS) return;
			reported = yielded;
			this.post({ id, progress: share }, []);
		};
	}

	async answer(call, args, watch) {
		if (call === 'engine') {
			this.module = await WebAssembly.compile(args.bytes);
			return {};
		}
		if (call === 'open') {
			const engine = Engine.open(this.module, args.bytes, args.tasks);
			this.engines.set(args.capture, { engine, filtered: args.filtered });
			return {};
		}
		const opened = this.engines.get(args.capture);
		if (!opened) throw new Error('this capture was not opened');
		return opened.engine.answer({ ...args.question, filtered: opened.filtered }, watch);
	}
}

const server = new Server((message, transfer) => self.postMessage(message, transfer));
self.onmessage = ({ data }) => server.receive(data);
