// SPDX-License-Identifier: GPL-2.0-only
// node looks.mjs NAME=PAGE=VIEW,VIEW... - of every view in both themes: each text has the contrast to its background that WCAG 2.1 AA asks for (4.5:1,
// 3:1 of large text; disabled elements are exempt), computed from the browser's styles; and all that the keyboard reaches, by Tab alone, in
// the order of the page, is named for a screen reader, marked when it has the focus, and in view; no number is on another line than its unit,
// or cut; counts have thousands separators; the page opens on a view that shows something, and what captures are compared by has values. A line
// "ok NAME" or "not ok NAME".

import { Browser } from './browser.mjs';

// In the page: texts with too little contrast, as lines.
const FAINT = `(() => {
	const parse = (text) => { const m = text.match(/[\\d.]+/g)?.map(Number) ?? []; return text.startsWith('color(srgb') ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
	const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3]));
	const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
	const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
	const ratio = (a, b) => { const [p, q] = [light(a), light(b)].sort((x, y) => y - x); return (p + 0.05) / (q + 0.05); };
	const chain = (el) => { const out = []; for (let e = el; e; e = e.parentElement) out.unshift(e); return out; };
	const bad = new Map();
	let seen = 0;
	const look = (el, text) => {
		const style = getComputedStyle(el);
		if (!text || !el.checkVisibility({ visibilityProperty: true }) || el.closest(':disabled, .offscreen, .brush')) return;
		const stack = chain(el);
		const ground = stack.reduce((under, e) => over(parse(getComputedStyle(e).backgroundColor), under), [255, 255, 255]);
		// half transparent elements are mixed with their background
		const faded = stack.reduce((all, e) => all * getComputedStyle(e).opacity, 1);
		const ink = over([...over(parse(el instanceof SVGElement ? style.fill : style.color), ground), faded], ground);
		const size = parseFloat(style.fontSize), need = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
		const is = ratio(ink, ground);
		seen++;
		if (is < need - 0.005) {
			const what = el.tagName.toLowerCase() + (typeof el.className === 'string' && el.className ? '.' + el.className.replaceAll(' ', '.') : '') + ' "' + text.slice(0, 24) + '"';
			bad.set(what.replace(/"[^]*/, '') + is.toFixed(1), what + ': ' + is.toFixed(2) + ' of ' + need + ', ' + ink.map(Math.round) + ' on ' + ground.map(Math.round));
		}
	};
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) if (!walk.currentNode.parentElement.closest('script, style, .picture')) look(walk.currentNode.parentElement, walk.currentNode.data.trim());
	for (const input of document.querySelectorAll('input[placeholder]')) look(input, input.value);
	return { seen, bad: [...bad.values()] };
})()`;

// In the page: numbers that a line's end or a cell's edge separates from their units, as lines.
const BROKEN = `(() => {
	const bad = new Set(), range = document.createRange();
	const walk = document.createTreeWalker(document.querySelector('#app') ?? document.body, NodeFilter.SHOW_TEXT);
	const lines = () => new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => Math.round(r.top))).size;
	let seen = 0;
	while (walk.nextNode()) {
		const text = walk.currentNode, el = text.parentElement;
		if (el.closest('script, style, .event-list, .picture') || !el.checkVisibility({ visibilityProperty: true })) continue;
		for (const { 0: held, index } of text.data.matchAll(/\\d[\\d.,]* (?:[nµm]?s|%)(?![\\w%])|CPU \\d+/g)) {
			range.setStart(text, index);
			range.setEnd(text, index + held.length);
			seen++;
			if (lines() > 1) bad.add('"' + held + '" is on two lines in "' + el.closest('p, li, div, td, a').textContent.slice(0, 60) + '"');
			const cell = el.closest('td, th'), box = range.getBoundingClientRect();
			if (cell && getComputedStyle(cell).overflowX === 'hidden' && box.right > cell.getBoundingClientRect().right - parseFloat(getComputedStyle(cell).paddingRight) + 1) bad.add('"' + held + '" is cut in a cell of ' + cell.closest('table').className);
		}
	}
	let counts = 0;
	for (const el of document.querySelectorAll('main, .head, .findings')) {
		const text = el.innerText.replace(/^.*\\[\\d{3}\\] .*$/gm, ''); // but those of events
		for (const [all, digits] of text.matchAll(/(?<![\\w.,:-])(\\d{4,}|\\d{1,3}(?:,\\d{3})+) (?:rows?|events|exits?|runs|waits|stays|returns|switches|times|tasks|more)\\b/g))
			if (counts++, !digits.includes(',')) bad.add('"' + all + '" has no thousands separator');
	}
	for (const box of document.querySelectorAll('.detail .table-scroll, .table-scroll')) if (box.checkVisibility() && box.scrollWidth > box.clientWidth + 1) bad.add((box.querySelector('[data-table]')?.dataset.table ?? '') + ' is ' + (box.scrollWidth - box.clientWidth) + ' pixels wider than its place');
	return { seen, counts, bad: [...bad] };
})()`;

// In the page as it opened: why its view shows nothing, or null. Null of the page of a job.
const OPENED = `(() => {
	const view = globalThis.cdictPage?.app.view.el;
	return !view || (!view.hidden && (cdictPage.state.view === 'cores' || !view.matches('.lacks')) && view.querySelector('td, canvas')) ? null : 'it opens on ' + cdictPage.state.view + ', which shows nothing';
})()`;

// In a comparison: why its first figure shows nothing, or null.
const COMPARED = `(() => {
	const cells = [...document.querySelectorAll('main td[data-key$=_base], main td[data-key$=_new]')].filter((td) => td.dataset.key.replace(/_(?:base|new)$/, '') === document.querySelector('main td[data-key$=_base]').dataset.key.slice(0, -5));
	return cells.length && cells.every((td) => td.textContent === '–') ? cells.length + ' cells of ' + cells[0].dataset.key + ' have no value' : null;
})()`;

// In the page: the element with the focus.
const FOCUS = `(() => {
	const el = document.activeElement;
	if (!el || el === document.body) return null;
	const { top, bottom, left, right } = el.getBoundingClientRect(), s = getComputedStyle(el);
	// the sides on which a box that scrolls cuts the mark
	const ring = parseFloat(s.outlineOffset) + parseFloat(s.outlineWidth), cut = new Set();
	for (let box = el.parentElement; box && box !== document.body; box = box.parentElement) {
		const { overflowX, overflowY } = getComputedStyle(box), r = box.getBoundingClientRect(), x = r.left + box.clientLeft, y = r.top + box.clientTop;
		if (overflowX !== 'visible') {
			if (left - ring < x - 0.6) cut.add('left');
			if (right + ring > x + box.clientWidth + 0.6) cut.add('right');
		}
		if (overflowY !== 'visible') {
			if (top - ring < y - 0.6) cut.add('top');
			if (bottom + ring > y + box.clientHeight + 0.6) cut.add('bottom');
		}
	}
	el.__tab ??= ++globalThis.__tabs || (globalThis.__tabs = 1);
	return { id: el.__tab, what: el.tagName.toLowerCase() + '.' + el.className + ' ' + (el.textContent ?? '').slice(0, 30), place: document.body.contains(el) ? [...document.querySelectorAll('*')].indexOf(el) : -1,
		marked: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0, cut: [...cut].join(), inView: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth };
})()`;

async function tabKey(tab) {
	const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
	await tab.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
	await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
}

// The keyboard's way through a view.
async function way(tab, what, says) {
	await tab.evaluate('void (document.activeElement?.blur(), globalThis.__tabs = 0, document.querySelectorAll("*").forEach((el) => { delete el.__tab; }), getSelection().removeAllRanges(), scrollTo(0, 0))');
	let last = -1, steps = 0;
	const inside = new Set();
	for (; steps < 60; steps++) {
		await tabKey(tab);
		const at = await tab.evaluate(FOCUS);
		if (!at || inside.has(at.id)) break;
		inside.add(at.id);
		says(at.marked, `${what}: ${at.what} is not marked when it has the focus`);
		says(!at.cut, `${what}: the mark of the focus on ${at.what} is cut: ${at.cut}`);
		says(at.inView, `${what}: ${at.what} has the focus out of view`);
		says(at.place > last, `${what}: ${at.what} comes before what was reached before it`);
		last = at.place;
	}
	says(steps > 8, `${what}: Tab reaches ${steps} things`);
}

async function names(tab, what, says) {
	await tab.send('Accessibility.enable');
	const { nodes } = await tab.send('Accessibility.getFullAXTree');
	const reached = nodes.filter((node) => !node.ignored && !['RootWebArea', 'generic', 'main', 'none'].includes(node.role?.value) && node.properties?.some((p) => p.name === 'focusable' && p.value.value));
	const nameless = reached.filter((node) => !node.name?.value?.trim());
	says(reached.length > 8, `${what}: the screen reader finds ${reached.length} things`);
	for (const node of nameless.slice(0, 3)) says(false, `${what}: a ${node.role.value} has no name`);
	for (const image of nodes.filter((node) => !node.ignored && ['image', 'img', 'Canvas'].includes(node.role?.value) && !node.name?.value).slice(0, 3)) says(false, `${what}: a ${image.role.value} has no name`);
	await tab.send('Accessibility.disable');
}

const browser = await Browser.launch();
try {
	for (const [name, file, ...rest] of process.argv.slice(2).map((text) => text.split('='))) {
		const wrong = { contrast: [], broken: [], keyboard: [] };
		let numbers = 0, counted = 0;
		for (const scheme of ['light', 'dark']) {
			const tab = await browser.open(file, { width: 1280, height: 800, scheme });
			await tab.until('(({ ready, drawn, failed }) => ready || drawn || failed || document.querySelector("svg.flame"))(document.documentElement.dataset)', 'the first view');
			const empty = await tab.evaluate(OPENED);
			if (empty) wrong.broken.push(empty);
			for (const view of rest.join('=').split(',')) {
				const what = `${view || name}, ${scheme}`;
				if (view) await tab.go(`#view=${view}`);
				await tab.idle();
				await tab.until('document.querySelector(".stale") === null', 'fresh figures');
				const { seen, bad } = await tab.evaluate(FAINT);
				if (seen < 5) wrong.contrast.push(`${what}: only ${seen} texts were seen`);
				wrong.contrast.push(...bad.slice(0, 6).map((text) => `${what}: ${text}`));
				if (scheme === 'dark') continue;
				const { seen: found, counts, bad: broken } = await tab.evaluate(BROKEN);
				numbers += found;
				counted += counts;
				const valueless = await tab.evaluate(COMPARED);
				if (valueless) wrong.broken.push(`${what}: ${valueless}`);
				wrong.broken.push(...broken.slice(0, 6).map((text) => `${what}: ${text}`));
				if (!view) continue;
				const says = (ok, text) => { if (!ok) wrong.keyboard.push(text); };
				await names(tab, what, says);
				await way(tab, what, says);
			}
			tab.problems().forEach((text) => wrong.contrast.push(text));
			await tab.close();
		}
		for (const [what, list] of [[`text_of_${name}_stands_out_in_both_themes`, wrong.contrast], [`numbers_of_${name}_keep_their_units`, [...wrong.broken, ...numbers > 5 || name === 'io' ? [] : [`only ${numbers} numbers`], ...counted || name !== 'run' ? [] : ['no counts']]], [`all_of_${name}_is_reached_by_tab_and_named`, wrong.keyboard]])
			console.log([`${list.length ? 'not ok' : 'ok'} ${what}`, ...list.slice(0, 14).map((text) => `    # ${text}`)].join('\n'));
	}
} finally {
	await browser.close();
}
