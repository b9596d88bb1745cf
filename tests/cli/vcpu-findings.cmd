# the sentences: what to look at, or that there is nothing
$MKPERF -o two.data $DATA/two-vcpus.trace
$CDICT convert -q -i two.data -o two.cdict
$CDICT vcpu two.cdict
$CDICT vcpu two.cdict --by reason --tid 1001 -s reason
$CDICT vcpu two.cdict --from 0 --cap 0.09
$CDICT vcpu two.cdict --vm 7
$MKPERF -o latency.data $DATA/latency.trace
$CDICT convert -q -i latency.data -o latency.cdict
$CDICT vcpu latency.cdict
$CDICT convert -q -i $DATA/kvm-small.data -o small.cdict
$CDICT vcpu small.cdict | sed -n '2,/^$/p'
$CDICT vcpu small.cdict --format json | grep -c '"lossy": true' || :
