#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 300
# waits: 1
#
# In a real Chromium: every view exports its picture, tables and link, for the whole capture and for a range, completely; the tables equal
# the commands'.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict && "$CDICT" annotate -q run.cdict --map "$DATA/kvm-small.map.csv" && report run.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o other.cdict && report run.cdict other.cdict --label before,after -o both.html || exit 1
node "$LIB/take.mjs" run.html run.cdict 150000000,300000000 vcpus exits tasks 'tasks&fold=tasks' coremap switches cores
node "$LIB/take.mjs" both.html run.cdict '' compare 'compare&compare=tasks'
# labels that are too long for one line
first=before-the-new-kernel-with-pinning-of-all-vCPUs-of-one-rack
report run.cdict other.cdict --label "$first,${first/before/after}" -o long.html || exit 1
node "$LIB/take.mjs" long.html run.cdict '' compare | sed 's/compare_can/compare_with_long_labels_can/'
