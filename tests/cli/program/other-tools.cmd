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

# ---- forty more, as their users type them ----
lines=1
try sched timehist -w -V
try sched timehist -V
try sched timehist -M
try sched timehist -s
try sched timehist --state
try sched map --compact
try sched replay -r 1
try kvm stat record -p 1044
try kvm stat report --event=vmexit --key=time
try kvm stat live --event=ioport
try kvm --host stat live
try stat -e 'kvm:*' -a sleep 1
try lock contention -b
try kmem record
try kwork report
try mem record
try c2c record
try probe --add tcp_sendmsg
# perf script, perf report, perf top
try script -F comm,pid,tid,cpu,time,event,trace -n 1
try script --ns -F time,event -n 1
try script -G -n 1
for option in --itrace=i100 '-s script.py' -D --reltime --deltatime --header-only --show-lost-events --show-task-events '-S schedule' -l; do
	try script $option
done
for option in --stdio '--sort comm' '-g caller' '-F overhead,comm' -n -D --no-children '--comm perf' --header; do
	try report $option
done
for option in '-e cycles' -K -g '-F 99'; do
	try top $option
done
# what perf record takes is taken: the last option is the one that is wrong
try record -F 99 -k CLOCK_MONOTONIC -m 4M -C 0 -z -a --seconds=x
try record -e sched -e kvm --switch-output=1G --max-size 1M -N -B --seconds=x
try record --overwrite
# trace-cmd
for command in reset clear restore 'set -e sched' 'mem -i x' 'sqlhist -e x' 'agent -D' 'start -p function_graph' 'stop -a' 'hist -i trace.dat' 'show -s' 'extract -s' 'stream -e kvm'; do
	try $command
done
for option in -l -R -w '--cpu 0' '-F sched_switch' --ts-diff --stat --events '-O fgraph:depth' -N --uname --check-events; do
	try report $option
done
# hyperfine: runs, or the option that does it
try hyperfine -w 3 ./run
for option in '-w 1' -N '-L n 1,2' '-P n 1 2' '-P n 1 3 -D 2' -i '-s true' '-p true' '-c true' '-S sh' '-r 1'; do
	echo "\$ cdict sweep $option"
	$CDICT sweep -q -r 1 -o x.csv $option -- true >out 2>&1 && cut -d' ' -f1 out | sed 1d
done
for option in '-m 5' '-M 9' '-u millisecond' '--export-markdown x.md' '--export-csv x.csv' '--export-orgmode x' --show-output '--input x' '--parameter-list n 1,2' '-n name=x' '--reference true'; do
	try sweep $option -- true
done
# bpftrace, its tools and those of bcc; kvm_stat
for command in 'bpftrace -l tracepoint:kvm:*' '-l' '-e x' '-p 1' runqlat.bt runqlen.bt 'runqlat 1 10' runqlen 'offcputime -p 1' 'runqslower 10000' cpudist 'wakeuptime 5' softirqs kvmexit kvm_stat 'kvm_stat -1' 'kvm_stat -l' 'top -1'; do
	try $command
done
