#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: the page faults of a program are counted
# Counting of commands and processes: eight clients at once on one machine, on three nodes of Redis, each count their own program as perf stat does for
# it alone; a second count of the whole machine is refused; events are opened as perf opens them; events that the machine lacks are listed once.
# needs: python3 jq
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1
export CDICT_STORE=$PWD/jobs
TOOLS=$BUILD/tests/tools

tests='eight_clients_count_their_own_program three_nodes_hold_the_counts_of_eight children_are_counted_by_program processes_are_counted_while_they_run
	second_count_of_the_machine_is_refused missing_events_are_listed_once counts_wait_for_the_start_of_the_job'
"$CDICT" job create 2001
if ! "$CDICT" push -q --job 2001 -e page-faults -- true 2>err; then
	for test in $tests; do
		skip "$test" "cannot count events: $(cat err)"
	done
	exit
fi
# a made-up PMU, whose events are the kernel's page faults, as both perf and cdict find it
pmu=$PWD/sys/bus/event_source/devices/madeup
mkdir -p "$pmu/events" "$pmu/format"
echo 1 >"$pmu/type"
echo config:0-7 >"$pmu/format/event"
echo config:8-15,32 >"$pmu/format/umask"
echo config1:0-63 >"$pmu/format/offcore_rsp"
echo event=0x02 >"$pmu/events/faults"
# touch NAME - touchpages under that name
touches() { cp "$TOOLS/run/touchpages" "$1"; }
# counted HOST NAME EVENT - the sum in the job
counted() { "$CDICT" pull --job "${job:-2001}" --format json | jq "[.figures[] | select(.host == \"$1\" and .name == \"$2\" and .event == \"$3\") | .value] | add"; }
# within A B PERCENT
within() { awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { exit !(a + 0 > 0 && (a - b) * (a - b) <= (b * p / 100) ^ 2) }'; }

eight() {
	local i pids=() perf=20105
	for i in 1 2 3 4 5 6 7 8; do
		touches "tp$i-$$"
	done
	if have_perf; then
		perf stat -x, -o alone.csv -e page-faults "./tp1-$$" 20000 || return
		perf=$(awk -F, '$3 == "page-faults" { print $1 }' alone.csv)
	fi
	for i in 1 2 3 4 5 6 7 8; do
		SYSFS_PATH=$PWD/sys "$CDICT" push -q --job "${job:-2001}" --host eight -e page-faults,madeup/faults/,minor-faults:u -- "./tp$i-$$" 20000 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || echo "a client ended with $?"
	done
	for i in 1 2 3 4 5 6 7 8; do
		for event in page-faults madeup/faults/ minor-faults:u; do
			within "$(counted eight "tp$i-$$" $event)" "$perf" 2 || echo "$event of tp$i: $(counted eight "tp$i-$$" $event), perf $perf alone"
		done
	done
	# programs that ran meanwhile are not in it
	"$CDICT" pull --job "${job:-2001}" --host eight --format json | jq -r '.figures[].name' | sort -u | grep -v "^tp[1-8]-$$\|^cdict$"
}
verdict eight_clients_count_their_own_program "$(eight 2>&1)"

children() {
	local rc
	touches "one-$$"
	touches "two-$$"
	# what the shell's children count is theirs; the command's status is the client's
	"$CDICT" push -q --job 2001 --host shell -e page-faults -- sh -c "./one-$$ 20000; ./two-$$ 10000 & wait; ./one-$$ 10000; exit 7"
	rc=$?
	[ $rc = 7 ] || echo "status $rc"
	within "$(counted shell "one-$$" page-faults)" 30210 2 || echo "one: $(counted shell "one-$$" page-faults)"
	within "$(counted shell "two-$$" page-faults)" 10105 2 || echo "two: $(counted shell "two-$$" page-faults)"
	[ "$(counted shell sh page-faults)" -lt 1000 ] || echo "sh: $(counted shell sh page-faults)"
	# and the sum is perf's of the same command
	if have_perf; then
		"$CDICT" push -q --job 2001 --host sum -e page-faults -- perf stat -x, -o sum.csv -e page-faults sh -c "./one-$$ 5000; ./two-$$ 5000; (./one-$$ 5000)" || return
		within "$("$CDICT" pull --job 2001 --host sum --format json | jq '[.figures[] | select(.name != "perf") | .value] | add')" \
			"$(awk -F, '$3 == "page-faults" { print $1 }' sum.csv)" 2 || "$CDICT" pull --job 2001 --host sum --format csv
	fi
}
verdict children_are_counted_by_program "$(children 2>&1)"

mkfifo gate
processes() {
	local shell client i
	touches "proc-$$"
	bash -c "read -r _ <gate; ./proc-$$ 20000; true" &
	shell=$!
	"$CDICT" push -q --job 2001 --host pid -e page-faults,task-clock -p $shell -s 60 &
	client=$!
	for i in $(seq 200); do # until its counters are open
		ls -l /proc/$client/fd 2>/dev/null | grep -c perf_event | awk '{ exit !($1 > 2) }' && break
		sleep 0.05
	done
	sleep 0.2
	echo >gate
	wait $client || echo "status $?"
	wait $shell
	within "$(counted pid "proc-$$" page-faults)" 20105 2 || "$CDICT" pull --job 2001 --host pid --format csv
	"$CDICT" push -q --job 2001 -e page-faults -p 999999999 -s 1ms 2>err && echo 'no such process: taken'
	[ "$(wc -l <err)" = 1 ] && grep -q 999999999 err || cat err
}
verdict processes_are_counted_while_they_run "$(processes 2>&1)"

machine() {
	local first i
	"$CDICT" push -q --job 2001 --host m -e page-faults -s 60 2>first &
	first=$!
	for i in $(seq 100); do
		"$CDICT" push -q --job 2001 --host m -a -e page-faults -- true 2>err || break
		sleep 0.05
	done
	[ "$(wc -l <err)" = 1 ] && grep -q 'process [0-9]* counts this whole machine already' err || cat err first
	grep -q "process $first " err || grep already first || cat err # another test's
	kill -INT $first
	wait $first
}
if "$CDICT" push -q --job 2001 --host m -s 1ms -e page-faults 2>err || grep -q 'already' err; then
	verdict second_count_of_the_machine_is_refused "$(machine 2>&1)"
else
	skip second_count_of_the_machine_is_refused "$(cat err)"
fi

missing() {
	# one name is enough for all that fail
	"$CDICT" push -q --job 2001 -e page-faults,nosuch,no-such:u,no:such -- true 2>err && echo taken
	[ "$(head -1 err)" = "cdict push: unknown events 'nosuch', 'no-such:u', 'no:such'; 'perf list' lists the events that can be counted" ] || cat err
	# the PMU of the test does not exist in the kernel
	echo 4000 >"$pmu/type"
	SYSFS_PATH=$PWD/sys "$CDICT" push -q --job 2001 --host some -e madeup/faults/,page-faults,madeup/event=3/u -- true 2>err || echo "status $?"
	[ "$(cat err)" = "cdict push: events 'madeup/faults/', 'madeup/event=3/u': this machine cannot count them; counting the others" ] || cat err
	"$CDICT" pull --job 2001 --host some --format json | jq -e '[.figures[].event] | unique == ["page-faults"]' >/dev/null || echo "others were not counted"
	SYSFS_PATH=$PWD/sys "$CDICT" push -q --job 2001 -e madeup/faults/,madeup/event=3/u -- true 2>err && echo 'none: taken'
	[ "$(cat err)" = "cdict push: events 'madeup/faults/', 'madeup/event=3/u': this machine cannot count them" ] || cat err
	echo 1 >"$pmu/type"
}
verdict missing_events_are_listed_once "$(missing 2>&1)"

together() {
	local i one two
	touches "late-$$"
	"$CDICT" push -q --job 2001 --host late --wait -e page-faults -- "./late-$$" 3000 &
	one=$!
	"$CDICT" push -q --job 2001 --host long --wait -e page-faults -p $$ &
	two=$!
	for i in $(seq 200); do
		"$CDICT" job show 2001 --json | jq -e '[.waits[]? | select(.state == "waits") | .host] | unique == ["late", "long"]' >/dev/null && break
		sleep 0.05
	done
	[ "$(counted late "late-$$" page-faults)" = null ] || echo 'it did not wait'
	"$CDICT" job start -q 2001 --in 200ms --seconds 300ms || return
	wait $one || echo "status $?"
	wait $two || echo "status $?" # the job's duration ends it
	within "$(counted late "late-$$" page-faults)" 3105 2 || "$CDICT" pull --job 2001 --host late --format csv
	"$CDICT" job show 2001 --json | jq -e '[.waits[] | .heard_wall_ns > 0 and .state == "recorded"] | all' >/dev/null || "$CDICT" job show 2001
	"$CDICT" job show 2001 --json | jq -e '[.clients[] | select(.pushed == "counts" and .heard_wall_ns > 0) | .host] | index("late") and index("long")' >/dev/null || "$CDICT" job show 2001
}
verdict counts_wait_for_the_start_of_the_job "$(together 2>&1)"

user() {
	local dir rc
	dir=$(mktemp -d /tmp/cdict-user.XXXXXX) || return
	chmod 777 "$dir"
	cp "$CDICT" "$dir/cdict"
	cat >"$dir/run" <<R
cd $dir; export CDICT_STORE=$dir/jobs
./cdict job create 2001 && ./cdict push -q --job 2001 -e page-faults,nosuchpmu/x/ -- true
./cdict push --job 2001 -e page-faults,cycles -- sh -c 'true; exit 5' 2>err; echo \$?
./cdict pull --job 2001 --format csv
R
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all bash "$dir/run" >out 2>err
	tail -n 3 out | grep -q '^count,.*,sh,page-faults,' && grep -qx 5 out || cat out err
	grep -q "unknown event 'nosuchpmu/x/'" err || cat err
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ] || grep -q "'page-faults': counted in user mode only" "$dir/err" || cat "$dir/err"
	rm -r "$dir"
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	verdict users_count_their_own_commands "$(user 2>&1)"
else
	skip users_count_their_own_commands 'not root, or perf_event_paranoid is above 2'
fi

# ---- events as perf opens them ----

# opened EVENT - perf's attributes, in the form of eventattr
opened() {
	perf stat -vv -e "$1" true 2>&1 | awk -v name="$1" '
		$1 == "perf_event_attr:" && !n++ { on = 1 }
		/^-----/ { on = on == 2 ? 0 : on }
		on && $1 == "type" { type = $2 }
		on && $1 ~ /^config$/ { v[$1] = $2 }
		on && /config[12] }/ { v[$3] = $5 } # { bp_addr, config1 }
		on && $1 ~ /^(exclude_|pinned|exclusive)/ { e[$1] = $2 }
		/sys_perf_event_open/ { on = 0 }
		END {
			split("exclude_user u exclude_kernel k exclude_hv h exclude_host H exclude_guest G exclude_idle I pinned D exclusive e", w, " ")
			for (i = 1; i < 16; i += 2) if (e[w[i]]) s = s w[i + 1]
			printf "%s %d %s %s %s %s\n", name, type, v["config"] ? v["config"] : "0", v["config1"] ? v["config1"] : "0", v["config2"] ? v["config2"] : "0", s
		}'
}
events='cycles cycles:u cache-misses:u instructions:k branch-misses:uk cycles:G cycles:GH L1-icache-misses L1-icache-load-misses L1-dcache-stores LLC-loads dTLB-store-misses
	iTLB-loads branch-load-misses node-prefetches l1d-misses r1a8 r1a8:u page-faults faults:u task-clock context-switches cpu-migrations
	madeup/faults/ madeup/faults/u madeup/event=0x3c,umask=0x101/k madeup/event=2,offcore_rsp=0x10001/ madeup/config=0x7,config1=3/'
same() {
	local event
	export SYSFS_PATH=$PWD/sys
	for event in $events; do
		echo "$(opened "$event")"
	done >perfs
	# shellcheck disable=SC2086 # words
	"$TOOLS/check/eventattr" $events >ours
	diff perfs ours
	"$TOOLS/check/eventattr" cycles:uz cycles: r r12345678901234567 L1-icache-stores LLC-loads-loads madeup/none/ madeup/event=0x100/ madeup/../x/ >ours
	grep -v ' unknown$' ours
}
if have_perf && SYSFS_PATH=$PWD/sys perf stat -vv -e madeup/faults/ true 2>&1 | grep -q '^ *config  *0x2'; then
	verdict events_are_opened_as_perf_opens_them "$(same 2>&1)"
else
	skip events_are_opened_as_perf_opens_them "no perf that takes SYSFS_PATH"
fi
# a name that only libpfm4 has; it encodes for a processor that this machine need not be
export LIBPFM_FORCE_PMU=amd64_fam17h_zen1 LIBPFM_ENCODE_INACTIVE=1
if ldconfig -p | grep -q libpfm.so.4; then
	verdict names_of_libpfm_are_events "$("$TOOLS/check/eventattr" amd64_fam17h_zen1::RETIRED_INSTRUCTIONS:u skx::INST_RETIRED:ANY_P:k |
		diff - <(printf '%s\n' 'amd64_fam17h_zen1::RETIRED_INSTRUCTIONS:u 4 0xc0 0 0 khG' 'skx::INST_RETIRED:ANY_P:k 4 0xc0 0 0 uG') 2>&1)"
else
	skip names_of_libpfm_are_events "libpfm4 is not installed"
fi
unset LIBPFM_FORCE_PMU LIBPFM_ENCODE_INACTIVE

if "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis' || ! command -v redis-server >/dev/null; then
	skip three_nodes_hold_the_counts_of_eight 'no redis-server, or built without hiredis'
	exit
fi
cluster() {
	start_cluster cluster || return
	export CDICT_STORE=redis://127.0.0.1:$cluster_port
	job=2002
	"$CDICT" job create 2002 && eight
}
cluster >wrong 2>&1
verdict three_nodes_hold_the_counts_of_eight "$(cat wrong)"
