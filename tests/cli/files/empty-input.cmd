# an input without a byte is called empty by every command that reads one, whatever its name and its source
names=$($CDICT help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
export CDICT_STORE=$PWD/store
$CDICT job create 2001 >/dev/null
# arguments of a command that reads FILE; none: it does not read one
words() {
	case $1 in
	record | flight | top | job | sweep | pull) return 1 ;;
	identify) echo "identify -o x.csv" ;;
	convert) echo "convert -o x.cdict" ;;
	annotate) echo "annotate -o x.cdict --map map.csv" ;;
	successors) echo "successors --tid 1" ;;
	heatmap) echo "heatmap --view cpu -o x.svg" ;;
	flame) echo "flame -o x.svg" ;;
	export) echo "export -o x.csv" ;;
	report) echo "report -o x.html" ;;
	push) echo "push --job 2001" ;;
	diff) echo "diff whole.cdict" ;;
	*) echo "$1" ;;
	esac
}
$CDICT convert -q $DATA/kvm-callchain.data -o whole.cdict
echo 1,,,,,,A >map.csv
mkdir perf
: >empty.cdict
for name in empty.data empty.dat empty.pfw empty.folded perf/data; do : >$name; done
printf '' | gzip -n >empty.pfw.gz
mkfifo fifo

# reported NAME STATUS: the message is in err
reported() {
	local want=$3
	[ $2 -eq 1 ] || [ "$1" = "${1#*pfw.gz}" -a $2 -eq 2 ] || echo "$1: status $2"
	grep -q "$want" err || { echo "$1:"; cat err; }
	[ "$(grep -c . err)" -le 2 ] || { echo "$1: so many lines:"; cat err; }
}
for name in $names; do
	args=$(words $name) || { echo "$name reads no capture"; continue; }
	run() {
		if [ $name = query ]; then
			timeout 60 $CDICT query 'SELECT 1' "$1" >out 2>err
		elif [ $name = join ]; then
			timeout 60 $CDICT join whole.cdict "vm=$1" -o both.cdict >out 2>err
		else
			timeout 60 $CDICT $args "$1" >out 2>err
		fi
	}
	for file in empty.cdict /dev/null; do
		run $file
		reported "$name $file" $? "^cdict $name: $file: is empty\$"
	done
	piped="^cdict $name: standard input is empty: did the command before the pipe fail?\$"
	false | run -
	reported "$name -" $? "$piped"
	ls x.* 2>/dev/null
done
echo "-- a directory of perf, traces, texts, maps"
try() {
	"$@" >out 2>err
	echo "status $?"
	cat err
}
try $CDICT tasks perf
for name in tasks convert flame; do
	for file in empty.data empty.pfw empty.folded; do
		try $CDICT $(words $name) $file
	done
	: >fifo &
	try $CDICT $(words $name) fifo
	wait
	try $CDICT $(words $name) - </dev/null
done
try $CDICT convert perf -o x.cdict
try $CDICT convert empty.pfw.gz -o x.cdict
try $CDICT tasks empty.pfw.gz
cp $DATA/job.pfw .
try $CDICT convert job.pfw empty.pfw -o x.cdict
echo 'a;b 1' >some.folded
try $CDICT flame some.folded empty.folded -o x.svg
try $CDICT flame empty.folded some.folded -o x.svg
: >empty.csv
try $CDICT annotate whole.cdict --map empty.csv -o x.cdict
try $CDICT tasks whole.cdict --map empty.csv
false | try $CDICT tasks whole.cdict --map -
try $CDICT diff empty.cdict whole.cdict
try $CDICT report whole.cdict empty.cdict -o x.html
ls x.* 2>/dev/null
