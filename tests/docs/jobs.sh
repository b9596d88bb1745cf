#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs the blocks of doc/jobs.md in order, and compares the tables of job show with what pandas computes from the pulled files, and the runs with the
# documents of the clients.
# needs: jq
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
python=
for candidate in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$candidate" -c 'import numpy, pandas' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || {
	skip each_block_of_the_page_of_jobs_runs 'pandas is not installed'
	exit
}
mkdir bin && ln -s "$CDICT" bin/cdict && printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$python")" >bin/python3 && chmod +x bin/python3
export PATH=$PWD/bin:$PATH
CDICT_STORE=$PWD/try cdict job create 2001 || exit
if ! CDICT_STORE=$PWD/try cdict push -q --job 2001 -e page-faults -- true 2>err; then
	skip each_block_of_the_page_of_jobs_runs "cannot count events: $(cat err)"
	exit
fi
# the blocks, without the last, which removes the job; each failure ends the run
sed -n 's/^    //p; /^## 8/q' "$TOP/doc/jobs.md" >page.sh
timeout 120 bash -e page.sh >out 2>err
status=$?
verdict each_block_of_the_page_of_jobs_runs "$([ $status -eq 0 ] && [ -s job.html ] || {
	echo "status $status"
	tail -n 20 err
})"
[ $status -eq 0 ] || exit

export CDICT_STORE=$PWD/jobs
cdict job show 2001 --json >show.json
same() {
	python3 - <<'P'
import json
import numpy as np, pandas as pd
show = json.load(open("show.json"))
counts = pd.read_csv("pulled/counts.csv")
for key, by in (("counts", "program"), ("counts_hosts", "host")):
    got = {(row[by], row["event"]): row["value"] for row in show[key]}
    want = counts.groupby([by, "event"]).value.sum().to_dict()
    if got != want:
        print(key, got, want)
functions = pd.read_csv("pulled/functions.csv")
want = functions.groupby(["program", "event", "function", "in"])[["samples", "value"]].sum()
share = 100 * want.value / want.groupby("event").value.transform("sum")
got = {(r["program"], r["event"], r["function"], r["in"]): r for r in show["functions"]}
if set(got) != set(want.index) or not len(got):
    print("functions", sorted(got)[:5], want)
for key, row in got.items():
    if [row["samples"], row["value"]] != list(want.loc[key]) or not np.isclose(row["share"], share[key]):
        print(row, want.loc[key], share[key])
runs = pd.read_csv("pulled/benchmarks.csv", dtype={"text": str})
for row in show["benchmarks"]:
    v = runs[(runs.name == row["name"]) & (runs.figure == row["figure"])].value.to_numpy()
    q = np.percentile(v, [25, 50, 75])
    if row["runs"] != len(v) or not np.allclose([row["q1"], row["median"], row["q3"], row["mean"]], [*q, v.mean()]):
        print(row, v)
for run in show["runs"]:
    doc = json.load(open(f"pulled/{run['host']}-{run['name']}-{run['run']}.json"))
    of = runs[(runs.name == run["name"]) & (runs.run == run["run"])].set_index("figure")
    if abs(of.value["ms"] - float(doc["ms"])) > 1e-6 * abs(float(doc["ms"])):
        print(run, doc)
names = {(r["name"], r["run"]) for r in show["runs"]}
if names != {(f"sort-{t}", n) for t in (1, 2, 4) for n in (1, 2, 3)} | {("python-sort", n) for n in range(1, 6)}:
    print(sorted(names))
P
	jq -e '[.counts[].program] | index("sort") and index("uniq")' show.json >/dev/null || jq .counts show.json
	jq -e '[.clients[].host] | index("node1") and index("node2") and index("node3")' show.json >/dev/null || jq .clients show.json
}
verdict figures_of_the_job_are_those_of_pandas "$(same 2>&1)"
# each host's program at once has what perf stat counts for it alone
alone() {
	local host
	perf stat -x, -o perf.csv -e page-faults sort -n numbers -o sorted || return
	cdict job create 2002
	for host in 1 2 3 4 5 6 7 8; do
		cdict push -q --job 2002 --host "h$host" -e page-faults -- sort -n numbers -o "sorted$host" &
	done
	wait
	cdict pull --job 2002 --format json | jq -r '.figures[] | select(.name == "sort") | .value' | awk -v p="$(awk -F, '$3 == "page-faults" { print $1 }' perf.csv)" '
		{ n++; if (($1 - p) ^ 2 > (p / 50) ^ 2) print $1 ", perf alone " p }
		END { if (n != 8) print n " hosts" }'
}
if have_perf; then
	verdict eight_at_once_count_what_perf_counts_alone "$(alone 2>&1)"
else
	skip eight_at_once_count_what_perf_counts_alone 'perf is not installed'
fi
cdict job remove 2001
