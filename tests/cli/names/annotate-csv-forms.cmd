# mapping files that other programs wrote: separators, names of columns, contradictions
$CDICT convert -q -i $DATA/kvm-callchain.data -o x.cdict
cp x.cdict before
try() { # FILE [OPTION]...
	$CDICT annotate x.cdict --map "$@"
	echo "$1: status $?"
}
printf 'tid;role;task-name\n1;vcpu0;Web\n' >semicolons.csv
printf '1\t\tvcpu0\t\t\t5\tWeb\n' >tabs.csv
printf 'tid,vm,role\n1,Web,vcpu0\n' >columns.csv
printf 'TID,Task_Name,Group-Id\n1,Web,5\n' >case.csv
printf '1,,vcpu0,,,5,Web\n3,,vcpu1,,,5,Web\n1,,,,,6,\n' >contradiction.csv
printf "2,,vcpu0,,,5,'=1+1\n" >calculated.csv
for map in semicolons tabs columns; do
	try $map.csv
done
cmp x.cdict before
try columns.csv --map-skip-bad -q
try case.csv -q
try contradiction.csv -q
try calculated.csv -q
cp x.cdict again.cdict
$CDICT annotate x.cdict --clear --map contradiction.csv 2>&1 | grep contradiction.csv
$CDICT info --labels again.cdict | grep csv
