// SPDX-License-Identifier: GPL-2.0-only
//
// The page's C code (render/engine/engine.h) as a JavaScript object: copies numbers, texts and lists into its
// memory, and answers out of it. An Engine holds one capture. doc/page.md, "The decoder".

const STEP_EVENTS = 50000; // some ms

// The system calls of libc; there is no system, and none of them is called.
function nothing(module) {
	/** @type {WebAssembly.Imports} */
	const imports = {};
	for (const { module: from, name } of WebAssembly.Module.imports(module))
		(imports[from] ??= {})[name] = () => {
			throw new Error(`the engine made an unsupported system call: ${name}`);
		};
	return imports;
}

export class Engine {
	/** @type {any} */
	#wasm;

	// @module: a WebAssembly.Module; @bytes: the cdict; @tasks: capture.tasks of the page.
	static open(module, bytes, tasks) {
		const engine = new Engine();
		/** @type {any} */
		const wasm = new WebAssembly.Instance(module, nothing(module)).exports;
		engine.#wasm = wasm;
		wasm._initialize();
		// The engine borrows the capture: it is never freed.
		engine.#check(wasm.open_capture(engine.#put(bytes, 8), bytes.length));
		for (const task of tasks)
			engine.#check(wasm.task(task.tid, task.idle_cpu ?? -1, task.born_ns ?? NaN, task.wanted, task.vcpu !== null));
		return engine;
	}

	// A promise of {json, arrays}, both ArrayBuffers; watch(share) is awaited between steps, and may throw.
	async answer({ call, range = [0, 0], tasks, cpus, reasons, kinds, type, filtered, columns, lo_ns, hi_ns, offset, max }, watch) {
		const wasm = this.#wasm;
		const texts = [];
		const text = (value) => {
			texts.push(this.#put(new TextEncoder().encode(value), 1));
			return texts.at(-1);
		};
		const list = (numbers) => {
			const values = Uint32Array.from(numbers);
			texts.push(this.#put(new Uint8Array(values.buffer), 4));
			return [texts.at(-1), values.length];
		};
		wasm.question(text(call), range[0], range[1]);
		if (tasks) wasm.of_tasks(...list(tasks));
		if (cpus) wasm.of_cpus(...list(cpus));
		if (filtered) wasm.of_wanted();
		for (const reason of reasons ?? []) wasm.of_reason(text(reason));
		for (const kind of kinds ?? []) if (wasm.of_kind(text(kind)) < 0) throw new Error(`unknown heat map "${kind}"`);
		if (type) wasm.of_type(text(type));
		wasm.from_row(offset ?? 0);
		wasm.of_length(lo_ns ?? 0, Number.isFinite(hi_ns) ? hi_ns : 0);
		wasm.on_columns(columns ?? 0);
		wasm.at_most(max ?? 0);
		const started = wasm.start();
		for (const at of texts) wasm.give(at);
		this.#check(started);
		while (this.#check(wasm.step(STEP_EVENTS))) await watch(wasm.share());
		const copy = (at, size) => wasm.memory.buffer.slice(at, at + size);
		return { json: copy(wasm.json(), wasm.json_size()), arrays: copy(wasm.arrays(), wasm.arrays_size()) };
	}

	// Copies @bytes into the memory, with @more zeros after them; returns the address.
	#put(bytes, more) {
		const at = this.#wasm.room(bytes.length + more);
		if (!at) throw new Error('out of memory');
		const memory = new Uint8Array(this.#wasm.memory.buffer, at, bytes.length + more);
		memory.set(bytes);
		memory.fill(0, bytes.length);
		return at;
	}

	#check(code) {
		if (code >= 0) return code;
		const memory = new Uint8Array(this.#wasm.memory.buffer);
		const at = this.#wasm.error();
		throw new Error(new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at))) || `the engine failed (${code})`);
	}
}
