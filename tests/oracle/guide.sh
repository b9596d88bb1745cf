#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# doc/guide.md: each command in it is run, and prints what stands there.
# needs: python3
set -u
. "$TOP/tests/oracle/_lib.sh"

cd "$TMPDIR" || exit
unset COLUMNS LINES LESS CDICT_PAGER
export PAGER=cat PATH="${CDICT%/*}:$PATH"
cp "$DATA/kvm-small.data" run.data && cp "$DATA/kvm-small.map.csv" map.csv || exit
python3 "$TOP/tests/tools/guide.py" "$TOP/doc/guide.md" >guide.md 2>guide.err
status=$?
if [ $status -eq 77 ]; then
	echo "skip the_guide_prints_what_its_commands_print no pseudo-terminal"
	exit
fi
[ $status -eq 0 ] || fail the_guide_is_run <guide.err
verdict the_guide_prints_what_its_commands_print "$(diff "$TOP/doc/guide.md" guide.md 2>&1 | head -40)"
verdict the_guide_has_its_pictures "$(grep -o 'pictures/[a-z-]*.png' "$TOP/doc/guide.md" | while read -r name; do [ -s "$TOP/doc/$name" ] || echo "$name is missing"; done)"
