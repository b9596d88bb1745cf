# a late first event on a CPU does not mean a late recorder: a recorder that enables CPU after CPU leaves each by
# a switch, in the order of their numbers
# needs: python3 jq
pairs() {
	"$CDICT" info x.cdict --format json --max-loss 100 | jq -c '.capture.scope'
	"$CDICT" exits x.cdict --format json --max-loss 100 | jq -c '.exits[] | [.tid, .reason, .count, .unpaired, .time_ns]'
}
capture() {
	$MKPERF --formats "$DATA/formats" -o x.data "$1" && "$CDICT" convert -q -i x.data -o x.cdict && pairs
}

# as of a quiet host whose switches are not there, those of its guest on CPU 3: 701 moves, and is the first on three CPUs
cat >quiet.trace <<'TRACE'
cpus 4
cmdline tracedat2perf.py trace.dat
proc 700/701 CPU 0/KVM
proc 700/702 CPU 1/KVM
proc 900 init
  0 [003] 10.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=900
701 [002] 10.000010: kvm:kvm_entry: vcpu_id=0
701 [002] 10.000020: kvm:kvm_exit: exit_reason=0x78 isa=2
702 [002] 10.500000: kvm:kvm_entry: vcpu_id=1
702 [002] 10.500010: kvm:kvm_exit: exit_reason=0x78 isa=2
701 [000] 11.000020: kvm:kvm_entry: vcpu_id=0
701 [000] 11.000030: kvm:kvm_exit: exit_reason=0x78 isa=2
702 [002] 11.400010: kvm:kvm_entry: vcpu_id=1
701 [001] 11.500030: kvm:kvm_entry: vcpu_id=0
900 [003] 11.600000: sched:sched_switch: prev_pid=900 prev_state=S next_pid=0
TRACE
capture quiet.trace
python3 "$TOP/tests/tools/make/mktracedat.py" x.data x.dat && "$CDICT" convert -q -i x.dat -o x.cdict && pairs

# one that leaves by switches, but goes down: perf counts up
cat >down.trace <<'TRACE'
cpus 2
cmdline perf record -a -e sched:*,kvm:*
proc 300 goes
proc 700/701 CPU 0/KVM
300 [001] 10.000000: sched:sched_switch: prev_pid=300 prev_state=R next_pid=701
701 [001] 10.000020: kvm:kvm_exit: exit_reason=0x78 isa=2
701 [001] 10.000030: kvm:kvm_entry: vcpu_id=0
300 [000] 11.000000: sched:sched_switch: prev_pid=300 prev_state=R next_pid=0
TRACE
capture down.trace
# the same, up: it is the recorder, which was on CPU 1 at 11 s. 701 may have been entered there before
sed 's/\[001\]/[002]/; s/\[000\]/[001]/; s/\[002\]/[000]/; s/^cpus 2/cpus 3/' down.trace >up.trace
capture up.trace
# the first switch on CPU 1 is another's: the recorder does not leave it
sed 's/^300 \[001\] \(11.000000\).*/300 [001] \1: sched:sched_waking: pid=701 target_cpu=0\n  0 [001] 11.100000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=300/' up.trace >other.trace
capture other.trace

# tracefs switches all rings on by one word, so the same moves of 300 in a trace.dat are not a recorder
$MKPERF --formats "$DATA/formats" -o x.data up.trace && python3 "$TOP/tests/tools/make/mktracedat.py" x.data x.dat
"$CDICT" convert -q -i x.dat -o x.cdict && pairs
# but a ring that was overwritten begins with its first event: 701 ran on CPU 0 up to 10 s, CPU 1 is unknown up to 11 s
python3 "$TOP/tests/tools/make/mktracedat.py" --lost 1,0,5 x.data x.dat && "$CDICT" convert -q -i x.dat -o x.cdict && pairs
"$CDICT" info x.cdict --max-loss 100 | grep -A3 '^loss'
"$CDICT" coremap x.cdict -q --format csv --max-loss 100
