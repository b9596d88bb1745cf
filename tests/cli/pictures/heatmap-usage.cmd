# wrong usage of heatmap: two lines each, status 129, and no file
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
try() {
	$CDICT heatmap "$@" 2>&1
	echo "status $?"
}
try
try x.cdict --view pie
try x.cdict --what guest
try x.cdict --view vcpu --what run
try x.cdict --view exits --by space
try x.cdict -o x.gif
try x.cdict -o x.svg --format-out gif
try x.cdict --format-out png
try x.cdict -o x.svg --width 10
try x.cdict --view exits --height 900 -o x.svg
try x.cdict --time '1,2 3,4' -o x.svg
try x.cdict -t '(' -o x.svg
try missing.cdict -o x.svg
try x.cdict -o missing/x.svg
ls
