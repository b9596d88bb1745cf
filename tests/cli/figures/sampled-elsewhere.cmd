# needs: jq
# CPUs without a switch: a task sampled there runs until it is sampled elsewhere
cat >x.trace <<'TRACE'
cpus 3
proc 7 qemu
proc 8 other
  7 [000] 10.000000: kvm:kvm_entry:
  7 [000] 10.000010: kvm:kvm_exit:
  7 [001] 10.000050: kvm:kvm_entry:
  7 [001] 10.000060: kvm:kvm_exit:
  7 [000] 10.000080: kvm:kvm_entry:
  8 [002] 10.000090: sched:sched_switch: prev_pid=8 prev_state=S next_pid=0
  7 [000] 10.000100: kvm:kvm_exit:
TRACE
"$MKPERF" --formats "$DATA/formats" -o x.data x.trace && "$CDICT" convert -q -i x.data -o x.cdict
"$CDICT" coremap x.cdict --format json | jq -c '.coremap[] | [.comm, .cpu, .run_ns]'
