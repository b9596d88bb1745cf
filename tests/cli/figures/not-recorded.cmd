# needs: jq
# Values that were not recorded are empty, named once, and nothing is based on them
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q -e 'sched:sched_switch' -e 'kvm:*' -i x.data -o x.cdict
$CDICT vcpu x.cdict
$CDICT vcpu x.cdict --format json | jq -c '.not_recorded, (.vcpu[] | [.tid, .delayed_ns, .waiting_ns, .waits, .qemu_ns, .preempted_ns])'
$CDICT tasks x.cdict -v --format json -n 1 | jq -c '.not_recorded, (.tasks[] | [.tid, .iowait_ns, .iowaits, .latency_max_ns, .block_ns])'
$CDICT convert -q -e 'kvm:kvm_exit' -e 'sched:*' -i x.data -o exits.cdict
$CDICT exits exits.cdict --by reason -n 2
$CDICT vcpu exits.cdict --format json | jq -c '.not_recorded, (.vcpu[] | [.tid, .guest_ns])'
$CDICT convert -q -e 'kvm:*' -i x.data -o kvm.cdict
$CDICT tasks kvm.cdict
$CDICT switches kvm.cdict --bucket 1 -q
