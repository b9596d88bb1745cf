# exits by port, with the tail of their times
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT exits --by port --format csv -n 3 x.cdict
