# A percentile is judged from --min-events wake-ups on: of the new side for a limit, of each side for a change.
ln -s $DATA/formats formats
# wakes DELAY_US COUNT - a task that is woken COUNT times and waits for DELAY_US each time
wakes() {
	printf 'cpus 1\nproc 301 waiter\nproc 302 waker\n'
	for ((i = 0; i < $2; i++)); do
		printf '302 [000] 10.0%d0000: sched:sched_waking: pid=301 target_cpu=0\n' $i
		printf '302 [000] 10.0%d%04d: sched:sched_switch: prev_pid=302 prev_state=R next_pid=301\n' $i $1
		printf '301 [000] 10.0%d9000: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302\n' $i
	done
}
wakes 100 3 >three.trace
wakes 2000 3 >slower.trace
wakes 2000 4 >four.trace
# in 22.3 ms, 3 / time * time is less than 3 in floating point
sed 's/9000: sched/2300: sched/' slower.trace >short.trace
for f in three slower four short; do $MKPERF -o $f.data $f.trace && $CDICT convert -q -i $f.data -o $f.cdict || exit; done
for pair in 'three slower' 'three four' 'four three' 'three short'; do
	set -- $pair
	for rule in 'latency.p99 > 1 ms' 'latency.p99 > +50 %' 'latency.p50 < -50 %'; do
		for least in 3 4; do
			$CDICT diff $1.cdict $2.cdict -q --min-events $least --fail-if "$rule" >out 2>err
			echo "$1 $2, $rule, $least: status $? $(grep -o 'no row on both sides has . events' err)"
		done
	done
done
# of an exit's duration the events are the exits: two of HLT within 100 us, before 20 us each
exits() { # US
	printf 'cpus 1\ndefault kvm:kvm_exit isa=1\nproc 301 vcpu\n'
	for i in 1 2; do
		printf '301 [000] 10.000%d00: kvm:kvm_exit: vcpu_id=0 exit_reason=HLT\n' $i
		printf '301 [000] 10.000%d%d: kvm:kvm_entry: vcpu_id=0\n' $i $1
	done
}
for us in 20 90; do exits $us >x.trace && $MKPERF -o x.data x.trace && $CDICT convert -q -i x.data -o hlt$us.cdict || exit; done
for rule in 'exits.p99 > 50 us' 'exits.p99 > +50 %'; do
	for least in 2 3; do
		$CDICT diff hlt20.cdict hlt90.cdict -q --min-events $least --fail-if "$rule" >out 2>err
		echo "hlt, $rule, $least: status $? $(grep -o 'no row on both sides has . events' err)"
	done
done
