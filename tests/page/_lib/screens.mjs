// SPDX-License-Identifier: GPL-2.0-only
// node screens.mjs PAGE DIRECTORY PREFIX [VIEW...] - a picture of each view at two sizes, light and
// dark; those that hold next to nothing are named.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from './browser.mjs';

const [file, directory, prefix, ...chosen] = process.argv.slice(2);
const views = chosen.length ? chosen : ['vcpus', 'exits', 'tasks', 'coremap', 'switches', 'cores', 'cores&paint=group', 'cores&paint=state', 'tasks&fold=groups', 'coremap&fold=groups'];
const sizes = [[1280, 800], [1920, 1080], [3840, 2160]];
const wrong = [];
let made = 0;

const browser = await Browser.launch();
try {
	for (const [width, height] of sizes) {
		for (const scheme of ['light', 'dark']) {
			const tab = await browser.open(file, { width, height, scheme });
			await tab.ready();
			for (const view of views) {
				await tab.go(`#view=${view}`);
				await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
				const name = join(directory, `${prefix}-${view.replaceAll(/[&=]/g, '-')}-${width}x${height}-${scheme}.png`);
				await tab.screenshot(name);
				made++;
				// one colour makes some 5 kB at these sizes
				if (statSync(name).size < 15000) wrong.push(`${name} is nearly blank`);
				const wide = await tab.evaluate('document.documentElement.scrollWidth - innerWidth');
				if (wide > 0) wrong.push(`${view} at ${width}x${height} is ${wide} pixels too wide`);
			}
			tab.problems().forEach((text) => wrong.push(text));
			await tab.close();
		}
	}
} catch (error) {
	wrong.push(error.message);
} finally {
	await browser.close();
}
console.log(wrong.length ? wrong.join('\n') : `${made} pictures`);
process.exit(wrong.length ? 1 : 0);
