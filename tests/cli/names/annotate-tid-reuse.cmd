# needs: jq
# a tid that two tasks had: with its start a label means one of them, without both
$MKPERF -o x.data $DATA/tid-reuse.trace
$CDICT convert -q -i x.data -o x.cdict
show() { $CDICT tasks x.cdict "$@" --format json | jq -c '.tasks[] | select(.tid == 601) | [.comm, .name]'; }
show
echo '--- the old one'
echo 601,,,,,,Old,20000000000 >old.csv
show --map old.csv
echo '--- the new one'
echo 601,,,,,,New,30000400000 >new.csv
show --map new.csv
echo '--- each its own'
show --map old.csv,new.csv
echo '--- both'
echo 601,,,,,,Both >both.csv
show --map both.csv
echo '--- neither'
echo 601,,,,,,Later,90000000000 >later.csv
show --map later.csv
$CDICT annotate x.cdict --map old.csv,new.csv,later.csv
show
