// SPDX-License-Identifier: GPL-2.0-only
// node story.mjs [--firefox] NAME PAGE CDICT [NAME PAGE CDICT]... - the story of each VM on the page is that of cdict vm; a line "ok NAME" or
// "not ok NAME" for each page.

import { cdict, parseExact } from '../page.mjs';

const args = process.argv.slice(2);
const firefox = args[0] === '--firefox' && args.shift();
const { Browser } = await import(firefox ? '../firefox.mjs' : '../browser.mjs');

const STORY = `JSON.stringify((() => { const el = document.querySelector('.story'); return el.hidden || !el.dataset.range ? null : {
	vm: el.dataset.vm,
	parts: [...el.querySelectorAll('[data-part]')].map((d) => [d.dataset.part, Number(d.dataset.value)]),
	threads: [...el.querySelectorAll('table[data-table=threads] tbody tr')].map((tr) => [Number(tr.dataset.tid), ...['run_ns', 'delayed_ns', 'delays', 'worst_ns'].map((key) => JSON.parse(tr.querySelector('[data-key=' + key + ']')?.dataset.value ?? 'null'))]),
	chains: [...el.querySelectorAll('[data-chain]')].map((li) => [...li.querySelectorAll('[data-link]')].map((d) => Number(d.dataset.value))),
	text: el.querySelector('.sentence').textContent }; })())`;
// The lanes of the range, once they have arrived: the time in each state, the exits; the arrows of the chain.
const LANES = `JSON.stringify((() => { const { app } = cdictPage, line = app.view.story?.timeline, a = line?.tracks.answer;
	return !a || String(a.range) !== String(app.range) || document.documentElement.dataset.busy ? null : line.lanes.map(({ task, vcpu }) => ({ tid: app.capture.tasks[task].tid, vcpu,
		...Object.fromEntries(line.tracks.sums(task)), exits: vcpu ? a.exits.subarray(...[0, 1].map((k) => (a.vcpus.indexOf(task) + k) * a.columns)).reduce((sum, n) => sum + n, 0) : 0 })); })())`;
const CHAIN = `JSON.stringify((() => { const { app } = cdictPage, line = app.view.story.timeline, tid = (task) => app.capture.tasks[task].tid;
	return !app.details.chain || document.documentElement.dataset.busy ? null : { arrows: line.arrows.filter(({ chosen }) => chosen).map(({ at, by, task }) => [at, tid(by), tid(task)]),
		range: app.range, lanes: line.lanes.map(({ task }) => tid(task)), text: document.querySelector('.details [data-tells=chain]').textContent }; })())`;
// The critical path of the open thing; the colour of its longest part in its lane.
const PATH = `JSON.stringify((() => { const { app } = cdictPage, { path } = app.details.critical, line = app.view.story.timeline, tid = (task) => app.capture.tasks[task].tid;
	if (!path || document.documentElement.dataset.busy) return null;
	const all = Array.from(path.from, (from, i) => [from, path.to[i] - from, path.depth[i], tid(path.task[i]), path.states[path.state[i]], path.cpu[i] === 0xffffffff ? null : path.cpu[i], path.behind[i] === 0xffffffff ? null : tid(path.behind[i])]);
	const [from, ns, , longest] = [...all].sort((a, b) => b[1] - a[1])[0], { canvas, time: { left, right } } = line.plot;
	const lane = line.lanes.find(({ task }) => tid(task) === longest), x = left + (from + ns / 2 - app.range[0]) / (app.range[1] - app.range[0]) * (line.plot.width - left - right);
	const dot = !app.state.area.length && lane && x > left && x < line.plot.width - right ? [...canvas.getContext('2d').getImageData(Math.round(x), lane.top + 1, 1, 1).data] : null;
	return { range: path.range, tid: tid(path.of), all, lanes: line.lanes.map(({ task }) => tid(task)), dot, accent: app.palette.accent,
		shown: [...document.querySelectorAll('.details-path tbody tr')].map((tr) => [Number(tr.dataset.tid), tr.dataset.state, Number(tr.querySelector('[data-key=time_ns]').dataset.value)]),
		links: document.querySelectorAll('.details-path [data-part]').length }; })())`;
const seconds = (t0, ns) => { const s = String(BigInt(t0) + BigInt(ns)).padStart(10, '0'); return `${s.slice(0, -9)}.${s.slice(-9)}`; };

async function storyOf(tab, what = STORY) {
	for (let i = 0; i < 200; i++) {
		const story = JSON.parse(await tab.evaluate(what));
		if (story) return story;
		await new Promise((done) => { setTimeout(done, 50); });
	}
	return null;
}

async function check(browser, file, cdictFile) {
	const wrong = [];
	const says = (ok, text) => { if (!ok) wrong.push(text); };
	const tab = await browser.open(file, { width: 1280, height: 800 });
	await tab.ready();
	const { t0, from, to, vms } = JSON.parse(await tab.evaluate(`(() => { const c = cdictPage.page.captures[0];
		return JSON.stringify({ t0: c.t0_ns, ...c.window, vms: [...new Set(c.tasks.filter((t) => t.fold_kind === 'vm' && t.vcpu !== null).map((t) => t.fold))] }); })()`));

	says(JSON.parse(await tab.evaluate(STORY)) === null, 'a story is open although no VM was chosen');
	const compare = async (where, vm, range) => {
		const story = await storyOf(tab);
		const time = range ? ['--time', `${seconds(t0, range[0])},${seconds(t0, range[1])}`] : [];
		const want = parseExact(cdict('vm', vm, cdictFile, '--json', '-q', '--max-loss', '100', ...time));

		if (!story)
			return says(false, `${where}: no story of ${vm}`);
		const parts = want.parts.map((p) => [p.part, Number(p.time_ns)]);
		const threads = want.threads.map((t) => [t.tid, ...[t.run_ns, t.delayed_ns, t.delays, t.worst_ns].map((v) => (v === null ? null : Number(v)))]);
		const chains = [];

		for (const link of want.chains)
			if (link.link < 6) (chains[link.chain] ??= []).push(Number(link.waited_ns));
		says(story.vm === vm, `${where}: the story is of ${story.vm}, not of ${vm}`);
		says(story.parts.reduce((sum, [, ns]) => sum + ns, 0) === Number(want.total.time_ns), `${where}: parts add up to something else than ${want.total.time_ns}`);
		for (const [what, got, expected] of [['parts', story.parts, parts], ['threads', story.threads, threads], ['chains', story.chains, chains.filter(Boolean)]])
			says(JSON.stringify(got) === JSON.stringify(expected), `${where}: ${what} of ${vm} are ${JSON.stringify(got)}, the command's ${JSON.stringify(expected)}`);
		return compareLanes(where, vm, time, want);
	};
	// each lane's sums are the figures of vm, vcpu and exits
	const compareLanes = async (where, vm, time, want) => {
		const lanes = await storyOf(tab, LANES);
		const { vcpu: vcpus } = parseExact(cdict('vcpu', '--vm', vm, cdictFile, '--json', '-q', '--max-loss', '100', ...time));
		const exits = cdict('script', '-e', 'kvm:kvm_exit', cdictFile, '-q', '--max-loss', '100', ...time).split('\n').map((line) => Number(line.match(/\s(\d+)\s+\[\d+\]/)?.[1]));

		if (!lanes)
			return says(false, `${where}: no lanes of ${vm}`);
		says(want.threads.every(({ tid, run_ns: run, delayed_ns: waited }) => (!run && !waited) || lanes.some((lane) => lane.tid === tid)) || lanes.length === 12, `${where}: a thread of ${vm} has no lane`);
		for (const lane of lanes) {
			const thread = want.threads.find(({ tid }) => tid === lane.tid), vcpu = vcpus.find(({ tid }) => tid === lane.tid);
			const figures = vcpu ? ['guest', 'exit', 'qemu', 'preempted', 'waiting', 'halted', 'blocked'].map((state) => [state, lane[state], vcpu[`${state}_ns`]])
				: [['run', lane.running, thread?.run_ns], ['waited', lane.preempted + lane.waiting, thread?.delayed_ns]];

			if (vcpu)
				figures.push(['exits', lane.exits, exits.filter((tid) => tid === lane.tid).length]);
			for (const [state, got, expected] of figures)
				says(got === Number(expected ?? 0), `${where}: the lane of ${lane.tid} has ${got} ${state}, the command ${expected}`);
		}
		return undefined;
	};
	// the chain of the open wait: its arrows are the links of the command's first chain
	const compareChain = async (vm) => {
		const got = await storyOf(tab, CHAIN);
		const links = parseExact(cdict('vm', vm, cdictFile, '--chain', '--json', '-q', '--max-loss', '100')).chains.filter(({ chain }) => chain === 0);

		if (!got)
			return says(false, `no chain of ${vm}`);
		const arrows = links.slice(0, -1).map((link, i) => [Number(BigInt(link.ready_ns) - BigInt(t0)), links[i + 1].tid, link.tid]).filter(([at]) => at >= got.range[0] && at <= got.range[1]);

		says(JSON.stringify(got.arrows) === JSON.stringify(arrows), `arrows of ${vm} are ${JSON.stringify(got.arrows)}, the links ${JSON.stringify(arrows)}`);
		says(links.every(({ tid }) => got.lanes.includes(tid)), `not all of the chain's tasks are lanes: ${got.lanes}`);
		says(links.slice(0, 8).every(({ name }) => got.text.includes(name)) && got.text.includes(' late '), `the details call the chain ${got.text}`);
		return undefined;
	};
	// the critical path of the open wait's task, of the shown range or of the area
	const comparePath = async (vm, where) => {
		const got = await storyOf(tab, PATH);

		if (!got)
			return says(false, `${where}: no critical path`);
		const want = parseExact(cdict('vm', vm, cdictFile, '--critical', String(got.tid), '--json', '-q', '--max-loss', '100', '--time', got.range.map((at) => seconds(t0, at)).join()));
		const rows = want.critical.map((row) => [Number(BigInt(row.from_ns) - BigInt(t0)), Number(row.time_ns), row.depth, row.tid, row.state, row.cpu]);
		const sums = want.critical_sums.slice(0, 6).map((row) => [row.tid, row.state, Number(row.time_ns)]);

		says(rows.length > 0 && JSON.stringify(got.all.map((row) => row.slice(0, 6))) === JSON.stringify(rows), `${where}: the path has ${JSON.stringify(got.all.slice(0, 5))}, the command's ${JSON.stringify(rows.slice(0, 5))}`);
		says(got.all.every(([, , , , , , behind], i) => (behind === null) === (want.critical[i].behind === null)), `${where}: behind whom differs`);
		says(JSON.stringify(got.shown) === JSON.stringify(sums), `${where}: the sums are ${JSON.stringify(got.shown)}, the command's ${JSON.stringify(sums)}`);
		says(got.links === Math.min(6, rows.length), `${where}: ${got.links} links to parts`);
		says(sums.every(([tid]) => got.lanes.includes(tid)), `${where}: not all tasks of the path are lanes: ${got.lanes}`);
		says(!got.dot || `#${got.dot.slice(0, 3).map((v) => v.toString(16).padStart(2, '0')).join('')}` === got.accent, `${where}: the longest part is not marked in its lane: ${got.dot}`);
		return got;
	};
	// a click at the middle of the open thing in its lane opens the same thing
	const clickLane = async () => {
		const { x, y, look } = JSON.parse(await tab.evaluate(`JSON.stringify((() => { const { app } = cdictPage, { lanes, plot } = app.view.story.timeline, { thing } = app.details;
			plot.canvas.scrollIntoView({ block: 'center' });
			const lane = lanes.find(({ task }) => task === thing.task), box = plot.canvas.getBoundingClientRect(), [from, to] = app.range, look = [thing.task, thing.from, thing.to];
			app.details.close();
			return { look, x: box.left + plot.time.left + ((thing.from + thing.to) / 2 - from) / (to - from) * (box.width - plot.time.left - plot.time.right), y: box.top + lane.top + lane.tall / 2 }; })())`));

		await tab.idle();
		await tab.move(x, y);
		await tab.drag(x, y, x, y); // a click
		await tab.idle();
		const got = await tab.evaluate('JSON.stringify((({ task, from, to }) => [task, from, to])(cdictPage.app.details.thing ?? {}))');
		says(got === JSON.stringify(look), `a click in a lane opens ${got}, not ${JSON.stringify(look)}`);
	};

	// what is folded below a finding about a VM has the names of its threads that are not vCPUs on the button
	const folded = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll('.findings .sufferer')].map((el) => [el.querySelector('.unfold').textContent,
		[...el.querySelectorAll('.others .finding[data-kind=delayed] .sentence')].map((s) => s.textContent)]))`));
	let seen = 0;

	for (const [text, sentences] of folded)
		for (const role of ['vhost', 'worker', 'emulator']) {
			const has = sentences.some((s) => new RegExp(`^\\S*\\b${role}(-\\d+)* waited `).test(s));

			seen += has;
			says(has === text.includes(role), `'${text}' folds ${JSON.stringify(sentences)}`);
		}
	says(seen || !file.includes('kvm-libvirt'), `no finding about a vhost thread, a worker or an emulator: ${JSON.stringify(folded)}`);
	// one click on the first finding about a VM
	await tab.evaluate('document.querySelector(".findings .finding[data-kind=delayed]").click()');
	const { vm, range } = JSON.parse(await tab.evaluate('JSON.stringify((() => { const { app, page: { captures: [c] } } = cdictPage; return { vm: c.tasks[app.state.tasks[0]].fold, range: app.state.range }; })())'));
	await compare('a click on a finding', vm, range);
	// the address, whole and a range; a wait of it
	for (const name of vms.slice(0, 3)) {
		await tab.go(`#vm=${encodeURIComponent(name)}`);
		await compare('the address', name, null);
	}
	await tab.evaluate('document.querySelector(".chains button").click()');
	says(JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.app.state.range)')), 'a click on a wait does not show its time');
	await compareChain(vms.slice(0, 3).at(-1));
	await clickLane();
	await tab.evaluate('document.querySelector("[data-details=critical]").click()');
	const path = await comparePath(vms.slice(0, 3).at(-1), 'the critical path');
	says(path?.dot, 'the longest part of the critical path is not in the picture');
	await tab.evaluate('(() => { const { app } = cdictPage, [from, to] = app.range, { look } = app.state; app.pick([from + (to - from) / 3, from + (to - from) / 2]); app.set({ look }); })()');
	const inside = await comparePath(vms.slice(0, 3).at(-1), 'the critical path of an area');
	says(inside && path && inside.range[0] > path.range[0] && inside.range[1] < path.range[1], `the critical path is of ${inside?.range}, not of the area`);
	await tab.evaluate('document.querySelector("[data-details=critical]").click()');
	says(await tab.evaluate('document.querySelector(".details-path").hidden && cdictPage.app.state.critical === ""'), 'the critical path stays open');
	await tab.evaluate('cdictPage.setState({ area: [], look: [] })');
	const part = [Math.floor(from + (to - from) * 0.4), Math.floor(from + (to - from) * 0.6)];
	await tab.go(`#vms=${encodeURIComponent(vms[0])}&range=${part}`);
	await compare('a range', vms[0], part);
	// a search
	await tab.go(`#search=${encodeURIComponent(vms[0])}`);
	await compare('a search', vms[0], null);
	await tab.go('#');
	says(JSON.parse(await tab.evaluate(STORY)) === null, 'the story stays open when no VM is chosen');
	wrong.push(...tab.problems());
	return wrong;
}

const browser = await Browser.launch();
for (let i = 0; i < args.length; i += 3) {
	const wrong = await check(browser, args[i + 1], args[i + 2]).catch((error) => [String(error.stack ?? error)]);
	console.log(`${wrong.length ? 'not ok' : 'ok'} ${args[i]}`);
	for (const line of wrong.slice(0, 12)) console.log(`    # ${line.slice(0, 600)}`);
}
await browser.close();
