// SPDX-License-Identifier: GPL-2.0-only
// node pictures.mjs NAME PAGE CDICT [NAME PAGE CDICT]... - cells of the heat maps, of where in the second and of the two matrices,
// columns of the strip, bars of exits and tasks and the halts, for ranges and every filter: each is counted anew from `cdict script`
// or asked of the command for just that time. A line "ok NAME" or "not ok NAME" for each.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Browser } from './browser.mjs';
import { intervalsOf } from './intervals.mjs';
import { cdict, parseExact } from './page.mjs';

const { duration, percent } = await import(pathToFileURL(join(process.env.TOP, 'render/web/ui/text.js')).href);
const MOST = 6; // things of a kind in one view that a command is asked about

// The texts of the heat maps, where in the second, and the strip on a grid; the cells of a map that was clicked.
const HITS = (plot) => `(() => {
	const plot = ${plot}, out = new Set();
	for (let i = 0; i < 48 && plot?.width; i++)
		for (let k = 0; k < 16; k++) {
			const lines = plot.options.hit(plot.width * (i + 0.37) / 48, plot.height * (k + 0.37) / 16)?.lines;
			if (lines) out.add(JSON.stringify(lines.filter(Boolean)));
		}
	return '[' + [...out].join() + ']';
})()`;
const FIRST_CELL = (map) => `(() => {
	const { plot } = ${map};
	for (let i = 0; i < 48; i++)
		for (let k = 0; k < 16; k++) {
			const hit = plot.options.hit(plot.width * (i + 0.37) / 48, plot.height * (k + 0.37) / 16);
			if (hit?.click) { hit.click(); return hit.lines[0]; }
		}
	return null;
})()`;
const CARDS = (which) => `(() => {
	const { app } = cdictPage;
	return JSON.stringify([...document.querySelectorAll(${JSON.stringify(which)})].map((el) => {
		el.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 5, clientY: 5 }));
		const lines = app.card.el.hidden ? [] : [...app.card.el.children].map((line) => line.textContent);
		const { task, group, role } = el.closest('tr').dataset;
		app.card.hide();
		return { task, group, role, lines };
	}));
})()`;
const CELLS = (table, key) => `JSON.stringify([...document.querySelectorAll('table[data-table=${table}] tr[data-${key}]')].map((tr) => ({ of: tr.dataset.${key},
	cells: [...tr.querySelectorAll('td[data-value]')].map(({ dataset }) => ({ ...dataset, value: JSON.parse(dataset.value ?? 'null') })) })))`;

// The case.
let file, capture, wrong, asked, answers, intervals, whos;

const says = (ok, kind, text) => {
	asked.set(kind, (asked.get(kind) ?? 0) + 1);
	if (!ok) wrong.push(`${kind}: ${text}`);
};
const seconds = (t) => {
	const text = String(BigInt(capture.t0_ns) + BigInt(t)).padStart(10, '0');
	return `${text.slice(0, -9)}.${text.slice(-9)}`;
};
const UNITS = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };
const lengthOf = (text) => { const [, n, unit] = /^([\d.]+) (ns|µs|ms|s)$/.exec(text); return n * UNITS[unit]; };
const plain = (text) => Number(String(text).replaceAll(',', ''));
const timeOf = (text) => { const [, s, rest] = /(\d+)\.(\d+) s/.exec(text); return Number(BigInt(s + rest.padEnd(9, '0')) - BigInt(capture.t0_ns)); };
const edge = (from, to, n, i) => (i >= n ? to : from + Math.ceil(i * (to - from) / n));

/** The output of a command for a time, run once. */
function ask(range, ...args) {
	const key = JSON.stringify([range, args]);
	if (!answers.has(key)) answers.set(key, parseExact(cdict(args[0], '-q', '--format', 'json', '--time', range.map(seconds).join(), ...args.slice(1), file)));
	return answers.get(key);
}

/** The filter as options of a command. */
function options({ tasks = [], vms = [], cpus = [] }) {
	return [...tasks.length ? ['--tid', tasks.map((t) => capture.tasks[t].tid).join()] : [], ...vms.length ? ['--vm', vms[0]] : [], ...cpus.length ? ['-C', cpus.join()] : []];
}

/** The intervals of a kind that end in the range and are wanted. */
function ofKind(kind, [from, to], { tasks = [], vms = [], cpus = [], reasons = [] }) {
	const tids = tasks.length || vms.length ? new Set(capture.tasks.filter((t) => tasks.includes(t.index) || vms.includes(t.vm) || (t.fold_kind === 'vm' && vms.includes(t.fold))).map((t) => t.tid)) : null;
	const last = to === capture.window.to;
	return intervals[kind].filter((i) => i.to >= from && (i.to < to || (last && i.to === to)) && (!tids || tids.has(i.tid)) && (!cpus.length || cpus.includes(i.cpu)) &&
		(kind !== 'exit' || !reasons.length || reasons.includes(i.reason)));
}

/** Whether the page's number is that of the intervals; of doubtful ones there may be fewer. */
function isCount(n, list) {
	return n <= list.length && n >= list.filter((one) => !one.doubtful).length;
}

async function heatMap(tab, map, range, filter, where) {
	const { kind, events } = JSON.parse(await tab.evaluate(`(() => { const map = ${map}; return JSON.stringify({ kind: map.kind, events: Number(map.plot.el.dataset.events) }); })()`));
	const all = ofKind(kind, range, filter), [from, to] = range;
	says(isCount(events, all), `${kind} events`, `${where}: the map has ${events}, cdict script ${all.length}`);
	for (const lines of JSON.parse(await tab.evaluate(HITS(`${map}.plot`)))) {
		const [, n, lo, hi] = /^([\d,]+) .* of ([\d.]+ \S+) to ([\d.]+ \S+)$/.exec(lines[0]);
		const columns = 2 ** Math.round(Math.log2((to - from) / lengthOf(/^in (.*)$/.exec(lines[2])[1])));
		const i = Math.round((timeOf(lines[1]) - from) / ((to - from) / columns));
		const [least, most] = [lo, hi].map((text) => Math.round(10 ** (Math.round(24 * Math.log10(lengthOf(text))) / 24)));
		const [a, b] = [edge(from, to, columns, i), i + 1 === columns ? to + 1 : edge(from, to, columns, i + 1)];
		const own = all.filter((s) => s.from !== null && s.to >= a && s.to < b && s.to - s.from >= least && s.to - s.from < most);
		says(isCount(plain(n), own), `${kind} cells`, `${where}: ${lines.join(' | ')}: cdict script has ${own.length}`);
	}
	// the list of a cell has as many rows
	const head = await tab.evaluate(FIRST_CELL(map));
	if (!head) return;
	await tab.idle();
	const listed = await tab.evaluate(`${map}.found.querySelector('strong')?.textContent ?? ${map}.found.textContent`);
	says(head.startsWith(`${listed} of `), 'lists', `${where}: ${head}; its list: ${listed}`);
}

async function second(tab, range, filter, where) {
	const kind = await tab.evaluate('cdictPage.app.view.chosen()[0]');
	const all = ofKind(kind, range, filter);
	for (const [head] of JSON.parse(await tab.evaluate(HITS('cdictPage.app.view.second.plot')))) {
		const [, n, at] = /^([\d,]+) at (.*)$/.exec(head);
		const cell = Math.round(timeOf(at) * 128 / 1e9);
		const own = all.filter((s) => Math.floor(s.to * 128 / 1e9) === cell);
		says(isCount(plain(n), own), 'seconds', `${where}: ${head}: cdict script has ${own.length} ${kind}s`);
	}
}

async function strip(tab, where) {
	const { from, to } = capture.window;
	for (const rows of capture.tables.vcpu.rows.length ? ['cpus', 'vms'] : ['cpus']) {
		await tab.evaluate(`cdictPage.setState({ strip: '${rows}' })`);
		const { columns, vcpu_columns } = JSON.parse(await tab.evaluate('JSON.stringify({ columns: cdictPage.app.capture.bins.columns, vcpu_columns: cdictPage.app.capture.bins.vcpu_columns })'));
		const n = rows === 'vms' ? vcpu_columns : columns, wide = (to - from) / n;
		const tips = JSON.parse(await tab.evaluate(HITS('cdictPage.app.overview.plot'))).filter(([, words]) => !/ 0 ns$/.test(words));
		// its time has four digits
		for (const [head, words, at] of wide < 2e5 ? [] : tips.filter((_, i) => i % Math.ceil(tips.length / (2 * MOST)) === 0)) {
			const i = Math.ceil((timeOf(at) - from) / wide);
			const time = [edge(from, to, n, i), edge(from, to, n, i + 1)];
			const sum = (list, key) => list.reduce((all, row) => all + Number(row[key] ?? 0), 0);
			const cells = rows === 'vms' ? [] : ask(time, 'coremap', '-C', head.slice(4)).coremap.filter((row) => row.cpu === Number(head.slice(4)));
			const unknown = sum(cells.filter((row) => row.unknown), 'run_ns');
			const own = rows === 'vms' ? ask(time, 'vcpu').vcpu.filter((row) => row.vm === head.replace(/^VM (?=\d+$)/, '')) : [];
			const want = rows === 'vms' ? `waited for a CPU ${duration(sum(own, 'delayed_ns'))}`
				: `busy ${duration(sum(cells.filter((row) => !row.idle && !row.unknown), 'run_ns'))}${unknown ? `, unknown ${duration(unknown)}` : ''}`;
			says(words.endsWith(want), `strip of ${rows}`, `${where}: ${head} | ${words} | ${at}: the command says ${want}`);
		}
	}
	await tab.evaluate("cdictPage.setState({ strip: 'cpus' })");
}

async function exitBars(tab, range, filter, where) {
	for (const per of ['task', 'vm']) for (const by of ['time', 'count']) {
		await tab.evaluate(`cdictPage.setState(${JSON.stringify({ per, by })})`);
		await tab.idle();
		const { exits } = ask(range, 'exits', '--by', per, ...options({ ...filter, cpus: [] }));
		const timed = by === 'time' && capture.has.entry;
		for (const lines of JSON.parse(await tab.evaluate(HITS('cdictPage.app.view.bars')))) {
			const row = exits.find((r) => lines[0] === `${per === 'vm' ? `VM ${r.vm}` : whos.get(r.tid)}: ${r.reason}` && !r.idle);
			if (!row) {
				says(!lines[0].includes(': ') || !/% of all|exits?$/.test(lines.slice(1).join()), 'bars of exits', `${where}: no command knows ${lines.join(' | ')}`);
				continue;
			}
			const ns = capture.has.switch ? row.cpu_ns : row.time_ns;
			const share = !timed ? row.count_percent : capture.has.switch ? row.cpu_percent : row.time_percent;
			const want = timed ? `${duration(ns)} (${ns.toLocaleString('en')} ns)` : `${row.count.toLocaleString('en')} exit${row.count === 1 ? '' : 's'}`;
			says(lines[1] === want && (filter.reasons?.length || lines[2].startsWith(`${percent(share)} of `)), 'bars of exits', `${where} ${per} ${by}: ${lines.join(' | ')}: the command says ${want}, ${share} %`);
		}
	}
	await tab.evaluate("cdictPage.setState({ per: 'task', by: 'time' })");
	await tab.idle();
}

async function taskBars(tab, range, filter, where) {
	for (const fold of ['tasks', 'groups']) {
		await tab.evaluate(`cdictPage.setState(${JSON.stringify({ fold, unfold: fold === 'groups' ? capture.folds : [] })})`);
		await tab.idle();
		for (const { task, group, role, lines } of JSON.parse(await tab.evaluate(CARDS('table[data-table=tasks] [data-card=bar]')))) {
			if (!lines.length) continue;
			const by = task !== undefined ? 'task' : role === undefined ? 'group' : 'role';
			const idle = task !== undefined && capture.tasks[task].tid === 0;
			const row = ask(range, 'tasks', '--by', by, ...options(filter)).tasks.find((r) => (by !== 'task' ? r.group === group && (by === 'group' || r.role === role)
				: idle ? r.idle && r.cpu === capture.tasks[task].idle_cpu : r.tid === capture.tasks[task].tid));
			const run = row?.run_ns ?? null, switches = row?.switches ?? null;
			const many = (n) => (n ?? 0).toLocaleString('en');
			const want = [lines[0], run === null ? 'run time unknown' : `run ${many(run)} ns, ${percent(row.run_percent)}`,
			switches === null ? null : `${many(switches)} switch${switches === 1 ? '' : 'es'}${row.voluntary === null ? '' : `: ${many(row.voluntary)} own, ${many(row.involuntary)} forced`}`,
			row?.latency_max_ns ? `longest wait after a wake-up ${duration(row.latency_max_ns)}` : null].filter(Boolean);
			says(row && String(lines) === String(want), `bars of ${fold}`, `${where}: ${lines.join(' | ')}: the command says ${want.join(' | ')}`);
		}
	}
	await tab.evaluate("cdictPage.setState({ fold: 'auto', unfold: [] })");
	await tab.idle();
}

async function matrices(tab, range, filter, where) {
	const faces = { delays: ['behind', '--by', 'vm'], beside: ['beside', '--by', 'sibling'] };
	for (const [face, [other, ...by]] of Object.entries(faces)) {
		if (face === 'beside' && !capture.siblings.some((threads) => threads.length > 1)) continue;
		await tab.evaluate(`cdictPage.setState({ matrix: '${face}' })`);
		const { [face]: rows } = ask(range, 'vcpu', ...by, ...options({ ...filter, cpus: [] }));
		const shown = JSON.parse(await tab.evaluate(CELLS(face, 'vm')));
		for (const { of, cells } of shown) for (const cell of cells) {
			const row = rows.find((r) => r.vm === of && (cell[other] === undefined || r[other] === cell[other]));
			says(row && String(row[cell.key]) === String(cell.value), `matrix of ${face}`, `${where}: ${cell.key} of ${of} ${other} ${cell[other] ?? 'all'} is ${cell.value}, the command's ${row?.[cell.key]}`);
		}
		const expected = new Set(rows.filter((r) => r[`${other}_ns`] > 0).map((r) => r.vm));
		says(shown.length === Math.min(8, expected.size), `matrix of ${face}`, `${where}: ${shown.length} VMs are shown, the command has ${expected.size}`);
	}
	await tab.evaluate("cdictPage.setState({ matrix: 'delays' })");
}

async function halts(tab, range, filter, where) {
	const { halts_vms: rows = [] } = ask(range, 'vcpu', '--by', 'halt', ...options({ ...filter, cpus: [] }));
	for (const { of, cells } of JSON.parse(await tab.evaluate(CELLS('halts_vms', 'vm')))) for (const { key, value } of cells) {
		const row = rows.find((r) => r.vm === of);
		says(key === 'vm' || (row && String(row[key]) === String(value)), 'halts', `${where}: ${key} of ${of} is ${value}, the command's ${row?.[key]}`);
	}
}

/** A selection removes colours, and no figures. */
async function bars(tab, range, where) {
	const { vcpu } = ask(range, 'vcpu');
	for (const { of, cells } of JSON.parse(await tab.evaluate(CELLS('vcpu', 'tid')))) {
		const row = vcpu.find((r) => String(r.tid) === of);
		for (const { key, value } of cells.filter((cell) => cell.key in row)) {
			const want = /_at_ns$/.test(key) ? String(BigInt(row[key]) - BigInt(capture.t0_ns)) : String(row[key]);
			says(String(value) === want, 'vCPUs', `${where}: ${key} of ${of} is ${value}, the command's ${want}`);
		}
	}
}

async function walk(tab, range, filter) {
	const where = `${range} ${JSON.stringify(filter)}`;
	const go = async (view) => {
		await tab.evaluate(`cdictPage.setState(${JSON.stringify({ view, range, tasks: [], vms: [], cpus: [], reasons: [], states: [], heat: ['run', 'sleep', 'wakeup', 'guest', 'exit'], ...filter })})`);
		await tab.idle();
	};
	await go('switches');
	for (const kind of JSON.parse(await tab.evaluate('JSON.stringify([...cdictPage.app.view.maps.keys()])')))
		await heatMap(tab, `cdictPage.app.view.maps.get('${kind}')`, range, filter, where);
	await second(tab, range, filter, where);
	await tab.evaluate("cdictPage.setState({ heat: ['exit'] })");
	await tab.idle();
	if (capture.has.entry) await second(tab, range, filter, where);
	await go('exits');
	if (capture.has.exit) {
		if (capture.has.entry) await heatMap(tab, 'cdictPage.app.view.heat', range, filter, where);
		await exitBars(tab, range, filter, where);
		await halts(tab, range, filter, where);
	}
	await go('tasks');
	await taskBars(tab, range, filter, where);
	await go('vcpus');
	await matrices(tab, range, filter, where);
	await bars(tab, range, where);
}

async function check(browser, page) {
	const tab = await browser.open(page, { width: 1280, height: 800 });
	await tab.ready();
	await tab.idle();
	capture = JSON.parse(await tab.evaluate('JSON.stringify({ ...cdictPage.page.captures[0], bins: null })'));
	const names = JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.page.captures[0].tasks.map((t) => [t.tid, cdictPage.app.who(t.index)]))'));
	whos = new Map(names);
	capture.folds = [...new Set(capture.tasks.map((t) => t.fold).filter((fold) => fold !== null))];
	intervals = intervalsOf(file, capture.t0_ns);
	await tab.evaluate('cdictPage.setState({ clock: "clock" })');
	await strip(tab, 'the strip');
	const [first] = capture.tables.vcpu.rows.length ? capture.tables.vcpu.rows[0] : capture.tables.tasks.rows[0];
	const { vm } = capture.tasks[first];
	const at = capture.tables.exit_reasons.columns.indexOf('reason');
	const [reason] = capture.tables.exit_reasons.rows.map((row) => row[at]);
	const cpu = capture.cpus.find(({ seen }) => seen)?.cpu ?? 0;
	const vms = vm === null ? {} : { vms: [vm] }, reasons = reason ? { reasons: [reason] } : {};
	const { from, to } = capture.window, long = to - from, middle = Math.floor(from + long * 0.4);
	const filters = [[{}, vms, reasons], [{ cpus: [cpu] }, { tasks: [first], cpus: [cpu] }, { states: ['preempted'] }], [{}, { ...vms, ...reasons }]];
	for (const [k, range] of [[from, to], [middle, middle + Math.floor(long / 7)], [middle, middle + Math.floor(long / 120)]].entries())
		for (const filter of filters[k]) await walk(tab, range, filter);
	[...new Set(tab.problems())].forEach((text) => wrong.push(text));
	await tab.close();
	return [...asked].map(([kind, n]) => `${n} of ${kind}`).join(', ');
}

const args = process.argv.slice(2);
const browser = await Browser.launch();
try {
	for (let i = 0; i + 2 < args.length; i += 3) {
		file = args[i + 2];
		wrong = [];
		asked = new Map();
		answers = new Map();
		const done = await check(browser, args[i + 1]).catch((error) => wrong.push(error.stack ?? String(error)));
		if (!wrong.length && [...asked.values()].reduce((sum, n) => sum + n, 0) < 300) wrong.push(`there was too little to ask about: ${done}`);
		console.log(wrong.length ? [`not ok ${args[i]}`, `${wrong.length} differences`, ...wrong.slice(0, process.env.ALL ? 1000 : 12)].join('\n    # ') : `# ${done}\nok ${args[i]}`);
	}
} finally {
	await browser.close();
}
