#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1200
# waits: 1
#
# In a real Chromium: the figures of the page and of its document equal the commands', for the
# whole capture and for ranges selected in the page. Of the real captures every second; EVERY=1: all.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

# one NAME CDICT - its page is made, and both are asked about at the end
cases=()
one() {
	if report "$2" -o "$1.html"; then
		cases+=("$1" "$1.html" "$2")
	elif ! grep -q 'no event' report.out; then
		fail "$1" <report.out
	fi
}

n=0
while read -r name file; do
	in_sample $((n += 1)) 2 || continue
	one "a_range_of_${name}_has_the_figures_of_--time" "$file"
done < <(captures)
for name in vmx svm arm64 sched loss disorder late; do
	one "a_range_of_made-up_${name}_has_the_figures_of_--time" "$TOP/tests/oracle/format/v1.0-$name.cdict"
done
node "$LIB/ranges.mjs" "${cases[@]}" || fail the_browser_ends_well <<<"node ended with $?"
