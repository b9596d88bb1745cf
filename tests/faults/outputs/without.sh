#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# needs: python3
#
# Captures without CPUs, without tasks, without time: every command with every choice of its options exits with one of cdict's
# statuses. The sanitizer build runs this test, too (tests/run): a sanitizer report is a failure.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

# made NAME - of the trace on stdin
made() {
	{ echo "cpus 2"; cat; } >"$1.trace"
	"$MKPERF" --formats "$DATA/formats" -o "$1.data" "$1.trace" && "$CDICT" convert -q -e '*' -i "$1.data" -o "$1.cdict" 2>err.txt
	[ -s "$1.cdict" ] || { echo "$1.cdict could not be made:"; cat err.txt; exit 1; }
}
switch='sched:sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S next_comm=b next_pid=11 next_prio=120'
made one-event <<<"10 [001] 50.000000: $switch"
made one-time <<R
10 [000] 50.000000: $switch
10 [001] 50.000000: $switch
11 [000] 50.000000: kvm:kvm_exit: exit_reason=12 isa=1
11 [000] 50.000000: kvm:kvm_entry: vcpu_id=0
R
made idle-only <<'R'
0 [000] 50.000000: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R next_comm=swapper/0 next_pid=0 next_prio=120
0 [000] 50.001000: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R next_comm=swapper/0 next_pid=0 next_prio=120
R
made wakes-only <<'R'
10 [000] 50.000000: sched:sched_waking: comm=b pid=11 prio=120 target_cpu=001
10 [000] 50.001000: sched:sched_waking: comm=b pid=11 prio=120 target_cpu=001
R
made exit-only <<'R'
10 [000] 50.000000: kvm:kvm_exit: exit_reason=12 isa=1
R
# the first bytes of every cdict, and nothing after them
head -c 16 one-event.cdict >empty.cdict
# which has lines that cannot be read: status 2
"$CDICT" convert -q -i "$DATA/job.pfw" -o io.cdict 2>err.txt
[ -s io.cdict ] || { cat err.txt; exit 1; }

verdict every_command_on_captures_without_cpus_tasks_or_time \
	"$(python3 "$TOP/tests/tools/check/walkall.py" empty.cdict io.cdict one-event.cdict one-time.cdict idle-only.cdict wakes-only.cdict exit-only.cdict 2>runs.txt || cat runs.txt)"
tail -n 1 runs.txt
