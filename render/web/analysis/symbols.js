// SPDX-License-Identifier: GPL-2.0-only
//
// The value/name lists in a tracepoint's print format, as in
// __print_symbolic(REC->reason, { 0x040 + 1, "DB excp" }, { -1, "err" }). As analyze/symbols.c;
// values are BigInts of 64 bits.

const DEPTH_MAX = 16;
const NAME_MAX = 127;

const u64 = (v) => BigInt.asUintN(64, v);

class Scan {
	constructor(text, at) {
		this.text = text;
		this.at = at;
		this.depth = 0;
	}
	blanks() {
		while (/\s/.test(this.text[this.at] ?? '')) this.at++;
	}
	take(c) {
		this.blanks();
		if (this.text[this.at] !== c) return false;
		this.at++;
		return true;
	}
	digits() {
		const m = /^(?:0[xX]([0-9a-fA-F]+)|0([0-7]+)|([0-9]+))[uUlL]*/.exec(
			this.text.slice(this.at, this.at + 80),
		);
		if (!m) return null;
		this.at += m[0].length;
		if (m[1] !== undefined) return u64(BigInt(`0x${m[1]}`));
		return u64(BigInt(m[2] !== undefined ? `0o${m[2]}` : m[3]));
	}
	unary() {
		if (++this.depth > DEPTH_MAX) return null;
		let v;
		if (this.take('-')) {
			v = this.unary();
			v = v === null ? null : u64(-v);
		} else if (this.take('~')) {
			v = this.unary();
			v = v === null ? null : u64(~v);
		} else if (this.take('(')) {
			v = this.expression();
			if (v !== null && !this.take(')')) v = null;
		} else {
			v = this.digits();
		}
		this.depth--;
		return v;
	}
	// Left to right without precedence: the kernel's lists need no more.
	expression() {
		let v = this.unary();
		while (v !== null) {
			this.blanks();
			const op = this.text[this.at] ?? '';
			if (!op || !'+-|&<>'.includes(op)) return v;
			this.at++;
			if ((op === '<' || op === '>') && this.text[this.at++] !== op) return null;
			const right = this.unary();
			if (right === null) return null;
			if (op === '+') v = u64(v + right);
			else if (op === '-') v = u64(v - right);
			else if (op === '|') v |= right;
			else if (op === '&') v &= right;
			else if (op === '<') v = right < 64n ? u64(v << right) : 0n;
			else v = right < 64n ? v >> right : 0n;
		}
		return null;
	}
	// Adjacent string literals are one: "KVM_EXIT_" "IO".
	string() {
		let out = null;
		while (this.take('"')) {
			out ??= '';
			while (this.at < this.text.length && this.text[this.at] !== '"') {
				if (this.text[this.at] === '\\' && this.at + 1 < this.text.length) this.at++;
				out += this.text[this.at++];
			}
			if (!this.take('"')) return null;
		}
		return out === null ? null : out.slice(0, NAME_MAX);
	}
}

// Reads "{ number, "name" }, ..." from @at on: [Map of value to name, where it stopped]. Of two
// alike the first counts.
export function parseSymbols(text, at) {
	const s = new Scan(text, at);
	const names = new Map();
	while (s.take('{')) {
		s.depth = 0;
		const value = s.expression();
		if (value === null || !s.take(',')) break;
		const name = s.string();
		if (name === null || !s.take('}')) break;
		if (!names.has(value)) names.set(value, name);
		if (!s.take(',')) break;
	}
	return [names, s.at];
}

// [number, where it ends], or null.
export function parseNumber(text, at) {
	const s = new Scan(text, at);
	const v = s.expression();
	return v === null ? null : [v, s.at];
}
