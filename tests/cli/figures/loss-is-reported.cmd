# 7 of 23 events are lost: every table reports it at its end, and more than --max-loss exits 2
$MKPERF -o loss.data $DATA/loss.trace
$CDICT convert -q --max-loss 50 -i loss.data -o loss.cdict
echo "convert: status $?"
$CDICT info loss.cdict | sed -n '/^loss/,/^state/p'
$CDICT tasks loss.cdict --max-loss 50
echo "tasks: status $?"
$CDICT tasks loss.cdict --format csv -n 1 --max-loss 50 | tr -d '\r'
$CDICT exits loss.cdict --by reason
echo "exits: status $?"
$CDICT tasks loss.cdict -q --format json | sed -n '/"loss"/,/^  }/p'
