// SPDX-License-Identifier: GPL-2.0-only
// node speed.mjs PAGE - how long a page of a large capture takes, in ms: until the first view, for a
// zoom step (CPU of the page's thread, from the key until the frame is drawn), until a range's figures are there, and what the
// engine alone takes for figures (one thread: on a quiet machine that is its CPU).

import { Browser, sleep } from './browser.mjs';

const STEPS = 24;
const browser = await Browser.launch();
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
try {
	const tab = await browser.open(process.argv[2]);
	await tab.ready();
	const first = await tab.evaluate('performance.getEntriesByName("cdict-first-view")[0].duration');
	await sleep(300);
	await tab.send('Performance.enable', { timeDomain: 'threadTicks' });
	const cpu = async () => 1000 * (await tab.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
	// Keys as people press them, in every view, from the whole capture down and back.
	const stepsOf = async () => {
		const out = [];
		for (let i = 0; i < STEPS; i++) {
			const start = await cpu();
			await tab.evaluate(`(async () => {
				document.dispatchEvent(new KeyboardEvent('keydown', { key: '${i % 8 < 4 ? 'w' : 's'}', bubbles: true }));
				await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
			})()`);
			out.push(await cpu() - start);
			await sleep(40);
		}
		return out;
	};
	const steps = await stepsOf(); // of the view a page opens with, as soon as it is there
	const worst = {};
	const marks = await tab.evaluate('performance.getEntriesByName("cdict-zoom").map((m) => m.duration)');
	for (const view of await tab.evaluate('cdictPage.app.views.map((v) => v.id)')) {
		await tab.go(`#view=${view}`, 120000);
		const more = await stepsOf();
		worst[view] = Math.round(Math.max(...more));
		steps.push(...more);
	}
	await tab.idle(120000);
	await tab.evaluate('location.hash = "#view=tasks"; undefined');
	await tab.idle(120000);
	const [from, to] = await tab.evaluate('[cdictPage.page.captures[0].window.from, cdictPage.page.captures[0].window.to]');
	const at = from + (to - from) / 2;
	const wait = async (length) => {
		const start = Date.now();
		await tab.evaluate(`location.hash = "#view=tasks&range=${Math.floor(at)},${Math.floor(at + length)}"; undefined`);
		await sleep(20);
		await tab.until('document.documentElement.dataset.busy === undefined', 'figures', 120000);
		return Date.now() - start;
	};
	// Medians; the first question of all waits for the browser's better compiler.
	const asked = async (from, to, times) => {
		const all = JSON.parse(await tab.evaluate(`(async () => {
			const capture = cdictPage.page.captures[0], all = [];
			await cdictPage.decoder.open(capture);
			for (let i = 0; i < ${times}; i++) {
				const start = performance.now();
				await cdictPage.decoder.figures(capture, [${from}, ${to}]);
				all.push(performance.now() - start);
			}
			return JSON.stringify(all);
		})()`));
		return median(all.slice(1));
	};
	const whole = await asked(from, to, 4);
	const engine10 = await asked(Math.floor(at), Math.floor(at + 10e6), 10);
	const ms10 = await wait(10e6);
	const tenth = await wait((to - from) / 10);
	console.log(JSON.stringify({
		first_view_ms: Math.round(first), zoom_ms: Math.round(median(steps)), zoom_max_ms: Math.round(Math.max(...steps)),
		zoom_steps: steps.length, zoom_drawn: marks.length, zoom_max_by_view: worst, figures_whole_ms: Math.round(whole), figures_10ms_us: Math.round(1000 * engine10), range_10ms_ms: ms10, range_tenth_ms: tenth, problems: tab.problems()
	}));
} finally {
	await browser.close();
}
