#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory is reported: whichever allocation of a command fails, the command prints one line and exits with
# status 1, or it does without the memory and prints its usual output.  It never prints other output with status 0.
# needs: awk python3
# timeout: 600
set -u
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o y.cdict || exit 1

for format in text json; do
	for command in tasks 'tasks --by role' exits vcpu vm latency coremap switches count 'successors -t CPU'; do
		# shellcheck disable=SC2086 # a command is words
		walk "nomem_${command%% *}_$format" "$CDICT" ${command%% -*} x.cdict \
			${command#"${command%% *}"} --format $format
	done
done
"$MKPERF" --formats "$DATA/formats" -o s.data "$DATA/siblings.trace" && "$CDICT" convert -q -i s.data -o s.cdict || [ -s s.cdict ] || exit 1
walk nomem_siblings "$CDICT" vcpu s.cdict -q --max-loss 100 --by sibling
"$MKPERF" --formats "$DATA/formats" -o c.data "$DATA/syscalls.trace" && "$CDICT" convert -q --max-loss 100 -e '*' -i c.data -o c.cdict || [ -s c.cdict ] || exit 1
"$MKPERF" --formats "$DATA/formats" -o t.data "$DATA/some-tasks-loss.trace" && "$CDICT" convert -q --max-loss 100 -i t.data -o t.cdict || [ -s t.cdict ] || exit 1
walk nomem_some_tasks "$CDICT" tasks t.cdict -q --max-loss 100
walk nomem_count_syscalls "$CDICT" count c.cdict -q --max-loss 100 --by task,syscall --bucket 0.2
walk nomem_markers "$CDICT" count c.cdict -q --max-loss 100 --by cpu --window-start 'sys_enter/id==228 && comm~"b*"/' \
	--window-end 'sys_enter/id==228/'
walk nomem_stats "$CDICT" stats x.cdict
walk nomem_merged "$CDICT" tasks x.cdict --merge-sys-tasks --format csv
walk nomem_diff "$CDICT" diff x.cdict y.cdict
walk nomem_diff_several "$CDICT" diff x.cdict -- y.cdict x.cdict --fail-if "exits.rate[name=CPU,reason=HLT] > +10 %" --format md --skip-unjudged -q
# its rows are filled as they are printed
PRINTS_AS_IT_GOES=1 walk nomem_diff_json "$CDICT" diff x.cdict y.cdict --max-latency 10 --format json -q --skip-unjudged
for format in text json md; do
	walk "nomem_several_$format" "$CDICT" exits x.cdict y.cdict --format $format
done
for by in vm halt reason antagonist; do
	walk "nomem_vcpu_by_$by" "$CDICT" vcpu x.cdict --by $by
done
walk nomem_several_vcpu "$CDICT" vcpu x.cdict y.cdict
printf 'main;work 3\nmain;idle 4.5\n' >x.folded
printf '+,t,main,1,2,3,4\n++,t,work,1,1,1,1\n' >x.log
for format in text json folded svg html; do
	walk "nomem_flame_$format" "$CDICT" flame x.folded --base x.folded --format $format
done
walk nomem_flame_log "$CDICT" flame x.log --format md
for format in text json csv; do
	PRINTS_AS_IT_GOES=1 walk "nomem_query_$format" "$CDICT" query 'SELECT name, vm, end_state, sum(dur) FROM sched_slice JOIN thread USING (utid)
		WHERE ts > trace_start() + 1000000 GROUP BY utid, end_state; SELECT reason, percentile(dur, 99) FROM kvm_exit GROUP BY 1;
		SELECT interval_dur(interval_union(ts, dur)) FROM thread_state; SELECT prev_comm, count(*) FROM sched_switch GROUP BY 1' x.cdict --format $format
done
"$CDICT" job create 2001 --store jobs && "$CDICT" push -q --store jobs --job 2001 x.cdict
walk nomem_job_list "$CDICT" job list --store jobs --format json
walk nomem_job_show "$CDICT" job show 2001 --store jobs --format csv
walk nomem_push "$CDICT" push -q --store jobs --job 2001 x.cdict
for command in tasks exits vcpu latency; do
	walk "nomem_job_$command" "$CDICT" $command --store jobs --job 2001 --format json
done
FILE_MADE=fleet.html
walk nomem_report_job "$CDICT" report -q --store jobs --job 2001 -o $FILE_MADE
FILE_MADE=
PRINTS_AS_IT_GOES=1 walk nomem_top_job "$CDICT" top --store jobs --job 2001 --seconds 1ms
walk nomem_job_start "$CDICT" job start -q --store jobs 2001 --in 1ms
mkdir spool && cp -r jobs/2001 spool/2001 && rm -rf spool/2001/waits spool/2001/starts
BEFORE='rm -rf spool.now && cp -r spool spool.now' walk nomem_push_spool "$CDICT" push -q --store jobs --spool spool.now
walk nomem_push_file "$CDICT" push -q --store jobs --job 2001 --with-file x.cdict
FILE_MADE=fleet.html
walk nomem_report_hosts "$CDICT" report -q --store jobs --job 2001 -o $FILE_MADE
walk nomem_report_jobs "$CDICT" report -q --store jobs --job 2001,2001 -o $FILE_MADE
FILE_MADE=
printf '{"a": [1, 2.5], "b.c": {"d": 3}}' >x.json
"$CDICT" push -q --store jobs --job 2001 --host h --bench x.json
walk nomem_push_bench "$CDICT" push -q --store jobs --job 2001 --host h --bench x.json
walk nomem_pull_figures "$CDICT" pull -q --store jobs --job 2001 --format json
walk nomem_pull_openmetrics "$CDICT" pull -q --store jobs --job 2001 --format openmetrics
# without its "# EOF", parsers refuse it
PRINTS_AS_IT_GOES=1 walk nomem_tasks_openmetrics "$CDICT" tasks x.cdict --format openmetrics
walk nomem_pull "$CDICT" pull -q --store jobs --job 2001 -o pulled
FILE_MADE=x.out
for format in perfetto chrome pfw csv perfwhiz; do
	walk "nomem_export_$format" "$CDICT" export x.cdict --to $format -o x.out
done
walk nomem_export_gzip "$CDICT" export x.cdict --map "$DATA/kvm-small.map.csv" -t KVM --time 20%-60% --to pfw -z -o x.out
SOME=8 walk nomem_export_sqlite "$CDICT" export x.cdict --to sqlite -o x.out
walk nomem_query_parquet "$CDICT" query --format parquet -o x.out 'SELECT * FROM sched_slice JOIN thread USING (utid)' x.cdict
FILE_MADE=
BEFORE='rm -rf x.dir'
walk nomem_export_parquet "$CDICT" export x.cdict --to parquet -o x.dir
BEFORE=
walk nomem_perf_data "$CDICT" tasks -q "$DATA/kvm-small.data"
walk nomem_help "$CDICT" help record
walk nomem_commands "$CDICT" help
walk nomem_completion "$CDICT" --completion bash

# ---- with digests: of a window, and in two parts at once ----

# two vCPUs that run in turns, in as many events as are worth two threads
{
	cat <<-'R'
		cpus 2
		cpuid GenuineIntel,6,85,7
		default kvm:kvm_exit isa=1
		default sched:sched_switch prev_prio=120 next_prio=120
		proc 1000 qemu-system-x86
		proc 1000/1001 CPU 0/KVM
		proc 1000/1002 CPU 1/KVM
	R
	awk 'BEGIN {
		f = "%d [%03d] %.6f: %s\n"
		for (i = 0; i < 34000; i++) {
			c = i % 2; v = 1001 + c; t = 100 + i / 1000
			printf f, 0, c, t - 5e-6, "sched:sched_waking: pid=" v " target_cpu=" c
			printf f, 0, c, t, "sched:sched_switch: prev_pid=0 prev_state=R next_pid=" v
			printf f, v, c, t + 10e-6, "kvm:kvm_entry: vcpu_id=" c " rip=0x1000"
			printf f, v, c, t + 300e-6, "kvm:kvm_exit: vcpu_id=" c " exit_reason=HLT guest_rip=0x1010"
			printf f, v, c, t + 310e-6, "sched:sched_switch: prev_pid=" v " prev_state=S next_pid=0"
		}
	}'
} >large.trace
"$MKPERF" --formats "$DATA/formats" -o large.data large.trace && "$CDICT" convert -q -i large.data -o large.cdict || exit 1
allocations() { env LD_PRELOAD="$NOMEM" NOMEM_LOG=9 "$@" 9>&1 >/dev/null; }
one=$(allocations "$CDICT" tasks large.cdict -j1)
SOME=15
for how in -j2 --time=40%-60%; do
	[ "$(allocations "$CDICT" tasks large.cdict $how)" -gt $((one + one / 4)) ] || echo "not ok nomem_digests_are_read$how"
	for command in tasks vcpu coremap switches latency exits stats; do
		walk "nomem_$command$how" "$CDICT" $command -q large.cdict $how
	done
done

# ---- with a pager: it gets the whole output or nothing ----
if python3 -c 'import os; os.openpty()' 2>/dev/null; then
	unset PAGER LESS COLUMNS
	export NOMEM_OF=/cdict CDICT_PAGER='sed s/^/paged:/'
	# its 45 runs took as long as twenty other walks
	SOME=8 walk nomem_pager python3 "$TOP/tests/tools/run/terminal.py" 80 8 "$CDICT" tasks x.cdict
	grep -q ^paged: want.out || echo "not ok nomem_pager_was_there"
else
	echo "skip nomem_pager no pseudo-terminal"
fi
