# 130 I/O traces, each in 64 streams, as its lines are in descending order: 8192 in all, of which the last files keep one
for file in $(seq -w 130); do
	for ts in $(seq 640 -10 10); do
		echo "{\"name\":\"n\",\"cat\":\"c\",\"ts\":$ts,\"dur\":1,\"pid\":1,\"tid\":1}"
	done >$file.pfw
done
$CDICT convert -q -o all.cdict '*.pfw'
echo "status $?"
$CDICT info all.cdict | grep '^cpus\|^events  \|^loss\|^blocks'
$CDICT convert -q -o two.cdict 001.pfw 130.pfw
$CDICT info two.cdict | grep '^cpus\|^events  '
