// SPDX-License-Identifier: GPL-2.0-only
// Help on keys and gestures, and a glossary.
import { button, h } from './dom.js';
import { STATE_WORDS } from './marks/legend.js';
import { clean } from './text.js';

const KEYS = [
	['1 … 7', 'open the view with that number; 0: the comparison'],
	['wheel', 'zoom at the pointer, over a picture of time that is already zoomed; with Ctrl, over any; otherwise scroll'],
	['drag', 'an area: what ran, waited and exited in that time; in a heat map of lengths, also the intervals of those lengths; in the overview, the range of the whole page'],
	['Enter, double click', 'zoom to the area; Esc removes it; a double click outside of it: back to the whole window'],
	['shift-drag, right drag', 'move through time'],
	['w s  ·  a d', 'zoom in, out  ·  move left, right'],
	['f', 'fit: the slice or area chosen last, or the time between the marks, or everything'],
	['m', 'set a mark at the pointer, Enter names it; on a mark: rename or remove it; marks show their distance'],
	['e', 'an area between the marks'],
	['/', 'search tasks and VMs: a regular expression, as -t takes it'],
	['click', 'on a slice, an exit, a wake-up or a mark: its details, its cause and its neighbours; on a task, VM, CPU, exit reason or state: filter by it, again to undo'],
	[', .  ·  < >', 'previous, next  ·  next longer, next shorter interval of that task'],
	['← → ↑ ↓', 'move through a picture or the core map; Enter opens the item'],
	['Esc', 'one step back'],
];

const TERMS = [
	...Object.values(STATE_WORDS).map((text) => text.split(': ')).filter((t) => t.length === 2),
	['waited', 'preempted and waiting together: runnable, but not on a CPU'],
	['antagonist', 'a task that had the CPU for which a vCPU waited'],
	['wake-up latency', 'from the wake-up to running'],
	['run queue', 'the tasks that wait for a CPU, without the one that runs'],
	['own / forced switches', 'the task slept or blocked / it was preempted'],
	['hatched red', 'events are missing: figures of that time are unknown'],
];

let open = null;

export function closeHelp() {
	if (!open)
		return false;
	open.remove();
	open = null;
	return true;
}

export function showHelp(app) {
	if (closeHelp())
		return;
	const { capture, page } = app;
	const rows = (list) => h('dl', null, list.map(([term, text]) => [h('dt', null, term), h('dd', null, text)]));

	open = h('div', { class: 'help', role: 'dialog', 'aria-label': 'help', on: { click: (e) => { if (e.target === open) closeHelp(); } } },
		h('div', { class: 'help-box' },
			h('div', { class: 'help-head' }, h('strong', null, 'Help'), h('span', { class: 'space' }), button('×', 'close (Esc)', closeHelp, { class: 'icon' })),
			h('div', { class: 'help-columns' },
				h('div', null, h('h3', null, 'Keys and pointer'), rows(KEYS)),
				h('div', null, h('h3', null, 'Terms'), rows(TERMS))),
			h('p', { class: 'dim' }, `The address describes what you see: copy it to share this view with someone who has this file. ${clean(page.generator)}, ` +
				`from ${clean(capture.file)}${capture.command ? `, recorded by: ${clean(capture.command).slice(0, 1000)}` : ''}. ` +
				'Nothing is sent anywhere: this page works without a network.')));
	document.body.append(open);
	open.querySelector('button').focus();
}
