#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# cdict.dask on a LocalCluster: LINES (12,000,000) of I/O traces in four files, with one worker process and with two, in turns.
#   LINES=12000000 RUNS=3 tests/bench/_measure/cluster.sh
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/bench/_measure/_traces.sh
export CDICT=${CDICT:-$PWD/build/cdict} CDICT_LIBRARY=${CDICT_LIBRARY:-$PWD/build/libcdict.so.0} PYTHONPATH=$PWD/query/python
here=$PWD
folder=${BENCH_DIR:-$(mktemp -d)} || exit 1
[ -n "${BENCH_DIR-}" ] || trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
lines=${LINES:-12000000}
[ -e 4.pfw.gz ] || echo "making $lines lines" >&2
for i in 1 2 3 4; do [ -e $i.pfw.gz ] || made_traces $((lines / 4)) $i | gzip -1 >$i.pfw.gz; done
echo "$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg), $(du -cm ./*.gz | tail -n 1 | cut -f1) MB of .pfw.gz"
for ((run = 0; run < ${RUNS:-3}; run++)); do
	for workers in 1 2; do
		/usr/bin/python3 "$here/tests/bench/_measure/cluster.py" $workers ./*.pfw.gz 2>/dev/null
	done
done
