// SPDX-License-Identifier: GPL-2.0-only
//
// An event's fields as text: by the kernel's own print format where it is understood, as
// `cdict script` and perf do, else name=value. Values are BigInts while they are computed, texts
// are of one character a byte.

import { binary, unsigned, utf8 } from '../decode/bytes.js';
import { KIND } from '../decode/schema.js';
import { parseSymbols } from './symbols.js';

// Thrown for what is not understood: the plain form is then used for that type.
class NotUnderstood extends Error {}

const i64 = (v) => BigInt.asIntN(64, v);

// ---- the format's text: "..." , argument, argument --------------------------------------------

const TOKEN =
	/\s*(0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+[uUlL]*|[A-Za-z_]\w*|"(?:[^"\\]|\\.)*"|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:(){},=])/y;

function tokens(text) {
	const out = [];
	TOKEN.lastIndex = 0;
	while (TOKEN.lastIndex < text.length) {
		const at = TOKEN.lastIndex;
		const m = TOKEN.exec(text);
		if (!m) {
			if (/^\s*$/.test(text.slice(at))) break;
			throw new NotUnderstood();
		}
		out.push({ text: m[1], at: TOKEN.lastIndex - m[1].length, end: TOKEN.lastIndex });
	}
	return out;
}

function unquote(text) {
	const escapes = { n: '\n', t: '\t' };
	return text.slice(1, -1).replace(/\\(.)/g, (_, c) => escapes[c] ?? c);
}

const LEVELS = [
	['||'],
	['&&'],
	['|'],
	['^'],
	['&'],
	['==', '!='],
	['<', '>', '<=', '>='],
	['<<', '>>'],
	['+', '-'],
	['*', '/', '%'],
];
const bool = (v) => (v ? 1n : 0n);
const OPERATIONS = {
	'||': (a, b) => bool(a || b),
	'&&': (a, b) => bool(a && b),
	'|': (a, b) => a | b,
	'^': (a, b) => a ^ b,
	'&': (a, b) => a & b,
	'==': (a, b) => bool(a === b),
	'!=': (a, b) => bool(a !== b),
	'<': (a, b) => bool(a < b),
	'>': (a, b) => bool(a > b),
	'<=': (a, b) => bool(a <= b),
	'>=': (a, b) => bool(a >= b),
	'<<': (a, b) => (b < 64n && b >= 0n ? i64(a << b) : 0n),
	'>>': (a, b) => (b < 64n && b >= 0n ? a >> b : 0n),
	'+': (a, b) => i64(a + b),
	'-': (a, b) => i64(a - b),
	'*': (a, b) => i64(a * b),
	'/': (a, b) => (b ? a / b : 0n),
	'%': (a, b) => (b ? a % b : 0n),
};
const CAST = /^(?:unsigned|signed|const|struct|char|short|int|long|void|__?[us](?:8|16|32|64)|[us](?:8|16|32|64)|gfn_t|gpa_t|bool|size_t)$/;
const CAST_BITS = { 8: 8, 16: 16, 32: 32, char: 8, short: 16, int: 32, bool: 8 };
const DEPTH_MAX = 64;

// Expressions become functions of an event: (fields) => BigInt or text.
class Parser {
	constructor(text, type) {
		this.text = text;
		this.tokens = tokens(text);
		this.at = 0;
		this.depth = 0;
		this.type = type;
	}
	get next() {
		return this.tokens[this.at]?.text ?? '';
	}
	take(text) {
		if (this.next !== text) return false;
		this.at++;
		return true;
	}
	need(text) {
		if (!this.take(text)) throw new NotUnderstood();
	}
	field() {
		const name = this.tokens[this.at++]?.text ?? '';
		const i = this.type.fields.findIndex((f) => f.name === name);
		if (i < 0) throw new NotUnderstood();
		return i;
	}
	record() {
		this.need('REC');
		this.need('->');
		return this.field();
	}
	expression() {
		if (++this.depth > DEPTH_MAX) throw new NotUnderstood();
		const condition = this.binary(0);
		let out = condition;
		if (this.take('?')) {
			const yes = this.expression();
			this.need(':');
			const no = this.expression();
			out = (f) => (condition(f) ? yes(f) : no(f));
		}
		this.depth--;
		return out;
	}
	binary(level) {
		if (level === LEVELS.length) return this.unary();
		let left = this.binary(level + 1);
		while (LEVELS[level].includes(this.next)) {
			const operation = OPERATIONS[this.tokens[this.at++].text];
			const [a, b] = [left, this.binary(level + 1)];
			left = (f) => operation(number(a(f)), number(b(f)));
		}
		return left;
	}
	unary() {
		if (++this.depth > DEPTH_MAX) throw new NotUnderstood();
		let out;
		const sign = this.next;
		if (['-', '~', '!', '+'].includes(sign)) {
			this.at++;
			const of = this.unary();
			if (sign === '-') out = (f) => i64(-number(of(f)));
			else if (sign === '~') out = (f) => ~number(of(f));
			else if (sign === '!') out = (f) => bool(!number(of(f)));
			else out = of;
		} else if (this.take('(')) {
			out = this.cast() ?? this.inner();
		} else out = this.primary();
		this.depth--;
		return out;
	}
	inner() {
		const out = this.expression();
		this.need(')');
		return out;
	}
	// "(u32)": what was opened is a type.
	cast() {
		let n = this.at;
		while (n < this.tokens.length && (CAST.test(this.tokens[n].text) || this.tokens[n].text === '*')) n++;
		if (n === this.at || this.tokens[n]?.text !== ')') return null;
		const words = this.tokens.slice(this.at, n).map((t) => t.text);
		this.at = n + 1;
		const of = this.unary();
		if (words.includes('*') || words.includes('long')) return of;
		const last = words[words.length - 1];
		const bits = CAST_BITS[/\d+$/.exec(last)?.[0] ?? last] ?? 64;
		const signed = !words.includes('unsigned') && !/^_*u\d/.test(last);
		return (f) => (signed ? BigInt.asIntN(bits, number(of(f))) : BigInt.asUintN(bits, number(of(f))));
	}
	primary() {
		const { text } = this.tokens[this.at] ?? { text: '' };
		if (/^[0-9]/.test(text)) {
			this.at++;
			const digits = text.replace(/[uUlL]+$/, '');
			const v = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
			return () => v;
		}
		if (text.startsWith('"')) {
			let out = '';
			while (this.next.startsWith('"')) out += unquote(this.tokens[this.at++].text);
			return () => out;
		}
		if (text === 'REC') {
			const i = this.record();
			return (f) => f(i);
		}
		return this.call();
	}
	call() {
		const name = this.tokens[this.at++]?.text ?? '';
		this.need('(');
		if (name === '__get_str' || name === '__get_rel_str') {
			const i = this.field();
			this.need(')');
			return (f) => f(i);
		}
		if (name !== '__print_symbolic' && name !== '__print_flags') throw new NotUnderstood();
		const value = this.expression();
		this.need(',');
		let between = '';
		if (name === '__print_flags') {
			between = unquote(this.tokens[this.at++]?.text ?? '""');
			this.need(',');
		}
		const [names, end] = parseSymbols(this.text, this.tokens[this.at]?.at ?? 0);
		while (this.at < this.tokens.length && this.tokens[this.at].at < end) this.at++;
		this.need(')');
		return name === '__print_flags'
			? (f) => flagsText(number(value(f)), between, names)
			: (f) => symbolText(number(value(f)), names);
	}
}

function number(v) {
	if (typeof v !== 'bigint') throw new NotUnderstood();
	return v;
}

const u64 = (v) => BigInt.asUintN(64, v);

function symbolText(v, names) {
	const name = names.get(u64(v)) ?? names.get(u64(BigInt.asIntN(32, v)));
	return name ?? `0x${u64(v).toString(16)}`;
}

function flagsText(v, between, names) {
	let left = u64(v);
	const out = [];
	if (!left && names.has(0n)) return names.get(0n);
	for (const [bit, name] of [...names].sort((a, b) => (a[0] < b[0] ? -1 : 1)))
		if (bit && (left & bit) === bit) {
			out.push(name);
			left &= ~bit;
		}
	if (left || !out.length) out.push(`0x${left.toString(16)}`);
	return out.join(between);
}

// ---- printf -----------------------------------------------------------------------------------

const CONVERSION = /%(?:%|([-+ 0#]*)(\*|\d*)(?:\.(\*|\d+))?(hh|h|ll|l|L|z|t|j)?([diuxXocsp]))/g;

function pad(text, flags, width, zeros) {
	if (flags.includes('-')) return text.padEnd(width);
	if (!zeros || !flags.includes('0')) return text.padStart(width);
	const sign = /^-|^0x/i.exec(text)?.[0] ?? '';
	return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function integerText(v, conversion, length, flags, precision) {
	const bits = length === 'hh' ? 8 : length === 'h' ? 16 : length ? 64 : 32;
	const wide = BigInt(conversion === 'p' ? 64 : bits);
	const n = conversion === 'd' || conversion === 'i' ? BigInt.asIntN(Number(wide), v) : BigInt.asUintN(Number(wide), v);
	const base = { x: 16, X: 16, p: 16, o: 8 }[conversion] ?? 10;
	let text = (n < 0n ? -n : n).toString(base).padStart(precision ?? 0, '0');
	if (conversion === 'X') text = text.toUpperCase();
	if (conversion === 'p' || (flags.includes('#') && base === 16 && n)) text = `0x${text}`;
	if (n >= 0n && flags.includes('+') && base === 10) text = `+${text}`;
	return n < 0n ? `-${text}` : text;
}

// Pieces of the format: texts, and functions of (fields, next argument).
function compileFormat(format, args) {
	const pieces = [];
	let [last, next] = [0, 0];
	const take = () => {
		if (next >= args.length) throw new NotUnderstood();
		return args[next++];
	};
	for (const m of format.matchAll(CONVERSION)) {
		pieces.push(format.slice(last, m.index));
		last = m.index + m[0].length;
		if (m[0] === '%%') {
			pieces.push('%');
			continue;
		}
		const [, flags, width, precision, length, conversion] = m;
		if (width === '*' || precision === '*' || /^\w/.test(conversion === 'p' ? format.slice(last) : ''))
			throw new NotUnderstood();
		const arg = take();
		const least = Number(width || 0);
		const digits = precision === undefined ? null : Number(precision);
		pieces.push((f) => {
			const v = arg(f);
			if (conversion === 's') {
				if (typeof v !== 'string') throw new NotUnderstood();
				return pad(digits === null ? v : v.slice(0, digits), flags, least, false);
			}
			if (conversion === 'c') return pad(String.fromCharCode(Number(number(v) & 255n)), flags, least, false);
			return pad(integerText(number(v), conversion, length, flags, digits), flags, least, digits === null);
		});
	}
	pieces.push(format.slice(last));
	if (format.slice(last).includes('%')) throw new NotUnderstood();
	return (f) => pieces.map((p) => (typeof p === 'string' ? p : p(f))).join('');
}

function compile(type) {
	const at = type.format.indexOf('print fmt:');
	if (at < 0) throw new NotUnderstood();
	const parser = new Parser(type.format.slice(at + 10), type);
	const format = parser.primary()(null);
	if (typeof format !== 'string') throw new NotUnderstood();
	const args = [];
	while (parser.take(',')) args.push(parser.expression());
	if (parser.at !== parser.tokens.length) throw new NotUnderstood();
	return compileFormat(format, args);
}

// ---- events -----------------------------------------------------------------------------------

const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(' ');

function plainText(batch, k, row) {
	const { type, columns } = batch.types[k];
	const out = [];
	type.fields.forEach((f, i) => {
		if (f.name.startsWith('common_')) return;
		const v = columns[i][row];
		if (f.kind > KIND.INT) {
			const bytes = batch.strings[v];
			out.push(`${f.name}=${f.isText ? binary(bytes) : hex(bytes)}`);
		} else out.push(`${f.name}=${f.kind === KIND.UINT ? unsigned(v) : v}`);
	});
	return out.join(' ');
}

// Prints events of one file.
export class Printer {
	constructor() {
		this.compiled = new Map(); // type -> function, or null: plain
	}

	text(batch, k, row) {
		const { type, columns } = batch.types[k];
		let print = this.compiled.get(type);
		if (print === undefined) {
			try {
				print = compile(type);
			} catch (e) {
				if (!(e instanceof NotUnderstood)) throw e;
				print = null;
			}
			this.compiled.set(type, print);
		}
		if (print === null) return utf8(plainText(batch, k, row));
		const field = (i) => {
			const f = type.fields[i];
			const v = columns[i][row];
			if (f.kind <= KIND.INT) return f.kind === KIND.UINT ? u64(BigInt(v)) : BigInt(v);
			if (!f.isText) throw new NotUnderstood();
			return binary(batch.strings[v]);
		};
		try {
			return utf8(print(field));
		} catch (e) {
			if (!(e instanceof NotUnderstood)) throw e;
			return utf8(plainText(batch, k, row));
		}
	}
}
