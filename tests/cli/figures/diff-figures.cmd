# changes, and the status that reports them
ln -s $DATA/formats formats
cat >a.trace <<'END'
cpus 2
default kvm:kvm_exit isa=1
proc 301 "CPU 0/KVM"
proc 302 "other"
301 [000] 10.000000: kvm:kvm_entry: vcpu_id=0
301 [000] 10.000100: kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID
301 [000] 10.000200: kvm:kvm_entry: vcpu_id=0
301 [000] 10.000800: kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID
301 [000] 10.000900: sched:sched_switch: prev_pid=301 prev_state=R next_pid=302
302 [000] 10.001000: sched:sched_switch: prev_pid=302 prev_state=S next_pid=301
END
sed -e 's/10\.001000/10.002000/' -e 's/\b301\b/401/g' a.trace >b.trace
for f in a b; do $MKPERF -o $f.data $f.trace && $CDICT convert -q -i $f.data -o $f.cdict || exit; done
$CDICT diff a.cdict b.cdict
echo "status $?"
$CDICT diff a.cdict b.cdict --max-delay 30 --max-latency 10 --max-exits 0 --format csv | tr -d '\r'
echo "status ${PIPESTATUS[0]}"
$CDICT diff a.cdict b.cdict --max-delay 30 --fail-if 'vcpu.worst > 1 ms' -q --format json | sed -n '/"regressions"/,/"vcpu"/p'
$CDICT diff a.cdict -- b.cdict --max-delay 30 --format md --label before,'<after>' --commit 0a1b2c,3d4e5f
$CDICT diff a.cdict b.cdict --max-delay 45 -q >/dev/null
echo "status $?"
$CDICT diff a.cdict a.cdict --max-delay 0 --max-latency 0 --max-exits 0 --format json | grep regressions
$CDICT diff a.cdict
echo "status $?"
$CDICT diff a.cdict b.cdict --max-delay -1
echo "status $?"
$CDICT diff a.cdict b.cdict a.cdict
echo "status $?"
$CDICT diff a.cdict b.cdict --fail-if 'exit.rate > +10 %'
echo "status $?"
$CDICT diff a.cdict b.cdict --fail-if 'cpu[name=(] > +10 %'
echo "status $?"
$CDICT diff a.cdict b.cdict --alpha 5
echo "status $?"
$CDICT diff a.cdict b.cdict -o a.cdict
echo "status $?"
$CDICT diff a.cdict nothing.cdict
echo "status $?"
