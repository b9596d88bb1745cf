// SPDX-License-Identifier: GPL-2.0-only
// node speed.mjs PAGE - how long a page of a large capture takes, in ms: until the first view (by the clock, and the CPU of
// the page's thread), for a zoom step (CPU of the page's thread, from the key until the frame is drawn), until each view of the
// whole capture is there (with the CPU of the page's thread and of the process), until a range's
// figures are there, and the time of the engine alone for figures: of the whole, and of 10 ms at places all over the capture
// (CPU of the worker's thread, which other people's work on the machine does not change much).

import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { Browser, sleep } from './browser.mjs';

const STEPS = 24;
const PLACES = 40;
const browser = await Browser.launch();
const sorted = (list) => list.toSorted((a, b) => a - b);
const median = (list) => sorted(list)[Math.floor(list.length / 2)];

// CPU in ms, by page process, of its threads of that name ("main", or their own name); Linux counts it in ns.
async function cpuOf(name) {
	const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
	return new Map(processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => {
		let ns = 0;
		for (const thread of readdirSync(`/proc/${id}/task`)) {
			const of = `/proc/${id}/task/${thread}`;
			try {
				if (name === 'main' ? thread === String(id) : readFileSync(`${of}/comm`, 'utf8').startsWith(name))
					ns += Number(readFileSync(`${of}/schedstat`, 'utf8').split(' ')[0]);
			} catch { } // it has ended
		}
		return [id, ns / 1e6];
	}));
}

// Since then, in the process that took most: the browser has others of its own.
const cpuSince = async (before, name) => Math.max(...[...await cpuOf(name)].map(([id, ms]) => ms - (before.get(id) ?? 0)));

// The page stops at its first view until it was looked how much CPU that took.
async function firstView(file) {
	const tab = await browser.open('/dev/null'); // a process of files, so that its start is not counted
	const event = tab.event.bind(tab);
	const view = new Promise((resolve) => {
		tab.event = (method, params) => (method === 'Page.javascriptDialogOpening' ? resolve(undefined) : event(method, params));
	});
	await tab.send('Page.addScriptToEvaluateOnNewDocument', {
		source: `{
			const measure = performance.measure.bind(performance);
			performance.measure = (name, how) => { measure(name, how); if (name === 'cdict-first-view') alert(name); };
		}`,
	});
	await sleep(1000);
	const before = await cpuOf('main');
	await tab.send('Page.navigate', { url: pathToFileURL(file).href });
	await view;
	const cpu = await cpuSince(before, 'main');
	await tab.send('Page.handleJavaScriptDialog', { accept: true });
	await tab.ready();
	await tab.close();
	return cpu;
}

try {
	const firstCpu = await firstView(process.argv[2]);
	const tab = await browser.open(process.argv[2]);
	await tab.ready();
	const first = await tab.evaluate('performance.getEntriesByName("cdict-first-view")[0].duration');
	const read = Date.now();
	await tab.until('document.readyState !== "loading"', 'the rest of the file');
	const rest = Date.now() - read; // in which a step may wait for a slice of it
	await sleep(300);
	await tab.send('Performance.enable', { timeDomain: 'threadTicks' });
	const renderers = async () => (await browser.send('SystemInfo.getProcessInfo')).processInfo.filter((p) => p.type === 'renderer').reduce((sum, p) => sum + 1000 * p.cpuTime, 0);
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
	const worst = {}, views = {};
	const marks = await tab.evaluate('performance.getEntriesByName("cdict-zoom").map((m) => m.duration)');
	for (const view of await tab.evaluate('cdictPage.app.views.map((v) => v.id)')) {
		const before = [performance.now(), await cpu(), await renderers()];
		await tab.go(`#view=${view}`, 120000);
		const after = [performance.now(), await cpu(), await renderers()];
		views[view] = after.map((end, i) => Math.round(end - before[i]));
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
	// Each place is asked for once: the time that a user waits there. The same places in every run.
	const places = [];
	for (let i = 0, seed = 7; i < PLACES; i++) {
		seed = (seed * 1103515245 + 12345) % 2 ** 31;
		const place = Math.floor(from + (seed / 2 ** 31) * (to - from - 10e6));
		const start = await cpuOf('DedicatedWorker');
		await tab.evaluate(`cdictPage.decoder.figures(cdictPage.page.captures[0], [${place}, ${place + 10e6}]).then(() => undefined)`);
		places.push(await cpuSince(start, 'DedicatedWorker'));
	}
	const ms10 = await wait(10e6);
	const tenth = await wait((to - from) / 10);
	console.log(JSON.stringify({
		first_view_ms: Math.round(first), first_view_cpu_ms: Math.round(firstCpu), read_after_ms: rest, zoom_ms: Math.round(median(steps)), zoom_max_ms: Math.round(Math.max(...steps)),
		zoom_steps: steps.length, zoom_drawn: marks.length, zoom_max_by_view: worst, view_ms_page_process: views, figures_whole_ms: Math.round(whole), figures_10ms_us: Math.round(1000 * median(places)), figures_10ms_worst_us: Math.round(1000 * Math.max(...places)), range_10ms_ms: ms10, range_tenth_ms: tenth, problems: tab.problems()
	}));
} finally {
	await browser.close();
}
