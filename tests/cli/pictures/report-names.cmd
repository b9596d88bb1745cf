# the name of the page, and refused ones
ln -s $DATA/formats formats
cp $TOP/tests/oracle/format/v1.0-vmx.cdict run.cdict
cp run.cdict other
try() {
	echo "> $*"
	$CDICT report "$@"
	echo "status $?"
}
try run.cdict
try other
try run.cdict other --label before,after
ls
try run.cdict -o run.cdict
try run.cdict -o ./nowhere/x.html
try run.cdict other --label a,b,c
try
try - <run.cdict
try - -o piped.html <run.cdict
try nothing.cdict
try run.cdict --embed some
$CDICT report run.cdict -o - | head -n 1
$CDICT heatmap run.cdict --view vcpu -o one.html && grep -o '"only": "[a-z]*"' one.html
$CDICT heatmap run.cdict --view kvm --what guest --format-out html -o two && grep -o '"start": {.*}' two
$CDICT heatmap run.cdict --view vcpu -o one.html --width 900
cmp run.cdict other && echo the captures are what they were
