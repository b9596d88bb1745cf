# pictures in a terminal without colours: the numbers in them are worked out in the traces
for t in migrations two-vcpus loss; do
	$MKPERF -o $t.data $DATA/$t.trace && $CDICT convert -q --max-loss 50 -i $t.data -o $t.cdict
done
$CDICT heatmap migrations.cdict --height 16
$CDICT heatmap migrations.cdict --view coremap
$CDICT heatmap migrations.cdict --view coremap --by switches
$CDICT heatmap migrations.cdict --view cores --label 'the label'
$CDICT heatmap migrations.cdict --view cpu
$CDICT heatmap two-vcpus.cdict --view exits --by count
$CDICT heatmap two-vcpus.cdict --view exits
$CDICT heatmap two-vcpus.cdict --view vcpu --width 100
$CDICT heatmap loss.cdict --max-loss 50 --height 16 --what wakeup
$CDICT heatmap loss.cdict --max-loss 50 --view cores
