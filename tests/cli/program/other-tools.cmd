# Words of perf, trace-cmd, hyperfine and bpftrace: what does the same here, or why not.
$CDICT convert -q -e '*' -i $DATA/kvm-small.data -o record.cdict
try() {
	echo "\$ cdict $*"
	$CDICT "$@" 2>&1 | head -n ${lines-1}
}
# perf
try sched
try sched record -- sleep 1
try sched latency
try sched timehist
try sched timehist -w
try sched map
try sched script
try kvm stat
try kvm stat record -a
try kvm stat report
try kvm stat live
try kvm top
try trace
try trace -s
try trace record
try list
try list 'sched:*'
try stat -- true
try evlist
try timechart
try data convert --to-ctf x
try bench sched pipe
try daemon start
try ftrace trace
try archive
try help sched
# trace-cmd
try start -e sched
try stop
try extract -o trace.dat
try snapshot -s
try show
try stream -e sched
try profile
try hist
try split -i trace.dat
try dump --summary
try listen -p 1234
try stack
# help of help, and what nobody has
lines=3 try help help
try halp
try unheard
# perf script
lines=2
try script -n 2
try script --pid 1044 -n 2
try script --comms 'CPU 1/KVM,worker' -n 2 -F comm,tid,event
try script --comm perf -n 2 -F comm,time
try script --comms nobody
try script --pid 1 --comms nobody
# -s: by the heading, with or without its unit, and by the short name
for key in latency_max_ns 'lat max ms' 'lat max' 'LAT MAX'; do $CDICT tasks --format csv -s "$key" -n 5 | cut -d, -f1,2 | cksum; done
for key in run_ns 'run ms' run RUN; do $CDICT tasks --format csv -s "$key" -n 5 | cut -d, -f1,2 | cksum; done
try tasks -s 'run:asc,lat max' -n 1 --format csv
try tasks -s nonsense
try tasks -s ''
# statements before or behind the file
try query -q 'SELECT count(*) AS n FROM sched_switch' record.cdict --format csv
try query -q record.cdict 'SELECT count(*) AS n FROM sched_switch' --format csv
