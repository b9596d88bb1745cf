// SPDX-License-Identifier: GPL-2.0-only
//
// The page's half of the decoder: calls that give promises, answered by worker.js. One worker serves
// all captures. doc/page.md, "The decoder".

function reasonOf(signal) {
	return signal.reason ?? new DOMException('aborted', 'AbortError');
}

export class Decoder {
	#worker = null;
	#url = null;
	#next = 1;
	#calls = new Map(); // id -> {resolve, reject, onProgress, release}
	#failed = null;

	// workerSource: the text of worker.js, bundled.
	constructor(workerSource) {
		try {
			this.#url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
			this.#worker = new Worker(this.#url);
			this.#worker.onmessage = ({ data }) => this.#answer(data);
			this.#worker.onerror = (event) => {
				event.preventDefault();
				this.#fail(new Error(event.message || 'the decoder cannot be started'));
			};
			this.#worker.onmessageerror = () => this.#fail(new Error('an answer cannot be read'));
		} catch (error) {
			this.#fail(error);
		}
	}

	#fail(error) {
		this.#failed = error;
		for (const call of this.#calls.values()) {
			call.release();
			call.reject(error);
		}
		this.#calls.clear();
	}

	#answer({ id, result, error, progress }) {
		const call = this.#calls.get(id);
		if (!call) return;
		if (progress !== undefined) {
			call.onProgress?.(progress);
			return;
		}
		this.#calls.delete(id);
		call.release();
		if (error !== undefined) call.reject(new Error(error));
		else call.resolve(result);
	}

	#call(call, args, { signal = null, onProgress = null } = {}, transfer = []) {
		if (this.#failed) return Promise.reject(this.#failed);
		if (signal?.aborted) return Promise.reject(reasonOf(signal));
		return new Promise((resolve, reject) => {
			const id = this.#next++;
			const abort = () => {
				this.#calls.delete(id);
				this.#worker.postMessage({ id, cancel: true });
				reject(reasonOf(signal));
			};
			const release = () => signal?.removeEventListener('abort', abort);
			signal?.addEventListener('abort', abort, { once: true });
			this.#calls.set(id, { resolve, reject, onProgress, release });
			try {
				this.#worker.postMessage({ id, call, args }, transfer);
			} catch (error) {
				this.#calls.delete(id);
				release();
				reject(error);
			}
		});
	}

	// Hands over the cdict and the tasks.
	async open(capture) {
		const bytes = await capture.bytesOf();
		const { task, tid, vm } = capture.filter ?? {};
		const args = {
			capture: capture.index,
			bytes,
			tasks: capture.tasks,
			filtered: Boolean(task || tid?.length || vm),
		};
		return this.#call('open', args, {}, [bytes.buffer]);
	}

	figures(capture, range, { columns = 1024, cpus = null, ...how } = {}) {
		const args = { capture: capture.index, range, columns, cpus: cpus ? new Set(cpus) : undefined };
		return this.#call('figures', args, how);
	}

	bins(capture, range, { columns = 1024, heat, tasks = null, ...how } = {}) {
		return this.#call('bins', { capture: capture.index, range, columns, heat, tasks }, how);
	}

	pieces(capture, range, { max = 200000, ...how } = {}) {
		return this.#call('pieces', { capture: capture.index, range, max }, how);
	}

	states(capture, range, { tasks = null, max = 200000, ...how } = {}) {
		return this.#call('states', { capture: capture.index, range, tasks, max }, how);
	}

	marks(capture, range, { tasks = null, max = 200000, ...how } = {}) {
		return this.#call('marks', { capture: capture.index, range, tasks, max }, how);
	}

	events(capture, range, { tasks = null, cpus = null, types = null, offset = 0, limit = 200, ...how } = {}) {
		const args = { capture: capture.index, range, tasks, cpus, types, offset, limit };
		return this.#call('events', args, how);
	}

	select(capture, what, { limit = 200, ...how } = {}) {
		return this.#call('select', { capture: capture.index, what, limit }, how);
	}

	subsecond(capture, range, { kind, tasks = null, columns = 128, ...how } = {}) {
		return this.#call('subsecond', { capture: capture.index, range, kind, tasks, columns }, how);
	}

	checksum(capture, how = {}) {
		return this.#call('checksum', { capture: capture.index }, how);
	}

	close() {
		this.#fail(new Error('the decoder was closed'));
		this.#worker?.terminate();
		if (this.#url) URL.revokeObjectURL(this.#url);
	}
}
