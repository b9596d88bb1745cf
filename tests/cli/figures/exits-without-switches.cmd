# Without sched_switch it is unknown for which part of an exit the thread was on a CPU: exits are sorted by clock time.
$MKPERF -o x.data "$DATA/two-vcpus.trace"
$CDICT convert -q -e 'kvm:*' -i x.data -o x.cdict
$CDICT exits x.cdict --by reason
$CDICT exits x.cdict --by reason --format csv -n 2 | cut -d, -f6,9-15
