#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 600
# needs: python3
#
# Captures with many tasks, names or events, of long duration and of more than 4 GiB: each command stays within its limits of time
# and memory, listed below. A task that is seen once takes three bytes of a file, but more than eight times that in memory:
# 160 bytes in a walk, 240 in the core map, 280 in the table of tasks, 350 in all tables at once; pictures take as much as their table
# (doc/cdict.5, Limits). Half a million tasks fill its tables as well as a million. With 10 million tasks (SIZES_TIDS=10000000) the table of tasks takes 2.6 GiB.
. "$TOP/tests/faults/hostile/_lib.sh"

cat >one.trace <<'R'
cpus 1
default sched:sched_switch prev_prio=120 next_prio=120
proc 501 w
514703087 [000] 50.000000: sched:sched_switch: prev_pid=514703087 prev_state=S next_pid=514703088
R
"$MKPERF" --formats "$DATA/formats" -o one.data one.trace || exit 1
# within MIB SECONDS COMMAND... of cdict
within() { bounded --one "$@"; }
here=$PWD
big() { python3 "$tools/make/bigperf.py" "$@"; }
events() { "$CDICT" info "$1" --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["events"])'; }

tids() {
	local n=${SIZES_TIDS:-500000} seconds
	seconds=$((n / 100000))
	big tids one.data tids.data "$n"
	within $((360 + n / 8333)) $seconds convert -q -i "$here/tids.data" -o "$here/tids.cdict"
	# bytes a task, of walk and table
	for command in 'info 3' 'script 3' 'latency 160' 'vcpu 250' 'switches 160' 'exits 160' 'heatmap 190 -o x.svg' \
		'heatmap 240 -o x.svg --view coremap' 'heatmap 240 -o x.svg --view cpu' 'heatmap 280 -o x.svg --view cores' 'coremap 240' 'tasks 280' 'stats 350'; do
		# shellcheck disable=SC2086 # words
		set -- $command
		within $((24 + n * $2 / 1048576)) $seconds "$1" "$here/tids.cdict" "${@:3}"
		rm -f x.svg
	done
	rm -f tids.*
}
comms() {
	big comms one.data comms.data 1000000
	within 160 10 convert -q -i "$here/comms.data" -o "$here/comms.cdict"
	within 128 10 info "$here/comms.cdict"
	within 150 10 tasks "$here/comms.cdict"
	within 150 10 stats "$here/comms.cdict"
	rm -f comms.*
}
attrs() {
	big attrs one.data attrs.data 100000
	"$CDICT" convert -q -i attrs.data -o attrs.cdict 2>err.txt && echo "100,000 events: status 0"
	grep -q 'more than 65536 events' err.txt || head -n 2 err.txt
	big attrs one.data attrs.data 65000
	within 160 10 convert -q -i "$here/attrs.data" -o "$here/attrs.cdict"
	within 64 5 tasks "$here/attrs.cdict"
	rm -f attrs.*
}
hole() {
	big hole one.data hole.data
	within 64 5 convert -q -i "$here/hole.data" -o "$here/hole.cdict"
	"$CDICT" script hole.cdict >script.txt
	[ "$(wc -l <script.txt)" -eq 1 ] || echo "of one event $(wc -l <script.txt) lines"
	rm hole.data
}
# Its blocks are read, as their check sums show whether they are complete; in memory they are the file's own pages.
cdict_hole() {
	"$CDICT" convert -q -i one.data -o one.cdict
	big cdict-hole one.cdict hole.cdict
	[ "$(stat -c %s hole.cdict)" -gt 5000000000 ] || echo "it is small"
	within 5400 60 tasks "$here/hole.cdict"
	"$CDICT" script hole.cdict 2>&1 | cmp - <("$CDICT" script one.cdict) 2>&1
	rm -f hole.cdict
}
# thirty days, in which a task runs for a second of each hour
month() {
	{
		sed '$d' one.trace
		for ((h = 0; h < 720; h++)); do
			echo "  0 [000] $((50 + 3600 * h)).000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=501"
			echo "501 [000] $((51 + 3600 * h)).000000: sched:sched_switch: prev_pid=501 prev_state=S next_pid=0"
		done
	} >month.trace
	"$MKPERF" --formats "$DATA/formats" -o month.data month.trace || return
	within 64 5 convert -q -i "$here/month.data" -o "$here/month.cdict"
	for command in tasks switches coremap stats 'heatmap -o x.svg' 'heatmap --view cores -o x.svg' 'heatmap --view switches -o x.svg'; do
		# shellcheck disable=SC2086 # words
		within 64 5 ${command%% *} "$here/month.cdict" ${command#"${command%% *}"}
	done
	within 112 5 report "$here/month.cdict" -o x.html
	"$CDICT" tasks month.cdict --format json | python3 -c '
import json, sys
t = json.load(sys.stdin)
ran = {r["tid"]: r["run_ns"] for r in t["tasks"]}
if t["window_ns"]["length"] != (719 * 3600 + 1) * 10**9 or ran[501] != 720 * 10**9 or ran[0] != 719 * 3599 * 10**9:
    print(t["window_ns"], ran)'
}

verdict sizes_half_a_million_tids "$(tids 2>&1)"
verdict sizes_a_million_comms "$(comms 2>&1)"
verdict sizes_100_000_events "$(attrs 2>&1)"
verdict sizes_a_perf_data_of_5_gib "$(hole 2>&1)"
if [ "$(stat -f -c %T .)" = tmpfs ]; then
	skip sizes_a_cdict_of_5_gib "TMPDIR is in memory, where a hole that is read takes pages"
else
	verdict sizes_a_cdict_of_5_gib "$(cdict_hole 2>&1)"
fi
verdict sizes_a_month "$(month 2>&1)"
