// SPDX-License-Identifier: GPL-2.0-only
// node flame.mjs FILE.svg FILE.html HOSTILE.html PAGE CDICT - flame graphs answer to a click and a search, are as wide as
// their sums, and show the output of cdict flame; hostile names stay text.  A line "ok NAME" or "not ok NAME" each.

import { Browser } from './browser.mjs';
import { cdict } from './page.mjs';

const [svg, html, hostile, page, capture] = process.argv.slice(2);
const FRAMES = `JSON.stringify([...document.querySelectorAll('svg.flame g.f')].map((g) => ({
	name: g.dataset.n ?? g.querySelector('text').textContent, from: Number(g.dataset.s), total: Number(g.dataset.t), depth: Number(g.dataset.d),
	text: g.querySelector('text').textContent, says: g.querySelector('title').textContent, y: Number(g.querySelector('rect').getAttribute('y')), top: g.getBoundingClientRect().top, shown: getComputedStyle(g).display !== 'none', hit: g.classList.contains('hit'),
	x: Number(g.querySelector('rect').getAttribute('x')), width: Number(g.querySelector('rect').getAttribute('width')) })))`;
const frames = async (tab) => JSON.parse(await tab.evaluate(FRAMES));
const click = (tab, name) => tab.evaluate(`[...document.querySelectorAll('svg.flame g.f')].find((g) => (g.dataset.n ?? g.querySelector('text').textContent) === ${JSON.stringify(name)}).dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
const type = (tab, text) => tab.evaluate(`(() => { const field = document.querySelector('input[placeholder*="pattern"]'); field.value = ${JSON.stringify(text)}; field.dispatchEvent(new Event('input')); })()`);
const found = (tab) => tab.evaluate(`document.querySelector('[role=status].share, .view [role=status]').textContent`);

// Each frame has its share of the width of all, and lies below its caller, the largest callee first. The picture opens with the whole.
function checkWidths(all, says) {
	const [first] = all;
	const sums = new Map(), names = new Map();

	for (const f of all) {
		if (f.text && f.shown)
			says((names.get(f.text) ?? f.name) === f.name, `${f.text} stands for ${f.name} and ${names.get(f.text)}`);
		if (f.text && f.shown)
			names.set(f.text, f.name);
		says(Math.abs(f.width - (first.width * f.total) / first.total) < 0.011, `${f.name} is ${f.width} wide of ${first.width}, ${f.total} of ${first.total}`);
		says(Math.abs(f.x - first.x - (first.width * f.from) / first.total) < 0.011, `${f.name} begins at ${f.x}`);
		if (f.depth)
			sums.set(f.depth, (sums.get(f.depth) ?? 0) + f.total);
		says(f.y === first.y + 18 * f.depth, `${f.name} at depth ${f.depth} is drawn at ${f.y}, all at ${first.y}`);
	}
	const roots = all.filter((f) => f.depth === 1);
	says(new Set(roots.map((f) => f.name)).size === roots.length, 'tasks of one name are several frames');
	says(roots.every((f, i) => !i || (f.total <= roots[i - 1].total && f.from === roots[i - 1].from + roots[i - 1].total)), 'the largest task is not the first');
	says(first.top >= 0 && first.top < 600, `all is drawn ${first.top} px down`);
	says(all.length > 20, `there are ${all.length} frames`);
	says([...names].some(([text, name]) => text !== name), 'no name is shortened');
	says([...sums.values()].every((sum) => sum <= first.total), 'more stands on all than it is');
}

async function checkAlone(browser, file, says) {
	const folded = cdict('flame', capture, '-q', '--format', 'folded').trim().split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]);
	const sum = (match) => folded.filter(([stack]) => match(stack)).reduce((all, [, value]) => all + value, 0);
	const tab = await browser.open(file);
	await tab.until('document.querySelector("svg.flame input")', 'the field for searching');
	let all = await frames(tab);

	checkWidths(all, says);
	says(all[0].total === sum(() => true), `all is ${all[0].total}, cdict flame says ${sum(() => true)}`);
	// a search: its hits, and their share
	await type(tab, 'vhost');
	all = await frames(tab);
	says(all.every((f) => f.hit === /vhost/i.test(f.name)) && all.some((f) => f.hit), 'the search marks other frames');
	says(await found(tab) === `${((100 * sum((stack) => /vhost/i.test(stack))) / all[0].total).toFixed(1)} % found`, `the search says ${await found(tab)}`);
	await type(tab, '(');
	says((await frames(tab)).every((f) => !f.hit), 'a missing pattern is found');
	await type(tab, '');
	says((await frames(tab)).every((f) => !f.hit) && await found(tab) === '', 'the search does not end');
	// a click: as wide as the picture; the others are gone; Esc shows all again
	await click(tab, 'worker');
	const worker = (await frames(tab)).find((f) => f.name === 'worker');
	says(worker.width === all[0].width && worker.x === all[0].x, `worker is ${worker.width} wide when it was clicked`);
	for (const f of await frames(tab)) {
		const inside = f.from >= worker.from && f.from + f.total <= worker.from + worker.total;

		if (f.shown && f.depth)
			says(inside && Math.abs(f.width - (all[0].width * f.total) / worker.total) < 0.011, `${f.name} is shown, ${f.width} wide`);
	}
	says((await frames(tab)).filter((f) => f.shown && f.depth > 1).length > 3, 'nothing stands on worker');
	await tab.key('Escape');
	for (const [i, f] of (await frames(tab)).entries())
		says(f.shown && !f.hit && Math.abs(f.width - all[i].width) < 0.011 && Math.abs(f.x - all[i].x) < 0.011, `after Esc ${f.name} is not as it was`);
	await tab.screenshot(`${process.env.BUILD}/screens/flame-${file.endsWith('.svg') ? 'svg' : 'html'}.png`);
	says(tab.problems().length === 0, tab.problems().join('; '));
	await tab.close();
}

async function checkHostile(browser, says) {
	const tab = await browser.open(hostile);
	await tab.until('document.querySelector("svg.flame input")', 'the field for searching');
	const all = await frames(tab);

	says(await tab.evaluate('document.scripts.length') === 1, 'a name became a script');
	says(all.some((f) => f.name === '</script><script>alert(1)</script>') && all.some((f) => f.name === '"q\'&<b>\\x1b[31m'), `names are ${all.map((f) => f.name).join(' ')}`);
	await click(tab, '</script><script>alert(1)</script>');
	says(tab.problems().length === 0, tab.problems().join('; '));
	await tab.close();
}

// The page's view: the same sums as the command's for the range, the task and the CPU.
async function checkPage(browser, says) {
	const tab = await browser.open(page, { hash: '#view=flame' });
	await tab.ready();
	await tab.idle();
	const t0 = BigInt(await tab.evaluate('cdictPage.page.captures[0].t0_ns'));
	const tasks = JSON.parse(await tab.evaluate('JSON.stringify(cdictPage.page.captures[0].tasks.map(({ index, tid, name, who }) => ({ index, tid, name, who })))'));
	const at = (t) => { const ns = t0 + BigInt(t); return `${ns / 1000000000n}.${String(ns % 1000000000n).padStart(9, '0')}`; };
	const worker = tasks.find((t) => t.name.startsWith('CPU 0'));
	const asked = [
		['', []],
		['&flame=switches', ['--by', 'switches']],
		['&range=100000000,250000001', ['--time', `${at(100000000)},${at(250000001)}`]],
		[`&tasks=${worker.index}&range=50000000,600000000`, ['--tid', String(worker.tid), '--time', `${at(50000000)},${at(600000000)}`]],
		['&cpus=1,2', ['-C', '1,2']],
	];

	for (const [hash, options] of asked) {
		await tab.go(`#view=flame${hash}`);
		const all = await frames(tab);
		const rows = JSON.parse(cdict('flame', '-q', '--json', ...options, capture)).stacks;
		const want = rows.reduce((sum, row) => sum + (row.time_ns ?? row.count), 0);

		says(rows.length > 1, `cdict flame ${options.join(' ')} prints ${rows.length} stacks`);
		says(all[0]?.total === want, `${hash}: all is ${all[0]?.total}, cdict flame ${options.join(' ')} says ${want}`);
		if (options.length === 0) {
			checkWidths(all, says);
			for (const f of all.filter(({ depth }) => depth === 1)) {
				const theirs = rows.filter((row) => row.stack.split(';')[0] === f.name).reduce((sum, row) => sum + row.time_ns, 0);

				says(f.total === theirs, `${f.name} is ${f.total}, the command says ${theirs}`);
			}
			for (const name of ['[vhost]']) {
				const ours = all.filter((f) => f.name === name).reduce((sum, f) => sum + f.total, 0);
				const theirs = rows.filter((row) => row.stack.split(';').includes(name)).reduce((sum, row) => sum + row.time_ns, 0);

				says(theirs > 0 && Math.abs(ours - theirs) <= theirs / 1e4, `${name} is ${ours}, the command says ${theirs}`);
			}
			await tab.screenshot(`${process.env.BUILD}/screens/flame-page.png`);
		}
	}
	await tab.go('#view=flame');
	await type(tab, 'vhost');
	says(/^\d+\.\d % found$/.test(await found(tab)) && (await frames(tab)).some((f) => f.hit), `the search says ${await found(tab)}`);
	await click(tab, worker.name);
	says((await frames(tab)).find((f) => f.name === worker.name)?.width === (await frames(tab))[0].width, 'a click does not zoom');
	await tab.go('#view=flame&theme=dark');
	await tab.screenshot(`${process.env.BUILD}/screens/flame-page-dark.png`);
	says(tab.problems().length === 0, tab.problems().join('; '));
	await tab.close();
}

const browser = await Browser.launch();
for (const [name, check] of [
	['a_flame_graph_answers_as_svg', (says) => checkAlone(browser, svg, says)],
	['a_flame_graph_answers_as_html', (says) => checkAlone(browser, html, says)],
	['hostile_names_stay_text', (says) => checkHostile(browser, says)],
	['the_page_shows_what_the_command_says', (says) => checkPage(browser, says)],
]) {
	const wrong = [];

	await check((ok, text) => { if (!ok) wrong.push(text); }).catch((error) => wrong.push(String(error)));
	for (const text of wrong.slice(0, 20))
		console.log(`# ${text}`);
	console.log(`${wrong.length ? 'not ok' : 'ok'} ${name}`);
}
await browser.close();
