#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: a recording may lose events, and a hypervisor may take the CPU away
# timeout: 500
# needs: python3 jq
# waits: 1
#
# Recordings attached to a process (-p, -t, -i), by perf and by cdict: its run time equals the count in
# /proc/PID/task/*/schedstat from before the recorder's start to its end, or is empty. The work begins after the
# recorder has attached and ends before it detaches, so that both count the same work, whatever else the machine does.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"
may_record || exit 77
ulimit -n "$(ulimit -Hn)"
perf record -q -e sched:sched_stat_runtime -a -o may.data -- true 2>/dev/null || {
	echo "no sched_stat_runtime here" >&2
	exit 77
}

work=$PWD/load.py
cat >load.py <<'LOAD'
import os, signal, sys, threading, time
def burn(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end: # which has the kernel report a sched_stat_runtime: not without work between
        for _ in range(2000):
            pass
def naps(n, ms):
    for _ in range(n):
        burn(ms)
        time.sleep(.002)
def pipe(n):
    a, b, c, d = *os.pipe(), *os.pipe()
    if not os.fork():
        os.close(b), os.close(c)
        while os.read(a, 1):
            os.write(d, b'x')
        os._exit(0)
    for _ in range(n):
        os.write(b, b'x')
        os.read(c, 1)
    os.close(b)
    os.wait()
def threads(n):
    all = [threading.Thread(target=naps, args=(40, 2 + i)) for i in range(n)]
    for t in all:
        t.start()
    for t in all:
        t.join()
def forks(n):
    for _ in range(n):
        if not os.fork():
            burn(2)
            os._exit(0)
        os.wait()
        burn(8)
work = {'spin': lambda: burn(600), 'sleep': lambda: naps(100, 1), 'pipe': lambda: pipe(30000),
        'threads': lambda: threads(4), 'fork': lambda: forks(60)}[sys.argv[1]]
if sys.argv[1] == 'threads': # those that are there when it is attached to
    gates = [threading.Event() for _ in range(3)]
    for i, g in enumerate(gates):
        threading.Thread(target=lambda g=g, i=i: (g.wait(), naps(60, 2 + i), time.sleep(1000)), daemon=True).start()
    work = lambda: ([g.set() for g in gates], naps(60, 2), time.sleep(.5))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
signal.sigwait([signal.SIGUSR1])
time.sleep(.002) # ends this slice, whose time before the recording's first event is not in its window: before_first
work()
open('done', 'w').close()
signal.pause()
LOAD

# The time that neither a task nor IDLE had, on all CPUs: schedstat leaves it out, the time between two switches has it.
# The kernel prints it in ticks, so one that has begun is not in it.
tick=$((1000000000 / $(getconf CLK_TCK)))
taken() { awk -v hz="$(getconf CLK_TCK)" '/^cpu / { printf "%.0f", ($7 + $8 + $9) * 1e9 / hz }' /proc/stat; }
ran() { cat "/proc/$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.0f", sum }'; }
until_sleeps() { # PID - its main thread waits in a system call
	local n=0
	until grep -q '^State:.*S (sleeping)' "/proc/$1/status" || [ $((n += 1)) -gt 500 ]; do sleep 0.02; done 2>/dev/null
}
# attached LOAD RECORDER OPTIONS... - x.cdict of it; sets pid, counted
attached() {
	local load=$1 recorder=$2 before rec
	shift 2
	rm -f done x.data x.cdict ctl ack
	mkfifo ctl ack
	python3 "$work" "$load" >/dev/null 2>&1 &
	pid=$!
	until grep -q sigtimedwait "/proc/$pid/wchan" || ! kill -0 $pid; do sleep 0.02; done 2>/dev/null
	until_sleeps $pid
	lost=$(taken) before=$(ran $pid)
	if [ "$recorder" = perf ]; then
		perf record -q -m 4M -o x.data -D -1 --control fifo:ctl,ack -p $pid "$@" >rec.out 2>&1 &
		rec=$!
		exec 8>ctl 9<ack
		echo enable >&8
		read -r <&9
	else
		"$CDICT" record -q -o x.cdict -p $pid "$@" >rec.out 2>&1 &
		rec=$!
		ready $rec
	fi
	kill -USR1 $pid
	until [ -e "done" ] || ! kill -0 $pid; do sleep 0.02; done 2>/dev/null # however long it waits for a CPU
	until_sleeps $pid
	counted=$(($(ran $pid) - before)) lost=$(($(taken) - lost + tick))
	kill -INT $rec
	wait $rec
	[ "$recorder" = cdict ] || exec 8>&- 9<&-
	{ kill -9 $pid && wait $pid; } 2>/dev/null
	[ "$recorder" = cdict ] || "$CDICT" convert -q -i x.data -o x.cdict 2>convert.err || cat convert.err
}
before_first() { # the time of x.cdict's tasks before its first event, in ns: a slice has begun then
	"$CDICT" script x.cdict -q | awk '{ sub(":$", "", $3); split($3, t, "."); if (NR == 1) { s0 = t[1]; n0 = t[2] } }
		/sched_stat_runtime:/ { sub(".* runtime=", ""); early = $1 - (t[1] - s0) * 1e9 - (t[2] - n0); if (early > 0) sum += early }
		END { printf "%.0f", sum }'
}
near() { # WHAT NS - within 1 %, and what a hypervisor or interrupts may have taken
	awk -v a="$2" -v b="$counted" -v what="$1" -v lost="$lost" -v early="$early" 'BEGIN { if (a < b * .99 - early || a > b * 1.01 + lost)
		printf "%s: ran %.3f ms, schedstat says %.3f ms, %.3f ms before the first event; hypervisor and interrupts took up to %.0f ms\n", what, a / 1e6, b / 1e6, early / 1e6, lost / 1e6 }'
}
figures() { # prints the figures of x.cdict that are wrong
	early=$(before_first)
	[ "$early" -lt 10000000 ] || echo "$early ns before the first event"
	near tasks "$("$CDICT" tasks x.cdict -q --format json | jq "[.tasks[] | select(.pid == $pid) | .run_ns] | add")"
	"$CDICT" stats x.cdict -qv -n 1000 >stats
	"$CDICT" tasks x.cdict -qv | grep -F " $pid " | while IFS= read -r line; do grep -qxF -- "$line" stats || echo "not in stats: $line"; done
	near coremap "$("$CDICT" coremap x.cdict -q --format json | jq "[.coremap[] | select(.pid == $pid) | .run_ns] | add")"
	near SQL "$("$CDICT" query "SELECT sum(dur) FROM sched_slice JOIN thread USING (utid) WHERE pid = $pid" x.cdict --format csv | tr -d '\r' | tail -n 1)"
	"$CDICT" tasks x.cdict -q --format json | jq -r '.tasks[] | select(.lossy and .unknown_ns <= .run_ns) | "marked: \(.)"'
}
evidence() { # prints the recording's own counts, which show whether events or the analysis lack the time
	"$CDICT" info x.cdict 2>&1 | grep -E '^(events +[0-9]|loss)'
	"$CDICT" script x.cdict -q | sed -n 's/.*sched_stat_runtime:.* pid=\([0-9]*\) runtime=\([0-9]*\).*/\1 \2/p' |
		awk '{ n[$1]++; sum[$1] += $2 } END { for (t in n) print "task", t ":", n[t], "sched_stat_runtime,", sum[t] / 1e6, "ms" }'
}
is_right() { # LOAD RECORDER OPTIONS...
	attached "$@"
	[ -s x.cdict ] || { cat rec.out; return; }
	figures >wrong
	[ ! -s wrong ] || { cat wrong; evidence; }
}
is_empty() { # LOAD RECORDER OPTIONS...
	attached "$@"
	[ -s x.cdict ] || { cat rec.out; return; }
	"$CDICT" tasks x.cdict --format json 2>err | jq -r '(.tasks[] | select(.run_ns != null or .run_percent != null or .switches == null)), (select(.not_recorded | index("sched:sched_stat_runtime") | not) | "not reported")'
	grep -q 'their run times are unknown' err || cat err
	"$CDICT" coremap x.cdict -q --format json 2>/dev/null | jq -r '.coremap[] | select(.unknown == 0 and .run_ns != null) | "coremap: \(.)"'
	[ "$("$CDICT" query "SELECT sum(dur) FROM sched_slice" x.cdict --format csv | tr -d '\r' | tail -n 1)" = "" ] || echo "SQL sums"
}

for load in spin sleep pipe threads fork; do
	run "perf_${load}" is_right $load perf -e 'sched:*'
	run "cdict_${load}" is_right $load cdict
done
run perf_fork_no_inherit is_right fork perf -i -e 'sched:*'
run cdict_fork_no_inherit is_right fork cdict -i
run perf_without_runtime is_empty pipe perf -e sched:sched_switch
run cdict_without_runtime is_empty pipe cdict -e sched:sched_switch
