# needs: jq
# A map of another host names no task of the capture: nothing is written; of one that does in part the number of rows is printed
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q -i x.data -o x.cdict
cp x.cdict before.cdict
for ((i = 1; i <= 33; i++)); do echo "$((5000 + i)),,vcpu0,,,$i,Foreign"; done >foreign.csv
$CDICT annotate x.cdict --map foreign.csv
echo "$?, $(cmp x.cdict before.cdict && echo untouched)"
$CDICT annotate x.cdict --map foreign.csv -o new.cdict -q
echo "$?, $(ls new.cdict 2>&1)"
{ cat foreign.csv; echo '1001,,vcpu0,,,5,Firewall'; } >part.csv
$CDICT annotate x.cdict --map part.csv
echo "$?, $($CDICT info --labels x.cdict --format json | jq '.labels | length') labels"
# once more: no new label
$CDICT annotate x.cdict --map part.csv
echo $?
# and next to a known one
$CDICT annotate x.cdict --map foreign.csv
echo $?
