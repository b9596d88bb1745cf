# needs: jq
# values that a recording of some tasks, of some CPUs, or of some switches does not have are unknown (issue 14)
capture() {
	"$MKPERF" --formats "$DATA/formats" -o x.data "$1" && "$CDICT" convert -q -i x.data -o x.cdict &&
		"$CDICT" info x.cdict | grep -E '^(command|loss:|recorded|  the rings)'
}
tasks() {
	"$CDICT" tasks x.cdict "$@" --format json |
		jq -c '.tasks[] | [.comm, .run_ns, .edge_ns, .unknown_ns, .sleep_ns, .migrations, .latency_max_ns]'
}
cores() { "$CDICT" coremap x.cdict --format json | jq -c '.coremap[] | [.comm, .cpu, .run_ns]'; }

# 700 switches to 800, which was not traced, once: in 90 ms of 92 it "ran"
cat >tasks.trace <<'TRACE'
cpus 1
cmdline perf record -e sched:sched_switch -e sched:sched_waking -e sched:sched_migrate_task -p 700,701
proc 700 mine
proc 701 yours
proc 800 other
700 [000] 10.000000: sched:sched_migrate_task: pid=701 orig_cpu=0 dest_cpu=0
700 [000] 10.001000: sched:sched_switch: prev_pid=700 prev_state=S next_pid=701
701 [000] 10.001500: sched:sched_switch: prev_pid=701 prev_state=S next_pid=800
800 [000] 10.050000: sched:sched_waking: pid=700 target_cpu=0
700 [000] 10.091500: sched:sched_migrate_task: pid=701 orig_cpu=0 dest_cpu=0
700 [000] 10.092000: sched:sched_switch: prev_pid=700 prev_state=S next_pid=0
TRACE
capture tasks.trace
tasks
cores
"$CDICT" tasks x.cdict -q | tail -2

# 600 sleeps on CPU 0, and after 168 ms comes back: only CPU 1 knew where it was in between
cat >cpus.trace <<'TRACE'
cpus 2
cmdline perf record -C 0 -e sched:*
proc 600 roams
600 [000] 10.000000: sched:sched_switch: prev_pid=600 prev_state=S next_pid=0
  0 [000] 10.001000: sched:sched_waking: pid=600 target_cpu=1
  0 [000] 10.169000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=600
600 [000] 10.170000: sched:sched_switch: prev_pid=600 prev_state=S next_pid=0
TRACE
capture cpus.trace
tasks
cores

# the ring of CPU 1 begins 80 us after that of CPU 0, and CPU 2 has none: the task there is not certain
cat >rings.trace <<'TRACE'
cpus 3
cmdline perf record -a --overwrite -e sched:sched_switch
proc 600 first
proc 601 second
600 [000] 10.000000: sched:sched_switch: prev_pid=600 prev_state=S next_pid=0
601 [001] 10.000080: sched:sched_switch: prev_pid=601 prev_state=S next_pid=0
  0 [000] 10.000090: sched:sched_switch: prev_pid=0 prev_state=R next_pid=600
  0 [001] 10.000100: sched:sched_switch: prev_pid=0 prev_state=R next_pid=601
TRACE
capture rings.trace
tasks
cores

# of four switches: IDLE 99.99 % of the CPU
cat >filter.trace <<'TRACE'
cpus 1
cmdline perf record -a -e sched:sched_switch --filter prev_pid==600
proc 600 mine
600 [000] 10.000000: sched:sched_switch: prev_pid=600 prev_state=S next_pid=0
600 [000] 10.000010: sched:sched_switch: prev_pid=600 prev_state=S next_pid=0
600 [000] 10.090000: sched:sched_switch: prev_pid=600 prev_state=S next_pid=0
600 [000] 10.100000: sched:sched_switch: prev_pid=600 prev_state=S next_pid=0
TRACE
capture filter.trace
tasks
cores
"$CDICT" info x.cdict --format json | jq -c '.capture.scope, .about["record.scope"]'
# without the command line it is still known
"$CDICT" annotate --anonymize -q x.cdict -o y.cdict
"$CDICT" info y.cdict --format json | jq -c '.capture.scope'

# perf goes from CPU to CPU and switches its events on: until it comes to CPU 1 the task there is unknown, and 700 may
# have run there: its 100 ms are not a wait. CPU 2 began in between, by its first event
cat >begins.trace <<'TRACE'
cpus 3
cmdline perf record -a -e sched:*
proc 300 perf
proc 700 waits
proc 701 woken
300 [000] 10.000000: sched:sched_waking: pid=700 target_cpu=1
300 [000] 10.000100: sched:sched_switch: prev_pid=300 prev_state=R next_pid=0
  0 [002] 10.050000: sched:sched_waking: pid=701 target_cpu=2
  0 [002] 10.060000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=701
701 [002] 10.070000: sched:sched_switch: prev_pid=701 prev_state=S next_pid=0
300 [001] 10.100000: sched:sched_stat_runtime: pid=300 runtime=99900000
300 [001] 10.100100: sched:sched_waking: pid=701 target_cpu=2
300 [001] 10.100200: sched:sched_switch: prev_pid=300 prev_state=S next_pid=700
  0 [002] 10.105100: sched:sched_switch: prev_pid=0 prev_state=R next_pid=701
700 [001] 10.110000: sched:sched_switch: prev_pid=700 prev_state=S next_pid=0
TRACE
capture begins.trace
"$CDICT" info x.cdict --format json | jq -c '.about["record.scope"]'
tasks
tasks --time 10.1,
"$CDICT" tasks x.cdict --time 10.1, -q | grep recorded:
cores
"$CDICT" latency x.cdict -q
# a recording without the switches does not show that, nor does one of some tasks
"$CDICT" convert -q -e 'sched:sched_wak*' -i x.data -o x.cdict && "$CDICT" info x.cdict | grep ^recorded: || echo nothing
sed 's/ -a / -p 300,700,701 /' begins.trace >some.trace
capture some.trace

# with sched_stat_runtime it is known for how long 700 ran: 2.001 ms from the first event on, 3.5 ms up to 10.014001 s though its
# first event there is 1 ms before, and since 10.029 s; it waited 0.501 ms after its wake-up, and 14.999 ms preempted. Events
# on CPU 0 about it while it runs on CPU 1, and their second copy, change nothing, nor does one about no task
cat >runtime.trace <<'TRACE'
cpus 2
cmdline perf record -e sched:* -p 700
proc 700 mine
proc 701 yours
700 [000] 10.000000: sched:sched_stat_runtime: pid=700 runtime=4000000
700 [000] 10.001000: sched:sched_stat_runtime: pid=-1 runtime=1000000
700 [000] 10.002000: sched:sched_stat_runtime: pid=700 runtime=2000000
700 [000] 10.002001: sched:sched_switch: prev_pid=700 prev_state=S next_pid=0
  0 [001] 10.010000: sched:sched_waking: pid=700 target_cpu=1
800 [000] 10.012500: sched:sched_stat_runtime: pid=700 runtime=2000000
800 [000] 10.012501: sched:sched_stat_runtime: pid=700 runtime=2000000
700 [001] 10.013000: sched:sched_waking: pid=701 target_cpu=0
700 [001] 10.014000: sched:sched_stat_runtime: pid=700 runtime=1500000
700 [001] 10.014001: sched:sched_switch: prev_pid=700 prev_state=R next_pid=800
700 [000] 10.030000: sched:sched_stat_runtime: pid=700 runtime=1000000
700 [000] 10.031000: sched:sched_migrate_task: pid=701 orig_cpu=0 dest_cpu=0
TRACE
capture runtime.trace
tasks
cores
"$CDICT" tasks x.cdict --format json |
	jq -c '.not_recorded, (.tasks[] | [.preempt_ns, .delayed_ns, .delays, .worst_ns, .slice_max_ns, .lossy])'
"$CDICT" query 'SELECT ts, dur, cpu FROM sched_slice; SELECT sum(dur) FROM sched_slice' x.cdict --format csv | tr -d '\r'
for w in 10,10.001 10.001,10.0125 10.0125,10.0135 10.0135,; do
	"$CDICT" tasks x.cdict --time $w --format json | jq -c '.tasks[] | [.run_ns, .unknown_ns]'
done

# an event is lost while 700 sleeps, before it is woken: how long it slept is unknown, its wait of 1 ms is not
cat >lost.trace <<'TRACE'
cpus 2
cmdline perf record -e sched:* -p 700,701
proc 700 mine
proc 701 yours
700 [000] 10.000000: sched:sched_stat_runtime: pid=700 runtime=500000
700 [000] 10.000000: sched:sched_switch: prev_pid=700 prev_state=S next_pid=0
701 [001] 10.000500: sched:sched_waking: pid=702 target_cpu=1
701 [001] 10.001000: LOST 3
701 [001] 10.001500: sched:sched_waking: pid=702 target_cpu=1
701 [001] 10.002000: sched:sched_waking: pid=700 target_cpu=0
700 [000] 10.005000: sched:sched_stat_runtime: pid=700 runtime=2000000
700 [000] 10.005000: sched:sched_switch: prev_pid=700 prev_state=S next_pid=0
TRACE
capture lost.trace
tasks --task mine
"$CDICT" tasks x.cdict --max-loss 100 --task mine --format json | jq -c '.tasks[] | [.delayed_ns, .delays, .worst_ns]'

# 700's switch-out on CPU 0 is missing: it ran from 10.000 s, 2 ms before its first event, to its last one at 10.003, 3 ms; 701 ran
# for 1 ms on CPU 1, and for 1 ms up to 10.010001
cat >unseen.trace <<'TRACE'
cpus 2
cmdline perf record -e sched:* -p 700,701
proc 700 mine
proc 701 yours
701 [001] 9.990000: sched:sched_stat_runtime: pid=701 runtime=500000
701 [001] 9.991000: sched:sched_switch: prev_pid=701 prev_state=S next_pid=0
700 [000] 10.002000: sched:sched_stat_runtime: pid=700 runtime=2000000
700 [000] 10.003000: sched:sched_stat_runtime: pid=700 runtime=1000000
701 [000] 10.010000: sched:sched_stat_runtime: pid=701 runtime=1000000
701 [000] 10.010001: sched:sched_switch: prev_pid=701 prev_state=S next_pid=0
TRACE
capture unseen.trace
tasks
cores
