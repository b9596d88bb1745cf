#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 400
# shares: 1
#
# Fresh recordings of this machine's kernel, in every mode of perf record: `cdict convert` and
# `cdict script` print the same as `perf script`, or report an error.
set -u
. "$TOP/tests/oracle/_lib.sh"

messaging() { perf bench sched messaging -g 2 -l 50 >/dev/null; }
pipes() { perf bench sched pipe -l 3000 >/dev/null; }
# Both loads as one command, for perf to start.
load="perf bench sched messaging -g 2 -l 50; perf bench sched pipe -l 3000; cat /proc/self/stat"

# record OUT OPTIONS... - under both loads; prints faults
record() {
	local out=$1
	shift
	perf record -q "$@" -o "$out" -- sh -c "$load" >record.out 2>record.err ||
		{ echo "perf record $* ends with $?:"; tail -n 3 record.err; }
}

# recorded OPTIONS... - perf reads its own recording, and cdict prints the same
recorded() {
	rm -rf x.data
	record x.data "$@"
	convert_and_compare x.data --max-loss 100
}
sched() { recorded -m 4M -e 'sched:*' -a "$@"; }

# The recording has the events that the case is about; else the case tests nothing.
must_have() { # RECORD TYPE, FILE
	perf script -D -i "$2" 2>/dev/null | grep -aq "$1" || echo "the recording has no $1"
}

# ---- the shapes ---------------------------------------------------------------------------------

# perf reads the files of a directory in readdir's order, which decides between equal times.
threads() {
	local by_cpu=1
	sched "$@"
}

clock() {
	sched -k CLOCK_MONOTONIC
	"$CDICT" info --max-loss 100 x.cdict | grep -q '^clock  *monotonic' || echo "info does not name the clock"
}

threads_of_one_command() {
	local events
	rm -f x.data
	perf record -q -m 1M -e 'sched:*' -o x.data -- perf bench sched messaging -t -g 2 -l 50 \
		>record.out 2>record.err || cat record.err
	convert_and_compare x.data --max-loss 100
	events=$("$CDICT" script --max-loss 100 x.cdict | wc -l)
	[ "$events" -gt 1000 ] || echo "only $events events"
}

running_process() {
	local pid
	perf bench sched pipe -T -l 10000000 >/dev/null 2>&1 &
	pid=$!
	sleep 0.2
	rm -f x.data
	perf record -q -m 1M -e 'sched:*' -p $pid -o x.data -- sleep 0.3 2>record.err || cat record.err
	kill $pid
	wait $pid 2>/dev/null
	convert_and_compare x.data --max-loss 100
}

sched_record() {
	rm -f x.data
	perf sched record -m 4M -o x.data -- sh -c "$load" >record.out 2>record.err || cat record.err
	convert_and_compare x.data --max-loss 100
}

kvm_record() {
	rm -f x.data
	perf kvm --host record -m 4M -e 'sched:*' -a -o x.data -- sh -c "$load" >record.out 2>record.err ||
		cat record.err
	convert_and_compare x.data --max-loss 100
}

with_hardware_events() {
	recorded -m 1M -e sched:sched_switch -e cpu-clock -e page-faults -e sched:sched_waking -a
}

# ---- loss ---------------------------------------------------------------------------------------

# sum OF, in the lines "PERF_RECORD_LOST: id:5:lost:7", "PERF_RECORD_LOST_SAMPLES: id:5: lost samples :7"
sum() {
	grep -a "PERF_RECORD_$1: " dump | sed 's/.*:\([0-9]*\)$/\1/' | awk '{ n += $1 } END { print n + 0 }'
}

# LOST counts the losses of a ring until then, LOST_SAMPLES all losses of an event: the same losses.
loss() {
	local ring events most ours
	rm -f x.data
	perf record -q -m 4K -e 'sched:*' -a -o x.data -- perf bench sched messaging -g 4 -l 300 \
		>record.out 2>record.err || cat record.err
	perf script -D -i x.data 2>/dev/null >dump
	ring=$(sum LOST) events=$(sum LOST_SAMPLES)
	most=$((ring > events ? ring : events))
	[ $most -gt 0 ] || { echo "nothing was lost"; return; }
	convert_and_compare x.data --max-loss 100
	"$CDICT" convert -i x.data -o y.cdict 2>convert.err
	ours=$(sed -n 's/^\[ cdict convert: .* \([0-9,]*\) lost \]$/\1/p' convert.err | tr -d ,)
	if [ "$ours" -lt $most ] || [ "$ours" -gt $((most + most / 10 + 50)) ]; then
		echo "cdict says $ours are lost, perf's records $ring and $events"
	fi
	"$CDICT" info --max-loss 100 --format json y.cdict | grep -q "\"lost\": *$ours\b" ||
		echo "info does not say that $ours are lost"
}

lossy_is_status_2() {
	[ -e y.cdict ] || { echo "no recording"; return; }
	"$CDICT" convert -q --max-loss 0 -i x.data -o z.cdict
	[ $? -eq 2 ] || echo "convert --max-loss 0 does not end with 2"
	"$CDICT" script --max-loss 0 z.cdict >/dev/null 2>&1
	[ $? -eq 2 ] || echo "script --max-loss 0 does not end with 2"
}

# ---- other events -------------------------------------------------------------------------------

switch_records_only() {
	rm -f x.data x.cdict
	record x.data --switch-events -e dummy -a
	must_have PERF_RECORD_SWITCH_CPU_WIDE x.data
	"$CDICT" convert -i x.data -o x.cdict 2>convert.err
	[ $? -eq 2 ] || echo "convert does not end with 2"
	grep -q "has no events of the requested kind: .*SWITCH_CPU_WIDE.*record with: " convert.err ||
		cat convert.err
}

# Arrays, strings of any length, pointers to user space: but no kernel symbols, which perf takes from
# the running kernel and which are not in the recording.
other_tracepoints() {
	local groups='syscalls:sys_enter_write,syscalls:sys_exit_write,syscalls:sys_enter_openat'
	groups+=,syscalls:sys_enter_execve,syscalls:sys_enter_clone,syscalls:sys_exit_clone
	local compared='[^:]*:.*'
	rm -f x.data
	record x.data -m 8M -a -e "$groups" -e 'sched:*,irq:*,task:*,signal:*,block:*,power:*,net:*'
	convert_and_compare x.data -e '*:*' --max-loss 100
	for needed in 'sched:sched_process_exec: filename=' 'syscalls:sys_enter_openat: '; do
		grep -q "$needed" perf.lines || echo "the recording has no $needed"
	done
}

# A %s whose pointer stands in the recording's own printk_formats.
printk_strings() {
	local compared='[^:]*:.*'
	rm -f x.data
	record x.data -m 1M -a -e 'rcu:rcu_utilization' -e sched:sched_switch
	convert_and_compare x.data -e '*:*' --max-loss 100
}

# ---- pipes and kills ----------------------------------------------------------------------------

# live OPTIONS... - cdict reads while perf writes
live() {
	local status
	rm -f x.cdict
	record - "$@" >/dev/null 2>&1 </dev/null # warm up: perf's first start is slow
	perf record -q -m 4M -e 'sched:*' -a "$@" -o - -- sh -c "$load" 2>record.err </dev/null |
		tee x.data | "$CDICT" convert --max-loss 100 -i - -o x.cdict 2>convert.err
	status=("${PIPESTATUS[@]}")
	[ "${status[0]}" -eq 0 ] || { echo "perf record ends with ${status[0]}"; cat record.err; }
	[ "${status[2]}" -eq 0 ] || { echo "convert ends with ${status[2]}"; cat convert.err; }
	perf_lines x.data >perf.lines
	cdict_lines x.cdict >cdict.lines
	[ -s perf.lines ] || echo "perf prints nothing"
	differ perf.lines cdict.lines
}

# killed COMMAND... - records into x.data until kill -9, which comes when something is in it
killed() {
	local pid i
	rm -f x.data
	"$@" 2>record.err &
	pid=$!
	for ((i = 0; i < 40; i++)); do
		messaging
		pipes
		[ "$(stat -c %s x.data 2>/dev/null || echo 0)" -lt 1000000 ] || break
	done
	kill -KILL $pid
	wait $pid 2>/dev/null
	[ $i -lt 40 ] || echo "perf wrote nothing"
}

# perf writes the formats at its end: the samples of a killed recording cannot be printed.
killed_file() {
	rm -f x.cdict
	killed perf record -q -m 128K -e 'sched:*' -a -o x.data
	"$CDICT" convert -i x.data -o x.cdict 2>convert.err
	[ $? -eq 2 ] || echo "convert does not end with 2"
	grep -q '^cdict convert: x.data: .*killed' convert.err || cat convert.err
	"$CDICT" info -q --verify x.cdict >/dev/null 2>info.err
	[ $? -eq 2 ] || { echo "info does not end with 2"; cat info.err; }
}

# Into a pipe it writes them first: all that came is there.
killed_pipe() {
	local other
	# shellcheck disable=SC2317 # killed calls it
	to_pipe() { exec perf record -q -m 128K -e 'sched:*' -a -o - >x.data; }
	killed to_pipe
	"$CDICT" convert -q --max-loss 100 -i x.data -o x.cdict 2>convert.err
	case $? in
	0 | 2) ;;
	*) echo "convert fails"; cat convert.err ;;
	esac
	cdict_lines x.cdict >cdict.lines
	perf_lines x.data >perf.lines
	[ "$(wc -l <cdict.lines)" -gt 1000 ] || echo "cdict prints only $(wc -l <cdict.lines) lines"
	other=$(comm -23 <(sort perf.lines) <(sort cdict.lines) | head -n 3)
	[ -z "$other" ] || echo "perf prints, and cdict does not: $other"
}

# cut N-TENTHS - of a live pipe: the first part of perf's output for the whole
cut_pipe() {
	local tenths other
	rm -f whole.data
	record - -e 'sched:*' -m 4M -a
	cp record.out whole.data
	perf_lines whole.data >whole.lines
	[ -s whole.lines ] || echo "perf prints nothing"
	for tenths in 1 4 7 9; do
		head -c $(($(stat -c %s whole.data) * tenths / 80 * 8 + 3)) whole.data >x.data
		"$CDICT" convert -q --max-loss 100 -i - -o x.cdict <x.data 2>convert.err
		[ $? -eq 2 ] || echo "$tenths tenths: convert does not end with 2"
		cdict_lines x.cdict >cdict.lines
		[ $tenths -lt 4 ] || [ -s cdict.lines ] || echo "$tenths tenths: nothing is printed"
		other=$(comm -13 <(sort whole.lines) <(sort cdict.lines) | head -n 3)
		[ -z "$other" ] || echo "$tenths tenths: another line: $other"
	done
}

# ---- run ----------------------------------------------------------------------------------------

have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1
if ! perf record -q -e sched:sched_switch -a -o may.data -- true 2>may.err; then
	echo "perf may not record tracepoints here: $(grep -v '^ *$' may.err | head -n 1)" >&2
	exit 77
fi

run() { # NAME CASE...
	local name=$1
	shift
	verdict "$name" "$("$@" 2>&1)"
}

run plain sched
run zstd sched -z
run threads threads --threads
run threads-core threads --threads=core
run call-graph sched -g
run call-graph-dwarf recorded -m 4M --call-graph dwarf,256 -e sched:sched_switch -a
run cgroups-and-namespaces sched --all-cgroups --namespaces
run clock clock
run threads-of-one-command threads_of_one_command
run running-process running_process
run with-hardware-events with_hardware_events
run perf-sched-record sched_record
run perf-kvm-record kvm_record
run loss loss
run lossy-is-status-2 lossy_is_status_2
run switch-records-only switch_records_only
run other-tracepoints other_tracepoints
run printk-strings printk_strings
run live-pipe live
run live-pipe-zstd live -z
run killed-file killed_file
run killed-pipe killed_pipe
run cut-pipe cut_pipe
