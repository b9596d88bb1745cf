# --merge-sys-tasks: one row for the threads of a kind, its figures those of all of them
ln -s $DATA/formats formats
# µs after 20 s.  kworker/0:1 runs 0 to 10 and 60 to 100, kworker/0:2 10 to 30, kworker/1:1 on CPU 1 0 to 70: together 140, 70 on
# each CPU, 4 switches.  They waited 5 (from 5) and 20 (from 40): 25.  w/0, whose parent is init, is not one: it
# runs 30 to 60 and 100 to 150, waited 10 (from 20) and was preempted 40 (from 60).
# Their parent is not recorded: a kernel thread's is kthreadd, or unknown.
cat >x.trace <<'END'
cpus 2
default sched:sched_switch prev_prio=120 next_prio=120
default sched:sched_waking prio=120
proc 501 w/0
  0 [000] 20.000000: sched:sched_switch: prev_pid=0 prev_state=R next_comm=kworker/0:1 next_pid=11
  0 [001] 20.000000: sched:sched_switch: prev_pid=0 prev_state=R next_comm=kworker/1:1 next_pid=13
 11 [000] 20.000005: sched:sched_waking: comm=kworker/0:2 pid=12 target_cpu=0
 11 [000] 20.000010: sched:sched_switch: prev_comm=kworker/0:1 prev_pid=11 prev_state=S next_comm=kworker/0:2 next_pid=12
 12 [000] 20.000020: sched:sched_waking: pid=501 target_cpu=0
 12 [000] 20.000030: sched:sched_switch: prev_comm=kworker/0:2 prev_pid=12 prev_state=S next_pid=501
501 [000] 20.000040: sched:sched_waking: comm=kworker/0:1 pid=11 target_cpu=0
501 [000] 20.000060: sched:sched_switch: prev_pid=501 prev_state=R next_comm=kworker/0:1 next_pid=11
 13 [001] 20.000070: sched:sched_switch: prev_comm=kworker/1:1 prev_pid=13 prev_state=S next_pid=0
 11 [000] 20.000100: sched:sched_switch: prev_comm=kworker/0:1 prev_pid=11 prev_state=S next_pid=501
501 [000] 20.000150: sched:sched_switch: prev_pid=501 prev_state=S next_pid=0
  0 [001] 20.000200: sched:sched_waking: pid=501 target_cpu=1
END
$MKPERF -o x.data x.trace
$CDICT convert -q -i x.data -o x.cdict
for command in tasks 'tasks --per-cpu' latency coremap 'successors --task kworker'; do
	echo "--- $command"
	$CDICT $command x.cdict -q --merge-sys-tasks --format csv
done
$CDICT tasks x.cdict -q --merge-sys-tasks -v
