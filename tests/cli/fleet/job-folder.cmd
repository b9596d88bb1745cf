# a job in a folder: made, filled from two hosts' captures, looked at, removed
export CDICT_STORE=$PWD/jobs
try() {
	echo "--- $*"
	$CDICT "$@"
	echo "status $?"
}
$CDICT convert -q -i $DATA/kvm-small.data -o a.cdict
$CDICT convert -q -i $DATA/kvm-libvirt-cgroups.data -o b.cdict
$CDICT annotate -q a.cdict --map $DATA/kvm-small.map.csv
try job list
try job create 2001 --info 'before = "the upgrade"' --bucket 100ms
$CDICT job list --format csv | cut -d, -f1,2,4-
try push --job 2001 a.cdict b.cdict
try push --job 2001 b.cdict
try push -q --job 2001 --host $'evil\e[1m/../x' a.cdict
$CDICT job show 2001 | tail -n +4 | sed 's/20..-..-.. ..:..:../TIME/'
try tasks --job 2001 -n 6
try tasks --job 2001 -n 3 -t vcpu1 -s switches -v
try exits --job 2001 --by reason
try vcpu --job 2001 --format csv -n 4
try latency --job 2001 -n 4 --format md
try tasks --job 2001 --format csv -n 2
try job remove 2001
ls -A jobs
