// SPDX-License-Identifier: GPL-2.0-only
// node same.mjs PAGE - the page compares two captures that are the same: no row differs.

import { readPage } from './page.mjs';

const page = await readPage(process.argv[2]);
const { compare } = page;
const wrong = [];

if (compare.normalised) wrong.push('windows of the same length are reported to differ');
for (const [name, { rows, figures, key }] of Object.entries(compare.tables)) {
	if (!rows.length) wrong.push(`${name}: no row`);
	for (const row of rows) {
		if (row.key.length !== key.length) wrong.push(`${name}: key ${row.key}`);
		if (row.nameless) { // of one of several VMs: each stands for itself
			if (row.values.filter(Boolean).length !== 1 || row.change !== 0) wrong.push(`${name} ${row.key} is compared, but has no name`);
			continue;
		}
		if (row.values.some((values) => !values || values.length !== figures.length)) wrong.push(`${name} ${row.key}: figures are missing`);
		if (JSON.stringify(row.values[0]) !== JSON.stringify(row.values[1]) || row.change !== 0) wrong.push(`${name} ${row.key} changed by ${row.change}`);
		if (JSON.stringify(row.tasks[0]) !== JSON.stringify(row.tasks[1])) wrong.push(`${name} ${row.key}: other tasks`);
	}
}
// the compared figures are those of the tables: the run time of every name
const byName = new Map();
const capture = page.captures[0];
const at = (key) => capture.tables.tasks.columns.indexOf(key);
for (const row of capture.tables.tasks.rows) {
	const task = capture.tasks[row[at('task')]];
	const name = task.tid ? task.name : 'IDLE';
	byName.set(name, (byName.get(name) ?? 0) + row[at('run_percent')]);
}
for (const row of compare.tables.tasks.rows.filter((r) => !r.nameless)) {
	const want = byName.get(row.key[0]);
	if (!(Math.abs(row.values[0][0] - want) < 1e-6 * Math.max(1, want))) wrong.push(`${row.key[0]}: ${row.values[0][0]} instead of ${want} %`);
}
console.log(wrong.length ? wrong.slice(0, 8).join('\n') : 'the same');
process.exit(wrong.length ? 1 : 0);
