#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# needs: perl taskset
# timeout: 300
# takes: 5
#
# cdict diff as a gate on recordings of this machine: a hog on the workload's CPU is found, named, and ends with
# status 3; equal runs pass.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

may_record || exit 77
cpu=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
ln -s "$(command -v perl)" worker && ln -s "$(command -v perl)" daemon || exit 1

# Twenty rounds of work and a nap; a daemon that mostly sleeps. What else runs here takes from both, so the gate allows
# much: the hog that the daemon becomes goes before the worker, and leaves it a thirtieth of their CPU.
work='for (1 .. 20) { my $x = 0; $x += $_ for 1 .. 60000; select undef, undef, undef, 0.0002 }'
daemon() { # NICE, WHAT
	taskset -c "$cpu" nice -n "$1" ./daemon -e "$2" &
	daemon=$!
}
stop() {
	kill "$daemon"
	wait "$daemon" 2>/dev/null
}
gate=(--fail-if 'cpu[name=^daemon$] > +5 points' --fail-if 'cpu[name=^worker$] < -85 %')

record_run() { # NAME
	"$CDICT" record -q -m 4M -e 'sched:*' -o "$1.cdict" -- taskset -c "$cpu" ./worker -e "$work" >record.out 2>&1 ||
		{ echo "cdict record ends with $?: $(tail -n 2 record.out)"; }
}

expect() { # STATUS ARGUMENT...
	local want=$1 status
	shift
	"$CDICT" diff -q --max-loss 100 "$@" >out 2>err
	status=$?
	[ $status = "$want" ] || echo "status $status, not $want: cdict diff $*: $(head -n 3 err; grep -A 6 'Worse than' out)"
}
daemon 0 'select undef, undef, undef, 0.002 while 1'
wrong=
# A daemon that did not run is a machine whose CPU others had, and no pair of equal runs: recorded again.
for i in 1 2 3 4 5 6 7 8 9 10; do
	for try in 1 2 3; do
		pair=$(record_run "a$i"; record_run "b$i"; expect 0 "${gate[@]}" "a$i.cdict" "b$i.cdict")
		[[ $pair == *'cannot judge'* ]] || break
		echo "# pair $i, recording $try: $pair" >&2
	done
	wrong+=$pair
done
wrong+=$(expect 0 "${gate[@]}" a[1-5].cdict -- b[1-5].cdict)
verdict ten_pairs_of_equal_recordings_do_not_fail "$wrong"

stop

daemon -15 '1 while 1'
wrong=
for i in 1 2 3 4 5; do
	wrong+=$(record_run "hog$i")
done
stop
# Who has the CPU is named; how much the worker had before depends on what else runs here: oracle/diff holds that.
named() {
	grep -q '^cpu\[name=^daemon\$\] > +5 points  *daemon  .*'"${1-}" out || echo "not named: $(head -n 30 out)"
}
wrong+=$(expect 3 "${gate[@]}" a1.cdict hog1.cdict; named)
wrong+=$(expect 3 "${gate[@]}" a[1-5].cdict -- hog*.cdict; named ' 0.008  5+5$')
verdict a_hog_on_the_workloads_cpu_is_found_and_named "$wrong"
