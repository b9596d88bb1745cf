# a file may claim any count: a sum of them is the largest number, never a small one
# needs: python3 jq
cat >lost.trace <<'T'
cpus 2
proc 11 aaa
proc 12 bbb
 0 [000] 1.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=11
 0 [001] 1.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=12
11 [000] 1.000100: sched:sched_stat_runtime: pid=11 runtime=18446744073709551615
11 [000] 1.000100: sched:sched_stat_runtime: pid=11 runtime=7
11 [000] 1.000100: sched:sched_switch: prev_pid=11 prev_state=S next_pid=0
[000] 1.000150: LOST_SAMPLES 7
 0 [000] 1.000200: sched:sched_switch: prev_pid=0 prev_state=R next_pid=11
[001] 1.000250: LOST 18446744073709551615
12 [001] 1.000300: sched:sched_switch: prev_pid=12 prev_state=S next_pid=0
11 [000] 1.000400: sched:sched_switch: prev_pid=11 prev_state=S next_pid=0
T
$MKPERF --formats "$DATA/formats" -o x.data lost.trace
"$CDICT" convert -i x.data -o x.cdict
"$CDICT" info --max-loss 100 x.cdict | grep ^loss
"$CDICT" tasks --max-loss 100 --format json x.cdict | jq -c '.loss | [.lost, .percent]'
"$CDICT" latency --max-loss 100 --perf -q --format json x.cdict | grep -o '"stat_runtime_ns": [0-9]*'
# of a trace.dat: of its pages, and of its rings' own counts
python3 "$TOP/tests/tools/make/mktracedat.py" --per-page 2 --lost 0,1,18446744073709551615 --lost 0,2,9 --stat 1,18446744073709551615 x.data x.dat
"$CDICT" convert -i x.dat -o y.cdict
"$CDICT" info --max-loss 100 y.cdict | grep ^loss
# of halts
cat >halts.trace <<'T'
cpus 1
proc 700/701 CPU 0/KVM
701 [000] 1.000000: kvm:kvm_entry: vcpu_id=0
701 [000] 1.000100: kvm:kvm_vcpu_wakeup: ns=18446744073709551615 waited=1 valid=1
701 [000] 1.000200: kvm:kvm_vcpu_wakeup: ns=8 waited=1 valid=1
T
$MKPERF --formats "$DATA/formats" -o h.data halts.trace && "$CDICT" convert -q -i h.data -o h.cdict
"$CDICT" vcpu --by halt --format json h.cdict 2>/dev/null | jq -c ".halts[] | .slept_ns"
