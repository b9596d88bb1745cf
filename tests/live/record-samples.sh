#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# shares: 1
# needs: python3
#
# record -e cpu-clock: samples of events that are no tracepoints, with their stacks, as perf record takes them.
# shellcheck disable=SC2154
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

program=$BUILD/tests/tools/run/threetoone
may_record || exit 77
perf record -q -e cpu-clock -o may.data -- true 2>may.err || { echo "perf cannot sample cpu-clock here: $(tail -n 1 may.err)" >&2; exit 77; }

# stopped COMMAND... - starts it, stopped; sets pid
stopped() {
	"$BASH" -c 'kill -STOP $$; exec "$@"' - "$@" &
	pid=$!
	until grep -q '^State:.T' /proc/$pid/status; do sleep 0.01; done
}
# recorded OPTIONS - of the program's threads alone, to x.cdict; the recorder ends with them
recorded() {
	local recorder
	stopped "$program" 400 200000
	"$CDICT" record -q -o x.cdict "$@" -p $pid 2>rec.err &
	recorder=$!
	ready $recorder
	kill -CONT $pid
	wait $pid
	wait $recorder || cat rec.err
	cat rec.err
}
samples() { "$CDICT" info -q --max-loss 100 --json x.cdict | python3 -c 'import json, sys; print(sum(t["count"] for t in json.load(sys.stdin)["events"] if t["event"].startswith(sys.argv[1])))' "$1"; }

# share FILE - of three_quarters in both functions, of cdict's table or perf's report
share='
import json, re, sys
self = {}
if sys.argv[1].endswith(".json"):
    for row in json.load(open(sys.argv[1]))["functions"]:
        self[row["function"]] = row["self"]
else:
    for line in open(sys.argv[1]):
        if m := re.match(r"\s*([\d.]+)%\s.*\b(three_quarters|one_quarter)\s*$", line):
            self[m[2]] = float(m[1])
print("%.1f" % (100 * self["three_quarters"] / (self["three_quarters"] + self["one_quarter"])))
'

# Three quarters of the samples are in one function; all have main in their stack.
functions() {
	local all
	recorded -e cpu-clock -g
	"$CDICT" flame --functions --json x.cdict >functions.json || return
	perf record -q -e cpu-clock -g -o p.data -- "$program" 400 200000
	perf report -i p.data --stdio --no-children -g none --sort sym 2>/dev/null >report.txt
	ours=$(python3 -c "$share" functions.json)
	perfs=$(python3 -c "$share" report.txt)
	python3 -c "exit(not (68 < $ours < 82 and abs($ours - $perfs) < 7))" || echo "three quarters: $ours %, perf $perfs %"
	"$CDICT" script -q -F event,period,ip,sym x.cdict >lines
	awk -v RS= '/three_quarters|one_quarter/ { n++; if (!/[ \t]main\n/) { print "no main: " $0; exit } } END { if (n < 200) print n " samples of them" }' lines
	# each sample is printed, and in the table, once
	all=$(samples sample:)
	[ "$(grep -c 'cpu-clock:' lines)" = "$all" ] || echo "$(grep -c 'cpu-clock:' lines) lines of $all samples"
	python3 - "$all" <<'END'
import json, sys
rows = json.load(open("functions.json"))["functions"]
if sum(r["count"] for r in rows) != int(sys.argv[1]):
    print(sum(r["count"] for r in rows), "samples in the table, of", sys.argv[1])
END
	# at 4000 Hz a sample is 0.25 ms of CPU time, as in perf
	[ "$(grep -c ' 250000 *cpu-clock:' lines)" = "$all" ] || grep -v ' 250000 *cpu-clock:' lines | grep cpu-clock | head -n 2
	"$CDICT" info -q --verify x.cdict | grep -q '^state: whole' || echo "it is not whole"
}

# Beside tracepoints, whose events are those that the kernel counted; several events; each has its period.
beside_tracepoints() {
	"$CDICT" record -v -g -c 100 -e sched:sched_switch,page-faults:u -e context-switches -o x.cdict -- "$BUILD/tests/tools/run/touchpages" 5000 100 2>rec.err >/dev/null || cat rec.err
	[ "$(sed -n 's/.*the kernel counted \([0-9,]*\) events.*/\1/p' rec.err | tr -d ,)" = "$(samples sched:sched_switch)" ] ||
		echo "$(grep counted rec.err), of $(samples sched:sched_switch) switches in the file"
	[ "$(samples sample:page-faults:u)" -ge 45 ] || echo "$(samples sample:page-faults:u) samples of 5000 page faults"
	"$CDICT" script -q --max-loss 100 -F comm,period,event -G -e page-faults:u x.cdict | awk '$(NF - 1) != 100 { print; exit }'
	"$CDICT" script -q --max-loss 100 -G -F comm,event -e sched_switch x.cdict | awk '$NF != "sched:sched_switch:" { print; exit }'
	# one in 100 of the switches on each CPU
	python3 -c "exit(not abs($(samples sample:context-switches) - $(samples sched:sched_switch) / 100) <= 2 * $(nproc))" ||
		echo "$(samples sample:context-switches) samples of $(samples sched:sched_switch) switches"
	"$CDICT" tasks -q --max-loss 100 --json x.cdict | grep -q touchpages || echo "tasks lacks touchpages"
	"$CDICT" flame -q --by samples -e page-faults:u --format folded x.cdict | grep -q '^touchpages;.*main' || echo "page faults have no stacks"
}

# By unwind tables, without stacks, and at another rate.
other_forms() {
	recorded -e task-clock:u --call-graph dwarf -F 500
	"$CDICT" script -q -F event,ip,sym x.cdict >lines
	awk -v RS= '/three_quarters|one_quarter/ { n++; if (!/[ \t]main\n/) { print "no main: " $0; exit } } END { if (n < 20) print n " samples of them" }' lines
	grep -q ' schedule' lines && echo "task-clock:u has the kernel"
	recorded -e cpu-clock -F max
	"$CDICT" script -q -F ip,period,event x.cdict | awk '$1 !~ /^[0-9]+$/ { print; exit } $1 > 250000 { print "period of " $0; exit }'
	"$CDICT" flame x.cdict 2>err >out && echo "flame draws without stacks"
	grep -q 'no stacks' err || cat err
}

# Events that the machine lacks are named in one sentence, and the others recorded.
lacking() {
	if perf stat -e cycles -e cache-misses -- true 2>&1 | grep -c 'not supported' | grep -qx 2; then
		"$CDICT" record -e cycles,cpu-clock,cache-misses:u -o x.cdict -- "$program" 10 100000 2>rec.err || cat rec.err
		[ "$(grep -c "events 'cycles', 'cache-misses:u': this machine cannot sample them; recording the others" rec.err)" = 1 ] || cat rec.err
		[ "$(samples sample:cpu-clock)" = "$(samples '')" ] || "$CDICT" info x.cdict
		rm -f x.cdict
		"$CDICT" record -q -e cycles -o x.cdict -- true 2>rec.err && echo "records cycles"
		[ "$(cat rec.err)" = "cdict record: event 'cycles': this machine cannot sample it" ] || cat rec.err
		[ ! -e x.cdict ] || echo "a file is left"
	fi
	"$CDICT" record -q -e cpu-clck -o x.cdict -- true 2>rec.err && echo "records cpu-clck"
	grep -q "no event 'cpu-clck'" rec.err || cat rec.err
	"$CDICT" record -q -e page-faults --filter 'a == 1' -o x.cdict -- true 2>rec.err
	[ $? = 129 ] && grep -q "'page-faults' is not a tracepoint" rec.err || cat rec.err
	"$CDICT" record -q -e sched:sched_switch -F 99 -o x.cdict -- true 2>rec.err
	[ $? = 129 ] && grep -q 'tracepoints are not sampled' rec.err || cat rec.err
	"$CDICT" record -q -e cpu-clock -F 99999999 -o x.cdict -- true 2>rec.err
	[ $? = 129 ] && grep -q 'kernel.perf_event_max_sample_rate' rec.err || cat rec.err
}

run samples_have_the_functions_shares_and_callers functions
run samples_do_not_disturb_tracepoints beside_tracepoints
run samples_are_unwound_and_paced other_forms
run events_that_a_machine_lacks_are_named_once lacking
