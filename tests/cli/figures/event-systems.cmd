# needs: jq
# A system's name alone is all of its events, as for trace-cmd; a name without a colon is of any system
$MKPERF -o x.data $DATA/two-vcpus.trace
for e in sched 'sched:*' kvm 'kvm:*' sched,kvm sched_switch kvm_exit 'kvm_e*' sche; do
	rm -f x.cdict
	$CDICT convert -q -e "$e" -i x.data -o x.cdict
	echo "convert -e $e: $? $($CDICT info x.cdict --format json 2>/dev/null | jq '[.events[].count] | add')"
done
$CDICT convert -q -i x.data -o x.cdict
for e in sched 'sched:*' kvm 'kvm:*' sched,kvm sched_switch kvm_exit 'kvm_e*'; do
	echo "script -e $e: $($CDICT script x.cdict -e "$e" | wc -l), count: $($CDICT count x.cdict -e "$e" --format json | jq .total.events)"
done
$CDICT script x.cdict -e sche
echo $?
$CDICT convert -q -i $DATA/job.pfw -o io.cdict
echo "$($CDICT script io.cdict -e POSIX | wc -l) $($CDICT script io.cdict -e 'POSIX:*' | wc -l)"
