// SPDX-License-Identifier: GPL-2.0-only
// The thing that was clicked, in any view: its true begin, end and length, its cause and effect, its content, and links
// to its neighbours and to longer ones.
import { tableObjects } from '../page.js';
import { chainWords } from './chain.js';
import { moment } from './clock.js';
import { Critical } from './critical.js';
import { button, h, named, replace, swatch, unbroken } from './dom.js';
import { Question, rowsOf } from './figures.js';
import { within } from './input/gestures.js';
import { STATE_WORDS } from './marks/legend.js';
import { clean, count, duration, exactNs, percent } from './text.js';

/** Kinds of things, by the engine's names; the address has their indexes. */
export const KINDS = ['run', 'wait', 'off', 'guest', 'exit', 'state'];

const MANY = { run: 'slices', wait: 'waits', off: 'times off the CPU', guest: 'times in the guest', exit: 'exits of this reason', state: 'intervals in this state' };
const OFF = { asleep: 'asleep', blocked: 'in uninterruptible sleep (D)', preempted: 'preempted', stopped: 'stopped', dead: 'dead' };
const MOST_ROWS = 5; // of the table of its content
const LARGE = 1500000; // events: with more, a walk around the thing comes first
const AROUND_NS = 20e6;
const LINKS = 8; // of a chain of wake-ups
const SMALL = 0.02; // of the range: smaller things are zoomed to

/**
 * [from, to] with a fifth of its length before and after it.
 * @returns {[number, number]}
 */
export function aroundOf({ from, to }) {
	const around = Math.max(20, Math.round((to - from) * 0.2));

	return [Math.max(0, from - around), to + around];
}

export class Details {
	constructor(app) {
		this.app = app;
		this.question = new Question(app);
		this.inside = new Question(app);
		this.wakes = new Question(app);
		this.chain = null; // {links} before the wait: [{task, from, waited, cpu, ...}]
		this.what = h('div', { class: 'details-what' });
		this.story = h('dl', { class: 'details-story' });
		this.within = h('div', { class: 'details-inside' });
		this.critical = new Critical(app, () => {
			app.view?.looked();
			app.pins.paint();
		});
		this.el = h('aside', { class: 'details', 'aria-label': 'details', hidden: true, on: { keydown: (e) => this.#key(e) } }, this.what, this.story, this.within, this.critical.el);
	}

	/** Opens the thing of @kind (KINDS) of @task that contains the time @at. */
	look(kind, task, at, part = {}) {
		if (task !== null && task !== undefined && this.app.figures.canDecode(this.app.capture))
			this.app.set({ ...part, look: [KINDS.indexOf(kind), task, Math.max(0, Math.floor(at))] });
	}

	/** Opens the longest slice of @task on @cpu in a part of the picture, of which it had most. */
	lookAt(cpu, [from, to], task) {
		const { app } = this;
		const range = within([Math.floor(from), Math.max(Math.ceil(to), Math.floor(from) + 1)], app.window);

		if (!app.figures.canDecode(app.capture))
			return;
		this.question.ask((decoder, signal) => decoder.pieces(app.capture, range, { max: 1 << 16, signal }), (pieces) => {
			let best = -1, most = 0;

			for (let i = 0; pieces?.complete && i < pieces.cpu.length; i++) {
				if (pieces.cpu[i] === cpu && pieces.task[i] === task && pieces.to[i] - pieces.from[i] > most)
					[best, most] = [i, pieces.to[i] - pieces.from[i]];
			}
			if (best >= 0)
				this.look('run', task, Math.max(pieces.from[best], range[0]));
		});
	}

	/** {kind, task, at}, or null: nothing is open. */
	get wanted() {
		const { look } = this.app.state;
		const kind = KINDS[look[0]];

		return look.length === 3 && kind && this.app.capture.tasks[look[1]] ? { kind, task: look[1], at: look[2] } : null;
	}

	/** Called when the state may have changed. */
	follow() {
		const { app } = this;
		const { wanted } = this;
		const key = wanted && `${app.state.capture}:${app.state.look}`;

		this.el.hidden = !wanted;
		document.documentElement.classList.toggle('with-details', Boolean(wanted));
		this.critical.follow(wanted && app.state.critical && app.capture.tasks[wanted.task]?.tid ? wanted.task : null);
		if (!wanted) {
			this.question.drop();
			this.inside.drop();
			this.#dropChain();
			if (this.key)
				app.view.looked();
			this.key = this.thing = this.answer = null;
			return;
		}
		if (key === this.key) {
			this.#render();
			return;
		}
		this.key = key;
		this.answer = this.rows = null;
		this.#dropChain();
		// a thing of another task does not stay marked
		if (this.thing?.task !== wanted.task || this.thing.kind !== wanted.kind)
			this.thing = null;
		this.#render();
		this.#ask(wanted);
	}

	#ask({ kind, task, at }) {
		const { app } = this;
		const { capture, window } = app;
		const near = [Math.max(window[0], at - AROUND_NS), Math.min(window[1], at + AROUND_NS)];
		const asks = (range) => (decoder, signal) => decoder.detail(capture, range, { kind, task, at, signal });

		if (capture.window_events < LARGE) {
			this.question.ask(asks(window), (answer, error) => this.#have(answer, error));
			return;
		}
		// a walk over everything takes seconds: show the nearest first
		this.question.ask(asks(near), (answer) => {
			if (answer?.thing && answer.thing.from > near[0] && answer.thing.to < near[1])
				this.#have({ ...answer, of: null }, null);
			this.question.ask(asks(window), (all, error) => this.#have(all, error));
		});
	}

	#have(answer, error) {
		const { app } = this;
		const { wanted } = this;
		const before = this.answer?.thing;

		if (!wanted)
			return;
		this.answer = answer;
		this.error = error ? `not decoded: ${error.message}` : answer.thing ? null : 'no data for this moment';
		this.thing = answer?.thing ? { ...answer.thing, kind: wanted.kind, task: wanted.task } : null;
		if (this.thing && JSON.stringify(before) !== JSON.stringify(answer.thing)) {
			this.#askInside();
			this.#askChain();
		}
		this.#render();
		app.view.looked();
		app.pins.paint();
	}

	#dropChain() {
		this.wakes.drop();
		this.chain = null;
	}

	/** If it is a wait, or ended with one: asks who woke whom before. */
	#askChain() {
		const { app, thing, answer: { stay } } = this;
		const { capture, window } = app;
		const waits = thing.kind === 'wait' || ['preempted', 'waiting'].includes(thing.state) || (thing.kind === 'off' && stay?.woken);

		this.#dropChain();
		if (!waits)
			return;
		const range = [window[0], Math.min(window[1], thing.to + 1)];

		this.wakes.ask((decoder, signal) => decoder.chain(capture, range, { task: thing.task, at: Math.min(thing.to, range[1]) - 1, signal }), (chain) => {
			const links = rowsOf(chain?.tables?.chains).map((row, i) => ({ ...row, task: chain.tasks[i], from: row.ready_ns, waited: row.waited_ns, cpu: row.waker_cpu }));

			this.chain = links.length ? { links } : null;
			this.#render();
			app.view.looked();
		});
	}

	/** The thing's CPU. */
	#cpu() {
		const { thing, stay } = this.answer;

		return thing.cpu ?? (stay?.on ? stay.in?.cpu ?? stay.out?.cpu : stay?.woken?.target ?? stay?.out?.cpu ?? stay?.in?.cpu) ?? null;
	}

	/** Whether it lasts beyond the last recorded moment; missing events end it, too. */
	#isOpen() {
		const { to, ended } = this.answer.thing;
		const [, end] = this.app.window;

		return to > end || (!ended && to === end);
	}

	/** The content of its table: exits inside a time on a CPU, or the tasks that had the CPU while it waited; null: none. */
	#insideKind() {
		const { thing } = this.answer;
		const { vcpu } = this.app.capture.tasks[this.thing.task];

		if (this.thing.kind === 'wait' || ['preempted', 'waiting'].includes(thing.state))
			return this.#cpu() === null ? null : 'culprits';
		return this.thing.kind === 'run' && vcpu !== null && vcpu !== undefined ? 'exits' : null;
	}

	/** The range of its table. */
	#clipped() {
		const [from, to] = this.app.window;

		return [Math.max(from, this.thing.from), Math.min(to, this.thing.to)];
	}

	#askInside() {
		const { app, thing } = this;
		const kind = this.#insideKind();
		const range = this.#clipped();

		this.rows = null;
		if (!kind || !(range[1] > range[0])) {
			this.inside.drop();
			return;
		}
		this.inside.ask((decoder, signal) => (kind === 'exits' ? decoder.exits(app.capture, range, { tasks: [thing.task], signal })
			: decoder.coremap(app.capture, range, { cpus: [this.#cpu()], signal })), (answer) => {
				if (!answer)
					return;
				this.rows = kind === 'exits' ? tableObjects(answer.tables.exits).filter((row) => row.task === thing.task && row.count)
					: tableObjects(answer.tables.coremap).filter((row) => row.run_ns > 0 && row.cpu === this.#cpu()).sort((a, b) => b.run_ns - a.run_ns);
				this.#render();
			});
	}

	/** Goes to a similar thing; the range follows if that is not visible. */
	#go(item, zooms) {
		const { app, thing } = this;
		const [from, to] = app.range;
		const wide = to - from, long = item.to - item.from;
		const seen = item.from >= from && item.to <= to;
		let { range } = app.state;

		if (zooms && long < SMALL * wide)
			range = aroundOf(item);
		else if (!seen)
			range = long < wide ? [item.from - (wide - long) / 2, item.to + (wide - long) / 2] : aroundOf(item);
		this.look(thing.kind, thing.task, item.from, { range: range && within([Math.round(range[0]), Math.round(range[1])], app.window) });
	}

	/** Steps to similar things, also by keyboard: , . in time, < > by length. */
	step(where) {
		const item = this.answer?.[where];

		if (item && this.thing)
			this.#go(item, where === 'worse' || where === 'milder' || where === 'worst');
	}

	close() {
		this.app.set({ look: [] });
	}

	#key(e) {
		if (e.key !== 'Escape')
			return;
		this.close();
		e.preventDefault();
		e.stopPropagation();
	}

	#render() {
		const { wanted, answer } = this;

		replace(this.what, this.#title(wanted), this.#times(), this.#ways());
		replace(this.story, answer?.thing ? this.#tells() : null);
		replace(this.within, answer?.thing ? this.#table() : null);
	}

	#title({ kind, task }) {
		const { app, answer } = this;
		const thing = answer?.thing;
		const state = kind === 'state' ? thing?.state : { guest: 'guest', exit: 'exit', wait: thing?.state === 'preempted' ? 'preempted' : 'waiting' }[kind];
		const words = {
			run: () => `on CPU ${thing.cpu}`, guest: () => `in the guest, on CPU ${thing.cpu}`, exit: () => `handling an exit: ${clean(thing.reason ?? 'unknown')}`,
			off: () => `off the CPU: ${OFF[thing.state] ?? 'reason unknown'}`,
			wait: () => `${thing.state === 'preempted' ? 'preempted: waited to run again' : 'woken: waited for a CPU'}${this.#isOpen() ? '; still waiting at the recording’s end' : ''}`,
			state: () => `${STATE_WORDS[thing.state]}${thing.reason ? `, ${clean(thing.reason)}` : ''}`,
		};

		return h('div', { class: 'details-title' }, !state ? null : state === 'unknown' ? swatch(null, 'hatched') : swatch(app.palette.states[state]), h('bdi', { class: 'strong' }, app.who(task)), h('span', null, thing ? words[kind]() : this.error ?? '…'),
			h('span', { class: 'details-does' }, app.capture.tasks[task].tid === 0 ? null : button('critical path', 'what the progress of this task depended on, in the area or the shown range: itself, or the tasks that it waited to be woken by', () => app.set({ critical: app.state.critical ? '' : 'on' }),
				{ class: 'link', 'aria-pressed': String(Boolean(app.state.critical)), data: { details: 'critical' } }),
				app.state.pins.includes(task) ? null : button('pin', 'keep this task in view, as a lane below the overview', () => app.set({ pins: [...app.state.pins, task] }), { class: 'link' }),
				button('×', 'close (Esc)', () => this.close(), { class: 'close', 'aria-label': 'close the details' })));
	}

	#times() {
		const { answer, app } = this;

		if (!answer?.thing)
			return null;
		const { from, to, ns, began, ended } = answer.thing;
		const [a, b] = app.range;

		return h('div', { class: 'details-times' },
			h('div', { class: 'details-length', title: exactNs(ns), data: { key: 'ns', value: ns } }, duration(ns)),
			h('div', { class: 'num' },
				h('div', { data: { key: 'from', value: from } }, from < a ? h('span', { class: 'continues', title: 'starts before the shown range' }, '◂ ') : null,
					`from ${moment(from, 9)}`, began ? null : ' or before'),
				h('div', { data: { key: 'to', value: to } }, `to ${moment(to, 9)}`, ended ? null : ' or after',
					to > b ? h('span', { class: 'continues', title: 'continues after the shown range' }, ' ▸') : null)),
			h('div', { class: 'dim num' }, exactNs(ns)));
	}

	#ways() {
		const { answer, app } = this;

		if (!answer?.thing)
			return null;
		const way = (where, text, title) => button(text, answer[where] ? `${title}: ${duration(answer[where].ns)} at ${moment(answer[where].from)}` : `${title}: none`,
			() => this.step(where), { disabled: !answer[where], data: { way: where }, 'aria-label': title });

		return h('div', { class: 'details-ways' },
			way('before', '‹', 'previous (,)'), way('after', '›', 'next (.)'),
			h('span', { class: 'gap' }), way('worse', '«', 'next longer (<)'), way('milder', '»', 'next shorter (>)'),
			answer.of ? h('span', { class: 'dim', data: { rank: answer.rank, of: answer.of } },
				answer.of === 1 ? 'the only one in the range' : answer.rank === 1 ? `the longest of ${count(answer.of)} ${MANY[this.thing.kind]}` : `${count(answer.rank)} of ${count(answer.of)} ${MANY[this.thing.kind]} by length`) : h('span', { class: 'dim' }, '…'),
			answer.of && answer.rank > 1 ? button('longest', `the longest: ${duration(answer.worst.ns)} at ${moment(answer.worst.from)}`, () => this.step('worst'), { class: 'link', data: { way: 'worst' } }) : null,
			h('span', { class: 'space' }),
			button('zoom to it', 'zoom to it, with a fifth of its length on each side', () => app.select(within(aroundOf(this.thing), app.window)), { class: 'link' }));
	}

	/** A task involved in it: a click shows what it did then. */
	#link(kind, task, at) {
		const tid = task === null ? 0 : this.app.capture.tasks[task]?.tid;

		return task === null || tid === undefined ? h('span', { class: 'dim' }, 'unknown task')
			: h('button', { type: 'button', class: 'link', title: 'click: details of this task then', data: { task }, on: { click: () => this.look(kind, task, at) } }, named(this.app.who(task), 200));
	}

	/** Its cause and effect. */
	#tells() {
		const { stay } = this.answer;
		const out = [];
		const say = (term, key, ...what) => out.push(h('dt', null, term), h('dd', { data: { tells: key } }, what.flat().map((part) => (typeof part === 'string' ? unbroken(part) : part))));
		const left = ({ at, cpu, task, involuntary, state }) => {
			const other = this.#link('run', task, at);
			const idle = task !== null && this.app.capture.tasks[task].tid === 0;

			if (involuntary)
				say('preempted by', 'displaced', other, ` at ${moment(at)} on CPU ${cpu}`);
			else
				say('left the CPU', 'left', `${!state ? '(reason unknown)' : state === 'R' ? 'yielded' : `went to sleep (${clean(state)})`} at ${moment(at)} on CPU ${cpu}`, idle ? ', which was idle then' : [', then ran ', other]);
		};
		const woken = ({ at, cpu, task }) => say('woken by', 'woken', this.#link('run', task, at), ` at ${moment(at)} on CPU ${cpu}`);
		const came = ({ at, cpu, task }, word) => say(word, 'before', ...(task !== null && this.app.capture.tasks[task].tid === 0 ? [`CPU ${cpu} was idle`]
			: [this.#link('run', task, at - 1), ` on CPU ${cpu}`]), ` until ${moment(at)}`);

		if (!stay)
			return [h('dd', { class: 'dim' }, 'the events before and after were not recorded')];
		if (stay.on) {
			if (stay.woken)
				woken(stay.woken);
			if (stay.in)
				came(stay.in, 'ran before');
			if (stay.out)
				left(stay.out);
		} else {
			if (stay.out)
				left(stay.out);
			if (stay.woken)
				woken(stay.woken);
			if (stay.in)
				came(stay.in, 'came back after');
		}
		if (this.chain)
			say('wake-ups', 'chain', ...chainWords(this.chain.links, LINKS, this.#isOpen(), (i) => {
				const { task, from, waited } = this.chain.links[i];

				return i && task !== null ? () => this.look(waited ? 'wait' : 'run', task, from) : null;
			}, 200));
		return out;
	}

	#table() {
		const kind = this.#insideKind();
		const { rows } = this;

		if (!kind)
			return null;
		const exits = kind === 'exits';
		const ns = exits ? 'time_ns' : 'run_ns';
		const title = exits ? 'Exits that ended in this slice' : `Tasks on CPU ${this.#cpu()} meanwhile`;

		return [h('h4', null, title),
		!rows ? h('p', { class: 'dim' }, '…') : !rows.length ? h('p', { class: 'dim' }, exits ? 'none' : 'unknown') :
			h('table', { class: 'inside', data: { inside: kind } }, h('tbody', null, rows.slice(0, MOST_ROWS).map((row) => h('tr', { data: { task: row.task, reason: row.reason } },
				h('td', null, exits ? h('bdi', null, clean(row.reason)) : this.#link('run', row.task, this.thing.from)),
				exits ? h('td', { class: 'num', data: { key: 'count', value: row.count } }, count(row.count)) : h('td', { class: 'num dim' }, percent(row.run_percent)),
				h('td', { class: 'num', title: exactNs(row[ns]), data: { key: ns, value: row[ns] } }, duration(row[ns])))))),
		rows?.length > MOST_ROWS ? h('p', { class: 'dim small' }, `and ${count(rows.length - MOST_ROWS)} more`) : null];
	}
}
