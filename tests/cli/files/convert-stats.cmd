# --stats writes the stats file next to the cdict; not into a pipe
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q --stats -i x.data
ls x.*
$CDICT stats x.cdict | cmp - x.stats.txt && echo same
$CDICT convert -q --stats -i x.data -o - | cat
echo "status ${PIPESTATUS[0]}"
$MKPERF -o loss.data $DATA/loss.trace
$CDICT convert -q --stats -i loss.data -o loss.cdict
echo "status $?"
head -n 1 loss.stats.txt
