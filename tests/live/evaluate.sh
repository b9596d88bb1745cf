#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 280
# needs: python3
#
# Evaluates fresh recordings of every kind, as oracle/figures/evaluate.sh does for stored ones: with lost
# events, of one task and its children, of threads, with overwritten rings, of one CPU.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"
may_record || exit 77

sched=sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_process_fork
storm='perf bench sched messaging -g 1 -l 100'
naps='sh -c "for i in 1 2 3 4 5; do sleep 0.01; done"'

evaluated() { # COMMAND OPTIONS for perf record...
	local command=$1
	shift
	eval "perf record -q -o x.data $* -- $command" >perf.out 2>&1 || { cat perf.out; return; }
	"$CDICT" convert -q -e '*:*' -i x.data -o x.cdict 2>convert.err
	[ -s x.cdict ] || { cat convert.err; return; }
	[ "$(events x.cdict)" -gt 5 ] || echo "$(events x.cdict) events"
	python3 "$TOP/tests/tools/check/evaluate" --windows "${EVALUATE_WINDOWS:-8}" "$CDICT" x.cdict \
		>evaluate.out 2>&1 || cat evaluate.out
}

# The rings of a page each overflow.
with_losses() {
	evaluated "$storm" -a -m 1 -e "'sched:*'"
	"$CDICT" info -q --max-loss 100 x.cdict | grep -q '^loss: .* events lost' || echo "nothing was lost"
}

run losses with_losses
run losses_of_a_command evaluated "$storm" -m 1 -e "'sched:*'"
run a_task_and_its_children evaluated "$naps" -e $sched
run threads evaluated "$naps" --per-thread -e $sched
run not_those_it_starts evaluated "$storm" -i -e $sched
run all_of_a_command evaluated "$storm" -e "'sched:*'"
# Of a PID namespace, by both recorders: whose tids are whose?  In a chroot / is not a mount, so that
# --mount-proc fails.
namespace() {
	unshare -pfm --propagation unchanged sh -c 'mount --make-rprivate /proc && mount -t proc proc /proc && exec "$@"' sh "$@"
}
in_a_namespace() {
	namespace true 2>/dev/null || { echo "cannot unshare"; return; }
	namespace perf record -q -o x.data -a -e $sched -- sh -c "$storm" >perf.out 2>&1
	"$CDICT" convert -q -i x.data -o perf.cdict
	namespace "$CDICT" record -q -o own.cdict -- sh -c "$storm" >record.out 2>&1
	for file in perf.cdict own.cdict; do
		"$CDICT" info "$file" | grep -q '^recorded: in a PID namespace' || echo "$file: not reported"
		python3 "$TOP/tests/tools/check/evaluate" --windows 4 "$CDICT" "$file" >evaluate.out 2>&1 || cat evaluate.out
		# The benchmark's tasks have names, and their wake-ups are there.
		[ "$("$CDICT" tasks "$file" --format csv | grep -c sched-messaging)" -gt 10 ] || echo "$file: tasks are missing"
	done
}
run in_a_pid_namespace in_a_namespace
# A recorder of ours that switches its events on slowly: until it has done so on all CPUs, those where it has
# not yet are unknown.
switched_on_slowly() {
	local us=$((40000 / $(nproc))) begins first load n=0
	timeout 60 perf bench sched messaging -g 2 -l 100000 >/dev/null 2>&1 &
	load=$!
	until [ "$(cat /proc/[0-9]*/comm | grep -c '^sched-messaging')" -gt 20 ] || [ $((n += 1)) -gt 1000 ]; do sleep 0.02; done 2>/dev/null
	ENABLESLOW_US=$us LD_PRELOAD=$BUILD/tests/tools/run/preload/enableslow.so \
		"$CDICT" record -q -o x.cdict -s 0.3 >record.out 2>&1 || cat record.out
	kill $load
	# In recordings of some tasks, only their own events show the running task.
	taskset -c 0 sh -c 'while sleep 0.002; do :; done' &
	load=$!
	ENABLESLOW_US=$us LD_PRELOAD=$BUILD/tests/tools/run/preload/enableslow.so \
		"$CDICT" record -q -o y.cdict -p $load -s 0.1 >record.out 2>&1 || cat record.out
	kill $load
	"$CDICT" info -q --max-loss 100 --format json y.cdict | grep -q '"scope": "tasks",' || echo "some tasks begin later"
	begins=$("$CDICT" info -q --max-loss 100 --format json x.cdict | sed -n 's/.*"scope": "system begins=\([0-9]*\)",/\1/p')
	first=$("$CDICT" info -q --max-loss 100 --format json x.cdict | sed -n 's/.*"first_ns": \([0-9]*\),.*/\1/p' | sort -n | head -n 1)
	[ $((${begins:-0} - ${first:-0})) -ge $((us * 250)) ] || echo "begins=$begins, first event at $first"
	python3 "$TOP/tests/tools/check/evaluate" --windows 4 "$CDICT" x.cdict >evaluate.out 2>&1 || cat evaluate.out
}
if [ "$(nproc)" -gt 1 ]; then
	run switched_on_slowly switched_on_slowly
else
	skip switched_on_slowly "one CPU"
fi
run overwritten_rings evaluated "$storm" -a --overwrite -m 16 -e $sched
run one_cpu evaluated "taskset -c 0 $naps" -C 0 -e $sched
