#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# takes: 14
#
# In a real Chromium: the page's own decoder reads what libcdict reads, every field of every event.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium
dump=$BUILD/tests/tools/dumpevents
[ -x "$dump" ] || { echo "there is no $dump" >&2; exit 1; }

# all NAME: of the captures on stdin
all() {
	local name file args=() wrong
	while read -r name file; do
		report "$file" -o "$name.html" || { grep -q 'holds no event' report.out && continue; }
		"$dump" "$file" >"$name.lines" 2>/dev/null
		args+=("$name.html" "$file" "$name.lines")
	done
	[ ${#args[@]} -gt 0 ] || { fail "$1" <<<"there is no capture"; return; }
	if wrong=$(node "$LIB/checksum.mjs" "${args[@]}" 2>&1); then pass "$1"; else fail "$1" <<<"$wrong"; fi
}
captures | all the_page_decodes_real_captures_to_the_last_field
made_up | all the_page_decodes_made_up_captures_to_the_last_field

# a block that was changed: the page leaves it out, as the reader does
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict
size=$(stat -c %s run.cdict)
for at in 3 5 7; do
	cp run.cdict broken.cdict
	printf '\377\377\377\377' | dd of=broken.cdict bs=1 seek=$((size * at / 10)) conv=notrunc 2>/dev/null
	report broken.cdict -o broken.html || exit 1
	"$dump" broken.cdict >broken.lines 2>/dev/null
	text=$(node "$LIB/checksum.mjs" --damaged broken.html broken.cdict broken.lines 2>&1) && text=
	verdict "a_block_damaged_at_${at}0_percent_costs_that_block" "$text"
done
