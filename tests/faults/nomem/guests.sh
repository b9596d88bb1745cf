#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while a guest's recording is joined, and while its tasks are shown; see tests/faults/nomem/tables.sh.
# needs: awk
# timeout: 600
set -u
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"

for name in story story-guest; do
	"$MKPERF" -o $name.data "$DATA/$name.trace" && "$CDICT" convert -q -i $name.data -o $name.cdict || exit 1
done
"$CDICT" join -q story.cdict 1000=story-guest.cdict --clock 75000000000 -o both.cdict || exit 1
# a cdict is written block by block
PRINTS_AS_IT_GOES=1 walk nomem_join "$CDICT" join -q story.cdict 1000=story-guest.cdict --clock 75000000000 -o -
walk nomem_inside "$CDICT" vm 1000 both.cdict --inside
walk nomem_guest_tasks "$CDICT" tasks both.cdict --guest --format csv
walk nomem_guest_latency "$CDICT" latency both.cdict --guest --json
