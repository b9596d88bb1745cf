#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# push -e EVENT --by function: samples of each function of each program go into the job, are added up over hosts, and
# are those of perf record and perf report. Very many functions and very long names are bounded.
# needs: python3 jq gcc
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1
export CDICT_STORE=$PWD/jobs TMPDIR=$PWD

# A page fault in each of many functions, 500 in one of them, two in those whose long names begin alike.
python3 - >many.c <<'END'
long = "x" * 600
print('#include <stdio.h>\n#include <sys/mman.h>\nstatic volatile char *p;')
names = ["f%d" % i for i in range(4500)] + [long + "a" * 400, long + "b" * 400]
for i, name in enumerate(names):
    print("void %s(void) { *p = 1; p += 4096; %s}" % (name, "*p = 1; p += 4096; " if i >= 4500 else ""))
print("void hot(void) { for (int i = 0; i < 500; i++) { *p = 1; p += 4096; } }")
print("static void (*const all[])(void) = { %s };" % ", ".join(names + ["hot"]))
print("""int main(void)
{
	size_t n = (size_t)6000 * 4096;
	char *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(m, n, MADV_NOHUGEPAGE);
	p = m;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		all[i]();
	return 7;
}""")
END
own=mp$$
gcc -O0 -w -o $own many.c || exit 77
if [ "$(getconf PAGESIZE)" != 4096 ]; then
	echo "pages are not of 4096 bytes" >&2
	exit 77
fi
"$CDICT" job create 2001
tests='functions_have_the_events_of_perf functions_are_bounded functions_add_up_over_hosts functions_of_a_process_and_of_the_machine forked_programs_have_their_parents_name mistakes_are_reported redis_has_functions'
if ! "$CDICT" push -q --job 2001 --host no -e page-faults --by function -- true 2>err; then
	if grep -q 'trac' err; then
		for test in $tests; do
			skip "$test" "no rights to trace"
		done
	else
		verdict functions_have_the_events_of_perf "$(cat err)"
	fi
	exit
fi
"$CDICT" job remove 2001
"$CDICT" job create 2001

# shown FILTER - of the rows of functions
shown() { "$CDICT" job show 2001 --json | jq -c "[.functions[] | $1]"; }

# Of each function as many page faults as it has, and as perf report shows; in all those of a count.
as_perf() {
	"$CDICT" push -q --job 2001 --host one -e page-faults --by function -c 1 -- ./$own
	[ $? = 7 ] || echo "status $?"
	[ "$(shown 'select(.function == "hot") | [.program, .event, .in, .samples, .value]')" = "[[\"$own\",\"page-faults\",\"user\",500,500]]" ] ||
		shown 'select(.function == "hot")'
	[ "$(shown "select(.program == \"$own\" and (.function | test(\"^f[0-9]+$\"))) | .value" | jq -c unique)" = '[1]' ] || echo "not 1 of each"
	"$CDICT" push -q --job 2001 --host counted -e page-faults -- ./$own
	python3 - "$("$CDICT" job show 2001 --json | jq '[.counts[] | select(.program == "'$own'") | .value] | add')" "$(shown .value | jq add)" <<'END'
import sys
counted, sampled = map(int, sys.argv[1:])
if not 5000 <= sampled or abs(counted - sampled) > 100:
    print(sampled, "sampled,", counted, "counted")
END
	[ "$(shown .share | jq 'add | . * 1000 | round')" = 100000 ] || echo "shares add up to $(shown .share | jq add)"
	have_perf || return
	perf record -q -e page-faults -c 1 -o p.data ./$own
	perf report -i p.data --stdio --sort sym -F sample,sym 2>/dev/null | awk '$NF == "hot" { print $1 }' | grep -qx 500 || echo "perf has no 500 in hot"
}
verdict functions_have_the_events_of_perf "$(as_perf 2>&1)"

# 4,000 rows, the rest in one; long names end with a hash, and are two.
bounded() {
	[ "$(shown 1 | jq length)" = 4001 ] || echo "$(shown 1 | jq length) rows"
	[ "$(shown 'select(.function == "[others]") | .samples >= 500' | jq -c .)" = '[true]' ] || shown 'select(.function == "[others]")'
	[ "$(shown 'select(.function | test("^xxxx")) | [(.function | length), .value]' | jq -c .)" = '[[500,2],[500,2]]' ] ||
		shown 'select(.function | test("^xxxx"))'
	[ "$(shown 'select(.function | test("^xxxx")) | .function' | jq 'unique | length')" = 2 ] || echo "long names are one"
	# people see the first of them
	[ "$("$CDICT" job show 2001 | grep -c page-faults)" -lt 60 ] || echo "people see $("$CDICT" job show 2001 | wc -l) lines"
	"$CDICT" job show 2001 | grep -q "^$own *page-faults *hot *user *500 *500 " || "$CDICT" job show 2001
}
verdict functions_are_bounded "$(bounded 2>&1)"

added() {
	"$CDICT" push -q --job 2001 --host two -e page-faults --by function -c 1 -- ./$own
	"$CDICT" push -q --job 2001 --host two -e page-faults,minor-faults:u --by function -c 1 -- ./$own
	[ "$(shown 'select(.function == "hot") | [.event, .value]')" = '[["minor-faults:u",500],["page-faults",1500]]' ] || shown 'select(.function == "hot")'
	"$CDICT" pull -q --job 2001 -o pulled || return
	[ "$(ls pulled | tr '\n' ' ')" = 'counts.csv functions.csv ' ] || ls pulled
	[ "$(grep ',hot,' pulled/functions.csv | cut -d, -f1-7 | sort | tr '\n' ' ')" = "one,$own,page-faults,hot,user,500,500 two,$own,minor-faults:u,hot,user,500,500 two,$own,page-faults,hot,user,1000,1000 " ] ||
		grep ',hot,' pulled/functions.csv
	"$CDICT" pull --job 2001 --host two --format json | jq -e '[.figures[] | select(.kind == "function" and .function == "hot") | .value] == [500, 1000]' >/dev/null ||
		echo "pulled: $("$CDICT" pull --job 2001 --host two --format json | grep hot)"
	"$CDICT" report -q --job 2001 -o job.html || return
	grep -q 'Functions' job.html || echo "the page has no functions"
	"$CDICT" tasks --job 2001 --json | jq -e '.tasks == []' >/dev/null || echo "functions became tasks"
	# nothing is left of the samples
	ls -d cdict-push.* 2>/dev/null
}
verdict functions_add_up_over_hosts "$(added 2>&1)"

# machine ARGUMENTS - as in counts.sh: one process at a time
machine() {
	local i
	for i in $(seq 100); do
		"$CDICT" push -q --job 2002 "$@" 2>machine.err && return
		grep -q 'counts this whole machine already' machine.err || break
		sleep 0.1
	done
	cat machine.err
	return 1
}
attached() {
	local pid
	"$CDICT" job create 2002
	"$BUILD/tests/tools/run/threetoone" 4000000 200000 &
	pid=$!
	"$CDICT" push -q --job 2002 --host p -e task-clock --by function -p $pid -s 0.4 || echo "status $?"
	machine --host all -e cpu-clock --by function -F 1000 -s 0.4
	kill $pid
	"$CDICT" pull --job 2002 --format json >all.json
	python3 - <<'END'
import json
rows = [r for r in json.load(open("all.json"))["figures"] if r["kind"] == "function"]
of = {h: {(r["name"], r["function"]): r["value"] for r in rows if r["host"] == h} for h in ("p", "all")}
for host, all in of.items():
    three, one = all.get(("threetoone", "three_quarters"), 0), all.get(("threetoone", "one_quarter"), 0)
    if three + one < 20e6 or not 0.6 < three / (three + one) < 0.9:
        print(host, three, one)
if {n for n, f in of["p"]} != {"threetoone"}:
    print("programs of -p:", {n for n, f in of["p"]})
END
	"$CDICT" job remove 2002
}
verdict functions_of_a_process_and_of_the_machine "$(attached 2>&1)"

# A child that runs no other program has its parent's name; with --wait, all this from job start on.
forked() {
	local i pid
	echo 'for i in 1 2 3; do ( read -r x </dev/null; : "$((x + i))" ); done; ./'$own >forks.sh
	"$CDICT" job create 2003
	"$CDICT" push -q --job 2003 --host w -e page-faults --by function -c 1 --wait -- "$BASH" forks.sh &
	pid=$!
	for i in $(seq 200); do
		"$CDICT" job show 2003 --json | jq -e '[.. | .state? // empty] == ["waits"]' >/dev/null && break
		sleep 0.1
	done
	[ "$("$CDICT" pull --job 2003 --format json 2>/dev/null | jq '[.figures[]?] | length')" = 0 ] || echo "it did not wait"
	"$CDICT" job start -q 2003 || return
	wait $pid
	[ $? = 7 ] || echo "status $?"
	[ "$("$CDICT" job show 2003 --json | jq -c '[.functions[].program] - ["[others]"] | unique')" = "[\"$(basename "$BASH")\",\"$own\"]" ] ||
		"$CDICT" job show 2003
	"$CDICT" job show 2003 --json | jq -e '[.functions[] | select(.function == "hot") | .value] == [500]' >/dev/null || "$CDICT" job show 2003
	"$CDICT" job remove 2003
}
verdict forked_programs_have_their_parents_name "$(forked 2>&1)"

mistakes() {
	"$CDICT" push -q --job 2001 -e sched:sched_switch --by function -- true 2>err && echo "a tracepoint is taken"
	grep -q "event 'sched:sched_switch' is a tracepoint, which is not sampled" err || cat err
	"$CDICT" push -q --job 2001 -e nosuch --by function -- true 2>err && echo "nosuch is taken"
	grep -q "'nosuch'" err || cat err
	"$CDICT" push -q --job 2001 -e page-faults -F 99 -- true 2>err
	[ $? = 129 ] && grep -q -e '--freq needs --event and --by function' err || cat err
	"$CDICT" push -q --job 2001 --by function x.cdict 2>err
	[ $? = 129 ] && grep -q -e '--by needs --event' err || cat err
	"$CDICT" push -q --job 2001 -e page-faults --by function -- ./nosuch 2>err && echo "./nosuch runs"
	grep -q 'nosuch' err || cat err
	"$CDICT" push -q --job nosuch -e page-faults --by function -- true 2>err && echo "no job: taken"
	ls -d cdict-push.* 2>/dev/null
}
verdict mistakes_are_reported "$(mistakes 2>&1)"

if "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis' || ! command -v redis-server >/dev/null; then
	skip redis_has_functions 'no redis-server, or built without hiredis'
	exit
fi
redis() {
	"$CDICT" job create 2001
	"$CDICT" push -q --job 2001 --host one -e page-faults --by function -c 1 -- ./$own
	[ "$(shown 'select(.function == "hot") | [.program, .event, .in, .samples, .value]')" = "[[\"$own\",\"page-faults\",\"user\",500,500]]" ] ||
		shown 'select(.function == "hot")'
	"$CDICT" job remove 2001
}
port=$(free_port)
export CDICT_STORE=redis://127.0.0.1:$port
start_redis "$port" r
redis >wrong 2>&1
verdict redis_has_functions "$(cat wrong)"
