#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# In a real Chromium, with names of tasks and VMs that are long: no name in any view is clipped by its box, and no two names are shortened to
# the same text; the same on the page of a job, in its tables and pictures. The shortener keeps the names of all captures apart at every width.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium python3
ln -sfn "$DATA/formats" formats

cat >label.py <<'END_OF_LABEL'
import json, sys
print("tid,libvirt-instance,role")
for t in json.load(sys.stdin)["tasks"]:
    if t["vm"] is not None:
        print(f"{t['tid']},customer-of-the-north/production-{int(t['vm']):08x},{'vcpu%d' % t['vcpu'] if t['vcpu'] is not None else t['comm']}")
END_OF_LABEL
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict && "$CDICT" tasks -q --json run.cdict >tasks.json && python3 label.py <tasks.json >map.csv
cp run.cdict long.cdict && "$CDICT" annotate -q long.cdict --map map.csv && report run.cdict && report long.cdict || exit 1
captures >list
# of the other captures a third in each run (EVERY=1: all), with the long names
others=
n=0
while read -r name file; do
	in_sample $((n += 1)) 3 || continue
	"$CDICT" tasks -q --json --max-loss 100 "$file" 2>/dev/null | python3 label.py >map.csv && [ "$(wc -l <map.csv)" -gt 1 ] || continue
	cp "$file" "of-$name.cdict"
	"$CDICT" annotate -q --max-loss 100 "of-$name.cdict" --map map.csv && report "of-$name.cdict" --max-loss 100 && others+=" of-$name"
done <list 2>others.err
export others
# a job whose hosts differ in the middle of their names
export CDICT_STORE=$PWD/store
"$CDICT" job create 2001 --bucket 1d || exit 1
for n in 1 2 3 4 5 6; do
	"$CDICT" push -q --job 2001 --host "compute-of-the-north-row-$n-in-the-first-data-centre" long.cdict || exit 1
done
"$CDICT" report -q --job 2001 --no-host-pages -o job.html || exit 1
while read -r name file; do "$CDICT" tasks -q --json --max-loss 100 "$file"; done <list >all.json 2>/dev/null
"$CDICT" tasks -q --json long.cdict >>all.json

cat >names.mjs <<'END_OF_NAMES'
import { readFileSync } from 'node:fs';
const { Browser } = await import(`${process.env.LIB}/browser.mjs`);
const { learnNames, shorten } = await import(`${process.env.TOP}/render/web/ui/text.js`);
const verdict = (name, wrong) => console.log(wrong.length ? `not ok ${name}\n${wrong.slice(0, 20).map((line) => `# ${line}`).join('\n')}` : `ok ${name}`);

// the shortener alone
const wrong = [];
let cut = 0;
for (const text of readFileSync('all.json', 'utf8').split(/^(?=\{$)/m).filter((part) => part.trim())) {
	const names = [...new Set(JSON.parse(text).tasks.flatMap(({ name, tid, vm }) => [name, `${name}-${tid}`, ...vm === null ? [] : [vm]]))];
	const seen = new Map();
	learnNames(() => names);
	for (let width = 5; width <= 40; width++) {
		for (const name of names) {
			const short = shorten(name, (part) => [...part].length <= width);
			if (short !== '' && (seen.get(short) ?? name) !== name) wrong.push(`${short}: ${name} and ${seen.get(short)}`);
			if ([...short].length > width) wrong.push(`${short} is wider than ${width}`);
			if (width > 15 && !short) wrong.push(`no form of ${name} at ${width}`);
			seen.set(short, name);
			cut += short !== name;
		}
	}
}
verdict('shortened_names_of_all_captures_differ', cut > 500 ? wrong : [...wrong, `only ${cut} names were shortened`]);

// In the page: names that are clipped, and the shortened ones with what they stand for.
const NAMES = `(() => {
	const shown = [...document.querySelectorAll('main bdi, .findings bdi, .details bdi')].filter((el) => el.checkVisibility());
	const over = (el) => el.getBoundingClientRect().right - 1.5;
	const clipped = shown.filter((el) => el.scrollWidth > el.clientWidth + 1 && getComputedStyle(el).overflowX === 'hidden' || [...(function* up(e) { for (let p = e.parentElement, i = 0; p && i < 5; p = p.parentElement, i++) yield p; })(el)].some((p) => getComputedStyle(p).textOverflow === 'ellipsis' && getComputedStyle(p).overflowX === 'hidden' && !getComputedStyle(p).webkitLineClamp?.match(/[0-9]/) && over(el) > p.getBoundingClientRect().right));
	return { n: shown.length, clipped: clipped.map((el) => (el.closest('[data-table]')?.dataset.table ?? el.closest('section, div')?.className) + ': ' + el.textContent), texts: shown.map((el) => [el.textContent, el.title || el.textContent]) };
})()`;
const VIEWS = ['vcpus', 'vcpus&fold=tasks', 'exits', 'tasks&fold=tasks', 'tasks&fold=groups', 'coremap&fold=tasks', 'switches', 'cores'];
const browser = await Browser.launch();
for (const file of ['run', 'long', ...process.env.others.trim().split(/ +/).filter(Boolean)]) {
	const bad = [];
	let short = 0, all = 0;
	for (const [width, height] of [[1280, 800], [1920, 1080]]) {
		const tab = await browser.open(`${file}.html`, { width, height });
		await tab.until('document.documentElement.dataset.ready', 'the first view');
		// a wait with the tasks that had the CPU, its chain, and a critical path
		const wait = await tab.evaluate(`(({ tasks, tables: { vcpu: { columns, rows } }, t0_ns }) => { const at = columns.indexOf('worst_at_ns'), row = rows.filter((r) => r[at]).sort((a, b) => tasks[a[0]].name < tasks[b[0]].name ? -1 : 1)[0];
			return row ? '&look=1,' + row[0] + ',' + (row[at] + 1000) + '&critical=on' : ''; })(cdictPage.page.captures[0])`);
		for (const view of [...VIEWS, ...wait ? [`cores${wait}`] : []]) {
			await tab.go(`#view=${view}`);
			await tab.idle();
			const { n, clipped, texts } = await tab.evaluate(NAMES);
			const stands = new Map();
			all += n;
			bad.push(...clipped.map((what) => `${view} at ${width}: clipped in ${what}`));
			for (const [text, full] of texts) {
				short += text !== full;
				if (/^\u2026?$/.test(text) && full) bad.push(`${view} at ${width}: nothing of ${full}`);
				if ((stands.get(text) ?? full) !== full) bad.push(`${view} at ${width}: ${text} is ${full} and ${stands.get(text)}`);
				stands.set(text, full);
			}
		}
		await tab.close();
	}
	if (all < (file === 'run' || file === 'long' ? 200 : 50)) bad.push(`only ${all} names`);
	if (file === 'long' && short < 50) bad.push(`only ${short} shortened names`);
	verdict(`names_in_the_views_of_${file}_differ`, [...new Set(bad)]);
}

// the page of a job: its tables, and the hosts in its pictures
const HOSTS = '[...document.querySelectorAll(".picture svg text[text-anchor=end]")].filter((el) => !el.hasAttribute("font-weight")).map((el) => el.textContent)';
const inJob = [];
for (const [width, height] of [[1280, 800], [1920, 1080], [3840, 2160]]) {
	const tab = await browser.open('job.html', { width, height });
	await tab.until('document.documentElement.dataset.drawn', 'the job');
	const map = await tab.evaluate('JSON.parse(document.getElementById("cdict-fleet").textContent)');
	const hosts = (await tab.evaluate(HOSTS)).filter((text) => /row|compute|centre|\.\./.test(text));
	if (new Set(hosts).size !== 6 || map.map.names.length !== 6) inJob.push(`hosts of the picture: ${hosts.join(', ')}`);
	let names = 0;
	for (const { key } of map.tables) {
		await tab.evaluate(`location.hash = '#table=${key}'`);
		await tab.until(`document.querySelector('.table-place').dataset.table === '${key}'`, key);
		const { n, clipped, texts } = await tab.evaluate(NAMES);
		const stands = new Map();
		names += n;
		inJob.push(...clipped.map((what) => `${key} at ${width}: clipped in ${what}`));
		for (const [text, full] of texts) {
			if ((stands.get(text) ?? full) !== full) inJob.push(`${key} at ${width}: ${text} is ${full} and ${stands.get(text)}`);
			stands.set(text, full);
		}
	}
	if (names < 50) inJob.push(`only ${names} names at ${width}`);
	await tab.close();
}
verdict('names_on_the_page_of_a_job_differ', inJob);
await browser.close();
END_OF_NAMES
LIB=$LIB node names.mjs
