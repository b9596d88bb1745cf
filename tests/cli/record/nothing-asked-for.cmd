# A task, VM or CPU that is not there is a sentence, not an empty table
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q -i x.data -o x.cdict
for command in tasks latency exits vcpu successors coremap stats 'heatmap --view vcpu' 'heatmap --format html -o h.html' 'report -o r.html' 'diff x.cdict'; do
	for option in '-t nosuch' '--vm nosuch' '--tid 77' '-t KVM --vm nosuch'; do
		$CDICT $command $option x.cdict
		echo "$command $option: status $?"
	done
done
for command in tasks latency exits vcpu switches coremap stats heatmap script; do
	$CDICT $command -C 99 x.cdict
	echo "$command -C 99: status $?"
done
$CDICT tasks -C 1,99 x.cdict | head -n 1
ls *.html
