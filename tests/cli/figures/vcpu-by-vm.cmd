# Delays by VM, by hand from the trace's comment; and of one VM.
$MKPERF -o x.data $DATA/neighbours.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT vcpu x.cdict --by vm -v
$CDICT vcpu x.cdict --by vm --vm 2000
$CDICT vcpu x.cdict --by vm --format csv | cut -d, -f1-4,11-13
# without wake-ups and switches the missing events are named
$CDICT convert -q -e 'kvm:*' -i x.data -o kvm.cdict
$CDICT vcpu kvm.cdict --by vm
