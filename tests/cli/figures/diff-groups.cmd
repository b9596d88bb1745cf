# tasks as groups: their figures are those of `cdict tasks --by group`
ln -s $DATA/formats formats
cat >a.trace <<'END'
cpus 1
proc 301 "worker"
proc 302 "worker"
proc 303 "other"
301 [000] 10.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=301
301 [000] 10.000400: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
302 [000] 10.000600: sched:sched_switch: prev_pid=302 prev_state=S next_pid=303
303 [000] 10.001000: sched:sched_switch: prev_pid=303 prev_state=S next_pid=301
END
sed -e 's/10\.000600/10.000800/' -e 's/\b30\([123]\)\b/40\1/g' a.trace >b.trace
for f in a b; do $MKPERF -o $f.data $f.trace && $CDICT convert -q -i $f.data -o $f.cdict || exit; done
$CDICT tasks -q a.cdict --by group --format csv | cut -d, -f1,4-6
$CDICT tasks -q b.cdict --by group --format csv | cut -d, -f1,4-6
$CDICT diff a.cdict b.cdict -q --by group
$CDICT diff a.cdict a.cdict -- b.cdict b.cdict -q --by group
$CDICT diff a.cdict b.cdict -q --by group --format md | grep -A4 Groups
$CDICT diff a.cdict b.cdict -q --by group --format csv | cut -d, -f1-8
