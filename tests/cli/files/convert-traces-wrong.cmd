# several files that cannot become one, and traces without an event
ln -s $DATA/kvm-small.data a.data
cp $DATA/job.pfw a.pfw
try() {
	$CDICT convert "$@"
	echo "status $?"
}
try a.pfw a.pfw
try -o x.cdict a.pfw a.data
try -o x.cdict a.data a.pfw
try -o x.cdict 'no*.pfw'
try -o a.pfw 'a.pf?'
try -o x.cdict a.pfw gone.pfw
echo '[' >empty.pfw
try empty.pfw
printf '{"name":1}\n{"a\n' >none.pfw
try none.pfw
ls -A
