// SPDX-License-Identifier: GPL-2.0-only
// node shoot.mjs PAGE FILE.png=VIEW... - a picture of each view, in a window of 1280x800, light; it fails when the page does something forbidden.

import { Browser } from '../../page/_lib/browser.mjs';

const [page, ...pictures] = process.argv.slice(2);
const browser = await Browser.launch();
try {
	const tab = await browser.open(page, { width: 1280, height: 800, scheme: 'light' });
	await tab.ready();
	for (const [file, view] of pictures.map((text) => text.split('='))) {
		await tab.go(`#view=${view}`);
		await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
		await tab.screenshot(file);
	}
	if (tab.problems().length) throw new Error(tab.problems().join('\n'));
} finally {
	await browser.close();
}
