# the threads of one VM over time: in the terminal, and as SVG with the sentences of cdict vm under its title
$CDICT convert -q -i $DATA/kvm-small.data -o k.cdict && $CDICT annotate -q k.cdict --map $DATA/kvm-small.map.csv
$CDICT heatmap k.cdict --view vm
$CDICT heatmap k.cdict --view vm --vm instance-0000001c --width 100
$CDICT heatmap k.cdict --view vm --vm instance-0000001c -n 1 --width 100 | grep -e '^exits' -e '^vcpu' -e '^vhost' -e 'more thread'
$CDICT heatmap k.cdict --view vm --vm instance-0000001c -o k.svg
text=$($CDICT vm instance-0000001c k.cdict -q | grep '^instance-0000001c:')
tr -d '\n' <k.svg | sed 's/<[^>]*>/ /g; s/  */ /g' | grep -cF "${text:0:50}"
$CDICT heatmap k.cdict --view vm --vm instance-0000001c -o k.pdf && head -c 5 k.pdf && echo
$MKPERF -o s.data $DATA/migrations.trace && $CDICT convert -q -i s.data -o s.cdict
$CDICT heatmap s.cdict --view vm
