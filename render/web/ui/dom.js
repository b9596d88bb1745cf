// SPDX-License-Identifier: GPL-2.0-only
// Elements of the document. Text is inserted only here, and only by textContent.
import { fit } from './text.js';

/**
 * An element: h('td', {class: 'num', data: {key: 'run_ns'}, title: 'x', on: {click: f}}, 'text', child, …).
 * Strings become text nodes, null and false are left out.
 */
export function h(tag, props, ...children) {
	return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function s(tag, props, ...children) {
	return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);
}

function fill(el, props, children) {
	for (const [key, value] of Object.entries(props ?? {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (key === 'on') {
			for (const [type, listener] of Object.entries(value))
				el.addEventListener(type, listener);
		} else if (key === 'data') {
			for (const [name, v] of Object.entries(value)) {
				if (v !== null && v !== undefined)
					el.setAttribute(`data-${name}`, String(v));
			}
		} else if (key === 'css') {
			for (const [name, v] of Object.entries(value)) {
				if (v !== null && v !== undefined)
					el.style.setProperty(name, String(v));
			}
		} else {
			el.setAttribute(key, value === true ? '' : String(value));
		}
	}
	el.append(...children.flat(2).filter((c) => c !== null && c !== undefined && c !== false));
	return el;
}

export function replace(el, ...children) {
	el.replaceChildren(...children.flat(2).filter((c) => c !== null && c !== undefined && c !== false));
}

/** The same; @el keeps its greatest height so far, so that things below do not move away from under the pointer. */
export function replaceKept(el, ...children) {
	// read before the change: afterwards it would lay out the page once more
	if (el.childElementCount)
		el.style.minHeight = `${Math.max(el.getBoundingClientRect().height, parseFloat(el.style.minHeight) || 0)}px`;
	replace(el, ...children);
}

/** Pixels for names in a table that is as wide as the window: @narrow where its other columns need the rest. */
export function nameRoom(narrow) {
	return innerWidth >= 1600 ? 228 : narrow;
}

/** A name, shortened to @room pixels, with the whole one as title. */
export function named(name, room = 228) {
	const short = name.length > room / 12 ? fit(name, room, 13) : name;

	return h('bdi', short === name ? null : { title: name }, short);
}

const HELD = /(?:[<>≤≥] )?(?:\d+ × )?\d[\d.,]* (?:[nµm]?s|%|[kMGT]?i?B|vCPUs?|times?|exits?)(?![\w%])|CPU \d+/g;

/** @text for the document: no line ends between a number and its unit, or between CPU and its number. */
export function unbroken(text) {
	const out = [];
	let at = 0;

	for (const { 0: held, index } of text.matchAll(HELD)) {
		out.push(text.slice(at, index), h('span', { class: 'held' }, held));
		at = index + held.length;
	}
	return [...out, text.slice(at)].filter(Boolean);
}

export function button(text, title, listener, props) {
	return h('button', { type: 'button', title, on: { click: listener }, ...props }, text);
}

/** A little square before a legend's words or a row's name. @look: further classes. */
export function swatch(colour, look = '') {
	return h('span', { class: `swatch ${look}`.trim(), css: { background: colour } });
}

/** Attributes that make another element a button for keyboard and screen reader (keys.js). */
export const ENTER = { tabindex: '0', 'data-enter': '' };

/** Buttons of which one is on: choice([['count', 'count'], …], 'count', (v) => …). */
export function choice(label, options, value, listener) {
	return h('span', { class: 'choice', role: 'group', 'aria-label': label },
		label ? h('span', { class: 'dim' }, label) : null,
		options.map(([key, text, title]) => button(text, title ?? null, () => listener(key), {
			'aria-pressed': String(key === value), class: key === value ? 'on' : null,
			data: { choice: key },
		})));
}
