# list, show and receive: dumps by name, by the beginning of one, the newest; streams that are cut, damaged, empty
# kvm-small has no wall-clock time: received dumps are called by the present one
masked() { sed -E 's/20[0-9]{6}T[0-9]{6}\.[0-9]{3}Z_request/NOW_request/; /NOW_request/s/^20[0-9-]* [0-9:]{8}/NOW                /; s/^time     20.. *.*UTC$/time/'; }
{
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict
"$CDICT" flight list -d nowhere
echo "status $?"
cat run.cdict run.cdict | "$CDICT" flight receive -d dumps
echo "status $?"
(cd dumps && for f in *; do cmp "$f" ../run.cdict && echo "$f"; done)
cp run.cdict dumps/20261128T015903.120Z_web01_latency-31.234ms.cdict
cp run.cdict dumps/20261128T020100.000Z_..%2F%24x_exit-9.000ms.cdict
head -c 40 run.cdict >dumps/20261128T015904.000Z_web02_steal-55pct.cdict
echo other >dumps/notes.txt
ln -s notes.txt dumps/20261128T015905.000Z_web03_steal-55pct.cdict
"$CDICT" flight list -d dumps
echo "status $?"
"$CDICT" flight list -d dumps --format csv -s bytes:asc -n 1 2>/dev/null
"$CDICT" flight show -d dumps | grep -v '^next'
echo "status $?"
"$CDICT" flight show -d dumps 20261128T015903 | head -n 3
"$CDICT" flight show -d dumps 2026
echo "status $?"
"$CDICT" flight show -d dumps 1999
echo "status $?"
head -c 1000 run.cdict | "$CDICT" flight receive -d cut
echo "status $?"
ls cut
{ cat run.cdict; echo garbage, more than a header of sixteen bytes; } | "$CDICT" flight receive -q -d damaged
echo "status $?"
ls damaged
"$CDICT" flight receive -d empty </dev/null
echo "status $?"
ls -A empty
"$CDICT" flight show -d empty
echo "status $?"
"$CDICT" flight
echo "status $?"
"$CDICT" flight start
echo "status $?"
"$CDICT" flight list extra
echo "status $?"
"$CDICT" flight run -d dumps
echo "status $?"
} 2>&1 | masked
