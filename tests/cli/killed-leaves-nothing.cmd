# a signal, a full disk and damaged input: no half-written file, and the old one stays
echo before >x.cdict
mkfifo pipe
for signal in INT TERM HUP; do
	# a background job of a shell without job control ignores SIGINT: env takes that back
	env --default-signal=INT $CDICT convert -q -i - -o x.cdict <pipe &
	exec 3>pipe
	head -c 100000 $DATA/kvm-pipe.data >&3
	for i in {1..100}; do
		[ -n "$(find . -name '.x.cdict.*')" ] && break
		sleep 0.05
	done
	find . -name '.x.cdict.*' | wc -l
	kill -$signal $!
	wait $! 2>/dev/null
	echo "$signal: status $?"
	exec 3>&-
	ls -A
done
(trap '' XFSZ; ulimit -f 8; $CDICT convert -q -i $DATA/kvm-small.data -o x.cdict)
echo "full: status $?"
head -c 20 $DATA/kvm-small.data >bad.data
$CDICT convert -q -i bad.data -o x.cdict 2>/dev/null
ls -A
cat x.cdict
