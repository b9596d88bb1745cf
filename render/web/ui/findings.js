// SPDX-License-Identifier: GPL-2.0-only
// Findings, to look at first: sentences, each a link to the place that shows it.
import { moment, spanText } from './clock.js';
import { COMPARISONS, FIGURE_WORDS, signed } from './compare.js';
import { KINDS as THINGS } from './details.js';
import { button, h, unbroken } from './dom.js';
import { Question } from './figures.js';
import { chosenVm } from './input/selection.js';
import { START, toFragment } from './input/state.js';
import { copyTicket } from './save.js';
import { clean, figure, vmName } from './text.js';

const KINDS = {
	delayed: ['preempted', 'had to wait'],
	handling: ['exit', 'exits'],
	unknown: ['unknown', 'unknown'],
	loss: ['unknown', 'events missing'],
	imbalance: ['waiting', 'imbalance'],
	good: ['guest', 'ok'],
};

const EACH = 2; // sentences per kind of comparison

/** The state that a finding's link sets. */
function leadsTo(app, finding) {
	const { inside = [] } = finding;
	const { vm, fold } = inside.length ? app.capture.tasks[finding.tasks[0]] : { vm: null, fold: null };

	return {
		...START, theme: app.state.theme, capture: app.state.capture, strip: app.state.strip, clock: app.state.clock, pins: app.state.pins,
		view: app.views.some((v) => v.id === finding.view) ? finding.view : app.state.view,
		range: finding.range ?? null, tasks: fold === null ? finding.tasks ?? [] : [], vms: vm === null ? [] : [vm], groups: vm === null && fold !== null ? [fold] : [], inside, reasons: finding.reasons ?? [], cpus: finding.cpus ?? [],
		compare: finding.compare ?? START.compare, wait: finding.wait ?? [],
		// for a wait without lanes of its own, its details
		look: finding.kind === 'delayed' && finding.range && !finding.wait && !inside.length ? [THINGS.indexOf('wait'), finding.tasks[0], Math.round((finding.range[0] + finding.range[1]) / 2)] : [],
	};
}

/** The largest changes from the base to the next capture, as findings. */
function changes(app) {
	const { compare, captures } = app.page;
	const [base, now] = compare.sides ?? captures;
	const chance = (row) => row.p?.[1] && !(row.p[1][0] < compare.alpha);
	const out = [];

	for (const kind of ['vcpu', 'exits', 'tasks']) {
		const table = compare.tables[kind];
		const key = table?.figures[0];

		for (const row of table?.rows.filter((r) => r.key[0] !== 'IDLE' && r.change !== 0 && r.values[0] && r.values[1] && !chance(r)).slice(0, EACH) ?? []) {
			const [was, is] = [row.values[0][0] ?? 0, row.values[1][0] ?? 0];
			const change = row.differences[1]?.[0];

			if (change === undefined)
				continue;

			out.push({
				text: `${clean(row.key.join(' · '))}: ${FIGURE_WORDS[key]} ${figure(key, was)} in ${clean(base.label)}, ` +
					`${figure(key, is)} in ${clean(now.label)} (${signed(key, change)})`,
				kind: { vcpu: 'delayed', exits: 'handling', tasks: 'good' }[kind], view: 'compare', compare: kind, title: COMPARISONS[kind].title,
			});
		}
	}
	return out.slice(0, 5);
}

/** The name of a task in a sentence; only a long one is broken. */
function nameIn(app, task) {
	const name = app.who(task);

	return h('bdi', { class: name.length <= 32 ? 'held' : null, data: { task } }, name);
}

/** A finding's sentence, with the page's names of tasks and its clock. */
export function wordsOf(app, { says = null, text = '' }) {
	return (says ?? [text]).flatMap((piece) => (typeof piece === 'string' ? unbroken(piece) : piece.task !== undefined ? nameIn(app, piece.task)
		: h('span', { class: 'held', data: { at: piece.at } }, moment(piece.at))));
}

/** One sentence as a link; @index: its place in the order of the command. */
function lineOf(app, finding, index) {
	const [state, word] = KINDS[finding.kind] ?? KINDS.good;
	const hatched = state === 'unknown';
	const mark = h('span', { class: hatched ? 'mark hatched' : 'mark', title: word, css: { background: hatched ? null : app.palette.states[state] } });

	const link = h('a', {
		class: 'finding', data: { kind: finding.kind, index }, title: finding.title ?? 'show this',
		href: `#${toFragment(leadsTo(app, finding), app.store.start)}`,
		on: {
			click: (e) => {
				if (e.button || e.ctrlKey || e.metaKey || e.shiftKey)
					return;
				e.preventDefault();
				app.set(leadsTo(app, finding));
			}
		},
	}, mark, h('bdi', { class: 'sentence' }, wordsOf(app, finding)), h('span', { class: 'go', 'aria-hidden': 'true' }, `› ${finding.range ? spanText(finding.range) : ''}`));

	return h('div', { class: 'finding-line' }, link, finding.range ? button('ticket', 'show this and copy it as ticket text: the sentence, the figures and the commands; the picture is saved as PNG', () => copyOf(app, finding, link), { class: 'ticket small' }) : null);
}

/** Shows a finding, and copies it for a ticket once its figures are there. */
async function copyOf(app, finding, link) {
	const { textContent } = link.querySelector('.sentence');

	app.set(leadsTo(app, finding));
	await app.whenIdle();
	await copyTicket(app, [textContent]);
}

const unfolded = new Set(); // keys whose findings are all shown; kept while the range moves

/** "vhost, worker": whom of a VM's threads that are not vCPUs these findings are about. */
function rolesOf(app, list) {
	const roles = list.filter(({ kind, tasks }) => kind === 'delayed' && tasks?.length === 1).map(({ tasks: [task] }) => app.capture.tasks[task])
		.filter(({ fold_kind, fold_role, vcpu }) => fold_kind === 'vm' && fold_role && vcpu === null).map(({ fold_role }) => clean(fold_role));

	return [...new Set(roles)].join(', ');
}

/** Several findings about one VM or task: the worst, and the others, about @roles among others, when unfolded. */
function sufferer(key, name, [worst, ...others], roles) {
	const rest = h('div', { class: 'others' }, others);
	const more = h('button', {
		type: 'button', class: 'unfold', title: `${others.length} more about ${name}`, on: {
			click: () => {
				if (!unfolded.delete(key))
					unfolded.add(key);
				follow();
			}
		},
	}, `${others.length} more${roles && `: ${roles}`}`);
	const follow = () => {
		rest.hidden = !unfolded.has(key);
		more.setAttribute('aria-expanded', String(!rest.hidden));
	};

	follow();
	worst.insertBefore(more, worst.children[1] ?? null);
	return h('div', { class: 'sufferer' }, worst, rest);
}

/** The findings about the chosen tasks; of a task of a VM, about the VM. */
export class FindingsOfChosen {
	#known = null; // {key, about, list}: the latest answer
	#asked = null;
	about = null;

	/** drawn(): called when they arrive. */
	constructor(app, drawn) {
		this.app = app;
		this.drawn = drawn;
		this.question = new Question(app);
	}

	/** null: none are chosen, or not known yet; sets about: whom those returned are about. */
	list() {
		const { app } = this;
		const vm = chosenVm(app);
		const tasks = vm === null ? app.selection.list() : app.capture.tasks.filter((t) => t.fold_kind === 'vm' && t.fold === vm).map((t) => t.index);
		const range = app.figures.shown?.range ?? app.range;
		const about = tasks && app.figures.canDecode(app.capture) ? JSON.stringify([app.capture.index, tasks]) : null;
		const key = about && `${about} ${range}`;
		// those of another range stay until the new ones are known
		const known = about !== null && this.#known?.about === about ? this.#known.list : null;

		this.about = known && about;
		if (key === this.#asked || (known && key === this.#known.key))
			return known;
		this.question.drop();
		this.#asked = key;
		if (key !== null)
			this.question.ask((decoder, signal) => decoder.findings(app.capture, range, { tasks, signal }), (answer) => {
				this.#asked = null;
				this.#known = { key, about, list: answer?.findings ?? null };
				this.drawn();
			});
		return known;
	}
}

export function findings(app) {
	const list = app.state.view === 'compare' ? changes(app) : app.findingsOfChosen.list() ?? app.figures.shown?.findings ?? app.capture.findings;
	const about = new Map(); // in the order of the worst finding of each

	list.forEach((finding, i) => {
		const key = finding.of ? `${finding.of.kind} ${finding.of.name}` : i;

		if (!about.has(key))
			about.set(key, { name: finding.of?.name, lines: [], rest: [] });
		const { lines, rest } = about.get(key);

		if (lines.length)
			rest.push(finding);
		lines.push(lineOf(app, finding, i));
	});
	return [...about].map(([key, { name, lines, rest }]) => (lines.length === 1 ? lines[0] : sufferer(key, key.startsWith?.('vm ') ? vmName(name) : clean(name), lines, rolesOf(app, rest))));
}
