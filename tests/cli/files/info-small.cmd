# everything but the sizes, which a better codec moves
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT info --verify x.cdict | sed -e '/^size/s/[0-9].*/N/'
$CDICT info - <x.cdict | head -2
