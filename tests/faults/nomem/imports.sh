#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while converting files of other recorders; see tests/faults/nomem/tables.sh.
# needs: awk python3
# timeout: 600
set -u
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"

mktracedat() { python3 "$TOP/tests/tools/make/mktracedat.py" --page-size 512 "$@"; }
"$MKPERF" -o run.data "$DATA/two-vcpus.trace" || exit 1
mktracedat --version 6 --per-page 3 --lost 0,1,5 --instance 'web,kvm:*' run.data six.dat || exit 1
mktracedat --codec zstd --guest web,255,1001,1002 --trace-id 4660 --stat 1,9 --shift '0:5,1,0,0;9,2,0,0' run.data seven.dat || exit 1
python3 "$TOP/tests/tools/make/mkperfwhiz.py" "$DATA/perfwhiz.txt" old.whiz || exit 1

FILE_MADE=made.cdict
walk nomem_convert_trace_dat_v6 "$CDICT" convert -q --max-loss 100 -j1 -i six.dat -o $FILE_MADE
# Each of its 400: rows of losses and labels come last, and a step passed over them.
SOME=1000 walk nomem_convert_trace_dat_v7 "$CDICT" convert -q --max-loss 100 -j1 -i seven.dat -o $FILE_MADE
walk nomem_convert_perfwhiz "$CDICT" convert -q -e '*' -j1 -i old.whiz -o $FILE_MADE
