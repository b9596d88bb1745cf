# an input without a byte is called empty, whatever it was to be; numbers of one have a singular
$CDICT convert -q -i $DATA/kvm-small.data -o run.cdict
for name in perf.data run2.cdict x.pfw trace.dat pw.json map.csv report.sql sweep.json bench.json folded.txt; do : >$name; done
mkdir store spool logs
says() {
	echo "\$ cdict $*"
	$CDICT "$@" 2>&1 </dev/null | head -n 1
}
while read -r line; do
	says $line
done <<'END'
info perf.data
info run2.cdict
info x.pfw
info trace.dat
info pw.json
info -
convert -i perf.data -o out.cdict
convert -i trace.dat -o out.cdict
convert -i - -o out.cdict
script -
tasks -
report x.pfw -o out.html
export -i trace.dat -o out.json
diff run2.cdict run.cdict
diff run.cdict run2.cdict
heatmap run2.cdict
flame folded.txt
flame -
flame folded.txt --base folded.txt
annotate run.cdict --map map.csv
tasks run.cdict --map map.csv
tasks run.cdict --map -
query run.cdict --sql report.sql
query run.cdict --sql -
sweep --plot sweep.json
push --spool spool
flame --log-dir logs
END
says query '' run.cdict
ls out.* 2>/dev/null
export CDICT_STORE=$PWD/store
echo "-- an empty store, job, journal"
says job list --json
says job create empty
says push --job empty --bench bench.json
says report --job empty -o out.html
says tasks --job empty
: >a.csv.journal
: >a.journal
$CDICT sweep -n 1 -o a.csv -- false 2>&1 >out | tail -n 1
echo "-- one"
echo '{"x": 1}' >bench.json
says push --job empty --bench bench.json
