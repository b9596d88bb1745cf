# Rows with too few events, or of VMs without a name, are printed but not compared, and are not a regression
ln -s $DATA/formats formats
vm() { # TID: its vCPU is in the guest, then preempted
	cat <<END
$1 [000] 10.000000: kvm:kvm_entry: vcpu_id=0
$1 [000] 10.000$2: kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID
$1 [000] 10.000900: sched:sched_switch: prev_pid=$1 prev_state=R next_pid=302
302 [000] 10.001000: sched:sched_switch: prev_pid=302 prev_state=S next_pid=$1
$1 [000] 10.001001: sched:sched_switch: prev_pid=$1 prev_state=R next_pid=302
302 [000] 10.00$3: sched:sched_switch: prev_pid=302 prev_state=S next_pid=$1
END
}
head='cpus 2\ndefault kvm:kvm_exit isa=1\nproc 301 "CPU 0/KVM"\nproc 501 "CPU 0/KVM"\nproc 302 "other"\n'
{ printf "$head"; vm 301 800 1100; } >a.trace
{ printf "$head"; vm 301 800 3000; } >b.trace
{ printf "$head"; vm 301 800 1100; echo '[000] 10.001150: LOST 5'; echo '302 [000] 10.003000: kvm:kvm_msr: write=0 ecx=1 data=2'; } >lossy.trace
{ printf "$head"; vm 301 800 1100; vm 501 700 1100 | sed 's/\[000\]/[001]/; s/302/303/'; } >two.trace
for f in a b lossy two; do $MKPERF -o $f.data $f.trace && $CDICT convert -q --max-loss 90 -i $f.data -o $f.cdict || exit; done
$CDICT diff a.cdict b.cdict --max-delay 10 -q | grep -A4 'Worse\|^task .*waited'
echo "status ${PIPESTATUS[0]}"
$CDICT diff lossy.cdict b.cdict --max-delay 10 --max-loss 90 -q | grep -A4 'Worse\|^task .*waited'
echo "status ${PIPESTATUS[0]}"
$CDICT diff two.cdict b.cdict --max-delay 10 -q
echo "status $?"
# a VM with a name that is on one side only may be among those without one on the other: how much less it is, is unknown
printf 'tid,libvirt-instance,role\n301,web,vcpu0\n' >web.csv
cp a.cdict named.cdict && $CDICT annotate -q named.cdict --map web.csv
$CDICT diff named.cdict two.cdict -q -n 3 | sed -n '/^vCPUs/,/^$/p;/^task .*waited/,/^$/p'
