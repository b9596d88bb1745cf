# One capture has wake-ups, the other has not: the figures that include the waits after wake-ups are not compared, and the note says so.
ln -s $DATA/formats formats
for f in two-vcpus no-wakeups; do $MKPERF -o $f.data $DATA/$f.trace && $CDICT convert -q -i $f.data -o $f.cdict || exit; done
for pair in 'two-vcpus no-wakeups' 'no-wakeups two-vcpus'; do
	set -- $pair
	$CDICT diff $1.cdict $2.cdict -q >out
	echo "status $?"
	grep 'wake-ups' out
	# what both recorded is compared: preemptions, time in the guest; nothing differs
	$CDICT diff $1.cdict $2.cdict -q --json | grep -o '"[a-z_0-9]*_change": [-0-9a-z.]*' | sort -u
done
$CDICT diff two-vcpus.cdict no-wakeups.cdict -q --fail-if 'vcpu.delayed > +1 points' >out
echo "status $?"
# the same events on both sides: compared
$CDICT diff no-wakeups.cdict no-wakeups.cdict -q >out
grep 'wake-ups' out
$CDICT diff no-wakeups.cdict no-wakeups.cdict -q --json | grep -o '"\(delayed_percent\|halted_percent\|worst_ns\)_change": [-0-9a-z.]*' | sort -u
