# perf's names of fields; invalid names
for fields in comm,tid,time,event comm,pid,tid,cpu,time,event,trace trace:time,trace +comm,-cpu,-trace +pid; do
	echo "> $fields"
	"$CDICT" script -q -F $fields "$DATA/kvm-small.data" | head -n 2
done
"$CDICT" script -q -f --ns -F time,event "$DATA/kvm-small.data" | head -n 1
"$CDICT" script -F coom,tid "$DATA/kvm-small.data"
"$CDICT" script -F +comm,tid "$DATA/kvm-small.data"
