# cut, killed, with rubbish at the end: the readable part is kept, the byte is reported, status 2
try() {
	echo "-- $*"
	$CDICT convert -i "$@" -o x.cdict 2>err
	echo "status $?"
	# the message about this host gives the reason why its own formats are not used
	sed -E "s/ -> .* bytes.event/ -> .../; s/; (cannot use this host's|this host's|cannot read this host's|none of its event ids exists on).*/; .../" err
	[ ! -e x.cdict ] || $CDICT script -q x.cdict | wc -l
	rm -f x.cdict
}
head -c 500001 $DATA/kvm-pipe.data >cut-pipe.data
head -c 500001 $DATA/kvm-small.data >cut-file.data
head -c 300001 $DATA/kvm-zstd.data >cut-zstd.data
(cat $DATA/kvm-small.data; echo "and something else") >longer.data
(cat $DATA/kvm-pipe.data; echo "and something else") >longer-pipe.data
cp $DATA/kvm-small.data size0.data
head -c 8 /dev/zero | dd of=size0.data bs=1 seek=48 conv=notrunc status=none
$MKPERF --kill -o killed.data $DATA/two-vcpus.trace
for file in *.data; do try $file; done
try - <cut-pipe.data
