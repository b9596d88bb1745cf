#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the slices of an export with the output of `cdict script`, without cdict's own walk.

by_script.py SCRIPT SLICES UNPAIRED     SCRIPT: cdict script --ns -F tid,cpu,time,event,trace; SLICES:
perfetto_check.py --slices; UNPAIRED: exits with an unknown end, by cdict exits

Each interval from one sched_switch of a CPU to the next is a slice of it; the only other slices are those at the
edges, before a CPU's first switch and after its last one.  Every kvm_exit with its kvm_entry is an exit, except
where events may be missing in between; every sched_waking is a wake-up."""
import collections
import re
import sys

LINE = re.compile(rb"^\s*(\d+) \[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+): ?(.*)$")
SWITCH = re.compile(rb"prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> next_comm=.* next_pid=(\d+) next_prio=(\d+)")
WAKING = re.compile(rb".* pid=(\d+) prio=\d+")


def main():
    last, want, exits, wakes, inside = {}, collections.Counter(), collections.Counter(), collections.Counter(), {}
    ends = {}
    with open(sys.argv[1], "rb") as f:
        for line in f:
            m = LINE.match(line)
            if not m:
                continue
            tid, cpu, t = int(m[1]), int(m[2]), int(m[3]) * 10**9 + int(m[4])
            event, rest = m[5], m[6]
            if event == b"sched:sched_switch":
                s = SWITCH.search(rest)
                if cpu in last:
                    since, runs, prio = last[cpu]
                    if runs == int(s[1]):
                        want[(cpu, since, t - since, runs, s[2].decode().replace("|", ""), prio)] += 1
                last[cpu] = t, int(s[3]), int(s[4])
                ends.setdefault(cpu, t)
            elif event == b"sched:sched_waking":
                wakes[(t, cpu, int(WAKING.match(rest)[1]), tid)] += 1
            elif event == b"kvm:kvm_exit":
                inside[tid] = t
            elif event == b"kvm:kvm_entry" and tid in inside:
                exits[(inside[tid], t - inside.pop(tid), tid)] += 1
    got, got_exits, got_wakes = collections.Counter(), collections.Counter(), collections.Counter()
    with open(sys.argv[2], encoding="utf-8") as f:
        for line in f:
            kind, *rest = line.split()
            if kind == "run":
                cpu, ts, dur, tid, state, prio = rest
                got[(int(cpu), int(ts), int(dur), int(tid), state, int(prio))] += 1
            elif kind == "exit":
                got_exits[(int(rest[0]), int(rest[1]), int(rest[2]))] += 1
            else:
                got_wakes[tuple(int(v) for v in rest)] += 1
    for what, a, b, may in (("exits", exits, got_exits, int(sys.argv[3])), ("wake-ups", wakes, got_wakes, 0)):
        for row in list((a - b).elements())[may:may + 3]:
            print(f"{what}: lacks {row}")
        for row in list((b - a).elements())[:3]:
            print(f"{what}: has {row}")
    for row in list((want - got).elements())[:5]:
        print(f"slices: lacks {row}")
    for row in list((got - want).elements()):
        cpu, ts, dur, tid = row[:4]
        first, end = ends.get(cpu), last.get(cpu, (None,))[0]
        if first is None or ts + dur <= first or ts >= end:
            continue  # an edge
        print(f"slices: has {row}")
    if last and not got:
        print("there are no slices")


main()
