// SPDX-License-Identifier: GPL-2.0-only
// node keys.mjs PAGE CDICT - by keys alone: from cell to cell of the core map and from slice to slice of the cores, each named for a
// screen reader with the figures of the commands, and opened by Enter. A line "ok NAME" or "not ok NAME" for each.

import { Browser } from './browser.mjs';
import { cdict, parseExact } from './page.mjs';

const [page, file] = process.argv.slice(2);
const number = (text, pattern) => BigInt((pattern.exec(text) ?? [])[1]?.replace(/[,.]/g, '') ?? -1);

async function coremap(tab, says) {
	const rows = parseExact(cdict('coremap', '-q', '--format', 'json', file)).coremap.filter((row) => !row.idle && !row.unknown);
	const names = new Map(JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.page.captures[0].tasks.map((t) => [cdictPage.app.who(t.index), t.tid]))')));
	await tab.go('#view=coremap&fold=tasks');
	says(await tab.evaluate(`document.querySelectorAll('table.coremap td[tabindex="0"]').length`) === 1, 'the core map is not one stop of the Tab key');
	await tab.evaluate(`document.querySelector('table.coremap td[tabindex="0"]').focus()`);
	const seen = new Set();
	for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'Home', 'ArrowDown', 'End', 'ArrowUp', 'ArrowLeft']) {
		await tab.key(key);
		const label = await tab.evaluate('document.activeElement.getAttribute("aria-label")');
		const [, taskName, cpu] = /^(.*) on CPU (\d+), ran/.exec(label) ?? [];
		const row = rows.find((r) => r.tid === names.get(taskName) && String(r.cpu) === cpu);
		says(row && number(label, /ran (?:[^(,]*\()?([\d,]+) ns/) === BigInt(row.run_ns), `${key}: ${label}; the command: ${JSON.stringify(row)}`);
		says(await tab.evaluate('!cdictPage.app.card.el.hidden && cdictPage.app.card.el.getAttribute("role") === "status"'), `${key}: nothing is shown`);
		seen.add(label);
	}
	says(seen.size >= 4, `${seen.size} cells were reached: ${[...seen]}`);
	const [task, cpu] = JSON.parse(await tab.evaluate('JSON.stringify([document.activeElement.dataset.task, document.activeElement.dataset.cpu].map(Number))'));
	await tab.key('Enter');
	await tab.idle();
	says(await tab.evaluate(`(({ view, tasks, cpus }) => view === 'cores' && String(tasks) === '${task}' && String(cpus) === '${cpu}')(cdictPage.app.state)`), 'Enter on a cell does not show that task on that CPU');
}

async function slices(tab, says) {
	const { t0, from, to } = JSON.parse(await tab.evaluate('(({ t0_ns, window }) => JSON.stringify({ t0: t0_ns, ...window }))(cdictPage.page.captures[0])'));
	const at = Math.floor(from + (to - from) * 0.5);
	await tab.go(`#view=cores&clock=clock&range=${at},${at + Math.floor((to - from) / 40)}`);
	await tab.evaluate(`document.querySelector('main canvas[tabindex]').focus()`);
	const text = (t) => { const s = String(t).padStart(10, '0'); return `${s.slice(0, -9)}.${s.slice(-9)}`; };
	let reached = 0;
	for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowUp']) {
		await tab.key(key);
		const lines = JSON.parse(await tab.evaluate('JSON.stringify([...cdictPage.app.card.el.children].map((el) => el.textContent))')).join('\n');
		const [, cpu] = / on CPU (\d+)$/m.exec(lines) ?? [];
		const [a, b] = ['from', 'to'].map((word) => number(lines, new RegExp(`^${word} (\\d+\\.\\d{9})`, 'm')));
		if (cpu === undefined || b < 0n) continue;
		const rows = parseExact(cdict('coremap', '-q', '--format', 'json', '-C', cpu, '--time', `${text(a)},${text(b)}`, file)).coremap;
		says(rows.some((row) => BigInt(row.run_ns) === b - a), `${key}: ${lines}; the command: ${JSON.stringify(rows)}`);
		reached++;
	}
	says(reached >= 4 && t0, `only ${reached} slices were reached`);
	await tab.key('Enter');
	await tab.idle();
	says(await tab.evaluate('!cdictPage.app.details.el.hidden && cdictPage.app.details.thing !== null'), 'Enter on a slice does not open its details');
}

const browser = await Browser.launch();
const tab = await browser.open(page, { width: 1280, height: 800 });
try {
	await tab.ready();
	for (const [name, check] of [['cells_of_the_core_map_are_reached_and_named', coremap], ['slices_are_reached_and_named', slices]]) {
		const wrong = [];
		await check(tab, (ok, text) => { if (!ok) wrong.push(text); }).catch((error) => wrong.push(error.stack));
		tab.problems().forEach((text) => wrong.push(text));
		console.log([`${wrong.length ? 'not ok' : 'ok'} ${name}`, ...wrong.slice(0, 8).map((text) => `    # ${text}`)].join('\n'));
	}
} finally {
	await browser.close();
}
