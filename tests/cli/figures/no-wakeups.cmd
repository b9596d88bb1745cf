# Values that the capture does not have are empty, not 0
$MKPERF -o x.data $DATA/no-wakeups.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT tasks x.cdict
$CDICT tasks x.cdict --format csv -s tid -n 2 | tr -d '\r' | cut -d, -f 1-3,13,24-28,29,31
$CDICT switches x.cdict --bucket 0.5
$CDICT switches x.cdict --format csv --bucket 1 | tr -d '\r' | cut -d, -f 1,4-6
