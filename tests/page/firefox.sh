#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 400
# waits: 1
#
# The same page in a real Firefox: figures equal the commands', for the whole capture and for ranges; a click on a
# finding opens the VM's story, as in Chromium; its console stays empty, whatever the names.
set -u
. "$TOP/tests/page/_lib.sh"
need node "${FIREFOX:-firefox-esr}"

# same NAME CDICT - its page is made, and asked about with the others
cases=()
same() {
	report "$2" -o "$1.html" || { fail "$1" <report.out; return; }
	cases+=("$1" "$1.html" "$2")
}

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o small.cdict || exit 1
same a_range_of_kvm-small_has_the_figures_of_--time small.cdict
for name in vmx loss; do
	same "a_range_of_made-up_${name}_has_the_figures_of_--time" "$TOP/tests/oracle/format/v1.0-$name.cdict"
done

node "$LIB/ranges.mjs" --firefox "${cases[@]}" || fail the_browser_ends_well <<<"node ended with $?"

node "$LIB/keys.mjs" --select --firefox a_range_of_kvm-small_has_the_figures_of_--time.html small.cdict

# one click on a finding opens the story of a VM, whose parts are those of cdict vm
"$CDICT" annotate -q small.cdict --map "$DATA/kvm-small.map.csv" && report small.cdict -o story.html || exit 1
node "$LIB/story/story.mjs" --firefox the_story_of_a_VM_is_that_of_the_command story.html small.cdict

hostile evil.cdict || exit 1
report evil.cdict --label '</title><script>alert(1)</script>' || exit 1
report evil.cdict small.cdict --label "'\"><img src=x onerror=alert(1)>,b" -o both.html || exit 1
# And it would notice.
report small.cdict || exit 1
sed 's|</body>|<img src="x" onerror="alert(1)"></body>|' small.html >asks.html

look_at --firefox evil.html both.html asks.html
quiet hostile_names_run_nothing evil.html
quiet a_comparison_is_quiet both.html
grep -q 'Content-Security-Policy' <<<"$(actions_of asks.html)" && text= || text=$(actions_of asks.html; echo "nothing is reported")
verdict a_page_that_asks_for_something_is_noticed "$text"
