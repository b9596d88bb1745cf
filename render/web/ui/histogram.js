// SPDX-License-Identifier: GPL-2.0-only
//
// A mergeable distribution of durations: the bins of analyze/histogram.h, so that percentiles are
// the same. Below 64 one bin a value, above it 64 bins an octave.

const SUB = 64;

// Index of @v's bin; bins are in order of value. @v is a safe integer, not negative.
function binOf(v) {
	if (v < SUB) return v;
	if (v < 4294967296) {
		const e = 31 - Math.clz32(v);
		return (e - 5) * SUB + ((v >>> (e - 6)) & 63);
	}
	const e = 63 - Math.clz32(v / 4294967296);
	return (e - 5) * SUB + (Math.floor(v / 2 ** (e - 6)) & 63);
}

// The value that stands for a bin: its middle.
function middle(bin) {
	const octave = bin >> 6;
	const sub = bin & 63;
	if (!octave) return sub;
	const width = 2 ** (octave - 1);
	return (SUB | sub) * width + Math.floor(width / 2);
}

export class Histogram {
	constructor() {
		this.count = 0;
		this.sum = 0;
		this.min = 0;
		this.max = 0;
		this.maxAt = 0; // the time of the first that was so long
		this.octaves = []; // of SUB counters, null where there is none
	}

	// Counts @v, which happened at @at.
	add(v, at) {
		if (!this.count || v > this.max) {
			this.max = v;
			this.maxAt = at;
		}
		if (!this.count || v < this.min) this.min = v;
		this.count++;
		this.sum += v;
		const bin = binOf(v);
		this.octave(bin >> 6)[bin & 63]++;
	}

	octave(i) {
		while (this.octaves.length <= i) this.octaves.push(null);
		this.octaves[i] ??= new Uint32Array(SUB);
		return this.octaves[i];
	}

	merge(from) {
		if (!from.count) return;
		if (
			!this.count ||
			from.max > this.max ||
			(from.max === this.max && from.maxAt < this.maxAt)
		) {
			this.max = from.max;
			this.maxAt = from.maxAt;
		}
		if (!this.count || from.min < this.min) this.min = from.min;
		this.count += from.count;
		this.sum += from.sum;
		from.octaves.forEach((counts, i) => {
			if (!counts) return;
			const to = this.octave(i);
			for (let k = 0; k < SUB; k++) to[k] += counts[k];
		});
	}

	// [step from the bin before, values in the bin, ...]: all but the exact figures.
	pairs() {
		const out = [];
		let last = 0;
		this.octaves.forEach((counts, o) => {
			for (let k = 0; counts && k < SUB; k++) {
				if (!counts[k]) continue;
				out.push(o * SUB + k - last, counts[k]);
				last = o * SUB + k;
			}
		});
		return out;
	}

	// What pairs() told of, with the exact figures that a table has.
	static of(pairs, { sum, min, max }) {
		const h = new Histogram();
		let bin = 0;
		for (let i = 0; i < pairs.length; i += 2) {
			bin += pairs[i];
			h.octave(bin >> 6)[bin & 63] += pairs[i + 1];
			h.count += pairs[i + 1];
		}
		return Object.assign(h, { sum, min, max });
	}

	get avg() {
		return this.count ? Math.floor(this.sum / this.count) : 0;
	}

	// The smallest value that at least @percent of the values do not exceed.
	percentile(percent) {
		if (!this.count) return 0;
		const want = Math.ceil((this.count * percent) / 100);
		const rank = want < 1 ? 1 : Math.min(want, this.count);
		if (rank === this.count) return this.max;
		if (rank === 1) return this.min;
		let below = 0;
		for (let o = 0; o < this.octaves.length; o++) {
			const counts = this.octaves[o];
			if (!counts) continue;
			for (let k = 0; k < SUB; k++) {
				below += counts[k];
				if (below >= rank)
					return Math.min(Math.max(middle(o * SUB + k), this.min), this.max);
			}
		}
		return this.max;
	}
}
