# invalid usage is reported
export CDICT_STORE=$PWD/jobs
try() {
	echo "--- $*"
	$CDICT "$@" 2>&1
	echo "status $?"
}
$CDICT convert -q -i $DATA/kvm-small.data -o a.cdict
try job
try job make 2001
try job create
try job create 2000
try job create 10000
try job create 02001
try job create ../x
try job create 2001 --ttl 7
try job create 2001 --ttl 4000d
try job create 2001 --bucket 2d
try job list 2001
try job show 2001 --ttl 7d
try job list --in 5s
try job start
try job start 2001
try job show 2001
try job remove 2001
try tasks --job 2001
try push a.cdict
try push --job 2001 a.cdict
try push --job x/y a.cdict
try tasks --job 2001 a.cdict
try tasks --job 2001 --tid 4
try tasks --job 2001 --by group
try exits --job 2001 --by port
try job list --store ftp://x
try job list --store redis://me:secret@host
ls -A
# a store may contain anything
$CDICT job create 2001 --bucket 1d && $CDICT push -q --job 2001 a.cdict
try job start 2001 --in 5
try job start 2001 --seconds 0
f=$(ls jobs/2001/h*/*)
cp $f whole
head -c 200 whole >$f
try tasks --job 2001
printf 'CDFV\2xxxxxxxxxxxxxxxx' >$f
try tasks --job 2001
: >$f
try tasks --job 2001
head -c -1 whole >$f && printf 'x' >>$f
try tasks --job 2001 | sed 's/value [^:]*:/value N:/'
echo hello >jobs/2001/job
try job show 2001
try job create 2001
ls jobs
