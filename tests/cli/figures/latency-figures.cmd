# needs: jq
# waits of 1, 2, 3 and 100 µs, as in the trace
$MKPERF -o x.data $DATA/latency.trace
$CDICT convert -q -i x.data -o x.cdict
$CDICT latency x.cdict
$CDICT latency x.cdict --format json -t w | jq -c '.latency[] | [.latency_count, .latency_ns, .latency_avg_ns, .latency_max_ns, .latency_max_at_ns, .preempt_count, .preempt_ns]'
$CDICT latency x.cdict --perf
$CDICT latency x.cdict --by cpu --format csv | tr -d '\r'
$CDICT latency x.cdict --by cpu -t w
diff <($CDICT latency x.cdict --by cpu --json | jq -c '.total | del(.cpu)') <($CDICT latency x.cdict --json | jq -c '.total | del(.name, .tid, .pid, .comm, .vm, .vcpu)') && echo one total
$CDICT latency x.cdict -t nobody
