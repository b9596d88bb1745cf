# without prev_state why a task left its CPU is not known: empty, with the reason, never "voluntary" or "0 preempted"
# needs: python3 jq
look() {
	"$CDICT" tasks -q x.cdict
	"$CDICT" tasks --format json x.cdict | jq -c '.not_recorded, (.tasks[] | [.name, .run_ns, .switches, .voluntary, .involuntary, .preempt_ns, .delayed_ns, .delays, .worst_ns, .sleep_ns, .block_ns])'
	"$CDICT" vcpu -q --format json x.cdict | jq -c '.vcpu[]? | [.guest_ns, .exit_ns, .delayed_ns, .preempted_ns, .halted_ns, .blocked_ns, .unknown_ns, .preemptions, .worst_ns]'
	"$CDICT" vcpu -q x.cdict | grep recorded:
	"$CDICT" successors --task . --format json x.cdict | jq -c '[.successors[].involuntary] | unique'
	"$CDICT" stats -q x.cdict 2>&1 | grep -iE 'never|kept|waited|preempted for|not tell|prev_state'
	"$CDICT" coremap --format json x.cdict | jq -c '.not_recorded'
	"$CDICT" query "SELECT count(*), count(state), count(end_state) FROM (SELECT state, NULL AS end_state FROM thread_state UNION ALL SELECT NULL, end_state FROM sched_slice)" x.cdict
	"$CDICT" heatmap --view vcpu -q -o x.svg x.cdict && grep -o 'never waited\|waits unknown' x.svg | sort | uniq -c
	"$CDICT" report -q -o x.html x.cdict && grep -c 'never preempted' x.html
}
python3 "$TOP/tests/tools/make/mkperfwhiz.py" "$DATA/perfwhiz.txt" old.whiz
"$CDICT" convert -q -e '*' -i old.whiz -o x.cdict && look

# a switch that has no prev_state at all
mkdir formats
grep -v 'prev_state;' "$DATA/formats/sched.sched_switch.format" | sed 's/^print fmt:.*/print fmt: "%d ==> %d", REC->prev_pid, REC->next_pid/' >formats/bare.format
cat >bare.trace <<'T'
cpus 1
format sched:sched_switch bare.format
proc 11 aaa
proc 12 bbb
 0 [000] 1.000000: sched:sched_switch: prev_pid=0 next_pid=11
11 [000] 1.000100: sched:sched_switch: prev_pid=11 next_pid=12
12 [000] 1.000300: sched:sched_switch: prev_pid=12 next_pid=11
11 [000] 1.000600: sched:sched_switch: prev_pid=11 next_pid=0
T
$MKPERF --formats formats -o x.data bare.trace && "$CDICT" convert -q -i x.data -o x.cdict && look
