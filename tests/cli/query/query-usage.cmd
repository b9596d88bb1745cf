# Invalid queries are reported in a line or two: statements, files, options.
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict
try() {
	"$CDICT" query "$@"
	echo "status $?" >&2
}
try
try 'SELECT 1'
try 'SELECT 1' none.cdict
try 'SELECT nothing FROM thread' x.cdict
try 'SELECT 1; SELECT FROM' x.cdict
try --sql none.sql x.cdict
printf 'SELECT 1;\0SELECT 2' >nul.sql
try --sql nul.sql x.cdict
try 'SELECT 1' x.cdict --time 10
try 'SELECT 1' x.cdict --time 10%-20%,30%-40%
try 'SELECT 1' x.cdict -o x.cdict
try 'SELECT 1' x.cdict --format yaml
echo 'SELECT count(*) FROM sched_switch' | "$CDICT" query --sql - x.cdict
"$CDICT" query 'SELECT count(*) FROM sched_switch' "$DATA/kvm-small.data" 
cat x.cdict | "$CDICT" query 'SELECT run, count(*) FROM sched_switch'
"$CDICT" query 'SELECT count(*) FROM sched_switch' -i x.cdict --time 0%-50%
"$CDICT" query -q x.cdict "$DATA/kvm-small.data" 'SELECT run = '"'x.cdict'"', count(*) FROM sched_switch GROUP BY 1'
