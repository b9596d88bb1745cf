# needs: jq
# The orders of waking, wakeup and switch-out, by hand from the comments of the traces.
for trace in woken-on-cpu waking-alone wakeup-in-vain; do
  $MKPERF -o x.data $DATA/$trace.trace
  $CDICT convert -q -i x.data -o $trace.cdict
  echo $trace
  $CDICT latency --json $trace.cdict | jq -c '.latency[] | [.tid, .latency_count, .latency_ns, .latency_max_at_ns, .preempt_ns]'
  $CDICT tasks --json $trace.cdict | jq -c '.tasks[] | select(.tid > 0) | [.tid, .delayed_ns, .delays, .worst_ns, .wakeups]'
  $CDICT coremap --json $trace.cdict | jq -c '.cpus[] | [.cpu, .queue_mean, .queue_max]'
done
$CDICT vcpu --json waking-alone.cdict | jq -c '(.vcpu[] | [.waiting_ns, .halted_ns, .delayed_ns]), (.antagonists[] | [.antagonist, .waiting_ns])'
# of a window that ends before the switch-in that shows it
$CDICT vcpu --json --time 1.000010,1.000015 waking-alone.cdict 2>/dev/null | jq -c '.vcpu[] | [.waiting_ns, .halted_ns]'
# 11 is woken on its CPU twice: by 12 at 10, and by 14 at 50, when its switch-in is unknown since events were lost
cat >stale.trace <<'TRACE'
cpus 3
default sched:sched_switch prev_prio=120 next_prio=120
default sched:sched_waking prio=120
proc 11 A
proc 12 B
proc 13 R
proc 14 C
  0 [000] 1.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=11
  0 [001] 1.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=12
  0 [002] 1.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=14
 12 [001] 1.000010: sched:sched_waking: pid=11 target_cpu=0
 11 [000] 1.000012: sched:sched_switch: prev_pid=11 prev_state=S next_pid=13
 13 [000] 1.000020: sched:sched_switch: prev_pid=13 prev_state=R next_pid=11
    [000] 1.000040: LOST 3
 14 [002] 1.000050: sched:sched_waking: pid=11 target_cpu=0
 11 [000] 1.000060: sched:sched_switch: prev_pid=11 prev_state=S next_pid=13
 13 [000] 1.000080: sched:sched_switch: prev_pid=13 prev_state=R next_pid=11
 11 [000] 1.000090: sched:sched_switch: prev_pid=11 prev_state=S next_pid=0
TRACE
$MKPERF --formats $DATA/formats -o x.data stale.trace
$CDICT convert -q --max-loss 50 -i x.data -o stale.cdict
$CDICT query -q --max-loss 50 stale.cdict "SELECT s.ts, s.dur, t.tid, w.tid AS waker FROM thread_state s
  JOIN thread t ON t.utid = s.utid JOIN thread w ON w.utid = s.waker_utid WHERE s.state = 'R' ORDER BY s.ts"
