#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# waits: 1
#
# In a real Chromium: no view, and no export from one, writes to the console or uses the network, whatever
# the names in the capture; the test also proves that it can fail.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict || exit 1
report run.cdict || exit 1
hostile evil.cdict || exit 1
report evil.cdict --label '</title><script>alert(1)</script>' || exit 1
cp evil.cdict named.cdict && hostile_labels named.cdict && report named.cdict || exit 1
# the name of the file, and lanes, panels and matrices of such names
mv named.cdict '<img src=x onerror=alert(7)>.cdict' && report '<img src=x onerror=alert(7)>.cdict' -o file.html && mv '<img src=x onerror=alert(7)>.cdict' named.cdict || exit 1
hostile_formats formats.cdict && report formats.cdict || exit 1
wrong=
"$CDICT" exits -q formats.cdict --format csv | grep -qF '</script><img src=x onerror=alert(1)>' || wrong='the reasons are not those of the formats. '
"$CDICT" script formats.cdict 2>err | grep -qF '</script><img src=x onerror=alert(2)>' || wrong+="the event is not printed: $("$CDICT" script formats.cdict 2>&1 | tail -n 2)"
verdict the_formats_are_hostile "$wrong"
report formats.cdict run.cdict -o formats-both.html || exit 1
report named.cdict evil.cdict -o named-both.html || exit 1
report evil.cdict run.cdict --label "'\"><img src=x onerror=alert(1)>,b" -o both.html || exit 1
report run.cdict --embed none -o none.html || exit 1
"$CDICT" heatmap -q run.cdict --view exits --by time -o exits.html || exit 1

# Faults to be noticed: each of these is put into a page of ours, with the policy taken out.
bad=('console.log(1)' 'fetch("http://127.0.0.1:9/")' 'new Image().src = "http://127.0.0.1:9/x"'
	'throw new Error("x")' 'alert(1)')
for i in "${!bad[@]}"; do
	sed -e 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' run.html >"bad-$i.html"
	printf '<script>setTimeout(() => { %s }, 300)</script>' "${bad[i]}" >>"bad-$i.html"
done
# and with it
sed -e 's|</body>|<script>document.title = "ran"</script></body>|' run.html >stopped.html

# and of exports, where the page forgets to escape
sed -e 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' -e 's/}">\${escape(shown)}</}">${shown}</' named.html >taken-picture.html
sed -e 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' -e 's|/^\[=+\\-@\]/|/^[]/|' named.html >taken-table.html

look_at run.html evil.html named.html +file.html +formats.html formats-both.html +named-both.html both.html none.html exits.html bad-*.html stopped.html +taken-picture.html +taken-table.html
quiet no_view_logs_or_requests_anything run.html
quiet hostile_names_run_nothing evil.html
quiet hostile_labels_run_nothing named.html
quiet a_hostile_name_of_a_file_runs_nothing file.html
quiet hostile_reasons_and_events_run_nothing formats.html
quiet hostile_reasons_run_nothing_in_a_comparison formats-both.html
quiet hostile_labels_run_nothing_in_a_comparison named-both.html
quiet a_comparison_is_quiet both.html
quiet a_page_without_the_capture_is_quiet none.html
quiet a_page_of_one_view_is_quiet exits.html

for i in "${!bad[@]}"; do
	name=a_page_that_does_$(tr -cs 'a-z' '_' <<<"${bad[i]%%(*}" | sed 's/_$//')_is_noticed
	case $(actions_of "bad-$i.html") in
	"" | *": quiet") fail "$name" <<<"it is not: $(actions_of "bad-$i.html")" ;;
	*) pass "$name" ;;
	esac
done
for what in picture table; do
	case $(actions_of taken-$what.html) in
	*' is not a picture'* | *'more than shapes'* | *'is a formula'*) pass "a_${what}_that_is_not_escaped_is_noticed" ;;
	*) fail "a_${what}_that_is_not_escaped_is_noticed" <<<"it is not: $(actions_of taken-$what.html)" ;;
	esac
done
# the policy alone stops them
grep -q 'Content Security Policy' <<<"$(actions_of stopped.html)" && wrong= || wrong="it ran: $(actions_of stopped.html)"
verdict the_policy_lets_no_other_script_run "$wrong"
