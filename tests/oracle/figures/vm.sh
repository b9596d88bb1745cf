#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# cdict vm: the parts add up to the time of the VM's vCPUs and agree with vcpu and tasks, whole and in windows; each link of the
# chains is that of a model which reads the printed events alone. vhost's wait of 165 ms in kvm-libvirt is found with its waker.
set -u
. "$TOP/tests/oracle/_lib.sh"

cat >model.py <<'END_OF_MODEL'
import json, random, re, subprocess, sys

cdict, file = sys.argv[1:]
def run(*args): return subprocess.run([cdict, *args, file, "-q", "--max-loss", "100"], capture_output=True, text=True, errors="replace").stdout
def ns(text): s, f = text.split("."); return int(s) * 10**9 + int(f.ljust(9, "0"))

# The printed events: time, CPU, sample's tid, name, fields.
line = re.compile(r"\s*(\d+)\s+\[(\d+)\]\s+(\d+\.\d+):\s+(sched:\w+): (.*)")
scope = json.loads(run("info", "--json"))["capture"]["scope"] or ""
begins = int((re.search(r"begins=(\d+)", scope) or [0, 0])[1])  # waits that began before all CPUs were recorded are unknown
on, woken, since, wait_ns, waker_of, begun, waits = {}, {}, {}, {}, {}, {}, {}
idle_since, idle, last = {}, {}, 0  # by CPU: the intervals in which it was idle
wakes = {}  # (tid, time) -> (CPU, running tid, the waker's wake-up, its wait since then)
events = run("script", "-e", "sched:*")
for l in events.splitlines():
    m = line.match(l)
    if not m: continue
    cpu, t, name, rest = int(m[2]), ns(m[3]), m[4], m[5]
    if name == "sched:sched_switch":
        prev, nxt = int(re.search(r"prev_pid=(\d+)", rest)[1]), int(re.search(r"next_pid=(\d+)", rest)[1])
        state = re.search(r"prev_state=(\S+)", rest)[1]
        on[cpu] = nxt
        if prev == 0: idle.setdefault(cpu, []).append((idle_since.get(cpu, 0), t))
        if nxt == 0: idle_since[cpu] = t
        last = t
        since.pop(prev, None)
        if state.startswith("R"): since[prev] = t
        else: woken.pop(prev, None)
        if nxt in since:
            if since[nxt] >= begins: waits.setdefault(nxt, []).append((since[nxt], t, cpu))
            wait_ns[nxt] = wait_ns.get(nxt, 0) + t - since.pop(nxt)
    elif name in ("sched:sched_waking", "sched:sched_wakeup_new"):
        tid = int(re.search(r" pid=(\d+)", " " + rest)[1])
        if tid in since or tid in on.values(): continue
        by = on.get(cpu)
        wakes[tid, t] = (cpu, by, woken.get(by), wait_ns.get(by, 0))
        woken[tid], since[tid], wait_ns[tid] = t, t, 0

wrong, links, longest, advice = [], 0, 0, 0
antagonists = json.loads(run("vcpu", "--by", "antagonist", "--json"))["antagonists"]
def check(vm, window, vcpus, tasks):
    global links, longest
    story = json.loads(run("vm", vm, "--json", *window))
    mine = [v for v in vcpus if v["vm"] == vm]
    life = sum(sum(v[k] or 0 for k in ("guest_ns", "exit_ns", "qemu_ns", "preempted_ns", "waiting_ns", "halted_ns", "blocked_ns", "unknown_ns"))
               - (v["absent_ns"] or 0) for v in mine)
    parts = {}
    for p in story["parts"]: parts[p["part"]] = parts.get(p["part"], 0) + p["time_ns"]
    want = {"guest": "guest_ns", "exit": "exit_ns", "VMM": "qemu_ns", "waited": "delayed_ns", "blocked": "blocked_ns"}
    for part, key in want.items():
        if parts.get(part, 0) != sum(v[key] or 0 for v in mine): wrong.append(f"{vm} {window} {part}: {parts.get(part)}")
    if sum(parts.values()) != life or story["total"]["time_ns"] != life:
        wrong.append(f"{vm} {window}: parts {sum(parts.values())}, total {story['total']}, vCPUs {life}")
    of_tid = {(t["tid"], t["pid"]): t for t in tasks}
    for t in story["threads"]:
        other = of_tid.get((t["tid"], t["pid"]))
        if not other or any(t[k] != other[k] for k in ("run_ns", "delayed_ns", "delays", "worst_ns")): wrong.append(f"{vm} {window} {t} {other}")
    if window: return
    global end_ns
    end_ns = story["window_ns"]["to"]
    next_step(vm, mine, run("vm", vm).replace("\n", " "))
    chain = []
    for l in story["chains"] + [{"chain": -1}]:
        if chain and l["chain"] != chain[0]["chain"]:
            follow(vm, chain)
            chain = []
        chain.append(l)

# The sentences on what to do: of the waits of the vCPUs, behind each other, and with another CPU idle.
def next_step(vm, mine, text):
    global advice
    tids = {v["tid"] for v in mine}
    delayed = sum(v["delayed_ns"] or 0 for v in mine)
    shared = sum(a["behind_ns"] for a in antagonists if a["tid"] in tids and a["antagonist_tid"] in tids)
    found = re.search(r"The VM's (\d+) vCPUs share (a CPU|CPU \d+) for (\d+) % of their waiting", text)
    share = 100 * shared / delayed if delayed else 0
    if bool(found) != (share >= 20 and len(tids) <= len(on)) or found and (int(found[1]) != len(tids) or abs(int(found[3]) - share) > 0.51):
        wrong.append(f"{vm}: {share:.2f} % shared, {len(tids)} vCPUs; printed {found and found[0]}")
    def overlap(cpu):
        spans = idle.get(cpu, []) + ([(idle_since[cpu], last)] if on.get(cpu) == 0 else [])
        return sum(max(0, min(b, to) - max(a, since)) for a, b in spans for tid in tids for since, to, _ in waits.get(tid, []))
    all_ns = sum(to - since for tid in tids for since, to, _ in waits.get(tid, []))
    found = re.search(r"Host CPU (\d+) was idle for (\d+) % of", text)
    if found and abs(int(found[2]) - 100 * overlap(int(found[1])) / all_ns) > 1:
        wrong.append(f"{vm}: CPU {found[1]} was idle for {overlap(int(found[1]))} of {all_ns}; printed {found[0]}")
    waking = sum(a["behind_ns"] for a in antagonists if a["tid"] in tids and a["antagonist_tid"] == 0)
    most = max([overlap(cpu) for cpu in on], default=0)
    if not found and all_ns and most > 0.52 * all_ns and waking < 0.19 * delayed: wrong.append(f"{vm}: a CPU was idle for {most} of {all_ns}, not printed")
    advice += bool(found) + (share >= 20)

def follow(vm, chain):
    global links, longest
    first = chain[0]
    open_wait = [(since[first["tid"]], end_ns)] if since.get(first["tid"], 0) >= max(begins, 1) else [] # at the window's end
    wait = max(waits.get(first["tid"], []) + open_wait + [(0, 0)], key=lambda w: w[1] - w[0])
    if wait[1] - wait[0] != first["waited_ns"] or wait[0] != first["ready_ns"]: wrong.append(f"{vm}: the longest wait is {wait}, printed {first}")
    longest = max(longest, first["waited_ns"])
    for l, nxt in zip(chain, chain[1:] + [None]):
        links += 1
        wake = wakes.get((l["tid"], l["ready_ns"]))
        if not wake:
            if not l["by"].startswith("preempted by ") or l is not first: wrong.append(f"{vm}: no wake-up of {l}")
            continue
        cpu, by, before, waited = wake
        if l["waker_cpu"] != cpu: wrong.append(f"{vm}: woken on CPU {cpu}, printed {l}")
        if nxt:
            if nxt["tid"] != by or nxt["ready_ns"] != before or nxt["waited_ns"] != waited or nxt["ran_ns"] != l["ready_ns"] - before - waited:
                wrong.append(f"{vm}: {l} was woken by {by}, woken at {before}, which waited {waited}; printed {nxt}")
        elif by == 0 and l["by"] != f"an interrupt on CPU {cpu}": wrong.append(f"{vm}: CPU {cpu} was idle: {l}")
        elif by != 0 and not re.match(r"an interrupt on CPU|.*, which was not woken before$|the chain is longer$|an unknown task|unknown: ", l["by"]):
            wrong.append(f"{vm}: the chain ends at {l}, woken by {by}")

vcpus, tasks = json.loads(run("vcpu", "--json"))["vcpu"], json.loads(run("tasks", "--json"))["tasks"]
names = sorted({v["vm"] for v in vcpus if v["vm"]})
for vm in names: check(vm, (), vcpus, tasks)
random.seed(7)
for _ in range(4):
    a = random.random() * 90
    window = ("--time", f"{a:.3f}%-{a + random.random() * 10:.3f}%")
    vcpus, tasks = json.loads(run("vcpu", "--json", *window))["vcpu"], json.loads(run("tasks", "--json", *window))["tasks"]
    for vm in names: check(vm, window, vcpus, tasks)
if not names: wrong.append("no VM")
if not advice: wrong.append("no next step")
print(len(names), len(wakes), links, longest, file=sys.stderr)
print("\n".join(wrong[:10]))
END_OF_MODEL

for data in "$DATA/kvm-small.data" "$DATA/kvm-libvirt-cgroups.data" ${SHARED:+"$SHARED/captures/kvm/kvm-libvirt.data"}; do
	name=$(basename "$data" .data)
	"$CDICT" convert -q -i "$data" -o "$name.cdict" </dev/null
	wrong=$(python3 model.py "$CDICT" "$name.cdict" 2>seen)
	verdict "$name-adds-up-and-its-chains-are-those-of-the-events" "$wrong$(grep -E '^[1-9][0-9]* [0-9]+ [1-9][0-9]* [1-9]' seen >/dev/null || cat seen)"
done
[ -e kvm-libvirt.cdict ] || { skip the-wait-of-165-ms 'no shared captures'; exit; }
"$CDICT" vm 1841 kvm-libvirt.cdict >out
verdict the-wait-of-165-ms "$(grep -q '^vhost-1841-1847 waited 822 ms for a CPU, at most 165 ms at 925.438842 s, longest behind CPU 0/KVM-1895.$' out || head -n 3 out)"
"$CDICT" vcpu kvm-libvirt.cdict >out
verdict the-findings-name-it "$(grep -q '^vhost-1841-1847 waited 822 ms of 8.17 s for a CPU, 188 times; worst 165 ms at 925.438842 s on CPU 3.$' out || head -n 12 out)"
