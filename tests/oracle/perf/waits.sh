#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# timeout: 600
#
# Every wait of every capture: computed from its events by an independent program (tests/tools/check/waits.py), with and without
# sched_wakeup, and compared with perf's; the delays of tasks equal thread_state of `cdict query`, for the whole capture and for windows.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
waits=$TOP/tests/tools/check/waits.py
if ! "$CDICT" query 'SELECT 1' "$DATA/kvm-small.data" >out 2>err && grep -q 'not installed' err; then
	skip waits "SQLite is not installed"
	exit 0
fi
have_perf || skip waits-of-perf "perf is not installed"

# Events of other kinds of captures: `perf sched record` has no sched_wakeup, old kernels have no sched_waking.
waking_alone='sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_migrate_task,kvm:*'
wakeup_alone='sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task,kvm:*'

n=0
check() { # NAME FILE [perf]
	local data=
	rm -f ./*.cdict
	"$CDICT" convert -q --max-loss 100 -i "$2" -o x.cdict 2>convert.err </dev/null
	[ -s x.cdict ] || { fail "waits-$1" <convert.err; return; }
	[ -n "${3-}" ] && have_perf && data=$2
	verdict "waits-$1" "$(python3 "$waits" "$CDICT" x.cdict ${data:+"$data"} 2>>counts)"
	verdict "waits-$1-are-those-of-thread-state" "$(python3 "$waits" "$CDICT" x.cdict --sums 2>>counts)"
	for of in waking_alone wakeup_alone; do
		in_sample $((n += 1)) 2 || continue # in the next capture the other one; EVERY=1: both
		"$CDICT" convert -q --max-loss 100 -e "${!of}" -i "$2" -o $of.cdict 2>convert.err </dev/null
		[ -s $of.cdict ] || continue
		verdict "waits-$1-${of/_/-}" "$(python3 "$waits" "$CDICT" $of.cdict 2>>counts
			python3 "$waits" "$CDICT" $of.cdict --sums 2>>counts)"
	done
	n=$((n + 1))
}

while IFS= read -r data; do
	check "$(basename "$data" .data)" "$data" perf
done < <(real_captures)
for trace in woken-on-cpu waking-alone wakeup-in-vain neighbours two-vcpus migrations; do
	"$MKPERF" -o x.data "$DATA/$trace.trace" 2>mkperf.err || { fail "waits-$trace" <mkperf.err; continue; }
	check $trace x.data
done
verdict some-waits-were-begun-by-a-wakeup "$(grep -q ' [1-9][0-9]* of them begun by a wakeup; ' counts || cat counts)"
verdict some-waits-are-cut-by-the-end "$(grep -q '; [1-9][0-9]* are cut' counts || cat counts)"
