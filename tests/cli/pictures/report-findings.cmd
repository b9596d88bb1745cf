# the sentences at the top of a page: tasks when there is no vCPU, CPUs that are unevenly busy, loss, or that there is no finding
ln -s $DATA/formats formats
findings() { # TRACE [report's options]
	local trace=$1
	shift
	echo "--- $(basename $trace .trace) $*"
	$MKPERF -o x.data $trace
	rm -f x.cdict
	$CDICT convert -q -i x.data -o x.cdict
	$CDICT report -q x.cdict -o x.html "$@" || echo "status $?"
	sed -n '/^ *"findings": \[/,/^ *\]/p' x.html
}
# 100 ms.  d waits 50 of them, b and c 20 each, from 10 and 20 on; e half a millisecond, too little to be reported.
# CPU 0 idles the last 5, CPU 1 after the first 10.
cat >busy.trace <<'END'
cpus 2
default sched:sched_switch prev_prio=120 next_prio=120
default sched:sched_waking prio=120
proc 501 a
proc 502 b
proc 503 c
proc 504 d
proc 505 e
proc 506 f
  0 [000] 10.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=501
  0 [001] 10.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=506
506 [001] 10.010000: sched:sched_switch: prev_pid=506 prev_state=S next_pid=0
501 [000] 10.010000: sched:sched_waking: pid=502 target_cpu=0
501 [000] 10.020000: sched:sched_waking: pid=503 target_cpu=0
501 [000] 10.020000: sched:sched_waking: pid=504 target_cpu=0
501 [000] 10.030000: sched:sched_switch: prev_pid=501 prev_state=S next_pid=502
502 [000] 10.040000: sched:sched_switch: prev_pid=502 prev_state=S next_pid=503
503 [000] 10.070000: sched:sched_switch: prev_pid=503 prev_state=S next_pid=504
504 [000] 10.079500: sched:sched_waking: pid=505 target_cpu=0
504 [000] 10.080000: sched:sched_switch: prev_pid=504 prev_state=S next_pid=505
505 [000] 10.095000: sched:sched_switch: prev_pid=505 prev_state=S next_pid=0
  0 [001] 10.100000: sched:sched_waking: pid=506 target_cpu=1
END
findings busy.trace
# an idle time of CPU 1 is reported from four fifths on
for ms in 020000 020100; do
	sed "s/10\.010000: sched:sched_switch: prev_pid=506/10.$ms: sched:sched_switch: prev_pid=506/" busy.trace >idle-until-10.$ms.trace
	findings idle-until-10.$ms.trace
done
# nor is a CPU busy that is not so for nine tenths
for ms in 090000 089900; do
	sed "s/10\.095000/10.$ms/" busy.trace >busy-until-10.$ms.trace
	findings busy-until-10.$ms.trace
done
for trace in latency migrations some-tasks-loss loss two-vcpus ties; do findings $DATA/$trace.trace; done
# no task waits; a preempted task waits where wake-ups are not recorded, too
grep -v 'waking: pid=50[1-4]' busy.trace >calm.trace
findings calm.trace
grep -v kvm: $DATA/no-wakeups.trace >preempted.trace
findings preempted.trace
# ten tasks run for 10 ms each and are preempted by the next: four of them are named, and of the other five the first waits from 50 ms to 100
{
	printf 'cpus 1\n'
	i=0; for name in a b c d e f g h i j; do echo "proc 30$((i++)) $name"; done
	printf '0 [000] 10.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=300\n'
	for i in {1..9}; do printf '30%d [000] 10.0%d0000: sched:sched_switch: prev_pid=30%d prev_state=R next_pid=30%d\n' $((i - 1)) $i $((i - 1)) $i; done
	printf '309 [000] 10.100000: sched:sched_switch: prev_pid=309 prev_state=S next_pid=0\n'
} >ten.trace
findings ten.trace | grep -o '"text": "[^"]*"'
