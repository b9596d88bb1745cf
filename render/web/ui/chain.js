// SPDX-License-Identifier: GPL-2.0-only
// A chain of wake-ups in words: "vhost-1841 late 165 ms ← CPU 0/KVM (waited 1.02 ms, ran 1.42 ms) ← an interrupt on CPU 1".
import { h, named, unbroken } from './dom.js';
import { clean, duration } from './text.js';

/** @links: rows of the table "chains"; at most @most are shown; @open: it waits at the window's end; @go(i): at a click on the name of link i, or null;
 * @room: of a name, in pixels. */
export function chainWords(links, most, open, go, room = Infinity) {
	const shown = links.slice(0, most);
	const name = (link, i) => {
		const text = h('span', { class: 'name', data: { link: link.link, key: 'waited_ns', value: link.waited_ns } }, named(clean(link.name), room));

		return go(i) ? h('button', { type: 'button', class: 'link', title: 'show this wait', on: { click: go(i) } }, text) : text;
	};

	return [
		name(links[0], 0), ...unbroken(` late ${duration(links[0].waited_ns)}${open ? ', still waiting at the window’s end,' : ''}`),
		...shown.slice(1).flatMap((link, i) => [' ← ', name(link, i + 1), ...unbroken(` (waited ${duration(link.waited_ns)}, ran ${duration(link.ran_ns)})`)]),
		' ← ', shown.length < links.length ? '…' : unbroken(clean(shown.at(-1).by)),
	];
}
