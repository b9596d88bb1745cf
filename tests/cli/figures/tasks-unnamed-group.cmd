# tasks whose name was not recorded are one group; a label is a name, even one that begins with a colon
ln -s $DATA/formats formats
cat >x.trace <<'T'
cpus 1
default sched:sched_switch prev_prio=120 next_prio=120
0 [000] 50.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=1001
1001 [000] 50.001000: sched:sched_switch: prev_pid=1001 prev_state=S next_pid=1002
1002 [000] 50.003000: sched:sched_switch: prev_pid=1002 prev_state=S next_pid=1003
1003 [000] 50.006000: sched:sched_switch: prev_pid=1003 prev_state=S next_pid=0
0 [000] 50.010000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=1001
T
$MKPERF -o x.data x.trace && $CDICT convert -q -i x.data -o x.cdict
printf '1003,:1003,x\n' >map.csv
$CDICT tasks -q x.cdict --by group
$CDICT tasks -q x.cdict --map map.csv --by group --format csv | cut -d, -f1-3
