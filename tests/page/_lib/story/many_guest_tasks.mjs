// SPDX-License-Identifier: GPL-2.0-only
// node many_guest_tasks.mjs NAME PAGE CDICT VM - a guest with more tasks than the page has lanes for: the table has them all, as the command; the
// 256 that waited longest for their vCPUs have lanes, whose times are the command's.

import { Browser } from '../browser.mjs';
import { cdict, parseExact } from '../page.mjs';

const [name, page, file, vm] = process.argv.slice(2);
const wrong = [];
const browser = await Browser.launch();
const tab = await browser.open(page, { hash: `#groups=${vm}` });

await tab.ready();
let got = null;
for (let i = 0; i < 200 && !got; i++) {
	got = JSON.parse(await tab.evaluate(`JSON.stringify((() => { const inside = cdictPage.app.view.story?.timeline.inside; return document.documentElement.dataset.busy || !inside?.answer ? null
		: inside.rows.map((row) => ({ tid: row.tid, lane: row.lane, run_ns: row.run_ns, vcpu_wait_ns: row.vcpu_wait_ns, running: row.lane === null ? null : new Map(inside.sums(row.lane)).get('running') })); })())`) ?? 'null');
	await new Promise((done) => { setTimeout(done, 50); });
}
const want = new Map(parseExact(cdict('vm', vm, file, '--inside', '--json', '-q')).guest_tasks.map((r) => [r.tid, r]));
const lanes = got?.filter(({ lane }) => lane !== null) ?? [];

if (want.size < 300 || got?.length !== want.size) wrong.push(`${got?.length} rows, the command has ${want.size}`);
if (lanes.length !== 256 || new Set(lanes.map(({ lane }) => lane)).size !== 256) wrong.push(`${lanes.length} lanes`);
for (const row of got ?? [])
	if (row.run_ns !== want.get(row.tid)?.run_ns || row.vcpu_wait_ns !== want.get(row.tid)?.vcpu_wait_ns || (row.lane !== null && row.running !== row.run_ns)) wrong.push(`${JSON.stringify(row)}, the command has ${want.get(row.tid)?.run_ns}`);
const least = Math.min(...lanes.map((row) => row.vcpu_wait_ns));
if (got?.some((row) => row.lane === null && row.vcpu_wait_ns > least)) wrong.push('a task without a lane waited longer than one with a lane');
wrong.push(...tab.problems());
await browser.close();
console.log(`${wrong.length ? 'not ok' : 'ok'} ${name}`);
for (const line of wrong.slice(0, 12)) console.log(`    # ${line.slice(0, 300)}`);
