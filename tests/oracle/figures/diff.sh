#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: jq awk
# timeout: 600
#
# cdict diff as a gate: it finds and names a planted regression, equal runs pass, real recordings of the same VMs
# compare by name. The runs are synthetic; tests/live/diff.sh records some.
set -u
. "$TOP/tests/oracle/_lib.sh"

# run NAME SEED [HOG_US] - 300 rounds of 1 ms on CPU 0: "worker" is woken, waits, exits twice to KVM and sleeps; with
# HOG_US a hog has the CPU first in every second round. No two seeds have the same tids, or lengths.
run() {
	awk -v seed="$2" -v hog="${3-0}" 'BEGIN {
		x = seed * 77 + 1
		worker = 300 + seed; rival = 900 + seed
		print "cpus 2\ndefault kvm:kvm_exit isa=1"
		print "default sched:sched_switch prev_prio=120 next_prio=120"
		print "proc " worker " worker\nproc " rival " hog"
		f = "%d [000] %.6f: %s\n"
		for (i = 0; i < 300; i++) {
			t = 100 + i / 1000
			wait = some(20, 15); busy = some(300, 30); quiet = i % 20 == 19
			printf f, 0, t, "sched:sched_waking: pid=" worker " prio=120 target_cpu=0 comm=worker"
			from = 0
			if (hog && i % 2) {
				printf f, 0, t + 5e-6, "sched:sched_switch: prev_pid=0 prev_state=R next_pid=" rival
				wait += hog; from = rival
			}
			printf f, from, t + wait / 1e6, "sched:sched_switch: prev_pid=" from " prev_state=S next_pid=" worker
			s = t + (wait + 10) / 1e6
			printf f, worker, s, "kvm:kvm_entry: vcpu_id=0 rip=0x1000"
			if (!quiet) {
				printf f, worker, s + busy / 2e6, "kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID guest_rip=0x1010"
				printf f, worker, s + busy / 2e6 + some(3, 2) / 1e6, "kvm:kvm_entry: vcpu_id=0 rip=0x1000"
			}
			printf f, worker, s + busy / 1e6, "kvm:kvm_exit: vcpu_id=0 exit_reason=HLT guest_rip=0x1010"
			printf f, worker, s + (busy + 5) / 1e6, "sched:sched_switch: prev_pid=" worker " prev_state=S next_pid=0"
		}
	}
	function some(least, more) { x = (x * 75 + 74) % 65537; return least + x % more }' >"$1.trace"
	"$MKPERF" --formats "$DATA/formats" -o "$1.data" "$1.trace" && "$CDICT" convert -q -i "$1.data" -o "$1.cdict"
}

# expect STATUS ARGUMENT... - checks the status of cdict diff, output in out and err
expect() {
	local want=$1 status
	shift
	"$CDICT" diff "$@" >out 2>err
	status=$?
	[ $status = "$want" ] || echo "status $status, not $want: cdict diff $*: $(head -n 3 err)"
}

for ((i = 1; i <= 20; i++)); do
	run "equal-$i" "$i"
done
for ((i = 1; i <= 5; i++)); do
	run "hog-$i" $((40 + i)) 400
done

gate=(--fail-if 'latency.p99[name=^worker$] > +10 %' --fail-if 'vcpu.delayed > +2 points' --fail-if 'exits.rate > +10 %'
	--fail-if 'cpu > +10 %')

wrong=
for hog in "equal-1.cdict hog-1.cdict" "equal-1.cdict equal-2.cdict equal-3.cdict equal-4.cdict equal-5.cdict -- hog-1.cdict hog-2.cdict hog-3.cdict hog-4.cdict hog-5.cdict"; do
	# shellcheck disable=SC2086 # files are words
	wrong+=$(expect 3 "${gate[@]}" --format json $hog)
	wrong+=$(jq -r '[.regressions[] | .rule + " " + .name] | unique | join("\n")' out | diff - <(
		echo 'latency.p99[name=^worker$] > +10 % worker'
		echo 'vcpu.delayed > +2 points worker'
	))
	# 150 of 300 waits are 400 us longer
	wrong+=$(jq -r '.regressions[] | select(.figure == "latency_p99_ns") | select((.base < 15000 or .base > 35000 or .new < 415000 or .new > 435000)) | "p99 \(.base) \(.new)"' out)
	wrong+=$(jq -r '.regressions[] | select(.figure == "delayed_percent") | select(.change < 18 or .change > 22) | "delayed by \(.change)"' out)
	# shellcheck disable=SC2086
	wrong+=$(expect 3 "${gate[@]}" $hog)
	wrong+=$(grep -q '^latency.p99\[name=^worker\$\] > +10 %  worker  *[0-9.]* us  *4[0-9][0-9] us  *+[34][0-9][0-9] us' out || echo "text does not name it: $(head -n 12 out)")
done
verdict a_seeded_regression_is_found_and_named "$wrong"

wrong=
for ((i = 1; i <= 10; i++)); do
	wrong+=$(expect 0 "${gate[@]}" "equal-$i.cdict" -- "equal-$((i + 10)).cdict")
done
wrong+=$(expect 0 "${gate[@]}" equal-[1-9].cdict equal-10.cdict -- equal-1[1-9].cdict equal-20.cdict --format json)
wrong+=$(jq -r '.rules[] | select(.result != "held" or .judged == 0) | .rule' out)
verdict ten_pairs_of_equal_runs_do_not_fail "$wrong"

# the medians are far apart, but so are the runs of each side: one of five has a hog, and four. Of 252 ways to part
# five and five high and low ones 26 have at most one high here: p is 52 of 252
mixed=(equal-1.cdict equal-2.cdict equal-3.cdict equal-4.cdict hog-1.cdict -- equal-5.cdict hog-2.cdict hog-3.cdict hog-4.cdict hog-5.cdict)
wrong=$(expect 0 "${gate[@]}" "${mixed[@]}")
grep -q '^worker  *latency.p99 .*  *+[0-9.]* us  *~  *0.206  5+5$' out || wrong+=$(grep latency.p99 out)
wrong+=$(expect 3 "${gate[@]}" --alpha 0.3 "${mixed[@]}")
# a limit of the value itself is held against the median
wrong+=$(expect 3 --fail-if 'latency.p99[name=worker] > 100 us' equal-1.cdict -- hog-1.cdict equal-2.cdict hog-2.cdict)
wrong+=$(expect 0 --fail-if 'latency.p99[name=worker] > 100 us' equal-1.cdict -- hog-1.cdict equal-2.cdict equal-3.cdict)
verdict a_difference_that_may_be_chance_is_not_a_change "$wrong"

# a reason without an exit is 0 a second, not unknown
sed 's/CPUID/MSR_WRITE/' equal-2.trace >msr.trace
"$MKPERF" --formats "$DATA/formats" -o msr.data msr.trace && "$CDICT" convert -q -i msr.data -o msr.cdict
wrong=$(expect 3 --fail-if 'exits.rate[reason=MSR] > +900 /s' --fail-if 'exits.rate[reason=^CPUID] < -99 %' equal-1.cdict msr.cdict --format json)
wrong+=$(jq -r '.regressions[] | select(.base != 0 and .new != 0) | tostring' out)
[ "$(jq '.regressions | length' out)" = 2 ] || wrong+=$(jq -c .rules out)
verdict a_new_or_missing_reason_is_a_change "$wrong"

# ---- the statistics, worked out a second time ----
"$CDICT" diff equal-[1-5].cdict -- hog-*.cdict --format json >out
for ((i = 1; i <= 5; i++)); do
	"$CDICT" tasks --format json "equal-$i.cdict"
	"$CDICT" tasks --format json "hog-$i.cdict"
done | jq -s '
	def quantile($q): sort | ((length - 1) * $q) as $at | ($at | floor) as $i | .[$i] + ($at - $i) * ((.[$i + 1] // .[$i]) - .[$i]);
	def rate: .window_ns.length as $w | .tasks[] | select(.name == "worker") | 100 * .run_ns / $w;
	([range(0; 10; 2) as $i | .[$i] | rate]) as $base | ([range(1; 10; 2) as $i | .[$i] | rate]) as $new |
	[$base | quantile(0.5), quantile(0.25), quantile(0.75)] + [$new | quantile(0.5), quantile(0.25), quantile(0.75)] | .[] * 1e6 | round' >want
jq '.changes[] | select(.table == "tasks" and .figure == "run_percent" and .name == "worker") | [.base, .base_q1, .base_q3, .new, .new_q1, .new_q3] | .[] * 1e6 | round' out >got
wrong=$(diff want got)
[ "$(wc -l <got)" = 6 ] || wrong+="$(wc -l <got) figures"
# five runs apart from five: 2 of 252 ways
wrong+=$(jq -r '.changes[] | select(.figure == "latency_p99_ns" and .name == "worker") | [.base_runs, .new_runs, (.p * 252 * 1e6 | round), .significant] | select(. != [5, 5, 2000000, true]) | tostring' out)
verdict medians_quartiles_and_p_are_as_worked_out "$wrong"

"$CDICT" diff equal-[1-5].cdict -- hog-*.cdict --format csv -o x.csv 2>err
wrong=$(cat err)
[ "$(($(wc -l <x.csv) - 1))" = "$(jq '.changes | length' out)" ] || wrong+="CSV has other rows than JSON"
[ "$(jq '[.vcpu, .exits, .tasks, .coremap | length] | length' out)" = 4 ] || wrong+="JSON lacks tables"
verdict csv_and_json_hold_every_row "$wrong"

# ---- rules that cannot be judged ----
wrong=$(expect 1 "${gate[@]}" equal-1.cdict equal-2.cdict -- hog-1.cdict hog-2.cdict)
grep -q 'too few to tell a change from chance (p can be no less than 0.33): --alpha 0.05 needs 4 on each side' err || wrong+=$(cat err)
wrong+=$(expect 0 "${gate[@]}" --skip-unjudged equal-1.cdict equal-2.cdict -- hog-1.cdict hog-2.cdict)
wrong+=$(expect 1 --fail-if 'latency.p99[name=missing] > +1 %' equal-1.cdict hog-1.cdict)
wrong+=$(expect 1 --fail-if 'latency.p99 > +1 %' --min-events 301 equal-1.cdict hog-1.cdict)
"$CDICT" convert -q -e 'kvm:*' -i hog-1.data -o kvm.cdict
wrong+=$(expect 1 --fail-if 'latency.p99 > +1 %' equal-1.cdict kvm.cdict)
grep -q "kvm.cdict has no sched:sched_switch events" err || wrong+=$(cat err)
wrong+=$(expect 1 equal-1.cdict kvm.cdict)
sed 's/worker/other/; s/hog/another/' equal-1.trace >other.trace
"$MKPERF" --formats "$DATA/formats" -o other.data other.trace && "$CDICT" convert -q -i other.data -o other.cdict
wrong+=$(expect 1 equal-1.cdict other.cdict)
grep -q 'nothing was compared' err || wrong+=$(cat err)
verdict rules_that_cannot_be_judged_do_not_pass "$wrong"

# ---- every printed column can stand in a rule ----
# As JSON, CSV and text print them, tasks and groups: each name is a rule of its own figure, and so is the name of its column in the
# command's own table, which -s takes.
for by in task group; do
	"$CDICT" diff -v --by $by equal-1.cdict hog-1.cdict --format json >printed.$by.json
	"$CDICT" diff -v --by $by equal-1.cdict hog-1.cdict --format csv >printed.$by.csv
	"$CDICT" diff -v --by $by equal-1.cdict equal-2.cdict -- hog-1.cdict >printed.$by.txt
done
for command in tasks exits vcpu coremap; do "$CDICT" $command hog-1.cdict --format json >$command.json; done
wrong=$(python3 - "$CDICT" <<'END'
import csv, json, subprocess, sys

def run(*words):
    return subprocess.run([sys.argv[1], *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

def figure_of(rule, key):  # the table and the key of the figure that the rule is about: every row breaks it
    limit = rule + " < 1000000" + (" %" if key.endswith("_percent") else " ms" if key.endswith("_ns") else " /s")
    done = run("diff", "-q", "--min-events", "0", "--fail-if", limit, "--format", "json", "equal-1.cdict", "hog-1.cdict")
    if done.returncode not in (0, 3):
        return done.stderr.split("\n")[0]
    return {(row["what"], row["figure"]) for row in json.loads(done.stdout)["regressions"]}

seen = {}
def check(rule, table, key):
    if rule not in seen:
        seen[rule] = figure_of(rule, key)
    if seen[rule] != {(table, key)}:
        print(f"{rule}: {seen[rule]}, not {table}.{key}")

printed = texts = 0
for by in ("task", "group"):
    document = json.load(open(f"printed.{by}.json"))
    for table in [name for name, rows in document.items() if isinstance(rows, list) and rows and any(key.endswith("_base") for key in rows[0])]:
        prefix = "" if table == "tasks" else table + "."
        command = "tasks" if table == "groups" else table
        rows = json.load(open(f"{command}.json"))[command]
        for key in [key[: -len("_base")] for key in document[table][0] if key.endswith("_base")]:
            printed += 1
            values = [row[f"{key}_new"] for row in document[table] if row["name"] != "IDLE"]
            if not any(value is not None for value in values):
                continue  # no exit to QEMU: nothing is judged
            check(prefix + key, table, key)
            # the command's column: the same, or in ns, or counted
            for column in rows[0]:
                if column in (key, key.replace("_percent", "_ns"), key.replace("_per_s", "")):
                    if command != "coremap" and run(command, "-q", "-s", column, "hog-1.cdict").returncode:
                        print(f"cdict {command} -s {column} fails")
                    # percent of the exits, of the window
                    if (command, column) != ("exits", "count_percent"):
                        check(prefix + column, table, key)
    for row in csv.DictReader(open(f"printed.{by}.csv", newline="")):
        if row["new"] and row["name"] != "IDLE":
            check(row["rule_figure"], row["table"], row["figure"])
    names = {row["rule_figure"] for row in csv.DictReader(open(f"printed.{by}.csv", newline=""))}
    for line in open(f"printed.{by}.txt"):
        if line.startswith(("worker ", "hog ")):
            texts += 1
            if not set(line.split()) & names:
                print(f"no rule has the name in: {line.strip()}")
if printed < 60 or texts < 60 or not {"delayed", "delays", "worst", "groups.delayed_percent", "vcpu.delayed_ns", "exits.count"} <= set(seen):
    print(f"{printed} columns, {texts} lines of text: {' '.join(sorted(seen))}")
END
) || wrong+="status $?"
verdict every_printed_column_can_stand_in_a_rule "$wrong"

# ---- a hog that only preempts ----
# preempted NAME SEED [HOG_US] - 300 rounds of 1 ms: "worker" is woken, runs at once, and is preempted while it runs: by a kernel
# thread for 2 us or, in every third round, by the hog
preempted() {
	awk -v seed="$2" -v hog="${3-0}" 'BEGIN {
		print "cpus 1\ndefault sched:sched_switch prev_prio=120 next_prio=120\nproc 300 worker\nproc 900 hog\nproc 20 kthread"
		f = "%d [000] %.6f: %s\n"
		for (i = 0; i < 300; i++) {
			t = 100 + i / 1000
			by = hog && i % 3 == 0 ? 900 : 20
			held = by == 900 ? hog : 2 + (i + seed) % 2
			printf f, 0, t, "sched:sched_waking: pid=300 prio=120 target_cpu=0 comm=worker"
			printf f, 0, t + 5e-6, "sched:sched_switch: prev_pid=0 prev_state=R next_pid=300"
			printf f, 300, t + 105e-6, "sched:sched_switch: prev_pid=300 prev_state=R next_pid=" by
			printf f, by, t + (105 + held) / 1e6, "sched:sched_switch: prev_pid=" by " prev_state=S next_pid=300"
			printf f, 300, t + (205 + held) / 1e6, "sched:sched_switch: prev_pid=300 prev_state=S next_pid=0"
		}
	}' >"$1.trace"
	"$MKPERF" --formats "$DATA/formats" -o "$1.data" "$1.trace" && "$CDICT" convert -q -i "$1.data" -o "$1.cdict"
}
preempted calm 1 && preempted calm-2 2 && preempted late 3 400
waits=(--fail-if 'delayed[name=^worker$] > +50%' --fail-if 'worst[name=^worker$] > +100 us')
# neither a wake-up's latency nor the worker's share nor its switches changed
wrong=$(expect 0 --fail-if 'latency.p99 > +100 %' --fail-if 'cpu[name=worker] < -5 %' --fail-if 'switches[name=worker] > +10 %' calm.cdict late.cdict)
wrong+=$(expect 0 "${waits[@]}" calm.cdict calm-2.cdict)
wrong+=$(expect 3 "${waits[@]}" calm.cdict late.cdict --format json)
# 5 us and 2 or 3 us a round, of 300 ms less the first and last part; then 100 rounds of 400 us
wrong+=$(jq -r '[.regressions[] | [.figure, (.base * 100 | round) / 100, (.new * 10 | round) / 10]] | tostring' out | diff - <(
	echo '[["delayed_percent",0.75,14],["worst_ns",5000,400000]]'
))
wrong+=$(jq -r '.changes[] | select(.name == "worker" and .figure == "delays_per_s") | select((.base - .new | fabs) > 5 or .base < 1990 or .base > 2010) | tostring' out)
# a task that waited for the first time: no minimum of events keeps the worst wait from being judged
sed '/prev_pid=300 prev_state=R/d; /prev_pid=20 /d; s/sched_waking: pid=300/sched_waking: pid=20/' calm.trace >never.trace
"$MKPERF" --formats "$DATA/formats" -o never.data never.trace && "$CDICT" convert -q -i never.data -o never.cdict
wrong+=$(expect 3 --fail-if 'worst[name=^worker$] > +100 us' never.cdict late.cdict)
verdict a_hog_that_only_preempts_is_found_by_rules_on_waits "$wrong"

# ---- real recordings of the same VMs ----
captures=$SHARED/captures/kvm
if [ -z "$SHARED" ] || [ ! -f "$captures/kvm-libvirt-run2.data" ]; then
	echo "skip the_same_vms_of_two_recordings_compare_by_name no captures"
	exit
fi
wrong=
for name in kvm-libvirt kvm-libvirt-run2 kvm-medium; do
	rm -rf tree
	"$BUILD/tests/tools/make/proctree" "$captures/identity/$name.proc.txt" tree
	"$CDICT" identify -q --proc-root tree --libvirt off -o "$name.csv" || wrong+="identify $name: $?"
	"$CDICT" convert -q --max-loss 100 -i "$captures/$name.data" -o "$name.raw" &&
		"$CDICT" annotate -q "$name.raw" --map "$name.csv" -o "$name.cdict" || wrong+="annotate $name: $?"
done
same_vms() { # BASE NEW
	"$CDICT" diff -q --max-loss 100 "$1.cdict" "$2.cdict" --format json >out 2>err || echo "status $?: $(cat err)"
	# every vCPU of both, by name, with tids of their own, and both states add up
	jq -r '.vcpu | map(select(.not_compared == null and .guest_percent_base > 0 and .guest_percent_new > 0 and .delayed_percent_change != null)) | length' out >both
	jq -r '.vcpu[] | select(.name | startswith("CPU ")) | "not named: " + .name' out
	cut -d, -f1 "$1.csv" | sort >a
	cut -d, -f1 "$2.csv" | sort >b
	[ -z "$(comm -12 a b | grep -v tid)" ] || echo "the same tids"
}
wrong+=$(same_vms kvm-libvirt kvm-libvirt-run2)
[ "$(cat both)" -gt 4 ] || wrong+="$(cat both) vCPUs of kvm-libvirt and its second run"
wrong+=$(same_vms kvm-medium kvm-libvirt-run2)
[ "$(cat both)" -gt 4 ] || wrong+="$(cat both) vCPUs of kvm-medium and the second run: $(jq -r '.vcpu[].name' out | sort | tr '\n' ' ')"
verdict the_same_vms_of_two_recordings_compare_by_name "$wrong"
