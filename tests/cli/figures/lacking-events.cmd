# A capture without the events that a table is made of: the table is empty, the status is 2, and the message names the events to record
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q -e sched -i x.data -o sched.cdict
$CDICT convert -q -e kvm -i x.data -o kvm.cdict
$CDICT convert -q -e sched_switch -i x.data -o switch.cdict
try() {
	for format in text json csv; do
		$CDICT "$@" --format $format >out
		echo "$* ($format): $?" >&2
	done
}
try vcpu sched.cdict
try vcpu sched.cdict --by antagonist
try exits sched.cdict
try count sched.cdict --by syscall
try latency switch.cdict
try latency kvm.cdict
try tasks kvm.cdict
try switches kvm.cdict
try coremap kvm.cdict
try successors -t . kvm.cdict
# of several files one
try vcpu sched.cdict kvm.cdict
# the existing events make a table
for command in 'vcpu kvm.cdict' 'exits kvm.cdict' 'latency sched.cdict' 'tasks switch.cdict' 'stats kvm.cdict' 'stats sched.cdict'; do
	$CDICT $command -q >out
	echo "$command: $?"
done
echo '--- pictures'
for view in switches exits vcpu coremap cpu kvm cores delays; do
	$CDICT heatmap sched.cdict --view $view -o s.svg
	echo "$view of sched: $?" >&2
	$CDICT heatmap kvm.cdict --view $view -o k.svg
	echo "$view of kvm: $?" >&2
done
$CDICT convert -q -e sched_waking -i x.data -o wake.cdict
$CDICT stats wake.cdict -o w.txt
echo "stats: $?"
