# asked for: stdout, status 0, however it is asked for
$CDICT help info
$CDICT info --help | cmp - <($CDICT help info) && echo same
$CDICT info -h | cmp - <($CDICT help info) && echo same
$CDICT info --verify --he nonsense | cmp - <($CDICT help info) && echo same
