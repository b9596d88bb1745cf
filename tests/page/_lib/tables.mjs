// SPDX-License-Identifier: GPL-2.0-only
// node tables.mjs PAGE CDICT [OPTION...] - every table in the page is that of the command.

import { TABLES, commandTables, loader, readPage, rowDiffers } from './page.mjs';

const [file, capture, ...options] = process.argv.slice(2);
const page = await readPage(file);
const expected = commandTables(capture, options);
const data = page.captures[0];
let rows = 0;

function fail(text) {
	console.log(text);
	process.exit(1);
}

for (const name of Object.keys(TABLES)) {
	const table = data.tables[name];
	const want = expected[name];
	if (!table) fail(`table ${name} is missing`);
	if (table.rows.length !== want.rows.length) fail(`${name}: the command has ${want.rows.length} rows, the page ${table.rows.length}`);
	table.rows.forEach((row, i) => {
		const differs = rowDiffers(want.rows[i], loader.commandRow(data, table, row));
		if (differs) fail(`${name}, row ${i}: ${differs}`);
		rows++;
	});
	if (want.total) {
		// "total without idle" and its like is not a task
		const { name: word, reason, vm, ...figures } = want.total;
		const got = loader.commandRow(data, table, table.total);
		const differs = rowDiffers(figures, Object.fromEntries(Object.entries(got).filter(([key]) => key in figures)));
		if (differs) fail(`${name}, total: ${differs}`);
	}
}
console.log(`${rows} rows`);
