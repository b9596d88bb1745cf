#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The cost of captures of 1, 10 and 100 million events (make bench BENCH=scale), which needs some 12 GB of disk: scale.py.
#
# Environment: CDICT the program, MKPERF (build/tests/tools/make/mkperf), EVENTS=100000000, RUNS=3, SEED=1, PAGE=1: the page in
# Chromium, too, STRICT=1: exit with status 1 if a "must" is missed
set -u
export LC_ALL=C TZ=UTC
top=$(cd "$(dirname "$0")/../../.." && pwd)
export CDICT=${CDICT:-$top/build/cdict} MKPERF=${MKPERF:-$top/build/tests/tools/make/mkperf} DATA=$top/tests/data
EVENTS=${EVENTS:-100000000}
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/cdict-scale.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
free=$(df -Pm "$dir" | awk 'NR == 2 { print $4 }')
[ "$free" -ge $((EVENTS / 8000)) ] || { echo "scale.sh: $dir has $free MB free, $EVENTS events need $((EVENTS / 8000))" >&2 && exit 1; }
echo "$("$CDICT" --version | head -n 1); $(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-66s %10s %8s %8s  %s\n' what measured must aim 'ok?'
python3 "$top/tests/bench/_measure/scale.py" "$EVENTS" "$dir"
