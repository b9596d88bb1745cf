// SPDX-License-Identifier: GPL-2.0-only
// node keys.mjs [--select] [--firefox] PAGE CDICT - by keys alone: from cell to cell of the core map and from slice to slice of the cores, each named for a
// screen reader with the figures of the commands, and opened by Enter; what clicks and keys do to menu, card, findings. --select: areas, marks, run queues, the text for a ticket.
// A line "ok NAME" or "not ok NAME" for each.

import { execFileSync } from 'node:child_process';

import { cdict, parseExact } from './page.mjs';

const options = process.argv.filter((arg) => arg.startsWith('--'));
const { Browser } = await import(options.includes('--firefox') ? './firefox.mjs' : './browser.mjs');
const [page, file] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
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

// ---- areas ----------------------------------------------------------------------------------

const state = async (tab) => JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.state)'));
const window_ = async (tab) => JSON.parse(await tab.evaluate('JSON.stringify([cdictPage.app.window, cdictPage.page.captures[0].t0_ns])'));
// The picture of time @selector: its box, and the time at x.
const pictureOf = async (tab, selector) => JSON.parse(await tab.evaluate(`JSON.stringify((({ left, top, width, height }) => ({ left, top, width, height }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()))`));
const LEFT = 150, RIGHT = 12; // marks/axis.js
const CORES = 'main .view > .plot canvas';
// Drags over parts of the picture, 0..1 of its time; dy: pixels.
async function dragOver(tab, selector, [a, b], [y0, y1] = [0.5, 0.5]) {
	const { left, top, width, height } = await pictureOf(tab, selector);
	const x = (part) => left + LEFT + (width - LEFT - RIGHT) * part;
	await tab.drag(x(a), top + height * y0, x(b), top + height * y1);
	await tab.idle();
}
const seconds = (t0, ns) => {
	const text = (BigInt(t0) + BigInt(ns)).toString().padStart(10, '0');
	return `${text.slice(0, -9)}.${text.slice(-9)}`;
};
const shownFigures = async (tab) => JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll('.area-figures dd[data-key]')].map((el) => [el.dataset.table, el.dataset.key, Number(el.dataset.value)]))`));
const KEYS = { tasks: ['run_ns', 'run_percent', 'delayed_ns', 'delays', 'worst_ns', 'switches', 'involuntary', 'latency_p50_ns', 'latency_p99_ns', 'latency_max_ns'], exits: ['count', 'cpu_ns', 'p99_ns', 'max_ns'] };

// The card has the totals of the commands; what it leaves out is 0 or unknown.
async function compareCard(tab, says, where, [from, to], t0, more = []) {
	const shown = await shownFigures(tab);
	for (const command of ['tasks', 'exits']) {
		const json = parseExact(cdict(command, '-q', '--format', 'json', '--time', `${seconds(t0, from)},${seconds(t0, to)}`, ...more, file));
		for (const key of KEYS[command]) {
			const value = json.total?.[key] ?? null;
			const got = shown.find(([table, k]) => table === command && k === key);
			says(got ? got[2] === value : !value || !json.total[{ run_percent: 'run_ns', delays: 'delayed_ns', worst_ns: 'delayed_ns', involuntary: 'switches', latency_p50_ns: 'latency_p50_ns', latency_p99_ns: 'latency_p50_ns', latency_max_ns: 'latency_p50_ns' }[key] ?? 'count'],
				`${where}: ${command} ${key} is ${value}, the card has ${got?.[2]}`);
		}
		if (command === 'tasks') {
			const rows = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll('table[data-table=area_tasks] tr[data-row]')].map((tr) => [Number(tr.dataset.tid), Object.fromEntries([...tr.querySelectorAll('td[data-key]')].map((td) => [td.dataset.key, JSON.parse(td.dataset.value)]))]))`));
			const tids = json.tasks.map(({ tid }) => tid);
			let compared = 0;
			for (const row of json.tasks.filter(({ idle, tid }) => !idle && tids.indexOf(tid) === tids.lastIndexOf(tid))) {
				const [, own] = rows.find(([tid]) => tid === row.tid) ?? [];
				for (const key of KEYS.tasks.filter((k) => k !== 'delays')) says(own && own[key] === row[key], `${where}: ${row.name}-${row.tid} ${key} is ${row[key]}, the row has ${own?.[key]}`);
				compared++;
			}
			says(compared > 0 || !json.tasks.length, `${where}: no row of a task was compared`);
		}
	}
}

async function areas(tab, says) {
	const [[from, to], t0] = await window_(tab);
	await tab.go('#view=cores');
	await dragOver(tab, CORES, [0.6, 0.9]);
	let { area, range } = await state(tab);
	const near = (got, part) => Math.abs(got - (from + (to - from) * part)) < (to - from) / 300;
	says(range === null, `a drag changes the range: ${range}`);
	says(area.length === 2 && near(area[0], 0.6) && near(area[1], 0.9), `the area is ${area} of ${from} to ${to}`);
	says(await tab.evaluate(`!document.querySelector('.area').hidden && location.hash.includes('area=${area.join()}')`), 'no card, or the address does not have the area');
	await tab.evaluate(`document.querySelector('[data-area=tasks]').click()`);
	await tab.idle();
	await compareCard(tab, says, 'an area', area, t0);
	// of chosen tasks, and of a CPU
	const two = JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.page.captures[0].tables.vcpu.rows.slice(0, 2).map(([task]) => [task, cdictPage.page.captures[0].tasks[task].tid]))'));
	await tab.go(`#view=exits&area=${area}&tasks=${two.map(([task]) => task)}`);
	await compareCard(tab, says, 'two tasks', area, t0, ['--tid', two.map(([, tid]) => tid).join()]);
	// a VM with the threads of the kernel that serve it: no wait of its vhost is missing
	const vm = JSON.parse(await tab.evaluate(`JSON.stringify((({ tasks }) => { const ran = new Set(cdictPage.app.rows('tasks').map((row) => row.task));
		const { fold } = tasks.find((t) => t.fold_kind === 'vm' && t.vm === null && ran.has(t.index)), own = tasks.filter((t) => t.fold_kind === 'vm' && t.fold === fold);
		return { fold, tids: own.map((t) => t.tid), ran: own.filter((t) => ran.has(t.index)).map((t) => t.tid).sort((a, b) => a - b) }; })(cdictPage.app.capture))`));
	await tab.go(`#view=tasks&fold=tasks&area=${area}&vms=${encodeURIComponent(vm.fold)}`);
	await compareCard(tab, says, `VM ${vm.fold}`, area, t0, ['--tid', vm.tids.join()]);
	await compareCard(tab, says, `VM ${vm.fold}`, area, t0, ['--vm', vm.fold]);
	const rows = await tab.evaluate(`[...document.querySelectorAll('[data-table=tasks] tr[data-task]')].map((tr) => cdictPage.app.capture.tasks[tr.dataset.task].tid).sort((a, b) => a - b).join()`);
	says(rows === vm.ran.join(), `the table has the tasks ${rows} of VM ${vm.fold}, not ${vm.ran}`);
	await tab.go(`#view=tasks&area=${area}&cpus=1`);
	await compareCard(tab, says, 'CPU 1', area, t0, ['-C', '1']);
	const odd = [from + Math.floor((to - from) * 0.55) + 1, to];
	await tab.go(`#view=coremap&area=${odd}`);
	await compareCard(tab, says, 'to the end', odd, t0);
	// a new area replaces it, in one step of the history; Esc removes it, from wherever it came
	await tab.go('#view=cores');
	await dragOver(tab, CORES, [0.6, 0.7]);
	await dragOver(tab, CORES, [0.7, 0.9]);
	({ area } = await state(tab));
	await tab.key('Escape');
	await tab.until('cdictPage.state.area.length === 0', 'Esc removes the area');
	says((await state(tab)).view === 'cores' && (await state(tab)).range === null, 'Esc does more than remove the area');
	await tab.go(`#view=cores&area=${area}`);
	await tab.key('Escape');
	await tab.until('cdictPage.state.area.length === 0 && cdictPage.state.view === "cores"', 'Esc removes the area of a link');
	// f fits it, and it stays; Enter zooms to it, back shows it again
	await dragOver(tab, CORES, [0.6, 0.8]);
	({ area } = await state(tab));
	await tab.key('f');
	await tab.idle();
	({ range } = await state(tab));
	says(range && range[0] < area[0] && range[1] > area[1] && range[1] - range[0] < 1.3 * (area[1] - area[0]) && String((await state(tab)).area) === String(area), `f fits ${area} as ${range}`);
	await tab.evaluate('document.activeElement.blur()');
	await tab.key('Enter');
	await tab.idle();
	says(String((await state(tab)).range) === String(area) && !(await state(tab)).area.length, `Enter zooms to ${(await state(tab)).range} instead of ${area}`);
	await tab.evaluate('history.back()');
	await tab.until(`String(cdictPage.state.area) === '${area}'`, 'back to the area');
	await tab.go(`#view=cores&area=${area}`);
	const { left, top, width, height } = await pictureOf(tab, CORES);
	const x = left + LEFT + (width - LEFT - RIGHT) * 0.7;
	await tab.evaluate(`document.querySelector(${JSON.stringify(CORES)}).dispatchEvent(new MouseEvent('dblclick', { bubbles: true, clientX: ${x}, clientY: ${top + height / 2} }))`);
	await tab.idle();
	says(String((await state(tab)).range) === String(area), 'a double click on the area does not zoom to it');
	// nonsense in an address
	for (const bad of ['5,1', '1', '1,2,3', 'x,y', `${to + 5},${to + 9}`, '1,2,9,3,0', '1,2,3,9,77']) {
		await tab.go(`#view=tasks&area=${bad}`);
		says(!(await state(tab)).area.length && await tab.evaluate('document.querySelector(".area").hidden'), `area=${bad} is taken`);
	}
}

// In the strip a drag selects a range, moves it, or moves one of its edges, past the other one if need be.
async function strip(tab, says) {
	const [[from, to]] = await window_(tab);
	const dragged = async (parts, wanted, what) => {
		await dragOver(tab, '.overview canvas', parts);
		const { range } = await state(tab);
		says(String(range?.map((ns) => Math.round(100 * (ns - from) / (to - from)))) === String(wanted), `${what}: ${range} of ${from} to ${to}, not ${wanted} %`);
	};

	await tab.go('#view=tasks');
	await dragged([0.2, 0.6], [20, 60], 'a drag');
	await dragged([0.6, 0.8], [20, 80], 'a drag of the right edge');
	await dragged([0.5, 0.1], [0, 60], 'a drag of the middle past the start');
	await dragged([0.3, 0.4], [10, 70], 'a drag of the middle');
	await dragged([0.1, 0.9], [70, 90], 'a drag of the left edge past the right one');
	await dragged([0.3, 0.3], [70, 90], 'a click');
	await dragged([0.5, 1.01], [50, 100], 'a drag out of the strip');
	says(await tab.evaluate(`(({ left, right }) => { const strip = document.querySelector('.overview canvas').getBoundingClientRect(); return Math.abs(right - strip.right + ${RIGHT}) < 2 && Math.abs((left + right) / 2 - (strip.left + ${LEFT} + 0.75 * (strip.width - ${LEFT + RIGHT}))) < 2; })(document.querySelector('.brush .selection').getBoundingClientRect())`), 'the selection in the strip is not the range');
	await tab.evaluate(`document.querySelector('.brush').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))`);
	await tab.idle();
	says((await state(tab)).range === null && await tab.evaluate(`document.querySelector('.brush .selection').hidden`), 'a double click does not select all');
}

// In a heat map a drag takes time and lengths: the intervals that end in it.
async function blocks(tab, says) {
	const [[from, to]] = await window_(tab);
	let some = 0;
	for (const [view, kind] of [['switches&heat=wakeup', 'wakeup'], ['switches&heat=run', 'run'], ['exits', 'exit']]) {
		await tab.go(`#view=${view}`);
		const canvas = `[data-heat=${kind}] canvas`;
		await tab.evaluate(`document.querySelector(${JSON.stringify(canvas)}).scrollIntoView({ block: 'center' })`);
		await tab.idle();
		await dragOver(tab, canvas, [0.55, 0.95], [0.15, 0.6]);
		const { area } = await state(tab);
		says(area.length === 5 && area[3] > area[2], `${kind}: the area is ${area}`);
		const want = JSON.parse(await tab.evaluate(`cdictPage.decoder.select(cdictPage.page.captures[0], { kind: '${kind}', range: [${from}, ${to}] }, { limit: 1e6 }).then(({ rows }) => JSON.stringify(rows))`))
			.filter((row) => (row.to >= area[0] && row.to < area[1] && row.to - row.from >= area[2] && row.to - row.from < area[3]));
		const got = JSON.parse(await tab.evaluate(`JSON.stringify({ total: Number(document.querySelector('.area-list [data-total]').dataset.total), rows: [...document.querySelectorAll('.area-list .found-row')].map((el) => [el.dataset.task, el.dataset.from, el.dataset.to].map(Number)) })`));
		const key = (row) => row.join();
		says(got.total === want.length, `${kind}: ${got.total} in the block, ${want.length} in it by the list of all`);
		says(got.rows.every((row) => want.some((w) => key([w.task, w.from, w.to]) === key(row))) && got.rows.length === Math.min(100, want.length), `${kind}: the list has others`);
		some += want.length;
		// flat: all lengths
		await tab.key('Escape'); // the card is over it
		await tab.until('cdictPage.state.area.length === 0', 'Esc removes the area');
		await dragOver(tab, canvas, [0.6, 0.9], [0.5, 0.5]);
		says((await state(tab)).area.length === 2, `${kind}: a flat drag takes lengths`);
	}
	says(some > 20, `only ${some} intervals in the blocks`);
}

async function marks(tab, says) {
	const { left, top, width, height } = await (async () => {
		await tab.go('#view=cores');
		return pictureOf(tab, CORES);
	})();
	const at = async (part) => {
		await tab.move(left + LEFT + (width - LEFT - RIGHT) * part, top + height / 2);
		await tab.key('m');
	};
	const type = async (text) => {
		for (const key of text) await tab.key(key);
		await tab.key('Enter');
	};
	await at(0.6);
	await tab.key('Enter');
	await type('a, b:c');
	await at(0.9);
	let { marks: set } = await state(tab);
	says(set.length === 2 && set[0].name === 'a, b:c' && set[1].name === '', `the marks are ${JSON.stringify(set)}`);
	const { hash, pathname } = JSON.parse(await tab.evaluate('JSON.stringify({ hash: location.hash, pathname: location.pathname })'));
	says(hash.includes('marks=') && pathname, hash);
	// m again on a mark opens its name
	await at(0.9);
	await type('end');
	({ marks: set } = await state(tab));
	says(set.length === 2 && set[1].name === 'end', `named later: ${JSON.stringify(set)}`);
	// the area between them
	await tab.key('e');
	await tab.idle();
	says(String((await state(tab)).area) === String(set.map(({ at: t }) => t)), `e: the area is ${(await state(tab)).area}`);
	await tab.key('Escape');
	await tab.until('cdictPage.state.area.length === 0', 'Esc removes the area');
	// names stay, of the others a third one starts again
	for (const part of [0.3, 0.4, 0.5]) await at(part);
	({ marks: set } = await state(tab));
	says(set.map(({ name }) => name).join('|') === 'a, b:c|end|', `with more: ${JSON.stringify(set)}`);
	const svg = await tab.evaluate(`(async () => { let text; navigator.clipboard.writeText = async (t) => { text = t; }; document.querySelector('details.menu').open = true; document.querySelector('[data-save=copy-svg]').click(); for (let i = 0; i < 100 && !text; i++) await new Promise((done) => setTimeout(done, 20)); return text; })()`);
	says(svg.includes('a, b:c') && svg.includes('>end<'), 'the names are not in the picture');
	// by a link, with a name that is no text
	await tab.go('#view=cores');
	await tab.go('#view=cores&marks=1000:%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E,2000:%zz');
	says(JSON.stringify((await state(tab)).marks) === '[]', 'a name that is no text is taken');
	await tab.go('#view=cores&marks=1000:%3Cimg%20src%3Dx%3E,250000000');
	says((await state(tab)).marks[0].name === '<img src=x>' && await tab.evaluate('!document.querySelector("#app img")'), 'the name is not shown as text');
	await at(0.6);
	await tab.evaluate(`document.querySelector('.naming .close').click()`);
	says((await state(tab)).marks.length === 2, '× does not remove the mark');
}

// The tasks in the run queues, from the events alone.
function waitsAt(t) {
	const queue = new Map(), runs = new Map();
	for (const line of cdict('script', '-q', file).split('\n')) {
		const [, cpu, s, ns, name, text] = /\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(?:sched:)?(\w+):\s+(.*)$/.exec(line) ?? [];
		if (cpu === undefined) continue;
		const at = BigInt(s) * 1000000000n + BigInt(ns);
		if (at > t) break;
		const field = (key) => Number((new RegExp(`\\b${key}=(\\d+)`).exec(text) ?? [])[1]);
		if (name === 'sched_switch') {
			const [, prevState] = /prev_state=(\S+)/.exec(text);
			const [prev, next] = [field('prev_pid'), field('next_pid')];
			runs.delete(prev);
			if (prev && prevState.startsWith('R')) queue.set(prev, { cpu: Number(cpu), ready: at });
			else queue.delete(prev);
			queue.delete(next);
			runs.set(next, true);
		} else if (name === 'sched_waking' || name === 'sched_wakeup' || name === 'sched_wakeup_new') {
			const pid = field('pid');
			if (runs.has(pid)) continue;
			const waits = queue.get(pid);
			queue.set(pid, { cpu: field('target_cpu'), ready: waits?.ready ?? at });
		} else if (name === 'sched_migrate_task' && queue.has(field('pid'))) {
			queue.get(field('pid')).cpu = field('dest_cpu');
		}
	}
	return queue;
}

async function queues(tab, says) {
	const [[from, to], t0] = await window_(tab);
	await tab.go('#view=cores&queues=on');
	const cpus = await tab.evaluate('cdictPage.app.view.cpus().length');
	let named = 0;
	for (let i = 0; i < 12; i++) {
		const part = 0.56 + 0.42 * i / 12, cpu = i % cpus;
		const t = Math.floor(from + (to - from) * part);
		// as the engine's whole answer has it, and as it answers about that moment alone
		const [found, alone] = JSON.parse(await tab.evaluate(`(async () => {
			const { app } = cdictPage, queue = app.view.queues, tasks = app.capture.tasks;
			const tids = (list) => list.map((w) => [tasks[w.task].tid, w.ready]);
			const found = tids(queue.tasksAt(${cpu}, ${t}));
			const { all } = queue;
			queue.all = { ...all, exact: false };
			queue.tasksAt(${cpu}, ${t});
			for (let k = 0; k < 200 && queue.known?.t !== ${t}; k++) await new Promise((done) => setTimeout(done, 10));
			queue.all = all;
			return JSON.stringify([found, tids(queue.known.waits)]);
		})()`));
		const want = [...waitsAt(BigInt(t0) + BigInt(t))].filter(([, w]) => w.cpu === cpu).map(([tid, w]) => [tid, Number(w.ready - BigInt(t0))]).sort((a, b) => a[1] - b[1] || a[0] - b[0]);
		const text = (list) => JSON.stringify([...list].sort((a, b) => a[1] - b[1] || a[0] - b[0]));
		says(text(found) === text(want), `CPU ${cpu} at ${t}: ${text(found)}; by the events ${text(want)}`);
		says(text(alone) === text(want), `CPU ${cpu} at ${t}, alone: ${text(alone)}; by the events ${text(want)}`);
		named += want.length;
	}
	says(named > 5, `only ${named} tasks waited at these moments`);
	// under the pointer
	const { left, top, width } = await pictureOf(tab, CORES);
	const y = top + await tab.evaluate('cdictPage.app.view.rowHeight() + 4');
	await tab.move(left + LEFT + (width - LEFT - RIGHT) * 0.95, y);
	await tab.idle();
	says(/ waits? for CPU 0 at /.test(await tab.evaluate('cdictPage.app.card.el.textContent')), `under the pointer: ${await tab.evaluate('cdictPage.app.card.el.textContent')}`);
}

// The commands in the text for a ticket print the card's figures.
async function ticket(tab, says) {
	const [[from, to]] = await window_(tab);
	const at = (part) => Math.floor(from + (to - from) * part);
	const tids = JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.page.captures[0].tables.vcpu.rows.slice(0, 3).map(([task]) => task))'));
	const copy = (selector) => tab.evaluate(`(async () => {
		const out = [], { createObjectURL } = URL, { click } = HTMLAnchorElement.prototype;
		let blob;
		navigator.clipboard.writeText = async (text) => { out.push(text); };
		URL.createObjectURL = (b) => { blob = b; return createObjectURL.call(URL, b); };
		HTMLAnchorElement.prototype.click = function () { out.push({ name: this.download, type: blob.type, size: blob.size }); };
		document.querySelector('details.menu').open = true;
		document.querySelector('${selector}').click();
		for (let i = 0; i < 300 && out.length < 2; i++) await new Promise((done) => setTimeout(done, 20));
		Object.assign(URL, { createObjectURL });
		HTMLAnchorElement.prototype.click = click;
		return JSON.stringify(out);
	})()`).then(JSON.parse);
	for (const [hash, selector] of [[`#view=cores&area=${at(0.6)},${at(0.9)}`, '[data-area=ticket]'], [`#view=exits&area=${at(0.6)},${at(0.9)}&tasks=${tids}&cpus=0,1`, '[data-save=ticket]'],
	[`#view=switches&area=${at(0.6)},${at(0.9)},1000,9000000,2&marks=${at(0.7)}:x`, '[data-area=ticket]']]) {
		await tab.go(hash);
		const shown = await shownFigures(tab);
		const [text, picture] = await copy(selector);
		const commands = text.split('\n').filter((line) => line.startsWith('cdict '));
		says(commands.length === 2 && picture?.type === 'image/png' && picture.size > 1000 && text.includes(`picture: ${picture.name}`), `${hash}: ${text}; ${JSON.stringify(picture)}`);
		for (const command of commands) {
			const [, table] = command.split(' ');
			const { total } = parseExact(execFileSync('bash', ['-c', `${command.replace('cdict', '"$CDICT"')} -q --format json`], { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }));
			const own = shown.filter(([of]) => of === table);
			says(own.length > 3, `${hash}: the card has ${own.length} figures of ${table}`);
			for (const [, key, value] of own) says(total[key] === value, `${hash}: ${command}: ${key} is ${total[key]}, the card has ${value}`);
		}
	}
	// of a finding: its sentence, and the commands for its time and tasks
	await tab.go('#');
	const finding = JSON.parse(await tab.evaluate(`(() => { const { app, page: { captures: [c] } } = cdictPage, line = document.querySelector('.findings .ticket').parentElement;
		const { range, tasks } = (app.figures.shown?.findings ?? c.findings)[line.firstChild.dataset.index];
		return JSON.stringify({ range, tids: [...new Set(tasks.map((t) => c.tasks[t].tid))].sort((a, b) => a - b).join(), sentence: line.querySelector('.sentence').textContent }); })()`));
	const [text, picture] = await copy('.findings .ticket');
	says(text.split('\n').includes(finding.sentence) && text.includes(` --tid ${finding.tids} `) && picture?.type === 'image/png', `a finding's ticket ${JSON.stringify(finding)}: ${text}`);
	says(await tab.evaluate(`String(cdictPage.app.range) === '${finding.range}'`), 'a finding whose ticket was copied is not shown');
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

const CHECKS = options.includes('--select')
	? [['a_drag_makes_an_area_with_the_figures_of_--time', areas], ['a_drag_in_the_strip_selects_a_range', strip], ['a_drag_in_a_heat_map_takes_time_and_lengths', blocks], ['marks_have_names', marks], ['run_queues_have_the_tasks_of_the_events', queues], ['commands_of_a_ticket_print_its_figures', ticket]]
	: [['cells_of_the_core_map_are_reached_and_named', coremap], ['slices_are_reached_and_named', slices],
	['a_click_a_key_and_escape_close', closes], ['findings_are_one_line_on_other_tabs', oneLine], ['what_is_clicked_is_what_is_drawn', clicks]];

const browser = await Browser.launch();
const tab = await browser.open(page, { width: 1280, height: 800 });
try {
	await tab.ready();
	for (const [name, check] of CHECKS) {
		const wrong = [];
		await check(tab, (ok, text) => { if (!ok) wrong.push(text); }).catch((error) => wrong.push(error.stack));
		tab.problems().forEach((text) => wrong.push(text));
		console.log([`${wrong.length ? 'not ok' : 'ok'} ${name}`, ...wrong.slice(0, 8).map((text) => `    # ${text}`)].join('\n'));
	}
} finally {
	await browser.close();
}
