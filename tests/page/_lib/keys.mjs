// SPDX-License-Identifier: GPL-2.0-only
// node keys.mjs PAGE CDICT - by keys alone: from cell to cell of the core map and from slice to slice of the cores, each named for a
// screen reader with the figures of the commands, and opened by Enter; and what clicks and keys do to menu, card, findings. A line "ok NAME" or "not ok NAME" for each.

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

// A card explains what is under the pointer: a click or a key ends it. Escape closes the menu, and nothing else.
async function closes(tab, says) {
	const card = () => tab.evaluate('!cdictPage.app.card.el.hidden');
	await tab.go('#view=cores');
	await tab.evaluate('document.querySelector("details.menu summary").click()');
	await tab.key('Escape');
	says(await tab.evaluate('!document.querySelector("details.menu").open && cdictPage.app.state.view === "cores"'), 'Escape does not close the menu alone');
	const { x, y } = JSON.parse(await tab.evaluate('(({ left, top, width }) => JSON.stringify({ x: left + width / 2, y: top + 40 }))(document.querySelector("main canvas[tabindex]").getBoundingClientRect())'));
	for (const [how, act] of [['a key', () => tab.key('m')], ['a click', () => tab.mouse('mousePressed', x, y, { button: 'left', clickCount: 1 })]]) {
		await tab.move(x - 20, y);
		await tab.move(x, y);
		says(await card(), `${how}: there is no card to end`);
		await act();
		says(!await card(), `${how} leaves the card`);
	}
	await tab.mouse('mouseReleased', x, y, { button: 'left', clickCount: 1 });
	await tab.idle();
}

// On the other tabs findings and overview take two thin lines, until they are opened.
async function oneLine(tab, says) {
	const top = () => tab.evaluate('(document.querySelector(".tabs").getBoundingClientRect().top - document.querySelector(".top").getBoundingClientRect().top)');
	await tab.go('#');
	const all = await top(), n = await tab.evaluate('document.querySelector(".findings").children.length');
	says(await tab.evaluate('document.querySelector(".fold").hidden') && n > 1, `the first tab has a button to open ${n} findings`);
	await tab.go('#view=tasks');
	says(await top() < 60, `findings and overview take ${await top()} pixels of the other tabs`);
	await tab.evaluate('document.querySelector(".fold").click()');
	// the button takes some room
	says(Math.abs(await top() - all) < 45, `opened, they take ${await top()} pixels instead of ${all}`);
	await tab.evaluate('document.querySelector(".fold").click()');
	await tab.go('#');
	// lines that come and go while zooming do not move what is below
	const [from, to] = JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.app.window)'));
	for (const part of [0.5, 0.1, 0.01]) {
		await tab.evaluate(`cdictPage.app.zoom([${from}, ${Math.floor(from + (to - from) * part)}])`);
		await tab.idle();
		says(Math.abs(await top() - all) < 1, `zoomed to ${part}, the page jumps from ${all} to ${await top()}`);
	}
}

// What is clicked is what is drawn: a group's cell, a long slice and not the exit inside it; events have the page's names.
async function clicks(tab, says) {
	await tab.go('#view=coremap&fold=groups');
	const cell = JSON.parse(await tab.evaluate(`(() => { const td = document.querySelector('tr[data-group] td[data-card=cell]'); return JSON.stringify({ group: td.closest('tr').dataset.group, cpu: td.dataset.cpu }); })()`));
	const ramp = JSON.parse(await tab.evaluate(`(() => { const { view } = cdictPage.app; return JSON.stringify([view.ramp[1], Math.max(...view.matrix.tasks.flatMap((row) => view.cols.map((c) => row.cells.get(c.cpu)?.run_percent ?? 0)))]); })()`));
	says(Math.abs(parseFloat(ramp[0]) - ramp[1]) < 0.06, `the ramp of the core map ends at ${ramp[0]}, its largest cell is ${ramp[1]}`);
	await tab.evaluate(`document.querySelector('tr[data-group] td[data-card=cell]').click()`);
	await tab.idle();
	says(await tab.evaluate(`(({ view, vms, groups, cpus }) => view === 'cores' && [...vms, ...groups].join() === ${JSON.stringify(cell.group)} && cpus.join() === '${cell.cpu}')(cdictPage.app.state)`), `a click on the cell of ${cell.group} does not show it on CPU ${cell.cpu}`);
	const { from, to } = JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.page.captures[0].window)'));
	const at = Math.floor(from + (to - from) * 0.5);
	await tab.go(`#view=cores&range=${at},${at + Math.floor((to - from) / 40)}`);
	await tab.until('cdictPage.app.view.marks?.at.length > 0', 'marks');
	const hits = JSON.parse(await tab.evaluate(`(() => {
		const { view, range: [from, to] } = cdictPage.app, { marks, pieces: { all: pieces }, main } = view;
		const out = [], high = view.rowHeight(), top = main.height - 22 - view.cpus().length * high;
		for (let i = 0; i < marks.at.length; i++) {
			const k = [...pieces.cpu].findIndex((cpu, n) => cpu === marks.cpu[i] && pieces.from[n] < marks.at[i] && marks.at[i] < pieces.to[n]);
			if (marks.what[i] !== 1 || k < 0 || pieces.to[k] - pieces.from[k] < (to - from) / 50) continue;
			const x = main.time.left + (marks.at[i] - from) / (to - from) * (main.width - main.time.left - main.time.right);
			const row = view.cpus().indexOf(marks.cpu[i]);
			out.push([main.options.hit(x, top + (row + 0.5) * high).lines[0], main.options.hit(x, top + (row + 1) * high - 3).lines[0]]);
		}
		return JSON.stringify(out);
	})()`));
	says(hits.length && hits.every(([middle, foot]) => / on CPU \d+$/.test(middle) && /^exit of /.test(foot)), `${hits.length} exits in long slices: ${JSON.stringify(hits.slice(0, 4))}`);
	await tab.until('document.querySelector(".event-list td")', 'events');
	says(await tab.evaluate(`[...document.querySelectorAll('.event-list tr')].every((tr) => tr.cells[0].textContent === cdictPage.app.who(Number(tr.dataset.task)))`), 'the list of events has other names than the page');
	says(await tab.evaluate('cdictPage.app.state.clock === "clock" && document.querySelector("[data-choice=clock]").getAttribute("aria-pressed") === "true"'), 'the page has another clock than the commands');
}

const browser = await Browser.launch();
const tab = await browser.open(page, { width: 1280, height: 800 });
try {
	await tab.ready();
	for (const [name, check] of [['cells_of_the_core_map_are_reached_and_named', coremap], ['slices_are_reached_and_named', slices],
	['a_click_a_key_and_escape_close', closes], ['findings_are_one_line_on_other_tabs', oneLine], ['what_is_clicked_is_what_is_drawn', clicks]]) {
		const wrong = [];
		await check(tab, (ok, text) => { if (!ok) wrong.push(text); }).catch((error) => wrong.push(error.stack));
		tab.problems().forEach((text) => wrong.push(text));
		console.log([`${wrong.length ? 'not ok' : 'ok'} ${name}`, ...wrong.slice(0, 8).map((text) => `    # ${text}`)].join('\n'));
	}
} finally {
	await browser.close();
}
