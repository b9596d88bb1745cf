# a bad line is reported with file, line, column and reason; the file is refused whole, or the line left out
$CDICT convert -q -i $DATA/kvm-callchain.data -o x.cdict
cp x.cdict before
printf '1,,vcpu0,,,5,Web\n\nnobody,,,,,,Web\n' >number.csv
printf '1,,vcpu0,,,5,Web\n2,,"vcpu1,,,5,Web\n3,,vcpu2,,,5,Web\n' >quote.csv
printf '1,,vcpu0,,,5,Web,1,p,u,c,q\n' >many.csv
printf '1,,\033[2J,,,5,We"b\n' >escape.csv
for map in number quote many escape; do
	$CDICT annotate x.cdict --map $map.csv
	echo "$map: status $?"
	cmp x.cdict before
	$CDICT tasks x.cdict --map $map.csv >/dev/null 2>&1
	echo "$map: tasks: status $?"
	rm -f y.cdict
	$CDICT convert -q -i $DATA/kvm-callchain.data --map $map.csv -o y.cdict 2>/dev/null
	echo "$map: convert: status $?"
	ls y.cdict 2>/dev/null
done
$CDICT annotate x.cdict --map-skip-bad --map quote.csv --map number.csv
echo "skipped: status $?"
$CDICT info --labels x.cdict | grep csv
$CDICT annotate x.cdict --map none.csv
echo "none: status $?"
$CDICT annotate x.cdict --map .
echo "folder: status $?"
ls -A
