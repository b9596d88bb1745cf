// SPDX-License-Identifier: GPL-2.0-only
// node groups.mjs NAME PAGE CDICT [NAME PAGE CDICT]... - groups and roles in the tables of tasks, of the core map and in the
// colours of cores are the commands', for ranges, CPUs and tasks. A line "ok NAME" or "not ok NAME" for each.

import { Browser } from './browser.mjs';
import { cdict, parseExact } from './page.mjs';

const ROWS = (key) => `JSON.stringify([...document.querySelectorAll('table[data-table=${key}] tbody tr[data-group]')].map((tr) => ({ group: tr.dataset.group, role: tr.dataset.role ?? null,
	...Object.fromEntries([...tr.cells].filter((td) => td.dataset.key && td.dataset.value !== undefined).map((td) => [td.dataset.total ? td.dataset.key : td.dataset.cpu ? 'cpu' + td.dataset.cpu : td.dataset.key, JSON.parse(td.dataset.value)])) })))`;
const FIGURES = ['run_ns', 'run_percent', 'switches', 'involuntary', 'wakeups', 'delayed_ns', 'delays', 'worst_ns', 'latency_p50_ns', 'latency_p99_ns', 'latency_max_ns', 'migrations'];

const seconds = (t0, ns) => { const s = String(BigInt(t0) + BigInt(ns)).padStart(10, '0'); return `${s.slice(0, -9)}.${s.slice(-9)}`; };

const LINES = `JSON.stringify([...document.querySelector('.findings').children].map((el) => ({
	name: el.querySelector('.unfold')?.title ?? null, expanded: el.querySelector('.unfold')?.ariaExpanded ?? null,
	all: (el.matches('.finding') ? [el] : [...el.querySelectorAll('.finding')]).map((a) => Number(a.dataset.index)),
	seen: (el.matches('.finding') ? [el] : [...el.querySelectorAll('.finding')]).filter((a) => a.checkVisibility()).map((a) => Number(a.dataset.index)) })))`;

/** Findings of one VM, or of tasks that are one group, are one line, which unfolds; the answer: how many lines do. */
async function checkFindings(tab, where, says) {
	const list = JSON.parse(await tab.evaluate(`(() => { const { app, page: { captures: [c] } } = cdictPage;
		return JSON.stringify((app.figures.shown?.findings ?? c.findings).map((f) => ({ of: f.of, task: f.tasks.length ? c.tasks[f.tasks[0]] : null }))
			.map(({ of, task }) => [of && [of.kind, of.name], task && [task.fold_kind, task.fold]])); })()`));
	const want = [];

	list.forEach(([of, fold], i) => {
		says(JSON.stringify(of) === JSON.stringify(fold), `${where}: finding ${i} is of ${of}, its task of ${fold}`);
		const line = fold && want.find((w) => JSON.stringify(w.fold) === JSON.stringify(fold));
		if (line) line.all.push(i); else want.push({ fold, all: [i] });
	});
	const lines = async () => JSON.parse(await tab.evaluate(LINES));
	const shown = await lines();
	const expected = want.map(({ fold, all }) => ({ name: all.length > 1 ? `${all.length - 1} more about ${fold[0] === 'vm' && /^\d+$/.test(fold[1]) ? 'VM ' : ''}${fold[1]}` : null, expanded: all.length > 1 ? 'false' : null, all, seen: [all[0]] }));
	says(JSON.stringify(shown) === JSON.stringify(expected), `${where}: findings stand as ${JSON.stringify(shown)}, not as ${JSON.stringify(expected)}`);
	const at = shown.findIndex((line) => line.name !== null);

	if (at < 0)
		return 0;
	await tab.evaluate('document.querySelector(".findings .unfold").focus()');
	for (const type of ['keyDown', 'keyUp'])
		await tab.send('Input.dispatchKeyEvent', { type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, ...type === 'keyDown' && { text: '\r' } });
	const open = (await lines())[at];
	says(open.expanded === 'true' && String(open.seen) === String(open.all), `${where}: Enter does not unfold ${JSON.stringify(open)}`);
	await tab.evaluate('document.querySelector(".findings .unfold").click()');
	const closed = (await lines())[at];
	says(closed.expanded === 'false' && closed.seen.length === 1, `${where}: a click does not fold ${JSON.stringify(closed)}`);
	return 1;
}

let folding = 0; // findings that are several of one
let edges = 0; // ns of run times that begin before or end after the window

async function check(browser, file, cdictFile) {
	const wrong = [];
	const says = (ok, text) => { if (!ok) wrong.push(text); };
	const tab = await browser.open(file, { width: 1280, height: 800 });
	await tab.ready();
	const { t0, from, to, tid, task, cpus } = JSON.parse(await tab.evaluate(`(() => { const c = cdictPage.page.captures[0];
		const busy = c.tables.tasks.rows.find((row) => c.tasks[row[0]].tid !== 0)[0];
		return JSON.stringify({ t0: c.t0_ns, ...c.window, task: busy, tid: c.tasks[busy].tid, cpus: c.cpus.filter((x) => x.seen).map((x) => x.cpu) }); })()`));
	const middle = [Math.floor(from + (to - from) * 0.3), Math.floor(from + (to - from) * 0.6)];
	const time = `${seconds(t0, middle[0])},${seconds(t0, middle[1])}`;
	const cases = [['', []], [`&range=${middle}`, ['--time', time]], [`&cpus=${cpus[0]}`, ['-C', String(cpus[0])]], [`&range=${middle}&cpus=${cpus.at(-1)}`, ['--time', time, '-C', String(cpus.at(-1))]],
	[`&tasks=${task}`, ['--tid', String(tid)]]];

	folding += await checkFindings(tab, 'all', says);
	const sums = JSON.parse(await tab.evaluate(`(() => { const { tables, tasks } = cdictPage.page.captures[0];
		const sum = (name, wanted) => ['run_ns', 'edge_ns', 'switches'].map((key) => tables[name].rows.reduce((n, row) => {
			const of = (k) => row[tables[name].columns.indexOf(k)];
			return n + (wanted(of) ? of(key) ?? 0 : 0); }, 0));
		return JSON.stringify([sum('coremap', (of) => tasks[of('task')]?.tid !== 0 && of('task') !== null), ...['coremap_groups', 'coremap_roles'].map((name) => sum(name, (of) => of('cpu') === null))]); })()`));
	edges += sums[0][1];
	says(String(sums[1]) === String(sums[0]) && String(sums[2]) === String(sums[0]), `run, edge, switches of tasks, groups and roles: ${sums.join(' and ')}`);
	for (const [hash, args] of cases) {
		const rows = (by) => parseExact(cdict('tasks', '-q', '--by', by, '--format', 'json', ...args, cdictFile)).tasks;
		const groups = rows('group'), roles = rows('role');
		const open = groups.filter((row) => row.kind !== 'idle').map((row) => encodeURIComponent(row.group)).join(',');
		await tab.go(`#view=tasks&fold=groups&unfold=${open}${hash}`);
		const shown = JSON.parse(await tab.evaluate(ROWS('tasks')));
		for (const row of shown) {
			const expected = row.role === null ? groups.find((g) => g.group === row.group) : roles.find((r) => r.group === row.group && r.role === row.role);
			says(expected, `${hash}: no command knows ${row.group} ${row.role}`);
			for (const key of FIGURES.filter((k) => expected && String(row[k] ?? null) !== String(expected[k] ?? null)))
				says(false, `${hash}: ${key} of ${row.group} ${row.role ?? ''} is ${row[key]}, the command's ${expected[key]}`);
		}
		const several = groups.filter((g) => g.tasks > 1).length;
		says(shown.filter((row) => row.role === null).length === several || args.includes('-C'), `${hash}: ${shown.filter((row) => row.role === null).length} groups of several tasks are shown, the command has ${several}`);
		if (!hash) says(several > 0 && shown.some((row) => row.role !== null), `${hash}: nothing is folded`);
		// the core map's cells of a group are those of its tasks
		await tab.go(`#view=coremap&fold=groups${hash}`);
		const cells = JSON.parse(await tab.evaluate(ROWS('coremap')));
		for (const row of cells) {
			const expected = groups.find((g) => g.group === row.group);
			says(expected && String(row.run_ns) === String(expected.run_ns), `${hash}: the core map has ${row.run_ns} ns of ${row.group}, the command ${expected?.run_ns}`);
			const sum = Object.entries(row).filter(([key]) => /^cpu\d/.test(key)).reduce((all, [, ns]) => all + Number(ns), 0);
			says(sum === Number(row.run_ns), `${hash}: cells of ${row.group} add up to ${sum}`);
		}
	}
	// tasks that ran next after the task
	await tab.go(`#view=tasks&tasks=${task}`);
	const next = parseExact(cdict('successors', '-q', '--tid', String(tid), '--format', 'json', cdictFile)).successors;
	const expected = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll('table[data-table=successors] tbody tr')].map((tr) => Number(tr.querySelector('[data-key=count]').dataset.value)))`));
	says(JSON.stringify(expected) === JSON.stringify(next.map((row) => Number(row.count))), `successors are ${expected}, the command's ${next.map((row) => row.count)}`);
	// by keyboard
	await tab.go('#view=tasks&fold=groups');
	const before = await tab.evaluate('document.querySelectorAll("table[data-table=tasks] tbody tr").length');
	await tab.evaluate(`document.querySelector('tr[data-group]').focus(); document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))`);
	await tab.idle();
	says(await tab.evaluate('document.querySelectorAll("table[data-table=tasks] tbody tr").length') > before, 'Enter on a group does not unfold it');
	await tab.evaluate('history.back()');
	await tab.idle();
	says(await tab.evaluate('document.querySelectorAll("table[data-table=tasks] tbody tr").length') === before, 'back does not fold it');
	// heat maps follow reasons and CPUs: those of each add up to that of all
	const parts = JSON.parse(await tab.evaluate(`(async () => {
		const { decoder, page: { captures: [capture] } } = cdictPage;
		await cdictPage.app.figures.opened(capture);
		const of = async (kind, how) => (await decoder.bins(capture, cdictPage.app.range, { heat: [kind], ...how })).heat[kind];
		const sum = async (kind, list) => { let n = 0; for (const how of list) n += (await of(kind, how))?.events ?? 0; return n; };
		const reasons = [...new Set(capture.tables.exits.rows.map((row) => row[capture.tables.exits.columns.indexOf('reason')]))];
		const all = await of('exit', {});
		return JSON.stringify({ exits: all.events - all.unplaced, by_reason: await sum('exit', reasons.map((reason) => ({ reasons: [reason] }))), reasons: reasons.length,
			one: (await of('exit', { reasons: [reasons[0]] })).events, runs: (await of('run', {})).events, by_cpu: await sum('run', capture.cpus.map(({ cpu }) => ({ cpus: [cpu] }))) });
	})()`));
	says(parts.exits === parts.by_reason && parts.reasons > 3 && parts.one < parts.exits, `exits of each reason add up to ${parts.by_reason} of ${parts.exits}, of the first ${parts.one}`);
	says(parts.runs === parts.by_cpu && parts.runs > 0, `runs of each CPU add up to ${parts.by_cpu} of ${parts.runs}`);
	// where in the second: the figures in the page are those of the engine for the whole
	const offsets = JSON.parse(await tab.evaluate(`(async () => {
		const { app, decoder } = cdictPage, out = [];
		for (const [kind, heat] of Object.entries(app.capture.bins.heat)) {
			if (!heat) continue;
			const { second } = heat, asked = await decoder.subsecond(app.capture, app.window, { kind });
			const all = new Uint32Array(asked.count.length);
			second?.cell.forEach((at, i) => { all[at] = second.count[i]; });
			out.push([kind, second?.seconds === asked.seconds && second.columns === asked.columns && String(all) === String(asked.count), Math.max(...asked.count)]);
		}
		return JSON.stringify(out);
	})()`));
	says(offsets.length >= 3 && offsets.every(([, same, most]) => same && most > 0), `where in the second: ${JSON.stringify(offsets)}`);
	// by itself a group has a colour where there are many tasks, a task where few are chosen
	const few = await tab.evaluate('cdictPage.app.capture.tables.tasks.rows.length <= 30');
	for (const [address, paint] of [['', few ? 'task' : 'group'], ['&fold=tasks', 'task'], ['&fold=groups', 'group'], ['&paint=task', 'task'], ['&paint=group', 'group'], ['&paint=state', 'state']]) {
		await tab.go(`#view=cores${address}`);
		says(await tab.evaluate(`document.querySelector('[data-choice=${paint}]').getAttribute('aria-pressed') === 'true' && document.querySelectorAll('.legend .item').length > 1`), `cores have no colours by ${paint}`);
	}
	tab.problems().forEach((text) => wrong.push(text));
	await tab.close();
	return wrong;
}

const browser = await Browser.launch();
const jobs = process.argv.slice(2);
let failed = 0;
try {
	for (let i = 0; i + 2 < jobs.length; i += 3) {
		const wrong = await check(browser, jobs[i + 1], jobs[i + 2]).catch((error) => [error.message]);
		console.log(`${wrong.length ? 'not ok' : 'ok'} ${jobs[i]}`);
		wrong.slice(0, 20).forEach((text) => console.log(`    # ${text}`));
		failed += wrong.length > 0;
	}
	console.log(`${folding ? 'ok' : 'not ok'} findings_of_one_are_one_line_that_unfolds`);
	console.log(`${edges ? 'ok' : 'not ok'} some_captures_have_run_times_beyond_the_window`);
	failed += !folding + !edges;
} finally {
	await browser.close();
}
process.exit(failed ? 1 : 0);
