// SPDX-License-Identifier: GPL-2.0-only
// node walk.mjs NAME PAGE CDICT [NAME PAGE CDICT]... - walks all views with several filters and at three zoom levels: what
// tooltips say of single things is asked of the commands for just that time, findings are the command's sentences, and
// the details of things have the commands' figures. A line "ok NAME" or "not ok NAME" for each.

import { Browser } from './browser.mjs';
import { cdict, parseExact } from './page.mjs';

const VIEWS = ['vcpus', 'exits', 'tasks', 'coremap', 'switches', 'cores'];
const MOST = 14; // tooltips of a kind, view and zoom level that are asked about

// The lines of every tooltip on a grid over the view's pictures, and of elements that have one.
const TIPS = `(() => {
	const out = new Map(), { app } = cdictPage;
	const add = (lines) => { if (lines) out.set(JSON.stringify(lines), lines.filter(Boolean)); };
	for (const plot of [...app.view.plots, app.overview.plot, app.pins.plot])
		for (let i = 0; i < 40 && plot.width; i++)
			for (let k = 0; k < 10; k++)
				add(plot.options.hit?.(plot.width * (i + 0.5) / 40, plot.height * (k + 0.5) / 10)?.lines);
	for (const el of [...document.querySelectorAll('main [data-card]')].slice(0, 60)) {
		el.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 5, clientY: 5 }));
		if (!app.card.el.hidden) add([...app.card.el.children].map((line) => line.textContent));
		app.card.hide();
	}
	return JSON.stringify([...out.values()]);
})()`;
const WORDS = [['guest', /^in the guest$/], ['exit', /^handling an exit$/], ['qemu', /^in the VMM$/], ['preempted', /^preempted: ready/], ['waiting', /^waiting: woken/],
['halted', /^halted: /], ['blocked', /^blocked: /], ['unknown', /^unknown: /]];
const EVENTS = { 'wake-up': /sched_wak/, exit: /kvm_exit/, entry: /kvm_entry/, migration: /sched_migrate_task/ };
const FINDINGS = 'JSON.stringify([...document.querySelectorAll(".finding")].sort((a, b) => a.dataset.index - b.dataset.index).map((el) => [el.dataset.kind, el.querySelector(".sentence").textContent]))';

// The case.
let file, capture, wrong, asked, whos, answers;

const says = (ok, text) => { if (!ok) wrong.push(text); };
const seconds = (t) => {
	const text = String(t).padStart(10, '0');
	return `${text.slice(0, -9)}.${text.slice(-9)}`;
};
const absolute = (t) => BigInt(capture.t0_ns) + BigInt(t);
const ns = (text) => BigInt(text.replace(/[,.]/g, ''));
const exact = (lines) => ns((/\(?([\d,]+) ns\)?/.exec(lines.join('\n')) ?? [])[1] ?? '-1');
const timeAt = (lines, word) => ns((new RegExp(`^${word} (\\d+\\.\\d{9})`, 'm').exec(lines.join('\n')) ?? [])[1] ?? '-1');
/** Rows that a command prints for a time; the same is asked once. */
function rows(command, key, from, to, ...options) {
	const how = [command, '-q', '--format', 'json', '--time', `${seconds(from)},${seconds(to)}`, ...options, file];
	if (!answers.has(String(how))) answers.set(String(how), parseExact(cdict(...how)));
	return answers.get(String(how))[key];
}
const number = (v) => BigInt(v ?? -1);

// A state of a vCPU for so long: the command says the same of just that time.
function stateTip(task, state, lines) {
	const [from, long] = [timeAt(lines, 'from'), exact(lines)];
	const [row] = rows('vcpu', 'vcpu', from, from + long, '--tid', String(task.tid));
	says(row && number(row[`${state}_ns`]) === long, `${lines.join(' | ')}: the command says ${row?.[`${state}_ns`]} ns`);
}

// A state's sum over the range.
function barTip(task, state, lines, range) {
	const row = rows('vcpu', 'vcpu', ...range.map(absolute), '--tid', String(task.tid)).find(({ tid }) => tid === task.tid);
	says(row && number(state === 'delayed' ? row.delayed_ns : row[`${state}_ns`]) === exact(lines), `${lines.join(' | ')}: the command says ${JSON.stringify(row)}`);
}

function sliceTip(taskName, cpu, lines) {
	const [from, to] = [timeAt(lines, 'from'), timeAt(lines, 'to')];
	const idle = taskName.startsWith('IDLE'), unknown = taskName === 'unknown task';
	const row = rows('coremap', 'coremap', from, to, '-C', cpu).find((r) => String(r.cpu) === cpu && r.run_ns && (unknown ? r.unknown : idle ? r.idle : whos.get(taskName)?.tids.includes(r.tid)));
	says(row && number(row.run_ns) === to - from && exact(lines) === to - from, `${lines.join(' | ')}: the command says ${JSON.stringify(row)}`);
}

// A cell of the core map: run time and switches of the range.
function cellTip(taskName, cpu, lines, range) {
	const row = rows('coremap', 'coremap', ...range.map(absolute), '-C', cpu).find((r) => String(r.cpu) === cpu && !r.unknown && (taskName.startsWith('IDLE') ? r.idle : whos.get(taskName)?.tids.includes(r.tid)));
	const switchesShown = lines[2].match(/^([\d,]+) switch(?:es)?$/)?.[1].replaceAll(',', '');
	says(row && number(row.run_ns) === exact(lines) && String(row.switches) === switchesShown, `${lines.join(' | ')}: the command says ${JSON.stringify(row)}`);
}

function markTip(what, taskName, lines) {
	const at = timeAt(lines, 'at');
	const text = cdict('script', '-q', '--time', `${seconds(at)},${seconds(at + 1n)}`, file);
	says(EVENTS[what].test(text), `${lines.join(' | ')}: no such event then`);
	if (what !== 'exit' || exact(lines) < 0n)
		return;
	const row = rows('exits', 'exits', at, at + exact(lines) + 1n, '--tid', String(whos.get(taskName).tid)).find(({ reason }) => reason === lines[1]);
	says(row && number(row.max_ns) === exact(lines), `${lines.join(' | ')}: the command says ${JSON.stringify(row)}`);
}

/** The kind of a tooltip, and how it is compared with a command; null: it describes a picture's column, not a thing. */
function checkOf(lines, range) {
	const head = lines[0];
	const state = /^(.*?): (.*)$/.exec(head);
	const slice = /^(.*) on CPU (\d+)$/.exec(head);
	const mark = /^(wake-up|exit|entry|migration) of (.*)$/.exec(head);
	// names may have colons and blanks of their own
	for (const [key, words] of WORDS) {
		const [, taskName] = [...whos.keys()].map((w) => [head.startsWith(`${w}: `) && words.test(head.slice(w.length + 2)), w]).find(([is]) => is) ?? [];
		if (taskName !== undefined && timeAt(lines, 'from') >= 0n)
			return whos.get(taskName).vcpu !== null ? [`state ${key}`, () => stateTip(whos.get(taskName), key, lines)] : null;
		if (taskName !== undefined && /of the range$/.test(lines.at(-1)))
			return [`bar ${key}`, () => barTip(whos.get(taskName), key, lines, range)];
	}
	if (state && /^waited [\d,]+ ns$/.test(state[2]) && whos.has(state[1]))
		return ['delayed', () => barTip(whos.get(state[1]), 'delayed', lines, range)];
	if (mark && whos.has(mark[2]))
		return [mark[1], () => markTip(mark[1], mark[2], lines)];
	if (slice && /^ran /.test(lines[1]) && (whos.get(slice[1])?.tids.length === 1 || slice[1] === 'IDLE'))
		return ['cell', () => cellTip(slice[1], slice[2], lines, range)];
	if (slice && !slice[1].startsWith('mostly ') && timeAt(lines, 'to') >= 0n)
		return ['slice', () => sliceTip(slice[1], slice[2], lines)];
	return null;
}

async function tips(tab, where, range) {
	const kinds = new Map();
	for (const lines of JSON.parse(await tab.evaluate(TIPS))) {
		const [kind, check] = checkOf(lines, range) ?? [];
		if (!kind || (kinds.get(kind) ?? 0) >= MOST) continue;
		kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
		const before = wrong.length;
		check();
		if (wrong.length > before) wrong[wrong.length - 1] = `${where}: ${wrong.at(-1)}`;
		asked.set(kind.split(' ')[0], (asked.get(kind.split(' ')[0]) ?? 0) + 1);
	}
}

// The sentences above the table of `cdict vcpu`, which are the page's about vCPUs, by the recording's clock.
async function findings(tab, where, range) {
	const shown = JSON.parse(await tab.evaluate(FINDINGS)).filter(([kind]) => !['imbalance', 'loss'].includes(kind)).map(([, text]) => text);
	if (!capture.tables.vcpu.rows.length) return;
	// of the chosen tasks only, or of all of the VM to which they belong
	const tids = JSON.parse(await tab.evaluate(`JSON.stringify((() => { const { app, page: { captures: [c] } } = cdictPage;
		if (!app.selection.any) return null;
		const chosen = app.selection.list().map((i) => c.tasks[i]), vms = new Set(chosen.filter((t) => t.fold_kind === 'vm').map((t) => t.fold));
		return (vms.size === 1 ? c.tasks.filter((t) => t.fold_kind === 'vm' && vms.has(t.fold)) : chosen).map((t) => t.tid); })())`));
	const text = cdict('vcpu', '-q', '--time', range.map((t) => seconds(absolute(t))).join(), ...tids ? ['--tid', tids.join()] : [], file);
	const want = text.split('\n').slice(1, text.split('\n').indexOf('')).map((line) => line.replace(/(\d) us\b/g, '$1 µs').replace(/(\d) x (\d)/g, '$1 × $2'));
	if (want[0] === 'No vCPUs found.') return;
	says(JSON.stringify(shown.slice(0, want.length)) === JSON.stringify(want), `${where}: findings are ${JSON.stringify(shown)}, the command's ${JSON.stringify(want)}`);
	asked.set('finding', (asked.get('finding') ?? 0) + want.length);
}

const FIGURES_SHOWN = `(() => { const { app, page: { captures: [c] } } = cdictPage;
	return JSON.stringify({ folds: c.tasks.map((t) => t.fold), findings: app.figures.shown?.findings ?? c.findings, range: app.range, ...Object.fromEntries(['tasks', 'vcpu', 'antagonists', 'vcpu_reasons', 'cpus'].map((t) => [t, app.rows(t)])) }); })()`;
const UNITS = { µs: 1e3, ms: 1e6, s: 1e9 };
const STATES = WORDS.map(([state]) => `${state}_ns`);
const total = (list) => list.reduce((all, v) => all + v, 0);

// What to do about a VM: the sums of its vCPUs, and the part of their waiting that was behind each other.
function nextStep(where, words, shown, vcpus) {
	const tasks = new Set(vcpus.map((r) => r.task));
	const delayed = total(vcpus.map((r) => r.delayed_ns));
	const shared = total(shown.antagonists.filter((r) => tasks.has(r.task) && tasks.has(r.antagonist)).map((r) => r.behind_ns));
	const [, n, part] = /The VM's (\d+) vCPUs share (?:a CPU|CPU \d+) for (\d+) %/.exec(words) ?? [];
	const [, sum, unit] = / \(([\d.]+) (µs|ms|s) of /.exec(words) ?? [];

	says(part === undefined ? 100 * shared < 20 * delayed || words.startsWith('Host') : Number(n) === vcpus.length && Math.abs(100 * shared / delayed - Number(part)) < 0.51, `${where}: ${shared} of ${delayed} ns behind each other, ${vcpus.length} vCPUs`);
	says(sum === undefined ? vcpus.length === 1 : Math.abs(delayed / UNITS[unit] - sum) <= 0.5001 / 10 ** (sum.split('.')[1]?.length ?? 0), `${where}: waited ${delayed} ns`);
	asked.set('next step', (asked.get('next step') ?? 0) + 1);
}

// Each number of each sentence is a figure of the table that it leads to, in the same range; none is of time that was not
// recorded, and no more than two have the same figure of one.
async function sentences(tab, where) {
	const shown = JSON.parse(await tab.evaluate(FIGURES_SHOWN));
	const alike = new Map();
	const life = (row) => total(STATES.map((key) => row[key] ?? 0)) - (row.absent_ns ?? 0);

	for (const { kind, view, says: pieces, text, task: [task] = [], of, range } of shown.findings.map((f) => ({ ...f, task: f.tasks }))) {
		const [words, ...advice] = pieces.filter((piece) => typeof piece === 'string').join('\0').split(/ (?=The VM's \d|Host CPU \d)/);
		const durations = (words.match(/[\d.]+ (?:µs|ms|s)\b/g) ?? []).map((t) => t.split(' '));
		const percents = [...words.matchAll(/(\d+) %(?! of the time or more)/g)].map((m) => Number(m[1]));
		const at = pieces.find((piece) => typeof piece === 'object' && 'at' in piece)?.at ?? null;
		const helper = kind === 'delayed' && task !== undefined && !shown.vcpu.some((r) => r.task === task); // a VM's other thread
		const row = shown[view === 'tasks' || helper ? 'tasks' : 'vcpu'].find((r) => r.task === task);
		const reasons = shown.vcpu_reasons.filter((r) => r.task === task && !r.idle);
		const cost = reasons.map((r) => r.exit_ns + r.qemu_ns);
		const is = (what, ...ns) => {
			const fits = ns.length === durations.length && durations.every(([v, unit], i) => Math.abs(ns[i] / UNITS[unit] - v) <= 0.5001 / 10 ** (v.split('.')[1]?.length ?? 0));
			says(fits, `${where}: "${text}": ${what} are ${ns} ns in the table`);
		};
		const parts = (...want) => says(String(percents) === String(want.map((v) => v.toFixed(0))), `${where}: "${text}": the table has ${want} %`);

		asked.set(`sentence of ${kind}`, (asked.get(`sentence of ${kind}`) ?? 0) + 1);
		if (of) alike.set(`${kind} ${of.kind} ${of.name}`, (alike.get(`${kind} ${of.kind} ${of.name}`) ?? 0) + 1);
		if (advice.length) nextStep(`${where}: "${text}"`, advice.join(' '), shown, shown.vcpu.filter((r) => shown.folds[r.task] === shown.folds[task]));
		says(!/\bus\b/.test(words), `${where}: "${text}" writes microseconds another way`);
		says(!range || (range[0] >= capture.window.from && range[1] <= capture.window.to), `${where}: "${text}" leads out of the capture: ${range}`);
		if (kind === 'delayed' && task === undefined) {
			const some = view === 'tasks' ? shown.tasks.filter((r) => 100 * (r.delayed_ns ?? 0) >= shown.range[1] - shown.range[0]) : shown.vcpu.filter((r) => r.delayed_percent >= 1);
			says(Number.parseInt(text, 10) === some.length - shown.findings.filter((f) => f.kind === kind && f.tasks.length && (view === 'tasks' || some.some((r) => r.task === f.tasks[0]))).length, `${where}: "${text}": ${some.length} waited so long, ${shown.findings.length} findings`);
		} else if (kind === 'delayed' && (view === 'tasks' || helper)) {
			is('waited, of, worst', row.delayed_ns, shown.range[1] - shown.range[0], ...row.worst_ns ? [row.worst_ns] : []);
			says((row.delays ? Number(/([\d,]+) time/.exec(words)?.[1].replaceAll(',', '')) === row.delays : !/ times?\b/.test(words)) && (row.worst_ns ? at === row.worst_at_ns : at === null && range === null), `${where}: "${text}": ${row.delays} times, the worst at ${row.worst_at_ns}, ${at}`);
		} else if (kind === 'delayed') {
			const behind = shown.antagonists.filter((r) => r.task === task).sort((a, b) => b.behind_ns - a.behind_ns);
			is('delayed, of, worst', row.delayed_ns, /the known/.test(text) ? life(row) - (row.unknown_ns - row.absent_ns) : life(row), ...row.worst_ns ? [row.worst_ns] : []);
			if (/behind [^,;]+ \(\d+ tasks\)/.test(words)) {
				const crowds = [...new Set(behind.map((r) => shown.folds[r.antagonist]))].map((name) => ({ name, rows: behind.filter((r) => shown.folds[r.antagonist] === name) }))
					.map((crowd) => ({ ...crowd, ns: total(crowd.rows.map((r) => r.behind_ns)) })).sort((a, b) => b.ns - a.ns);
				const named = [...words.matchAll(/ % behind (its own VM|[^,;]+?)(?: \((\d+) tasks\))?[,;.]/g)].map(([, name, n]) => [name, Number(n ?? 1)]);
				parts(...crowds.slice(0, percents.length).map(({ ns }) => 100 * ns / row.delayed_ns));
				says(named.every(([name, n], i) => crowds[i].rows.length === n && [crowds[i].name, `VM ${crowds[i].name}`, crowds[i].name === shown.folds[task] ? 'its own VM' : null].includes(name)), `${where}: "${text}" names other crowds than ${crowds.slice(0, 2).map((c) => `${c.name} ${c.rows.length}`)}`);
			} else {
				parts(...behind.slice(0, percents.length).map((r) => r.delayed_percent));
			}
			const cpu = /on CPU (\d+)/.exec(words);
			says(at === row.worst_at_ns && (!cpu || Number(cpu[1]) === row.worst_cpu), `${where}: "${text}": the worst at ${row.worst_at_ns}, ${at}, on CPU ${row.worst_cpu}`);
			says(!capture.loss.records.some((loss) => loss.cpu === row.worst_cpu && loss.to_ns > at && loss.from_ns < at + row.worst_ns), `${where}: "${text}" is based on lost events`);
			says(pieces.filter((piece) => piece.task !== undefined && piece.task !== task).every((piece) => behind.some((r) => r.antagonist === piece.task)), `${where}: "${text}" names a task that was not in its way`);
		} else if (kind === 'handling') {
			const qemu = total(reasons.map((r) => r.qemu_ns));
			is('handled, in the VMM, for', total(cost), ...qemu ? [qemu] : [], Math.max(...cost));
			parts(100 * total(cost) / life(row));
		} else if (kind === 'unknown') {
			parts(100 * (row.unknown_ns - row.absent_ns) / life(row));
		} else if (kind === 'imbalance') {
			const [busy, idle] = [...words.matchAll(/CPU (\d+)/g)].map((m) => shown.cpus.find((r) => r.cpu === Number(m[1])));
			parts(100 * busy.busy_ns / (shown.range[1] - shown.range[0]), 100 * idle.idle_ns / (shown.range[1] - shown.range[0]));
		} else if (kind === 'good' && durations.length) {
			is('the longest wait', row.worst_ns);
			says(at === row.worst_at_ns, `${where}: "${text}": at ${row.worst_at_ns}`);
		}
	}
	for (const [what, n] of alike)
		says(n <= 2, `${where}: ${n} findings are alike: ${what}`);
	says(new Set(shown.findings.map((f) => (f.of ? `${f.of.kind} ${f.of.name}` : f.text))).size <= 5, `${where}: more than five lines of findings`);
}

const look = async (tab, kind, task, at) => {
	await tab.evaluate(`cdictPage.app.details.look(${JSON.stringify(kind)}, ${task}, ${at})`);
	await tab.idle();
	return JSON.parse(await tab.evaluate(`JSON.stringify({ ...cdictPage.app.details.answer, rows: cdictPage.app.details.rows, hidden: cdictPage.app.details.el.hidden,
		shown: [...document.querySelectorAll('.details [data-key]')].map((el) => [el.dataset.key, el.dataset.value]),
		rank: document.querySelector('.details [data-rank]')?.dataset.rank, text: document.querySelector('.details').textContent })`));
};

// The worst wait of each task is that of `cdict vcpu` and `cdict latency`; the task on the CPU then is that of `cdict coremap`.
async function details(tab) {
	const whole = [capture.window.from, capture.window.to].map(absolute);
	const vcpus = parseExact(cdict('vcpu', '-q', '--format', 'json', file)).vcpu.filter((row) => row.worst_ns);
	const waits = parseExact(cdict('latency', '-q', '--format', 'json', file)).latency.filter((row) => row.latency_max_ns);
	const taskOf = (row) => capture.tasks.find((t) => t.tid === row.tid && !t.reused);
	for (const row of vcpus.slice(0, 4)) {
		const at = Number(BigInt(row.worst_at_ns) - BigInt(capture.t0_ns)), task = taskOf(row);
		if (!task || at < 0) continue;
		const found = await look(tab, 'wait', task.index, at);
		says(!found.hidden && found.thing?.ns === row.worst_ns && found.rank === '1' && found.thing.cpu === row.worst_cpu, `details of the worst wait of ${row.name}: ${JSON.stringify(found.thing)}, rank ${found.rank}; the command: ${JSON.stringify(row)}`);
		says(found.shown.some(([key, value]) => key === 'ns' && value === String(row.worst_ns)), `the panel does not show ${row.worst_ns}: ${JSON.stringify(found.shown)}`);
		const cells = new Map(rows('coremap', 'coremap', absolute(found.thing.from), absolute(found.thing.to), '-C', String(found.thing.cpu)).filter((r) => r.run_ns).map((r) => [r.unknown ? null : r.idle ? 0 : r.tid, r.run_ns]));
		for (const culprit of found.rows ?? [])
			says(cells.get(culprit.task === null ? null : capture.tasks[culprit.task].tid) === culprit.run_ns, `the task on CPU ${found.thing.cpu} while ${row.name} waited: ${culprit.run_ns} ns; the command: ${JSON.stringify([...cells])}`);
		says(found.rows?.length, `no task had the CPU while ${row.name} waited`);
		const stay = found.stay;
		says(stay && (found.thing.state === 'woken' ? stay.woken : stay.out)?.at === found.thing.from, `the wait of ${row.name} begins with nothing: ${JSON.stringify(stay)}`);
		asked.set('panel', (asked.get('panel') ?? 0) + 1);
		says(found.thing.ended === (found.thing.to !== capture.window.to) && found.thing.ended !== /still waiting at the recording’s end/.test(found.text), `the panel of the worst wait of ${row.name}, up to ${found.thing.to}: ${found.text}`);
		asked.set(found.thing.ended ? 'ended wait' : 'open wait', (asked.get(found.thing.ended ? 'ended wait' : 'open wait') ?? 0) + 1);
		if (!found.thing.ended) continue;
		// its slice after it has the exits of `cdict exits`
		const slice = await look(tab, 'run', task.index, found.thing.to);
		const own = rows('exits', 'exits', absolute(slice.thing.from), absolute(slice.thing.to), '--tid', String(task.tid)).filter((r) => r.count);
		says(JSON.stringify((slice.rows ?? []).map((r) => [r.reason, r.count, r.time_ns]).sort()) === JSON.stringify(own.map((r) => [r.reason, r.count, r.time_ns]).sort()), `exits in the slice of ${row.name}: ${JSON.stringify(slice.rows)}; the command: ${JSON.stringify(own)}`);
		says(slice.thing?.from === found.thing.to, `the slice after the wait of ${row.name} begins at ${slice.thing?.from}`);
	}
	for (const row of waits.slice(0, 4)) {
		const at = Number(BigInt(row.latency_max_at_ns) - BigInt(capture.t0_ns)), task = taskOf(row);
		if (!task || at < 0) continue;
		const found = await look(tab, 'wait', task.index, at);
		says(found.thing?.ns === row.latency_max_ns && found.thing.from === at && found.stay?.woken?.at === at, `details of the longest wait of ${row.name}: ${JSON.stringify(found.thing)}; the command: ${row.latency_max_ns} at ${at}`);
		asked.set('panel', (asked.get('panel') ?? 0) + 1);
	}
	says(whole[1] > whole[0], 'the capture is empty');
	// true ends, whatever is shown of it
	if (waits.length) {
		const shown = await tab.evaluate('(() => { const { thing } = cdictPage.app.details; cdictPage.app.select([thing.from, thing.from + Math.max(2, Math.floor((thing.to - thing.from) / 2))]); return [thing.from, thing.to].join(); })()');
		await tab.idle();
		says((await tab.evaluate('[cdictPage.app.details.thing.from, cdictPage.app.details.thing.to].join()')) === shown, 'a narrower range clips the thing');
		says(await tab.evaluate('cdictPage.app.range[1] >= cdictPage.app.details.thing.to || /▸/.test(document.querySelector(".details").textContent)'), 'it is not shown that the thing goes on');
	}
	await tab.evaluate('cdictPage.app.details.close(); cdictPage.app.select(null)');
	await tab.idle();
}

function zooms({ from, to }) {
	const long = to - from, at = Math.floor(from + long * 0.4);
	return [[from, to], [at, at + Math.max(2, Math.floor(long / 12))], [at, at + Math.max(2, Math.floor(long / 400))]];
}

async function check(browser, page) {
	const tab = await browser.open(page, { width: 1280, height: 800 });
	await tab.ready();
	await tab.idle();
	capture = JSON.parse(await tab.evaluate('JSON.stringify({ ...cdictPage.page.captures[0], bins: null })'));
	const names = JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.page.captures[0].tasks.map((t) => cdictPage.app.who(t.index)))'));
	whos = new Map(capture.tasks.map((t) => [names[t.index], { tid: t.tid, vcpu: t.vcpu, tids: [] }]));
	// several threads may have one name
	capture.tasks.forEach(({ tid, index }) => whos.get(names[index]).tids.push(tid));
	await tab.evaluate('cdictPage.setState({ clock: "clock" })');
	await tab.idle();
	const [first] = capture.tables.vcpu.rows.length ? capture.tables.vcpu.rows[0] : capture.tables.tasks.rows.find(([task]) => capture.tasks[task].tid) ?? [0];
	const cpu = capture.cpus.find(({ seen }) => seen)?.cpu ?? 0;
	for (const range of zooms(capture.window)) {
		for (const filter of [{}, { tasks: [first] }, { cpus: [cpu] }, { tasks: [first], cpus: [cpu] }]) {
			for (const view of VIEWS) {
				await tab.evaluate(`cdictPage.setState(${JSON.stringify({ view, range, tasks: [], cpus: [], pins: [first], ...filter })})`);
				await tab.idle();
				await tips(tab, `${view} ${range} ${JSON.stringify(filter)}`, range);
			}
		}
		await findings(tab, `${range}`, range);
		await sentences(tab, `${range}`);
	}
	await tab.evaluate('cdictPage.setState({ range: null, tasks: [], cpus: [], pins: [], view: "cores" })');
	await tab.idle();
	await details(tab);
	says(asked.get('cell') >= MOST, `the core map had too few cells: ${asked.get('cell')} cells`);
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
		if (!wrong.length && asked.size < 3) wrong.push(`there was too little to ask about: ${done}`);
		console.log(wrong.length ? [`not ok ${args[i]}`, `${wrong.length} differences`, ...wrong.slice(0, 12)].join('\n    # ') : `# ${done}\nok ${args[i]}`);
	}
} finally {
	await browser.close();
}
