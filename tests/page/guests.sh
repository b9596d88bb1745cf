#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# waits: 1
#
# In a real Chromium: the lanes and the table of a joined guest's tasks are those of cdict vm --inside, for the whole capture and for a
# range; a click on a guest task's wait leads to the task of the host that had the CPU then.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium python3
mkdir -p "$BUILD/screens"

cd "$TMPDIR" || exit
pair=$DATA/guest-pair
"$CDICT" join -q "$pair/host.cdict" "=$pair/instance-0000001b.cdict" "=$pair/instance-0000001c.cdict" -o both.cdict 2>join.err || exit
report both.cdict -o both.html || exit
# the same without a file in between
report "$pair/host.cdict" "=$pair/instance-0000001b.cdict" "=$pair/instance-0000001c.cdict" -o direct.html || exit
node "$LIB/story/guests.mjs" the_guests_of_a_joined_file_are_those_of_the_command both.html both.cdict \
	guests_given_to_report_are_those_of_the_command direct.html both.cdict

python3 "$TOP/tests/tools/make/mkguests.py" --seconds 1 --drift 0 --offset 1000000000 --more 400 . && for name in host web; do
	"$MKPERF" --formats "$DATA/formats" -o made.data $name.trace && "$CDICT" convert -q -i made.data -o $name.cdict || exit
done
"$CDICT" join -q host.cdict 1000=web.cdict --clock 1000000000 -o many.cdict && report many.cdict -o many.html || exit
node "$LIB/story/many_guest_tasks.mjs" of_more_than_256_tasks_of_a_guest_those_that_waited_longest_have_lanes many.html many.cdict 1000
