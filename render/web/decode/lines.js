// SPDX-License-Identifier: GPL-2.0-only
//
// One event as one line, every stored bit of it: what tests/tools/dumpevents.c prints, so that two
// readers can be compared. Texts are of one character a byte.

import { add, crc32, unsigned } from './bytes.js';
import { TASK } from './container.js';
import { Walk } from './order.js';
import { KIND } from './schema.js';

const hex = (b) => b.toString(16).padStart(2, '0');

export function bytesText(bytes, isText) {
	if (!isText) return `{${Array.from(bytes, hex).join('')}}`;
	const plain = (b) => b >= 0x20 && b <= 0x7e && b !== 0x22 && b !== 0x5c;
	let out = '"';
	for (const b of bytes) out += plain(b) ? String.fromCharCode(b) : `\\x${hex(b)}`;
	return `${out}"`;
}

export function eventLine(file, batch, i, k, row) {
	const { type, columns } = batch.types[k];
	const t = unsigned(add(file.first, batch.t[i]));
	let line = `${batch.cpu < 0 ? '-' : batch.cpu} ${t} ${batch.tid[i]} ${batch.pid[i]} ${batch.mode[i]} ${type.name}`;
	for (let f = 0; f < columns.length; f++) {
		const { name, kind, isText } = type.fields[f];
		const v = columns[f][row];
		line += ` ${name}=`;
		if (kind > KIND.INT) line += bytesText(batch.strings[v], isText);
		else line += kind === KIND.UINT ? unsigned(v) : v;
	}
	return line;
}

const LOSS_NAMES = ['ring', 'samples', 'throttle', 'disorder', 'damage'];
const TASK_NAMES = ['fork', 'comm', 'exec', 'exit'];

// What is in a file beside events.
export function* otherLines(file) {
	const text = (s) => bytesText(Array.from(s, (c) => c.charCodeAt(0)), true);
	for (const [key, value] of file.info) yield `# info ${text(key)} ${text(value)}`;
	for (const t of file.tasks)
		yield `# ${TASK_NAMES[t.what]} ${t.t} ${t.pid}/${t.tid} ` +
			(t.what === TASK.FORK || t.what === TASK.EXIT ? `${t.ppid}/${t.ptid}` : text(t.comm));
	for (const l of file.losses)
		if (l.what < LOSS_NAMES.length)
			yield `# ${LOSS_NAMES[l.what]} ${l.cpu} ${l.type} ${l.from}-${l.to} ${l.count}`;
	for (const l of file.late) yield `# late ${l.cpu} ${l.from} after ${l.to}`;
	for (const { name, count } of file.skips) yield `# skip ${text(name)} ${count}`;
}

// Gives the lines of all events, many at a time, to print(text).
export async function eventLines(file, print, onBlock = null) {
	let text = '';
	const walk = new Walk(file);
	await walk.run((batch, i, k, row) => {
		text += `${eventLine(file, batch, i, k, row)}\n`;
		if (text.length < 1 << 16) return true;
		print(text);
		text = '';
		return true;
	}, onBlock);
	print(text);
}

// {events, crc}: their number and the CRC-32 of their lines, 8 hex digits.
export async function checksum(file, onBlock = null) {
	let events = 0;
	let crc = 0;
	await eventLines(
		file,
		(text) => {
			const bytes = new Uint8Array(text.length);
			for (let i = 0; i < text.length; i++) {
				bytes[i] = text.charCodeAt(i);
				if (bytes[i] === 10) events++;
			}
			crc = crc32(bytes, crc);
		},
		onBlock,
	);
	return { events, crc: crc.toString(16).padStart(8, '0') };
}
