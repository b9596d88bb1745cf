#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 300
#
# In a real Chromium, by keyboard alone: cells of the core map and slices of the cores can be reached and opened, and have names.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict || exit 1
report run.cdict || exit 1
node "$LIB/keys.mjs" run.html run.cdict
