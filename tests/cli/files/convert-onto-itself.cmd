# the input is never the output, under any name
cp $DATA/kvm-callchain.data a.data
cp a.data before
ln -s a.data link.data
ln a.data hard.data
try() {
	$CDICT convert -q "$@"
	echo "status $?"
}
try -i a.data -o a.data
try -i a.data -o ./link.data
try -i link.data -o a.data
try -i a.data -o hard.data
cp a.data x.cdict
try x.cdict -o x.cdict
cmp a.data before && ls -A
# through a link its target is written, the link stays
ln -s behind.cdict out.cdict
try a.data -o out.cdict
ls -l out.cdict | grep -o 'out.cdict.*'
$CDICT info --verify behind.cdict >/dev/null && echo whole
