#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cdict export --to parquet and cdict query --format parquet, as DuckDB and hyparquet read them: the rows of cdict query.
# The readers are npm packages, installed once below $BUILD.
# needs: node npm
# timeout: 600
set -u
. "$TOP/tests/oracle/_lib.sh"

readers=$BUILD/parquet-readers
install_readers() {
	local new
	[ ! -d "$readers/node_modules" ] || cmp -s "$TOP/tests/oracle/exchange/_parquet/package-lock.json" "$readers/package-lock.json" || rm -rf "$readers"
	[ -d "$readers/node_modules" ] && return
	new=$(mktemp -d "$BUILD/.readers.XXXXXX")
	cp "$TOP"/tests/oracle/exchange/_parquet/package*.json "$new"
	if (cd "$new" && timeout 180 npm ci --no-audit --no-fund --ignore-scripts) >npm.out 2>&1; then
		mv -T "$new" "$readers" 2>/dev/null || rm -rf "$new" # another one was faster
	else
		rm -rf "$new"
	fi
	[ -d "$readers/node_modules" ]
}

names='
duckdb_and_hyparquet_read_the_rows_of_every_table
windows_io_traces_and_foreign_names_are_read_too
more_than_a_row_group_is_read_and_skipped_by_time
results_of_statements_keep_their_values
'
if ! install_readers || ! (cd "$readers" && node -e 'require("@duckdb/node-api")') >npm.out 2>&1; then
	for name in $names; do skip "$name" "npm cannot install the readers: $(tail -n 1 npm.out | cut -c1-100)"; done
	exit 0
fi
cp "$TOP/tests/oracle/exchange/_parquet/"*.mjs "$readers/" 2>/dev/null
duckdb() { node "$readers/duckdb.mjs" "$@" 2>&1; }
compare() { node "$readers/compare.mjs" "$CDICT" "$@" 2>&1; }

# exported CAPTURE [OPTIONS FOR export] - the faults
exported() {
	local capture=$1 status
	shift
	rm -rf out
	"$CDICT" export -q --max-loss 100 --to parquet -o out "$@" "$capture" >export.out 2>&1
	status=$?
	# 2: the trace has broken lines
	[ $status -eq 0 ] || [ $status -eq 2 ] || { echo "$capture: export ends with $status:"; cat export.out; return; }
	compare "$capture" out >compare.out
	grep -qx 'compared [1-9][0-9]* tables, [1-9][0-9]* rows' compare.out || { echo "$capture: nothing compared"; cat compare.out; return; }
	sed "s|^|$(basename "$capture"): |" compare.out | grep -v ': compared '
}

every_table() {
	local capture
	for capture in kvm-small kvm-zstd kvm-pipe kvm-callchain; do
		"$CDICT" convert -q -i "$DATA/$capture.data" -o "$capture.cdict" || echo "$capture: convert ends with $?"
		exported "$capture.cdict"
	done
}
verdict duckdb_and_hyparquet_read_the_rows_of_every_table "$(every_table)"

# A blob, no CPU, an invalid comm, a path with special characters, a guest beside its host.
others() {
	"$MKPERF" -o generic.data "$DATA/generic.trace" && "$CDICT" convert -q -i generic.data -o 'a b%c=d:é.cdict'
	exported 'a b%c=d:é.cdict'
	"$CDICT" convert -q "$DATA/job.pfw" -o job.cdict
	exported job.cdict
	"$CDICT" join -q "$DATA/guest-pair/host.cdict" "=$DATA/guest-pair/instance-0000001b.cdict" -o both.cdict
	exported both.cdict
	rm -rf out
	"$CDICT" export -q --to parquet -o out --time 20%-60% kvm-small.cdict
	"$CDICT" query -q --format csv --time 20%-60% 'SELECT count(*), sum(dur), min(ts), max(ts) FROM thread_state' kvm-small.cdict |
		tail -n 1 | tr -d '\r' >want
	duckdb "SELECT count(*), sum(dur), min(ts), max(ts) FROM 'out/thread_state/*/*.parquet'" >got
	cmp want got || cat want got
	rm -rf out
	"$CDICT" export -q --to parquet -o out kvm-pipe.cdict kvm-small.cdict || echo "two captures: export ends with $?"
	compare kvm-pipe.cdict,kvm-small.cdict out | grep -v '^compared [1-9][0-9]* tables, [1-9][0-9]* rows$'
}
verdict windows_io_traces_and_foreign_names_are_read_too "$(others)"

# 300,000 switches: three row groups, of which no two overlap in time; a filter on the folder's name and on ts.
groups() {
	"$BUILD/tests/tools/make/mkswitches" "$DATA/formats" many.cdict 600000 || return
	rm -rf out
	"$CDICT" export -q --to parquet -o out many.cdict || echo "export ends with $?"
	"$CDICT" query -q --format csv 'SELECT count(*), sum(dur), max(ts), sum(utid * (ts % 1000)) FROM thread_state UNION ALL
		SELECT count(*), sum(dur), max(ts), sum(utid * (ts % 1000)) FROM sched_slice' many.cdict | tail -n 2 | tr -d '\r' >want
	duckdb "SELECT count(*), sum(dur), max(ts), sum(utid * (ts % 1000)) FROM 'out/thread_state/*/*.parquet' UNION ALL
		SELECT count(*), sum(dur), max(ts), sum(utid * (ts % 1000)) FROM read_parquet('out/sched_slice/*/*.parquet', hive_partitioning = true) WHERE run = 'many.cdict'" >got
	cmp want got || cat want got
	duckdb "SELECT count(*) > 2, sum((a.stats_min_value::BIGINT < b.stats_max_value::BIGINT AND b.stats_min_value::BIGINT < a.stats_max_value::BIGINT AND a.row_group_id < b.row_group_id)::INT)
		FROM parquet_metadata('out/sched_switch/run=many.cdict/part-0.parquet') a, parquet_metadata('out/sched_switch/run=many.cdict/part-0.parquet') b
		WHERE a.path_in_schema = 'ts' AND b.path_in_schema = 'ts'" >got
	grep -qx 'true,0' got || { echo "row groups overlap:"; cat got; }
}
verdict more_than_a_row_group_is_read_and_skipped_by_time "$(groups)"

statement() {
	"$CDICT" query -q --format parquet -o one.parquet "$1" kvm-small.cdict || { echo "$1: ends with $?"; return; }
	compare kvm-small.cdict one.parquet "$1" | grep -v '^compared 1 tables, [0-9]* rows$'
}
# of 250,000 rows
many='WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 250000)'
results() {
	statement 'SELECT utid, avg(dur) AS mean, max(end_state) AS state, NULL AS no_value, x'"'00ff'"' AS bytes FROM sched_slice GROUP BY 1'
	statement 'SELECT * FROM thread WHERE 0'
	statement 'SELECT 1 AS one'
	statement "$many SELECT i, nullif(i % 3, 0) AS some, i * 0.5 AS half, 'name ' || i AS name, i % 7 || 'x' AS few,
		(i * 7919) << (i % 50) AS wide, iif(i % 2, -9223372036854775807 - 1, 9223372036854775807) AS ends FROM c"
	statement "SELECT printf('%.*c', 70000, 'x') || utid AS long FROM thread"
	"$CDICT" query -q --format parquet -o bad.parquet "$many SELECT iif(i < 200000, i, 'text') AS x FROM c" kvm-small.cdict 2>err
	[ $? -eq 1 ] || echo "a column that changes its type: status $?"
	grep -q 'column x is INTEGER in its first rows, and has a text in row 200000' err || cat err
	[ ! -e bad.parquet ] || echo "bad.parquet was written"
}
verdict results_of_statements_keep_their_values "$(results)"
