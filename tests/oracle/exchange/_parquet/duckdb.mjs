// SPDX-License-Identifier: GPL-2.0-only
// duckdb.mjs SQL: prints the rows, values separated by commas.
import { DuckDBInstance } from '@duckdb/node-api';

const duck = await (await DuckDBInstance.create(':memory:')).connect();
const read = await duck.runAndReadAll(process.argv[2]);
for (const row of read.getRows()) console.log(row.join(','));
