#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
#
# One meaning of "waited": thread_state in SQL, tasks, vcpu, vm and the matrix of VMs (vcpu --by vm) have the same time, and the same
# longest wait, for each task and VM, whole and in two windows. The tasks of --vm are those of the VM's row of tasks --by group.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
if ! "$CDICT" query "SELECT 1" "$DATA/kvm-small.data" >out 2>err && grep -q 'not installed' err; then
	skip the_same_waits_everywhere "SQLite is not installed"
	exit 0
fi

cat >model.py <<'END_OF_MODEL'
import json, random, subprocess, sys
cdict, file = sys.argv[1:3]
def run(*args): return subprocess.run([cdict, *args, "-q", "--max-loss", "100"], capture_output=True, text=True, errors="replace").stdout
def table(name, *args): return json.loads(run(name, "--json", *args, file) or "{}")
SQL = """SELECT utid, tid, coalesce(sum(dur) FILTER (WHERE state = 'Running'), 0) AS ran, coalesce(sum(dur) FILTER (WHERE state GLOB 'R' OR state GLOB 'R+'), 0) AS waited
	FROM thread_state JOIN thread USING (utid) WHERE utid GROUP BY utid"""
LONGEST = """SELECT utid, tid, ts, ts_end FROM thread_state JOIN thread USING (utid) WHERE utid AND (state GLOB 'R' OR state GLOB 'R+') ORDER BY utid, ts"""
wrong, compared, vms = [], 0, 0
def check(window):
	global compared, vms
	def says(ok, *text):
		if not ok: wrong.append(" ".join(map(str, (window, *text))))
	tasks = [t for t in table("tasks", *window)["tasks"] if t["tid"]]
	sql = {}
	for r in json.loads(run("query", SQL, file, "--json", *window))["query"][0]["rows"]:
		a, b = sql.get(r["tid"], (0, 0)); sql[r["tid"]] = (a + r["ran"], b + r["waited"])
	mine = {}
	for t in tasks:
		a, b = mine.get(t["tid"], (0, 0)); mine[t["tid"]] = (a + (t["run_ns"] or 0), b + (t["delayed_ns"] or 0))
	for tid in sql.keys() | mine.keys():
		compared += 1
		says(sql.get(tid, (0, 0)) == mine.get(tid, (0, 0)), f"tid {tid}: thread_state has run, waited {sql.get(tid)}, tasks {mine.get(tid)}")
	# the longest: rows of thread_state that touch are one wait
	most, last = {}, None
	for r in json.loads(run("query", LONGEST, file, "--json", *window))["query"][0]["rows"]:
		since = last[2] if last and last[:2] == (r["utid"], r["ts"]) else r["ts"]
		last = (r["utid"], r["ts_end"], since)
		most[r["tid"]] = max(most.get(r["tid"], 0), r["ts_end"] - since)
	longest = {}
	for t in tasks:
		longest[t["tid"]] = max(longest.get(t["tid"], (0, 0)), (t["worst_ns"] or 0, t["worst_at_ns"] or 0))
	for tid in most.keys() | longest.keys():
		says(most.get(tid, 0) == longest.get(tid, (0,))[0], f"tid {tid}: the longest wait of thread_state is {most.get(tid)}, of tasks {longest.get(tid)}")
	vcpus = [v for v in table("vcpu", *window)["vcpu"] if v["delayed_ns"] is not None]
	for v in vcpus:
		says(v["delayed_ns"] == mine.get(v["tid"], (0, 0))[1], f"tid {v['tid']}: vcpu has delayed {v['delayed_ns']} unknown {v['unknown_ns']} lossy {v['lossy']}, tasks {mine.get(v['tid'])}")
		says((v["worst_ns"] or 0, v["worst_at_ns"] or 0) == longest.get(v["tid"], (0, 0)), f"tid {v['tid']}: the longest wait of vcpu is {v['worst_ns']} at {v['worst_at_ns']}, of tasks {longest.get(v['tid'])}")
	delays = table("vcpu", "--by", "vm", *window)["delays"]
	groups = {}
	for g in table("tasks", "--by", "group", *window)["tasks"]:
		if g["kind"] == "vm": groups.setdefault(g["group"], []).append((g["tasks"], g["delayed_ns"] or 0))
	for vm in sorted({v["vm"] or v["name"] for v in vcpus}):
		vms += 1
		sum_ns = sum(v["delayed_ns"] or 0 for v in vcpus if (v["vm"] or v["name"]) == vm)
		rows = [d for d in delays if d["vm"] == vm]
		says(sum(d["behind_ns"] for d in rows) == sum_ns and all(d["vm_delayed_ns"] == sum_ns for d in rows), f"VM {vm}: vCPUs {sum_ns}, matrix {[d['behind_ns'] for d in rows]}")
		most_ns = max((v["worst_ns"] or 0 for v in vcpus if (v["vm"] or v["name"]) == vm), default=0)
		says(all((d["worst_held_ns"] or 0) <= (d["worst_ns"] or 0) <= most_ns for d in rows), f"VM {vm}: longest wait of a vCPU {most_ns}, matrix {[(d['worst_held_ns'], d['worst_ns']) for d in rows]}")
		if any(v["vm"] == vm for v in vcpus):
			chosen = [t for t in table("tasks", "--vm", vm, *window)["tasks"] if not t["idle"]]
			says([(len(chosen), sum(t["delayed_ns"] or 0 for t in chosen))] == groups.get(vm), f"VM {vm}: tasks --vm has {[t['name'] for t in chosen]}, --by group {groups.get(vm)}")
		story = table("vm", vm, *window) if any(v["vm"] == vm for v in vcpus) else None
		if story is None: continue
		says(story, f"VM {vm}: cdict vm prints nothing")
		if not story: continue
		says(sum(p["time_ns"] for p in story["parts"] if p["part"] == "waited") == sum_ns, f"VM {vm}: vm has waited {[p for p in story['parts'] if p['part'] == 'waited']}, vCPUs {sum_ns}")
		for t in story["threads"]:
			says((t["run_ns"] or 0, t["delayed_ns"] or 0) == mine.get(t["tid"]), f"{t['name']}: vm has {t['run_ns']}, {t['delayed_ns']}, tasks {mine.get(t['tid'])}")
			says((t["worst_ns"] or 0, t["worst_at_ns"] or 0) == longest.get(t["tid"], (0, 0)), f"{t['name']}: the longest wait of vm is {t['worst_ns']} at {t['worst_at_ns']}, of tasks {longest.get(t['tid'])}")
random.seed(5)
check(())
for _ in range(2):
	a = random.random() * 80
	check(("--time", f"{a:.3f}%-{a + 5 + random.random() * 15:.3f}%"))
print(compared, vms, file=sys.stderr)
print("\n".join(wrong[:10]))
END_OF_MODEL

# check NAME FILE
check() {
	"$CDICT" convert -q -i "$2" -o "$1.cdict" </dev/null 2>err
	wrong=$(python3 model.py "$CDICT" "$1.cdict" 2>seen)
	verdict "$1_has_the_same_waits_everywhere" "$wrong$(grep -qE '^[1-9][0-9]* [0-9]+$' seen || cat seen err)"
}

for data in $(real_captures); do
	is_large "$data" || check "$(basename "$data" .data)" "$data"
done
for trace in loss loss-at-an-instant story shared-cpu waking-alone no-wakeups some-tasks-loss siblings hotplug tid-reuse ties woken-on-cpu; do
	"$MKPERF" -o $trace.data "$DATA/$trace.trace" && check $trace $trace.data
done
