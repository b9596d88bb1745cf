#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# waits: 1
#
# In a real Chromium: many tasks in few rows. The figures of groups and their members, for the whole capture, a range, some CPUs and
# some tasks, equal the commands'; groups fold and unfold by click, by keyboard and by the address.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

cd "$TMPDIR" || exit
what=()
for file in "$DATA/kvm-libvirt-cgroups.data" "$DATA/kvm-small.data" ${SHARED:+"$SHARED/captures/kvm/kvm-libvirt.data"}; do
	name=$(basename "$file" .data)
	"$CDICT" convert -q -i "$file" -o "$name.cdict" >/dev/null 2>&1
	# and by the names that the file has
	[ "$name" != kvm-small ] || "$CDICT" annotate -q "$name.cdict" --map "$DATA/kvm-small.map.csv" || exit
	[ -s "$name.cdict" ] && report "$name.cdict" -o "$name.html" || exit
	what+=("groups_of_${name//-/_}_are_the_commands" "$name.html" "$name.cdict")
done
node "$LIB/groups.mjs" "${what[@]}"
