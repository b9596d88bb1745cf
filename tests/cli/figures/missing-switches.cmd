# needs: jq
# missing switches without a loss record: the task switched in is not the one switched out
cat >x.trace <<'TRACE'
cpus 2
proc 7 in-only
proc 8 out-only
proc 9 other
  9 [000] 10.000000: sched:sched_switch: prev_pid=9 prev_state=S next_pid=7
  9 [001] 10.000020: sched:sched_waking: pid=7 target_cpu=1
  0 [001] 10.000050: sched:sched_switch: prev_pid=0 prev_state=R next_pid=9
  8 [000] 10.000100: sched:sched_switch: prev_pid=8 prev_state=S next_pid=9
  9 [000] 10.000200: sched:sched_switch: prev_pid=9 prev_state=S next_pid=0
  8 [001] 10.000300: sched:sched_switch: prev_pid=9 prev_state=S next_pid=7
  7 [001] 10.000400: sched:sched_switch: prev_pid=7 prev_state=S next_pid=0
  0 [000] 10.000500: sched:sched_switch: prev_pid=0 prev_state=R next_pid=9
  9 [001] 10.000500: sched:sched_waking: pid=8 target_cpu=0
TRACE
figures() { # TRACE
	rm -f x.cdict
	"$MKPERF" --formats "$DATA/formats" -o x.data "$1" && "$CDICT" convert -q --max-loss 100 -i x.data -o x.cdict
	"$CDICT" tasks x.cdict --max-loss 100 --format json |
		jq -c '.tasks[] | [.comm, .run_ns, .unknown_ns, .sleep_ns, .switches, .latency_max_ns]'
	"$CDICT" coremap x.cdict --max-loss 100 --format json | jq -c '.coremap[] | select(.comm == null) | [.cpu, .run_ns]'
}
figures x.trace
echo "--- as the trace says"
figures "$DATA/switches-in-unseen.trace"
