// SPDX-License-Identifier: GPL-2.0-only
// The chosen VM: where the time of its vCPUs went, which of its threads waited, and who woke them; as cdict vm.
import { chainWords } from '../chain.js';
import { aroundOf } from '../details.js';
import { h, named, replace } from '../dom.js';
import { Question, placesBy, rowsOf } from '../figures.js';
import { wordsOf } from '../findings.js';
import { chosenVm } from '../input/selection.js';
import { Table } from '../table.js';
import { clean, duration, exactNs, percent, vmName } from '../text.js';
import { Timeline } from './timeline.js';

const LINKS = 6; // of a chain, shown at first

// The colour of each part: that of the vCPU's state.
const COLOURS = { guest: 'guest', waited: 'preempted', exit: 'exit', VMM: 'qemu', 'halted, own': 'halted', halted: 'halted', blocked: 'blocked', unknown: 'unknown' };

export class Story {
	constructor(view) {
		this.view = view;
		this.app = view.app;
		this.question = new Question(this.app);
		this.head = h('h3');
		this.words = h('p', { class: 'sentence' });
		this.bar = h('div', { class: 'bar story-bar' });
		this.chains = h('div', { class: 'chains' });
		this.timeline = new Timeline(view);
		this.el = h('section', { class: 'story', 'aria-label': 'the chosen VM', hidden: true }, this.head, this.words, this.bar, this.timeline.el, this.chains);
	}

	/** When a VM is first chosen: a page opens without it. */
	#makeTable() {
		this.threads = new Table([
			{ key: 'task', title: 'thread', text: true, value: (r) => this.app.who(r.task), show: (r) => named(this.app.who(r.task)) },
			{ key: 'role', title: 'role', text: true },
			{ key: 'run_ns', title: 'run' },
			{ key: 'delayed_ns', title: 'waited', hint: 'for a CPU, after a wake-up or a preemption' },
			{ key: 'delayed_percent', title: '%', hint: 'of its life in the range' },
			{ key: 'delays', title: 'waits' },
			{ key: 'worst_ns', title: 'longest' },
			{ key: 'worst_at_ns', title: 'at' },
			{ key: 'worst_cpu', title: 'on CPU' },
			{ key: 'worst_behind', title: 'behind', text: true, hint: 'had the CPU longest during the longest wait' },
		], {
			app: this.app, name: 'threads', file: this.view.file('threads'), rowData: (r) => ({ task: r.task, tid: this.app.capture.tasks[r.task].tid }),
			onRow: (r) => this.#show(r.task, r.worst_at_ns, r.worst_ns),
		});
		this.chains.before(this.threads.el);
	}

	update() {
		const { app } = this;
		const vm = app.figures.canDecode(app.capture) ? chosenVm(app) : null;
		const key = vm === null ? null : `${app.capture.index} ${app.range} ${vm}`;

		this.timeline.update(vm);
		if (key === this.key)
			return;
		this.key = key;
		this.question.drop();
		delete this.el.dataset.range;
		if (vm === null || vm !== this.vm)
			this.el.hidden = true;
		this.vm = vm;
		if (vm === null)
			return;
		const tasks = app.capture.tasks.filter((t) => t.fold_kind === 'vm' && t.fold === vm && t.vcpu !== null).map((t) => t.index);

		if (tasks.length)
			this.question.ask((decoder, signal) => decoder.story(app.capture, app.range, { tasks, signal }), (story) => this.#draw(story));
	}

	close() {
		this.question.drop();
		this.timeline.close();
	}

	/** Shows a wait: the time around it, its details and its chain. */
	#show(task, at, ns) {
		if (ns)
			this.app.details.look('wait', task, at, { range: aroundOf({ from: at, to: at + ns }) });
	}

	#draw(story) {
		if (!story?.tables)
			return;
		const { app } = this;
		const parts = rowsOf(story.tables.parts);

		this.story = story;
		this.el.hidden = false;
		this.el.dataset.vm = story.vm;
		this.el.dataset.range = app.range.join(); // of the figures
		replace(this.head, h('bdi', null, vmName(story.vm)));
		replace(this.words, story.sentences.map((says) => h('span', { class: 'line' }, wordsOf(app, { says }))));
		replace(this.bar, parts.map((part) => h('div', {
			class: part.part === 'unknown' ? 'hatched' : null,
			data: { part: part.part, key: 'time_ns', value: part.time_ns },
			title: `${clean([part.part, part.detail].filter(Boolean).join(' '))}: ${duration(part.time_ns)}, ${percent(part.percent)} (${exactNs(part.time_ns)})`,
			css: {
				width: `${part.percent}%`, background: part.part === 'unknown' ? null : app.palette.states[COLOURS[part.part]],
				'box-shadow': part.part === 'halted, own' ? `inset 0 -4px ${app.palette.states.preempted}` : null,
			},
		})));
		if (!this.threads)
			this.#makeTable();
		this.threads.setRows(rowsOf(story.tables.threads));
		replace(this.chains, this.#chains(rowsOf(story.tables.chains)));
	}

	#chains(links) {
		const chains = [...placesBy(links.map((link) => link.chain)).values()].map((places) => places.map((i) => links[i]));

		return [chains.length ? h('h4', null, 'The longest waits, and who woke whom') : null,
		h('ol', null, chains.map((chain) => h('li', { data: { chain: chain[0].chain } }, chainWords(chain, LINKS, chain[0].ready_ns + chain[0].waited_ns >= this.app.range[1], (i) => (i ? null : () => this.#showChain(chain[0]))))))];
	}

	#showChain(link) {
		const task = this.app.capture.tasks.find((t) => t.tid === link.tid && this.app.who(t.index) === link.name) ?? this.app.capture.tasks.find((t) => t.tid === link.tid);

		if (task)
			this.#show(task.index, link.ready_ns, link.waited_ns);
	}
}
