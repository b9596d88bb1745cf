# the analyses in two parts, cut at random, are those of one walk; states, waits and columns add up, and so do windows
for trace in shared-cpu neighbours two-vcpus loss migrations halts tid-reuse hotplug latency arm64-exits same-names; do
	$MKPERF -o x.data $DATA/$trace.trace
	rm -f x.cdict
	$CDICT convert -q -i x.data -o x.cdict
	echo "$trace: $(${RUN-} $BUILD/tests/tools/check/twoparts x.cdict 12 2>&1)"
	${RUN-} $BUILD/tests/tools/check/addup x.cdict 6 >out 2>&1 || cat out
done
rm -f x.cdict
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
${RUN-} $BUILD/tests/tools/check/twoparts x.cdict 2 >out 2>&1 || cat out
${RUN-} $BUILD/tests/tools/check/addup x.cdict 2 >out 2>&1 || cat out
