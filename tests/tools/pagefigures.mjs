// SPDX-License-Identifier: GPL-2.0-only
//
// The page's own figures (render/web/analysis) against the commands' on the same file: every row,
// every number of every table, for the whole window and for random ranges.
//
//	node pagefigures.mjs CDICT FILE [RANGES [SEED]]
//
// Prints "N ranges, N rows compared"; status 1 and the first differences when they differ.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { Capture } from '../../render/web/analysis/figures.js';
import { openCdict } from '../../render/web/decode/container.js';
import { BlockCache } from '../../render/web/decode/order.js';
import { inflateSync } from './secondread.mjs';

// table of the page, command, member of its JSON, total
const TABLES = [
	['tasks', 'tasks', 'tasks', 'total'],
	['exits', 'exits', 'exits', 'total'],
	['guest', 'exits', 'guest', null],
	['vcpu', 'vcpu', 'vcpu', 'total'],
	['vcpu_reasons', 'vcpu', 'reasons', null],
	['antagonists', 'vcpu', 'antagonists', null],
	['latency', 'latency', 'latency', 'total'],
	['coremap', 'coremap', 'coremap', null],
	['cpus', 'coremap', 'cpus', null],
	['switches', 'switches', 'switches', null],
];

// As node's, but the same for the same seed.
function random(seed) {
	return () => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return seed / 2 ** 32;
	};
}

function seconds(ns) {
	return `${ns / 1000000000n}.${String(ns % 1000000000n).padStart(9, '0')}`;
}

// A row of the page as the command prints it.
function commandRow(table, row, tasks, t0) {
	const out = {};
	table.columns.forEach((key, i) => {
		const v = row[i];
		if (key === 'task') {
			const t = v === null ? null : tasks[v];
			for (const k of table.identity) out[k] = t && !(k === 'pid' && t.pid < 0) ? t[k] : null;
		} else if (key === 'antagonist') {
			out.antagonist = tasks[v].name;
			out.antagonist_tid = tasks[v].tid;
			out.antagonist_pid = tasks[v].pid < 0 ? null : tasks[v].pid;
			out.antagonist_vm = tasks[v].vm;
		} else if ((key.endsWith('_at_ns') || key === 'from_ns') && v !== null) {
			out[key] = Number(t0 + BigInt(v));
		} else out[key] = v;
	});
	return out;
}

let rows = 0;
const differences = [];

function compare(what, ours, theirs) {
	rows++;
	for (const key of Object.keys(theirs)) {
		// Of a total the name is the command's own; its value is no figure.
		if (!(key in ours)) differences.push(`${what}: no ${key}`);
		else if (what.includes('total') && typeof theirs[key] === 'string') continue;
		else if (!Object.is(ours[key] ?? null, theirs[key]) && ours[key] !== theirs[key])
			differences.push(`${what} ${key}: page ${ours[key]}, command ${theirs[key]}`);
	}
	if (Object.keys(ours).length !== Object.keys(theirs).length)
		differences.push(`${what}: other columns`);
}

function compareAll(figures, range, cdict, path, t0) {
	const documents = new Map();
	const time = range ? ['--time', range.map((t) => seconds(t0 + BigInt(t))).join(',')] : [];
	for (const [name, command, member, total] of TABLES) {
		if (!documents.has(command)) {
			const run = spawnSync(cdict, [command, path, '--format', 'json', '--max-loss', '100', ...time], {
				maxBuffer: 2 ** 30,
				encoding: 'utf8',
			});
			// 2: done, but the recording was damaged
			if (run.status !== 0 && run.status !== 2) throw new Error(`${command}: ${run.stderr}`);
			documents.set(command, JSON.parse(run.stdout));
		}
		const theirs = documents.get(command);
		const table = figures.tables[name];
		const where = `${range ? range.join('-') : 'all'} ${name}`;
		const all = table.rows.map((row) => commandRow(table, row, figures.tasks, t0));
		if (all.length !== theirs[member].length)
			differences.push(`${where}: page ${all.length} rows, command ${theirs[member].length}`);
		else theirs[member].forEach((row, i) => compare(`${where} row ${i}`, all[i], row));
		if (total && theirs[total] && table.total)
			compare(`${where} total`, commandRow(table, table.total, figures.tasks, t0), theirs[total]);
		else if (total && Boolean(theirs[total]) !== Boolean(table.total))
			differences.push(`${where}: a total is missing`);
		if (theirs.loss.unknown_ns !== figures.unknown_ns)
			differences.push(`${where}: unknown ${figures.unknown_ns}, ${theirs.loss.unknown_ns}`);
	}
}

// Σ of what is drawn = what is counted.
function checkBins(figures, where) {
	const { bins, tables } = figures;
	const sum = (a) => a.reduce((x, y) => x + y, 0);
	const column = (name, key) => {
		const i = tables[name].columns.indexOf(key);
		return sum(tables[name].rows.map((row) => row[i]));
	};
	const same = (what, a, b) => {
		if (a !== b) differences.push(`${where}: ${what}: bins ${a}, tables ${b}`);
	};
	same('switches', sum(bins.switches), column('cpus', 'switches'));
	same('busy', sum(bins.busy_ns), column('cpus', 'busy_ns'));
	same('unknown', sum(bins.unknown_ns), column('cpus', 'unknown_ns'));
	same('exits', sum(bins.exit_count), column('exits', 'count'));
	same('exit time', sum(bins.exit_ns), column('exits', 'time_ns'));
	same('states', sum(bins.vcpu_ns), bins.vcpus.length * (bins.to - bins.from));
	for (const [kind, h] of Object.entries(bins.heat))
		if (h)
			same(
				`heat ${kind}`,
				sum(h.count) + h.outside + h.unplaced + h.shorter + h.longer,
				h.events,
			);
}

async function main([cdict, path, count = '20', seed = '1']) {
	const file = await openCdict(readFileSync(path), inflateSync);
	const capture = new Capture(file, { cache: new BlockCache() });
	const t0 = BigInt(file.first);
	const last = Number(file.relative(file.last));
	const next = random(Number(seed));
	const ranges = [null];
	while (ranges.length <= Number(count)) {
		// Short ones and long ones.
		const length = Math.floor(last * next() ** 3);
		const from = Math.floor((last - length) * next());
		ranges.push([from, from + length]);
	}
	for (const range of ranges) {
		const figures = await capture.figures(range, { switches: true });
		compareAll(figures, range, cdict, path, t0);
		checkBins(figures, range ? range.join('-') : 'all');
	}
	console.log(`${ranges.length} ranges, ${rows} rows compared`);
	for (const d of differences.slice(0, 12)) console.log(d);
	if (differences.length) console.log(`${differences.length} differences`);
	return differences.length ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
