#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# waits: 1
#
# In a real Chromium: the lanes and the table of a joined guest's tasks are those of cdict vm --inside, for the whole capture and for a
# range; a click on a guest task's wait leads to the task of the host that had the CPU then.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium
mkdir -p "$BUILD/screens"

cd "$TMPDIR" || exit
pair=$DATA/guest-pair
"$CDICT" join -q "$pair/host.cdict" "=$pair/instance-0000001b.cdict" "=$pair/instance-0000001c.cdict" -o both.cdict 2>join.err || exit
report both.cdict -o both.html || exit
# the same without a file in between
report "$pair/host.cdict" "=$pair/instance-0000001b.cdict" "=$pair/instance-0000001c.cdict" -o direct.html || exit
node "$LIB/story/guests.mjs" the_guests_of_a_joined_file_are_those_of_the_command both.html both.cdict \
	guests_given_to_report_are_those_of_the_command direct.html both.cdict
