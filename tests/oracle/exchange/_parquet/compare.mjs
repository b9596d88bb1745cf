// SPDX-License-Identifier: GPL-2.0-only
// compare.mjs CDICT CAPTURE[,CAPTURE] DIR: every table in DIR, as DuckDB and hyparquet read it, has the rows of `cdict query`.
// compare.mjs CDICT CAPTURE FILE SQL: so has the result FILE of that statement.
// Prints differences, and at the end how many tables and rows were compared.
import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

const [cdict, captures, path, statement] = process.argv.slice(2);
const duck = await (await DuckDBInstance.create(':memory:')).connect();

// The results of several statements.
function query(...statements) {
	const { status, stdout, stderr, error } = spawnSync(cdict, ['query', '-q', '--max-loss', '100', '--format', 'json', '--sql', '-', ...captures.split(',')],
		{ encoding: 'utf8', maxBuffer: 2 ** 31, input: statements.join(';') });
	if (status !== 0 && status !== 2) // 2: the trace has broken lines
		throw new Error(error ?? stderr);
	return JSON.parse(stdout).query;
}

// A value with its type, as text: s, b (hex), numbers. JSON's numbers lose digits, so SQL makes texts of them.
const typed = name => `CASE typeof("${name}") WHEN 'text' THEN 's' || "${name}" WHEN 'blob' THEN 'b' || lower(hex("${name}")) `
	+ `WHEN 'null' THEN 'NULL' WHEN 'real' THEN printf('r%.12g', "${name}") ELSE CAST("${name}" AS TEXT) END AS "${name}"`;
function real(v) {
	const [digits, exponent] = v.toPrecision(12).split('e');
	const short = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
	return 'r' + short + (exponent ? 'e' + exponent.replace(/^([+-])(\d)$/, '$10$2') : '');
}
function text(v) {
	if (v === null || v === undefined) return 'NULL';
	// control characters as cdict query prints them
	if (typeof v === 'string') return 's' + v.replace(/[\x00-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
	if (typeof v === 'number') return real(v);
	if (v.bytes || v instanceof Uint8Array) return 'b' + Buffer.from(v.bytes ?? v).toString('hex');
	return String(v);
}
const lines = (rows, names) => rows.map(row => names.map(n => text(row[n])).join('\t')).sort();

async function hyparquet(files) {
	let rows = [];
	for (const name of files) {
		const { buffer, byteOffset, length } = readFileSync(name);
		const file = buffer.slice(byteOffset, byteOffset + length);
		rows = rows.concat(await parquetReadObjects({ file, compressors, utf8: false }));
	}
	return rows;
}

function compare(what, reader, want, got) {
	const at = want.findIndex((line, i) => line !== got[i]);
	if (want.length !== got.length || at >= 0)
		console.log(`${what}: ${reader} reads ${got.length} rows, cdict query prints ${want.length}: ${got[at]}, not ${want[at]}`);
}

const documented = ['sched_slice', 'sched', 'thread_state', 'wakeup', 'kvm_exit', 'thread', 'process', 'thread_track',
	'loss', 'cpu', 'metadata', 'trace_bounds', 'ftrace_event', 'slice', 'guest_thread', 'guest_thread_state'];

let rows = 0;
// Compares tables: [name, source in SQL, files, names of columns].
async function compareAll(tables) {
	const results = query(...tables.map(([, source, , names]) => `SELECT ${names.map(typed)} FROM ${source}`));
	for (const [i, [what, , files, names]] of tables.entries()) {
		const want = results[i].rows.map(row => names.map(n => row[n]).join('\t')).sort();
		const list = files.map(f => `'${f.replaceAll("'", "''")}'`);
		// names as they are in the file, not in the folders' names
		const read = await duck.runAndReadAll(`SELECT * FROM read_parquet([${list}], hive_partitioning = false)`);
		compare(what, 'DuckDB', want, lines(read.getRowObjects(), names));
		compare(what, 'hyparquet', want, lines(await hyparquet(files), names));
		rows += want.length;
	}
	console.log(`compared ${tables.length} tables, ${rows} rows`);
}

const below = folder => readdirSync(folder).map(name => join(folder, name))
	.flatMap(name => statSync(name).isDirectory() ? below(name) : [name]);

if (statement) {
	await compareAll([[path, `(${statement})`, [path], query(`SELECT * FROM (${statement}) LIMIT 1`)[0].columns]]);
} else {
	const all = [...documented];
	for (const { name } of query("SELECT name FROM pragma_module_list WHERE name LIKE '%:%'")[0].rows) {
		const short = name.slice(name.indexOf(':') + 1);
		all.push(name);
		if (!documented.includes(short)) all.push(short);
	}
	const there = readdirSync(path);
	for (const name of all.filter(n => !there.includes(n))) console.log(`${name}: not exported`);
	for (const name of there.filter(n => !all.includes(n))) console.log(`${name}: no table of that name`);
	// another name of a table is a link to its folder
	const link = name => lstatSync(join(path, name)).isSymbolicLink();
	const known = all.filter(n => there.includes(n) && !link(n));
	for (const name of there.filter(link)) {
		const of = readlinkSync(join(path, name));
		if (!known.includes(of) || (name !== 'sched' && !name.endsWith(`:${of}`))) console.log(`${name}: a link to ${of}`);
	}
	const columns = query(...known.map(name => `SELECT name FROM pragma_table_info('${name}')`));
	await compareAll(known.map((name, i) => [name, `"${name}"`, below(join(path, name)), columns[i].rows.map(r => r.name)]));
}
