# needs: jq
# How halts end, by hand from the trace's comment; a window; empty with the reason where it was not recorded.
$MKPERF -o x.data $DATA/halts.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT vcpu x.cdict --by halt
$CDICT vcpu x.cdict --by halt -j 2 --json | jq -c '.halts_vms[], .halts_vms_total'
$CDICT vcpu x.cdict --by halt -f 0.3 --format csv
$CDICT vcpu x.cdict --by halt -c 0.3 --format csv
$MKPERF -o two.data $DATA/two-vcpus.trace
$CDICT convert -q -i two.data -o two.cdict
$CDICT vcpu two.cdict --by halt
$CDICT vcpu two.cdict --by halt --json | grep -o '"kvm_[a-z_]*"\|"kvm:kvm_[a-z_]*"'
