// SPDX-License-Identifier: GPL-2.0-only
// node quiet.mjs [--firefox] PAGE... - each page, view by view, with what people do: nothing on the console, no
// request, no dialog, no element that foreign text made. A line "PAGE: quiet" for each, or one for each
// thing that it does.

import { sleep } from './tab.mjs';

const firefox = process.argv[2] === '--firefox';
const files = process.argv.slice(firefox ? 3 : 2);
const { Browser } = await import(firefox ? './firefox.mjs' : './browser.mjs');

const VIEWS = ['vcpus', 'exits', 'tasks', 'tasks&fold=groups', 'coremap', 'coremap&fold=groups', 'switches', 'cores', 'cores&paint=group', 'compare', 'compare&compare=tasks&fold=groups'];

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

async function useIt(tab) {
	for (const [x, y] of [[300, 160], [700, 340], [900, 480], [200, 560]]) {
		await tab.move(x, y);
		await sleep(30);
	}
	await tab.wheel(700, 340, -240);
	await tab.drag(400, 165, 700, 165);
	for (const key of ['w', 'd', 's', 'a', 'f', 'm', '?', 'Escape', '/', 'Escape', 'Escape']) await tab.key(key);
	await tab.idle();
	// what folds is opened, and what can be taken along is looked at
	await tab.evaluate('void document.querySelectorAll(".group-name .opener, .menu summary").forEach((el) => el.click())');
	await tab.idle();
}

async function visit(browser, file) {
	const wrong = [];
	const tab = await browser.open(file);
	try {
		await tab.ready();
		for (const view of VIEWS) {
			await tab.go(`#view=${view}`);
			await useIt(tab);
			const injected = await tab.evaluate(INJECTED);
			if (injected) wrong.push(`${view}: ${injected}`);
			// of one that is not quiet no more is to be known
			if (tab.problems().length) break;
		}
	} catch (error) {
		wrong.push(error.message);
	}
	await tab.look();
	wrong.push(...tab.problems());
	await tab.close();
	return wrong;
}

const browser = await Browser.launch();
try {
	for (const file of files) {
		const wrong = await visit(browser, file);
		if (!wrong.length) console.log(`${file}: quiet`);
		for (const text of wrong.slice(0, 12)) console.log(`${file}: ${text.replaceAll('\n', ' ')}`);
	}
} finally {
	await browser.close();
}
