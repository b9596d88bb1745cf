# wrong usage of sweep: two lines each, status 129, nothing run and no file
try() {
	$CDICT sweep "$@" 2>&1
	echo "status $?"
}
run='-- touch ran'
try
for values in '' , 1,,2 1..x x..1 1..10:0 1..10:-1 1..10*1 0..10*2 1,2,4..1 9,1,3..7 a,1..3 1..99999; do
	echo "values $values"
	try -L b="$values" $run
done | grep -v "^try"
try -L b $run
try -L 1b=2 $run
try -L b=1 -L b=2 $run
try --metric 'a..b' $run
try --metric 'a[' $run
try --metric 'a[x]' $run
try --metric 'a|most' $run
try --metric 'wall|mean' $run
try --metric wall --metric wall $run
try --metric record.switches $run
try --record --metric record.nothing $run
try -n 0 $run
try -n 1 --drop-first $run
try -n 1000000 -L b=1..10 $run
try -o x.gif $run
try -o missing/x.svg $run
try --x a -L b=1 $run
try --mark a -L b=1 $run
try --mark 1 -L b=a,b $run
try --mark 0 -L b=1,10,100 $run
try --x-scale log -L b=0,1 $run
try --width 10 $run
try --plot missing.json
echo '{"schema": {"name": "cdict-tasks", "version": 1}}' >other.json
try --plot other.json
try --plot other.json -L b=1
ls
# more than 200 values: nothing runs unasked
try -L b=512,1K..1M $run
try -L b=1..20 -L c=1..20 $run
try -L b=1..3 --max-values 2 $run
for values in 2^0..3^4 2^8..2^0:0 1^0..1^4 2^x..2^4; do
	echo "values $values"
	try -L b="$values" $run
done | grep -v '^try'
try --metric 'a[1:2:3:4]' $run
try --metric 'a[::0]' $run
ls
$CDICT sweep -q -n 1 -L b 1..201 --max-values 201 --metric v -o many.csv -- echo '{"v": {b}}' >/dev/null
wc -l <many.csv
for mark in 4K=4KB:rde 4K=4KB:red: 4K=L1:2 4K:red 4K= 4K=:red x:red 4K: =red 4K:rde; do
	echo "mark $mark"
	$CDICT sweep -q -n 1 -L b 1,2 --metric v --mark "$mark" -o mark.svg -- echo '{"v": 1}' 2>&1 >/dev/null
	echo "status $? $(grep -o '#d62728' mark.svg 2>/dev/null | head -n 1) $(sed -n 's/.*<text[^>]*>\(4K\|4KB\|L1\)\(:*[a-z2]*\)<.*/\1\2/p' mark.svg 2>/dev/null | head -n 1)"
	rm -f mark.*
done | grep -v '^try'
# a measured figure is converted into the unit of the metric; the times of hyperfine's format stay seconds
$CDICT sweep -q -n 1 --metric a=wall --metric wall:ms --metric c=maxrss --metric d=maxrss:KiB --format csv --export-json times.json -- sleep 0.01 |
	awk -F, '{ v[$1] = $8 } END { printf "wall ms %.0f maxrss KiB %.0f\n", v["a"] / v["wall"], v["c"] / v["d"]; printf "%.3f\n", v["wall"] / 1e3 }' | tee units.txt | head -n 1
grep -q "\"mean\": $(tail -n 1 units.txt | cut -c 1-4)" times.json || cat times.json
$CDICT sweep -q -n 1 --metric maxrss:ms -- true 2>&1 | head -n 1
rm -f units.txt times.json
