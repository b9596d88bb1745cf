# of a kernel without symbols, addresses in its text are [kernel.kallsyms]'s: from the first record of its mapping, 0x1000000 bytes
ln -s $DATA/formats formats
cat >x.trace <<'END'
cpus 1
sample sched:sched_switch +callchain
proc 101 a
proc 102 b
101 [000] 7.000010: RECORD 1 1 u32=0xffffffff u32=0 u64=0xffffffff81000000 u64=0x1000000 u64=0xffffffff81000000 "[kernel.kallsyms]_text\x00\x00" u32=0 u32=0 u64=0 u32=0 u32=0 u64=100
101 [000] 7.000150: sched:sched_switch: @ip=0xffffffff80ffffc0 prev_pid=101 prev_state=S next_pid=102
102 [000] 7.000250: sched:sched_switch: @ip=0xffffffff81ffffc0 prev_pid=102 prev_state=S next_pid=101
END
$MKPERF -o x.data x.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT script -F time,ip,dso x.cdict
