// SPDX-License-Identifier: GPL-2.0-only
//
// Whose figures lost events can have changed; as analyze/unknown.c, doc/figures.md, "Loss".

import { NO_CPU, NO_TIME } from './table.js';
import { OFF } from './types.js';

export class Unknown {
	constructor(eng) {
		this.eng = eng;
		this.tasks = new Set();
		this.schedHole = NO_TIME;
		this.kvmHole = NO_TIME;
		// Without loss there is nothing to watch for.
		if (!eng.schedHoles.all.length) this.away = undefined;
	}

	away(away) {
		if (
			away.off === OFF.UNKNOWN &&
			away.from !== away.to &&
			this.eng.hole(false, NO_CPU, away.start, away.end) !== NO_TIME
		)
			this.tasks.add(away.task);
	}

	finish() {
		this.schedHole = this.eng.hole(false, NO_CPU, this.eng.from, this.eng.to);
		this.kvmHole = this.eng.hole(true, NO_CPU, this.eng.from, this.eng.to);
	}

	// Whether a task may have done anything in the window that was not seen; of IDLE: whether its
	// CPU lost events.
	lossy(index) {
		const { eng, schedHole, kvmHole } = this;
		const task = eng.tasks[index];
		if (!task.tid && task.idleCpu !== NO_CPU) return eng.lossOf(task.idleCpu) > 0;
		if (this.tasks.has(index)) return true;
		// Without switches, or when KVM's events alone are missing, nobody knows whose.
		if (!eng.types.has.switch) return schedHole !== NO_TIME || kvmHole !== NO_TIME;
		// First heard of after events were lost: it may have run there.
		if (
			schedHole !== NO_TIME &&
			task.first >= schedHole &&
			(task.born === NO_TIME || task.born < schedHole)
		)
			return true;
		return task.isVcpu && kvmHole !== NO_TIME && schedHole === NO_TIME;
	}
}
