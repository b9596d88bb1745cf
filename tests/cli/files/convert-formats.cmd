# a perf.data without tracepoint formats: --formats gives them, each sample is held against them; damage is still reported
try() {
	echo "-- $*"
	rm -f x.cdict
	$CDICT convert -e '*:*' "$@" -o x.cdict >out 2>err
	echo "status $?"
	# the message about this host gives the reason why its own are not used
	sed -E "s/; (cannot use this host's|this host's|cannot read this host's|none of its event ids exists on).*/; .../; s/ -> .* bytes.event/ -> .../" err
	if [ -e x.cdict ]; then
		$CDICT script -q x.cdict >lines
		cmp -s lines whole && echo same || wc -l <lines
	fi
}
trace=$DATA/two-vcpus.trace
$MKPERF -o whole.data $trace
$MKPERF --big-endian -o big.data $trace
$CDICT convert -q -e '*:*' whole.data -o whole.cdict
$CDICT script -q whole.cdict >whole
for form in --kill "--kill --big-endian" "--kill --zstd" "--kill --dir" "--kill --dir --zstd --big-endian" \
	--no-tracing "--no-tracing --pipe" "--no-tracing --pipe --zstd --big-endian"; do
	rm -rf killed.data
	$MKPERF $form -o killed.data $trace
	echo "== $form"
	try --formats $DATA/formats killed.data
done
echo "== without --formats"
for form in --kill --no-tracing; do
	$MKPERF $form -o lone.data $trace
	try lone.data
done
try --formats $DATA/formats - <killed.data
$MKPERF --no-tracing --pipe -o pipe.data $trace
echo "== a pipe"
cat pipe.data | try --formats $DATA/formats -
$MKPERF --kill -o killed.data $trace
echo "== other sources"
mkdir -p tree/events
for file in $DATA/formats/{sched,kvm}.*.format; do
	name=$(basename $file .format)
	mkdir -p tree/events/${name/./\/}
	cp $file tree/events/${name/./\/}/format
done
try --formats tree killed.data
try --formats tree/events killed.data
try --formats whole.data killed.data
try --formats whole.cdict killed.data
$MKPERF --pipe -o whole-pipe.data $trace
try --formats whole-pipe.data killed.data
try --formats whole.data whole.data

echo "== of another kernel, or none"
try --formats big.data killed.data
$MKPERF --no-tracing -o headers.data $trace
sed 's/^osrelease.*//; 1i osrelease 5.4.0-else' $trace >other.trace
$MKPERF --formats $DATA/formats -o other.data other.trace
try --formats other.data headers.data
# the same ids, other events
mkdir other
for file in $DATA/formats/{sched,kvm}.*.format; do
	sed 's/^ID: .*/ID: 60000/' $file >other/$(basename $file)
done
try --formats other killed.data
# one event has grown by a field
cp -r $DATA/formats grown
sed 's/^\tfield:int next_prio;.*/&\n\tfield:u64 more[4];\toffset:64;\tsize:32;\tsigned:0;/' \
	$DATA/formats/sched.sched_switch.format >grown/sched.sched_switch.format
try --formats grown killed.data
cat pipe.data | try --formats grown -
# and one is not there
cp -r $DATA/formats fewer
rm fewer/sched.sched_switch.format
try --formats fewer killed.data

echo "== hostile"
mkdir garbage empty huge
head -c 100000 /dev/urandom >garbage/sched.sched_switch.format
head -c 3000000 /dev/zero | tr '\0' x >huge/sched.sched_switch.format
mkfifo huge/sched.sched_waking.format
printf 'name: sched_switch\nID: 1\n' >garbage/sched.a.format
printf 'name: sched_switch\nID: 18446744073709551615\nformat:\n\tfield:int x;\toffset:4294967295;\tsize:4294967295;\tsigned:1;\n' >garbage/sched.b.format
: >nothing
for source in none garbage empty huge killed.data err nothing /dev/null $DATA/bad; do
	try --formats $source killed.data
done
sed 's/offset:[0-9]*/offset:60000/' -i grown/*.format
try --formats grown killed.data
rm -f x.cdict
$CDICT convert --formats whole.data -i $DATA/job.pfw -o x.cdict
echo "status $?"

echo "== on the way"
for command in tasks info script report; do
	more=
	[ $command != report ] || more="-o page.html"
	$CDICT $command killed.data $more >out 2>err
	echo "$command: status $?"
	grep -o 'input is damaged: the recorder was killed\|has no tracepoint formats, because the recorder was killed\|recording: the recorder was killed' err | sort -u
done
