#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# waits: 1
#
# In a real Chromium: a click on a finding, a search and the address open the story of a VM; its parts add up to the VM's time, and
# they, its threads and its chains of wake-ups are those of cdict vm, for the whole capture and for a range.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

cd "$TMPDIR" || exit
what=()
for file in "$DATA/kvm-small.data" ${SHARED:+"$SHARED/captures/kvm/kvm-libvirt.data"}; do
	name=$(basename "$file" .data)
	"$CDICT" convert -q -i "$file" -o "$name.cdict" >/dev/null 2>&1
	[ "$name" != kvm-small ] || "$CDICT" annotate -q "$name.cdict" --map "$DATA/kvm-small.map.csv" || exit
	[ -s "$name.cdict" ] && report "$name.cdict" -o "$name.html" || exit
	what+=("stories_of_${name//-/_}_are_those_of_the_command" "$name.html" "$name.cdict")
done
node "$LIB/story/story.mjs" "${what[@]}"
