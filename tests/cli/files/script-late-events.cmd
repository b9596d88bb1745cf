# of two events of one CPU and time the second is late; where only the first is asked for, it is in its place
cat >x.trace <<'TRACE'
cpus 2
order text
proc 301 a
proc 302 b
301 [000] 130.000100: sched:sched_stat_runtime: pid=301 runtime=1
301 [000] 130.000500: sched:sched_stat_runtime: pid=301 runtime=2
ROUND
302 [001] 130.000400: sched:sched_stat_runtime: pid=302 runtime=3
301 [000] 130.000600: sched:sched_stat_runtime: pid=301 runtime=4
ROUND
302 [001] 130.000400: sched:sched_waking: pid=301 target_cpu=0
302 [001] 130.000700: sched:sched_stat_runtime: pid=302 runtime=5
TRACE
$MKPERF --formats $DATA/formats -o x.data x.trace && $CDICT convert -q -i x.data -o x.cdict
for e in '*:*' sched:sched_stat_runtime sched:sched_waking; do
	echo "-- $e"
	$CDICT script -e "$e" x.cdict | cut -c1-70
done
echo '-- CPU 0' && $CDICT script -C 0 x.cdict | cut -c1-70
