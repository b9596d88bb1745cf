# SPDX-License-Identifier: GPL-2.0-only
"""The planted causes of tests/data/guest-pair, in the output of the commands.

Times of what was planted: when the tasks that did it were on a CPU, by the sched_switch of each recording, which
are moved to the host's clock by the offsets below. cdict's clock is not used for that.
"""
import json
import re
import subprocess
import sys

cdict, pair, both = sys.argv[1:4]
# The host's minus the guest's time, by both TSC conversions and KVM's TSC offset (planted.txt).
with open(f"{pair}/planted.txt") as f:
    OFFSET_NS = dict((m[1], int(m[2])) for m in re.finditer(r"^offset (\S+) (\d+)$", f.read(), re.M))
OFFSET_NS["host"] = 0


def run(*args):
    return subprocess.run([cdict, *args], check=True, capture_output=True, text=True)


def slices(which):
    """(comm, cpu, from_ns, to_ns, pid) on the host's clock."""
    current, found = {}, []
    for line in run("script", f"{pair}/{which}.cdict").stdout.splitlines():
        m = re.match(r"\s*\d+ \[(\d+)\]\s+(\d+)\.(\d{9}):\s+sched:sched_switch: .*==> next_comm=(.*) next_pid=(\d+) ", line)
        if not m:
            continue
        cpu, t_ns = int(m[1]), int(m[2]) * 10**9 + int(m[3]) + OFFSET_NS[which]
        if cpu in current:
            comm, since, pid = current[cpu]
            found.append((comm, cpu, since, t_ns, pid))
        current[cpu] = (m[4], t_ns, int(m[5]))
    return found


HOST, WEB, DB = (slices(w) for w in ("host", "instance-0000001b", "instance-0000001c"))
HOST_END = max(s[3] for s in HOST)


def planted(all_slices, comm):
    """First and last time on a CPU while the host recorded, and all times on it; also before it was called @comm."""
    pid = next(s[4] for s in all_slices if s[0] == comm)
    mine = [(s[2], min(s[3], HOST_END)) for s in all_slices if s[4] == pid and s[2] < HOST_END]
    return min(m[0] for m in mine), max(m[1] for m in mine), mine


def length(spans):
    return sum(s[1] - s[0] for s in spans)


def common(a, b):
    return sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x in a for y in b)


def inside(window):
    text = run("vm", "instance-0000001b", both, "--inside", "--json", "--time",
               ",".join("%d.%09d" % divmod(t, 10**9) for t in window)).stdout
    return json.loads(text)


def test(name, *wrong):
    wrong = [w for w in wrong if w]
    print(("not ok " if wrong else "ok ") + name)
    for w in wrong:
        print(w)


def task(found, comm):
    return next(t for t in found["guest_tasks"] if t["comm"] == comm)


def shares(found, comm, kind):
    return {s["behind"]: s["time_ns"] for s in found["guest_shares"]
            if s["kind"] == kind and s["name"].startswith(comm)}


def named(behind, comm, vm=None):
    return re.fullmatch(comm + r"(-\d+)?" + (f" in {vm}" if vm else ""), behind or "") is not None


# The clock: within its stated error, which is some us.
err = open("join.err").read()
stated = [float(x) * 1000 for x in re.findall(r"within ([0-9.]+) us", err)]
test("both_guests_are_found_by_UUID_on_the_TSC",
     err.count("found by its UUID") != 2 and err, err.count("clock: tsc") != 2 and err,
     (len(stated) != 2 or max(stated) > 20000) and err)
ERROR_NS = max(stated, default=0)

# hosthog on the host's CPU 1, on which only 1b.vcpu0 is pinned: it takes that CPU from the guest's tasks on CPU 0.
begin, end, ran = planted(HOST, "hosthog")
found = inside((begin, end))
web = task(found, "web")
by = shares(found, "web", "host")
hog = next((ns for who, ns in by.items() if named(who, "hosthog")), 0)
test("web_waits_behind_hosthog_on_the_host",
     not named(web["behind"], "hosthog") and f"web waited behind {web['behind']}",
     not length(ran) * 0.5 <= hog <= length(ran) + ERROR_NS and f"{hog} ns behind hosthog, which ran for {length(ran)} ns",
     not begin - ERROR_NS <= web["worst_at_ns"] <= end + ERROR_NS and f"worst at {web['worst_at_ns']}, not in {begin} to {end}")
outside = [w for w in ((begin - (end - begin), begin), (end, 2 * end - begin))
           if any(named(who, "hosthog") for who in shares(inside(w), "web", "host"))]
test("hosthog_delays_nothing_before_and_after_it_ran", outside and f"{outside}")

# storm: CPUID in a loop; each is an exit that the guest's task sees as stolen time.
begin, end, ran = planted(WEB, "storm")
found = inside((begin, end))
cpuid = {s["name"]: s["stolen_ns"] for s in found["guest_shares"] if s["kind"] == "exit" and s["behind"] == "cpuid"}
test("exits_for_cpuid_hold_up_storm",
     not named(max(cpuid, key=cpuid.get, default=""), "storm") and f"{cpuid}",
     not 0 < max(cpuid.values(), default=0) < length(ran) and f"{cpuid} of {length(ran)} ns")

by = shares(found, "db", "own")
storm = next((ns for who, ns in by.items() if named(who, "storm")), 0)
test("db_waits_behind_storm_in_the_guest",
     not 10 * 10**6 <= storm <= length(ran) + ERROR_NS and f"{by}, storm ran for {length(ran)} ns")

# postgres in the other guest: its vCPU is pinned to the host's CPU 2, as 1b.vcpu1 is, on which db runs.
begin, end, ran = planted(DB, "postgres")
found = inside((begin, end))
by = shares(found, "db", "guest")
pg = next((ns for who, ns in by.items() if named(who, "postgres", "instance-0000001c")), 0)
had_cpu = [(s[2], s[3]) for s in HOST if s[1] == 2 and s[4] == 4661]
most = common(ran, had_cpu)  # postgres ran while its vCPU had the host's CPU
test("db_waits_behind_postgres_in_the_other_guest",
     not most * 0.5 <= pg <= most + (len(ran) + len(had_cpu)) * ERROR_NS and f"{pg} of {most} ns: {by}",
     not any(named(who, "postgres", "instance-0000001c") for who in sorted(by, key=by.get)[-2:]) and f"{by}")

# Whatever the window, a task's states add up to it.
bad = []
states = ("run", "stolen", "busy", "away", "sleep", "block", "unknown", "absent")
for window in [(begin, end), (begin - 987654321, end - 1234567), (begin - 2 * 10**9, begin)]:
    for t in inside(window)["guest_tasks"]:
        if sum(t[s + "_ns"] for s in states) != window[1] - window[0]:
            bad.append((window, t["name"]))
test("states_of_guest_tasks_add_up_to_the_window", bad and f"{bad}")

# Steal time as the guests' kernels counted it: at least the waits that the host shows, at most these and the time that it does not show;
# in ticks of 10 ms, from a little before the first event on.
rows = {(r["vm"], r["guest_cpu"]): r for vm in ("instance-0000001b", "instance-0000001c")
        for r in json.loads(subprocess.run([cdict, "vm", vm, both, "--inside", "--json", "-q"], capture_output=True).stdout)["guest_steal"]}
kernel = {("instance-0000001b", 0): 2440000000, ("instance-0000001b", 1): 7180000000, ("instance-0000001c", 0): 7510000000}
test("steal_time_by_the_guests_kernels_is_beside_the_vCPUs_waits",
     {k: r["steal_kernel_ns"] for k, r in rows.items()} != kernel and f"{rows}",
     [r for r in rows.values() if not 0 < r["vcpu_wait_ns"] <= r["steal_kernel_ns"] + 10**7] or False,
     [r for r in rows.values() if r["steal_kernel_ns"] > r["vcpu_wait_ns"] + r["vcpu_unknown_ns"] + 10**8] or False)
