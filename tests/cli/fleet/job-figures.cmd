# figures of benchmarks into a job and out of it; invalid combinations
export CDICT_STORE=$PWD/jobs
try() {
	echo "--- $*"
	$CDICT "$@" 2>&1
	echo "status $?"
}
$CDICT job create 2001
echo '{"results": [{"command": "make", "mean": 1.5, "times": [1, 2]}], "a.b": -7, "text": "12"}' >run.json
try push --job 2001 --host one --bench run.json
try push --job 2001 --host one --bench run.json
try push -q --job 2001 --host two --bench run.json,run.json --name x
try push -q --job 2001 --host two --bench run.json --name $'evil\e[1m"\\'
try pull --job 2001 --format csv
try pull --job 2001 --format json --host two
try pull --job 2001 --format openmetrics --host two
try pull --job 2001 --format csv -o out.csv
wc -l <out.csv
try push --job 2001 --bench run.json a.cdict
try push --job 2001 --bench run.json --with-file
try push --job 2001 --name x
try push --job 2001 -s 1
try push --job 2001 -e page-faults -i a.cdict
try push --job 2001 -e page-faults -s x
try push --job 2002 --bench run.json
try push --job 2001 --bench no.json
