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
