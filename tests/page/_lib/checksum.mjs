// SPDX-License-Identifier: GPL-2.0-only
// node checksum.mjs [--firefox] [--damaged] PAGE CDICT SUM [PAGE CDICT SUM]... - the engine in a page, in a real
// browser, reads what build/tests/tools/check/pagesum, whose answer is in the file SUM, reads natively: as many events, and
// every bit of them; as many as the index has, unless blocks are --damaged.

import { readFileSync } from 'node:fs';
import { cdict } from './page.mjs';

const wrong = [];
const args = process.argv.slice(2);
const firefox = args[0] === '--firefox' && args.shift();
const damaged = args[0] === '--damaged' && args.shift();
const { Browser } = await import(firefox ? './firefox.mjs' : './browser.mjs');
let events = 0;
const browser = await Browser.launch();
try {
	for (let i = 0; i + 2 < args.length; i += 3) {
		const [page, file, sum] = args.slice(i, i + 3);
		const tab = await browser.open(page);
		try {
			await tab.ready();
			const got = JSON.parse(
				await tab.evaluate(`(async () => {
				const { decoder, page } = cdictPage;
				await decoder.open(page.captures[0]);
				return JSON.stringify(await decoder.checksum(page.captures[0]));
			})()`),
			);
			const want = JSON.parse(readFileSync(sum, 'utf8'));
			const count = JSON.parse(cdict('info', file, '--format', 'json')).capture.events;
			events += got.events;
			if (damaged ? got.events >= count : got.events !== count) wrong.push(`${file}: ${got.events} events instead of ${count}`);
			if (got.events !== want.events || got.crc !== want.crc) wrong.push(`${file}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
		} catch (error) {
			wrong.push(`${file}: ${error.message}`);
		}
		tab.problems().forEach((text) => wrong.push(`${file}: ${text}`));
		await tab.close();
	}
} finally {
	await browser.close();
}
console.log(wrong.length ? wrong.slice(0, 12).join('\n') : `${events} events`);
process.exit(wrong.length ? 1 : 0);
