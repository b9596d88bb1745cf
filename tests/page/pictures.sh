#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1200
#
# In a real Chromium, for ranges and every filter: cells of heat maps and matrices, columns of the strip, bars and halts equal
# counts from `cdict script`, or the commands' output for the same time.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium python3

cd "$TMPDIR" || exit
ln -s "$DATA/formats" formats
"$MKPERF" -o neighbours.data "$DATA/neighbours.trace" || exit
# as if the host had two threads per core, so that there are siblings
python3 "$TOP/tests/tools/check/pairthreads.py" "$DATA/kvm-small.data" kvm-small.data || exit
what=()
for file in neighbours.data kvm-small.data "$DATA/kvm-callchain.data" ${SHARED:+"$SHARED/captures/kvm/kvm-medium.data"}; do
	name=$(basename "$file" .data)
	"$CDICT" convert -q -i "$file" -o "$name.cdict" >/dev/null 2>&1
	[ "$name" != kvm-small ] || "$CDICT" annotate -q "$name.cdict" --map "$DATA/kvm-small.map.csv" || exit
	[ -s "$name.cdict" ] && report "$name.cdict" -o "$name.html" || exit
	what+=("what_pictures_of_${name}_show_can_be_counted" "$name.html" "$name.cdict")
done
node "$LIB/pictures.mjs" "${what[@]}"
