#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 280
#
# The flight recorder: its file has the moment of the trigger and the events before it; its memory is bounded.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

# length FILE - seconds between its first and last event
length() { "$CDICT" info -q "$1" | sed -n 's/^window  *\([0-9.]*\) s$/\1/p'; }
holds() { awk "BEGIN { exit !($1) }"; }
whole() { "$CDICT" info -q --verify "$1" | grep -q '^state: whole' || echo "$1 is not whole"; }

# keep OPTIONS... - in the background; sets pid
keep() {
	"$CDICT" record -q -o x.cdict "$@" 2>rec.err &
	pid=$!
	ready $pid
	sleep 0.3
}

# A task switches all the time, so that every moment has events.
begin_load() {
	perf bench sched pipe -l 100000000 >/dev/null 2>&1 &
	load=$!
}
end_load() {
	kill $load
	wait $load 2>/dev/null
}

only_the_last_part() {
	local pid load
	begin_load
	keep --keep 1s -e sched:sched_switch --filter 'prev_comm != "sched-pipe" && next_comm != "sched-pipe"'
	sleep 4
	kill -INT $pid
	wait $pid || echo "record ends with $?"
	end_load
	whole x.cdict
	holds "$(length x.cdict) >= 0.8 && $(length x.cdict) <= 3.2" || echo "holds $(length x.cdict) s of 4.5, 1 was asked for"
	about record.trigger x.cdict | grep -q '^at the end: interrupted$' || about record.trigger x.cdict
}

usr2_writes_and_goes_on() {
	local pid i
	keep --keep 30s
	[ -z "$(ls x*.cdict 2>/dev/null)" ] || echo "something is written at once"
	for i in 1 2; do
		kill -USR2 $pid
		sleep 0.7
	done
	kill -TERM $pid
	wait $pid || echo "record ends with $?"
	for i in x.cdict x.2.cdict x.3.cdict; do
		whole $i
		[ "$(events $i)" -gt 0 ] || echo "$i has no event"
	done
	[ "$(about record.trigger x.2.cdict)" = SIGUSR2 ] || echo "x.2.cdict does not say why"
	# Tasks that ended earlier are named in the last one too.
	"$CDICT" info -v x.3.cdict | grep -q "threads of" || echo "no task is named"
	[ "$(ls -A | grep -c cdict)" = 3 ] || ls -A
}

# A file that cannot be written is reported, and the next one is still tried.
dump_that_fails() {
	local pid
	mkdir there
	"$CDICT" record --keep 30s -o there/x.cdict 2>rec.err &
	pid=$!
	ready $pid
	sleep 0.3
	rmdir there
	kill -USR2 $pid
	sleep 0.7
	mkdir there
	kill -TERM $pid
	wait $pid
	[ $? -eq 2 ] || echo "record does not end with 2"
	grep -q '^cdict record: there/x.cdict: cannot be written: No such file or directory$' rec.err || cat rec.err
	whole there/x.cdict
}

# The readers read the clock by setting their own name again: that is not a new name, whichever
# CPU it happens on.
names_are_not_repeated() {
	local n pid
	taskset -c 0 "$CDICT" record -q -j 2 --keep 10s --trigger 'latency>30s' -s 3 -o x.cdict 2>rec.err &
	pid=$! # taskset's becomes the recorder's; other tests run programs of its name
	wait $pid || cat rec.err
	n=$("$BUILD/tests/tools/check/dumpevents" -a x.cdict | grep -cE "^# comm [0-9]+ $pid/[0-9]+ \"cdict\"$")
	[ "$n" -ge 1 ] && [ "$n" -le 20 ] || echo "the recorder is named $n times"
}

# A task that is stopped for 150 ms and more by one with a real-time priority on the same CPU, after a
# second in which it ran on time. The other one ends by itself: nothing can end it.
late_task() {
	cat >late.sh <<-'END'
		# shellcheck shell=bash
		taskset -pc 0 $BASHPID >/dev/null
		for ((i = 0; i < 40; i++)); do ./napper 0.02; done
		./napper 0.2 &
		sleep 0.05
		chrt -f 40 bash -c 'for ((i = 0; i < 800000; i++)); do :; done'
		wait
	END
	cp "$(command -v sleep)" napper
	bash late.sh
}
latency_trigger() {
	local pid at first
	command -v chrt >/dev/null || { echo "no chrt"; return; }
	keep --keep 5s --trigger 'latency>150ms' --task '^napper$'
	late_task
	sleep 0.7
	kill -INT $pid
	wait $pid || echo "record ends with $?"
	whole x.cdict
	at=$(about record.trigger x.cdict | sed -n 's/^latency of napper .* was [0-9.]* ms at \([0-9.]*\) s$/\1/p')
	[ -n "$at" ] || { echo "it says: $(about record.trigger x.cdict)"; return; }
	"$CDICT" script -q x.cdict >lines
	first=$(awk '{ printf "%.9f", $3; exit }' lines)
	holds "$at - $first > 0.5" || echo "begins at $first, the trigger was at $at"
	holds "$(tail -n 1 lines | awk '{ printf "%.9f", $3 }') >= $at" || echo "ends before the trigger at $at"
	"$CDICT" latency -q --format csv x.cdict >table || echo "latency ends with $?"
}

# steal_of LIMIT - four loops on one CPU each get a quarter
steal_trigger() {
	local i
	for i in 1 2 3 4; do taskset -c 0 timeout 3 bash -c 'while :; do :; done' & done
	"$CDICT" record -q -s 2.8 --keep 3s --trigger 'steal>50%' --task '^bash$' -o x.cdict 2>rec.err || echo "record ends with $?"
	wait
	about record.trigger x.cdict | grep -q '^steal of bash ([0-9]*) was [5-9][0-9]\.[0-9] % in the second before ' ||
		about record.trigger x.cdict
	"$CDICT" record -q -s 1.5 --keep 3s --trigger 'steal>90%' --task '^no-such-task$' -o y.cdict
	[ "$(about record.trigger y.cdict)" = "at the end: the time is up" ] || about record.trigger y.cdict
}

# Kept bytes stay below the requested size, and memory below the printed limit; capture-storm.sh looks for
# longer.
memory_is_bounded() {
	local peak bytes limit
	"$CDICT" record -e 'sched:*' --keep 1h,4M -m 2M --queue 16M -o x.cdict -- \
		perf bench sched pipe -l 600000 >/dev/null 2>rec.err || { echo "record ends with $?"; cat rec.err; }
	peak=$(sed -n 's/.* times, \([0-9.]*\) MB of memory.*/\1/p' rec.err)
	limit=$(sed -n 's/.*; memory stays below \([0-9]*\) MiB .*/\1/p' rec.err)
	bytes=$(stat -c %s x.cdict)
	[ "$bytes" -gt 2000000 ] || echo "only $bytes bytes were held: nothing was tested"
	[ "$bytes" -lt $((4500 * 1024)) ] || echo "$bytes bytes were held"
	# The rings, the queue, twice the held data, a group, the program.
	[ "${limit:-0}" = $((2 * $(nproc) + 16 + 2 * 4 + 32 + 32 + 1)) ] || echo "it says ${limit:-no bound}"
	holds "${peak:-9999} < ${limit:-0} * 1.048" || echo "memory was $peak MB, bound ${limit:-?} MiB"
	whole x.cdict
}

wrong_usage() {
	local words
	for words in '--keep x' '--trigger latency>1ms' '--keep 1s --trigger late' '--keep 1s --task x'; do
		# shellcheck disable=SC2086
		"$CDICT" record $words -s 0.1 >/dev/null 2>rec.err
		[ $? -eq 129 ] || { echo "$words does not end with 129"; cat rec.err; }
	done
}

may_record || exit 77
run holds-only-the-last-part only_the_last_part
run sigusr2-writes-and-goes-on usr2_writes_and_goes_on
run a-file-that-cannot-be-written-is-reported dump_that_fails
run the-recorders-own-names-are-not-repeated names_are_not_repeated
run a-late-task-triggers-and-the-events-before-it-are-recorded latency_trigger
run steal-triggers steal_trigger
run memory-is-bounded-in-a-storm memory_is_bounded
run wrong-usage wrong_usage
