#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 600
# needs: jq python3 sqlite3
#
# cdict query: its tables equal the commands' output, for the whole capture and for windows; a query for a time range gives the same rows
# as the whole capture, and reads only its blocks; the queries in doc/query.md; several files; the extension in SQLite's shell.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
mkdir bin && ln -s "$CDICT" bin && PATH=$PWD/bin:$PATH

if ! "$CDICT" query "SELECT 1" "$DATA/kvm-small.data" >out 2>err && grep -q 'not installed' err; then
	skip cdict_query "SQLite is not installed"
	exit 0
fi
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-zstd.data" -o other.cdict || exit 1

# csv FILE SQL OPTIONS... - the rows
csv() { "$CDICT" query -q --max-loss 100 --format csv "${@:3}" "$2" "$1" | tr -d '\r' | tail -n +2; }

# ---- the page ----

awk '/^    cdict query/ { on = !/parquet/; n += on } /^[^ ]/ { on = 0 } on { print substr($0, 5) > ("q" n ".sh") }' "$TOP/doc/query.md"
verdict there_are_ten_questions "$([ "$(ls q*.sh | wc -l)" = 10 ] || ls q*.sh)"
for n in 1 2 3 4 5 6 7 8 9 10; do
	verdict "question_${n}_of_doc_query_md" "$(bash -e q$n.sh 2>&1 </dev/null | diff "$TOP/tests/oracle/figures/_query/$n.out" -)"
done

verdict queries_written_for_perfetto_run_as_they_are "$("$CDICT" query --sql "$TOP/tests/oracle/figures/_query/perfetto.sql" run.cdict 2>&1 |
	diff "$TOP/tests/oracle/figures/_query/perfetto.out" -)"

# ---- equal to the commands ----

# a wait of a task whose state before the wake-up is unknown is not part of its time off the CPU
since_unknown='(before IS NULL OR before < ts) AND ts > (SELECT min(ts) FROM thread_state)'
# tables NAME FILE OPTIONS...
tables() {
	local name=$1 file=$2
	shift 2
	verdict "${name}_run_time_is_that_of_tasks" "$(diff \
		<(csv "$file" "SELECT tid, sum(dur) FROM sched_slice JOIN thread USING (utid) WHERE utid GROUP BY utid HAVING sum(dur)" "$@" | sort) \
		<("$CDICT" tasks -q --max-loss 100 --json "$@" "$file" | jq -r '.tasks[] | select(.tid != 0 and .run_ns > 0) | "\(.tid),\(.run_ns)"' | sort))"
	verdict "${name}_running_states_are_that_too" "$(diff \
		<(csv "$file" "SELECT tid, sum(dur) FROM thread_state JOIN thread USING (utid) WHERE utid AND state = 'Running' GROUP BY utid HAVING sum(dur)" "$@" | sort) \
		<(csv "$file" "SELECT tid, sum(dur) FROM sched_slice JOIN thread USING (utid) WHERE utid GROUP BY utid HAVING sum(dur)" "$@" | sort))"
	# for a wait that the window cuts at its beginning, SQL does not say whether the time before it is known
	csv "$file" "SELECT tid FROM thread_state JOIN thread USING (utid) WHERE state = 'R' AND ts = (SELECT min(ts) FROM thread_state)" "$@" |
		sed 's/.*/^&,/' >cut.txt
	verdict "${name}_time_off_the_CPU_is_that_of_tasks" "$(diff \
		<(csv "$file" "SELECT tid, sum(dur) FROM (SELECT *, lag(ts + dur) OVER (PARTITION BY utid ORDER BY ts) AS before FROM thread_state)
			JOIN thread USING (utid) WHERE utid AND state != 'Running' AND NOT (state = 'R' AND $since_unknown) GROUP BY utid" "$@" |
			grep -v -f cut.txt | sort) \
		<("$CDICT" tasks -q --max-loss 100 --json "$@" "$file" |
			jq -r '.tasks[] | select(.tid != 0) | [.tid, .sleep_ns + .block_ns + .preempt_ns] | select(.[1] > 0) | "\(.[0]),\(.[1])"' |
			grep -v -f cut.txt | sort))"
	verdict "${name}_exits_are_those_of_exits" "$(diff \
		<(csv "$file" "SELECT tid, reason, count(*), coalesce(sum(dur), 0) FROM kvm_exit JOIN thread USING (utid) GROUP BY utid, reason" "$@" | tr -d '"' | sort) \
		<("$CDICT" exits -q --max-loss 100 --json "$@" "$file" | jq -r '.exits[] | "\(.tid),\(.reason),\(.count),\(.time_ns)"' | sort))"
	verdict "${name}_events_are_those_of_count" "$(diff \
		<(csv "$file" "SELECT system || ':' || name, count(*) FROM ftrace_event GROUP BY 1" "$@" | tr -d '"' | sort) \
		<("$CDICT" count -q --max-loss 100 --json "$@" "$file" | jq -r '.count[] | "\(.event),\(.events)"' | sort))"
	verdict "${name}_wake_ups_are_those_of_tasks" "$(diff \
		<(csv "$file" "SELECT tid, count(*) FROM wakeup JOIN thread USING (utid) WHERE utid AND kind != 'wakeup' GROUP BY utid" "$@" | sort) \
		<("$CDICT" tasks -q --max-loss 100 --json "$@" "$file" | jq -r '.tasks[] | select(.tid != 0 and .wakeups > 0) | "\(.tid),\(.wakeups)"' | sort))"
}
# the exits' time on the CPU, as a join of spans
cat >spans.sql <<-'SQL'
	CREATE VIEW exits AS SELECT ts, dur, utid, reason FROM kvm_exit WHERE dur IS NOT NULL;
	CREATE VIRTUAL TABLE exits_by_state USING SPAN_JOIN(exits PARTITIONED utid, thread_state PARTITIONED utid);
	SELECT tid, reason, sum(dur) FROM exits_by_state JOIN thread USING (utid) WHERE state = 'Running' GROUP BY utid, reason;
SQL
for file in run other; do
	verdict "${file}_exits_by_thread_states_are_cpu_ns_of_exits" "$(diff \
		<("$CDICT" query -q --format csv --sql spans.sql $file.cdict | tail -n +2 | tr -d '\r"' | sort) \
		<("$CDICT" exits -q --json $file.cdict | jq -r '.exits[] | select(.cpu_ns > 0) | "\(.tid),\(.reason),\(.cpu_ns)"' | sort))"
done
verdict windows_of_a_call_are_those_of_time "$(diff <(csv run.cdict 'SELECT cpu, sum(dur) FROM sched_slice GROUP BY cpu' --time 544.9,545.0) \
	<(csv run.cdict 'SELECT cpu, sum(dur) FROM sched_slice(544900000000, 545000000000) GROUP BY cpu'))"

tables whole run.cdict
tables window run.cdict --time 20%-70%
tables other other.cdict
tables other_window other.cdict --from 20 --cap 90

# ---- queries of a time ----

"$MKPERF" --formats "$DATA/formats" -o loss.data "$DATA/loss.trace" && "$CDICT" convert -q --max-loss 100 -i loss.data -o loss.cdict
"$MKPERF" --formats "$DATA/formats" -o reuse.data "$DATA/tid-reuse.trace" && "$CDICT" convert -q -i reuse.data -o reuse.cdict
"$BUILD/tests/tools/make/mkswitches" "$DATA/formats" storm.cdict 120000 2
files='run other loss reuse storm'
# one whose windows end long before it does
[ -z "$SHARED" ] || { "$CDICT" convert -q -i "$SHARED/captures/kvm/kvm-medium.data" -o medium.cdict && files+=' medium'; }
for file in $files; do
	verdict "${file}_rows_of_a_time_are_those_of_the_whole" "$(python3 "$TOP/tests/tools/check/querywindows.py" "$CDICT" $file.cdict 1 2>&1)"
done

mksw=$BUILD/tests/tools/make/mkswitches
"$mksw" "$DATA/formats" many.cdict 8000000 || exit 1
sql='SELECT count(*), sum(dur) FROM sched_slice WHERE ts BETWEEN 1001000000000 AND 1001010000000'
"$CDICT" query -v "$sql" many.cdict >many.out 2>many.err
read -r blocks all < <(sed -n 's/^cdict query: \([0-9]*\) of \([0-9]*\) event blocks read$/\1 \2/p' many.err)
echo "# of 8 million events in ${all:-?} blocks ${blocks:-?} were read" >&2
verdict a_window_of_8_million_events_reads_its_blocks_only "$(
	[ "${all:-0}" -ge 100 ] || echo "$all blocks"
	[ "${blocks:-99}" -le 24 ] || echo "$blocks of $all blocks were read"
	grep -Eq '^ *[0-9]{4}  *39[0-9]{6}$' many.out || cat many.out)"
# Beyond what any query of that file takes (starting, opening it), which grows most on a busy machine: the least of some tries.
cpu_of() {
	TIMEFORMAT='%U %S'
	{ time "$CDICT" query "$1" many.cdict >/dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}
least_of() { # TRIES SQL
	local i
	for ((i = 0; i < $1; i++)); do cpu_of "$2"; done | sort -n | head -n 1
}
quick() {
	local try start seconds
	for try in 1 2 3; do
		start=$(least_of 9 'SELECT 1') seconds=$(least_of 9 "$1")
		echo "# $seconds s of CPU, of which $start to start; the whole $all_seconds: $1" >&2
		awk -v s="$seconds" -v start="$start" -v all="$all_seconds" 'BEGIN { exit !((s - start) * 30 < all - start) }' && return
	done
	echo "$seconds s of CPU, of which $start to start, of $all_seconds for the whole"
}
case $BUILD in
*san-* | *coverage*) skip a_window_of_8_million_events_takes_a_thirtieth_of_the_whole "the sanitizers make it slower" ;;
*)
	all_seconds=$(least_of 1 'SELECT count(*), sum(dur) FROM sched_slice')
	verdict a_window_of_8_million_events_takes_a_thirtieth_of_the_whole "$(quick "$sql")"
	verdict so_does_a_window_of_a_tracepoint "$(quick 'SELECT count(*) FROM sched_waking WHERE ts > 1001000000000 AND ts < 1001010000000')"
	;;
esac
one=$("$CDICT" query -v 'SELECT count(*) FROM sched_slice WHERE cpu = 2' many.cdict 2>&1 | sed -n 's/^cdict query: \([0-9]*\) of [0-9]* event.*/\1/p')
verdict a_CPU_of_four_is_read_from_its_own_blocks "$([ "${one:-999}" -le $((all / 4 + 1)) ] || echo "$one of $all")"
verdict it_has_what_the_whole_has_of_it "$(diff <(csv many.cdict 'SELECT count(*), sum(dur), min(ts), max(ts) FROM sched_slice WHERE cpu = 2') \
	<(csv many.cdict 'SELECT count(*), sum(dur), min(ts), max(ts) FROM sched_slice WHERE +cpu = 2'))"
verdict limit_reads_no_more_than_it_needs "$(
	n=$("$CDICT" query -v 'SELECT * FROM sched_slice LIMIT 3' many.cdict 2>&1 | sed -n 's/^cdict query: \([0-9]*\) of [0-9]* event.*/\1/p')
	[ "${n:-999}" -le 20 ] || echo "$n blocks")"
rm -f many.cdict

# ---- several files ----

csv2() { "$CDICT" query -q --format csv "$1" run.cdict other.cdict | tr -d '\r' | tail -n +2; }

verdict several_files_are_distinguished_by_run "$(diff <(csv2 'SELECT run, count(*), sum(dur) FROM sched_slice GROUP BY run' | tr -d '"') \
	<(for f in other run; do echo "$f.cdict,$(csv $f.cdict 'SELECT count(*), sum(dur) FROM sched_slice')"; done))"
verdict utids_do_not_mix_them "$(diff <(csv2 'SELECT t.run, sum(dur) FROM sched_slice s JOIN thread t USING (utid) WHERE utid GROUP BY t.run ORDER BY 2' | tr -d '"') \
	<(for f in other run; do echo "$f.cdict,$(csv $f.cdict 'SELECT sum(dur) FROM sched_slice WHERE utid != 0')"; done | sort -t, -k2n))"
verdict a_file_that_is_not_asked_for_is_not_read "$("$CDICT" query -v "SELECT count(*) FROM sched_slice WHERE run = 'none'" run.cdict other.cdict 2>&1 | grep -q 'query: 0 of [0-9]* event blocks' || echo "blocks were read")"

# ---- the extension ----

so=$BUILD/cdict_sqlite.so
shell() { sqlite3 -batch -init /dev/null :memory: ".load $so" "$@" 2>&1; }
case $BUILD in
*san-*) skip the_extension_in_the_sqlite3_shell "the sanitizers are not in the shell" ;;
*)
	verdict the_extension_has_the_same_tables "$(diff \
		<(shell "SELECT cdict_open('run.cdict') > 0" '.mode csv' 'SELECT tid, end_state, count(*), sum(dur) FROM sched_slice JOIN thread USING (utid) GROUP BY 1, 2' |
			tail -n +2 | tr -d '\r"') \
		<(csv run.cdict 'SELECT tid, end_state, count(*), sum(dur) FROM sched_slice JOIN thread USING (utid) GROUP BY 1, 2' | tr -d '"'))"
	verdict its_tables_cannot_be_written "$(shell "SELECT cdict_open('run.cdict')" 'INSERT INTO thread (utid) VALUES (1)' | grep -q 'may not be modified' || echo "not reported")"
	verdict it_takes_several_files "$(shell "SELECT cdict_open('run.cdict') + cdict_open('other.cdict')" 'SELECT count(DISTINCT run) FROM kvm_entry' | sed -n 2p | grep -qx 2 || echo "not two")"
	verdict a_file_that_is_not_a_capture_is_reported "$(shell "SELECT cdict_open('q1.sh')" | grep -q 'q1.sh: ' || echo "not reported")"
	verdict it_exports_its_entry_only "$(nm -D --defined-only "$so" | awk '{ print $3 }' | grep -vx sqlite3_cdictsqlite_init)"
	verdict nothing_is_linked_with_sqlite "$(readelf -d "$so" "$CDICT" | grep -i 'NEEDED.*sqlite')"
	;;
esac

# ---- progress ----

if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	script -qec "$CDICT query --no-pager 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 15000000) SELECT count(*) FROM n' run.cdict" \
		/dev/null >tty.out </dev/null
	verdict a_long_query_shows_its_progress "$(tr '\r' '\n' <tty.out | grep -q '^reading  *[0-9]* %' || cat -A tty.out
		tr '\r' '\n' <tty.out | grep -q '^ *15000000' || echo "no result")"
else
	skip a_long_query_shows_its_progress "no pseudo-terminal"
fi

# ---- forbidden statements, and hostile ones -----

# refused NAME SQL TEXT
refused() {
	"$CDICT" query "$2" run.cdict >out 2>err
	verdict "$1" "$([ $? = 1 ] || echo "not status 1"
		[ "$(wc -l <err)" = 1 ] && grep -q "$3" err || cat err)"
}
refused no_file_is_attached "ATTACH 'x.db' AS x" 'not authorized'
refused no_library_is_loaded "SELECT load_extension('x')" 'not authorized'
refused no_other_capture_is_opened "SELECT cdict_open('other.cdict')" 'not authorized'
refused no_file_is_vacuumed_into "VACUUM INTO 'x.db'" '.'
refused a_table_of_the_file_is_not_written "DELETE FROM thread" 'may not be modified'
refused a_wrong_statement_is_reported "SELEC 1" 'near "SELEC": syntax error'
refused an_invalid_set_is_reported "SELECT interval_dur(x'00')" 'not a set of intervals'
refused a_value_of_a_gigabyte_is_reported "SELECT length(zeroblob(1 << 30))" 'too big'
verdict no_file_was_left "$(ls x.db* 2>/dev/null)"
refused a_statement_that_takes_all_memory_is_reported "CREATE TABLE t AS WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n LIMIT 20000) SELECT randomblob(200000) FROM n" 'out of memory'
