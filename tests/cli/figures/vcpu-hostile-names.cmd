# a vCPU and its antagonists may have any name: a sentence stays one line
ln -s $DATA/formats formats
cat >evil.trace <<'END'
cpus 1
default kvm:kvm_exit isa=1
proc 301 "\x1b[2J\n%s"
proc 302 "</b>|x"
301 [000] 10.000000: kvm:kvm_entry: vcpu_id=0
301 [000] 10.000100: kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID
301 [000] 10.000110: sched:sched_switch: prev_pid=301 prev_state=R next_pid=302
302 [000] 10.000310: sched:sched_switch: prev_pid=302 prev_state=S next_pid=301
301 [000] 10.000400: sched:sched_stat_runtime: pid=301 runtime=1
END
$MKPERF -o evil.data evil.trace && $CDICT convert -q -i evil.data -o evil.cdict || exit
$CDICT vcpu evil.cdict
$CDICT stats evil.cdict -n 1 | sed -n '/waited/p'
$CDICT coremap evil.cdict --format md -s name
$CDICT successors evil.cdict --tid 301 --format csv | tr -d '\r'
