#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# tsan.sh CDICT: runs commands that use several threads, in a build with the thread sanitizer; status 66 on a data race.
set -euo pipefail

cdict=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") data=$PWD/tests/data top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TSAN_OPTIONS=exitcode=66
for jobs in 2 4; do
	"$cdict" convert -q -j $jobs -i "$data/kvm-zstd.data" -o "x$jobs.cdict"
	"$cdict" convert -q -j $jobs -i - -o "p$jobs.cdict" <"$data/kvm-pipe.data"
	for command in tasks stats script 'info --verify'; do
		# shellcheck disable=SC2086 # words
		"$cdict" ${command%% *} "x$jobs.cdict" $(sed -n 's/^[^ ]* //p' <<<"$command") $([ "${command%% *}" = info ] || echo -j $jobs) >/dev/null
	done
done
cmp x2.cdict x4.cdict
# several gzip members, inflated and read in parallel
"$cdict" export -q x2.cdict -o one.pfw.gz
for ((i = 0; i < 8; i++)); do cat one.pfw.gz; done >job.pfw.gz
for jobs in 1 4; do
	"$cdict" convert -q -j $jobs -i job.pfw.gz -o "job$jobs.cdict"
	"$cdict" query -j $jobs 'SELECT name, count(*), sum(dur) FROM slice GROUP BY name' "job$jobs.cdict" >"job$jobs.txt"
	for to in perfetto csv pfw; do
		"$cdict" export -q -j $jobs x2.cdict --to $to -o "x$jobs.$to"
	done
	"$cdict" query -j $jobs 'SELECT state, sum(dur) FROM thread_state GROUP BY state; SELECT count(*) FROM ftrace_event' x2.cdict >"query$jobs.txt"
done
cmp job1.txt job4.txt
cmp query1.txt query4.txt
for to in perfetto csv pfw; do cmp x1.$to x4.$to; done
# Captures of this size are walked in two parts in parallel.
large=../shared/captures/kvm/kvm-libvirt.data
if [ -r "$top/$large" ]; then
	"$cdict" convert -q -j 2 -i "$top/$large" -o large.cdict
	for command in tasks stats vcpu exits coremap; do
		"$cdict" $command -j 2 large.cdict >two
		"$cdict" $command -j 1 large.cdict >one
		cmp one two
	done
else
	echo "tsan.sh: without $large no capture is large enough for a walk in two parts"
fi
