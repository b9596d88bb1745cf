// SPDX-License-Identifier: GPL-2.0-only
// Help on keys and gestures, and a glossary.
import { button, h } from './dom.js';
import { STATE_WORDS } from './marks/legend.js';
import { clean } from './text.js';

const KEYS = [
	['1 … 7', 'the views; 0: the comparison, when there is one'],
	['wheel', 'zoom at the pointer, over a picture of time that is zoomed; Ctrl: over the whole one, too; else it scrolls'],
	['drag', 'choose a range of time for the whole page'],
	['shift-drag, right drag', 'move through time'],
	['double click', 'the whole window again'],
	['w s  ·  a d', 'zoom in, out  ·  move left, right'],
	['f', 'fit: the slice clicked last, or what is between two marks, or everything'],
	['m', 'a mark at the pointer; two show their distance'],
	['/', 'search tasks and VMs: a regular expression, as -t takes it'],
	['click', 'on a slice, an exit, a wake-up or a mark: its details, with what led to it and its neighbours'],
	[', .  ·  < >', 'the thing before, the next  ·  the next longer, the next shorter of that task'],
	['click', 'on a task, VM, CPU, exit reason or state: filter by it; again: no longer'],
	['← → ↑ ↓', 'in a picture or the core map: what is where; Enter opens it'],
	['Esc', 'one step back'],
];

const TERMS = [
	...Object.values(STATE_WORDS).map((text) => text.split(': ')).filter((t) => t.length === 2),
	['waited', 'preempted and waiting together: the vCPU wanted to run and could not'],
	['antagonist', 'who had the CPU meanwhile'],
	['wake-up latency', 'from the wake-up to running'],
	['own / forced switches', 'the task slept or blocked / it was preempted'],
	['hatched red', 'events are missing there: figures of that time are not known'],
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
				h('div', null, h('h3', null, 'Words'), rows(TERMS))),
			h('p', { class: 'dim' }, `The address holds what you see: copy it to show it to somebody who has this file. ${clean(page.generator)}, ` +
				`from ${clean(capture.file)}${capture.command ? `, recorded by: ${clean(capture.command).slice(0, 1000)}` : ''}. ` +
				'Nothing is sent anywhere: this page works without a network.')));
	document.body.append(open);
	open.querySelector('button').focus();
}
