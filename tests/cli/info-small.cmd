# everything but the date, which is that of the checkout, and the sizes, which a better codec moves
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT info --verify x.cdict | sed -e "/^file's date/d" -e '/^size/s/[0-9].*/N/'
$CDICT info - <x.cdict | head -2
