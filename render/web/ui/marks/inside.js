// SPDX-License-Identifier: GPL-2.0-only
// The tasks of a joined guest: where their time went, and the task of the host, or of another guest, that had the CPU; as cdict vm --inside.
import { moment } from '../clock.js';
import { aroundOf } from '../details.js';
import { h, named, replace, unbroken } from '../dom.js';
import { placesBy, rowsOf } from '../figures.js';
import { wordsOf } from '../findings.js';
import { within } from '../input/gestures.js';
import { Table } from '../table.js';
import { clean, duration, exactNs } from '../text.js';
import { frame } from './lanes.js';
import { NONE, Tracks } from './tracks.js';

/** The unique name of a row's task, as of the host's. */
function whoIs({ name, tid }) {
	return `${clean(name)}-${tid}`;
}

const WAITS = ['stolen', 'exit', 'qemu', 'halted', 'busy', 'away'];

export class Inside extends Tracks {
	/** file(name): of a saved table. */
	constructor(app, file, drawn) {
		super(app, () => {
			this.#render();
			drawn();
		});
		this.rows = []; // of the table, those that waited longest for their vCPUs first
		this.words = h('p', { class: 'sentence' });
		this.reason = h('p', { class: 'sentence', hidden: true, 'aria-live': 'polite', data: { inside: 'why' } });
		this.table = new Table([
			{ key: 'name', title: 'task', text: true, value: (r) => whoIs(r), show: (r) => named(whoIs(r)) },
			{ key: 'run_ns', title: 'run', hint: 'its vCPU was in the guest' },
			{ key: 'stolen_ns', title: 'stolen', hint: 'it ran, as the guest sees it, but its vCPU did not' },
			{ key: 'busy_ns', title: 'CPU busy', hint: 'it waited for a CPU of the guest, which ran another task' },
			{ key: 'away_ns', title: 'vCPU away', hint: 'it waited for a CPU of the guest, whose vCPU did not run' },
			{ key: 'sleep_ns', title: 'sleep' },
			{ key: 'unknown_ns', title: 'unknown' },
			{ key: 'worst_ns', title: 'longest', hint: 'wait of its vCPU for a CPU' },
			{ key: 'behind', title: 'mostly behind', text: true },
		], { app, name: 'guest_tasks', file: file('guest-tasks'), rowData: (r) => ({ tid: r.tid }), onRow: (r) => r.worst_ns && this.#show(r.tid, r.worst_at_ns, aroundOf({ from: r.worst_at_ns, to: r.worst_at_ns + r.worst_ns })) });
		this.el = h('div', { class: 'inside-guest', hidden: true }, h('h4', null, 'Inside the guest'), this.words, this.reason, this.table.el);
	}

	/** @vcpus: of the VM. */
	follow(vcpus) {
		const { app } = this;
		const { range, capture } = app;
		const key = `${app.state.capture}:${range}:${vcpus}`;

		if (!capture.guests || key === this.asked) {
			this.#render();
			return;
		}
		if (this.of !== `${vcpus}`) {
			this.of = `${vcpus}`;
			this.drop();
		}
		this.asked = key;
		this.question.ask((decoder, signal) => decoder.inside(capture, range, { tasks: vcpus, signal }), (answer) => {
			this.answer = answer ? { range, by: placesBy(answer.task), vcpus: [], ...answer } : null;
			this.rows = rowsOf(answer?.tables?.guest_tasks).map((row, i) => ({ ...row, lane: answer.lanes[i] })).sort((a, b) => b.vcpu_wait_ns - a.vcpu_wait_ns || b.run_ns - a.run_ns);
			this.byLane = new Map(this.rows.map((row) => [row.lane, row]));
			this.drawn();
		});
	}

	drop() {
		super.drop();
		this.answer = null;
		this.rows = [];
		this.#render();
	}

	/** The wait that is explained, in the address: {tid, at}; or null. */
	get #why() {
		const [tid, at] = this.app.state.inside;

		return at === undefined ? null : { tid, at };
	}

	who(lane) {
		const row = this.byLane.get(lane);

		return row ? whoIs(row) : '';
	}

	labels(i) {
		return this.because(i);
	}

	because(i) {
		const { answer: { cause, causes } } = this;

		return cause[i] === NONE ? [] : [clean(causes[cause[i]])];
	}

	outline(s, lane, scale, top, height) {
		const wait = this.byLane.get(lane)?.tid === this.#why?.tid ? this.#wait() : null;

		if (wait)
			frame(s, this.app, scale, top, height, wait);
	}

	/** The wait that is explained: its parts; or null. */
	#wait() {
		const { answer } = this;
		const row = this.#why && answer?.exact ? this.rows.find(({ tid }) => tid === this.#why.tid) : null;
		const list = row ? answer.by.get(row.lane) ?? [] : [];
		const at = list.findIndex((i) => answer.to[i] > this.#why.at);
		const waits = (k) => WAITS.includes(answer.states[answer.state[list[k]]]);
		let first = at, end = at;

		if (at < 0 || answer.from[list[at]] > this.#why.at || !waits(at))
			return null;
		while (first && waits(first - 1) && answer.to[list[first - 1]] === answer.from[list[first]])
			first--;
		while (end < list.length && waits(end) && (end === at || answer.from[list[end]] === answer.to[list[end - 1]]))
			end++;
		return { row, parts: list.slice(first, end), from: answer.from[list[first]], to: answer.to[list[end - 1]] };
	}

	/** Explains the wait of lane @lane at @t, down to the host. */
	explain(lane, t) {
		this.#show(this.byLane.get(lane)?.tid, t);
	}

	#show(tid, at, range = null) {
		this.app.set({ inside: [tid, Math.floor(at)], ...(range ? { range: within(range, this.app.window) } : {}) });
	}

	#render() {
		const { answer, rows } = this;
		const wait = this.#wait();

		this.el.hidden = !rows.length;
		this.table.setRows(rows.filter((r) => r.run_ns + r.stolen_ns + r.busy_ns + r.away_ns));
		replace(this.words, (answer?.says ?? []).map((says) => h('span', { class: 'line' }, wordsOf(this.app, { says }))));
		this.reason.hidden = !wait;
		replace(this.reason, wait && this.#tells(wait));
	}

	/** "web-190 waited 12 ms: 8 ms stolen behind hosthog-5310, ..."; each part leads to what the host did then. */
	#tells({ row, parts, from, to }) {
		const { answer } = this;
		const sums = [...placesBy(parts.map((i) => `${answer.state[i]} ${answer.cause[i]}`)).values()].map((places) => {
			const all = places.map((k) => parts[k]).sort((a, b) => (answer.to[b] - answer.from[b]) - (answer.to[a] - answer.from[a]));

			return { ns: all.reduce((sum, i) => sum + answer.to[i] - answer.from[i], 0), longest: all[0] };
		}).sort((a, b) => b.ns - a.ns);

		return [h('bdi', { class: 'strong' }, whoIs(row)), ...unbroken(` did not run for ${duration(to - from)} from ${moment(from, 9)}:`), sums.flatMap(({ ns, longest }, k) => [k ? ', ' : ' ', this.#part(ns, longest)])];
	}

	#part(ns, i) {
		const { answer, app: { details } } = this;
		const state = answer.states[answer.state[i]];
		const text = [...unbroken(`${duration(ns)} `), { busy: 'CPU busy ', away: 'vCPU away ', stolen: 'stolen ', halted: 'halted' }[state], h('bdi', null, this.because(i))];
		const to = state === 'busy' ? null : answer.host[i] !== NONE ? ['run', answer.host[i]] : answer.vcpu[i] !== NONE ? ['state', answer.vcpu[i]] : null;
		const data = { part: state, key: 'ns', value: ns };

		return to ? h('button', { type: 'button', class: 'link', title: `${exactNs(ns)}; click: what the host did then`, data, on: { click: () => details.look(to[0], to[1], answer.from[i]) } }, text) : h('span', { title: exactNs(ns), data }, text);
	}
}
