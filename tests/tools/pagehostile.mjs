// SPDX-License-Identifier: GPL-2.0-only
//
// Damaged files before the page's reader and figures: every STEPth truncation of a file, and bytes changed at
// random, with check sums as they were and made right again. Nothing is thrown but "is no cdict
// file", nothing hangs, and what C reads of the same bytes (dumpevents: status, lines) is the same.
//
//	node pagehostile.mjs DUMPEVENTS FILE [FLIPS [STEP [SEED]]]

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

import { Capture } from '../../render/web/analysis/figures.js';
import { marks, pieces, select, states, subsecond } from '../../render/web/analysis/lists.js';
import { events } from '../../render/web/analysis/rows.js';
import { crc32, le32 } from '../../render/web/decode/bytes.js';
import { openCdict } from '../../render/web/decode/container.js';
import { eventLines } from '../../render/web/decode/lines.js';
import { inflateSync } from './secondread.mjs';

const [dump, path, flips = '300', step = '1', seed = '1'] = process.argv.slice(2);
const whole = readFileSync(path);
const problems = [];
const SLOW_MS = 5000;
let state = Number(seed);

function random(n) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor((state / 2 ** 32) * n);
}

// {status, text}: as dumpevents gives them.
async function readEvents(bytes) {
	let file;
	try {
		file = await openCdict(bytes, inflateSync);
	} catch (e) {
		if (e.constructor !== Error) throw e;
		return { status: 1, text: '' };
	}
	let text = '';
	await eventLines(file, (part) => (text += part));
	return { status: file.damage.first ? 2 : 0, text };
}

async function readFigures(bytes) {
	let file;
	try {
		file = await openCdict(bytes, inflateSync);
	} catch {
		return;
	}
	const capture = new Capture(file);
	// So long a capture has no figures, and says so.
	if (typeof file.relative(file.last) !== 'number') return;
	const { tasks } = await capture.figures(null, { switches: true, columns: 64 });
	capture.tasks = tasks;
	const last = Number(file.relative(file.last));
	const range = [Math.floor(last / 3), Math.floor((2 * last) / 3)];
	await pieces(capture, range);
	await states(capture, range);
	await marks(capture, range);
	await events(capture, range);
	await select(capture, { kind: 'run', range });
	if (last < 1e12) await subsecond(capture, range, { kind: 'exit' });
}

async function attack(what, bytes, compare) {
	const begin = performance.now();
	try {
		const ours = await readEvents(bytes);
		await readFigures(bytes);
		if (compare) {
			writeFileSync('hostile.cdict', bytes);
			const c = spawnSync(dump, ['hostile.cdict'], { encoding: 'latin1', maxBuffer: 2 ** 28 });
			if (c.status !== ours.status || c.stdout !== ours.text)
				problems.push(
					`${what}: page status ${ours.status}, ${ours.text.split('\n').length - 1} events; ` +
					`libcdict ${c.status}, ${c.stdout.split('\n').length - 1}`,
				);
		}
	} catch (e) {
		problems.push(`${what}: ${e.stack.split('\n').slice(0, 3).join(' | ')}`);
	}
	if (performance.now() - begin > SLOW_MS) problems.push(`${what}: takes seconds`);
}

// The blocks' check sums made right: what a hostile writer would do.
function resealed(bytes) {
	for (let at = 16; bytes.length - at >= 24 && le32(bytes, at) === 0x1eb10cdc;) {
		const size = le32(bytes, at + 8);
		if (size > bytes.length - at - 24) break;
		bytes.writeUInt32LE(crc32(bytes.subarray(at + 24, at + 24 + size)), at + 16);
		bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 20)), at + 20);
		at += 24 + size;
	}
	return bytes;
}

let cuts = 0;
for (let n = 0; n < whole.length; n += Number(step)) await attack(`cut at ${n}`, whole.subarray(0, n), cuts++ % 16 === 0);
for (let i = 0; i < Number(flips); i++) {
	const bytes = Buffer.from(whole);
	const changes = 1 + random(3);
	const where = [];
	for (let k = 0; k < changes; k++) {
		const at = random(bytes.length);
		bytes[at] = random(256);
		where.push(at);
	}
	await attack(`changed at ${where}`, bytes, true);
	await attack(`changed at ${where}, resealed`, resealed(Buffer.from(bytes)), true);
}
console.log(`${cuts} cuts, ${2 * flips} changed files`);
for (const p of problems.slice(0, 12)) console.log(p);
if (problems.length) console.log(`${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;
