#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tables longer than a screen are built piece by piece, so that zooming never waits for them.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

# 600 tasks that take turns for a while
awk 'BEGIN {
	n = 600
	for (i = 0; i < n; i++) printf "proc %d \"worker%d\"\n", 1000 + i, i
	t = 10
	for (k = 0; k < 4 * n; k++) {
		printf "%d [000] %.9f: sched:sched_switch: prev_pid=%d prev_state=S next_pid=%d\n",
			1000 + k % n, t, 1000 + k % n, 1000 + (k + 1) % n
		t += 0.00001 + (k + 1) % n * 1e-7
	}
}' >turns.trace
ln -sfn "$DATA/formats" formats
"$MKPERF" -o turns.data turns.trace && "$CDICT" convert -q -i turns.data -o turns.cdict || exit 1
report turns.cdict || exit 1
text=$(node "$LIB/slices.mjs" turns.html 2>&1) && text=
verdict no_row_is_missing_or_from_the_previous_range "$text"
