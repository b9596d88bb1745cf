#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# waits: 1
#
# In a real Chromium: two clicks lead from the first finding to the worst wait with who had the CPU in view, and
# every number there is the command's; and who was beside whom is the command's, or it is said why nobody knows.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium python3

cd "$TMPDIR" || exit
ln -s "$DATA/formats" formats
"$MKPERF" -o neighbours.data "$DATA/neighbours.trace" || exit
what=()
for file in neighbours.data "$DATA/kvm-small.data" "$DATA/kvm-zstd.data" ${SHARED:+"$SHARED/captures/kvm/kvm-libvirt.data"}; do
	name=$(basename "$file" .data)
	# as if the host had two threads a core, so that somebody was beside somebody
	[ "$name" != kvm-small ] || { python3 "$TOP/tests/tools/pairthreads.py" "$file" paired.data && file=paired.data; } || exit
	"$CDICT" convert -q -i "$file" -o "$name.cdict" >/dev/null 2>&1
	[ -s "$name.cdict" ] && report "$name.cdict" -o "$name.html" || exit
	what+=("two_clicks_lead_to_the_worst_wait_of_$name" "$name.html" "$name.cdict")
done
node "$LIB/delays.mjs" "${what[@]}"
