// SPDX-License-Identifier: GPL-2.0-only
//
// Undoes raw deflate with the browser's own DecompressionStream.

import { Damage } from './bytes.js';

// A promise of exactly @size bytes; rejects with Damage when it is not to be had.
export async function inflateRaw(bytes, size) {
	const stream = new DecompressionStream('deflate-raw');
	const writer = stream.writable.getWriter();
	const reader = stream.readable.getReader();
	const out = new Uint8Array(size);
	let at = 0;
	// Faults of the writing half are told by the reading half too.
	writer.write(bytes).catch(() => {});
	writer.close().catch(() => {});
	try {
		for (;;) {
			const { value, done } = await reader.read();
			if (done) break;
			if (value.length > size - at) throw new Damage('too long');
			out.set(value, at);
			at += value.length;
		}
	} catch {
		reader.cancel().catch(() => {});
		throw new Damage('a stream does not inflate');
	}
	if (at !== size) throw new Damage('a stream does not inflate');
	return out;
}
