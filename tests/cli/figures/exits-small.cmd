$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT exits x.cdict --by reason
$CDICT exits x.cdict --by port -n 3
$CDICT exits x.cdict --by vm -n 3 -s count --format md
