#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# valgrind.sh CDICT: conversions and every table under memcheck; status 1 at the first fault or leak.
set -euo pipefail

cdict=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") data=$PWD/tests/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
run() { valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$cdict" "$@" >/dev/null; }
for input in kvm-small kvm-pipe kvm-zstd kvm-callchain; do
	run convert -q -i "$data/$input.data" -o "$input.cdict"
done
for command in info tasks latency exits vcpu coremap switches count 'successors -t CPU' stats script; do
	# shellcheck disable=SC2086 # words
	run ${command%% *} kvm-callchain.cdict ${command#"${command%% *}"}
done
run tasks kvm-small.cdict --time 40%-60% --format json
run diff kvm-small.cdict kvm-pipe.cdict || [ $? -ne 9 ]
run report -q kvm-callchain.cdict -o x.html
run heatmap -q kvm-callchain.cdict -o x.svg
run annotate -q kvm-small.cdict --anonymize -o y.cdict
