// SPDX-License-Identifier: GPL-2.0-only
// node delays.mjs NAME PAGE CDICT [NAME PAGE CDICT]... - in each page two clicks, on the first finding and on the
// cell of the worst antagonist of its VM, show the worst wait of the two, and it is the command's.
// A line "ok NAME" or "not ok NAME" for each.

import { Browser } from './browser.mjs';
import { cdict, parseExact } from './page.mjs';

const CLICK = {
	finding: 'document.querySelector(".finding[data-kind=delayed]").click()',
	cell: '[...document.querySelectorAll(".delays td.cell")].reduce((a, b) => (Number(a.dataset.value) >= Number(b.dataset.value) ? a : b)).querySelector("button").click()',
};
const CELLS = `JSON.stringify([...document.querySelectorAll('table.delays tr[data-vm]')].flatMap((tr) =>
	[...tr.querySelectorAll('td.cell')].map((td) => [tr.dataset.vm, td.dataset.behind ?? td.dataset.beside, Number(td.dataset.value)])))`;
// The shown wait: the state, the sentence, and for how long the culprit's slices that are drawn had the CPU in the wait.
const SHOWN = `(() => {
	const { wait } = cdictPage.app.view.delays;
	const [from, to, victim, culprit, cpu] = cdictPage.state.wait;
	const pieces = wait.pieces.all;
	let held = 0;
	for (let i = 0; pieces && i < pieces.cpu.length; i++)
		if (pieces.task[i] === culprit && pieces.cpu[i] === cpu)
			held += Math.max(0, Math.min(to, pieces.to[i]) - Math.max(from, pieces.from[i]));
	const taskOf = (task) => cdictPage.page.captures[0].tasks[task];
	const box = wait.plot.canvas.getBoundingClientRect();
	return JSON.stringify({ t0: cdictPage.page.captures[0].t0_ns, state: cdictPage.state.wait, range: cdictPage.app.range, window: cdictPage.app.window,
		held, victim: taskOf(victim).tid, culprit: taskOf(culprit).tid, hidden: wait.el.hidden, in_view: box.top >= 0 && box.bottom <= innerHeight,
		words: document.querySelector('.wait .sentence').textContent, filtered: [...document.querySelectorAll('table.delays tr[data-vm]')].length });
})()`;

// The matrix's other face.
async function checkBeside(tab, beside, says) {
	const face = 'document.querySelector("[data-choice=beside]")';
	if (!beside.length) {
		says(await tab.evaluate(`${face}.disabled && /core/.test(${face}.title)`), 'no task was beside another, and the reason is not shown');
		return;
	}
	await tab.evaluate(`${face}.click()`);
	await tab.idle();
	const cells = JSON.parse(await tab.evaluate(CELLS));
	for (const [vm, other, ns] of cells)
		says(beside.some((row) => row.vm === vm && row.beside === other && String(row.beside_ns) === String(ns)), `no command says ${ns} ns of ${vm} beside ${other}`);
	says(cells.length > 4, `there are ${cells.length} cells of tasks beside others`);
}

// The middle of the culprit's longest slice in the wait, in its lane.
const SLICE = `(() => {
	const { wait } = cdictPage.app.view.delays;
	const [from, to, , culprit, cpu] = cdictPage.state.wait;
	const { pieces: { all: pieces }, plot } = wait;
	let best = null;
	for (let i = 0; pieces && i < pieces.cpu.length; i++) {
		const [a, b] = [Math.max(from, pieces.from[i]), Math.min(to, pieces.to[i])];
		if (pieces.task[i] === culprit && pieces.cpu[i] === cpu && b > a && (!best || b - a > best[1] - best[0])) best = [a, b];
	}
	const box = plot.canvas.getBoundingClientRect();
	const [first, last] = cdictPage.app.range;
	const x = box.left + plot.time.left + ((best[0] + best[1]) / 2 - first) / (last - first) * (plot.width - plot.time.left - plot.time.right);
	return [x, box.top + box.height * 0.45, box.top >= 0 && box.bottom <= innerHeight];
})()`;
const PANEL = `JSON.stringify((({ thing, key }) => ({ thing, key, text: document.querySelector('.details').textContent }))(cdictPage.app.details))`;

// From opening the page: the first finding, then the culprit's slice.
async function checkFinding(tab, file, says) {
	await tab.evaluate(CLICK.finding);
	await tab.idle();
	const at = JSON.parse(await tab.evaluate('JSON.stringify({ t0: cdictPage.page.captures[0].t0_ns, wait: cdictPage.state.wait, range: cdictPage.app.range, window: cdictPage.app.window, tids: cdictPage.page.captures[0].tasks.map((t) => t.tid) })'));
	const [from, to, victim, culprit, cpu, held] = at.wait;
	const { vcpu, antagonists } = parseExact(cdict('vcpu', '-q', '--format', 'json', file));
	const [worst] = vcpu; // the rows come worst first
	says(worst.tid === at.tids[victim] && String(worst.worst_at_ns) === String(BigInt(at.t0) + BigInt(from)) && worst.worst_ns === to - from, `the finding opens ${at.wait}, the command's worst wait of the worst is ${JSON.stringify(worst)}`);
	const around = Math.max(20, Math.round((to - from) * 0.2));
	says(at.range[0] === Math.max(at.window[0], from - around) && at.range[1] === Math.min(at.window[1], to + around), `the finding opens ${at.range}, the wait is ${from} to ${to}`);
	const [x, y, seen] = await tab.evaluate(SLICE);
	says(seen, 'the lanes are not in view after one click');
	await tab.move(x, y);
	const held1 = { button: 'left', buttons: 1, clickCount: 1 };
	await tab.mouse('mousePressed', x, y, held1);
	await tab.mouse('mouseReleased', x, y, held1);
	await tab.idle();
	const { thing, text } = JSON.parse(await tab.evaluate(PANEL));
	says(thing?.task === culprit && thing.cpu === cpu && thing.from < to && thing.to > from && thing.to - thing.from >= 0, `the second click shows ${JSON.stringify(thing)}: ${text}`);
	if (thing) {
		const seconds = (t) => String(BigInt(at.t0) + BigInt(t)).padStart(10, '0').replace(/(\d{9})$/, '.$1');
		const { coremap } = parseExact(cdict('coremap', '-q', '--format', 'json', '-C', String(cpu), '--time', `${seconds(thing.from)},${seconds(thing.to)}`, file));
		const row = coremap.find((r) => r.run_ns && (at.tids[culprit] ? r.tid === at.tids[culprit] : r.idle));
		says(row && row.run_ns === thing.to - thing.from, `the culprit's slice is ${JSON.stringify(thing)}, the command says ${JSON.stringify(row)}`);
		says(held <= to - from && antagonists.length > 0, `it held the CPU for ${held} ns`);
	}
	// back where the page was opened
	await tab.go('#');
}

async function check(browser, file, cdictFile) {
	const wrong = [];
	const says = (ok, text) => { if (!ok) wrong.push(text); };
	const { delays, beside } = parseExact(cdict('vcpu', '-q', '--format', 'json', cdictFile));
	const tab = await browser.open(file, { width: 1280, height: 800 });
	await tab.ready();
	await tab.idle();
	const cells = JSON.parse(await tab.evaluate(CELLS));
	for (const [vm, behind, ns] of cells)
		says(delays.some((row) => row.vm === vm && row.behind === behind && String(row.behind_ns) === String(ns)), `no command says ${ns} ns of ${vm} behind ${behind}`);
	says(cells.length > 2, `there are ${cells.length} cells`);
	await checkFinding(tab, cdictFile, says);
	await tab.evaluate(CLICK.cell);
	await tab.idle();
	const shown = JSON.parse(await tab.evaluate(SHOWN));
	const [from, to, , , cpu, held] = shown.state;
	const row = delays.find((r) => String(r.worst_at_ns) === String(BigInt(shown.t0) + BigInt(from)) && r.worst_task_tid === shown.victim && r.worst_antagonist_tid === shown.culprit);
	says(row, `no command knows the wait ${shown.words}`);
	says(row && to - from === row.worst_ns && cpu === row.worst_cpu && held === row.worst_held_ns, `it is ${JSON.stringify(shown.state)}, the command's ${JSON.stringify(row)}`);
	says(shown.held === held, `slices of ${shown.held} ns are drawn, ${held} ns were reported`);
	const around = Math.max(20, Math.round((to - from) * 0.2));
	says(shown.range[0] === Math.max(shown.window[0], from - around) && shown.range[1] === Math.min(shown.window[1], to + around), `the range is ${shown.range}, the wait ${from} to ${to}`);
	says(!shown.hidden && shown.in_view, 'the lanes are not in view');
	says(shown.words.includes(`CPU ${cpu}`), shown.words);
	// the address alone brings it back; back leads to before
	await tab.evaluate('history.back()');
	await tab.idle();
	says(await tab.evaluate('document.querySelector(".wait").hidden'), 'back does not close it');
	await checkBeside(tab, beside, says);
	tab.problems().forEach((text) => wrong.push(text));
	await tab.close();
	return wrong;
}

const args = process.argv.slice(2);
const browser = await Browser.launch();
try {
	for (let i = 0; i + 2 < args.length; i += 3) {
		const wrong = await check(browser, args[i + 1], args[i + 2]).catch((error) => [error.stack ?? String(error)]);
		console.log(wrong.length ? [`not ok ${args[i]}`, ...wrong.slice(0, 12)].join('\n    # ') : `ok ${args[i]}`);
	}
} finally {
	await browser.close();
}
