#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: the page faults of a program are counted
# A job of counts and benchmarks alone: job show, tasks --job, the page and the files of pull have the same sums, medians and quartiles as pandas and
# NumPy compute straightforwardly from what was pushed.
# needs: python3 jq
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
export CDICT_STORE=$PWD/jobs
# the first of the system's that has both
python=
for candidate in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$candidate" -c 'import numpy, pandas' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || {
	skip medians_and_quartiles_are_numpys 'pandas is not installed'
	exit
}
"$CDICT" job create 2001 || exit

# a run's document: numbers, numbers in quotes, samples, texts
"$python" - <<'P'
import json, random
random.seed(43)
for n in range(11):
    doc = {"fio": {"iops": random.uniform(900, 1100), "lat": {"p99": f"{random.uniform(1, 9):.3f}"}},
           "samples": [random.randint(1, 100) for _ in range(5)], "version": f"v3.{n % 2}"}
    json.dump(doc, open(f"doc{n}.json", "w"))
P
for n in 0 1 2 3 4 5 6 7 8 9 10; do
	"$CDICT" push -q --job 2001 --host "h$((n % 3))" --bench "doc$n.json" --name disk || exit
done
bench() {
	"$CDICT" job show 2001 --json >show.json || return
	"$python" - <<'P'
import json, glob
import numpy as np, pandas as pd
docs = [json.load(open(f"doc{n}.json")) for n in range(11)]
runs = pd.DataFrame({"fio.iops": [d["fio"]["iops"] for d in docs], "fio.lat.p99": [float(d["fio"]["lat"]["p99"]) for d in docs],
                     "samples[]": [np.mean(d["samples"]) for d in docs]})
shown = {row["figure"]: row for row in json.load(open("show.json"))["benchmarks"]}
if set(shown) != set(runs.columns):
    print("figures:", sorted(shown))
for figure in runs.columns:
    v = runs[figure].to_numpy()
    want = {"runs": len(v), "median": np.median(v), "q1": np.percentile(v, 25), "q3": np.percentile(v, 75), "min": v.min(), "max": v.max(), "mean": v.mean()}
    for key, value in want.items():
        if not np.isclose(shown[figure][key], value, rtol=1e-8):
            print(figure, key, shown[figure][key], value)
P
	"$CDICT" pull -q --job 2001 -o pulled || return
	"$python" - <<'P'
import json, pandas as pd
runs = pd.read_csv("pulled/benchmarks.csv")
for n in range(11):
    doc = json.load(open(f"doc{n}.json"))
    of = runs[runs.run == n + 1].set_index("figure")
    if abs(of.value["fio.iops"] - doc["fio"]["iops"]) > 1e-6 or of.text["version"] != doc["version"] or set(of.host) != {f"h{n % 3}"}:
        print("run", n + 1, of)
    if open(f"pulled/h{n % 3}-disk-{n + 1}.json").read() != open(f"doc{n}.json").read():
        print("run", n + 1, "is not as given")
P
}
verdict medians_and_quartiles_are_numpys "$(bench 2>&1)"

counts() {
	local host n
	cp "$BUILD/tests/tools/run/touchpages" "one-$$"
	cp "$BUILD/tests/tools/run/touchpages" "two-$$"
	for host in h0 h1 h1 h2; do
		"$CDICT" push -q --job 2001 --host $host -e page-faults,minor-faults:u -- sh -c "./one-$$ 500; ./two-$$ 300" || return
	done
	"$CDICT" push -q --job 2001 --host h2 -e task-clock -- "./one-$$" 100 || return
	"$CDICT" job show 2001 --json >show.json
	"$CDICT" tasks --job 2001 --json >tasks.json
	"$CDICT" pull -q --job 2001 -o pulled
	"$CDICT" report -q --job 2001 -o page.html || return
	"$python" - <<'P'
import json, sys, re, base64, zlib
import pandas as pd
each = pd.read_csv("pulled/counts.csv")
show, tasks = json.load(open("show.json")), json.load(open("tasks.json"))
for key, by in (("counts", "program"), ("counts_hosts", "host")):
    want = each.groupby([by, "event"]).value.sum().to_dict()
    for name, of in (("show", show), ("tasks", tasks)):
        got = {(row[by], row["event"]): row["value"] for row in of[key]}
        if got != want:
            print(name, key, got, want)
one = each[each.program.str.startswith("one")].groupby("event").value.sum()
if not 2000 <= one["page-faults"] <= 3000 or set(each[each.event == "task-clock"].host) != {"h2"}:
    print(each)
P
	"$CDICT" top --job 2001 --seconds 1 | grep -q "^one-$$  *[0-9,]*  *[0-9,]*  *[0-9,]*" || "$CDICT" top --job 2001 --seconds 1
	# the page's tables are the same
	"$python" "$TOP/tests/fleet/_lib/page.py" page.html print "[head['tables'][0]['bars'], head['tables'][2]['bars'], rows['counts']['columns'], rows['counts']['by_column'], rows['benchmarks']['columns'][3:6], rows['benchmarks']['by_column'][3:6]]" >page.txt || return
	"$python" - <<'P'
import ast, json
bars, box, columns, cells, keys, quartiles = ast.literal_eval(open("page.txt").read())
show = json.load(open("show.json"))
got = {(cells[0][i], columns[c]): cells[c][i] for c in range(1, len(columns)) for i in range(len(cells[0])) if cells[c][i] is not None and columns[c] != "lossy"}
if (bars, box) != ("columns", "quartiles") or got != {(r["program"], r["event"]): r["value"] for r in show["counts"]}:
    print(bars, box, got, show["counts"])
if keys != ["median", "q1", "q3"] or any(abs(quartiles[k][i] - row[key]) > 1e-6 * abs(row[key]) for i, row in enumerate(show["benchmarks"]) for k, key in enumerate(keys)):
    print(keys, quartiles)
P
	# for people, a column per event; a host that did not count one has no 0
	"$CDICT" job show 2001 | grep -q '^host  *page-faults  *minor-faults:u  *task-clock' || "$CDICT" job show 2001
	"$CDICT" job show 2001 | grep -q '^h0 .* -$' || "$CDICT" job show 2001
}
if "$CDICT" push -q --job 2001 --host h0 -e page-faults -- true 2>err; then
	verdict counts_are_summed_as_by_pandas "$(counts 2>&1)"
else
	skip counts_are_summed_as_by_pandas "cannot count events: $(cat err)"
fi
