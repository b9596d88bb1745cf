// SPDX-License-Identifier: GPL-2.0-only
// Which task had which CPU, slice by slice, if there are few enough.
import { Question } from '../figures.js';
import { covers, eventsIn, firstAfter } from './lanes.js';

const MOST = 200000, MOST_EVENTS = 400000; // slices; events of a range

export const NO_TASK = 0xffffffff;

export class Pieces {
	/** drawn(): called when they arrive. */
	constructor(app, drawn) {
		this.app = app;
		this.drawn = drawn;
		this.question = new Question(app);
		this.all = null; // {range, cpu, task, from, to, starts}: CPU by CPU in order of time
	}

	/** Asks for those of the range; whether the question is a new one. */
	follow() {
		const { app } = this;
		const { range } = app;
		const key = `${app.state.capture}:${range}`;

		if (!app.figures.canDecode(app.capture) || eventsIn(app) > MOST_EVENTS) {
			this.question.drop();
			this.asked = null;
			return false;
		}
		if (key === this.asked)
			return false;
		this.asked = key;
		this.question.ask((decoder, signal) => decoder.pieces(app.capture, range, { max: MOST, signal }), (pieces) => {
			this.all = pieces?.complete ? { range, ...pieces, starts: startsOf(pieces) } : null;
			this.drawn();
		});
		return true;
	}

	get covered() {
		return covers(this.app, this.all);
	}

	/** The first piece of @cpu that ends after @t. */
	first(cpu, t) {
		const { starts, cpu: cpus, to } = this.all;
		const [first, end] = starts.get(cpu) ?? [cpus.length, cpus.length];

		return firstAfter((i) => to[i], first, end, t);
	}

	close() {
		this.asked = null;
		this.question.drop();
	}
}

/** CPU -> [index of its first piece, index after its last]. */
function startsOf(pieces) {
	const starts = new Map();

	for (let i = 0; i < pieces.cpu.length; i++) {
		const of = starts.get(pieces.cpu[i]);

		if (of)
			of[1] = i + 1;
		else
			starts.set(pieces.cpu[i], [i, i + 1]);
	}
	return starts;
}
