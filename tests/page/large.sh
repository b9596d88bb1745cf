#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The page of a host with many CPUs, VMs and tasks, measured by calls to the engine, not by time: the whole capture
# (with more events than are shown slice by slice) is drawn from the page's embedded data.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

"$BUILD/tests/tools/make/mkhost" "$DATA/formats" host.cdict 500000 cpus=128 vms=30 vcpus=180 tasks=1200 || exit 1
report host.cdict || exit 1
first=$("$CDICT" script -q host.cdict 2>/dev/null | sed -n '1s/.*: //p')
text=$(node "$LIB/large.mjs" host.html "$first" 2>&1) && text=
verdict views_of_the_whole_capture_ask_the_engine_nothing "$text"

# large tables are after the program, and are whole
text=$(node "$LIB/tables.mjs" host.html host.cdict 2>&1) && text=
verdict large_tables_are_what_the_commands_print "$text"
before=$(grep -abo '<script type="text/plain"' host.html | cut -d: -f1)
[ "$before" -le 2000000 ] && text= || text="$before bytes stand before the program"
verdict data_needed_for_the_first_view_is_small "$text"

# the program stands before the capture: a page that came halfway draws its first view
head -c $(($(stat -c %s host.html) - 500000)) host.html >cut.html
text=$(node "$LIB/large.mjs" --cut cut.html 2>&1) && text=
verdict a_page_with_a_missing_end_reports_it_where_the_capture_is_needed "$text"
