// SPDX-License-Identifier: GPL-2.0-only
// node shoot.mjs PAGE FILE.png=VIEW... - a picture of each view, in a window of 1280x800, light, and in FILE.txt the words of the
// page; it fails when the page does something forbidden.

import { writeFileSync } from 'node:fs';
import { Browser } from '../../page/_lib/browser.mjs';

// The page's text, a line for each row or paragraph, wherever the browser breaks its lines; where a name is shortened depends on the letters' widths.
const WORDS = `document.body.innerText.replace(/[^\\S\\n]+/g, ' ').replace(/ ?\\n\\s*/g, '\\n').replace(/\\S*…\\S*/g, '…') + '\\n'`;

const [page, ...pictures] = process.argv.slice(2);
const browser = await Browser.launch();
try {
	const tab = await browser.open(page, { width: 1280, height: 800, scheme: 'light' });
	await tab.ready();
	for (const [file, view] of pictures.map((text) => text.split('='))) {
		await tab.go(`#view=${view}`);
		await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
		await tab.screenshot(file);
		writeFileSync(file.replace(/png$/, 'txt'), await tab.evaluate(WORDS));
	}
	if (tab.problems().length) throw new Error(tab.problems().join('\n'));
} finally {
	await browser.close();
}
