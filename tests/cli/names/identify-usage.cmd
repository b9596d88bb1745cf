# nothing found, nothing there, nothing understood
try() {
	echo "-- $*"
	$CDICT identify "$@" 2>&1
	echo "status $?"
}
mkdir -p empty bad proc/100
printf 'qemu-system-x86_64\0-name\0vm\0' >proc/100/cmdline
echo '<!DOCTYPE domain [<!ENTITY a "b">]><domain><name>&a;</name></domain>' >bad/a.xml
echo '<domain><name>' >bad/b.xml
echo 'not XML, and not read' >bad/c.txt
try --proc-root empty
try --proc-root nowhere
try --proc-root proc --libvirt-state nowhere
try --proc-root proc --libvirt-state bad
try --proc-root proc -q --libvirt-state bad
try --proc-root proc -o nowhere/map.csv
try --format xml
try operand
try --proc-root proc -o map.csv
echo old >map.csv
try --proc-root nowhere -o map.csv
cat map.csv
$CDICT identify --proc-root proc >/dev/full
echo "status $?"
