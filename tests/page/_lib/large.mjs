// SPDX-License-Identifier: GPL-2.0-only
// node large.mjs PAGE TEXT - views of the whole capture are drawn without a question to the engine; the list of events is
// asked for when it comes into view, and begins with TEXT. Until the first view is there, no picture is drawn twice.
// node large.mjs --cut PAGE - the capture's end is missing: the first view is there, a range shows the error.

import { Browser } from './browser.mjs';

const cut = process.argv[2] === '--cut';
const [file, text] = process.argv.slice(cut ? 3 : 2);
const wrong = [];
const browser = await Browser.launch();

async function checkWhole(tab) {
	await tab.evaluate(`(() => {
		globalThis.asked = [];
		const post = Worker.prototype.postMessage;
		Worker.prototype.postMessage = function (message, ...more) {
			if (message.call === 'ask') asked.push(message.args.question.call);
			return post.call(this, message, ...more);
		};
	})()`);
	const asked = () => tab.evaluate('asked.splice(0).join()');
	const late = () => tab.evaluate('Object.entries(cdictPage.figures().tables).filter(([, table]) => table.late).map(([name]) => name).join()');
	const whole = await late();
	for (const name of ['antagonists', 'coremap'])
		if (!whole.split(',').includes(name)) wrong.push(`the first view read the table ${name}`);
	for (const view of ['vcpus', 'exits', 'tasks', 'coremap', 'switches', 'cores', 'cores&paint=group']) {
		await tab.go(`#view=${view}`);
		const questions = await asked();
		if (questions) wrong.push(`${view} of the whole capture asked the engine for ${questions}`);
		if (view === 'tasks' && (await late()) !== whole) wrong.push(`of the tables ${whole} only ${await late()} are left before they are needed`);
	}
	await tab.go(`#view=vcpus&fold=tasks&open=${await tab.evaluate('cdictPage.figures().bins.vcpus[0]')}`);
	const seen = await tab.evaluate(`(() => {
		const [behind] = cdictPage.table('antagonists'), tr = document.querySelector('.detail [data-table=antagonists] tbody tr');
		return [tr?.querySelector('[data-key=behind_ns]').dataset.value, String(behind?.behind_ns), tr?.dataset.antagonist, String(behind?.antagonist)];
	})()`);
	if (seen[0] !== seen[1] || seen[2] !== seen[3]) wrong.push(`an opened vCPU begins with ${seen[0]} ns behind ${seen[2]}, the table with ${seen[1]} behind ${seen[3]}`);
	if (await asked() !== 'histogram') wrong.push('rows of the whole capture were asked of the engine');
	await tab.go('#view=cores');
	if (await tab.evaluate('document.querySelectorAll(".event-list tr").length')) wrong.push('events are listed that are not visible');
	await tab.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
	await tab.until('document.querySelectorAll(".event-list tr").length > 0', 'the list of events that came into view');
	if ((await asked()) !== 'rows') wrong.push('the list was not asked for once, or counted anew');
	const got = await tab.evaluate('document.querySelector(".event-list .trace").textContent');
	if (got.trim() !== text.trim()) wrong.push(`the first event is "${got}", cdict script says "${text}"`);
}

// Each drawing asks its canvas for a context.
async function checkFirst(tab) {
	await tab.send('Page.addScriptToEvaluateOnNewDocument', {
		source: `globalThis.drawn = new Map();
			const context = HTMLCanvasElement.prototype.getContext;
			HTMLCanvasElement.prototype.getContext = function (...args) {
				if (this.isConnected && !document.documentElement.dataset.ready)
					drawn.set(this, (drawn.get(this) ?? 0) + 1);
				return context.apply(this, args);
			};`,
	});
	await tab.send('Page.reload');
	await tab.until('globalThis.drawn !== undefined', 'the page again');
	await tab.ready();
	const drawn = JSON.parse(await tab.evaluate('JSON.stringify([...drawn].map(([canvas, times]) => [canvas.getAttribute("aria-label"), times]))'));
	if (!drawn.some(([label]) => label.startsWith('the whole window'))) wrong.push(`the strip is not among the pictures of the first view: ${drawn.map(([label]) => label)}`);
	for (const [label, times] of drawn)
		if (times > 1) wrong.push(`before the first view, "${label}" is drawn ${times} times`);
}

async function checkCut(tab) {
	const [from, to] = await tab.evaluate('[cdictPage.page.captures[0].window.from, cdictPage.page.captures[0].window.to]');
	await tab.go(`#view=tasks&range=${from},${Math.floor((from + to) / 2)}`);
	const note = await tab.evaluate('document.querySelector(".note").hidden ? "" : document.querySelector(".note").textContent');
	if (!/the page is truncated/.test(note)) wrong.push(`of a cut page a range says "${note}"`);
}

try {
	const tab = await browser.open(file, { height: 360 }); // in which the events are below the visible part
	await tab.ready();
	await tab.idle();
	await (cut ? checkCut(tab) : checkWhole(tab));
	if (!cut) await checkFirst(tab);
	tab.problems().forEach((problem) => wrong.push(problem));
} catch (error) {
	wrong.push(error.stack ?? String(error));
} finally {
	await browser.close();
}
console.log(wrong.join('\n'));
process.exit(wrong.length ? 1 : 0);
