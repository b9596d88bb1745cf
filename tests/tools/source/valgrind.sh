#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# valgrind.sh CDICT: runs conversions and every table under memcheck; status 1 at the first error or leak.
set -euo pipefail

cdict=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") data=$PWD/tests/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
run() { valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$cdict" "$@" >/dev/null; }
for input in kvm-small kvm-pipe kvm-zstd kvm-callchain; do
	run convert -q -i "$data/$input.data" -o "$input.cdict"
done
for command in info tasks latency exits vcpu 'vm 1044' coremap switches count 'successors -t CPU' stats script; do
	# shellcheck disable=SC2086 # words
	run ${command%% *} kvm-callchain.cdict ${command#"${command%% *}"}
done
run tasks kvm-small.cdict --time 40%-60% --format json
run diff kvm-small.cdict kvm-pipe.cdict || [ $? -ne 9 ]
run report -q kvm-callchain.cdict -o x.html
run heatmap -q kvm-callchain.cdict -o x.svg
run annotate -q kvm-small.cdict --anonymize -o y.cdict
run tasks kvm-small.cdict --by group
for command in '' ' --by vm' ' --by halt'; do
	# shellcheck disable=SC2086 # words
	run vcpu kvm-small.cdict $command
done
run export -q kvm-small.cdict --time 10%-20% -o job.pfw.gz
run convert -q -i job.pfw.gz -o job.cdict
for to in perfetto chrome pfw csv; do
	run export -q kvm-small.cdict --to $to
	run export -q job.cdict --to $to -z
done
run export -q kvm-small.cdict --to perfwhiz -o x.whiz
run convert -q -i x.whiz -o whiz.cdict
run export -q kvm-small.cdict -o x.sqlite
run query 'SELECT state, sum(dur) FROM thread_state GROUP BY state; SELECT count(*) FROM ftrace_event; SELECT * FROM kvm_exit LIMIT 5' kvm-small.cdict
run query 'SELECT interval_dur(interval_union(ts, dur)) FROM sched_slice' kvm-small.cdict kvm-pipe.cdict --format json
printf 'main;work 3\nmain 2\n' >x.folded
for ending in svg html; do
	run flame -q x.folded -o x.flame.$ending
done
"$cdict" sweep -q -n 2 -L b 1,2 --metric v -o in.json -- echo '{"v": {b}}' >/dev/null
run sweep -q --plot in.json -o x.sweep.svg
