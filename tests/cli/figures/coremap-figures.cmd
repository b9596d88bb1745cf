# needs: jq
# the traces' comments list the tasks on each CPU
map() {
	trace=$1
	shift
	$MKPERF -o $trace.data $DATA/$trace.trace
	$CDICT convert -q --max-loss 50 -i $trace.data -o $trace.cdict
	$CDICT coremap $trace.cdict --max-loss 50 "$@"
}
map loss
map loss --by switches
map migrations -t nobody --format md
map wide
map wide -n 1 -C 0,19 --by switches
map two-vcpus --format json | jq -c '.coremap[] | [.tid, .cpu, .run_ns, .run_percent, .switches]'
map loss --format csv | tr -d '\r' | tail -n 3
map wide -s nonsense
