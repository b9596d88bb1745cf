#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# cdict vm --critical: the path tiles the window to the ns, its sums are those of its rows, and every row is that of a model which reads
# the printed events alone and follows the path from the window's end.
set -u
. "$TOP/tests/oracle/_lib.sh"

cat >model.py <<'END_OF_MODEL'
import json, re, subprocess, sys

cdict, file, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
def run(*args): return subprocess.run([cdict, *args, file, "-q", "--max-loss", "100"], capture_output=True, text=True, errors="replace").stdout
def ns(text): s, f = text.split("."); return int(s) * 10**9 + int(f.ljust(9, "0"))

line = re.compile(r"\s*(\d+)\s+\[(\d+)\]\s+(\d+\.\d+):\s+(sched:\w+): (.*)")
events = []
for l in run("script", "-e", "sched:*").splitlines():
    m = line.match(l)
    if m: events.append((ns(m[3]), int(m[2]), m[4], m[5]))

def history(end):
    """Each task's switch-ins up to @end: (time, when it left, whether runnable, wake-up, waker, the waker's switch-ins then), and its time off since."""
    on, ins, off = {}, {}, {}
    for t, cpu, name, rest in events:
        if t > end: break
        if name == "sched:sched_switch":
            prev, nxt = int(re.search(r"prev_pid=(\d+)", rest)[1]), int(re.search(r"next_pid=(\d+)", rest)[1])
            off[prev] = [t, re.search(r"prev_state=(\S+)", rest)[1].startswith("R"), None, 0, 0]
            on[cpu] = nxt
            ins.setdefault(nxt, []).append((t, off.pop(nxt, None), cpu))
        elif name in ("sched:sched_waking", "sched:sched_wakeup_new"):
            tid = int(re.search(r" pid=(\d+)", " " + rest)[1])
            if tid in on.values() or (tid in off and (off[tid][1] or off[tid][2])): continue
            by = on.get(cpu)
            away = off.setdefault(tid, [None, False, None, 0, 0])
            away[2:] = [t, by or 0, len(ins.get(by, []))]
    return ins, off

# Printed events do not show whether an interrupt woke a task on a busy CPU: @blocked has the printed (task, end) of blocked time.
def path(tid, lo, end, blocked):
    ins, off = history(end)
    out = []
    def add(task, state, a, b, depth):
        if b > a: out.append((a, b - a, depth, task, state))
    def before(task, away, lo, t, depth):
        gone, runnable, ready, by, number = away
        if runnable:
            add(task, "preempted", max(gone, lo), t, depth)
            return max(gone, lo)
        if ready:
            add(task, "waiting", max(ready, lo), t, depth)
            t = max(ready, lo)
        low = lo if gone is None else max(gone, lo)
        if ready and by and number and (task, t) not in blocked: follow(by, number, low, t, depth + 1)
        else: add(task, "unknown" if gone is None else "blocked", low, t, depth)
        return low
    def follow(task, number, lo, t, depth):
        while t > lo:
            if not number:
                add(task, "unknown", lo, t, depth)
                return
            at, away, _ = ins[task][number - 1]
            add(task, "running", max(at, lo), t, depth)
            t = max(at, lo)
            if t <= lo: return
            t = before(task, away or [None, False, None, 0, 0], lo, t, depth)
            number -= 1
    t = end
    if tid in off: t = before(tid, off[tid], lo, t, 0)
    follow(tid, len(ins.get(tid, [])), lo, t, 0)
    return sorted(out)

wrong, rows, deep = [], 0, 0
vms = [v for v in json.loads(run("vcpu", "--json"))["vcpu"]]
window = json.loads(run("info", "--json"))["window_ns"] if "window_ns" in run("info", "--json") else json.loads(run("vcpu", "--json"))["window_ns"]
first, last = window["from"], window["to"]
tids = []
for vm in sorted({v["vm"] for v in vms}):
    threads = json.loads(run("vm", vm, "--json"))["threads"]
    tids += [(vm, t["tid"]) for t in threads[:3]]
for vm, tid in tids[:most]:
    a, b = first + (last - first) * 6 // 10, first + (last - first) * 7 // 10
    text = lambda t: f"{t // 10**9}.{t % 10**9:09d}"
    got = json.loads(run("vm", vm, "--critical", str(tid), "--json", "--time", f"{text(a)},{text(b)}"))
    have = [(r["from_ns"], r["time_ns"], r["depth"], r["tid"], r["state"]) for r in got["critical"]]
    a, b = got["window_ns"]["from"], got["window_ns"]["to"]
    blocked = {(r[3], r[0] + r[1]) for r in have if r[4] == "blocked"}
    want = path(tid, a, b, blocked)
    deep += sum(r[2] > 0 for r in want)
    rows += len(want)
    sums = {}
    for at, time, _, task, state in have: sums[task, state] = sums.get((task, state), 0) + time
    if sum(sums.values()) != b - a: wrong.append(f"{tid}: the path has {sum(sums.values())} of {b - a} ns")
    if sums != {(r["tid"], r["state"]): r["time_ns"] for r in got["critical_sums"]}: wrong.append(f"{tid}: sums {got['critical_sums']}")
    for x, y in zip(have, want):
        if x != y:
            wrong.append(f"{tid}: {x}, by the events {y}")
            break
    if len(have) != len(want): wrong.append(f"{tid}: {len(have)} rows, by the events {len(want)}")
print(len(tids), rows, deep, file=sys.stderr)
print("\n".join(wrong[:10]))
END_OF_MODEL

for data in "$DATA/kvm-small.data" ${SHARED:+"$SHARED/captures/kvm/kvm-libvirt.data"}; do
	name=$(basename "$data" .data)
	"$CDICT" convert -q -i "$data" -o "$name.cdict" </dev/null
	wrong=$(python3 model.py "$CDICT" "$name.cdict" 4 2>seen)
	verdict "critical-paths-of-$name-are-those-of-the-events" "$wrong$(grep -E '^[1-9][0-9]* [1-9][0-9]+ [1-9]' seen >/dev/null || cat seen)"
done
