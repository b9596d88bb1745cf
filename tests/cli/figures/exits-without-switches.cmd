# Without sched_switch nobody knows what part of an exit the thread was on a CPU: the clock ranks.
$MKPERF -o x.data "$DATA/two-vcpus.trace"
$CDICT convert -q -e 'kvm:*' -i x.data -o x.cdict
$CDICT exits x.cdict --by reason
$CDICT exits x.cdict --by reason --format csv -n 2 | cut -d, -f6,9-15
