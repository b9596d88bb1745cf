#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 280
#
# 40 seconds (EVERY=1: a minute) of many switches with two flight recorders: their files end at the trigger, and their
# memory stays below the printed limit.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

minute=40
[ "${EVERY-}" != 1 ] || minute=60

holds() { awk "BEGIN { exit !($1) }"; }
whole() { "$CDICT" info -q --verify "$1" | grep -q '^state: whole' || echo "$1 is not whole"; }
length() { "$CDICT" info -q --max-loss 100 "$1" | sed -n 's/^window  *\([0-9.]*\) s$/\1/p'; }

# keep NAME OPTIONS... - a recorder in the background; sets pid
keep() {
	"$CDICT" record -e 'sched:*' -m 2M --queue 16M -o "$1.cdict" "${@:2}" 2>"$1.err" &
	pid=$!
	ready $pid
}

# The printed limit: "keeps ...; memory stays below N MiB", in KiB
bound() { sed -n 's/.*; memory stays below \([0-9]*\) MiB .*/\1/p' "$1.err" | awk '{ print $1 * 1024 }'; }
kib() { sed -n "s/^$1:[ \t]*\([0-9]*\) kB$/\1/p" "/proc/$2/status" 2>/dev/null; }

# Of the task napper: sleeps, and is kept from running for 150 ms and more at the end.
late_task() {
	cp "$(command -v sleep)" napper
	taskset -c 0 bash -c '
		for ((i = 0; i < 20; i++)); do ./napper 0.02; done
		./napper 0.2 &
		sleep 0.05
		chrt -f 40 bash -c "for ((i = 0; i < 800000; i++)); do :; done"
		wait'
}

# Ends with the test, also when that is killed: the storm has a group of its own.
storm() { # PID of the test
	while kill -0 "$1"; do
		perf bench sched messaging -g 4 -l 300
		perf bench sched pipe -l 50000
	done >/dev/null 2>&1
}

# Sets everything the verdicts below look at.
a_minute_of_storm() {
	local i by_time by_size load from
	keep by-time --keep 5s --trigger 'latency>150ms' --task '^napper$'
	by_time=$pid
	keep by-size --keep 1h,3M # a busy machine's storm fills it, too
	by_size=$pid
	sleep 1
	setsid bash -c "$(declare -f storm); storm $$" &
	load=$!
	from=$SECONDS
	for ((i = 0; SECONDS - from < minute; i++)); do
		sleep 1
		echo "$((SECONDS - from)) $(kib VmRSS $by_time) $(kib VmRSS $by_size)" >>rss
		# In the middle one file is written while it storms: held twice for that time.
		[ $i -ne $((minute / 2)) ] || kill -USR2 $by_size
	done
	late_task
	kill -USR2 $by_size
	sleep 2
	kill -KILL -- -$load
	wait $load 2>/dev/null
	kib VmHWM $by_time >by-time.hwm
	kib VmHWM $by_size >by-size.hwm
	ls /proc/$by_size/fd | wc -l >by-size.fds
	kill -TERM $by_time $by_size
	wait $by_time || echo "the recorder by time ends with $?"
	wait $by_size || echo "the recorder by size ends with $?"
	[ "$(wc -l <rss)" -ge $((minute * 3 / 4)) ] || echo "memory was looked at $(wc -l <rss) times only"
}

# memory NAME COLUMN - below the printed limit, and not higher at the end of the minute than in the middle
memory() {
	local limit peak middle last
	limit=$(bound "$1")
	peak=$(cat "$1.hwm")
	[ "${limit:-0}" -gt 0 ] || { echo "it does not say how much it may use:"; cat "$1.err"; return; }
	[ "${peak:-0}" -gt 5000 ] || { echo "its peak is unknown: '$peak'"; return; }
	[ "$peak" -lt "$limit" ] || echo "its peak was $peak KiB, its limit is $limit"
	middle=$(awk -v c="$2" -v m=$minute '$1 >= m / 4 && $1 < m * 7 / 12 && $c > max { max = $c } END { print max + 0 }' rss)
	last=$(awk -v c="$2" -v m=$minute '$1 >= m * 2 / 3 && $c > max { max = $c } END { print max + 0 }' rss)
	[ "$middle" -gt 5000 ] || echo "no memory was seen in the middle"
	[ "$last" -lt $((middle + middle / 4 + 8192)) ] || {
		echo "it grows: $middle KiB in the middle, $last at the end"
		awk -v c="$2" '{ printf "%s ", $c } END { print "" }' rss
	}
}

trigger_and_before() {
	local at first last tid
	whole by-time.cdict
	at=$(about record.trigger by-time.cdict | sed -n 's/^latency of napper .* was [0-9.]* ms at \([0-9.]*\) s$/\1/p')
	[ -n "$at" ] || { echo "it says: $(about record.trigger by-time.cdict)"; return; }
	tid=$(about record.trigger by-time.cdict | sed 's/.*napper (\([0-9]*\)).*/\1/')
	"$CDICT" script -q --max-loss 100 by-time.cdict >lines
	first=$(awk '{ printf "%.9f", $3; exit }' lines)
	last=$(tail -n 1 lines | awk '{ printf "%.9f", $3 }')
	holds "$at - $first >= 4.5" || echo "begins at $first, $at was the trigger: not 5 s before"
	holds "$at - $first <= 10" || echo "begins at $first, $at was the trigger: 5 s were asked for"
	holds "$last >= $at" || echo "ends at $last, before the trigger at $at"
	grep -q "sched_waking: comm=napper pid=$tid " lines || echo "the wake-up of $tid is not there"
	[ "$(wc -l <lines)" -gt 50000 ] || echo "only $(wc -l <lines) events: no storm"
	rm -f lines
}

size_holds() {
	local i bytes
	for i in by-size.cdict by-size.2.cdict by-size.3.cdict; do
		whole $i
		bytes=$(stat -c %s $i)
		[ "$bytes" -lt $((4 << 20)) ] || echo "$i has $bytes bytes, 3 MiB were asked for"
	done
	[ "$(stat -c %s by-size.2.cdict)" -gt $((3 << 19)) ] || echo "the second is small: it did not storm enough"
	grep -q 'by-size.2.cdict: has only the last [0-9.]* s of the requested 3600.0 s' by-size.err ||
		{ echo "it does not say that an hour was asked for"; cat by-size.err; }
	# Now the requested limit is the size.
	holds "$(length by-size.2.cdict) < $minute" || echo "holds $(length by-size.2.cdict) s in 3 MiB"
}

# a recorder under memcheck keeps up with no storm
[ "${INSTRUMENT-}" != valgrind ] || CDICT=$BUILD/cdict
may_record || exit 77
command -v chrt >/dev/null || { echo "chrt is not installed" >&2; exit 77; }
# run() gives each its own folder: these share the files of the minute.
verdict a-minute-of-storm-is-survived "$(a_minute_of_storm 2>&1)"
verdict memory-stays-below-the-printed-limit-kept-by-time "$(memory by-time 2 2>&1)"
verdict memory-stays-below-the-printed-limit-kept-by-size "$(memory by-size 3 2>&1)"
verdict the-file-holds-the-trigger-and-the-seconds-before "$(trigger_and_before 2>&1)"
verdict the-files-hold-the-events-that-fit-and-report-it "$(size_holds 2>&1)"
