# needs: jq
# recorded in a PID namespace: tids of samples are its own, those outside are 0; the scheduler's fields have the kernel's
cat >x.trace <<'TRACE'
cpus 1
proc 1 bash
proc 15 inner
default sched:sched_switch prev_prio=120 next_prio=120
 1 [000] 10.000000: sched:sched_switch: common_pid=5001 prev_pid=5001 prev_comm=init prev_state=S next_pid=15 next_comm=kworker
 0 [000] 10.000100: sched:sched_waking: common_pid=15 pid=5015 comm=inner target_cpu=0
 0 [000] 10.000200: sched:sched_switch: common_pid=15 prev_pid=15 prev_comm=kworker prev_state=S next_pid=5015 next_comm=inner
15 [000] 10.000300: sched:sched_switch: common_pid=5015 prev_pid=5015 prev_comm=inner prev_state=S next_pid=0 next_comm=swapper/0
 0 [000] 10.000400: sched:sched_switch: common_pid=0 prev_pid=0 prev_comm=swapper/0 prev_state=R next_pid=1 next_comm=systemd
 0 [000] 10.000500: sched:sched_switch: common_pid=1 prev_pid=1 prev_comm=systemd prev_state=S next_pid=0 next_comm=swapper/0
TRACE
"$MKPERF" --formats "$DATA/formats" -o x.data x.trace && "$CDICT" convert -q -i x.data -o x.cdict
"$CDICT" info x.cdict | grep ^recorded
"$CDICT" tasks x.cdict --format json |
	jq -c '.tasks[] | [.comm, .tid, .pid, .run_ns, .wakeups, .events, .latency_max_ns]'
"$CDICT" script x.cdict | head -2
