// SPDX-License-Identifier: GPL-2.0-only
// node guests.mjs NAME PAGE CDICT [NAME PAGE CDICT]... - the guests' tasks on the page are those of cdict vm --inside, and a click on a
// wait leads to the host; a line "ok NAME" or "not ok NAME" for each page.

import { Browser } from '../browser.mjs';
import { cdict, parseExact } from '../page.mjs';

const VM = 'instance-0000001b';
// The lanes and the table, once they have arrived.
const INSIDE = `JSON.stringify((() => { const { app } = cdictPage, line = app.view.story?.timeline, inside = line?.inside, a = inside?.answer;
	return !a || String(a.range) !== String(app.range) || document.documentElement.dataset.busy ? null : { exact: a.exact, says: document.querySelector('.inside-guest .sentence').textContent,
		lanes: line.lanes.filter(({ inner }) => inner).length, names: line.lanes.filter(({ inner }) => inner).map(({ task }) => inside.who(task)),
		rows: inside.rows.map((row) => ({ ...row, sums: row.lane === null ? null : Object.fromEntries(inside.sums(row.lane)),
			parts: (a.by.get(row.lane) ?? []).map((i) => [a.states[a.state[i]], a.from[i], a.to[i]]) })),
		shown: [...document.querySelectorAll('table[data-table=guest_tasks] tbody tr')].map((tr) => [Number(tr.dataset.tid), ...['run_ns', 'stolen_ns', 'busy_ns', 'away_ns'].map((key) => Number(tr.querySelector('[data-key=' + key + ']').dataset.value))]) }; })())`;
const FIGURES = ['run_ns', 'stolen_ns', 'busy_ns', 'away_ns', 'sleep_ns', 'block_ns', 'unknown_ns', 'absent_ns', 'vcpu_wait_ns', 'worst_ns'];
// The sums of a lane's states from the row of the command.
const LANE = {
	running: (r) => r.run_ns, stolen: (r) => r.stolen_preempted_ns + r.stolen_waiting_ns, exit: (r) => r.stolen_exit_ns, qemu: (r) => r.stolen_vmm_ns,
	halted: (r) => r.stolen_halted_ns + r.stolen_blocked_ns, busy: (r) => r.busy_ns, away: (r) => r.away_ns, asleep: (r) => r.sleep_ns, blocked: (r) => r.block_ns, unknown: (r) => r.unknown_ns,
};
const seconds = (t0, ns) => { const s = String(BigInt(t0) + BigInt(ns)).padStart(10, '0'); return `${s.slice(0, -9)}.${s.slice(-9)}`; };

async function get(tab, what) {
	for (let i = 0; i < 200; i++) {
		const got = JSON.parse(await tab.evaluate(what) ?? 'null');
		if (got) return got;
		await new Promise((done) => { setTimeout(done, 50); });
	}
	return null;
}

async function check(browser, file, cdictFile) {
	const wrong = [];
	const says = (ok, text) => { if (!ok) wrong.push(text); };
	const tab = await browser.open(file, { width: 1280, height: 1000 });
	const command = (...more) => parseExact(cdict('vm', VM, cdictFile, '--inside', '--json', '-q', '--max-loss', '100', ...more));

	await tab.ready();
	const { t0, from, to } = JSON.parse(await tab.evaluate('(() => { const c = cdictPage.page.captures[0]; return JSON.stringify({ t0: c.t0_ns, ...c.window }); })()'));
	const compare = async (where, range) => {
		const got = await get(tab, INSIDE);
		const time = range ? ['--time', `${seconds(t0, range[0])},${seconds(t0, range[1])}`] : [];
		const want = command(...time).guest_tasks;

		if (!got)
			return says(false, `${where}: no tasks of ${VM}`);
		says(got.exact && got.rows.length === want.length && want.length > 10, `${where}: ${got.rows.length} rows, the command has ${want.length}`);
		says(got.lanes === Math.min(12, got.rows.filter(({ lane }) => lane !== null).length), `${where}: ${got.lanes} lanes`);
		says(new Set(got.names).size === got.lanes && got.names.every((name) => want.some((row) => name === `${row.name}-${row.tid}`)), `${where}: the lanes have the names ${got.names}`);
		for (const row of want) {
			const mine = got.rows.find(({ tid }) => tid === row.tid);

			if (!mine) {
				says(false, `${where}: no row of ${row.tid}`);
				continue;
			}
			for (const key of FIGURES)
				says(mine[key] === row[key], `${where}: ${row.name}-${row.tid} has ${key} ${mine[key]}, the command ${row[key]}`);
			const sums = {};

			for (const [state, a, b] of mine.parts)
				sums[state] = (sums[state] ?? 0) + b - a;
			for (const [state, of] of mine.lane === null ? [] : Object.entries(LANE)) {
				says((sums[state] ?? 0) === of(row), `${where}: the intervals of ${row.name}-${row.tid} are ${sums[state]} ns ${state}, the command's ${of(row)}`);
				says(mine.sums[state] === of(row), `${where}: the columns of ${row.name}-${row.tid} are ${mine.sums[state]} ns ${state}, the command's ${of(row)}`);
			}
		}
		const busy = want.filter((r) => r.run_ns + r.stolen_ns + r.busy_ns + r.away_ns).map((r) => [r.tid, r.run_ns, r.stolen_ns, r.busy_ns, r.away_ns]);
		const order = (rows) => JSON.stringify([...rows].sort((a, b) => a[0] - b[0]));

		says(order(got.shown) === order(busy), `${where}: the table has ${order(got.shown)}, the command ${order(busy)}`);
		return got;
	};
	const click = async ({ x, y }) => {
		await tab.move(x, y);
		for (const type of ['mousePressed', 'mouseReleased'])
			await tab.mouse(type, x, y, { button: 'left', buttons: 1, clickCount: 1 });
		await tab.idle();
	};

	// the findings at the top, as the command's sentences; of a range those that the page computes itself
	const FOUND = `JSON.stringify(document.documentElement.dataset.busy ? null : [...document.querySelectorAll('.finding .sentence')].map((s) => s.textContent).filter((s) => / for its vCPU/.test(s)))`;
	const found = async (where, range) => {
		const time = range ? ['--time', `${seconds(t0, range[0])},${seconds(t0, range[1])}`] : [];
		const want = ['instance-0000001b', 'instance-0000001c'].flatMap((vm) => cdict('vm', vm, cdictFile, '--inside', '-q', '--max-loss', '100', ...time).replace(/\n(?=\S)/g, ' ').match(/\S+ in instance-\w+ waited .*? for its vCPU(?:, (?:all|[\d.]+ \w+ of it) behind \S+(?: in instance-\w+)?)?/g) ?? []).map((s) => `${s}.`);
		const got = await get(tab, FOUND);

		says(got?.length && got.length <= 5 && got.every((s) => want.includes(s)), `${where}: the findings are ${JSON.stringify(got)}, the command's sentences ${JSON.stringify(want)}`);
		return got;
	};
	const WHY = 'document.querySelector("[data-inside=why]:not([hidden])")?.textContent ?? ""';
	const first = await found('the whole capture', null);

	says(first?.some((s) => /^web-190 in instance-0000001b waited 1\.27 s for its vCPU, 329 ms of it behind hosthog-5310\.$/.test(s)), `no finding about web: ${JSON.stringify(first)}`);
	await tab.evaluate(`(() => { const a = [...document.querySelectorAll('.finding')].find((f) => /^web-190 in/.test(f.querySelector('.sentence').textContent)); a.closest('.sufferer')?.querySelector('.unfold').click(); a.click(); })()`);
	await tab.idle();
	await get(tab, INSIDE);
	const longest = command().guest_tasks.find(({ comm }) => comm === 'web');
	const why = await tab.evaluate(WHY);
	const [hash, shown] = JSON.parse(await tab.evaluate('JSON.stringify([location.hash, cdictPage.app.range])'));

	says(/^web-190 did not run for .* behind /.test(why), `the finding about web leads to '${why}'`);
	says(hash.includes(`inside=190%2C${longest.worst_at_ns - t0}`) || hash.includes(`inside=190,${longest.worst_at_ns - t0}`), `the address is ${hash}, the longest wait at ${longest.worst_at_ns - t0}`);
	says(shown[0] < longest.worst_at_ns - t0 && shown[1] > longest.worst_at_ns - t0 + longest.worst_ns, `the range is ${shown}`);
	// a link opens the same explanation
	const link = await browser.open(file, { width: 1280, height: 1000, hash });

	await link.ready();
	await get(link, INSIDE);
	says(await link.evaluate(WHY) === why, `the link ${hash} opens '${await link.evaluate(WHY)}', not '${why}'`);
	await link.close?.();
	await tab.go('#');
	await found('again the whole capture', null);
	const middle = [Math.floor(from + (to - from) * 0.3), Math.floor(from + (to - from) * 0.6)];

	await tab.go(`#range=${middle}`);
	await found('a range', middle);
	await tab.go('#');
	says(await tab.evaluate('document.querySelector(".inside-guest") === null || document.querySelector(".inside-guest").hidden'), 'guests are shown although no VM is chosen');
	await tab.go(`#vm=${VM}`);
	const whole = await compare('the whole capture', null);
	const part = [Math.floor(from + (to - from) * 0.45), Math.floor(from + (to - from) * 0.55)];

	says(/web-190 in instance-0000001b waited .* behind hosthog-5310/.test(whole?.says ?? ''), `the sentences are: ${whole?.says}`);
	// its times have the page's units, as all others have
	says(/clock: .* within [\d.]+ (µs|ms)/.test(whole?.says ?? ''), `the sentence about the clock: ${whole?.says}`);
	const ascii = JSON.parse(await tab.evaluate(`JSON.stringify(document.body.innerText.match(/.{0,40}\\d us\\b.{0,20}/g))`));

	says(ascii === null, `times in us, not µs: ${ascii}`);
	await tab.go(`#vm=${VM}&range=${part}`);
	await compare('a range', part);
	// web's longest wait behind hosthog, which was planted: a click in its lane, then on the part behind hosthog
	await tab.go(`#vm=${VM}`);
	await get(tab, INSIDE);
	const aim = JSON.parse(await tab.evaluate(`JSON.stringify((() => { const { app } = cdictPage, { inside } = app.view.story.timeline, a = inside.answer, row = inside.rows.find(({ comm }) => comm === 'web');
		const i = a.by.get(row.lane).filter((k) => a.cause[k] !== 0xffffffff && a.causes[a.cause[k]].startsWith('behind hosthog')).sort((x, y) => (a.to[y] - a.from[y]) - (a.to[x] - a.from[x]))[0];
		app.set({ range: [Math.max(0, a.from[i] - 30e6), a.to[i] + 30e6] });
		return { from: a.from[i], to: a.to[i] }; })())`));
	await tab.idle();
	await get(tab, INSIDE);
	await click(JSON.parse(await tab.evaluate(`JSON.stringify((() => { const { app } = cdictPage, { lanes, plot, inside } = app.view.story.timeline, row = inside.rows.find(({ comm }) => comm === 'web');
		plot.canvas.scrollIntoView({ block: 'center' });
		const lane = lanes.find(({ inner, task }) => inner && task === row.lane), box = plot.canvas.getBoundingClientRect(), [from, to] = app.range;
		return { x: box.left + plot.time.left + (${(aim.from + aim.to) / 2} - from) / (to - from) * (box.width - plot.time.left - plot.time.right), y: box.top + lane.top + lane.tall / 2 }; })())`)));
	const parts = JSON.parse(await tab.evaluate('JSON.stringify([...document.querySelectorAll("[data-inside=why] [data-part]")].map((d) => [d.dataset.part, Number(d.dataset.value), d.textContent]))'));
	const hog = parts.find(([, , text]) => /behind hosthog/.test(text));

	says(hog && hog[1] >= aim.to - aim.from, `the wait is explained by ${JSON.stringify(parts)}`);
	// the explained parts are those of the command for the time of the wait
	const span = JSON.parse(await tab.evaluate(`JSON.stringify((() => { const { inside } = cdictPage.app.view.story.timeline, a = inside.answer, row = inside.rows.find(({ comm }) => comm === 'web'), list = a.by.get(row.lane), waits = (k) => !['running', 'asleep', 'blocked', 'unknown'].includes(a.states[a.state[list[k]]]);
		let first = list.findIndex((i) => a.to[i] > ${(aim.from + aim.to) / 2}), last = first;
		while (first && waits(first - 1)) first--;
		while (last + 1 < list.length && waits(last + 1)) last++;
		return [a.from[list[first]], a.to[list[last]]]; })())`));
	const then = command('--time', `${seconds(t0, span[0])},${seconds(t0, span[1])}`);
	const share = then.guest_shares.find(({ name, behind }) => name === 'web' && behind === 'hosthog-5310');
	const mine = parts.filter(([, , text]) => /behind hosthog/.test(text)).reduce((sum, [, ns]) => sum + ns, 0);

	says(share && share.time_ns === mine, `${mine} ns of the wait are behind hosthog, the command's ${share?.time_ns} for ${span}`);
	says(parts.reduce((sum, [, ns]) => sum + ns, 0) === span[1] - span[0], `the parts of the wait do not add up to ${span[1] - span[0]}`);
	await tab.evaluate('[...document.querySelectorAll("[data-inside=why] button[data-part]")].find((b) => /behind hosthog/.test(b.textContent)).click()');
	await tab.idle();
	const there = JSON.parse(await tab.evaluate('JSON.stringify((() => { const { app } = cdictPage, { thing } = app.details; return thing && { who: app.who(thing.task), kind: thing.kind, from: thing.from, to: thing.to, text: document.querySelector(".details").textContent }; })())'));

	says(there && /^hosthog/.test(there.who) && there.kind === 'run' && there.from <= aim.from && there.to >= aim.to, `the click leads to ${JSON.stringify(there)}, not to hosthog from ${aim.from} to ${aim.to}`);
	await tab.screenshot(`${process.env.BUILD}/screens/guests.png`);
	wrong.push(...tab.problems());
	return wrong;
}

const browser = await Browser.launch();
const args = process.argv.slice(2);
for (let i = 0; i < args.length; i += 3) {
	const wrong = await check(browser, args[i + 1], args[i + 2]).catch((error) => [String(error.stack ?? error)]);
	console.log(`${wrong.length ? 'not ok' : 'ok'} ${args[i]}`);
	for (const line of wrong.slice(0, 12)) console.log(`    # ${line.slice(0, 600)}`);
}
await browser.close();
