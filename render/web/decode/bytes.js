// SPDX-License-Identifier: GPL-2.0-only
//
// Untrusted bytes: a cursor that never leaves them, 64-bit numbers, CRC-32.
//
// A 64-bit value is kept as the signed residue modulo 2^64: a Number when that is a safe integer,
// else a BigInt. Times and counts are kept unsigned, in the same two forms, which compare with < .

// What is wrong with a file: a block costs itself, never the reader.
export class Damage extends Error {}

const MAX = Number.MAX_SAFE_INTEGER;

export function wrap(big) {
	const v = BigInt.asIntN(64, big);
	return v >= -9007199254740991n && v <= 9007199254740991n ? Number(v) : v;
}

export function add(a, b) {
	if (typeof a === 'number' && typeof b === 'number') {
		const sum = a + b;
		if (sum >= -MAX && sum <= MAX) return sum;
	}
	return wrap(BigInt(a) + BigInt(b));
}

export function sub(a, b) {
	if (typeof a === 'number' && typeof b === 'number') {
		const difference = a - b;
		if (difference >= -MAX && difference <= MAX) return difference;
	}
	return wrap(BigInt(a) - BigInt(b));
}

export function unsigned(v) {
	if (v >= 0) return v;
	const u = BigInt.asUintN(64, BigInt(v));
	return u <= MAX ? Number(u) : u;
}

// An unsigned number as the signed one it stands for.
export function unzigzag(u) {
	if (typeof u === 'number') return u % 2 ? -(u + 1) / 2 : u / 2;
	return wrap((u >> 1n) ^ -(u & 1n));
}

export function low32(v) {
	return typeof v === 'number' ? v >>> 0 : Number(BigInt.asUintN(32, v));
}

export function high32(v) {
	if (typeof v === 'number') return Math.floor(v / 4294967296) >>> 0;
	return Number(BigInt.asUintN(32, v >> 32n));
}

export class Cursor {
	constructor(bytes, at = 0, end = bytes.length) {
		this.bytes = bytes;
		this.at = at;
		this.end = end;
	}
	get left() {
		return this.end - this.at;
	}
	u8() {
		if (this.at >= this.end) throw new Damage('ends too early');
		return this.bytes[this.at++];
	}
	u32() {
		let v = 0;
		for (let i = 0; i < 4; i++) v += this.u8() * 2 ** (8 * i);
		return v;
	}
	// Unsigned: a Number below 2^49, else what it takes.
	varint() {
		let v = 0;
		let shift = 0;
		for (; shift < 49; shift += 7) {
			const b = this.u8();
			v += (b & 127) * 2 ** shift;
			if (b < 128) return v;
		}
		let big = BigInt(v);
		for (; shift < 70; shift += 7) {
			const b = this.u8();
			if (shift === 63 && b > 1) break;
			big |= BigInt(b & 127) << BigInt(shift);
			if (b < 128) return big <= MAX ? Number(big) : big;
		}
		throw new Damage('a number has more than 64 bits');
	}
	svarint() {
		return unzigzag(this.varint());
	}
	// A number that must be small.
	count(most, what) {
		const v = this.varint();
		if (v > most) throw new Damage(`${what}: ${v} is above ${most}`);
		return v;
	}
	take(n) {
		if (n > this.left) throw new Damage('ends too early');
		this.at += n;
		return this.bytes.subarray(this.at - n, this.at);
	}
	part(n) {
		if (n > this.left) throw new Damage('ends too early');
		this.at += n;
		return new Cursor(this.bytes, this.at - n, this.at);
	}
	// A string as bytes in a text, one character a byte: what utf8() makes readable.
	string() {
		return binary(this.take(this.varint()));
	}
}

// Bytes as a text of one character a byte, up to the first NUL, as the C reader keeps them.
export function binary(bytes) {
	let s = '';
	const nul = bytes.indexOf(0);
	const end = nul < 0 ? bytes.length : nul;
	for (let i = 0; i < end; i += 4096)
		s += String.fromCharCode(...bytes.subarray(i, Math.min(end, i + 4096)));
	return s;
}

const SMALLEST = [0, 0, 0x80, 0x800, 0x10000];

// One character at @i: [code point, bytes], or [-1, 1] when it is no UTF-8.
function character(text, i) {
	const first = text.charCodeAt(i);
	if (first < 0x80) return [first, 1];
	const n = first >= 0xf8 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
	if (!n || i + n > text.length) return [-1, 1];
	let v = first & (0x7f >> n);
	for (let k = 1; k < n; k++) {
		const c = text.charCodeAt(i + k);
		if ((c & 0xc0) !== 0x80) return [-1, 1];
		v = v * 64 + (c & 0x3f);
	}
	if (v < SMALLEST[n] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff)) return [-1, 1];
	return [v, n];
}

// Such a text read as UTF-8, each byte that is none as U+FFFD, as cdict's own output has it.
export function utf8(text) {
	let out = '';
	for (let i = 0; i < text.length; ) {
		const [code, n] = character(text, i);
		out += code < 0 ? '\ufffd' : String.fromCodePoint(code);
		i += n;
	}
	return out;
}

// ---- CRC-32 ---------------------------------------------------------------------------------

const crcTables = (() => {
	const t = new Int32Array(8 * 256);
	for (let i = 0; i < 256; i++) {
		let c = i;
		for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
		t[i] = c;
	}
	for (let i = 256; i < 2048; i++) t[i] = (t[i - 256] >>> 8) ^ t[t[i - 256] & 255];
	return t;
})();

// zlib's crc32(); @before continues another.
export function crc32(bytes, before = 0) {
	const t = crcTables;
	const n = bytes.length;
	let c = ~before;
	let i = 0;
	for (; i + 8 <= n; i += 8) {
		const low =
			c ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
		c =
			t[1792 + (low & 255)] ^
			t[1536 + ((low >>> 8) & 255)] ^
			t[1280 + ((low >>> 16) & 255)] ^
			t[1024 + (low >>> 24)] ^
			t[768 + bytes[i + 4]] ^
			t[512 + bytes[i + 5]] ^
			t[256 + bytes[i + 6]] ^
			t[bytes[i + 7]];
	}
	for (; i < n; i++) c = t[(c ^ bytes[i]) & 255] ^ (c >>> 8);
	return ~c >>> 0;
}

export function le32(bytes, at) {
	return (
		(bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
	);
}
