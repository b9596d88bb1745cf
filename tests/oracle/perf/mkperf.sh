#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The synthetic captures are valid: every tests/data/*.trace is built in every form, and perf must read
# the plain one and every third other (EVERY=1: each): the same lines in all forms, as many as the trace has samples.
set -u
. "$TOP/tests/oracle/_lib.sh"

# Samples, and every other record that perf has a line for.  Without --hide-call-graph perf prints
# the call chains of a pipe although -F does not ask for them.
samples() { perf_prints_all "$1"; }
records() {
	perf script --guest-code --ns --hide-call-graph --show-task-events --show-switch-events \
		--show-lost-events -F comm,pid,tid,cpu,time,event -i "$1" 2>perf.err
}

# Lines of equal time CPU by CPU, as in a plain file's round.
merged() { merge_cpus <"$1" >sorted && mv sorted "$1"; }

# check TRACE: prints the faults, nothing when there are none.
check() {
	local count form what lines
	rm -rf in.*
	count=$("$MKPERF" --count "$1" 2>&1) || { echo "$count"; return; }
	for form in $forms_beyond_perf $forms_without_formats; do
		make_form "$form" "$1" "in.$form" || return
	done
	# shellcheck disable=SC2086 # they are words
	for form in $(some_forms $n 3 $forms_of_perf); do
		make_form "$form" "$1" "in.$form" || return
		for what in samples records; do
			$what "in.$form" >"in.$form.$what" ||
				{ echo "$form: perf script fails: $(tail -n 1 perf.err)"; return; }
		done
		lines=$(wc -l <"in.$form.samples")
		[ "$lines" -eq "$count" ] ||
			{ echo "$form: perf prints $lines samples, the trace has $count"; return; }
		for what in samples records; do
			case $what-$form-$1 in
			samples-*be-*/generic.trace)
				mask_arrays in.le.samples >want
				mask_arrays "in.$form.samples" >got
				;;
			# perf 6.1 swaps the sample_id of PERF_RECORD_SWITCH eight bytes too late
			records-*be-*/switch-per-task.trace) continue ;;
			*)
				cp "in.le.$what" want
				cp "in.$form.$what" got
				;;
			esac
			case $form in
			dir*) # perf reads the files in readdir's order, and nothing is late
				merged want
				merged got
				;;
			esac
			cmp -s want got || {
				echo "$form: $what differ from the plain file's:"
				diff want got | head -n 5
				return
			}
		done
	done
	[ -s in.le.records ] || echo "no records at all"
}

have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1
n=$((${SAMPLE:-0} - 1))
for trace in "$DATA"/*.trace; do
	n=$((n + 1))
	verdict "mkperf-$(basename "$trace" .trace)" "$(check "$trace")"
done
