// SPDX-License-Identifier: GPL-2.0-only
// node screens.mjs DIRECTORY NAME=PAGE=VIEW,VIEW... - pictures of each page's views: at three sizes, light and dark, as seen by people
// that see no green or no colour, and on paper. A line "ok NAME" or "not ok NAME" a page: nothing is blank, wider than the window, cut, or
// dark on paper. SCREENS=all: every page in every size, theme and sight; else a sample.

import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, sleep } from './browser.mjs';

const [directory, ...pages] = process.argv.slice(2);
const ALL = process.env.SCREENS === 'all';
const SIZES = [[1280, 800], [1920, 1080], [3840, 2160]];
const EACH = SIZES.flatMap((size) => ['light', 'dark'].map((scheme) => [size, scheme]));
const SAMPLE = [[SIZES[0], 'light'], [SIZES[1], 'dark']];
const SIGHTS = ['deuteranopia', 'achromatopsia'];
const SEEN = { run: EACH, small: [EACH[0]], host: [EACH[0]], loss: [EACH[0]], flame: [EACH[0]] }; // in the sample, else SAMPLE
const PAPER = ['run', 'host', 'small', 'stacks']; // in the sample
const LEAST_BYTES = 15000; // one colour makes some 5 kB at these sizes

// Hidden content: a table or matrix wider than its place.
const CUT = `[...document.querySelectorAll('.table-scroll, .delays-scroll, .table-box, .tools')].filter((el) => el.checkVisibility() && el.scrollWidth > el.clientWidth + 1)
	.map((el) => (el.querySelector('[data-table]')?.dataset.table ?? el.className) + ' is ' + (el.scrollWidth - el.clientWidth) + ' pixels wider than its place').join(', ')`;

// On paper nothing can be scrolled to.
const OVER = `[...document.querySelectorAll('table, .plot')].filter((el) => el.checkVisibility() && el.getBoundingClientRect().right > document.body.clientWidth + 1)
	.map((el) => (el.dataset.table ?? el.className) + ' is wider than the paper').join(', ')`;
const DARK = [{ name: 'prefers-color-scheme', value: 'dark' }];
const BLANK = 254.75; // the mean brightness of a sheet with less than a line

async function settled(tab) {
	await tab.until('(({ ready, drawn, failed }) => ready || drawn || failed || document.querySelector("svg.flame"))(document.documentElement.dataset)', 'the first view');
	await tab.idle();
	await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

async function show(tab, view) {
	if (view)
		await tab.go(`#view=${view}`);
	await settled(tab);
}

async function picture(tab, name, wrong) {
	await tab.screenshot(name);
	if (statSync(name).size < LEAST_BYTES) wrong.push(`${name} is nearly blank`);
}

async function size(browser, { name, file, views }, [[width, height], scheme], sight, wrong) {
	const tab = await browser.open(file, { width, height, scheme });
	if (sight) await tab.send('Emulation.setEmulatedVisionDeficiency', { type: sight });
	await settled(tab);
	for (const view of views) {
		const what = `${name}-${view.replaceAll(/[&=]/g, '-')}-${width}x${height}-${scheme}${sight ? `-${sight}` : ''}`;
		await show(tab, view);
		await picture(tab, join(directory, `${what}.png`), wrong);
		const wide = await tab.evaluate('document.documentElement.scrollWidth - innerWidth');
		if (wide > 0) wrong.push(`${what} is ${wide} pixels too wide`);
		const cut = await tab.evaluate(CUT);
		if (cut) wrong.push(`${what}: ${cut}`);
	}
	tab.problems().forEach((text) => wrong.push(text));
	await tab.close();
}

// The brightness of a page of a PDF: {mean, edge}, edge the darkest within 8 mm of its right end, where nothing may be printed.
function printed(pdf, page) {
	const ppm = execFileSync('pdftoppm', ['-r', '40', '-f', String(page), '-l', String(page), pdf], { maxBuffer: 1 << 26 });
	const [, wide, tall] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.subarray(0, 40).toString('latin1')).map(Number);
	const pixels = ppm.subarray(ppm.length - wide * tall * 3);
	const margin = Math.floor(8 / 25.4 * 40);
	let sum = 0, edge = 255;
	for (let i = 0; i < pixels.length; i++) {
		sum += pixels[i];
		if (Math.floor(i / 3) % wide >= wide - margin) edge = Math.min(edge, pixels[i]);
	}
	return { mean: sum / pixels.length, edge };
}

// On paper: light though the page is dark, its names and figures there, controls not, nothing over the edge.
async function paper(browser, { name, file, views }, wrong) {
	const tab = await browser.open(file, { width: 1280, height: 800, scheme: 'dark' });
	await settled(tab);
	for (const view of views) {
		const what = join(directory, `${name}-${view.replaceAll(/[&=]/g, '-')}.pdf`);
		await show(tab, view);
		const { data } = await tab.send('Page.printToPDF', { preferCSSPageSize: true, printBackground: true });
		writeFileSync(what, Buffer.from(data, 'base64'));
		const text = execFileSync('pdftotext', ['-layout', what, '-'], { encoding: 'utf8' });
		const shown = await tab.evaluate('document.querySelector(".what strong")?.textContent ?? ""');
		if (!text.includes(shown)) wrong.push(`${what} does not say ${shown}`);
		for (const control of ['filter rows', 'search tasks', 'show every', 'drag:', 'CSV'])
			if (text.includes(control)) wrong.push(`${what} has the control "${control}"`);
		const sheets = Number(/^Pages:\s+(\d+)/m.exec(execFileSync('pdfinfo', [what], { encoding: 'utf8' }))[1]);
		const { mean, edge } = printed(what, 1);
		if (mean < 190) wrong.push(`${what} is dark: ${mean.toFixed(0)} of 255`);
		if (edge < 250) wrong.push(`${what} goes over the edge of the paper`);
		if (printed(what, sheets).mean > BLANK) wrong.push(`${what} ends with a sheet of nothing`);
		if (view === 'flame' && !text.includes('all')) wrong.push(`${what} has no flame graph`);
		await tab.send('Emulation.setEmulatedMedia', { media: 'print', features: DARK });
		await tab.evaluate('dispatchEvent(new Event("beforeprint"))');
		await tab.idle();
		const wide = await tab.evaluate(OVER);
		if (wide) wrong.push(`${what}: ${wide}`);
		await tab.evaluate('dispatchEvent(new Event("afterprint"))');
		await tab.send('Emulation.setEmulatedMedia', { media: '', features: DARK });
		await tab.idle();
		await sleep(50);
		if (await tab.evaluate('document.documentElement.dataset.theme !== "dark" || document.documentElement.dataset.print !== undefined'))
			wrong.push(`${view} is not dark again when it was printed`);
	}
	await tab.close();
}

const hasPdf = (() => {
	try {
		execFileSync('pdftoppm', ['-v'], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
})();

const browser = await Browser.launch();
try {
	for (const page of pages.map((text) => text.split('=')).map(([name, file, ...rest]) => ({ name, file, views: rest.join('=').split(',') }))) {
		const wrong = [];
		try {
			for (const look of ALL ? EACH : SEEN[page.name] ?? SAMPLE) await size(browser, page, look, null, wrong);
			if (ALL || page.name === 'small')
				for (const sight of SIGHTS) await size(browser, page, [SIZES[0], 'light'], sight, wrong);
			if (hasPdf && (ALL || PAPER.includes(page.name)) && page.views[0] !== '') await paper(browser, page, wrong);
		} catch (error) {
			wrong.push(error.stack);
		}
		console.log([`${wrong.length ? 'not ok' : 'ok'} every_view_of_${page.name}_is_drawn_whole`, ...wrong.slice(0, 12).map((text) => `    # ${text}`)].join('\n'));
	}
} finally {
	await browser.close();
}
if (!hasPdf) console.log('skip views_are_printed pdftoppm is not installed');
