#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# On a terminal of 60 to 200 columns no two names of a command's tables are printed as the same text, and at 80 columns each command has
# the columns that answer its question: a capture of KVM, with long labels and without. Of cdict top, which takes no file: the tables that
# it prints after the time of a capture, of five captures of KVM.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/tools/run/terminals.sh"
unset PAGER CDICT_PAGER LESS COLUMNS LINES

cat >keys <<'END_OF_KEYS'
tasks: task, run, lat max
tasks --by group: group, run, lat max
exits: exits, on CPU, time, max
exits --by reason: reason, exits, on CPU, time, max
exits --by vm: vm, exits, on CPU, time, max
vcpu: task, waited, worst
vcpu --by vm: VM, was behind, for, at s
vcpu --by antagonist: task, was behind, for
vcpu --by reason: task, reason, exit
latency: task, waits, max
coremap: task, all CPUs
switches: CPU, switches, busy %
count: event, events
successors -t .: task, next
top vms: VM, waited %, behind, CPU %, exits
top tasks: task, tid, waited %, behind, CPU %, exits
END_OF_KEYS

cat >label.py <<'END_OF_LABEL'
import json, sys
print("tid,libvirt-instance,role")
for t in json.load(sys.stdin)["tasks"]:
    if t["vm"] is not None:
        print(f"{t['tid']},a-cluster-of-the-north/instance-{int(t['vm']):08x},{'vcpu%d' % t['vcpu'] if t['vcpu'] is not None else t['comm']}")
END_OF_LABEL

on() { terminals python3 "$TOP/tests/tools/run/terminal.py" "$@"; }

distinct() { # FILES...
	local width command file
	grep -v ^top keys | cut -d: -f1 | sed '$a vcpu --by halt\nvcpu --by sibling\ntasks --by role\nstats\nvm' | while read -r command; do
		for file in "$@"; do
			echo "echo '=== $command $file'; $CDICT $command $file.cdict -q --no-pager --max-loss 100 2>/dev/null"
		done
	done >all
	for file in "$@" $captures; do
		for command in vms tasks; do
			echo "echo '=== top $command $file'; $BUILD/tests/tools/check/toprows $file.cdict $command"
		done
	done >>all
	on 2000 100 sh all >full
	for width in 60 80 100 120 200; do
		on $width 100 sh all >out
		if [ $width = 80 ]; then python3 "$TOP/tests/tools/run/terminalnames.py" full out keys; else python3 "$TOP/tests/tools/run/terminalnames.py" full out; fi >names 2>&1
		[ "$(cat names)" = 'rows names were cut' ] || { echo "$width columns:"; cat names; }
	done
}

on 80 24 true || { skip names_on_a_terminal_stay_different "no pseudo-terminals"; exit; }
capture=$SHARED/captures/kvm/kvm-libvirt.data
[ -n "${SHARED-}" ] && [ -e "$capture" ] || capture=$DATA/kvm-small.data
"$CDICT" convert -q -i "$capture" -o plain.cdict
"$CDICT" tasks -q --json plain.cdict >tasks.json
cp plain.cdict long.cdict
captures=
for data in "${SHARED:-/nonexistent}"/captures/kvm/kvm-[lm]*.data; do
	[ -e "$data" ] || continue
	captures+=" $(basename "$data" .data)"
	"$CDICT" convert -q --max-loss 100 -i "$data" -o "$(basename "$data" .data).cdict" || exit
done
python3 label.py <tasks.json >map.csv && "$CDICT" annotate -q long.cdict --map map.csv
verdict names_on_a_terminal_stay_different "$(distinct plain long 2>&1)"
