# needs: jq
# several command lines; what could be one command or several is refused
try() {
	echo "sweep $*"
	$CDICT sweep -q "$@" 2>&1
	echo "status $?"
	rm -f sweep.*
}
run="-r 1 --metric v --format csv"
try $run "echo '{\"v\": 1}'" "echo '{\"v\": 2}'" | tr -d '\r'
try $run "echo '{\"v\": 1}'" | tr -d '\r'
try $run -L b 3,x "echo '{\"v\": \"{b}\"}'" "echo '[]'" | tr -d '\r'
try $run -P b 1 9 -D 4 -- echo '{"v": {b}}' | tr -d '\r'
try $run --shell sh 'n=$((2 * 4)); echo "{\"v\": $n}"' 'printf "{\"v\": 7}" | cat' | tr -d '\r'
try $run --shell sh -- echo 'a b'
try ls pwd
try echo 'a b'
try 'echo a' -r 2
try 'echo a | cat' 'echo b'
try "echo 'a" 'echo b'
try 'echo a' ''
try -L command a 'echo a' 'echo b'
try -P b 1
try -P b 1 -- true
try -P b=1..3 -D x -- true
try -D 2 -- true
try --export-json sweep.json -- true
try -r 1 --export-json missing/x.json -- true
for again in 1 2; do
	$CDICT sweep -q -r 1 --export-json t.json -o u.json -- true >/dev/null
	echo "status $?"
done
$CDICT sweep --plot u.json --export-json u.json -o v.json
$CDICT sweep --plot u.json --export-json t.json -o v.json -q >/dev/null
echo "status $?"
# the journal of several commands
export CDICT
cat >bench <<'END'
[ $1 = 2 ] && [ ! -e killed ] && touch killed && kill -9 $PPID && sleep 9
echo "{\"v\": $1}"
END
bash -c '"$CDICT" sweep -q -r 2 --metric v -o k.svg "sh bench 1" "sh bench 2"; echo "status $?"' 2>/dev/null
$CDICT sweep -r 2 --metric v -o k.svg -- sh bench 1 2>&1
$CDICT sweep -r 2 --metric v -o k.svg 'sh bench 1' 'sh bench 2' 2>&1
jq -c '[.command, .lines, .params], .done[].samples' k.json
grep -o '<title>[^<]*' k.svg
