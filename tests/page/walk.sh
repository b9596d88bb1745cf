#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1200
#
# In a real Chromium, view by view, with filters and at three zoom levels: tooltips, details of clicked items and
# findings equal the commands' output for the same time.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

cd "$TMPDIR" || exit
ln -s "$DATA/formats" formats
"$MKPERF" -o neighbours.data "$DATA/neighbours.trace" && "$MKPERF" -o latency.data "$DATA/latency.trace" || exit
what=()
n=0
for file in neighbours.data latency.data "$DATA/kvm-small.data" "$DATA/kvm-zstd.data" "$DATA/kvm-callchain.data" "$TOP/tests/oracle/format/v1.0-loss.cdict" "$TOP/tests/oracle/format/v1.0-sched.cdict" \
	${SHARED:+"$SHARED/captures/kvm/kvm-libvirt-small.data"}; do
	# of the real captures every second; EVERY=1: all
	case $file in */kvm-*.data) in_sample $((n += 1)) 2 || continue ;; esac
	name=$(basename "$file" | sed 's/\.[a-z]*$//')
	case $file in
	*.cdict) cp "$file" "$name.cdict" ;;
	*) "$CDICT" convert -q -i "$file" -o "$name.cdict" >/dev/null 2>&1 ;;
	esac
	[ -s "$name.cdict" ] && report "$name.cdict" -o "$name.html" || exit
	what+=("the_figures_of_${name}_are_those_of_the_commands" "$name.html" "$name.cdict")
done
node "$LIB/walk.mjs" "${what[@]}"
