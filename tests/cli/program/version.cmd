$CDICT --version
# the version of the Makefile is that of the program and of every file that it writes
sed -n 's/^VERSION := /makefile: cdict /p' $TOP/Makefile
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT info --format json x.cdict | grep -o '"capture.version": *"[^"]*"'
