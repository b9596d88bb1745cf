# the sentences: findings, or that nothing was found
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
# six of one name had the CPU for a sixth each: none of them is the one
{ printf '%s\n' 'cpus 1' 'default kvm:kvm_exit isa=1' 'default sched:sched_switch prev_prio=120 next_prio=120' 'proc 1000 qemu-system-x86' 'proc 1000/1001 CPU 0/KVM'; for t in 1 2 3 4 5 6; do echo "proc 50$t storage"; done; echo '0 [000] 60.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=1001'; echo '1001 [000] 60.000010: kvm:kvm_entry: vcpu_id=0'; echo '1001 [000] 60.000100: kvm:kvm_exit: vcpu_id=0 exit_reason=EXTERNAL_INTERRUPT'; last=1001; for t in 1 2 3 4 5 6; do echo "$last [000] 60.00${t}000: sched:sched_switch: prev_pid=$last prev_state=R next_pid=50$t"; last=50$t; done; echo '506 [000] 60.007000: sched:sched_switch: prev_pid=506 prev_state=S next_pid=1001'; echo '1001 [000] 60.008000: kvm:kvm_entry: vcpu_id=0'; } >six.trace
ln -s $DATA/formats formats && $MKPERF -o six.data six.trace
$CDICT convert -q -i six.data -o six.cdict
$CDICT stats six.cdict | grep 'for a CPU\|preempted for'
$CDICT vcpu six.cdict --by antagonist --format csv | sed -n 1,3p
# the next step: vCPUs that share a CPU, and a CPU that is idle meanwhile; the same in a window, in stats and in vm
$MKPERF -o shared.data $DATA/shared-cpu.trace
$CDICT convert -q -i shared.data -o shared.cdict
$CDICT vcpu shared.cdict | sed -n '2,/^$/p'
$CDICT vcpu shared.cdict --time 1.0003,1.00065 | sed -n '2,/^$/p'
$CDICT stats shared.cdict | grep 'pin or spread'
for vm in 1000 2000; do $CDICT vm $vm shared.cdict | sed -n 2p; done
# it is not known which CPUs were idle if some were left out
$CDICT vcpu shared.cdict -C 0,1 | sed -n '2,/^$/p'
