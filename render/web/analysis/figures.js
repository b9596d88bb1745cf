// SPDX-License-Identifier: GPL-2.0-only
//
// All figures of a range from one walk.

import { Bins } from './bins.js';
import { Coremap } from './coremap.js';
import { Engine } from './engine.js';
import { Exits, reasonsOf } from './exits.js';
import { Latency } from './latency.js';
import { Mapping } from './names.js';
import { Switches } from './switches.js';
import { coremapTable, cpusTable, latencyTable, switchesTable, tasksTable } from './tables.js';
import {
	antagonistsTable,
	exitsTable,
	exitTimesTable,
	guestTable,
	vcpuReasonsTable,
	vcpuTable,
} from './tables_vm.js';
import { Tasks } from './tasks.js';
import { Types } from './types.js';
import { Unknown } from './unknown.js';
import { Vcpus } from './vcpu.js';

// NUMA node per CPU from the info key topology.numa ("0:0-3;1:4-7"), -1 where unknown, or null.
export function nodesOf(file) {
	const text = file.info.get('topology.numa');
	if (text === undefined || !file.cpus) return null;
	const nodes = new Array(file.cpus).fill(-1);
	for (const part of text.split(';')) {
		const m = /^(\d+):(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)/.exec(part);
		if (!m || Number(m[1]) > 2 ** 20) break;
		for (const range of m[2].split(',')) {
			const [from, to = from] = range.split('-').map(Number);
			for (let cpu = from; cpu <= to && cpu < file.cpus; cpu++) nodes[cpu] = Number(m[1]);
		}
		if (m[0].length !== part.length) break;
	}
	return nodes;
}

// What the page asks of one open file again and again.
export class Capture {
	// tasks: capture.tasks of the page, null: those of each walk. filtered: by -t, --tid or --vm.
	constructor(file, { tasks = null, filtered = false, cache = null } = {}) {
		this.file = file;
		this.tasks = tasks;
		this.filtered = filtered;
		this.cache = cache;
		this.types = new Types(file);
		this.nodes = nodesOf(file);
	}

	engine(range, options = {}) {
		return new Engine(this.file, this.types, {
			from: range ? range[0] : undefined,
			to: range ? range[1] : undefined,
			cache: this.cache,
			...options,
		});
	}

	mapping(eng) {
		return new Mapping(eng, this.tasks);
	}

	// {tables, bins, events, unknown_ns} of a range, [from, to] in ns since the first event, or null:
	// the whole capture. options: {columns, cpus: Set, switches: true for that table too, bins: false
	// for none, onBlock}.
	async figures(range, options = {}) {
		const eng = this.engine(range, { cpus: options.cpus });
		const map = this.mapping(eng);
		const reasons = reasonsOf(eng);
		const unknown = eng.add(new Unknown(eng));
		const tasks = eng.add(new Tasks(eng, this.nodes));
		const exits = eng.add(new Exits(eng, reasons));
		const bins =
			options.bins === false
				? null
				: new Bins(eng, reasons, { columns: options.columns, map, filtered: this.filtered });
		const vcpus = eng.add(
			new Vcpus(eng, reasons, {
				onState: bins ? (w, state, reason, from, to) => bins.state(w.task, state, from, to) : null,
			}),
		);
		const latency = eng.add(new Latency(eng, tasks));
		const coremap = eng.add(new Coremap(eng));
		const switches = options.switches ? eng.add(new Switches(eng)) : null;
		await eng.walk(options.onBlock ?? null);
		const tables = {
			tasks: tasksTable(eng, tasks, unknown, map),
			exits: exitsTable(exits, unknown, map),
			exit_times: exitTimesTable(exits, map),
			guest: guestTable(eng, exits, unknown, map),
			vcpu: vcpuTable(eng, vcpus, unknown, map),
			vcpu_reasons: vcpuReasonsTable(eng, vcpus, unknown, map),
			antagonists: antagonistsTable(vcpus, unknown, map),
			latency: latencyTable(latency, unknown, map),
			coremap: coremapTable(eng, coremap, unknown, map),
			cpus: cpusTable(eng, coremap, this.nodes),
		};
		if (switches) tables.switches = switchesTable(eng, switches);
		const rows = vcpus.rows.filter((w) => map.wanted(w.task)).map((w) => w.task);
		return {
			tables,
			bins: bins ? bins.result(rows) : null,
			events: eng.events,
			unknown_ns: eng.unknown,
			tasks: map.tasks,
		};
	}
}
