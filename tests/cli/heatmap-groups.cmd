# rows of several tasks: their cells are the sums of `cdict tasks --by`, and what makes no sense is said
$MKPERF -o small.data $DATA/two-vcpus.trace && $CDICT convert -q -i small.data -o small.cdict
cat >map.csv <<'END'
tid,libvirt-instance,role
1001,web,vcpu0
1002,web,vcpu1
END
$CDICT tasks small.cdict -q --by group --map map.csv --format csv | cut -d, -f1-4
$CDICT heatmap small.cdict --view coremap --rows group --map map.csv
$CDICT heatmap small.cdict --view coremap --rows role --map map.csv --by switches
$CDICT heatmap small.cdict --view cpu --rows group --map map.csv
$CDICT heatmap small.cdict --view exits --by count --rows group --map map.csv
$CDICT heatmap small.cdict --view cores --rows group
# sums of both: guest 1145, exit 95, preempted 500, waiting 50, halted 190, unknown 20 us of 2000; 500 of 550 behind itself
$CDICT heatmap small.cdict --view vcpu --rows group --map map.csv
$CDICT convert -q -i $DATA/kvm-small.data -o real.cdict
$CDICT heatmap real.cdict --view coremap --rows group -n 3
$CDICT tasks real.cdict -q --by group --format csv -n 3 | cut -d, -f1,3-6
