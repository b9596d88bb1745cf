#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 300
#
# In a real Chromium: areas, time and lengths in heat maps, names of marks, run queues, and the text for a ticket: figures are
# those that the commands print with --time, tasks in queues those of the events.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict || exit 1
report run.cdict || exit 1
node "$LIB/keys.mjs" --select run.html run.cdict
