# a page of several captures has the rows that changed most, and how many more there are
ln -s $DATA/formats formats
{
	echo 'cpus 1'
	echo 'default sched:sched_switch prev_prio=120 next_prio=120'
	awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "proc %d t%d\n", 1000 + i, i
		t = 50; printf "0 [000] 50.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=1001\n"
		for (i = 1; i <= 5000; i++) { t += (i * 7919 % 5000 + 1) / 1e6
			printf "%d [000] %.6f: sched:sched_switch: prev_pid=%d prev_state=S next_pid=%d\n", 1000 + i, t, 1000 + i, 1001 + i } }'
} >many.trace
{
	echo 'cpus 1'
	echo 'default sched:sched_switch prev_prio=120 next_prio=120'
	echo '0 [000] 50.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=900'
	echo '900 [000] 55.000000: sched:sched_switch: prev_pid=900 prev_state=S next_pid=0'
} >few.trace
for trace in many few; do
	$MKPERF --formats formats -o x.data $trace.trace && $CDICT convert -q -i x.data -o $trace.cdict
done
$CDICT report -q many.cdict few.cdict -o x.html || echo "status $?"
sed -n '/<script type="application\/json" id="cdict-page">/,/<\/script>/p' x.html | sed -e 's/^<script[^>]*>//' -e 's/<\/script>.*//' |
	jq -r --argjson most "$((((8192 + $(stat -c %s many.cdict) / 64 + $(stat -c %s few.cdict) / 64) / 2)))" '
	.compare.tables | .tasks, .coremap | (.rows | length) as $n |
	[.rows[] | select(.key[0] | test("^t[0-9]")) | .values[0][0] * 125025 | round] as $us |
	"rows as many as allowed: \($n == $most); in all: \(.more + $n); sorted: \([.rows[].change | fabs] | . == (sort | reverse))",
	"shortest run of tasks shown: that of the first one left out plus 1 us: \(($us | min) + ($us | length) == 5001)"'
rm -f x.html
