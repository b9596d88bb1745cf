#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""_inside.py - computes where the time of guests' tasks went from the traces that mkguests.py wrote, by the definitions in
doc/figures.md ("Inside the guest"), and compares with cdict's JSON.

    _inside.py FOLDER FROM_NS-TO_NS=JSON...

FOLDER has host.trace, web.trace, db.trace and clocks; each JSON has the figures of that window of the host's time ("-": the
whole recording). Prints each difference.
"""
import json
import re
import sys
from collections import defaultdict
from fractions import Fraction

LINE = re.compile(r" *(\d+) \[(\d+)\] (\d+)\.(\d{9}): \w+:(\w+): ?(.*)")


def events(path):
    for line in open(path):
        m = LINE.match(line)
        if m:
            yield (int(m[3]) * 10**9 + int(m[4]), int(m[2]), int(m[1]), m[5],
                   dict(x.split("=", 1) for x in m[6].split() if "=" in x))


def cpu_runs(evs, end):
    """by CPU: [from, to, task]; the first switch shows who ran since the first event"""
    runs, begin, now = defaultdict(list), evs[0][0], {}
    for t, cpu, tid, name, f in evs:
        if name != "sched_switch":
            # a sample shows its task on the CPU since the walk's begin or the last switch
            now.setdefault(cpu, (begin, tid))
            continue
        since, task = now.get(cpu, (begin, int(f["prev_pid"])))
        runs[cpu].append((since, t, task))
        now[cpu] = (t, int(f["next_pid"]))
    for cpu, (since, task) in now.items():
        runs[cpu].append((since, end, task))
    return runs


def vcpu_states(evs, end, vcpus):
    """by vCPU: [from, to, state, CPU that it waits for or reason]"""
    out, now = defaultdict(list), {v: ("unknown", evs[0][0], None) for v in vcpus}
    mode = {v: ("unknown", None) for v in vcpus}  # on the CPU: what it does, and the last exit's reason

    def to(v, t, state, detail):
        was, since, its = now[v]
        if t > since:
            out[v].append((since, t, was, its))
        now[v] = (state, t, detail)

    def does(v, t, state, reason):
        to(v, t, state, reason)
        mode[v] = (state, reason)

    for t, cpu, tid, name, f in evs:
        if name == "kvm_entry":
            does(tid, t, "guest", mode[tid][1])
        elif name == "kvm_exit":
            does(tid, t, "exit", f["exit_reason"])
        elif name == "kvm_userspace_exit":
            does(tid, t, "qemu", mode[tid][1])
        elif name == "sched_waking":
            v = int(f["pid"])
            if v in now and now[v][0] in ("halted", "blocked"):
                to(v, t, "waiting", int(f["target_cpu"]))
        elif name == "sched_switch":
            p, n = int(f["prev_pid"]), int(f["next_pid"])
            if p in now:
                to(p, t, "preempted" if f["prev_state"] == "R" else
                   "halted" if mode[p] == ("exit", "HLT") else "blocked", cpu)
            if n in now:
                to(n, t, *mode[n])
    for v in vcpus:
        to(v, end, "end", None)
    return out


def task_pieces(evs, end, runs):
    """by task: [from, to, what, CPU]; what: run, wait, woken, sleep, block"""
    out, off = defaultdict(list), {}
    for cpu in runs:
        for a, b, task in runs[cpu]:
            if task:
                out[task].append((a, b, "run", cpu))
    for t, cpu, tid, name, f in evs:
        if name == "sched_waking":
            p = int(f["pid"])
            if p not in off:
                off[p] = [None, None, None]
            if off[p][0] != "R" and off[p][2] is None:
                off[p][2] = (t, int(f["target_cpu"]))
        elif name == "sched_switch":
            p, n = int(f["prev_pid"]), int(f["next_pid"])
            if n:
                state, since, woken = off.pop(n, [None, None, None])
                done(out[n], state, since, woken, t)
            if p:
                off[p] = [f["prev_state"], (t, cpu), None]
    for task, (state, since, woken) in off.items():
        done(out[task], state, since, woken, end)
    return out


def done(out, state, since, woken, t):
    if state == "R":
        out.append((since[0], t, "wait", since[1]))
        return
    if since:
        out.append((since[0], woken[0] if woken else t, "sleep" if state == "S" else "block", None))
    if woken:
        out.append((woken[0], t, "woken", woken[1]))


def clip(a, b, w):
    return max(0, min(b, w[1]) - max(a, w[0]))


def cut(pieces, a, b):
    """the pieces of [a, b], with gaps as None"""
    for p in pieces:
        if p[1] <= a or p[0] >= b:
            continue
        if p[0] > a:
            yield a, p[0], None
        yield max(a, p[0]), min(b, p[1]), p
        a = min(b, p[1])
    if a < b:
        yield a, b, None


def main():
    folder = sys.argv[1]
    host = sorted(events(folder + "/host.trace"), key=lambda e: (e[0], e[1]))
    first, end = host[0][0], host[-1][0]
    vcpus = {"web": [1001, 1002], "db": [2001]}
    pid = {"web": 1000, "db": 2000}
    hruns = cpu_runs(host, end)
    states = vcpu_states(host, end, [1001, 1002, 2001])
    clocks = {}
    for line in open(folder + "/clocks"):
        name, knots = line.split()
        (g0, h0), (g1, h1) = [map(int, k.split(":")) for k in knots.split(",")]
        clocks[name] = lambda g, g0=g0, h0=h0, r=Fraction(h1 - h0, g1 - g0): h0 + (g - g0) * r // 1
    guests = {}
    for name in vcpus:
        evs = sorted(events("%s/%s.trace" % (folder, name)), key=lambda e: (e[0], e[1]))
        last = evs[-1][0]
        m = clocks[name]
        runs = cpu_runs(evs, last)
        mapped = {c: [(m(a), m(b), t) for a, b, t in r] for c, r in runs.items()}
        pieces = {t: sorted((m(a), m(b), w, c) for a, b, w, c in p)
                  for t, p in task_pieces(evs, last, runs).items()}
        guests[name] = (mapped, pieces)
    names = {"web": {101: "nginx", 102: "php", 103: "cron", 104: "nginx", 105: "kworker"},
             "db": {101: "postgres", 102: "wal", 103: "vacuum"}}
    for arg in sys.argv[2:]:
        span, path = arg.split("=", 1)
        window = (first, end) if span == "-" else tuple(map(int, span.split("-")))
        check(json.load(open(path)), window, end, vcpus, pid, hruns, states, guests, names)


def check(doc, window, end, vcpus, pid, hruns, states, guests, names):
    wrong = 0
    got = {(r["vm"], r["tid"]): r for r in doc["guest_tasks"]}
    shares = defaultdict(int)
    for r in doc.get("guest_shares", []):
        shares[(r["vm"], r["tid"], r["kind"], r["behind"])] += r["time_ns"]
    want_shares, waited = defaultdict(int), {}

    def say(*what):
        nonlocal wrong
        wrong += 1
        if wrong < 20:
            print(window, *what)

    for name, (mapped, pieces) in guests.items():
        vm = str(pid[name])
        for task, list_ in pieces.items():
            sums, waits, latency, own = defaultdict(int), 0, [], []
            for a, b, what, cpu in list_:
                if what in ("sleep", "block"):
                    sums[what] += clip(a, b, window)
                    continue
                away = unknown = 0
                for x, y, r in cut(mapped[cpu], a, b) if what != "run" else [(a, b, (0, 0, task))]:
                    if r is None:
                        unknown += y - x
                        continue
                    for u, v, s in cut(states[vcpus[name][cpu]], x, y):
                        state = s[2] if s else "unknown"
                        ns = clip(u, v, window)
                        if state == "unknown":
                            unknown += v - u
                        elif state == "guest":
                            sums["run" if what == "run" else "busy"] += ns
                            if what != "run":
                                who = r[2]
                                want_shares[(vm, task, "own", full(names[name], who))] += ns
                        else:
                            away += v - u
                            sums[("stolen_" if what == "run" else "away_") + state.replace("qemu", "vmm")] += ns
                            if state in ("exit", "qemu"):
                                want_shares[(vm, task, "VMM" if state == "qemu" else "exit", {
                                    "HLT": "hlt", "IO_INSTRUCTION": "io", "MSR_WRITE": "msr_write",
                                    "EXTERNAL_INTERRUPT": "external_interrupt"}.get(s[3], s[3]))] += ns
                            elif state in ("preempted", "waiting"):
                                for i, j, h in cut(hruns[s[3]], u, v):
                                    behind(want_shares, (vm, task), h, i, j, window, vcpus, pid, guests, names)
                if what != "run" and window[0] <= b and (b < window[1] or b == window[1] == end) and \
                        any(p[0] == b and p[2] == "run" for p in list_):
                    waits += 1
                    if what == "woken" and not unknown:
                        latency.append(b - a)
                        own.append(b - a - away)
            if not any(clip(a, b, window) for a, b, _, _ in list_):
                continue
            waited[(vm, task)] = sum(sums[p + s] for p in ("stolen_", "away_") for s in ("preempted", "waiting")), \
                full(names[name], task)
            r = got.pop((vm, task), None)
            if r is None:
                say("no row of", vm, task)
                continue
            for k in ("run", "busy", "sleep", "block") + tuple(
                    p + s for p in ("stolen_", "away_")
                    for s in ("preempted", "waiting", "exit", "vmm", "halted", "blocked")):
                if r[k + "_ns"] != sums[k]:
                    say(name, task, k, "is", r[k + "_ns"], "expected", sums[k])
            total = sum(r[k] for k in ("run_ns", "busy_ns", "sleep_ns", "block_ns", "unknown_ns", "absent_ns",
                                       "stolen_ns", "away_ns"))
            if total != window[1] - window[0]:
                say(name, task, "adds up to", total, "not to", window[1] - window[0])
            if r["waits"] != waits:
                say(name, task, "waits", r["waits"], "expected", waits)
    for k in got:
        say("row without time:", k)
    if "guest_shares" in doc:
        for k in sorted(set(shares) | set(want_shares), key=str):
            if k[2] in ("exit", "VMM"):
                continue
            if shares[k] != want_shares[k]:
                say("share", k, "is", shares[k], "expected", want_shares[k])
        for kind in ("exit", "VMM"):
            a = sum(v for k, v in shares.items() if k[2] == kind)
            b = sum(v for k, v in want_shares.items() if k[2] == kind)
            if a != b:
                say("shares of", kind, "are", a, "expected", b)
    for key, percent, end in ("says", 0, ""), ("findings", 1, "."):
        want = [s + end for s in sentences(waited, want_shares, percent * (window[1] - window[0]) / 100)]
        if key in doc and (doc[key] != want or not want):
            say(key, "are", doc[key], "expected", want)
    if not doc["guest_tasks"]:
        say("no rows")


def in_words(ns):
    return "%.2f s" % (ns / 1e9) if ns >= 995_000_000 else "%.0f ms" % (ns / 1e6) if ns >= 9_950_000 else \
        "%.1f ms" % (ns / 1e6) if ns >= 995_000 else "%.*f us" % (ns < 9950, ns / 1e3)


def sentences(waited, shares, least):
    """The five tasks whose vCPU waited longest, and behind whom most."""
    out = []
    for (vm, task), (ns, name) in sorted(waited.items(), key=lambda w: -w[1][0])[:5]:
        who, most = max(((k[3], v) for k, v in shares.items()
                         if k[:2] == (vm, task) and k[2] in ("host", "guest") and k[3] != "unknown"), key=lambda b: b[1], default=("", 0))
        part = ", %s behind %s" % ("all" if most == ns else in_words(most) + " of it", who) if most else ""
        if ns and ns >= least:
            out.append("%s in %s waited %s for its vCPU%s" % (name, vm, in_words(ns), part))
    return out


def full(names, tid):
    return "%s-%d" % (names[tid], tid) if tid else "idle"


def behind(out, key, h, a, b, window, vcpus, pid, guests, names):
    who = h[2] if h else None
    for name, list_ in vcpus.items():
        if who in list_:
            for i, j, r in cut(guests[name][0].get(list_.index(who), []), a, b):
                if r is None:
                    out[key + ("host", "CPU %d/KVM-%d" % (list_.index(who), pid[name]))] += clip(i, j, window)
                else:
                    out[key + ("guest", "%s in %d" % (full(names[name], r[2]), pid[name]))] += clip(i, j, window)
            return
    text = "unknown" if who is None else "CPU idle" if who == 0 else {500: "backup-500", 501: "rsync-501"}[who]
    out[key + ("host", text)] += clip(a, b, window)


main()
