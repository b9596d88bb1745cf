#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# needs: python3
#
# Every figure of tasks, latency, switches, coremap, successors, exits and vcpu equals that of an evaluator
# that was written from figures.md and cdict(5) alone (tests/tools/check/evaluate), for whole captures
# and for random windows.
#
# EVALUATE_WINDOWS=200 evaluates this number of windows of every capture instead of a few; EVERY=1: of the real ones thrice as many.
set -u
. "$TOP/tests/oracle/_lib.sh"

evaluate() { # NAME CDICT WINDOWS
	if python3 "$TOP/tests/tools/check/evaluate" --windows "${EVALUATE_WINDOWS:-$3}" \
		"$CDICT" "$2" >evaluate.out 2>&1; then
		pass "$1"
	else
		fail "$1" <evaluate.out
	fi
}

convert() { # INPUT
	rm -f x.cdict
	"$CDICT" convert -q -e '*:*' -i "$1" -o x.cdict 2>convert.err
	local status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || { cat convert.err; return 1; }
}

for trace in "$DATA"/*.trace; do
	name=$(basename "$trace" .trace)
	case $name in switch-only | switch-per-task) continue ;; esac # no tracepoints
	"$MKPERF" -o x.data "$trace" 2>mkperf.err && convert x.data ||
		{ echo "not ok $name"; cat mkperf.err; continue; }
	evaluate "$name" x.cdict 3
done

while IFS= read -r data; do
	name=$(basename "$data" .data)
	windows=4
	! is_large "$data" || windows=1
	[ "${EVERY-}" != 1 ] || windows=$((3 * windows))
	case $name in
	*-be) continue ;; # the same again
	esac
	# Most captures are of hosts with one thread per core: siblings are evaluated as if there were two.
	! python3 "$TOP/tests/tools/check/pairthreads.py" "$data" paired.data || data=paired.data
	convert "$data" || { echo "not ok $name"; continue; }
	evaluate "$name" x.cdict "$windows"
done < <(real_captures)
