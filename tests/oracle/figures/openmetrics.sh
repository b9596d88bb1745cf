#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Prometheus' own parser and node_exporter's textfile collector accept every table as OpenMetrics; it has each figure of the JSON, and no
# duplicate series, whatever the names of tasks.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
/usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null || {
	for test in tables job names; do
		skip "openmetrics_of_$test" "python3-prometheus-client is not installed"
	done
	exit 0
}

# same COMMAND... - prints the differences
same() {
	# 2: a capture without the wake-ups that latency is made of
	"$CDICT" "$@" --max-loss 100 --format openmetrics >om 2>err || { [ $? = 2 ] && grep -q 'wake-up latencies are unknown' err; } || {
		echo "$*:" && cat err
		return
	}
	"$CDICT" "$@" --max-loss 100 --json >json 2>/dev/null
	/usr/bin/python3 "$TOP/tests/oracle/figures/_openmetrics.py" om json 2>&1 | sed "s/^/$*: /"
}
# tables FILE...
tables() {
	for command in tasks 'tasks --per-cpu' 'tasks -n 2' latency 'latency --perf' exits 'exits --by reason' 'exits --by vm' vcpu 'vcpu --by halt' \
		'vcpu --by vm' 'vcpu --by antagonist' 'tasks --by group' 'exits --by port' coremap switches 'switches --bucket 100' 'successors -t .' count 'count --by task'; do
		same $command "$@"
	done
}

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o a.cdict
"$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o b.cdict
verdict openmetrics_of_tables "$(tables a.cdict && tables a.cdict b.cdict)"

of_job() {
	export CDICT_STORE=$PWD/jobs
	"$CDICT" job create 2001 --info 'a "job" \ of two' && "$CDICT" push -q --job 2001 a.cdict b.cdict
	for command in tasks latency exits vcpu 'exits --by vm'; do
		"$CDICT" $command --job 2001 --format openmetrics >om && "$CDICT" $command --job 2001 --json >json
		/usr/bin/python3 "$TOP/tests/oracle/figures/_openmetrics.py" om json 2>&1
	done
	"$CDICT" job list --format openmetrics >om && "$CDICT" job list --json >json
	/usr/bin/python3 "$TOP/tests/oracle/figures/_openmetrics.py" om json 2>&1
}
verdict openmetrics_of_job "$(of_job 2>&1)"

# Names with everything that a label must escape, and tasks that are called the same: 305 lives twice.
cat >evil.trace <<'R'
cpus 1
default sched:sched_switch prev_prio=120 next_prio=120
proc 301 "a,d={}"
proc 302 "\x1b[2J\xff\n"
proc 303 "\xe2\x80\xaeb"
proc 304 "\x23 EOF"
proc 305 pool
proc 306 "} 1 2"
  0 [000] 9.990000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=301
301 [000] 10.000000: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
302 [000] 10.000100: sched:sched_switch: prev_pid=302 prev_state=S next_pid=303
303 [000] 10.000300: sched:sched_switch: prev_pid=303 prev_state=S next_pid=304
304 [000] 10.000600: sched:sched_switch: prev_pid=304 prev_state=S next_pid=305
305 [000] 10.000700: sched:sched_process_exit: comm=pool pid=305 prio=120
305 [000] 10.000700: sched:sched_switch: prev_pid=305 prev_state=X next_pid=306
306 [000] 10.000800: FORK 305/305 306/306
306 [000] 10.000800: sched:sched_process_fork: parent_pid=306 child_pid=305
306 [000] 10.000810: COMM 305 pool
306 [000] 10.000900: sched:sched_switch: prev_pid=306 prev_state=S next_pid=305
305 [000] 10.001000: sched:sched_switch: prev_pid=305 prev_state=S next_pid=301
R
names() {
	"$MKPERF" --formats "$DATA/formats" -o evil.data evil.trace && "$CDICT" convert -q -i evil.data -o evil.cdict || return
	printf '301,,,,,,"a""b\\c,d={}"\n303,,,,,,end\\\n' >map.csv
	same tasks --map map.csv evil.cdict
	for want in 'name="a\"b\\c,d={}"' 'comm="\\x1b[2J�\\x0a"' 'name="# EOF"' 'name="end\\"' 'duplicate="2"'; do
		grep -qF "$want" om || echo "no $want"
	done
	same latency evil.cdict
	same switches evil.cdict
	cp evil.cdict $'"\\\nx.cdict' && same tasks $'"\\\nx.cdict' a.cdict
}
verdict openmetrics_of_names "$(names 2>&1)"
