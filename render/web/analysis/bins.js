// SPDX-License-Identifier: GPL-2.0-only
//
// What pictures are drawn from: everything counted on columns of time, in the walk of the figures.
// As render/page_bins.c, and doc/page.md, "Bins".

import { codeNumber } from './tables_vm.js';
import { SLICE, SLICE_NAMES, Slices } from './slices.js';
import { NO_TASK, NO_TIME } from './table.js';
import { KIND } from './types.js';

const CELLS_MAX = 2 ** 18;
const VCPU_COLUMNS_MAX = 256;
const SPARK_COLUMNS = 64;
const SPARK_TASKS = 512;
const PER_DECADE = 24;
const ROWS = PER_DECADE * 12;
const NOBODY = 0xffffffff;

// ---- columns of time --------------------------------------------------------------------------

// Column i holds the t with floor((t - from) * n / (to - from)) = i; the last one also t = to.
export class Columns {
	constructor(from, to, n) {
		const span = BigInt(to - from);
		this.from = from;
		this.to = to;
		this.n = n;
		this.now = 0;
		this.edges = new Float64Array(n + 1).fill(Infinity);
		for (let i = 0; i < n; i++)
			if (span || !i)
				this.edges[i] = from + Number((BigInt(i) * span + BigInt(n - 1)) / BigInt(n));
	}
	of(t) {
		const { edges } = this;
		let i = this.now;
		if (t >= edges[i] && t < edges[i + 1]) return i;
		let lo = 0;
		let hi = this.n;
		if (i + 2 <= this.n && t >= edges[i + 1] && t < edges[i + 2]) return (this.now = i + 1);
		while (hi - lo > 1) {
			i = (lo + hi) >> 1;
			if (edges[i] <= t) lo = i;
			else hi = i;
		}
		this.now = lo;
		return lo;
	}
	// Adds the time of [from, to] to sums[at + (i >> shift)] of each column i that it touches.
	spread(sums, at, shift, from, to) {
		let i = this.of(from);
		while (to > this.edges[i + 1]) {
			sums[at + (i >> shift)] += this.edges[i + 1] - from;
			from = this.edges[++i];
		}
		sums[at + (i >> shift)] += to - from;
	}
}

// Numbers below 2^32 as such, others as they are.
function packed(array) {
	return array.some((v) => v > NOBODY) ? array : Uint32Array.from(array);
}

// ---- heat maps --------------------------------------------------------------------------------

// 24 a decade, rounded as render/bins.c has them.
const PARTS = [
	1.0, 1.100694171252209, 1.211527658628589, 1.333521432163324, 1.467799267622069,
	1.615598098439873, 1.778279410038923, 1.957341781490757, 2.154434690031884, 2.371373705661655,
	2.610157215682537, 2.872984833353666, 3.162277660168379, 3.48070058842841, 3.831186849557288,
	4.216965034285822, 4.641588833612779, 5.10896977450692, 5.623413251903491, 6.1896581889126,
	6.812920690579612, 7.498942093324558, 8.254041852680184, 9.085175756516871,
];

// Where rows begin, ns.
export const HEAT_EDGES = Float64Array.from({ length: ROWS + 1 }, (_, row) =>
	Math.floor(PARTS[row % PER_DECADE] * 10 ** Math.floor(row / PER_DECADE) + 0.5),
);

// The row of a duration of at least 1 ns, ROWS when it is beyond them.
export function heatRow(ns) {
	if (ns >= HEAT_EDGES[ROWS]) return ROWS;
	let row = Math.max(0, Math.min(ROWS - 1, Math.floor(Math.log10(ns) * PER_DECADE) - 1));
	while (HEAT_EDGES[row + 1] <= ns) row++;
	while (row > 0 && HEAT_EDGES[row] > ns) row--;
	return row;
}

// Cells beyond which a heat map is kept as an array of all cells.
const SPARSE_MAX = 20000;

class Heat {
	constructor(columns) {
		this.columns = columns;
		this.sparse = new Map(); // cell -> count, while there are few
		this.cells = null;
		this.events = 0;
		this.outside = 0;
		this.unplaced = 0;
		this.shorter = 0;
		this.longer = 0;
	}
	add(start, end) {
		this.events++;
		if (start === NO_TIME) {
			this.unplaced++;
			return;
		}
		if (end < this.columns.from || end > this.columns.to) this.outside++;
		else if (end === start) this.shorter++;
		else {
			const row = heatRow(end - start);
			if (row === ROWS) {
				this.longer++;
				return;
			}
			this.count(row * this.columns.n + this.columns.of(end));
		}
	}
	count(cell) {
		if (this.cells !== null) {
			this.cells[cell]++;
			return;
		}
		const { sparse } = this;
		sparse.set(cell, (sparse.get(cell) ?? 0) + 1);
		if (sparse.size <= SPARSE_MAX) return;
		this.cells = new Uint32Array(this.columns.n * ROWS);
		for (const [i, n] of sparse) this.cells[i] = n;
		sparse.clear();
	}
	// [cells that hold something, ascending; their counts]
	filled() {
		if (this.cells === null) {
			const cell = Uint32Array.from(this.sparse.keys()).sort();
			return [cell, Uint32Array.from(cell, (i) => this.sparse.get(i))];
		}
		const { cells } = this;
		let n = 0;
		for (let i = 0; i < cells.length; i++) if (cells[i]) n++;
		const cell = new Uint32Array(n);
		const count = new Uint32Array(n);
		for (let i = 0, k = 0; i < cells.length; i++) {
			if (!cells[i]) continue;
			cell[k] = i;
			count[k++] = cells[i];
		}
		return [cell, count];
	}
	result() {
		if (!this.events) return null;
		const [cell, count] = this.filled();
		const { events, outside, unplaced, shorter, longer } = this;
		return {
			columns: this.columns.n,
			rows: ROWS,
			per_decade: PER_DECADE,
			lo_ns: 1,
			cell,
			count,
			events,
			outside,
			unplaced,
			shorter,
			longer,
		};
	}
}

// ---- who had the CPU longest ------------------------------------------------------------------

// The column that is being filled of one CPU's row.
class Lane {
	constructor() {
		this.column = -1;
		this.ns = new Map();
		this.best = NO_TASK;
		this.bestNs = 0;
	}
	add(task, ns) {
		const sum = (this.ns.get(task) ?? 0) + ns;
		this.ns.set(task, sum);
		if (sum > this.bestNs || (sum === this.bestNs && task < this.best)) {
			this.bestNs = sum;
			this.best = task;
		}
	}
}

// ---- all --------------------------------------------------------------------------------------

export class Bins {
	// options: {columns, map: Mapping, heat: names of kinds, filtered: heat maps of wanted tasks
	// (IDLE too), else of all but IDLE; tasks: Set of the capture's tasks for heat maps, or null;
	// rows: also what is not a heat map}
	constructor(eng, reasons, options) {
		let n = Math.max(1, options.columns ?? 1024);
		while (n > 64 && n * eng.nCpus > CELLS_MAX) n /= 2;
		this.eng = eng;
		this.reasons = reasons;
		this.map = options.map;
		this.filtered = options.filtered ?? false;
		this.chosen = options.tasks ?? null;
		this.columns = new Columns(eng.from, eng.to, n);
		this.vcpuShift = 0;
		while (n >> this.vcpuShift > VCPU_COLUMNS_MAX) this.vcpuShift++;
		this.sparkShift = 0;
		while (n >> this.sparkShift > SPARK_COLUMNS) this.sparkShift++;
		this.rows = options.rows ?? true;
		const cells = this.rows ? n * eng.nCpus : 0;
		this.busy = new Float64Array(cells);
		this.unknown = new Float64Array(cells);
		this.switches = new Uint32Array(cells);
		this.majority = new Uint32Array(cells).fill(NOBODY);
		this.lanes = Array.from({ length: eng.nCpus }, () => new Lane());
		this.sparks = []; // by task
		this.states = new Map(); // task -> ns by state and column
		this.byReason = new Map(); // reason -> {count, counts, ns}
		this.lastReason = []; // by task
		const heat = options.heat ?? SLICE_NAMES;
		this.heat = SLICE_NAMES.map((name) => (heat.includes(name) ? new Heat(this.columns) : null));
		this.heatOf = []; // by task: whether it is in heat maps
		const slices = this.rows ? [...new Set([...heat, 'run', 'exit', 'piece'])] : heat;
		eng.add(
			new Slices(eng, slices, (kind, task, cpu, start, end) =>
				this.slice(kind, task, cpu, start, end),
			),
		);
		if (this.rows) eng.add(this);
	}

	isHeated(task) {
		const { tid } = this.eng.tasks[task];
		if (this.chosen !== null) return this.chosen.has(this.map.index(task));
		return this.filtered ? this.map.wanted(task) : tid !== 0;
	}

	slice(kind, task, cpu, start, end) {
		if (kind === SLICE.PIECE) {
			this.piece(task, cpu, start, end);
			return;
		}
		if (this.rows) {
			if (kind === SLICE.RUN && cpu < this.lanes.length)
				this.switches[cpu * this.columns.n + this.columns.of(end)]++;
			if (kind === SLICE.EXIT && start !== NO_TIME && this.lastReason[task])
				this.lastReason[task].ns[this.columns.of(end)] += end - start;
		}
		const heat = this.heat[kind];
		if (heat === null) return;
		this.heatOf[task] ??= this.isHeated(task);
		if (this.heatOf[task]) heat.add(start, end);
	}

	piece(task, cpu, start, end) {
		const { columns } = this;
		const row = cpu * columns.n;
		if (task === NO_TASK) {
			columns.spread(this.unknown, row, 0, start, end);
			return;
		}
		if (this.eng.tasks[task].tid) {
			columns.spread(this.busy, row, 0, start, end);
			this.sparks[task] ??= new Float64Array(SPARK_COLUMNS);
			columns.spread(this.sparks[task], 0, this.sparkShift, start, end);
		}
		const lane = this.lanes[cpu];
		for (let i = columns.of(start); start < end; i++) {
			const to = Math.min(end, columns.edges[i + 1]);
			if (lane.column !== i) {
				this.closeLane(lane, row);
				lane.column = i;
			}
			lane.add(task, to - start);
			start = to;
		}
	}

	closeLane(lane, row) {
		if (lane.best !== NO_TASK) this.majority[row + lane.column] = lane.best;
		lane.ns.clear();
		lane.best = NO_TASK;
		lane.bestNs = 0;
	}

	// After the slices' own: an entry's exit slice still finds the reason of its exit.
	kvm(k) {
		if (k.kind !== KIND.KVM_EXIT) return;
		const reason = this.reasons.of(k.isa, k.value, k.how);
		let r = this.byReason.get(reason);
		if (!r) {
			const { n } = this.columns;
			r = { reason, count: 0, counts: new Float64Array(n), ns: new Float64Array(n) };
			this.byReason.set(reason, r);
		}
		this.lastReason[k.task] = r;
		if (!k.in) return;
		r.counts[this.columns.of(k.t)]++;
		r.count++;
	}

	// A vCPU's state over [from, to], which may lie outside the window.
	state(task, state, from, to) {
		from = Math.max(from, this.eng.from);
		to = Math.min(to, this.eng.to);
		if (from >= to) return;
		const n = this.columns.n >> this.vcpuShift;
		let ns = this.states.get(task);
		if (!ns) this.states.set(task, (ns = new Float64Array(8 * n)));
		this.columns.spread(ns, state * n, this.vcpuShift, from, to);
	}

	finish() {
		this.lanes.forEach((lane, cpu) => this.closeLane(lane, cpu * this.columns.n));
		for (let i = 0; i < this.majority.length; i++)
			if (this.majority[i] !== NOBODY)
				this.majority[i] = this.map.index(this.majority[i]) ?? NOBODY;
	}

	heatResult() {
		return Object.fromEntries(SLICE_NAMES.map((name, i) => [name, this.heat[i]?.result() ?? null]));
	}

	// @vcpus: tasks of the walk, in the order of the table of vCPUs.
	result(vcpus = []) {
		const { columns } = this;
		const head = { from: columns.from, to: columns.to, columns: columns.n };
		if (!this.rows) return { ...head, heat: this.heatResult() };
		const vcpuColumns = columns.n >> this.vcpuShift;
		const vcpuNs = new Float64Array(vcpus.length * 8 * vcpuColumns);
		vcpus.forEach((task, i) => {
			const ns = this.states.get(task);
			if (ns) vcpuNs.set(ns, i * 8 * vcpuColumns);
		});
		const sorted = [...this.byReason.values()].sort((a, b) => b.count - a.count);
		const rows = (key) => {
			const all = new Float64Array(sorted.length * columns.n);
			sorted.forEach((r, i) => all.set(r[key], i * columns.n));
			return packed(all);
		};
		return {
			...head,
			busy_ns: packed(this.busy),
			unknown_ns: packed(this.unknown),
			switches: this.switches,
			majority: this.majority,
			vcpus: vcpus.map((t) => this.map.index(t)),
			vcpu_columns: vcpuColumns,
			vcpu_ns: packed(vcpuNs),
			exit_reasons: sorted.map(({ reason }) => ({
				reason: reason.name,
				reason_code: codeNumber(reason.code),
				idle: reason.idle ? 1 : 0,
			})),
			exit_count: rows('counts'),
			exit_ns: rows('ns'),
			...this.sparkResult(),
			heat: this.heatResult(),
		};
	}

	sparkResult() {
		const columns = this.columns.n >> this.sparkShift;
		const ranked = [];
		this.sparks.forEach((row, task) => {
			ranked.push({ task, row, sum: row.reduce((a, b) => a + b, 0) });
		});
		ranked.sort((a, b) => b.sum - a.sum || a.task - b.task);
		ranked.length = Math.min(ranked.length, SPARK_TASKS);
		const ns = new Float64Array(ranked.length * columns);
		ranked.forEach(({ row }, i) => ns.set(row.subarray(0, columns), i * columns));
		return {
			spark_tasks: ranked.map(({ task }) => this.map.index(task)),
			spark_columns: columns,
			spark_ns: packed(ns),
		};
	}
}
