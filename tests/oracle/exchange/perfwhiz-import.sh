#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
#
# Files of perfwhiz, the Python tool that first used the name cdict: msgpack reads cdict's output, cdict reads every
# row, and reading and writing a file again leaves it unchanged.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

# by whichever Python has it: Debian's is not the first of every PATH
python=
for one in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$one" -c 'import msgpack' 2>/dev/null || python=$one
done
rows() { "$python" "$TOP/tests/tools/make/mkperfwhiz.py" --text "$1"; }
# events FILE - those of a cdict, as rows: event cpu usecs pid duration next
events() {
	"$CDICT" script "$1" | sed -nE '
		s/^ *[0-9]+ \[([0-9]+)\] +([0-9.]+): +sched:sched_switch: .* prev_pid=([0-9]+) prev_state=\? ==> .* next_pid=([0-9]+) runtime=([0-9]+).*/sched__sched_switch \1 \2 \3 \5 \4/p
		s/^ *[0-9]+ \[([0-9]+)\] +([0-9.]+): +sched:sched_stat_(sleep|iowait): .* pid=([0-9]+) delay=([0-9]+).*/sched__sched_stat_\3 \1 \2 \4 \5 0/p
		s/^ *([0-9]+) \[([0-9]+)\] +([0-9.]+): +kvm:kvm_entry: exit_ns ([0-9]+)/kvm_entry \2 \3 \1 \4 nil/p
		s/^ *([0-9]+) \[([0-9]+)\] +([0-9.]+): +kvm:kvm_exit: reason (.*) guest_ns ([0-9]+)/kvm_exit \2 \3 \1 \5 \4/p' |
		awk '{ e = $1; cpu = $2 + 0; us = sprintf("%.1f", $3 * 1000000); pid = $4; ns = $5; $1 = $2 = $3 = $4 = $5 = "";
			sub(/^ */, ""); print e, cpu, us, pid, int(ns / 1000), $0 }' | sort
}

if [ -z "$python" ]; then
	skip perfwhiz "no Python has msgpack"
	exit 0
fi

# ---- every row is an event, every event but the entries that were left out a row -----------------------

python3 "$TOP/tests/tools/make/mkperfwhiz.py" "$DATA/perfwhiz.txt" old.whiz
verdict perfwhiz_file_of_the_tests_is_one "$(grep -v '^#' "$DATA/perfwhiz.txt" | diff - <(rows old.whiz))"
"$CDICT" convert -q -e '*' -i old.whiz -o old.cdict
rows old.whiz | awk -F '\t' '
	BEGIN { name[30] = "IO_INSTRUCTION"; name[12] = "HLT" }
	$1 == "sched__sched_wakeup" { next }
	{ next_ = $1 == "kvm_exit" ? ($8 in name ? name[$8] : $8) : $7; print $1, $2, sprintf("%.1f", $3), $4, $6, next_ }' | sort >rows.txt
events old.cdict >events.txt
verdict perfwhiz_rows_are_events "$(comm -23 rows.txt events.txt)"
verdict perfwhiz_other_events_are_entries_left_out "$(comm -13 rows.txt events.txt | diff - <(printf '%s\n' 'kvm_entry 0 50.0 4242 0 nil' 'kvm_entry 1 690.0 4243 0 nil'))"
for jobs in 1 3; do "$CDICT" convert -q -j $jobs -i old.whiz -o j$jobs.cdict; done
verdict perfwhiz_one_thread_or_three "$(cmp j1.cdict j3.cdict)"

# ---- there and back ------------------------------------------------------------------------------------

"$CDICT" export --help >help.txt 2>&1 || { skip perfwhiz_there_and_back "there is no cdict export"; exit 0; }
for real in kvm-small kvm-libvirt-cgroups; do
	"$CDICT" convert -q -i "$DATA/$real.data" -o here.cdict
	"$CDICT" export -q --to perfwhiz -o there.whiz here.cdict 2>export.err
	"$CDICT" convert -q -i there.whiz -o back.cdict
	"$CDICT" export -q --to perfwhiz -o again.whiz back.cdict 2>>export.err
	rows there.whiz >there.txt
	rows again.whiz >again.txt
	# The recording begins with the first switch that is a row, so times are moved; the earlier run time of a CPU's
	# first task is unknown then, and an exit is added for an entry without an exit before it.
	wrong=$("$python" - there.txt again.txt <<'P'
import collections
import sys


def load(name):
    return [line.rstrip('\n').split('\t') for line in open(name, errors='surrogateescape')]


def firsts(rows):
    """The first switch of each CPU."""
    seen = {}
    for row in sorted((r for r in rows if r[0] == 'sched__sched_switch'), key=lambda r: float(r[2])):
        seen.setdefault(row[1], tuple(row))
    return set(seen.values())


there, again = load(sys.argv[1]), load(sys.argv[2])
moved = min(int(r[2]) for r in there if r[0] == 'kvm_exit') - min(int(r[2]) for r in again if r[0] == 'kvm_exit')
again = [r[:2] + [str(int(r[2]) + moved)] + r[3:] for r in again]
a, b = collections.Counter(map(tuple, there)), collections.Counter(map(tuple, again))
if len(there) < 100:
    print('only', len(there), 'rows')
for row in a - b:
    if row not in firsts(there):
        print('lost', *row)
for row in b - a:
    if row[0] != 'kvm_entry' and row not in firsts(again):
        print('new', *row)
P
	)
	verdict "perfwhiz_there_and_back_$real" "$wrong"
done
