# needs: jq
# the expected figures are in syscalls.trace
$MKPERF --formats $DATA/formats -o x.data $DATA/syscalls.trace
$CDICT convert -q --max-loss 100 -e '*' -i x.data -o x.cdict
$CDICT count -q --max-loss 100 x.cdict
$CDICT count -q --max-loss 100 x.cdict --by syscall -v
$CDICT count -q --max-loss 100 x.cdict --by task,syscall --format csv | tr -d '\r'
$CDICT count -q --max-loss 100 x.cdict --by cpu --bucket 0.5
$CDICT count -q --max-loss 100 x.cdict --by syscall -t 'bench$' --format json | jq -c '.count[] | [.syscall, .nr, .calls, .returns, .errors, .time_ns, .broken]'
# calls that touching windows count are those of the whole
for w in 50.0001,50.0003 50.0003,50.001; do
	$CDICT count -q --max-loss 100 x.cdict --by syscall --time $w --format json | jq -c '.total? // empty, [.count[] | [.syscall, .calls, .returns, .time_ns]]'
done
$CDICT count -q --max-loss 100 x.cdict --by syscall --abi aarch64 --format md -n 3
$CDICT count -q --max-loss 100 x.cdict -e 'sched:*' -C 0 --by task,cpu
# a capture without system calls; an invalid --by
$CDICT convert -q -i $DATA/kvm-small.data -o k.cdict
$CDICT count k.cdict --by syscall
echo $?
$CDICT count k.cdict --by syscall,event
echo $?
$CDICT count k.cdict --by vm
$CDICT count k.cdict --by syscall -e sched:sched_switch
$CDICT count k.cdict --bucket 0
$CDICT count k.cdict -e nothing
cp k.cdict l.cdict
$CDICT count -q l.cdict k.cdict -e kvm_exit --by event
