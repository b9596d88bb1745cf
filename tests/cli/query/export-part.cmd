# needs: python3
# part of a capture: by time, CPU, task; other tasks are shown as unknown ones
$MKPERF --formats $DATA/formats -o l.data $DATA/loss.trace
$CDICT convert -q --max-loss 100 -i l.data -o l.cdict
check=$TOP/tests/oracle/exchange/_lib/perfetto_check.py
of() {
	echo "--- $*"
	$CDICT export -q --max-loss 100 l.cdict -o l.pftrace "$@" && python3 $check l.pftrace && python3 $check --slices l.pftrace
	$CDICT export -q --max-loss 100 l.cdict --to csv "$@" | tr -d '\r' | cut -d, -f1-6,11-
}
of --time 10.000840,10.000910
of -C 1
of -t '^c$'
of --tid 302 -C 0
$CDICT export -q l.cdict -o none.csv -t nobody
$CDICT export -q l.cdict -o none.csv --time 20,30
ls none.csv
