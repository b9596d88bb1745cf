#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: the page faults of a program are counted
# Figures in a job in addition to captures: benchmark figures are added up by name, once; events counted by program equal perf stat's counts of the same
# run, and are added to earlier ones. A foreign value in the store stops the command, which names it.
# needs: python3 jq
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1

cat >run.json <<'J'
{"jobs": [{"read": {"iops": 1000.5, "lat.ns": {"99.9": 12}}, "samples": [1, 2, 6]}, {"read": {"iops": -2e3}}],
 "name": "a \"name\"", "text": "12", "yes": true, "no": null, "": {"a\"b\\": 0.25}}
J
# dumped FILTER - prints the figures, one per line
dumped() { "$CDICT" pull --job 2001 --format json | jq -c "[.figures[] | $1]"; }

bench() {
	"$CDICT" job create 2001 || return
	"$CDICT" push -q --job 2001 --host one --bench run.json
	once=$(dumped '[.name, .event, .value, .runs, .sum, .min, .max]')
	[ "$once" = '[["run","[\"\"][\"a\\\"b\\\\\"]",0.25,1,0.25,0.25,0.25],["run","jobs[0].read.iops",1000.5,1,1000.5,1000.5,1000.5],["run","jobs[0].read[\"lat.ns\"][\"99.9\"]",12,1,12,12,12],["run","jobs[0].samples[]",3,3,9,1,6],["run","jobs[1].read.iops",-2000,1,-2000,-2000,-2000],["run","text",12,1,12,12,12]]' ] ||
		echo "$once"
	# the same content again is another run
	cp run.json other.json
	"$CDICT" push -q --job 2001 --host one --bench other.json --name run
	[ "$(dumped 'select(.event == "jobs[0].read.iops") | [.runs, .sum, .min, .max]')" = '[[2,2001,1000.5,1000.5]]' ] || echo "not a run: $(dumped .)"
	# another result of that name is added, another host's is separate
	sed 's/1000.5/2000/; s/6\]/10]/' run.json | "$CDICT" push -q --job 2001 --host one --bench - --name run
	"$CDICT" push -q --job 2001 --host two --bench run.json
	[ "$(dumped 'select(.host == "one" and .event == "jobs[0].read.iops") | [.runs, .sum, .min, .max]')" = '[[3,4001,1000.5,2000]]' ] || dumped .
	[ "$(dumped 'select(.host == "one" and .event == "jobs[0].samples[]") | [.runs, .sum, .min, .max]')" = '[[9,31,1,10]]' ] || dumped .
	[ "$(dumped 'select(.host == "two") | .runs' | jq add)" = 8 ] || dumped .
	[ "$("$CDICT" pull --job 2001 --host two --format csv | wc -l)" = 7 ] || "$CDICT" pull --job 2001 --host two --format csv
	# runs are kept: number, host, texts and the document as given
	[ "$("$CDICT" job show 2001 --json | jq -c '[.runs[] | [.name, .run, .host, .figures, .texts]]')" = '[["run",1,"one",6,1],["run",2,"one",6,1],["run",3,"one",6,1],["run",4,"two",6,1]]' ] ||
		"$CDICT" job show 2001
	"$CDICT" pull -q --job 2001 --host one -o pulled || return
	[ "$(ls pulled | tr '\n' ' ')" = 'benchmarks.csv one-run-1.json one-run-2.json one-run-3.json ' ] || ls pulled
	cmp run.json pulled/one-run-1.json
	grep -q '^run,2,one,[0-9]*,name,,,,,"a ""name"""' pulled/benchmarks.csv || cat pulled/benchmarks.csv
	# a host that has pushed nothing
	"$CDICT" pull --job 2001 --host nosuch --format csv 2>err && echo "nosuch: status 0"
	[ "$(cat err)" = "cdict pull: job 2001 has no host 'nosuch'; its hosts are one, two" ] || cat err
	rm -r pulled
	"$CDICT" job remove 2001
}

export CDICT_STORE=$PWD/jobs
verdict folder_adds_figures_of_benchmarks "$(bench 2>&1)"

# refused PATTERN TEXT - as a benchmark, with one line of error
refused() {
	printf '%s' "$2" >bad.json
	"$CDICT" push -q --job 2001 --bench bad.json 2>err && echo "taken: ${2:0:60}"
	[ "$(wc -l <err)" = 1 ] && grep -q "bad.json.*$1" err || cat err
}
hostile() {
	"$CDICT" job create 2001
	refused 'duplicate' '{"a": 1, "a": 2}'
	refused 'not JSON' '{"a": NaN}'
	refused 'not JSON' '{"a": Infinity}'
	refused 'overflow' '[1e999]'
	refused 'beyond 1e100' '[1e101]'
	refused 'has no numbers' '{"a": "12 x", "b": [true, null, "", "inf", "0x10", "1e999"]}'
	refused 'is empty' ''
	refused 'not JSON' '{"a": 1'
	refused 'not JSON' $'{"\xff": 1}'
	refused 'depth' "$(printf '[%.0s' $(seq 100000))"
	refused 'longer than 500 bytes' "$(printf '[0,%.0s' $(seq 200))1$(printf ']%.0s' $(seq 200))"
	refused 'longer than 500 bytes' "{\"$(printf 'x%.0s' $(seq 600))\": 1}"
	"$CDICT" push -q --job 2001 --bench nowhere.json 2>err && echo "no file: taken"
	grep -q 'nowhere.json: No such file' err || cat err
	[ "$(dumped .)" = '[]' ] || dumped .
	# in the store
	"$CDICT" push -q --job 2001 --host one --bench run.json
	shelf=$(echo jobs/2001/b*one)
	value=$(echo "$shelf"/*)
	for at in 0 4 5 9 20 60; do
		cp "$value" "$shelf/bad"
		printf '\xa5' | dd of="$shelf/bad" bs=1 seek=$at conv=notrunc status=none
		"$CDICT" pull --job 2001 --format json >out 2>err && echo "changed at $at: taken"
		[ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q 'job 2001.*one.*bad' err || cat err
	done
	"$CDICT" job remove 2001
}
verdict hostile_figures_are_refused "$(hostile 2>&1)"

# ---- counts ----

tests='counts_are_perfs counts_are_added unknown_events_are_reported'
"$CDICT" job create 2001
if ! "$CDICT" push -q --job 2001 -e page-faults -- true 2>err; then
	if grep -q 'trac' err; then
		for test in $tests; do
			skip "$test" "no rights to trace"
		done
	else
		verdict counts_are_perfs "$(cat err)"
	fi
	exit
fi

# a name that no other program has
own=tp$$
cp "$BUILD/tests/tools/run/touchpages" "$own"
counted() { dumped "select(.kind == \"count\" and .name == \"$own\" and .event == \"$1\") | .value" | jq add; }
perfs() { awk -F, -v e="$1" '$3 == e { print $1 }' perf.csv; }
# near A B SLACK: perf starts counting when the program is loaded; its comm is set some faults earlier or later
near() { [ -n "$2" ] && [ $(($1 - $2)) -le "$3" ] && [ $(($2 - $1)) -le "$3" ]; }
# machine ARGUMENTS - counts the whole machine, which one process at a time may do: another test may
machine() {
	local i
	for i in $(seq 100); do
		"$CDICT" push -q --job 2001 "$@" 2>machine.err && return
		grep -q 'counts this whole machine already' machine.err || break
		sleep 0.1
	done
	cat machine.err
	return 1
}
counts() {
	local events=page-faults,context-switches,minor-faults
	"$CDICT" push -q --job 2001 -e $events -- perf stat -x, -o perf.csv -e $events "./$own" 20000 100 || return
	for event in page-faults minor-faults; do
		near "$(counted $event)" "$(perfs $event)" 100 || echo "$event: $(counted $event), perf $(perfs $event)"
		[ "$(counted $event)" -ge 20000 ] || echo "$event: $(counted $event)"
	done
	# of a command, only the command and its children are counted
	dumped '.name' | jq -e 'map(select(. != "'"$own"'" and . != "perf" and . != "true")) == []' >/dev/null || dumped '[.name, .event, .value]'
	# it ends with one switch, after perf's counter; on a busy CPU it is also preempted on the way
	near "$(counted context-switches)" "$(perfs context-switches)" $((12 + $(perfs context-switches) / 4)) ||
		echo "context-switches: $(counted context-switches), perf $(perfs context-switches)"
	# all programs of the machine: not less than perf counted in that time
	machine --host all -a -e page-faults -- perf stat -a -x, -o perf.csv -e page-faults "./$own" 20000 || return
	local all
	all=$(dumped 'select(.host == "all") | .value' | jq add)
	[ "$all" -ge "$(perfs page-faults)" ] || echo "all programs: $all, perf -a $(perfs page-faults)"
}
if have_perf; then
	verdict counts_are_perfs "$(counts 2>&1)"
else
	skip counts_are_perfs "perf is not installed"
fi

added() {
	local before new
	before=$(counted page-faults)
	before=${before/null/0}
	"$CDICT" push -q --job 2001 -e page-faults,cpu-migrations,sched:sched_switch -- "./$own" 30000 || return
	new=$(($(counted page-faults) - before))
	near $new 30000 400 || echo "page-faults: $new more"
	[ "$(dumped "select(.name == \"$own\" and .event == \"page-faults\") | .runs" | jq add)" -ge 1 ] || dumped .
	# a switch as an event of its own: belongs to the task that ran
	[ "$(counted sched:sched_switch)" -ge 1 ] || echo "no sched:sched_switch"
	"$CDICT" tasks --job 2001 --json | jq -e '.tasks == []' >/dev/null || echo "counts became tasks"
}
verdict counts_are_added "$(added 2>&1)"

unknown() {
	"$CDICT" push -q --job 2001 -e nosuch -s 1ms 2>err && echo "nosuch: taken"
	grep -q "'nosuch'" err || cat err
	"$CDICT" push -q --job 2001 -e no:such -s 1ms 2>err && echo "no:such: taken"
	grep -q 'no:such' err || cat err
	"$CDICT" push -q --job 2001 -e page-faults,page-faults -s 1ms 2>err && echo "twice: taken"
	grep -q 'twice' err || cat err
	# an event described by the PMU; a comma inside does not end it, and a name is not a path
	if [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
		"$CDICT" push -q --job 2001 --host pmu -e page-faults,msr/tsc/,msr/event=0x0/ -- "./$own" 10 || echo "msr/tsc/: failed"
		dumped 'select(.host == "pmu" and .value > 0) | .event' | jq -e 'unique == ["msr/event=0x0/", "msr/tsc/", "page-faults"]' >/dev/null || dumped .
	fi
	for event in msr/../tsc/ msr/no=1/ msr/event=1,no/ msr/event/x no/event/ msr/ /; do
		"$CDICT" push -q --job 2001 -e "$event" -s 1ms 2>err && echo "$event: taken"
		grep -qF "'$event'" err || cat err
	done
	# hardware events that a virtual machine may lack are reported by name
	if ! "$CDICT" push -q --job 2001 -e cycles -s 1ms 2>err; then
		[ "$(cat err)" = "cdict push: event 'cycles': this machine cannot count it" ] || cat err
	fi
}
verdict unknown_events_are_reported "$(unknown 2>&1)"
"$CDICT" job remove 2001

if "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis' || ! command -v redis-server >/dev/null; then
	skip redis_adds_figures_of_benchmarks 'no redis-server, or built without hiredis'
	exit
fi
port=$(free_port)
export CDICT_STORE=redis://127.0.0.1:$port
start_redis "$port" r
bench >wrong 2>&1
verdict redis_adds_figures_of_benchmarks "$(cat wrong)"
