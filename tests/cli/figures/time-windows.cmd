# windows by --time, --from and --cap, and their errors
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
try() {
	$CDICT tasks x.cdict --format json "$@" >out
	echo "status $? $(grep window_ns out)"
}
try --time 544.9,545
try --time 10%/2
try --time 50%-100%
try -f 10 -c 20.5
try --time 544.9, -f 100 -c 50
try --time 10%/1,10%/3
try --time 1,2
try --time nonsense
try -f x
