# wrong usage: two lines, status 129, and nothing is written
try() {
	$CDICT convert "$@"
	echo "status $?"
}
ln -s $DATA/kvm-small.data a.data
try --nonsense
try a.data b.data
try -i a.data b.data
try -j none a.data
try -j -1 a.data
try --max-loss much a.data
try -i -
try -o x.cdict -i
ls -A
