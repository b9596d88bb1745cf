// SPDX-License-Identifier: GPL-2.0-only
//
// The loss records as sorted intervals: where events are missing. As analyze/holes.c. Times are ns
// since the first event.

import { LOSS } from '../decode/container.js';
import { NO_CPU } from './table.js';

function byFrom(a, b) {
	return a.from - b.from || a.to - b.to;
}

// Each hole's reach: the latest end of it and those before it.
function sorted(holes) {
	let far = -Infinity;
	return holes.map((h) => {
		far = Math.max(far, h.to);
		return { ...h, reach: far };
	});
}

export class Holes {
	// @kinds: bits of the event kinds that count; @infos: by type, of types.js.
	constructor(file, infos, kinds, cpus) {
		const all = [];
		for (const l of file.losses) {
			if (l.what === LOSS.DISORDER || l.from > l.to) continue;
			if (l.type >= 0 && l.type < infos.length && !(kinds & (1 << infos[l.type].kind))) continue;
			all.push({
				cpu: l.cpu < 0 ? NO_CPU : l.cpu,
				from: Number(file.relative(l.from)),
				to: Number(file.relative(l.to)),
			});
		}
		this.all = sorted(all.sort(byFrom));
		this.byCpu = [];
		for (let c = 0; all.length && c < cpus; c++)
			this.byCpu.push(sorted(this.all.filter((h) => h.cpu === c || h.cpu === NO_CPU)));
	}

	of(cpu) {
		return cpu === NO_CPU ? this.all : (this.byCpu[cpu] ?? []);
	}

	// The first time in [from, to] from which on events may be missing on @cpu (NO_CPU: on any), or
	// Infinity.
	find(cpu, from, to) {
		if (!this.all.length) return Infinity;
		const holes = this.of(cpu);
		let lo = 0;
		let hi = holes.length;
		while (lo < hi) {
			const mid = (lo + hi) >> 1;
			if (holes[mid].reach > from) hi = mid;
			else lo = mid + 1;
		}
		if (lo === holes.length || holes[lo].from >= to) return Infinity;
		return Math.max(holes[lo].from, from);
	}

	// Time of [from, to] inside a hole of @cpu (or of any), once.
	ns(cpu, from, to) {
		let done = from;
		let sum = 0;
		for (const h of this.of(cpu)) {
			const a = Math.max(h.from, done);
			const b = Math.min(h.to, to);
			if (b > a) {
				sum += b - a;
				done = b;
			}
		}
		return sum;
	}
}
