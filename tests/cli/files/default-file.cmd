# without FILE: record.cdict, or a pipe on standard input, as perf does with perf.data
try() {
	echo "> $*"
	"$CDICT" "$@" 2>&1
	echo "status $?"
}
try tasks
try diff
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o record.cdict
try tasks -n 2 --format md
"$CDICT" info | head -n 2
"$CDICT" script | head -n 2
"$CDICT" report && ls
cp record.cdict run.cdict
cp record.cdict record.cdict.old
"$CDICT" diff | grep against
"$CDICT" diff run.cdict | grep against
# a pipe goes before the file
"$CDICT" convert -q -i "$DATA/kvm-pipe.data" -o - | "$CDICT" info | head -n 2
"$CDICT" annotate --map /dev/null </dev/null
printf '%s\n' 1228,,,,,,Mine >map.csv
"$CDICT" annotate -q --map map.csv && "$CDICT" tasks | grep Mine
