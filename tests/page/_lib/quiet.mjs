// SPDX-License-Identifier: GPL-2.0-only
// node quiet.mjs [--firefox] PAGE | +PAGE... - each page, view by view, with the actions of a user, and exports: nothing on the console, no
// request, no dialog, no element that foreign text made. A line "PAGE: quiet" for each, or one for each
// thing that it does. Of +PAGE everything that can be taken along is, too, and all kinds of names are chosen and looked at.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sleep } from './tab.mjs';

const firefox = process.argv[2] === '--firefox';
const files = process.argv.slice(firefox ? 3 : 2).map((file) => file.replace(/^\+/, ''));
const thorough = new Set(process.argv.filter((file) => file.startsWith('+')).map((file) => file.slice(1)));
const { Browser } = await import(firefox ? './firefox.mjs' : './browser.mjs');

const VIEWS = ['vcpus', 'exits', 'tasks', 'tasks&fold=groups', 'coremap', 'coremap&fold=groups', 'switches', 'cores', 'cores&paint=group', 'flame', 'compare', 'compare&compare=tasks&fold=groups'];

// Elements that no page of ours has, and names that would run or reorder text.
const INJECTED = `(() => {
	const bad = [];
	for (const el of document.querySelectorAll('iframe, object, embed, form, base, link:not([rel=icon]), audio, video, img:not([src^="blob:"]):not([src^="data:"])'))
		bad.push(el.outerHTML.slice(0, 100));
	for (const el of document.querySelectorAll('*'))
		for (const a of el.attributes) if (/^on/i.test(a.name) || (/^(href|src|xlink:href|action)$/i.test(a.name) && /^\\s*javascript:/i.test(a.value))) bad.push(el.tagName + ' ' + a.name + '=' + a.value.slice(0, 60));
	if (document.scripts.length !== 2 + document.querySelectorAll('script[type]').length) bad.push('another script');
	const walk = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
	while (walk.nextNode())
		if (/[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]/.test(walk.currentNode.data)) bad.push('text ' + JSON.stringify(walk.currentNode.data.slice(0, 60)));
	return bad.slice(0, 5).join('; ');
})()`;

// Texts of the page for everything that can be pointed at; the cards that were shown.
const OBSERVED = `(() => {
	const { app } = cdictPage;
	let n = 0;
	for (const plot of [...app.view.plots, app.overview.plot, app.pins.plot])
		for (let i = 0; i < 20 && plot?.width; i++)
			for (let k = 0; k < 6; k++) {
				const lines = plot.options.hit?.(plot.width * (i + 0.5) / 20, plot.height * (k + 0.5) / 6)?.lines;
				if (lines) app.card.show(lines, 5 + n++, 5);
			}
	for (const el of document.querySelectorAll('main [data-card]')) {
		el.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 5, clientY: 5 }));
		n++;
	}
	return n;
})()`;
// Everything that can be taken along, as the menu gives it: [{name, type, text}].
const TAKEN = `(async () => {
	const out = [], { createObjectURL } = URL, { click } = HTMLAnchorElement.prototype;
	let blob;
	URL.createObjectURL = (b) => { blob = b; return createObjectURL.call(URL, b); };
	HTMLAnchorElement.prototype.click = function () { if (this.download) out.push({ name: this.download, blob }); else click.call(this); };
	const open = async () => { document.querySelector('details.menu').open = true; await new Promise((done) => setTimeout(done, 20)); };
	await open();
	for (const save of [...document.querySelectorAll('.menu-box [data-save]:not([data-save=print]):not([data-save=copy-png])')].map((el) => el.dataset.save)) {
		const before = out.length;
		await open();
		document.querySelector('.menu-box [data-save="' + save + '"]').click();
		for (let i = 0; i < 100 && save !== 'copy-svg' && out.length === before; i++) await new Promise((done) => setTimeout(done, 20));
	}
	Object.assign(URL, { createObjectURL });
	HTMLAnchorElement.prototype.click = click;
	return JSON.stringify(await Promise.all(out.map(async ({ name, blob: b }) => ({ name, type: b.type, text: b.type === 'image/png' ? String(b.size) : await b.text() }))));
})()`;
// Names in a filter, searched for, pinned, shown in detail, opened.
const DEEDS = `(async () => {
	const { app } = cdictPage, { capture } = app;
	const some = capture.tasks.filter((t) => t.tid).slice(0, 8), idle = () => new Promise((done) => { const look = () => (document.documentElement.dataset.busy ? setTimeout(look, 10) : done()); setTimeout(look, 20); });
	const of = (key) => [...new Set(capture.tasks.map((t) => t[key]).filter((text) => text !== null && text !== undefined))].slice(0, 6);
	const reasons = capture.tables.exit_reasons.rows.map((row) => row[capture.tables.exit_reasons.columns.indexOf('reason')]);
	app.set({ pins: some.map((t) => t.index).slice(0, 4), tasks: some.map((t) => t.index).slice(0, 3) });
	await idle();
	for (const part of [{ vms: of('vm') }, { groups: of('fold'), vms: [] }, { groups: [], reasons }, { reasons: [], search: '<|script|proto' }, { search: '' }]) {
		app.set({ tasks: [], ...part });
		await idle();
	}
	for (const [i, t] of some.entries()) {
		for (const kind of ['run', 'wait', 'off', 'guest', 'exit', 'state'].slice(0, i < 2 ? 6 : 1)) {
			app.details.look(kind, t.index, (t.first_ns ?? 0) + 1);
			await idle();
		}
	}
	app.details.close();
	for (const el of [...document.querySelectorAll('.finding, td.cell button, .found-row, table.vcpus .opener')].slice(0, 6)) {
		el.click();
		await idle();
	}
	return location.href;
})()`;

// A picture is XML that runs and asks for nothing; no cell of a table is taken for a formula.
const FORMULA = /^(?:"(?:""|[^"])*"|[^",\r\n]*)$/;
function taken(files, wrong) {
	for (const { name, type, text } of files) {
		if (/[/\\\u0000-\u001f\u202e]/.test(name)) wrong.push(`a file is called ${JSON.stringify(name)}`);
		if (type === 'image/svg+xml' && /<(?:script|image|foreignObject|a|style|use|iframe)\b|\son\w+\s*=\s*["']|javascript:\w*\(/i.test(text.replace(/>[^<]*</g, '><')))
			wrong.push(`${name} has more than shapes and texts`);
		if (type === 'image/png' && !(Number(text) > 1000)) wrong.push(`${name} has ${text} bytes`);
		if (type === 'text/csv')
			for (const line of text.split('\r\n')) for (const cell of line.match(/"(?:""|[^"])*"|[^,]+/g) ?? [])
				if (!FORMULA.test(cell) || (/^"?[=+\-@\t]/.test(cell) && !/^-?[\d.]+(?:e[+-]?\d+)?$/i.test(cell))) wrong.push(`${name}: ${cell} is a formula`);
	}
}

async function useIt(tab) {
	for (const [x, y] of [[300, 160], [700, 340], [900, 480], [200, 560]]) {
		await tab.move(x, y);
		await sleep(30);
	}
	await tab.wheel(700, 340, -240);
	await tab.drag(400, 165, 700, 165);
	for (const key of ['w', 'd', 's', 'a', 'f', 'm', '?', 'Escape', '/', 'Escape', 'Escape']) await tab.key(key);
	await tab.idle();
	// folded parts are opened, and exports are checked
	await tab.evaluate('void document.querySelectorAll(".group-name .opener, .menu summary").forEach((el) => el.click())');
	await tab.idle();
}

// The actions of a picture that is opened as a document.
async function openPicture(browser, { name, text }, wrong) {
	const path = join(mkdtempSync(join(tmpdir(), 'taken-')), 'x.svg');
	writeFileSync(path, text);
	const tab = await browser.open(path);
	await sleep(100);
	if (!(await tab.evaluate('document.documentElement.localName === "svg" && !document.querySelector("parsererror, script, [onload], [onerror]")'))) wrong.push(`${name} is not a picture`);
	await tab.look();
	wrong.push(...tab.problems().map((text_) => `${name}: ${text_}`));
	await tab.close();
}

async function visit(browser, file, thoroughly) {
	const wrong = [];
	let pictures = 0, tables = 0;
	const tab = await browser.open(file);
	try {
		await tab.ready();
		for (const view of VIEWS) {
			await tab.go(`#view=${view}`);
			await useIt(tab);
			const injected = await tab.evaluate(INJECTED);
			if (injected) wrong.push(`${view}: ${injected}`);
			await tab.evaluate(OBSERVED);
			// of one that is not quiet no more is to be known
			if (tab.problems().length || wrong.length) break;
			if (!thoroughly) continue;
			const files = JSON.parse(await tab.evaluate(TAKEN));
			taken(files, wrong);
			for (const svg of files.filter(({ type }) => type === 'image/svg+xml')) {
				pictures++;
				await openPicture(browser, svg, wrong);
			}
			tables += files.filter(({ type }) => type === 'text/csv').length;
			if (['vcpus', 'exits', 'tasks&fold=groups', 'cores'].includes(view)) await tab.evaluate(DEEDS);
			await tab.idle();
			await tab.evaluate(OBSERVED);
			const more = await tab.evaluate(INJECTED);
			if (more) wrong.push(`${view}, used: ${more}`);
			if (tab.problems().length || wrong.length) break;
		}
		if (thoroughly && !wrong.length && !tab.problems().length && (!pictures || !tables)) wrong.push(`${pictures} pictures and ${tables} tables could be taken along`);
	} catch (error) {
		wrong.push(error.stack ?? error.message);
	}
	await tab.look();
	wrong.push(...tab.problems());
	await tab.close();
	return wrong;
}

const browser = await Browser.launch();
try {
	for (const file of files) {
		const wrong = await visit(browser, file, thorough.has(file));
		if (!wrong.length) console.log(`${file}: quiet`);
		for (const text of wrong.slice(0, 12)) console.log(`${file}: ${text.replaceAll('\n', ' ')}`);
	}
} finally {
	await browser.close();
}
