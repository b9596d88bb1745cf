# context-switch records alone: the missing events are named, and how to record them; the file is complete
$MKPERF -o switches.data $DATA/switch-only.trace
$CDICT convert -i switches.data -o x.cdict 2>err
echo "status $?"
sed 's/ -> .* bytes.event/ -> .../' err
$CDICT info -q --verify x.cdict | grep -A3 -e '^in the rec' -e '^state'
$CDICT script x.cdict
echo "status $?"
# -q: the status alone
rm x.cdict
$CDICT convert -q -i switches.data -o x.cdict
echo "status $?"
