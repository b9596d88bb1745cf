// SPDX-License-Identifier: GPL-2.0-only
//
// A second reader of cdict files, written from cdict(5) alone, and the one of the page
// (render/web/decode): what it and libcdict disagree about is wrong in one of them, or in the
// page of the manual.
//
//	node secondread.mjs [-a] [-c] [-d] FILE
//
// prints what tests/tools/dumpevents.c prints; with -c the number of events and the CRC-32 of
// their lines instead. -d inflates as the page does, with DecompressionStream. Status 2, and the
// damage on stderr, when the file is not whole.

import { readFileSync, writeSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

import { Damage } from '../../render/web/decode/bytes.js';
import { openCdict } from '../../render/web/decode/container.js';
import { inflateRaw } from '../../render/web/decode/inflate.js';
import { checksum, eventLines, otherLines } from '../../render/web/decode/lines.js';

export function inflateSync(bytes, size) {
	let out;
	try {
		out = inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1), info: true });
	} catch {
		throw new Damage('a stream does not inflate');
	}
	// Bytes behind its end are damage too; a browser's DecompressionStream says so itself.
	if (out.buffer.length !== size || out.engine.bytesWritten !== bytes.length)
		throw new Damage('a stream does not inflate');
	return out.buffer;
}

function print(text) {
	const bytes = Buffer.from(text, 'latin1');
	for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

async function main(args) {
	const options = new Set(args.slice(0, -1));
	const path = args[args.length - 1];
	let file;
	try {
		file = await openCdict(readFileSync(path), options.has('-d') ? inflateRaw : inflateSync);
	} catch (e) {
		console.error(`secondread: ${path}: ${e.message}`);
		return 1;
	}
	if (options.has('-a')) for (const line of otherLines(file)) print(`${line}\n`);
	if (options.has('-c')) {
		const { events, crc } = await checksum(file);
		print(`${events} ${crc}\n`);
	} else await eventLines(file, print);
	if (file.damage.first) console.error(`secondread: ${path}: ${file.damage.first}`);
	return file.damage.first ? 2 : 0;
}

if (process.argv[1]?.endsWith('secondread.mjs')) process.exitCode = await main(process.argv.slice(2));
