# the same input gives the same bytes: however many threads, however it arrives, as often as one likes
for capture in kvm-small kvm-zstd kvm-callchain kvm-pipe; do
	$CDICT convert -q -j1 -o $capture.cdict $DATA/$capture.data
	for jobs in 1 2 3 8; do
		$CDICT convert -q -j $jobs -o again.cdict $DATA/$capture.data
		cmp $capture.cdict again.cdict && echo "$capture -j$jobs: same"
	done
	$CDICT convert -q -o - $DATA/$capture.data | cmp - $capture.cdict && echo "$capture to a pipe: same"
done
# another name, another date
cp $DATA/kvm-small.data other.data
touch -d @1000000000 other.data
$CDICT convert -q -o other.cdict other.data
cmp kvm-small.cdict other.cdict && echo "another name and date: same"
# a pipe in: cut earlier, so only the pipes agree
cat $DATA/kvm-pipe.data | $CDICT convert -q -j1 -i - -o 1.cdict
(head -c 70001; sleep 0.2; cat) <$DATA/kvm-pipe.data | cat | $CDICT convert -q -j2 -i - -o 2.cdict
cmp 1.cdict 2.cdict && echo "from a pipe: same"
$CDICT script 1.cdict | cmp - <($CDICT script kvm-pipe.cdict) && echo "from a pipe: the same events"
