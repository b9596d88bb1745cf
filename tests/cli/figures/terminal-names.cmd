# needs: python3
# Names that are cut to fit a terminal: different names in a column stay different, and exits and tasks keep the times they are asked for.
unset PAGER CDICT_PAGER LESS COLUMNS LINES
. $TOP/tests/tools/run/terminals.sh
on() { terminals python3 $TOP/tests/tools/run/terminal.py "$@"; }
on 80 24 true || exit 77
$CDICT convert -q -i $DATA/kvm-small.data -o small.cdict
$MKPERF -o x.data $DATA/neighbours.trace && $CDICT convert -q -i x.data -o x.cdict
$MKPERF -o wide.data $DATA/wide.trace && $CDICT convert -q -i wide.data -o wide.cdict
cp small.cdict labels.cdict && $CDICT annotate -q labels.cdict --map $DATA/kvm-small.map.csv
# labels with the difference inside, longer than half a terminal
awk -F, -v OFS=, 'NR > 1 && $2 != "" { $2 = "a-virtual-machine-of-the-customer-" substr($2, 16) "-in-the-cluster-of-the-north" } 1' $DATA/kvm-small.map.csv >long.csv
cp small.cdict long.cdict && $CDICT annotate -q long.cdict --map long.csv
cat >all.sh <<'END_OF_ALL'
for command in tasks 'tasks --by group' 'tasks --by role' exits 'exits --by vm' 'exits --by vcpu' vcpu 'vcpu --by reason' 'vcpu --by antagonist' 'vcpu --by vm' \
	'vcpu --by halt' 'vcpu --by sibling' latency coremap 'count --by task' switches 'successors -t .' vm stats \
	'query "SELECT name, name AS again, tid FROM thread"'; do
	for file in small x wide labels long; do
		echo "=== $command $file"
		eval "$CDICT $command $file.cdict -q --no-pager" 2>&1
	done
done
END_OF_ALL
# every row in full: the columns of a terminal of 1000, whose rows are the same ones in the same order
on 1000 100 bash all.sh >full
for columns in 60 80 100 120 200; do
	on $columns 100 bash all.sh >out
	echo "$columns columns: $(python3 $TOP/tests/tools/run/terminalnames.py full out)"
done
for file in small labels long; do
	for command in exits tasks; do
		on 80 100 $CDICT $command -q --no-pager $file.cdict >table
		sed -n '/^task/{s/  */ /gp;q}' table
	done
done
on 80 100 $CDICT vcpu -q --no-pager long.cdict | sed -n '/^task/,/^(/p'
