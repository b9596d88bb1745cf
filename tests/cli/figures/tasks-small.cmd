$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT tasks x.cdict -n 8
$CDICT tasks x.cdict -t '*KVM' -s name,tid --append-tid -v | cut -c 1-120
