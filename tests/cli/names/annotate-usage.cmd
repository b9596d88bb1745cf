# invalid usage is reported, and nothing is written
$CDICT convert -q -i $DATA/kvm-callchain.data -o x.cdict
echo 1,,,,,,A >m.csv
try() {
	echo "--- $*"
	$CDICT annotate "$@" 2>&1
	echo "status $?"
}
try
try x.cdict
try --map m.csv
try - --map m.csv <x.cdict
try x.cdict --anonymize-key m.csv --map m.csv
try m.csv --map m.csv
try gone.cdict --map m.csv
mkfifo pipe
try pipe --map m.csv
try x.cdict --anonymize --anonymize-key gone -o y.cdict
: >empty
try x.cdict --anonymize --anonymize-key empty -o y.cdict
try x.cdict --map m.csv -q -o no/such/place
echo '--- through pipes'
$CDICT annotate -q - --map m.csv -o - <x.cdict | $CDICT info --labels - | grep csv
ls -A
