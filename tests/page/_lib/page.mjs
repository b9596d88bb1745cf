// SPDX-License-Identifier: GPL-2.0-only
// The page's object from an HTML file, by the page's own loader, without a browser.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const top = process.env.TOP;
export const loader = await import(pathToFileURL(join(top, 'render/web/page.js')).href);

// The text of each script element that has an id: the requests of the page.
export function elementsOf(html) {
	const elements = new Map();
	for (const [, id, text] of html.matchAll(/<script type="[^"]*" id="([^"]*)">([^<]*)<\/script>/g)) elements.set(id, text);
	return elements;
}

export async function readPage(file) {
	const elements = elementsOf(readFileSync(file, 'utf8').replace(/<script type="text\/plain"[^]*?<\/script>/, ''));
	const page = await loader.loadPage({
		getElementById: (id) => (elements.has(id) ? { textContent: elements.get(id) } : null),
	});
	for (const { tables } of page.captures) await Promise.all(Object.values(tables).map((table) => table.read?.()));
	return page;
}

// The output of cdict; with a status of 2 (lossy input) it still prints.
export function cdict(...args) {
	try {
		return execFileSync(process.env.CDICT, args, { encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
	} catch (error) {
		if (error.status === 2) return error.stdout;
		throw error;
	}
}

// JSON.parse, but integers beyond 2^53 stay texts of their digits.
export function parseExact(text) {
	return JSON.parse(text.replace(/([:[,] ?)(-?\d{16,})(?=[,\]}\s])/g, '$1"$2"'));
}

// Which command prints which table, under which name.
export const TABLES = {
	tasks: ['tasks', 'tasks', 'total'],
	exits: ['exits', 'exits', 'total'],
	exit_reasons: ['exits --by reason', 'exits', 'total'],
	exits_vm: ['exits --by vm', 'exits', 'total'],
	guest: ['exits', 'guest', null],
	vcpu: ['vcpu', 'vcpu', 'total'],
	vcpu_reasons: ['vcpu', 'reasons', null],
	antagonists: ['vcpu', 'antagonists', null],
	delays: ['vcpu', 'delays', 'delays_total'],
	beside: ['vcpu', 'beside', 'beside_total'],
	halts_vms: ['vcpu --by halt', 'halts_vms', 'halts_vms_total'],
	capacity: ['vcpu', 'capacity', null],
	latency: ['latency', 'latency', 'total'],
	coremap: ['coremap', 'coremap', null],
	cpus: ['coremap', 'cpus', null],
};

// Every table as the commands print it with @options: {tasks: {rows, total}, ...}.
export function commandTables(file, options = []) {
	const printed = {};
	const out = {};
	for (const [table, [command, key, total]] of Object.entries(TABLES)) {
		printed[command] ??= parseExact(cdict(...command.split(' '), file, '--format', 'json', '-q', ...options));
		out[table] = { rows: printed[command][key] ?? [], total: total ? printed[command][total] ?? null : null };
	}
	return out;
}

const same = (a, b) => a === b || (a !== null && b !== null && String(a) === String(b));

// The difference between the command's row and ours, as a text; null: none.
export function rowDiffers(expected, got) {
	for (const key of Object.keys(expected)) {
		if (!same(expected[key], got[key])) return `${key}: the command says ${expected[key]}, the page ${got[key]}`;
	}
	const extra = Object.keys(got).filter((key) => !(key in expected));
	return extra.length ? `the command has no ${extra.join(', ')}` : null;
}
