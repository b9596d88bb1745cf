# the output is next to the input, and is named after it
cp $DATA/kvm-callchain.data perf.data
cp $DATA/kvm-callchain.data run
mkdir -p deeper
cp $DATA/kvm-callchain.data deeper/a.data
$MKPERF --dir -o record $DATA/two-vcpus.trace
$CDICT convert -q
$CDICT convert -q run
$CDICT convert -q -i deeper/a.data
$CDICT convert -q record/
echo "status $?"
$CDICT convert -q -i - <perf.data
echo "status $?"
find . -type f ! -path './record/*' | sort
cmp perf.cdict run.cdict
