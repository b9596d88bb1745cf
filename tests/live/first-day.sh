#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 240
# shares: 1
# waits: 1
#
# Fifty commands that a user of perf types on the first day: each with its status and
# expected output. They run in sequence in one folder.
# shellcheck disable=SC2154
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

may_record || exit 77
mkdir bin day && cp "$DATA/kvm-small.data" "$DATA/kvm-pipe.data" day && ln -s "$CDICT" bin/cdict
PATH=$PWD/bin:$PATH
cd day || exit 1
load() { perf bench sched pipe -l "${1:-5000}" >/dev/null 2>&1; }
export -f load

n=0
# type STATUS PATTERN COMMAND - a line of it, on standard output or error, matches
type_() {
	local rc
	n=$((n + 1))
	bash -c "$3" </dev/null >output 2>&1
	rc=$?
	if [ $rc -eq "$1" ] && grep -qE -e "$2" output; then
		printf 'ok %02d_%s\n' $n "$(tr -cs 'a-zA-Z0-9' _ <<<"${3:0:50}")"
	else
		printf 'not ok %02d_%s\n' $n "$(tr -cs 'a-zA-Z0-9' _ <<<"${3:0:50}")"
		echo "    # $3"
		echo "    # ends with $rc, $1 is wanted, and /$2/ in:"
		head -n 8 output | sed 's/^/    # /'
	fi
}

# ---- help and version
type_ 129 '^usage: cdict' 'cdict'
type_ 0 '^  record  .*record the scheduler and KVM live' 'cdict --help'
type_ 0 '^cdict [0-9.]+' 'cdict --version'
type_ 0 '^cdict [0-9.]+' 'cdict -V'
type_ 0 '^cdict [0-9.]+' 'cdict version'
type_ 0 '^  -p, --pid LIST' 'cdict record -h'
type_ 129 "did you mean 'record'" 'cdict recrod'
type_ 1 "not found: name a FILE, or record one with 'cdict record'" 'cdict tasks'
# ---- record, as perf record
type_ 0 '^\[ cdict record: [0-9,]+ events of .* to record.cdict' 'cdict record sleep 0.3'
type_ 0 'to record.cdict' 'cdict record -a -- sleep 0.2'
type_ 0 'events of 1 type ' 'cdict record -e sched:sched_switch -a sleep 0.2'
type_ 0 'events of 1 type ' 'cdict record -e sched_switch -a sleep 0.2'
type_ 0 'events of 2 types' "cdict record -e '{sched:sched_switch,sched:sched_waking}' -a sleep 0.2"
type_ 0 'events of ' "cdict record -e 'sched:*' -a -R -m 4M -o run.cdict -- bash -c 'load; sleep 0.1'"
type_ 1 "did you mean 'sched:sched_switch'" 'cdict record -e sched:sched_swtich -a sleep 0.1'
type_ 0 'events of ' 'cdict record -g -a sleep 0.1'
type_ 0 '^	 *ffff[0-9a-f]* .* \(' 'cdict script | head -n 200'
type_ 129 'every event is recorded' 'cdict record -F 99 -a sleep 0.1'
type_ 129 'must be greater than 0' 'cdict record -s 0'
type_ 129 'of 1 GiB at most' 'cdict record -m 4G -s 1'
type_ 0 'events of ' 'cdict record -p $$ -s 0.2 -o pid.cdict'
type_ 0 'events of ' 'cdict record -D 100 -s 300ms -o late.cdict'
type_ 0 'events of ' 'cdict record -C 0 -s 200ms -o cpu.cdict'
type_ 0 'to record.cdict' "cdict record -s 300ms & load; wait %1"
# ---- look, as perf report, script, sched
type_ 0 '^record.cdict: .* events, [0-9]+ CPUs?' 'cdict tasks'
type_ 0 '^host ' 'cdict info'
type_ 0 'sched:sched_switch: prev_comm=' 'cdict script | head -n 2000'
type_ 0 '"name": "cdict-tasks"' 'cdict tasks --json'
type_ 0 '^name,tid,pid' 'cdict tasks --format csv -n 3'
type_ 0 'against record' 'cdict diff --max-loss 100'
type_ 0 '^CPU +waits|CPU  waits' 'cdict latency --by cpu'
type_ 0 'sched-pipe|perf' 'cdict tasks -t sched-pipe run.cdict || cdict tasks -t perf run.cdict'
type_ 129 "did you mean '--sort'" 'cdict tasks --srot run_ns'
type_ 129 'known keys|run_ns' 'cdict tasks -s runtime'
type_ 0 'all CPUs' 'cdict coremap'
type_ 0 'busy' 'cdict switches'
type_ 0 '^run.cdict' 'cdict tasks run.cdict pid.cdict -n 5'
type_ 0 '^file ' "cdict tasks -n 5 '*.cdict'"
# ---- recordings of perf
type_ 0 'converted in memory' 'cdict tasks kvm-small.data'
type_ 0 'waited [0-9]+ ms of' 'cdict vcpu kvm-small.data'
type_ 0 'hlt' 'cdict exits kvm-small.data'
type_ 0 '7780 events|7,780 events' 'cat kvm-pipe.data | cdict tasks'
type_ 0 '12,004 events of 118 types kept' 'cdict convert kvm-small.data'
type_ 0 '12,004 events' 'cdict convert -i kvm-small.data -o -  2>&1 >/dev/null'
type_ 1 'trace.dat is truncated within its header' "printf '\\027\\010\\104tracing6\\0' >trace.dat; cdict info trace.dat"
type_ 0 '^kvm-small.html$' 'cdict report kvm-small.cdict && ls'
type_ 0 'lost|loss' "perf record -q -e 'sched:*' -a -o - sleep 0.2 2>/dev/null | cdict tasks --max-loss 100 -n 3"
# ---- longer runs
type_ 0 'r.[0-9]{16}.cdict' 'cdict record -q --switch-output=200ms -s 500ms -o r.cdict; ls'
type_ 0 'ended|size' 'cdict record --max-size 1K -s 20 -o small.cdict & load 20000; wait %1; cdict info --json small.cdict | grep record.end'
type_ 0 'written to keep.cdict' 'cdict record --keep 1s -s 300ms -o keep.cdict'
type_ 0 '^record.cdict.old$' 'ls'
[ $n -ge 50 ] || echo "not ok fifty_commands_were_typed"
