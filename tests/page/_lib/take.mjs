// SPDX-License-Identifier: GPL-2.0-only
// node take.mjs PAGE CDICT RANGE VIEW... - the exports of each view, of the whole and of RANGE ("from,to" in ns since the first
// event): the picture as SVG, which alone shows all of its words inside its edges and none over another; as PNG, the same twice as fine; the
// tables as CSV, to the byte those of the command; the link, which leads to the same state; the clipboard. "ok NAME" or "not ok NAME".

import { existsSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { Browser, sleep } from './browser.mjs';
import { cdict } from './page.mjs';

const [page, capture, range, ...views] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'taken-'));

const COMMANDS = {
	vcpu: 'vcpu', delays: 'vcpu --by vm', beside: 'vcpu --by sibling', antagonists: 'vcpu --by antagonist', vcpu_reasons: 'vcpu --by reason',
	exits: 'exits', exit_reasons: 'exits --by reason', exits_vm: 'exits --by vm', tasks: 'tasks', tasks_groups: 'tasks --by group',
	tasks_roles: 'tasks --by role', latency: 'latency', coremap: 'coremap',
};

// The contents of a single picture: its size, its words, and which of them are outside it or lie on others.
const WORDS = `(() => {
	const svg = document.documentElement, { width, height } = svg.viewBox.baseVal;
	const words = [...svg.querySelectorAll('text')].filter((el) => el.textContent.trim()).map((el) => ({ text: el.textContent, box: el.getBoundingClientRect() }));
	const cut = words.filter(({ box }) => box.left < -1 || box.top < -1 || box.right > width + 1 || box.bottom > height + 1).map(({ text }) => text);
	const over = words.flatMap(({ text, box: a }, i) => words.slice(i + 1).filter(({ box: b }) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5).map((b) => text + ' | ' + b.text));
	return { width, height, n: words.length, cut, over };
})()`;

async function taken(tab, save, file) {
	const path = join(folder, file);
	await tab.evaluate(`document.querySelector('[data-save="${save}"]').click()`);
	for (let i = 0; i < 3000 && !existsSync(path); i++) await sleep(20);
	await sleep(30);
	if (!existsSync(path)) throw new Error(`${save} gave no ${file}`);
	const kept = join(folder, `taken-${save}-${file}`);
	renameSync(path, kept);
	return kept;
}

async function menu(tab) {
	await tab.evaluate('void (document.querySelector("details.menu").open = true)');
	await tab.until('document.querySelectorAll("[data-save^=csv]").length || cdictPage.state.view === "flame" || cdictPage.state.view === "compare"', 'the menu');
	return tab.evaluate('[...document.querySelectorAll("[data-save]")].map((b) => b.dataset.save)');
}

async function view(browser, tab, name, from, wrong) {
	const says = (ok, text) => { if (!ok) wrong.push(`${name}${from ? ', the range' : ''}: ${text}`); };
	const [id] = name.split('&');
	const label = await tab.evaluate('cdictPage.app.capture.label');
	await tab.go(`#view=${name}${from ? `&range=${range}` : ''}`);
	const saves = await menu(tab);

	const svg = await taken(tab, 'svg', `${label}-${id}.svg`);
	const alone = await browser.open(svg, { width: 1280, height: 800 });
	await alone.until('document.documentElement?.tagName === "svg"', 'the picture alone');
	const { width, height, n, cut, over } = await alone.evaluate(WORDS);
	if (process.env.KEEP) await alone.screenshot(join(process.env.KEEP, `${name.replaceAll(/[&=]/g, '-')}${from}.png`));
	says(n >= 5, `its picture has ${n} words`);
	says(!cut.length, `cut off in its picture: ${cut.slice(0, 3)}`);
	says(!over.length, `on each other in its picture: ${over.slice(0, 3)}`);
	const texts = await alone.evaluate('[...document.querySelectorAll("text")].map((el) => el.textContent).join(" · ")');
	for (const part of (await tab.evaluate('cdictPage.app.view.caption?.() ?? ""')).split(' · ')) says(texts.includes(part), `its picture does not have "${part}"`);
	const apart = await tab.evaluate('cdictPage.app.view.current?.rows?.slice?.(0, 40).filter?.((row) => cdictPage.app.view.current.change && cdictPage.app.view.current.change(cdictPage.app.view.current.main)(row) === null).length ?? 0');
	says(apart === 0 || texts.split(' · ').filter((text) => text === '–').length >= apart, `${apart} rows are not compared, its picture has differences`);
	alone.problems().forEach((text) => says(false, text));
	await alone.close();

	const png = readFileSync(await taken(tab, 'png', `${label}-${id}.png`));
	says(png.readUInt32BE(16) === 2 * width && png.readUInt32BE(20) === 2 * Math.floor(height), `its PNG is ${png.readUInt32BE(16)} x ${png.readUInt32BE(20)}, its SVG ${width} x ${height}`);
	says(png.length > 15000, 'its PNG is nearly blank');

	const t0 = BigInt(await tab.evaluate('cdictPage.app.capture.t0_ns'));
	const clock = (t) => { const s = String(t0 + BigInt(t)).padStart(10, '0'); return `${s.slice(0, -9)}.${s.slice(-9)}`; };
	const time = from ? ['--time', range.split(',').map(clock).join(',')] : [];
	for (const save of saves.filter((s) => s.startsWith('csv-'))) {
		const table = save.slice(4);
		const command = COMMANDS[table];
		const got = readFileSync(await taken(tab, save, `${label}-${table}.csv`), 'utf8');
		says(got.split('\r\n').length > 2, `${table}.csv has no rows`);
		if (!command) continue;
		const lines = (text) => text.replaceAll('\r\n', '\n').split('\n');
		const [ours, theirs] = [lines(got), lines(cdict(...command.split(' '), '-q', '--format', 'csv', ...time, capture))];
		const at = theirs.findIndex((line, i) => line !== ours[i]);
		says(at < 0 && ours.length === theirs.length, `${table}.csv, line ${at + 1}: ${ours[at]}; the command: ${theirs[at]}`);
	}

	// the link: the same state in another window; and the contents of the clipboard
	await tab.evaluate('document.querySelector("[data-save=link]").click()');
	await tab.until('navigator.clipboard.readText().then((text) => text === location.href)', 'the link in the clipboard', 5000);
	await menu(tab);
	await tab.evaluate('document.querySelector("[data-save=copy-svg]").click()');
	await tab.until('navigator.clipboard.readText().then((text) => text.startsWith("<?xml") && text.includes("</svg>"))', 'the picture as text in the clipboard', 5000);
	const [state, hash] = JSON.parse(await tab.evaluate('JSON.stringify([JSON.stringify(cdictPage.state), location.hash])'));
	const other = await browser.open(page, { width: 1280, height: 800, hash });
	await other.ready();
	says(await other.evaluate('JSON.stringify(cdictPage.state)') === state, `the link ${hash} leads elsewhere`);
	await other.close();
}

const browser = await Browser.launch();
try {
	await browser.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
	await browser.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
	const tab = await browser.open(page, { width: 1280, height: 800 });
	await tab.ready();
	await tab.send('Page.bringToFront');
	for (const name of views) {
		const wrong = [];
		for (const from of range ? ['', range] : ['']) await view(browser, tab, name, from, wrong).catch((error) => wrong.push(`${name}: ${error.stack}`));
		tab.problems().forEach((text) => wrong.push(text));
		console.log([`${wrong.length ? 'not ok' : 'ok'} ${name.replaceAll(/[&=]/g, '_')}_can_be_taken_along`, ...wrong.slice(0, 8).map((text) => `    # ${text}`)].join('\n'));
	}
} finally {
	await browser.close();
}
