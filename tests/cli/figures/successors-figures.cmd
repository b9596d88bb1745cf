# the tasks that ran next, as in the traces
$MKPERF -o x.data $DATA/latency.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT successors x.cdict -t w
$CDICT successors x.cdict --tid 0,502 -s tid
$MKPERF -o m.data $DATA/migrations.trace
$CDICT convert -q -i m.data -o m.cdict
$CDICT successors m.cdict -t . --merge-sys-tasks --format csv | tr -d '\r'
$CDICT successors m.cdict
