# rows of several tasks: their cells are the sums of `cdict tasks --by`, and invalid usage is reported
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
# cores: a colour a group, a role, or a state of vCPUs: the figures of the legend are those of cdict vcpu and tasks
for by in task group role state; do $CDICT heatmap small.cdict --view cores --by $by --map map.csv; done
$CDICT heatmap small.cdict --view cores --by state --map map.csv --tid 1001 | sed -n 3,4p
$CDICT heatmap small.cdict --view cores --by switches
# delays by VM and by sibling: the rows of cdict vcpu --by vm, --by sibling
for t in neighbours siblings; do $MKPERF -o $t.data $DATA/$t.trace && $CDICT convert -q -i $t.data -o $t.cdict; done
for width in 80 120; do $CDICT heatmap neighbours.cdict --view delays --width $width; done
$CDICT heatmap neighbours.cdict --view delays --vm 2000 --width 60
$CDICT vcpu neighbours.cdict -q --by vm --format csv | cut -d, -f1,2,4
$CDICT heatmap siblings.cdict --max-loss 100 --view delays --by sibling
$CDICT vcpu siblings.cdict -q --max-loss 100 --by sibling --format csv | cut -d, -f1,2,4
# the rest is one row, one column
$CDICT heatmap siblings.cdict --max-loss 100 --view delays --by sibling --width 50 | sed -n 5,7p
$CDICT heatmap neighbours.cdict --view delays --by sibling
$CDICT convert -q -e "kvm:*" -i neighbours.data -o kvm.cdict
$CDICT heatmap kvm.cdict --view delays
# sums of both: guest 1145, exit 95, preempted 500, waiting 50, halted 190, unknown 20 us of 2000; 500 of 550 behind itself
$CDICT heatmap small.cdict --view vcpu --rows group --map map.csv
$CDICT convert -q -i $DATA/kvm-small.data -o real.cdict
$CDICT heatmap real.cdict --view coremap --rows group -n 3
$CDICT tasks real.cdict -q --by group --format csv -n 3 | cut -d, -f1,3-6
for n in 1 2 0; do $CDICT heatmap real.cdict --view delays -n $n --width 100 | sed -n 4,9p; done
