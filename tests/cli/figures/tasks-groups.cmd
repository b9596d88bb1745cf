# needs: python3
# groups and roles are the tasks added up; percentiles are of all waits together
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
for by in task group role; do $CDICT tasks x.cdict --by $by --format json >$by.json; done
$CDICT tasks x.cdict --by group | cut -c 1-80
$CDICT tasks x.cdict --by role -C 0-1 --format csv | cut -d, -f 1-5
$CDICT tasks x.cdict --by role --per-cpu
echo status $?
python3 - <<'END'
import json
task, group, role = (json.load(open(f"{by}.json"))["tasks"] for by in ("task", "group", "role"))
busy = [r for r in task if not r["idle"]]
for key in ("run_ns", "switches", "voluntary", "wakeups", "migrations"):
    print(key, sum(r[key] for r in busy) == sum(r[key] for r in group if r["kind"] != "idle") == sum(r[key] for r in role if r["kind"] != "idle"))
print("tasks", len(task) == sum(r["tasks"] for r in group) == sum(r["tasks"] for r in role))
print("idle", sum(r["run_ns"] for r in task if r["idle"]) == [r["run_ns"] for r in group if r["kind"] == "idle"][0])
for g in group:
    of = [r for r in role if r["group"] == g["group"]]
    most = [r["latency_max_ns"] or 0 for r in of]
    if sum(r["run_ns"] for r in of) != g["run_ns"] or max(most) != (g["latency_max_ns"] or 0) or (g["latency_p99_ns"] or 0) > max(most):
        print("wrong", g)
vcpus = {r["vm"]: 0 for r in busy if r["vcpu"] is not None}
for r in busy:
    if r["vcpu"] is not None:
        vcpus[r["vm"]] += r["run_ns"]
print("vcpus", vcpus == {r["group"]: r["run_ns"] for r in role if r["role"] == "vcpu"})
END
