# several captures in one table, distinguished by a column
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o a.cdict
"$CDICT" convert -q -i "$DATA/kvm-pipe.data" -o b.cdict
try() {
	echo "> $*"
	"$CDICT" "$@"
	echo "status $?"
}
try tasks -n 3 a.cdict b.cdict
try exits --by vm -s file,cpu_ns -n 20 '*.cdict'
try exits -n 1 --format md '[ab].cdict'
try latency --by cpu a.cdict b.cdict
try tasks -t perf --format csv a.cdict b.cdict | cut -d, -f1-6
try tasks -n 1 --format json a.cdict b.cdict >json
python3 - <<'P'
import json
j = json.loads(''.join(open('json').readlines()[1:-1]))
print(sorted(j), [c['capture']['file'] for c in j['captures']], j['tasks'][0]['file'], 'total' in j)
P
# each row is that of the file alone
for f in a b; do
	"$CDICT" switches --format csv -s cpu $f.cdict | tail -n +2 | sed "s/^/$f.cdict,/"
done | sort >one
"$CDICT" switches --format csv a.cdict b.cdict | tail -n +2 | sort | cmp - one && echo 'the same rows'
"$CDICT" coremap -n 1 a.cdict b.cdict | grep -c '^loss:'
try tasks 'c*.cdict'
try tasks - - <a.cdict
try tasks a.cdict gone.cdict
try tasks -t nobody a.cdict b.cdict
cp "$DATA/kvm-small.data" c.data
try tasks -n 1 b.cdict c.data
cp a.cdict 'x*.cdict'
try info 'x*.cdict' | head -n 2
