# needs: python3
# a loss, a vCPU, wake-ups, in every format: unknown values are reported as unknown
$MKPERF --formats $DATA/formats -o l.data $DATA/loss.trace
$CDICT convert -q --max-loss 100 -i l.data -o l.cdict
check=$TOP/tests/oracle/exchange/_lib/perfetto_check.py
$CDICT export --max-loss 100 l.cdict --to csv | tr -d '\r'
$CDICT export --max-loss 100 l.cdict -o l.json
cat l.json
$CDICT export -q --max-loss 100 l.cdict --to pfw
$CDICT export -q --max-loss 100 l.cdict -o l.pftrace
python3 $check l.pftrace
python3 $check --slices l.pftrace
python3 $check --lost l.pftrace
python3 $check --names l.pftrace
# the status reports the loss
$CDICT export l.cdict -o l.csv
echo "status $?, $(wc -l <l.csv) lines"
