// SPDX-License-Identifier: GPL-2.0-only
// node slices.mjs PAGE - long tables are made in slices: none is left out, none keeps a row of the
// range before, whatever comes in between.

import { Browser, sleep } from './browser.mjs';

const browser = await Browser.launch();
const wrong = [];
try {
	const tab = await browser.open(process.argv[2]);
	await tab.ready();
	await tab.idle();
	// Rows of the document that are not those of the figures, in their order.
	const differing = () => tab.evaluate(`(() => {
		const { table } = cdictPage.app.view;
		const want = table.shown().slice(0, table.all ? Infinity : 120);
		const rows = [...table.body.rows];
		if (rows.length !== want.length) return rows.length + ' rows instead of ' + want.length;
		const bad = want.filter((row, i) => Number(rows[i].dataset.task) !== row.task || rows[i].querySelector('[data-key=run_ns]').dataset.value !== JSON.stringify(row.run_ns));
		return bad.length ? bad.length + ' of ' + rows.length + ' rows are others' : '';
	})()`);
	const check = async (what) => {
		await sleep(30);
		await tab.idle();
		const text = await differing();
		if (text) wrong.push(`${what}: ${text}`);
	};
	const [from, to] = await tab.evaluate('[cdictPage.page.captures[0].window.from, cdictPage.page.captures[0].window.to]');
	const middle = Math.floor((from + to) / 2);
	await tab.go('#view=tasks');
	if ((await tab.evaluate('cdictPage.app.rows("tasks").length')) < 300) wrong.push('the capture has too few tasks to test anything');
	await check('whole');
	await tab.go(`#view=tasks&range=${from},${middle}`);
	await check('first half');
	// a step of a gesture while slices are left
	await tab.evaluate('cdictPage.app.view.table.setRows(cdictPage.app.rows("tasks")); cdictPage.app.zoom([cdictPage.app.range[0], cdictPage.app.range[1] - 10000])');
	await check('zoomed in between');
	await tab.evaluate('cdictPage.app.zoom(null)');
	await check('back at the whole');
	await tab.evaluate('document.querySelector("th[data-sort=tid]").click()');
	await check('sorted');
	await tab.evaluate('cdictPage.app.view.table.more.click(); scrollTo(0, document.documentElement.scrollHeight)');
	await check('every row, from the end');
	await tab.evaluate('cdictPage.app.view.table.setRows(cdictPage.app.rows("tasks")); dispatchEvent(new Event("beforeprint"))');
	const printed = await differing();
	if (printed) wrong.push(`on paper: ${printed}`);
	const blank = await tab.evaluate('[...document.querySelectorAll("canvas.spark")].filter((c) => c.width === 300).length');
	if (blank) wrong.push(`on paper: ${blank} lines were not drawn`);
	await tab.evaluate('dispatchEvent(new Event("afterprint"))');
	await check('after printing');
	tab.problems().forEach((text) => wrong.push(text));
} catch (error) {
	wrong.push(error.stack ?? String(error));
} finally {
	await browser.close();
}
console.log(wrong.join('\n'));
process.exit(wrong.length ? 1 : 0);
