// SPDX-License-Identifier: GPL-2.0-only
//
// The page's half of the decoder: calls that return promises, answered by worker.js. One worker serves
// all captures. doc/page.md, "The decoder".

import { answerOf } from '../page.js';

function reasonOf(signal) {
	return signal.reason ?? new DOMException('aborted', 'AbortError');
}

export class Decoder {
	#worker = null;
	#next = 1;
	#calls = new Map(); // id -> {resolve, reject, onProgress, release}
	#failed = null;
	#engine;
	#ready = null;

	// workerSource: the text of worker.js, bundled; engine(): a promise of its WebAssembly.
	constructor(workerSource, engine) {
		this.#engine = engine;
		try {
			this.#worker = new Worker(URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' })));
			this.#worker.onmessage = ({ data }) => this.#answer(data);
			this.#worker.onerror = (event) => {
				event.preventDefault();
				this.#fail(new Error(event.message || 'cannot start the decoder'));
			};
			this.#worker.onmessageerror = () => this.#fail(new Error('cannot read the decoder’s answer'));
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

	// The engine's answer, with its arrays.
	async #ask(capture, question, how) {
		return answerOf(await this.#call('ask', { capture: capture.index, question }, how));
	}

	// Passes the engine, once, the cdict and the tasks to the worker.
	async open(capture) {
		this.#ready ??= this.#engine().then((bytes) => this.#call('engine', { bytes }, {}, [bytes.buffer]));
		await this.#ready;
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

	figures(capture, range, { cpus = null, ...how } = {}) {
		return this.#ask(capture, { call: 'figures', range, cpus }, how);
	}

	exits(capture, range, { tasks = null, cpus = null, reasons = null, ...how } = {}) {
		return this.#ask(capture, { call: 'exits', range, tasks, cpus, reasons }, how);
	}

	coremap(capture, range, { tasks = null, cpus = null, ...how } = {}) {
		return this.#ask(capture, { call: 'coremap', range, tasks, cpus }, how);
	}

	tasks(capture, range, { tasks = null, cpus = null, ...how } = {}) {
		return this.#ask(capture, { call: 'tasks', range, tasks, cpus }, how);
	}

	findings(capture, range, { tasks, ...how }) {
		return this.#ask(capture, { call: 'findings', range, tasks }, how);
	}

	story(capture, range, { tasks, ...how }) {
		return this.#ask(capture, { call: 'story', range, tasks }, how);
	}

	vcpus(capture, range, { tasks = null, ...how } = {}) {
		return this.#ask(capture, { call: 'vcpus', range, tasks }, how);
	}

	async histogram(capture, range, { kind, tasks = null, ...how }) {
		return (await this.#ask(capture, { call: 'histogram', range, kinds: [kind], tasks }, how)).bars;
	}

	async bins(capture, range, { columns = 1024, heat = null, tasks = null, cpus = null, reasons = null, ...how } = {}) {
		return (await this.#ask(capture, { call: 'bins', range, columns, kinds: heat, tasks, cpus, reasons }, how)).bins;
	}

	pieces(capture, range, { max = 200000, ...how } = {}) {
		return this.#ask(capture, { call: 'pieces', range, max }, how);
	}

	states(capture, range, { tasks = null, max = 200000, ...how } = {}) {
		return this.#ask(capture, { call: 'states', range, tasks, max }, how);
	}

	marks(capture, range, { tasks = null, max = 200000, ...how } = {}) {
		return this.#ask(capture, { call: 'marks', range, tasks, max }, how);
	}

	// known: the number of events, if known; otherwise they are counted.
	async events(capture, range, { tasks = null, cpus = null, type = null, offset = 0, limit = 200, known = null, ...how } = {}) {
		const question = { call: known === null ? 'events' : 'rows', range, tasks, cpus, type, offset, max: limit };
		const { total = known, rows } = await this.#ask(capture, question, how);
		const comm = ({ task, tid }) => (task === null ? (tid ? `:${tid}` : 'swapper') : capture.tasks[task].comm);
		return { total, rows: rows.map((row) => ({ ...row, comm: comm(row) })) };
	}

	select(capture, { kind, range, lo_ns = 0, hi_ns = Infinity, tasks = null, cpus = null, reasons = null }, { limit = 200, ...how } = {}) {
		const question = { call: 'select', range, kinds: [kind], lo_ns, hi_ns, tasks, cpus, reasons, max: limit };
		return this.#ask(capture, question, how);
	}

	subsecond(capture, range, { kind = null, tasks = null, cpus = null, reasons = null, columns = 128, ...how } = {}) {
		return this.#ask(capture, { call: 'subsecond', range, kinds: [kind], tasks, cpus, reasons, columns }, how);
	}

	flame(capture, range, { by = 'off-cpu', tasks = null, cpus = null, ...how } = {}) {
		return this.#ask(capture, { call: 'flame', range, type: by, tasks, cpus }, how);
	}

	// The thing of @kind (run, wait, off, guest, exit, state) of @task that contains the time @at, and similar ones.
	detail(capture, range, { kind, task, at, ...how }) {
		return this.#ask(capture, { call: 'detail', range, type: kind, tasks: [task], lo_ns: at }, how);
	}

	// type 'vm': also the exits of their vCPUs, and who woke them.
	tracks(capture, range, { tasks, columns = 1024, max = 20000, type = null, ...how }) {
		return this.#ask(capture, { call: 'tracks', range, tasks, columns, max, type }, how);
	}

	// The wake-ups before the wait of @task that contains the time @at.
	chain(capture, range, { task, at, ...how }) {
		return this.#ask(capture, { call: 'chain', range, tasks: [task], lo_ns: at }, how);
	}

	critical(capture, range, { task, ...how }) {
		return this.#ask(capture, { call: 'critical', range, tasks: [task] }, how);
	}

	// The tasks of the joined guest whose vCPUs are @tasks.
	inside(capture, range, { tasks, columns = 1024, max = 20000, ...how }) {
		return this.#ask(capture, { call: 'inside', range, tasks, columns, max }, how);
	}

	queues(capture, range, { columns = 1024, max = 20000, ...how } = {}) {
		return this.#ask(capture, { call: 'queues', range, columns, max }, how);
	}

	checksum(capture, how = {}) {
		return this.#ask(capture, { call: 'checksum' }, how);
	}
}
