// SPDX-License-Identifier: GPL-2.0-only
// node checksum.mjs [--damaged] PAGE CDICT LINES [PAGE CDICT LINES]... - the page's own decoder, in a real
// browser, reads the events that tests/tools/dumpevents printed into LINES: as many, and the same CRC-32
// over every field of every event; as many as the index has, unless blocks are --damaged.

import { createReadStream } from 'node:fs';
import { Browser } from './browser.mjs';
import { cdict } from './page.mjs';

const TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
	let c = i;
	for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
	return c >>> 0;
});

async function crcOf(file) {
	let crc = 0xffffffff;
	for await (const part of createReadStream(file)) for (const byte of part) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
	return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}

const wrong = [];
const args = process.argv.slice(2);
const damaged = args[0] === '--damaged';
if (damaged) args.shift();
let events = 0;
const browser = await Browser.launch();
try {
	for (let i = 0; i + 2 < args.length; i += 3) {
		const [page, file, lines] = args.slice(i, i + 3);
		const tab = await browser.open(page);
		try {
			await tab.ready();
			const got = await tab.evaluate(`(async () => {
				const { decoder, page } = cdictPage;
				await decoder.open(page.captures[0]);
				return decoder.checksum(page.captures[0]);
			})()`);
			const crc = await crcOf(lines);
			const count = JSON.parse(cdict('info', file, '--format', 'json')).capture.events;
			events += got.events;
			if (damaged ? got.events >= count : got.events !== count) wrong.push(`${file}: ${got.events} events instead of ${count}`);
			if (got.crc !== crc) wrong.push(`${file}: CRC ${got.crc} instead of ${crc}`);
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
