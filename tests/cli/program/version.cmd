$CDICT --version
# what the Makefile says, the program says and every file it makes
sed -n 's/^VERSION := /makefile: cdict /p' $TOP/Makefile
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT info --format json x.cdict | grep -o '"capture.version": *"[^"]*"'
