#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Names of tasks, parameters and frames are untrusted text: in no format of query, export, flame and sweep does a spreadsheet, a
# terminal or a browser run any part of them; they do not reorder or hide text next to them, and no part is lost.
# needs: python3
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
harmless() { python3 "$TOP/tests/oracle/exchange/_lib/harmless.py" "$@" 2>&1 | tail -n 3 | sed "s/^/$2: /"; }

cat >evil.trace <<'R'
cpus 1
cpuid GenuineIntel,6,85,7
default kvm:kvm_exit isa=1
default sched:sched_switch prev_prio=120 next_prio=120
proc 301 "</script><img"
proc 302 "=1+1,x|"
proc 303 "\x1b[2J\xff\n"
proc 304 "+a\xe2\x80\xaeb"
proc 305 "@SUM(A1)"
proc 306 "-2+3'&;"
proc 307 "</style>&<b>"
  0 [000] 9.990000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=301
301 [000] 10.000000: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
302 [000] 10.000100: sched:sched_switch: prev_pid=302 prev_state=S next_pid=303
303 [000] 10.000300: sched:sched_switch: prev_pid=303 prev_state=S next_pid=304
304 [000] 10.000600: sched:sched_switch: prev_pid=304 prev_state=S next_pid=305
305 [000] 10.000700: sched:sched_switch: prev_pid=305 prev_state=S next_pid=306
306 [000] 10.000800: sched:sched_switch: prev_pid=306 prev_state=S next_pid=307
307 [000] 10.000900: sched:sched_switch: prev_pid=307 prev_state=S next_pid=301
301 [000] 10.001000: kvm:kvm_entry: vcpu_id=0 rip=0x1000
301 [000] 10.001100: kvm:kvm_exit: vcpu_id=0 exit_reason=HLT guest_rip=0x1010
301 [000] 10.001200: kvm:kvm_entry: vcpu_id=0 rip=0x1000
301 [000] 10.001300: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
R
"$MKPERF" --formats "$DATA/formats" -o evil.data evil.trace && "$CDICT" convert -q -i evil.data -o evil.cdict || exit 1
printf '301,=v\xe2\x80\xae\x1b[1m,vcpu0,,,7,"=cmd|\x27/c calc\x27!A1"\n304,,,,,,"@\xe2\x80\xaelabel"\n' >map.csv
# output on a terminal, in CSV and in JSON
all=('</script><img' '=1+1,x|' '\x1b[2J\xff' '<U+202E>' '@SUM(A1)' '-2+3' '</style>&<b>')
# JSON has an escape of its own for control characters
json=('</script><img' '=1+1,x|' '[2J' '<U+202E>' '@SUM(A1)' '-2+3' '</style>&<b>')

query() {
	local sql='SELECT tid, name, comm, vm FROM thread ORDER BY tid; SELECT prev_comm, next_comm AS "=2+2" FROM sched_switch'

	for format in text csv md json; do
		"$CDICT" query -q "$sql" evil.cdict --map map.csv --format $format -o "q.$format" || return
	done
	harmless text q.text "${all[@]}"
	# SQL's two results are two tables
	harmless csv q.csv "${all[@]}"
	harmless json q.json "${json[@]}"
	harmless raw q.md '\x1b\[2J' '+a&lt;U+202E&gt;b'
}
exported() {
	for format in csv chrome pfw; do
		"$CDICT" export -q evil.cdict --to $format -o "x.$format" || return
		"$CDICT" export -q evil.cdict --map map.csv --to $format -o "m.$format" || return
	done
	harmless csv x.csv "${all[@]}"
	harmless csv m.csv '=cmd' '<U+202E>label'
	harmless json x.chrome "${json[@]}"
	harmless json m.chrome '=cmd' '<U+202E>label'
	harmless lines x.pfw "${json[@]}"
	harmless lines m.pfw '=cmd' '<U+202E>label'
}
stacks() {
	# a file supplies its own frames; those of a capture are its tasks
	printf '%b 7\n' '</script><img;=1+1,x|;\x1b[2J\xff;+a\xe2\x80\xaeb;@SUM(A1);-2+3;</style>&<b>' >h.folded
	for format in text csv md json svg html folded; do
		"$CDICT" flame -q h.folded --format $format >"f.$format" || return
	done
	harmless text f.text '@SUM(A1)'
	harmless csv f.csv "${all[@]}"
	harmless json f.json "${json[@]}"
	harmless svg f.svg '=1+1'
	harmless html f.html
	harmless text f.folded '</script><img'
}
swept() {
	local bad=$'=1+1|<img>\x1b[2J\xe2\x80\xae'

	"$CDICT" sweep -q -n 1 -L b "$bad,@x,-2+a,</script>" --metric v -o s.csv -o s.svg -o s.html -o s.json -- echo '{"v": 1}' >s.text 2>err || { cat err; return; }
	"$CDICT" sweep -q --plot s.json --format md >s.md
	harmless text s.text '=1+1' '<U+202E>'
	harmless csv s.csv '=1+1' '<U+202E>' '@x' '-2+a'
	harmless svg s.svg
	harmless html s.html
	harmless raw s.md '&lt;U+202E&gt;'
	"$CDICT" sweep -q --plot s.json -o again.csv >/dev/null || return
	cmp s.csv again.csv
}

verdict names_in_query "$(query 2>&1)"
verdict names_in_exports "$(exported 2>&1)"
verdict names_in_flame_graphs "$(stacks 2>&1)"
verdict names_in_sweeps "$(swept 2>&1)"
