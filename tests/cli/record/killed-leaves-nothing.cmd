# a signal, SIGKILL too, a full disk and damaged input: no half-written file, and the old one stays
echo before >x.cdict
mkfifo pipe
for signal in INT TERM HUP KILL; do
	# a background job of a shell without job control ignores SIGINT: env takes that back
	env --default-signal=INT $CDICT convert -q -i - -o x.cdict <pipe &
	exec 3>pipe
	head -c 100000 $DATA/kvm-pipe.data >&3
	# it writes into a file that has no name
	for i in {1..100}; do
		readlink /proc/$!/fd/* 2>/dev/null | grep -q "^$PWD/.*deleted" && break
		sleep 0.05
	done
	readlink /proc/$!/fd/* | grep -c "^$PWD/.*deleted"
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
