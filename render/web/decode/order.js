// SPDX-License-Identifier: GPL-2.0-only
//
// The walk over all CPUs in order of time (doc/cdict.5, "Order of events"), block by block: only
// those that the time asked for touches are decoded, and kept for the next walk.

import { openBlock } from './block.js';
import { Damage } from './bytes.js';
import { decodeBlock } from './events.js';

// Decoded blocks, the least used ones leave when there are too many bytes of them.
export class BlockCache {
	constructor(most = 256 * 2 ** 20) {
		this.most = most;
		this.bytes = 0;
		this.batches = new Map();
	}
	get(key) {
		const batch = this.batches.get(key);
		if (batch) {
			this.batches.delete(key);
			this.batches.set(key, batch);
		}
		return batch;
	}
	put(key, batch) {
		this.bytes += batch.bytes;
		this.batches.set(key, batch);
		for (const [old, b] of this.batches) {
			if (this.bytes <= this.most || old === key) break;
			this.batches.delete(old);
			this.bytes -= b.bytes;
		}
	}
	clear() {
		this.batches.clear();
		this.bytes = 0;
	}
}

// Which fields of a type are decoded; the name is the cache's.
export class Want {
	constructor(name, fields) {
		this.name = name;
		this.fields = fields;
	}
}

export const ALL_FIELDS = new Want('all', () => null);

// A decoded block, or null when nothing of it can be read: the damage is then noted.
export async function loadBlock(file, b, want, cache) {
	const key = `${want.name} ${b.number}`;
	let batch = cache?.get(key);
	if (!batch) {
		try {
			const block = await openBlock(file.payload(b), file.schema, file.inflate);
			batch = decodeBlock(block, file.schema, file.first, want.fields);
			batch.block = b;
		} catch (e) {
			if (!(e instanceof Damage)) throw e;
			file.bad(b, e.message);
			return null;
		}
		cache?.put(key, batch);
	}
	if (batch.damage !== null) file.bad(b, batch.damage);
	return batch;
}

// One CPU's blocks that follow each other in time, and the event where the walk stands.
class Chain {
	constructor(number, cpu) {
		this.number = number;
		this.cpu = cpu < 0 ? Infinity : cpu;
		this.id = cpu;
		this.blocks = [];
		this.nextBlock = 0;
		this.last = 0; // of the last block, while chains are built
		this.batch = null; // null: stands at a block that is not read yet
		this.t = 0;
		this.pass = 0;
		this.i = 0;
		this.ranks = null; // per type, the number of its next event
	}
}

// Ties: the pass of the recorder, then the CPU: within a pass it reads its rings in that order. A
// block that is not read yet comes before any event of its time.
function before(a, b) {
	if (a.t !== b.t) return a.t < b.t;
	if ((a.batch === null) !== (b.batch === null)) return a.batch === null;
	if (a.pass !== b.pass) return a.pass < b.pass;
	return a.cpu !== b.cpu ? a.cpu < b.cpu : a.number < b.number;
}

function sink(heap) {
	const c = heap[0];
	let i = 0;
	for (;;) {
		let child = 2 * i + 1;
		if (child >= heap.length) break;
		if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
		if (!before(heap[child], c)) break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = c;
}

function rise(heap, c) {
	let i = heap.length;
	heap.push(c);
	for (; i && before(c, heap[(i - 1) >> 1]); i = (i - 1) >> 1) heap[i] = heap[(i - 1) >> 1];
	heap[i] = c;
}

// The first event at or after @from.
function firstAt(batch, from) {
	let lo = 0;
	let hi = batch.n;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (batch.t[mid] < from) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

// A walk over the events in [from, to], ns since the first event, ends included.
export class Walk {
	// options: {from, to, cpus: Set, want, cache}
	constructor(file, options = {}) {
		this.file = file;
		this.from = options.from ?? -Infinity;
		this.to = options.to ?? Infinity;
		this.want = options.want ?? ALL_FIELDS;
		this.cache = options.cache ?? null;
		this.heap = [];
		this.blocks = 0; // to be read
		this.blocksDone = 0;
		this.build(options.cpus ?? null);
	}

	build(cpus) {
		const chains = [];
		for (const b of this.file.blocks) {
			const first = this.file.relative(b.first);
			const last = this.file.relative(b.last);
			if (last < this.from || first > this.to || (cpus && !cpus.has(b.cpu))) continue;
			let chain = chains.find((c) => c.id === b.cpu && c.last <= first);
			if (!chain) {
				chain = new Chain(chains.length, b.cpu);
				chains.push(chain);
			}
			chain.blocks.push(b);
			chain.last = last;
			this.blocks++;
		}
		for (const c of chains) if (this.nextBlock(c)) rise(this.heap, c);
	}

	// Stands @c at its next block; false when there is none.
	nextBlock(c) {
		c.batch = null;
		if (c.nextBlock === c.blocks.length) return false;
		c.t = this.file.relative(c.blocks[c.nextBlock].first);
		return true;
	}

	// Stands @c at event @i of its batch, or at its next block; false at its end.
	stand(c, i) {
		const { batch } = c;
		if (i >= batch.n) return this.nextBlock(c);
		c.i = i;
		c.t = batch.t[i];
		if (batch.pass !== null) c.pass = batch.pass[i];
		return c.t <= this.to;
	}

	async load(c) {
		const b = c.blocks[c.nextBlock++];
		const batch = await loadBlock(this.file, b, this.want, this.cache);
		this.blocksDone++;
		if (batch === null || batch.n === 0) return this.nextBlock(c);
		c.batch = batch;
		c.pass = batch.passes;
		const i = firstAt(batch, this.from);
		c.ranks = new Int32Array(batch.types.length);
		for (let j = 0; j < i; j++) c.ranks[batch.kind[j]]++;
		return this.stand(c, i);
	}

	// Gives every event to visit(batch, i, k, row): number i in the batch, of its type k, whose
	// row-th it is. Until it returns false, or all are done: then the promise is of true.
	async run(visit, onBlock = null) {
		const { heap } = this;
		while (heap.length) {
			const c = heap[0];
			if (c.batch === null) {
				if (!(await this.load(c))) this.drop();
				else sink(heap);
				if (onBlock) await onBlock(this.blocksDone / this.blocks);
				continue;
			}
			if (!this.burst(c, visit)) return false;
		}
		return true;
	}

	drop() {
		const last = this.heap.pop();
		if (!this.heap.length) return;
		this.heap[0] = last;
		sink(this.heap);
	}

	// Events of the first chain while it stays the first.
	burst(c, visit) {
		const { heap, to } = this;
		const { batch, ranks } = c;
		const { t, kind, n, pass } = batch;
		let limit = Infinity; // below it no other chain is before
		if (heap.length > 1) limit = heap[1].t;
		if (heap.length > 2 && heap[2].t < limit) limit = heap[2].t;
		let { i } = c;
		do {
			const k = kind[i];
			if (visit(batch, i, k, ranks[k]++) === false) return false;
			i++;
		} while (i < n && t[i] < limit && t[i] <= to);
		if (i < n) {
			c.i = i;
			c.t = t[i];
			if (pass !== null) c.pass = pass[i];
			if (c.t > to) this.drop();
			else sink(heap);
		} else if (this.nextBlock(c)) {
			sink(heap);
		} else {
			this.drop();
		}
		return true;
	}
}
