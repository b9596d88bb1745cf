# a capture without stacks has no flame graph; the requested events must exist
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT flame x.cdict
$CDICT flame x.cdict --by cycles
$CDICT flame x.cdict --by nothing
$CDICT flame x.cdict x.cdict
$CDICT flame
$CDICT flame --log-dir . x.cdict
$CDICT flame x.cdict --width 5
