# differences in a page of several captures: the rows of cdict diff, and their tasks in each
for trace in two-vcpus no-wakeups neighbours; do
	$MKPERF -o x.data $DATA/$trace.trace
	$CDICT convert -q -i x.data -o $trace.cdict
done
ln -s $DATA/formats formats
compare() {
	echo "--- $*"
	$CDICT report -q "$@" -o x.html 2>&1 || echo "status $?"
	sed -n '/^  "compare": {/,/^  }/p' x.html
}
compare two-vcpus.cdict no-wakeups.cdict
compare two-vcpus.cdict neighbours.cdict no-wakeups.cdict
