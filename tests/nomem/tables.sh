#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory is told: whichever allocation of a command fails, it says so in one line and ends with
# status 1, or it does without and prints what it always prints.  Never another output with status 0.
# needs: awk
# takes: 60
# timeout: 600
set -u
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/nomem/_lib.sh"

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o y.cdict || exit 1

for format in text json; do
	for command in tasks exits vcpu latency coremap switches 'successors -t CPU'; do
		# shellcheck disable=SC2086 # a command is words
		walk "nomem_${command%% *}_$format" "$CDICT" ${command%% -*} x.cdict \
			${command#"${command%% *}"} --format $format
	done
done
walk nomem_stats "$CDICT" stats x.cdict
walk nomem_merged "$CDICT" tasks x.cdict --merge-sys-tasks --format csv
walk nomem_diff "$CDICT" diff x.cdict y.cdict
for format in text json md; do
	walk "nomem_several_$format" "$CDICT" exits x.cdict y.cdict --format $format
done
walk nomem_several_vcpu "$CDICT" vcpu x.cdict y.cdict
walk nomem_perf_data "$CDICT" tasks -q "$DATA/kvm-small.data"
