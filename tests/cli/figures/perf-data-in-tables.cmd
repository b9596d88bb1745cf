# a recording of perf is read like a cdict, in memory, and reported; nothing is written
cp "$DATA/kvm-small.data" run.data
"$CDICT" convert -q -i run.data -o "$TMPDIR/run.cdict"
for how in 'tasks' 'exits --by vm' 'vcpu --by reason' 'latency --format csv' 'coremap --by switches'; do
	# shellcheck disable=SC2086
	"$CDICT" $how run.data | sed 's/run.data/FILE/' >got
	# shellcheck disable=SC2086
	"$CDICT" $how "$TMPDIR/run.cdict" | sed "s|$TMPDIR/run.cdict|FILE|" | cmp - got && echo "same: $how"
done
"$CDICT" script -q run.data | head -n 2
# as it comes from perf, through a pipe
"$CDICT" tasks -q -n 2 <"$DATA/kvm-pipe.data" | head -n 1
cat "$DATA/kvm-pipe.data" | "$CDICT" tasks -n 2 --format md
# missing files
"$CDICT" info gone.data
"$CDICT" script -q -e nothing:here run.data
"$CDICT" annotate run.data --map /dev/null
rm got
ls
cmp run.data "$DATA/kvm-small.data" && echo 'the recording is what it was'
