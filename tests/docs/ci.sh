#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3 awk git
#
# Runs each command in doc/ci.md and compares its output; a script of each part's own computation, with pandas, has the same figures: means
# of the logs of calls, medians and quartiles of the runs of two commits, the rows that break a rule.
set -u
. "$TOP/tests/oracle/_lib.sh"

cd "$(mktemp -d)" || exit
unset COLUMNS LINES LESS CDICT_PAGER
export PAGER=cat PATH="${CDICT%/*}:$PATH"

# ---- the inputs: a repository, logs of a system test, five runs of each commit ----
export GIT_AUTHOR_NAME=ci GIT_AUTHOR_EMAIL=ci@example.org GIT_AUTHOR_DATE='2026-11-27T12:00:00Z' GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
git init -q . && git symbolic-ref HEAD refs/heads/main && git commit -q --allow-empty -m base && git checkout -q -b feature &&
	git commit -q --allow-empty -m 'feature: pop in batches' || exit
mkdir -p logs/client logs/server
cat >logs/server/system-test-server-stdout.txt <<'END'
running tcp-ping-pong
+,1,catnap::pop,4000,61.32,2210.57,921.07
++,1,runtime::poll,81310,55.01,97.58,40.66
+++,1,catnap::recv(fd, buf),81310,31.20,55.34,23.06
+,1,catnap::push,4000,38.68,1394.37,580.99
++,1,catnap::send(fd, buf),4000,21.13,761.78,317.41
test passed
END
cat >logs/client/system-test-client-stdout.txt <<'END'
+,1,catnap::push,4000,41.35,1402.11,584.21
++,1,catnap::send(fd, buf),4000,22.08,748.70,311.96
+,1,catnap::pop,4000,58.65,1988.71,828.63
++,1,runtime::poll,77204,50.10,88.02,36.68
END
# run NAME SEED HOG_US - 300 rounds of 1 ms: "worker" is woken, runs, and is preempted while it runs, in every third round by "backup"
run() {
	awk -v seed="$2" -v hog="$3" 'BEGIN {
		x = seed * 77 + 1
		print "cpus 1\ndefault sched:sched_switch prev_prio=120 next_prio=120\nproc " 300 + seed " worker\nproc 900 backup\nproc 20 kthread"
		worker = 300 + seed
		f = "%d [000] %.6f: %s\n"
		for (i = 0; i < 300; i++) {
			t = 100 + i / 1000
			by = i % 3 ? 20 : 900
			held = by == 900 ? hog + some(20, 10) : some(2, 3)
			late = some(4, 3)
			busy = some(100, 20)
			printf f, 0, t, "sched:sched_waking: pid=" worker " prio=120 target_cpu=0 comm=worker"
			printf f, 0, t + late / 1e6, "sched:sched_switch: prev_pid=0 prev_state=R next_pid=" worker
			printf f, worker, t + (late + busy) / 1e6, "sched:sched_switch: prev_pid=" worker " prev_state=R next_pid=" by
			printf f, by, t + (late + busy + held) / 1e6, "sched:sched_switch: prev_pid=" by " prev_state=S next_pid=" worker
			printf f, worker, t + (late + 2 * busy + held) / 1e6, "sched:sched_switch: prev_pid=" worker " prev_state=S next_pid=0"
		}
	}
	function some(least, more) { x = (x * 75 + 74) % 65537; return least + x % more }' >"$1.trace"
	"$MKPERF" --formats "$DATA/formats" -o "$1.data" "$1.trace" && "$CDICT" convert -q -i "$1.data" -o "$1.cdict"
}
for i in 1 2 3 4 5; do
	run main-$i $i 0 && run feature-$i $((i + 5)) 300 || exit
done

python3 "$TOP/tests/tools/check/guide.py" "$TOP/doc/ci.md" >ci.md 2>guide.err
status=$?
if [ $status -eq 77 ]; then
	echo "skip the_page_on_CI_prints_what_its_commands_print no pseudo-terminal"
	exit
fi
[ $status -eq 0 ] || fail the_page_on_CI_is_run <guide.err
verdict the_page_on_CI_prints_what_its_commands_print "$(diff "$TOP/doc/ci.md" ci.md 2>&1 | head -60)"

# ---- the same by a script, which has pandas: Debian's Python is not the first of every PATH ----
pandas=
for python in python3 /usr/bin/python3; do
	[ -n "$pandas" ] || ! "$python" -c 'import pandas' 2>/dev/null || pandas=$python
done
names='calls.csv_is_what_a_script_makes_of_the_logs medians_and_quartiles_of_a_commit_are_those_of_pandas the_gate_fails_for_the_rows_of_a_script'
if [ -z "$pandas" ]; then
	for name in $names; do skip "$name" "no Python has pandas"; done
	exit
fi
set -- $names
"$pandas" "$TOP/tests/oracle/figures/_calls.py" report logs >want.csv
verdict "$1" "$("$pandas" - <<'END' 2>&1
import pandas
want, got = pandas.read_csv("want.csv"), pandas.read_csv("calls.csv")
if len(got) != 5 or not (list(want) == list(got) and want.equals(got[list(want)].astype(want.dtypes))):
    print(want, got, sep="\n")
END
)"
for run in main-[1-5].cdict feature-[1-5].cdict; do "$CDICT" tasks "$run" --format json >"${run%.cdict}.json"; done
cat >medians.py <<'END'
import json, sys
import numpy, pandas
rows = []
for commit in ("main", "feature"):
    for i in range(1, 6):
        run = json.load(open(f"{commit}-{i}.json"))
        seconds = run["window_ns"]["length"] / 1e9
        for task in run["tasks"]:
            if task["idle"]:
                continue
            figures = {f"{key}_percent": 100 * task[f"{key}_ns"] / 1e9 / seconds for key in ("run", "delayed")}
            figures.update({f"{key}_per_s": task[key] / seconds for key in ("switches", "involuntary", "wakeups", "migrations", "delays") if task[key] is not None})
            figures.update({key: task[key] for key in task if key.startswith("latency_") and key != "latency_max_at_ns"}, worst_ns=task["worst_ns"] or 0)
            rows += [(commit, task["name"], key, value) for key, value in figures.items()]
runs = pandas.DataFrame(rows, columns=["commit", "name", "figure", "value"]).dropna()
END
verdict "$2" "$({ cat medians.py; cat <<'END'
value = runs.astype({"value": float}).groupby(["name", "figure", "commit"])["value"]
want = pandas.DataFrame({"": value.median(), "_q1": value.quantile(0.25), "_q3": value.quantile(0.75), "_runs": value.count()})
changes = pandas.read_csv("changes.csv")
changes = changes[(changes.table == "tasks") & (changes.name != "IDLE") & (changes.base_runs + changes.new_runs > 0)].set_index(["name", "figure"])
for (name, figure, commit), row in want.iterrows():
    side = "base" if commit == "main" else "new"
    for column, expected in row.items():
        got = changes.loc[(name, figure)][side + column]
        if not numpy.isclose(got, expected, rtol=1e-8, atol=1e-9):
            print(f"{name} {figure} of {commit}{column}: {got}, not {expected}")
if len(changes) < 25 or len(want) != 2 * len(changes):
    print(f"{len(changes)} rows, {len(want)} medians")
END
} | "$pandas" - 2>&1)"
verdict "$3" "$({ cat medians.py; cat <<'END'
median = runs.astype({"value": float}).groupby(["name", "figure", "commit"])["value"].median().unstack()
limits = {"delayed_percent": 1.5 * median.main, "worst_ns": pandas.Series(200e3, median.index), "switches_per_s": 1.5 * median.main}
want = sorted((figure, name) for name, figure in median.index if name == "worker" and figure in limits and median.feature[name, figure] > limits[figure][name, figure])
got = sorted((row["figure"], row["name"]) for row in json.load(open("gate.json"))["regressions"])
if want != got or len(want) != 2:
    print(want, got)
END
} | "$pandas" - 2>&1)"
