# needs: jq
# a label stays until another of the same task replaces it, field by field, or it is cleared
$CDICT convert -q -i $DATA/kvm-callchain.data -o x.cdict
cp x.cdict before
tid=$($CDICT tasks x.cdict --format json | jq '[.tasks[] | select(.vcpu != null)][0].tid')
names() { $CDICT info --labels x.cdict | sed -n '/label/,/^$/p' | sed "s/ *$tid/TID/"; }
names
echo "$tid,inst,vcpu0,,,5,Web" >a.csv
echo "$tid,,,,,6," >b.csv
echo "$tid,,,,,,Db" >c.csv
$CDICT annotate -q x.cdict --map a.csv && names
$CDICT annotate -q x.cdict --map b.csv,c.csv && names
cp x.cdict again
$CDICT annotate -q x.cdict --map c.csv && cmp x.cdict again && echo "nothing new, nothing changed"
$CDICT annotate -q x.cdict --clear --map c.csv && names
$CDICT annotate x.cdict --clear && cmp x.cdict before && echo as before
echo '--- only shown'
$CDICT tasks x.cdict --map a.csv --map b.csv -t Web --format csv -q | cut -d, -f1
cmp x.cdict before && echo untouched
