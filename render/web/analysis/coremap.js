// SPDX-License-Identifier: GPL-2.0-only
//
// Which task ran on which CPU, for how long, how often; as analyze/coremap.c.

import { NO_TASK } from './table.js';

export class Coremap {
	constructor(eng) {
		this.eng = eng;
		this.cells = []; // sorted by finish()
		this.byCpu = Array.from({ length: eng.nCpus }, () => new Map());
		this.cpus = Array.from({ length: eng.nCpus }, () => ({
			busy: 0,
			idle: 0,
			unknown: 0,
			switches: 0,
		}));
		this.last = null;
	}

	cell(task, cpu) {
		// A switch asks for the cell that the piece before it had.
		const { last } = this;
		if (last !== null && last.task === task && last.cpu === cpu) return last;
		let cell = this.byCpu[cpu].get(task);
		if (!cell) {
			cell = { task, cpu, run: 0, edge: 0, switches: 0 };
			this.byCpu[cpu].set(task, cell);
			this.cells.push(cell);
		}
		this.last = cell;
		return cell;
	}

	run(run) {
		const ns = run.to - run.from;
		if (!ns) return;
		const cpu = this.cpus[run.cpu];
		if (run.task === NO_TASK) {
			cpu.unknown += ns;
			return;
		}
		if (this.eng.tasks[run.task].tid) cpu.busy += ns;
		else cpu.idle += ns;
		const cell = this.cell(run.task, run.cpu);
		cell.run += ns;
		if (!run.startSeen || !run.endSeen) cell.edge += ns;
	}

	sw(sw) {
		if (!sw.in) return;
		this.cell(sw.prev, sw.cpu).switches++;
		this.cpus[sw.cpu].switches++;
	}

	finish() {
		this.cells.sort((a, b) => a.task - b.task || a.cpu - b.cpu);
	}
}
