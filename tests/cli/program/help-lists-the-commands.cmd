$CDICT help | head -5
$CDICT --help | cmp - <($CDICT help) && echo same
$CDICT >/dev/null
