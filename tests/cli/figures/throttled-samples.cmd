# THROTTLE and UNTHROTTLE of an event that is sampled (the dummy's id is 100) lose no tracepoint, and are not those of one: it is
# throttled from 100 to 300 us, not to 150; and LOST is not of the event whose id is the number of lost events
ln -s $DATA/formats formats
ids='u64=100 u64=100 u32=102 u32=102'
cat >x.trace <<END
cpus 1
proc 101 a
proc 102 b
101 [000] 7.000050: sched:sched_switch: prev_pid=101 prev_state=S next_pid=102
102 [000] 7.000100: THROTTLE
102 [000] 7.000150: RECORD 6 0 u64=7000150000 $ids u64=7000150000 u32=0 u32=0 u64=100
102 [000] 7.000300: UNTHROTTLE
102 [000] 7.000350: RECORD 5 0 u64=7000350000 $ids u64=7000350000 u32=0 u32=0 u64=100
102 [000] 7.000380: LOST 100
102 [000] 7.000500: sched:sched_switch: prev_pid=102 prev_state=S next_pid=101
END
$MKPERF -o x.data x.trace
$CDICT convert -q -i x.data -o x.cdict 2>/dev/null
$CDICT info x.cdict --max-loss 99 | sed -n '/^loss/,/^state/p; /not stored/,$p'
