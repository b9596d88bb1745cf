#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while a guest's recording is joined, and while its tasks are shown; see tests/faults/nomem/tables.sh.
# needs: awk python3
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
walk nomem_guest_sentences "$CDICT" vcpu both.cdict
walk nomem_guest_query "$CDICT" query 'SELECT vm, state, behind, sum(dur) FROM guest_thread_state GROUP BY 1, 2, 3' both.cdict
FILE_MADE=page.html walk nomem_guest_report "$CDICT" report both.cdict -o page.html
FILE_MADE=

# trace-cmd's pair: its conversion, and the join by its ids and samples
"$MKPERF" -o h.data "$DATA/story.trace" && "$MKPERF" -o g.data "$DATA/story-guest.trace" &&
	python3 "$TOP/tests/tools/make/mktracedat.py" --trace-id 4660 --guest web,7,1001,1002 h.data host.dat &&
	python3 "$TOP/tests/tools/make/mktracedat.py" --trace-id 7 --peer 4660 --shift '0:1,75000000000,1,0;2,75000000000,1,0' --shift '1:1,75000000000,1,0;2,75000000000,1,0' g.data guest.dat &&
	"$CDICT" convert -q -i host.dat -o host.cdict && "$CDICT" convert -q -i guest.dat -o guest.cdict || exit 1
PRINTS_AS_IT_GOES=1 walk nomem_join_of_a_trace_cmd_pair "$CDICT" join -q host.cdict =guest.cdict -o -
