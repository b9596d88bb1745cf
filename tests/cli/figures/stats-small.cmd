# one text, the same each time, whole or not at all
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT stats x.cdict -n 2
$CDICT stats x.cdict -n 2 -o a.txt
$CDICT stats x.cdict -n 2 >b.txt
cmp a.txt b.txt && echo same
$CDICT stats x.cdict -o no/such/folder/a.txt
echo "status $?"
$MKPERF -o loss.data $DATA/loss.trace
$CDICT convert -q --max-loss 50 -i loss.data -o loss.cdict
$CDICT stats loss.cdict -o loss.txt
echo "status $?"
head -n 8 loss.txt
