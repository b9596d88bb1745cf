# Loss is relative to all recorded events, also those that convert leaves out; a loss after the last event is reported, too
ln -s $DATA/formats formats
{
	printf 'cpus 1\nproc 301 a\nproc 302 b\n'
	echo '301 [000] 10.000000: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302'
	for i in $(seq 1 8); do echo "302 [000] 10.00000$i: sched:sched_stat_runtime: pid=302 runtime=1"; done
	echo '302 [000] 10.000100: sched:sched_switch: prev_pid=302 prev_state=S next_pid=301'
	echo '[000] 10.000200: LOST 6'
	echo '[000] 10.000300: LOST 4'
} >x.trace
$MKPERF -o x.data x.trace
$CDICT convert -i x.data -o all.cdict 2>&1 | grep -v kept
$CDICT convert -e sched:sched_switch -i x.data -o some.cdict 2>&1 | grep -v kept
for f in all some; do
	$CDICT info $f.cdict 2>&1 | grep '^loss\|^  *lost\|max-loss\|^window\|^last'
	$CDICT tasks $f.cdict 2>&1 | grep 'loss:\|max-loss'
	$CDICT tasks $f.cdict --time 10.000000,10.000050 -q | grep '^loss:'
	$CDICT tasks $f.cdict --time 10.000050, -q | grep '^loss:'
	$CDICT tasks $f.cdict --format json -q | grep '"percent"\|"lost"'
done
# a ring that lost something before its first event did so since the recording's begin
{
	printf 'cpus 2\n301 [000] 10.000000: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302\n'
	printf '[001] 10.000050: LOST 1\n302 [001] 10.000050: sched:sched_switch: prev_pid=302 prev_state=S next_pid=301\n'
} >x.trace
$MKPERF -o x.data x.trace && $CDICT convert -q -i x.data -o x.cdict 2>/dev/null
$CDICT info --max-loss 100 x.cdict | grep -A 1 ^loss
