#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# needs: python3 trace-cmd
#
# trace.dat files: made from perf.data files by tests/tools/make/mktracedat.py, in both versions, compressed and plain, with
# trace-cmd's additional data. The events equal those of the perf.data, and the output of trace-cmd report
# if Debian's version can read the file (it has no zlib).
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

mktracedat() { python3 "$TOP/tests/tools/make/mktracedat.py" "$@"; }
convert() { "$CDICT" convert -q --max-loss 100 -e '*' -i "$1" -o "$2" 2>convert.err || { echo "convert ends with $?"; cat convert.err; return 1; }; }
# Lines "tid cpu time event fields" in order of time; events at the same time in order of their text. Debian 13's
# trace-cmd prints the interrupt and preemption flags before the time.
as_trace_cmd() {
	trace-cmd report -N -t "$1" >report.txt 2>report.err || echo "trace-cmd report: status $?, $(head -1 report.err)"
	mask_arrays report.txt |
		sed -nE 's/^.*-([0-9]+) +\[([0-9]+)\] +([^ :]+ +)?([0-9]+\.[0-9]+): ([a-zA-Z0-9_]+): *(.*)$/\4 \1 \2 \5 \6/p' |
		sed -E 's/ +$//; s/  +/ /g' | sort
}
as_cdict() {
	"$CDICT" script --max-loss 100 "$1" >script.txt 2>script.err || cat script.err
	mask_arrays script.txt |
		sed -E 's/^ *([0-9]+) \[([0-9]+)\] +([0-9]+\.[0-9]+): *[a-z_0-9]+:([a-zA-Z0-9_]+): *(.*)$/\3 \1 \2 \4 \5/' |
		sed -E 's/ +$//; s/  +/ /g' | sort
}
# same AS TRACE.dat [WHAT] - both commands' lines; nothing when they are the same and there are some
same() {
	convert "$1" t.cdict || return
	as_cdict t.cdict >ours.txt
	[ -s ours.txt ] || echo "no event"
	as_trace_cmd "$1" >theirs.txt
	diff theirs.txt ours.txt | head -5
}

# ---- every synthetic trace, in two of both byte orders and versions (EVERY=1: in all) --------------------

# these have no tracepoint, or have perf's READ fields, which the tool does not support
without=' sample-types switch-only switch-per-task '
way=0
for order in '' --big-endian; do
	for version in 6 7; do
		wrong=
		n=$((way += 1))
		for trace in "$DATA"/*.trace; do
			in_sample $((n += 1)) 2 || continue
			name=$(basename "$trace" .trace)
			[ "${without/ $name /}" = "$without" ] || continue
			# shellcheck disable=SC2086 # one word or none
			"$MKPERF" $order -o run.data "$trace" 2>mkperf.err && mktracedat --version $version run.data t.dat ||
				{ wrong+="$name cannot be made"$'\n'; continue; }
			got=$(same t.dat)
			convert run.data p.cdict >>wrong.txt
			got+=$(as_cdict p.cdict | diff - ours.txt | head -5)
			[ -z "$got" ] || wrong+="$name: $got"$'\n'
		done
		verdict "trace_dat_v$version${order:+_of_another_byte_order}_as_trace_cmd_and_perf_print_it" "$wrong"
	done
done

# ---- a real capture, in every way to write it --------------------------------------------------------

real=$DATA/kvm-small.data
while read -r name options; do
	# shellcheck disable=SC2086 # the options are words
	mktracedat $options "$real" t.dat || { fail "trace_dat_$name" <<<"cannot be made"; continue; }
	verdict "trace_dat_$name" "$(same t.dat)"
	as_cdict t.cdict >all.txt
	[ "$name" != plain ] || cp all.txt plain.txt
done <<'R'
plain --version 7
zstd --codec zstd
small_pages --page-size 1024 --version 6
absolute_times --absolute --per-page 3
lengths_in_words --long-form --codec zstd
discarded_events --discard 5 --version 6
scaled_tsc --clock x86-tsc --tsc 1397654321,29
scaled_tsc_v6 --clock x86-tsc --tsc 936583712,30 --version 6
offset --clock mono --offset 123456789 --version 6
date --date 0x5f5e100
a_guests_time_by_one_sample --shift 0:1000,500,0,0 --shift 1:5,-7000,0,0 --shift 2:5,7,0,0
a_guests_time_by_steps --shift 0:544900000000,500,1,0;545000500000,90000,1,0;546000600000,50,1,0 --shift 1:5,-7000,1,0;544900000001,20,1,0
a_guests_time_in_between --shift-flags 1 --shift 0:544900000000,500,1,0;545000500000,90000,1,0;546000600000,50,1,0
instances --instance web,kvm:* --instance net,sched:*stat* --codec zstd
instances_v6 --instance web,kvm:* --version 6
other_options --trace-id 4660 --guest web,7,1055,1229 --hook sched:sched_waking,pid/sched:sched_switch,next_pid --cpucount 4
R

# Debian's trace-cmd knows no zlib.
mktracedat --codec zlib "$real" t.dat && convert t.dat t.cdict >zlib.err
verdict trace_dat_zlib "$(cat zlib.err; as_cdict t.cdict | diff plain.txt - | head -5)"

# Debian's reads memory that it never wrote when the option of the clock is empty.
mktracedat --version 6 --clock-behind --clock mono "$real" t.dat && convert t.dat t.cdict >after.err
verdict trace_dat_with_the_clock_after_the_cpus "$(
	cat after.err; as_cdict t.cdict | diff plain.txt - | head -5
	"$CDICT" info t.cdict 2>&1 | grep -q '^clock  *monotonic$' || "$CDICT" info t.cdict)"

# The output of trace-cmd itself as version 7.
mktracedat --version 6 "$real" six.dat
for codec in none zstd; do
	trace-cmd convert -i six.dat -o t.dat --file-version 7 --compression $codec >/dev/null 2>trace-cmd.err
	verdict "trace_dat_that_trace_cmd_wrote_$codec" "$(same t.dat; diff plain.txt ours.txt | head -5)"
done

verdict trace_dat_from_a_pipe "$("$CDICT" convert -q -e '*' -i - -o pipe.cdict <six.dat 2>&1; as_cdict pipe.cdict | diff plain.txt - | head -5)"
verdict trace_dat_one_thread_or_three "$(
	for jobs in 1 3; do "$CDICT" convert -q -e '*' -j $jobs -i six.dat -o j$jobs.cdict; done
	cmp j1.cdict j3.cdict)"

# ---- buffers ------------------------------------------------------------------------------------------

mktracedat --instance '+web,kvm:*' --instance '+all,*' "$real" t.dat
convert t.dat t.cdict >both.err
verdict trace_dat_event_of_several_buffers_is_one "$(cat both.err; as_cdict t.cdict | diff plain.txt - | head -5)"

# ---- losses -------------------------------------------------------------------------------------------

"$MKPERF" -o run.data "$DATA/two-vcpus.trace"
mktracedat --per-page 4 --lost 0,1,5 --lost 1,2,7 --lost 1,0,2 run.data t.dat
losses() {
	"$CDICT" info --max-loss 100 --format json t.cdict | python3 -c '
import json, sys
for row in sorted((r["cpu"], r["from_ns"], r["to_ns"], r["count"]) for r in json.load(sys.stdin)["loss"]["records"]):
    print(*row)'
}
verdict trace_dat_losses_are_kept "$(
	same t.dat
	trace-cmd report t.dat | sed -n 's/^CPU:\([0-9]*\) \[\([0-9]*\) EVENTS DROPPED\]$/\1 \2/p' | sort >dropped.txt
	losses | awk '{ print $1, $4 }' | sort | diff dropped.txt -
	# before the first of CPU 1, from the capture's begin on, between its eighth and ninth, between the fourth and fifth of CPU 0
	losses | diff - <(printf '%s\n' '0 100000120000 100000140000 5' '1 100000000000 100000005000 2' '1 100000710000 100000990000 7'))"

# A page that does not say how many; the kernel's own count, of which the pages have a part.
mktracedat --per-page 4 --lost 0,1,-1 --lost 1,2,7 --stat 1,10 run.data t.dat
verdict trace_dat_losses_that_the_kernel_counted "$(
	same t.dat
	losses | diff - <(printf '%s\n' '0 100000120000 100000140000 0' '1 100000710000 100000990000 7' '1 100000995000 100001000000 3'))"

# ---- markers, trace_printk, functions --------------------------------------------------------------------

mkftrace() { python3 "$TOP/tests/tools/make/mkftrace.py" "$@"; }
ftrace_lines() { python3 "$TOP/tests/oracle/perf/_ftrace_lines.py" "$@"; }
# as_reported TRACE.dat AT_LEAST - each event as trace-cmd report prints it by its format, stacks as it prints them itself
as_reported() {
	convert "$1" f.cdict || return
	"$CDICT" script --max-loss 100 f.cdict >script.txt 2>script.err || cat script.err
	trace-cmd report -N -t "$1" 2>/dev/null | ftrace_lines trace-cmd | sort >theirs.txt
	ftrace_lines cdict <script.txt | sort >ours.txt
	[ "$(wc -l <ours.txt)" -ge "$2" ] || echo "$(wc -l <ours.txt) events"
	diff theirs.txt ours.txt | head -6
	trace-cmd report -t "$1" 2>/dev/null | ftrace_lines trace-cmd kernel_stack | sort >theirs.txt
	ftrace_lines cdict kernel_stack <script.txt | sort | diff theirs.txt - | head -6
}
for form in '' --32 --big-endian '--32 --big-endian' --no-strings --no-kallsyms; do
	# shellcheck disable=SC2086 # none, one or two words
	mkftrace $form f.dat
	verdict "trace_dat_of_ftrace${form// /}" "$(as_reported f.dat 19)"
done
if [ -n "$SHARED" ]; then
	verdict trace_dat_of_a_report "$(as_reported "$SHARED/captures/reports/ftrace-print.dat" 4)"
fi
mkftrace f.dat
trace-cmd convert -i f.dat -o seven.dat --file-version 7 --compression zstd >/dev/null 2>trace-cmd.err
verdict trace_dat_of_ftrace_version_7 "$(as_reported seven.dat 19)"
# The same events in a perf.data are the same, with the kallsyms of perf before 4.4.
for form in '' --32; do
	# shellcheck disable=SC2086 # one word or none
	mkftrace $form f.dat && mkftrace $form --perf f.data
	verdict "perf_data_of_ftrace$form" "$(
		convert f.dat f.cdict && convert f.data p.cdict
		"$CDICT" script f.cdict >theirs.txt
		"$CDICT" script p.cdict | diff theirs.txt - | head -6)"
done
# The names of events also as literals in this test: the oracle might have the same fault.
mkftrace f.dat
convert f.dat f.cdict >convert.txt
verdict trace_dat_texts_of_ftrace "$(
	cat convert.txt
	"$CDICT" script f.cdict | grep -e print: -e bputs: -e caller | sed 's/^.*[a-z]*: *\([a-z]*:[a-z_]*: \)/\1/' | diff - <(cat <<'T'
ftrace:print: fn_a: MARK begin run 1
ftrace:print: fn_b: without a newline
ftrace:print: 0xffffffff8a000000: of nobody; "quoted" ü	|
ftrace:bprint: fn_a: n: 7 name=abc u=9
ftrace:bprint: fn_b: n: -1 name=a longer name u=0
ftrace:bprint: fn_a: no arguments
ftrace:bprint: fn_a: at fn_c+0x4, fn_d in -3 of 100%
ftrace:bputs: fn_a: plain
test:t_caller: caller fn_b+0x4 other fn_c
test:t_caller: caller 0xffffffff81100000 other fn_a
ftrace:print: fn_a: MARK end run 1
T
))"
verdict trace_dat_keeps_the_functions_that_occur "$(
	"$CDICT" query --format csv "SELECT str_value FROM metadata WHERE name = 'trace.symbols'" f.cdict | tr -d '"\r' | grep -o 'fn_[a-z]*' | sort |
		diff - <(printf '%s\n' fn_a fn_b fn_c fn_d))"
# an older cdict has no arguments: never a text that looks as if
mkftrace --no-arguments f.dat
convert f.dat f.cdict >convert.txt
verdict trace_dat_arguments_that_are_not_stored "$(
	"$CDICT" script f.cdict | grep -c 'bprint: fn_[a-z]*: n: %d name=%s u=%u (arguments not stored)$' | grep -qx 2 || "$CDICT" script f.cdict
	"$CDICT" script f.cdict | grep -q 'bprint: fn_[a-z]*: no arguments$' || "$CDICT" script f.cdict)"
# Markers cut windows, in the trace.dat itself and in a cdict of it.
mkftrace f.dat
convert f.dat f.cdict >convert.txt
begin='ftrace:print/buf ~ "MARK begin*"/'
end='print/buf ~ "MARK end*"/'
verdict trace_dat_markers_cut_windows "$(
	n=$("$CDICT" script f.cdict | grep -c '^ *42 ')
	for file in f.cdict f.dat; do
		"$CDICT" script --window-start "$begin" --window-end "$end" $file | grep -c '^ *42 ' | grep -qx "$n" || echo "$file: not all $n"
		"$CDICT" script --window-start 'print/buf ~ "*newline"/' --window-end "$end" $file | grep -c '^ *42 ' | grep -qx $((n - 1)) || echo "$file: not $n - 1"
		"$CDICT" stats -q --window-start "$begin" --window-end "$end" $file >stats.txt 2>&1
		grep -q '0.000022 s from 1.000000, ' stats.txt || head -3 stats.txt
		"$CDICT" tasks -q --json --window-start "$begin" --window-end "$end" $file >tasks.json 2>tasks.err
		grep -q '"from": 1000000000, "to": 1000022000' tasks.json || head -3 tasks.json tasks.err
		"$CDICT" report -q --window-start "$begin" --window-end "$end" -o f.html $file 2>report.err || cat report.err
	done)"

# ---- invalid files ------------------------------------------------------------------------------------

# refuses WHAT STATUS OPTION... - one line with the text WHAT
refuses() {
	local what=$1 status=$2
	shift 2
	mktracedat "$@" run.data t.dat
	"$CDICT" convert -q -i t.dat -o no.cdict >message.txt 2>&1
	[ $? -eq "$status" ] || echo "status is not $status"
	[ "$(wc -l <message.txt)" -eq 1 ] && grep -q "$what" message.txt || cat message.txt
}
verdict trace_dat_of_a_clock_without_a_unit "$(refuses "its clock is 'x86-tsc'" 1 --clock x86-tsc; refuses "its clock is 'counter'" 1 --clock counter --version 6)"
verdict trace_dat_whose_buffers_have_two_clocks "$(refuses "buffer 'web' has another clock (mono, not local)" 2 --instance web,kvm:*,mono)"

# Of 4 CPUs that all have the pages of the first one, which are more than half of the file.
verdict trace_dat_whose_cpus_have_the_same_pages "$(
	mktracedat --version 6 --overlap "$real" t.dat
	"$CDICT" convert -q -e '*' -i t.dat -o no.cdict >message.txt 2>&1
	[ $? -eq 2 ] || echo "status is not 2: $(cat message.txt)"
	"$CDICT" info no.cdict 2>/dev/null | grep -q 'shares event data with another CPU' || "$CDICT" info no.cdict)"

# Cut anywhere: one line, a status, and the output can be read.
mktracedat --page-size 512 --codec zstd run.data whole.dat
mktracedat --page-size 512 --version 6 run.data whole6.dat
wrong=
for whole in whole.dat whole6.dat; do
	size=$(stat -c %s $whole)
	n=0
	for ((at = 1; at < size; at += 1 + size / 70)); do
		in_sample $((n += 1)) 3 || continue
		head -c "$at" $whole >cut.dat
		rm -f cut.cdict
		"$CDICT" convert -i cut.dat -o cut.cdict >convert.txt 2>&1
		status=$?
		grep -v '^\[ cdict convert: ' convert.txt >message.txt
		case $status in
		1 | 2) [ -s message.txt ] && [ "$(wc -l <message.txt)" -le 2 ] || wrong+="$whole $at: $(cat message.txt)"$'\n' ;;
		*) wrong+="$whole $at: status $status"$'\n' ;;
		esac
		[ ! -e cut.cdict ] || "$CDICT" info --verify cut.cdict >verify.txt 2>&1 || [ $? -eq 2 ] ||
			wrong+="$whole $at: $(tail -1 verify.txt)"$'\n'
	done
done
verdict trace_dat_cut_anywhere "$wrong"
