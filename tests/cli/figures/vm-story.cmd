# needs: jq
# One VM's time and the chains of wake-ups, by hand from the trace's comment; of a window; which VM, which file.
$MKPERF -o x.data $DATA/story.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT vm 1000 x.cdict
$CDICT vm x.cdict --chain
$CDICT vm -i x.cdict 1000 --json | jq -c '.parts[], .total, .threads[], .chains[]'
$CDICT vm x.cdict --time 80.0005,80.0007
# several VMs, none, the name or the file twice
$MKPERF -o two.data $DATA/neighbours.trace
$CDICT convert -q -i two.data -o two.cdict
$CDICT vm two.cdict
$CDICT vm 2000 two.cdict --format csv
$CDICT vm 3000 two.cdict
$CDICT vm --vm 1000 2000 two.cdict
$CDICT vm -i x.cdict 1000 two.cdict
$CDICT convert -q -e 'sched:*' -i x.data -o sched.cdict
$CDICT vm sched.cdict
