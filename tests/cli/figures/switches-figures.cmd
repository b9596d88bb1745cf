# needs: jq
# CPU 0: switches at 0, 410 and 650 µs; CPU 1: at 200 and 700, wake-ups at 180 and 600
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT switches x.cdict --bucket 0.5
$CDICT switches x.cdict --bucket 0.3 -C 1 --format csv | tr -d '\r'
$CDICT switches x.cdict --format json | jq -c '[.switches | length, (map(.length_ns) | add), (map(.switches) | add)], .cpus'
$CDICT switches x.cdict --bucket 0
$CDICT switches x.cdict --bucket nonsense
$MKPERF -o loss.data $DATA/loss.trace
$CDICT convert -q --max-loss 50 -i loss.data -o loss.cdict
$CDICT switches loss.cdict --bucket 0.2 -C 1 --max-loss 50
# 1 ms are two buckets of 0.5 and the last instant: of CPU 0, which wakes a task then, and of CPU 1, which has no event
ln -s $DATA/formats formats
{ cat $DATA/two-vcpus.trace; echo '1001 [000] 100.001000: sched:sched_waking: pid=1002 target_cpu=1'; } >even.trace
$MKPERF -o even.data even.trace
$CDICT convert -q -i even.data -o even.cdict
$CDICT switches even.cdict --bucket 0.5 --format csv | tr -d '\r'
