#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 500
# shares: 1
#
# 1,700 tasks, a third of which live for a millisecond: the recorder has the names of all, and
# leaves nothing in the kernel, on the disk or in the command that it runs.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

# More than a process may have files, of which each start takes 20 ms in CI. EVERY=1: 3000.
many=1200  # live while it begins
short=500  # come and go
[ "${EVERY-}" != 1 ] || many=3000 short=3000

traces_of_us() {
	local f=/sys/kernel/tracing
	tail -n +1 $f/{tracing_on,set_event,current_tracer,trace_clock,buffer_size_kb,tracing_cpumask,trace_options} 2>/dev/null
	find $f/events \( -name enable -o -name filter \) -exec cat {} + 2>/dev/null | sort | uniq -c
	ls $f/instances
	tail -n +1 /proc/sys/kernel/perf_event_{paranoid,mlock_kb,max_sample_rate}
}
fds() { ls "/proc/$1/fd" | wc -l; }

# Each short task has a name of its own: a link to the same program.
make_tasks() {
	local i
	mkdir -p short
	cp "$(type -P true)" short/t0
	for ((i = 1; i < short; i++)); do echo "short/t0 short/t$i"; done | xargs -n 2 ln
	cp "$(type -P sleep)" sleeper
}
storm() {
	local i
	for ((i = 0; i < short; i++)); do
		"short/t$i" &
		[ $((i % 100)) -ne 99 ] || wait
	done
	wait
}

forks() {
	local pid sleepers=() i before after
	make_tasks
	traces_of_us >before
	for ((i = 0; i < many; i++)); do ./sleeper 100 & sleepers+=($!); done
	{
		echo tid,libvirt-instance,role,uuid,group-type,group-id,task-name
		for i in 0 1 $((many - 1)); do echo "${sleepers[$i]},,vcpu0,,chain,7,Napper$i"; done
	} >map.csv
	"$CDICT" record --map map.csv -o x.cdict 2>rec.err &
	pid=$!
	ready $pid
	sleep 0.3
	before=$(fds $pid)
	# A shell of its own: its children are not ours to wait for.
	(storm)
	after=$(fds $pid)
	[ "$before" = "$after" ] || echo "from $before descriptors to $after"
	kill -INT $pid
	wait $pid || { echo "record ends with $?"; cat rec.err; }
	kill "${sleepers[@]}"
	wait "${sleepers[@]}" 2>/dev/null
	traces_of_us >after
	diff before after | head -n 5

	"$CDICT" info -q --verify x.cdict >info || echo "info ends with $?"
	grep -q '^state: whole' info || tail -n 1 info
	[ "$(field lost x.cdict)" = 0 ] || echo "$(field lost x.cdict) are lost"
	"$CDICT" tasks -q --format csv x.cdict >tasks.csv || echo "tasks ends with $?"
	# Nothing is lost: each was switched out at last under its own comm, and has a row under it.
	for ((i = 0; i < short; i++)); do echo "t$i"; done | sort >want
	"$CDICT" script -q x.cdict | sed -n 's/.*sched_switch: prev_comm=\(t[0-9]*\) .*/\1/p' | sort -u >ran
	comm -23 want ran | head -n 3 | sed 's/^/was not seen running: /'
	tr , '\n' <tasks.csv | tr -d '"' | sort -u >words
	comm -23 want words | head -n 3 | sed 's/^/without a row: /'
	"$BUILD/tests/tools/check/dumpevents" -a x.cdict | sed -n 's/^# \(comm\|exec\) [0-9]* [0-9/]* //p' | tr -d '"' | sort | uniq -c >named
	awk '{ print $2 }' named | sort -u | comm -23 want - | head -n 3 | sed 's/^/without a name: /'
	[ "$(awk '$2 == "sleeper" { print $1 }' named)" -ge $many ] || grep sleeper named
	[ "$(sed -n 's/^tasks  *\([0-9,]*\) threads.*/\1/p' info | tr -d ,)" -ge $((many + short)) ] || grep '^tasks' info
	"$CDICT" info -q --labels x.cdict >labels
	for i in 0 1 $((many - 1)); do
		grep -q "^ *${sleepers[$i]} .*Napper$i" labels || { echo "${sleepers[$i]} has no label"; head -n 5 labels; }
	done
	ls -A | grep -v -x 'x.cdict\|before\|after\|rec.err\|map.csv\|short\|sleeper\|info\|tasks.csv\|want\|ran\|words\|named\|labels'
}

# The command does not inherit our descriptors.
descriptors_stay_ours() {
	local end
	"$CDICT" record -q --keep-perf-data x.data -o x.cdict -- ls /proc/self/fd >mine 2>rec.err || { echo "record ends with $?"; cat rec.err; }
	ls /proc/self/fd >others
	diff others mine
	# However it ends: nothing of it runs any more.
	for end in INT TERM HUP; do
		start_recording
		kill -$end $pid
		wait $pid || echo "after SIG$end record ends with $?"
		[ -z "$(ls -A | grep 'tmp$')" ] || ls -A
	done
}

# open_at_exit STATUS WORDS... - how many descriptors cdict leaves to the kernel to close
open_at_exit() {
	timeout 400 valgrind -q --track-fds=yes --leak-check=no --log-file=fds.log "$CDICT" "${@:2}" >/dev/null 2>err
	got=$?
	[ $got -eq "$1" ] || echo "cdict ${*:2} ends with $got, not $1: $(tail -n 1 err)" >&2
	sed -n 's/.* FILE DESCRIPTORS: \([0-9]*\) open.*/\1/p' fds.log | head -n 1
}
descriptors_are_closed() {
	local none words got n=0 # events are lost under valgrind
	none=$(open_at_exit 0 record --help) # those that we were given
	[ "${none:-0}" -gt 0 ] || { echo "valgrind prints no number"; return; }
	while read -r words; do
		in_sample $((n += 1)) 2 || continue
		# shellcheck disable=SC2086
		got=$(open_at_exit ${words%% *} record -q ${words#* })
		[ "$got" = "$none" ] || echo "$words: $got descriptors are open at its end, not $none"
	done <<-'END'
		0 --max-loss 100 -s 0.3 -o x.cdict
		0 --max-loss 100 -s 0.3 --keep 1s --trigger latency>10s -o x.cdict
		0 --max-loss 100 -j 2 -o x.cdict -- true
		1 -o x.cdict --keep-perf-data x.data -- false
		1 -o x.cdict -- no-such-command
		1 -s 0.1 -e no:such -o x.cdict
		129 -s 0.1 -e sched:sched_switch --filter nosuch -o x.cdict
		1 -s 0.1 -o no/x.cdict
		1 -s 0.1 -o /dev/full
	END
}

may_record || exit 77
run a-storm-of-forks-among-thousands-is-recorded-by-name forks
run descriptors-stay-the-recorders descriptors_stay_ours
if ! command -v valgrind >/dev/null || [ -n "${INSTRUMENT-}" ]; then
	skip descriptors-are-closed-however-it-ends "valgrind is not installed, or not for this build"
else
	run descriptors-are-closed-however-it-ends descriptors_are_closed
fi
