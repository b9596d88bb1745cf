// SPDX-License-Identifier: GPL-2.0-only
// node ranges.mjs [--firefox] NAME PAGE CDICT [NAME PAGE CDICT]... - in one real browser: what each page
// computes for a range of time, and in its document, are those that the commands print with --time.
// A line "ok NAME" or "not ok NAME" for each.

import { TABLES, cdict, commandTables, loader, readPage, rowDiffers } from './page.mjs';

const args = process.argv.slice(2);
const firefox = args[0] === '--firefox' && args.shift();
const { Browser } = await import(firefox ? './firefox.mjs' : './browser.mjs');
const VIEWS = ['vcpus', 'exits', 'tasks', 'coremap', 'switches', 'cores'];

// The case: its capture, the faults, how much was compared.
let cdictFile, capture, wrong, compared;

// [from, to) as --time takes it: seconds of the recording's clock, exact to the ns
function seconds(ns) {
	const text = (BigInt(capture.t0_ns) + BigInt(ns)).toString().padStart(10, '0');
	return `${text.slice(0, -9)}.${text.slice(-9)}`;
}
const optionsOf = ([from, to]) => ['--time', `${seconds(from)},${seconds(to)}`];

function rangesOf({ from, to }) {
	const length = to - from;
	const at = (part) => Math.floor(from + length * part);
	// from thirds down to single events; odd edges
	return [[at(1 / 3), at(2 / 3)], [at(0.1), at(0.1) + Math.max(1, Math.floor(length / 50))], [at(0.5) + 1, to], [from, at(0.25)], [at(0.7), at(0.7) + Math.max(1, Math.floor(length / 1000))]];
}

// The key by which a row is found: texts and identities of the command's row. Tasks may have
// other names in a window that did not see them renamed: tid and pid identify them.
const KEYS = ['tid', 'cpu', 'reason', 'reason_code', 'antagonist_tid'];
const BYNAME = new Set(['name', 'comm', 'vm', 'antagonist', 'antagonist_vm', 'worst_behind', 'worst_task', 'worst_antagonist', 'vcpu']);
const keyOf = (row, table) => [...KEYS, ...(['exits_vm', 'halts_vms'].includes(table) ? ['vm'] : table === 'delays' ? ['vm', 'behind'] : table === 'beside' ? ['vm', 'beside'] : [])].filter((key) => !(table === 'tasks' && key === 'cpu' && row.tid))
	.map((key) => row[key] ?? '').join('|');

function compare(where, expected, tables) {
	for (const name of Object.keys(TABLES)) {
		const want = expected[name];
		const table = tables[name];
		if (!table) {
			wrong.push(`${where}: table ${name} is missing`);
			continue;
		}
		const rows = table.rows.map((row) => loader.commandRow(capture, table, row));
		const sorted = (list) => list.map((row) => [keyOf(row, name), row]).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
		const [a, b] = [sorted(want.rows), sorted(rows)];
		if (a.length !== b.length) {
			wrong.push(`${where}: ${name}: the command has ${a.length} rows, the page ${b.length}`);
			continue;
		}
		a.forEach(([key, row], i) => {
			const plain = (r) => Object.fromEntries(Object.entries(r).filter(([k]) => !BYNAME.has(k)));
			const differs = key !== b[i][0] ? `the command has ${key}, the page ${b[i][0]}` : rowDiffers(plain(row), plain(b[i][1]));
			if (differs) wrong.push(`${where}: ${name} ${key}: ${differs}`);
			compared++;
		});
		if (want.total && table.total) {
			const { name: a1, reason, vm, ...figures } = want.total;
			const got = loader.commandRow(capture, table, table.total);
			const differs = rowDiffers(figures, Object.fromEntries(Object.entries(got).filter(([key]) => key in figures)));
			if (differs) wrong.push(`${where}: ${name} total: ${differs}`);
		}
	}
}

// The figures in the document, table by table, must be a row of the shown figures, cell by cell.
const DOCUMENT = `(() => {
	const bad = []; let cells = 0; const shown = new Set();
	const figures = cdictPage.figures().tables;
	for (const el of document.querySelectorAll('[data-table]')) {
		const name = el.dataset.table;
		if (!el.matches('table')) continue;
		const table = figures[name];
		for (const tr of el.querySelectorAll('tr[data-row], tr[data-task]')) {
			for (const td of tr.querySelectorAll('[data-key][data-value]:not([data-total])')) {
				if (td.closest('table') !== el) continue; // a row that is open holds tables of its own
				const task = tr.dataset.task === undefined ? null : Number(tr.dataset.task);
				const key = td.dataset.key, at = table ? table.columns.indexOf(key) : -1;
				if (at < 0) continue;
				const value = JSON.parse(td.dataset.value);
				const col = table.columns.indexOf('task'), cpu = table.columns.indexOf('cpu');
				const rows = table.rows.filter((row) => (task === null || col < 0 || row[col] === task) &&
					(td.dataset.cpu === undefined || cpu < 0 || row[cpu] === Number(td.dataset.cpu)) &&
					(tr.dataset.vm === undefined || row[table.columns.indexOf('vm')] === tr.dataset.vm) &&
					(td.dataset.behind === undefined || row[table.columns.indexOf('behind')] === td.dataset.behind) &&
					(td.dataset.beside === undefined || row[table.columns.indexOf('beside')] === td.dataset.beside));
				cells++; shown.add(name);
				// a task in a column of its own stands there by its name
				const tasks = cdictPage.page.captures[0].tasks;
				const named = (row) => key === 'antagonist' && (tasks[row[at]].tid ? tasks[row[at]].who === value : value === 'IDLE, CPU ' + tasks[row[at]].idle_cpu);
				if (!rows.some((row) => row[at] === value || JSON.stringify(row[at]) === td.dataset.value || named(row)))
					bad.push(name + ' ' + tr.dataset.tid + ' ' + key + ' says ' + td.dataset.value);
			}
		}
	}
	return JSON.stringify({ bad: bad.slice(0, 5), cells, shown: [...shown] });
})()`;

// The document's table by reason: sums over the tasks that are wanted, percentiles of them all.
const REASONS = `JSON.stringify([...document.querySelectorAll('table[data-table=exit_reasons] tr[data-row]')].map((tr) =>
	Object.fromEntries([...tr.querySelectorAll('[data-key][data-value]')].map((td) => [td.dataset.key, JSON.parse(td.dataset.value)]))))`;
const REASON_KEYS = ['count', 'count_percent', 'time_ns', 'cpu_ns', 'cpu_percent', 'off_cpu_ns', 'min_ns', 'avg_ns', 'p50_ns', 'p99_ns', 'max_ns'];

function compareReasons(where, options, shown) {
	const { exits } = JSON.parse(cdict('exits', '-q', '--by', 'reason', '--format', 'json', ...options, cdictFile));
	const byReason = new Map(shown.map((row) => [row.reason, row]));
	if (exits.length !== shown.length) wrong.push(`${where}: the command has ${exits.length} reasons, the document ${shown.length}`);
	for (const row of exits) {
		const seen = byReason.get(row.reason) ?? {};
		for (const key of REASON_KEYS) {
			if ((seen[key] ?? null) !== row[key]) wrong.push(`${where}: reason ${row.reason}: ${key} is ${row[key]}, the document says ${seen[key]}`);
			compared++;
		}
	}
}

// The core map's totals, of each task and CPU that is shown, and of all of them.
const TOTALS = `JSON.stringify([...document.querySelectorAll('table[data-table=coremap] tbody tr')].flatMap((tr) => {
	const all = tr.querySelector('td[data-total]')?.dataset.value ?? null;
	if (tr.dataset.sum === undefined) return [['tid ' + tr.dataset.tid, all]];
	if (!['total', 'idle', 'unknown'].includes(tr.dataset.sum)) return [];
	return [[tr.dataset.sum, all], ...[...tr.querySelectorAll('td[data-cpu][data-value]')].map((td) => [tr.dataset.sum + ' ' + td.dataset.cpu, td.dataset.value])];
}))`;

function compareTotals(where, options, shown) {
	const { coremap } = JSON.parse(cdict('coremap', '-q', '--format', 'json', ...options, cdictFile));
	const sums = new Map();
	for (const { tid, cpu, idle, unknown, run_ns } of coremap) {
		const kind = idle ? 'idle' : unknown ? 'unknown' : 'total';
		for (const key of [kind, `${kind} ${cpu}`, ...(kind === 'total' ? [`tid ${tid}`] : [])]) sums.set(key, (sums.get(key) ?? 0) + run_ns);
	}
	const tids = new Map();
	capture.tasks.forEach(({ tid }) => tids.set(`tid ${tid}`, (tids.get(`tid ${tid}`) ?? 0) + 1));
	for (const [key, value] of shown) {
		if (tids.get(key) > 1) continue;
		if (String(sums.get(key) ?? 0) !== value) wrong.push(`${where}: the total of ${key} is ${sums.get(key)}, the document says ${value}`);
		compared++;
	}
}

async function check(browser, file) {
	capture = (await readPage(file)).captures[0];
	const shown = new Set();
	let cells = 0;
	const tab = await browser.open(file);
	await tab.ready();
	await tab.idle();
	const figures = () => tab.evaluate('JSON.stringify(cdictPage.figures().tables)').then(JSON.parse);
	const look = async (where) => {
		const { bad, cells: n, shown: names } = JSON.parse(await tab.evaluate(DOCUMENT));
		cells += n;
		names.forEach((name) => shown.add(name));
		bad.forEach((text) => wrong.push(`${where}: the document: ${text}`));
	};
	compare('whole', commandTables(cdictFile), await figures());
	for (const view of VIEWS) {
		await tab.go(`#view=${view}&fold=tasks`);
		await look(view);
	}
	for (const range of rangesOf(capture.window)) {
		if (!(range[1] > range[0])) continue;
		await tab.go(`#view=tasks&fold=tasks&range=${range.join(',')}`);
		const now = await tab.evaluate('document.documentElement.dataset.range');
		if (now !== range.join(',')) wrong.push(`the range is ${now} instead of ${range}`);
		compare(`range ${range}`, commandTables(cdictFile, optionsOf(range)), await figures());
		const reasons = async () => JSON.parse(await tab.evaluate(REASONS));
		await tab.go(`#view=exits&range=${range.join(',')}`);
		compareReasons(`exits ${range}`, optionsOf(range), await reasons());
		// two vCPUs, by tid: such a filter is the command's --tid
		const two = capture.tables.vcpu.rows.slice(0, 2).map(([task]) => task);
		const tids = new Set(two.map((task) => capture.tasks[task].tid));
		if (two.length === 2 && capture.tasks.filter(({ tid }) => tids.has(tid)).length === 2) {
			await tab.go(`#view=exits&tasks=${two}&range=${range.join(',')}`);
			compareReasons(`exits of two, ${range}`, ['--tid', [...tids].join(), ...optionsOf(range)], await reasons());
		}
		const totals = async () => JSON.parse(await tab.evaluate(TOTALS));
		await tab.go(`#view=coremap&fold=tasks&range=${range.join(',')}`);
		compareTotals(`core map, ${range}`, optionsOf(range), await totals());
		const some = capture.tables.tasks.rows.map(([task]) => capture.tasks[task]).filter(({ tid }) => tid).slice(1, 3);
		if (some.length === 2 && capture.tasks.filter(({ tid }) => some.some((task) => task.tid === tid)).length === 2) {
			const cpu = capture.cpus.findLast(({ seen }) => seen).cpu;
			await tab.go(`#view=coremap&fold=tasks&tasks=${some.map(({ index }) => index)}&cpus=${cpu}&range=${range.join(',')}`);
			compareTotals(`core map of two, ${range}`, ['--tid', some.map(({ tid }) => tid).join(), '-C', String(cpu), ...optionsOf(range)],
				(await totals()).filter(([key]) => !/^(idle|unknown)/.test(key)));
		}
		for (const view of VIEWS) {
			await tab.go(`#view=${view}&fold=tasks&range=${range.join(',')}`);
			await look(`${view} ${range}`);
		}
	}
	await tab.look();
	tab.problems().forEach((text) => wrong.push(text));
	await tab.close();
	const at = (table, key) => capture.tables[table].columns.indexOf(key);
	const cores = capture.tables.coremap.rows.some((row) => row[at('coremap', 'task')] !== null && !row[at('coremap', 'idle')]);
	for (const name of ['tasks', ...(capture.tables.exits.rows.length ? ['exits', 'vcpu'] : []), ...(cores ? ['coremap'] : [])])
		if (!shown.has(name)) wrong.push(`no table ${name} was seen in the document`);
	return `${compared} rows, ${cells} cells`;
}

const browser = await Browser.launch();
try {
	for (let i = 0; i + 2 < args.length; i += 3) {
		const [name, file] = args.slice(i, i + 2);
		cdictFile = args[i + 2];
		wrong = [];
		compared = 0;
		const done = await check(browser, file).catch((error) => wrong.push(error.stack ?? String(error)));
		if (wrong.length) console.log([`not ok ${name}`, `${wrong.length} differences`, ...wrong.slice(0, 12)].join('\n    # '));
		else console.log(`# ${done}\nok ${name}`);
	}
} finally {
	await browser.close();
}
