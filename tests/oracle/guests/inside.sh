#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3 jq
# timeout: 600
# Guests joined to their host's recording: every figure of their tasks is that of a model (_inside.py) which reads the made-up
# traces alone, for clocks with and without drift; windows add up; the host's figures do not change.
set -u
. "$TOP/tests/oracle/_lib.sh"

cd "$(mktemp -d)" || exit 1
here=$TOP/tests/oracle/guests
# make NAME OPTION...: the recordings of mkguests.py, and both.cdict
make_pair() {
	python3 "$TOP/tests/tools/make/mkguests.py" "${@:2}" "$1" || return
	for name in host web db; do
		"$MKPERF" --formats "$DATA/formats" -o made.data "$1/$name.trace" && "$CDICT" convert -q -i made.data -o "$1/$name.cdict" || return
	done
	"$CDICT" join -q "$1/host.cdict" 1000="$1/web.cdict" --clock "$(clock "$1" web)" -o "$1/one.cdict" &&
		"$CDICT" join -q "$1/one.cdict" 2000="$1/db.cdict" --clock "$(clock "$1" db)" -o "$1/both.cdict"
}
clock() { sed -n "s/^$2 //p" "$1/clocks"; }
# inside FILE OUT OPTION...: all tasks, and the shares of both guests
inside() {
	for vm in 1000 2000; do "$CDICT" vm "$vm" "$1" --inside --json -q "${@:3}"; done |
		jq -s '{ guest_tasks: (.[0].guest_tasks + .[1].guest_tasks), guest_shares: (.[0].guest_shares + .[1].guest_shares) }' >"$2"
}

n=0
for how in '--seed 1 --seconds 0.3' '--seed 2 --seconds 0.3 --offset -9000000000 --drift 0' '--seed 3 --seconds 0.2 --offset 1 --drift=-210.5'; do
	n=$((n + 1))
	# shellcheck disable=SC2086 # options
	make_pair "p$n" $how
	inside "p$n/both.cdict" whole.json
	"$CDICT" stats "p$n/both.cdict" -q | grep ' for its vCPU' >says.txt
	"$CDICT" report "p$n/both.cdict" -q -o page.html
	python3 - <<'END_OF_SAYS'
import json, re
doc, page = json.load(open("whole.json")), open("page.html").read()
doc["says"] = open("says.txt").read().splitlines()
found = json.JSONDecoder().raw_decode(page[page.index('"findings": [') + 12:])[0]
doc["findings"] = [f["text"] for f in found if "inside" in f]
t = {(r["vm"], r["tid"]): r for r in doc["guest_tasks"]}
for f in found:  # the link leads to the task's longest wait
    if "inside" in f and (f["inside"][0], f["inside"][1] + 80_000_000_000) not in {(tid, r["worst_at_ns"]) for (vm, tid), r in t.items() if vm == f["of"]["name"]}:
        doc["findings"].append("%s leads to %s" % (f["text"], f["inside"]))
json.dump(doc, open("whole.json", "w"))
END_OF_SAYS
	args=(-=whole.json)
	for k in 0 1 2 3; do
		from=$((80000000000 + RANDOM * 5000 + RANDOM)) to=$((80165000000 + RANDOM * 1000 + RANDOM))
		inside "p$n/both.cdict" $k.json --time "$(printf '%d.%09d,%d.%09d' $((from / 10**9)) $((from % 10**9)) $((to / 10**9)) $((to % 10**9)))"
		args+=("$from-$to=$k.json")
	done
	verdict "tasks_of_joined_guests_are_those_of_the_model_$n" "$(python3 "$here/_inside.py" "p$n" "${args[@]}" 2>&1)"
done

# 200 windows, without the model
cat >windows.py <<'END_OF_WINDOWS'
import json, random, subprocess, sys
cdict, file = sys.argv[1:]
rnd, parts = random.Random(7), "run_ns stolen_ns busy_ns away_ns sleep_ns block_ns unknown_ns absent_ns".split()
for i in range(200):
    a, b = sorted(rnd.randrange(80_000_000_000, 80_300_000_000) for _ in range(2))
    b += 1
    time = "%d.%09d,%d.%09d" % (a // 10**9, a % 10**9, b // 10**9, b % 10**9)
    doc = json.loads(subprocess.run([cdict, "tasks", "--guest", "--json", "-q", "--time", time, file], capture_output=True).stdout)
    for r in doc["guest_tasks"]:
        if sum(r[k] for k in parts) != b - a: print(time, r)
        if sum(v for k, v in r.items() if k.startswith("stolen_") and k != "stolen_ns") != r["stolen_ns"]: print("stolen", time, r)
        if sum(v for k, v in r.items() if k.startswith("away_") and k != "away_ns") != r["away_ns"]: print("away", time, r)
    if not doc["guest_tasks"] and b - a > 10_000_000: print("no rows", time)
END_OF_WINDOWS
verdict "guest_tasks_add_up_in_200_windows" "$(python3 windows.py "$CDICT" p1/both.cdict 2>&1 | head -5)"

# the host's figures with and without guests; stats has a paragraph more, on them
mkdir with without && cp p1/both.cdict with/run.cdict && cp p1/host.cdict without/run.cdict
for dir in with without; do
	(cd $dir && for c in stats tasks exits vcpu latency coremap switches successors count 'vm 1000' script; do
		# shellcheck disable=SC2086 # words of a command
		"$CDICT" $c run.cdict
	done 2>&1 | sed '/: as given; clock: given/,/^$/d' >../$dir.txt)
done
verdict "the_host's_figures_are_the_same_with_and_without_guests" "$([ "$(wc -l <with.txt)" -gt 500 ] || echo 'no figures'; diff without.txt with.txt | head -5)"

# without a file in between
for c in 'tasks --guest' 'latency --guest' 'vm 1000 --inside'; do
	# shellcheck disable=SC2086 # words of a command
	"$CDICT" $c -q p1/one.cdict | sed 's/^one.cdict//; s/^[^ ]*one.cdict: /x: /' >one.txt
	# shellcheck disable=SC2086 # words of a command
	"$CDICT" $c -q p1/host.cdict 1000=p1/web.cdict --clock "$(clock p1 web)" | sed 's/^[^ ]*host.cdict: /x: /' >two.txt
	diff one.txt two.txt
	[ -s one.txt ] || echo "$c printed nothing"
done >wrong
verdict "guests_may_be_operands_of_the_tables'_commands" "$(head -5 wrong)"

# labels and other changes keep the guests
cp p1/both.cdict named.cdict
printf 'tid,libvirt-instance,role,uuid,group-type,group-id,task-name\n1000,instance-0000001c,,4c4c4544-0043-4210-8054-b4c04f563233,,,web\n1001,instance-0000001c,vcpu0,4c4c4544-0043-4210-8054-b4c04f563233,,,web\n1002,instance-0000001c,vcpu1,4c4c4544-0043-4210-8054-b4c04f563233,,,web\n' >map.csv
"$CDICT" annotate -q named.cdict --map map.csv
{
	cmp p1/both.cdict named.cdict >/dev/null && echo "nothing was named"
	"$CDICT" info --verify named.cdict >/dev/null || echo "named.cdict is damaged"
	"$CDICT" vm web named.cdict --inside --json -q | jq -r '.guest_tasks[] | "\(.vm) \(.run_ns)"' | sort >a.txt
	"$CDICT" vm 1000 p1/both.cdict --inside --json -q | jq -r '.guest_tasks[] | "web \(.run_ns)"' | sort >b.txt
	diff a.txt b.txt
	[ -s a.txt ] || echo "no tasks"
} >wrong 2>&1
verdict "names_given_later_apply_to_joined_guests" "$(head -5 wrong)"

# without VM and clock: both are found by the events, the clock within the error that it states
cat >clocks.py <<'END_OF_CLOCKS'
import json, sys
from fractions import Fraction
def line(knots):
    (g0, h0), (g1, h1) = [tuple(map(int, k.split(":"))) for k in knots.replace(",", " ").split()][:2]
    return lambda g: h0 + Fraction(h1 - h0, g1 - g0) * (g - g0)
truth = {l.split()[0]: l.split()[1] for l in open(sys.argv[1] + "/clocks")}
for g in json.load(sys.stdin)["guests"]:
    name = {"1000": "web", "2000": "db"}[g["vm"]]
    true, found = line(truth[name]), line(g["clock_knots"])
    if g["clock"] != "fit" or not 0 < g["clock_error_ns"] < 50000: print(name, g)
    for at in 0, 100_000_000, 200_000_000:
        t = int(truth[name].split(":")[0]) + at
        if abs(true(t) - found(t)) > g["clock_error_ns"]: print(name, at, float(found(t) - true(t)), "error", g["clock_error_ns"])
END_OF_CLOCKS
for n in 1 2 3; do
	"$CDICT" join -q p$n/host.cdict =p$n/web.cdict =p$n/db.cdict -o fit.cdict && "$CDICT" info --json fit.cdict | python3 clocks.py p$n
done >wrong 2>&1
verdict "without_VM_and_clock_both_are_found_by_the_events" "$(head -5 wrong)"
for one in 'p1/host.cdict 1000=p1/db.cdict' 'p1/host.cdict 2000=p1/web.cdict' 'p1/host.cdict =p2/web.cdict' 'p2/host.cdict =p3/db.cdict'; do
	# shellcheck disable=SC2086 # words of a command
	"$CDICT" join $one -o no.cdict 2>err && echo "$one was joined"
	grep -q 'no line fits\|fit none' err || cat err
done >wrong 2>&1
[ ! -e no.cdict ] || echo "no.cdict was written" >>wrong
verdict "a_guest_of_another_VM_or_another_host_is_refused" "$(head -5 wrong)"
