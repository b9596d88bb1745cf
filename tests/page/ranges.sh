#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1200
#
# In a real Chromium: the figures of the page and of its document are those of the commands, for the
# whole capture and for ranges chosen in the page.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

# one NAME CDICT
one() {
	local text
	if ! report "$2" -o "$1.html"; then
		grep -q 'holds no event' report.out && return
		fail "$1" <report.out
		return
	fi
	if text=$(node "$LIB/ranges.mjs" "$1.html" "$2" 2>&1); then pass "$1"; else fail "$1" <<<"$text"; fi
	rm -f "$1.html"
}

while read -r name file; do
	one "a_range_of_${name}_has_the_figures_of_--time" "$file"
done < <(captures)
for name in vmx svm arm64 sched loss disorder late; do
	one "a_range_of_made-up_${name}_has_the_figures_of_--time" "$TOP/tests/golden/v1.0-$name.cdict"
done
