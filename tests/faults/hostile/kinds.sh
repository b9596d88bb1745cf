#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 600
# needs: python3
#
# Three variants of each kind of row that a reader keeps or a command draws (mkhostile.py): by loss, by label, by frame.
# Each command ends within 64 MiB plus eight times the file, one second of CPU plus one per MiB of the file, and prints at most 20 MB or 64 times the file.
# All commands run on a variant of each kind, a sixth of them on the two others (EVERY=1: all on all).
. "$TOP/tests/faults/hostile/_lib.sh"

cat >one.trace <<'R'
cpus 1
default sched:sched_switch prev_prio=120 next_prio=120
proc 501 w
501 [000] 50.000000: sched:sched_switch: prev_pid=501 prev_state=S next_pid=502
R
"$MKPERF" --formats "$DATA/formats" -o one.data one.trace && "$CDICT" convert -q -i one.data -o one.cdict || exit 1
mkdir made
python3 "$tools/make/mkhostile.py" one.cdict made "${SEED:-1}" || exit 1
for kind in loss label; do
	verdict "hostile_rows_by_$kind" "$(bounded 64 1 "made/$kind-1.cdict" --like "made/$kind-2.cdict" "made/$kind-3.cdict")"
done
verdict hostile_rows_by_frame "$(bounded 64 1 made/frame-1.cdict --like made/frame-2.cdict)"
# stacks of usual depth: 400 bytes per frame of a picture (doc/cdict.5, Limits)
verdict hostile_frames_of_usual_depth "$(bounded 200 1 made/frame-3.cdict)"
