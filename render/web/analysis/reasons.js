// SPDX-License-Identifier: GPL-2.0-only
//
// What a kvm_exit is called, from the capture's own kvm_exit format; as analyze/reasons.c. Codes
// are BigInts of 64 bits.

import { utf8 } from '../decode/bytes.js';
import { parseNumber, parseSymbols } from './symbols.js';

const TABLES_MAX = 4;
const ALL = 0xffffffffffffffffn;
const FOR_ANY = -1;
const FOR_OTHERS = -2;
const ARM_TRAP = 3;
const LIST = '__print_symbolic(';

// "REC->exit_reason & 0xffff," -> field, mask, and where the list begins.
function argument(text, at) {
	const m = /^[ (]*REC->([A-Za-z0-9_]+) */.exec(text.slice(at, at + 200));
	if (!m) return null;
	const field = m[1].slice(0, 31);
	at += m[0].length;
	let mask = ALL;
	if (text[at] === '&') {
		at++;
		while (text[at] === ' ') at++;
		const number = parseNumber(text, at);
		if (!number) return null;
		[mask, at] = number;
	}
	while (text[at] === ' ' || text[at] === ')') at++;
	return text[at] === ',' ? { field, mask, at: at + 1 } : null;
}

// The condition in front of a table: "(REC->isa == 1) ?".
function condition(text) {
	let at = text.indexOf('REC->isa');
	if (at < 0) return FOR_ANY;
	at += 'REC->isa'.length;
	while (text[at] === ' ' || text[at] === '=') at++;
	const number = parseNumber(text, at);
	return number && number[0] < 16n ? Number(number[0]) : FOR_ANY;
}

export function isIdleReason(name) {
	return ['hlt', 'wfx', 'wait'].includes(name.toLowerCase());
}

export class Reasons {
	constructor(format) {
		this.tables = [];
		this.trap = null;
		this.known = new Map();
		let before = format.indexOf('print fmt:');
		while (before >= 0 && this.tables.length < TABLES_MAX) {
			const at = format.indexOf(LIST, before);
			if (at < 0) break;
			const list = argument(format, at + LIST.length);
			if (!list) {
				before = at + 1;
				continue;
			}
			const t = { field: list.field, mask: list.mask, isa: condition(format.slice(before, at)) };
			const last = this.tables[this.tables.length - 1];
			if (t.isa === FOR_ANY && last && last.isa >= 0 && last.field === t.field)
				t.isa = FOR_OTHERS;
			[t.names, before] = parseSymbols(format, list.at);
			// Later tables of another field say something else, unless it is arm64's.
			if (this.tables.length && t.field !== this.tables[0].field) {
				if (t.field !== 'esr_ec' || this.trap) continue;
				this.trap = t;
			}
			this.tables.push(t);
		}
	}

	tableOf(isa) {
		if (isa === ARM_TRAP && this.trap) return this.trap;
		let others = null;
		for (const t of this.tables) {
			if (t === this.trap) continue;
			if (t.isa === FOR_ANY || t.isa === isa) return t;
			if (t.isa === FOR_OTHERS) others = t;
		}
		return others;
	}

	nameOf(isa, code) {
		const t = this.tableOf(isa);
		if (!t) return undefined;
		let name = t.names.get(code);
		// { -1, "err" } is compared as the field's 32 bits too.
		if (name === undefined && code >> 31n === 1n) name = t.names.get(code | 0xffffffff00000000n);
		if (name === undefined && code >> 32n === 0xffffffffn) name = t.names.get(code & 0xffffffffn);
		return name;
	}

	// The reason of an exit as recorded: {id, isa, code, name, idle, known}, the same object for the
	// same reason. @code and @esr are 64-bit residues.
	of(isa, code, esr) {
		let byIsa = this.known.get(isa);
		if (!byIsa) this.known.set(isa, (byIsa = new Map()));
		let byCode = byIsa.get(code);
		if (!byCode) byIsa.set(code, (byCode = new Map()));
		const how = this.trap ? esr : 0;
		let reason = byCode.get(how);
		if (!reason) byCode.set(how, (reason = this.find(isa, code, how)));
		return reason;
	}

	find(isa, rawCode, rawEsr) {
		const t = this.tableOf(isa);
		let code = BigInt.asUintN(64, BigInt(rawCode));
		if (t) code &= t.mask;
		if (this.trap && t && t.names.get(code) === 'TRAP') {
			isa = ARM_TRAP;
			code = BigInt.asUintN(64, BigInt(rawEsr)) & this.trap.mask;
		}
		this.all ??= new Map();
		const key = `${isa} ${code}`;
		let reason = this.all.get(key);
		if (!reason) {
			const known = this.nameOf(isa, code);
			const name = known === undefined ? `0x${code.toString(16)}` : utf8(known);
			const idle = known !== undefined && isIdleReason(name);
			reason = { id: this.all.size, isa, code, name, idle, known: known !== undefined };
			this.all.set(key, reason);
		}
		return reason;
	}
}
