#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mkguests.py - a made-up host with two VMs, and what is recorded in each, as traces for mkperf.

    mkguests.py [--seed N] [--seconds S] [--offset NS] [--drift PPM] [--more N] OUT

writes OUT/host.trace, OUT/web.trace, OUT/db.trace, and OUT/clocks: for each guest a line
"NAME GUEST_NS:HOST_NS,GUEST_NS:HOST_NS", two points of its clock. A guest's clock is --offset behind the
host's and slower by --drift (the second guest's by twice these).

The host has two CPUs. VM web (process 1000) has two vCPUs, VM db (process 2000) has one; all share the CPUs with
tasks of the host. Guests do something only while their vCPU is in the guest, and are idle when it halts, as in
reality. Each guest wakes tasks from the timer's interrupt and tasks of its other CPU.
"""
import argparse
import bisect
import heapq
import os
import random
from fractions import Fraction

T0 = 80_000_000_000  # of the host's clock


class Clock:
    def __init__(self, at, offset, ppm):
        self.host, self.guest, self.rate = at, at - offset, 1 + Fraction(ppm) / 1_000_000

    def guest_ns(self, host_ns):  # the first guest's time that is not before host_ns
        x = Fraction(host_ns - self.host) / self.rate
        return self.guest + -(-x.numerator // x.denominator)

    def knots(self, seconds):
        span = self.rate.denominator
        while span < seconds * 1_000_000_000:
            span *= 10
        return "%d:%d,%d:%d" % (self.guest, self.host, self.guest + span,
                                self.host + int(span * self.rate))


class Host:
    """Two CPUs; each switches among its tasks. A vCPU's slice is made of guest time and exits."""

    def __init__(self, rnd, end):
        self.rnd, self.end, self.lines = rnd, end, []
        self.guest = {1001: [], 1002: [], 2001: []}  # stretches in the guest: [from, to, halts]
        self.vcpu = {1001: 0, 1002: 1, 2001: 0}

    def put(self, t, tid, cpu, text):
        self.lines.append((t, cpu, len(self.lines),
                           "%4d [%03d] %d.%09d: %s" % (tid, cpu, t // 10**9, t % 10**9, text)))

    def switch(self, t, cpu, prev, state, nxt):
        self.put(t, prev, cpu, "sched:sched_switch: prev_pid=%d prev_state=%s next_pid=%d" % (prev, state, nxt))

    def run(self, cpu, tasks):
        rnd, t, ready, now, in_exit = self.rnd, T0 + cpu * 700, list(tasks), 0, {}
        wakes = []  # (time, task)
        while t < self.end:
            while wakes and wakes[0][0] <= t:
                at, task = heapq.heappop(wakes)
                at = max(at, self.last + 10)
                self.put(at, now, cpu, "sched:sched_waking: pid=%d target_cpu=%d" % (task, cpu))
                self.last = at
                t = max(t, at + 200)
                ready.append(task)
            if not ready:
                if now:
                    raise SystemExit("not idle")
                t = max(t, wakes[0][0])
                continue
            nxt = ready.pop(rnd.randrange(len(ready)))
            if now == 0:
                self.switch(t, cpu, 0, "R", nxt)
            else:
                self.switch(t, cpu, now, self.state, nxt)
            self.last, now = t, nxt
            limit = t + rnd.randrange(200_000, 6_000_000)
            self.state = "R"
            if now not in self.guest:
                while wakes and wakes[0][0] < limit and rnd.random() < .7:  # wake-ups by it
                    at, task = heapq.heappop(wakes)
                    at = max(at, self.last + 50)
                    self.put(at, now, cpu, "sched:sched_waking: pid=%d target_cpu=%d" % (task, cpu))
                    self.last, limit = at, max(limit, at + 100)
                    ready.append(task)
                if rnd.random() < .5:
                    self.state = "S"
                    heapq.heappush(wakes, (limit + rnd.randrange(100_000, 4_000_000), now))
                t = limit
            else:
                t = self.slice(cpu, now, t, limit, wakes)
            if not ready and (not wakes or wakes[0][0] > t):
                if self.state == "R":
                    self.state = "S" if now not in self.guest else self.state
                    heapq.heappush(wakes, (t + rnd.randrange(10_000, 900_000), now))
                else:
                    pass
                # the CPU goes idle: a vCPU that could run on was moved by nobody, so it blocks
                self.switch(t, cpu, now, "S" if self.state == "R" else self.state, 0)
                self.last, now = t, 0
            elif self.state == "R":
                ready.append(now)
        self.put(self.end + cpu, now, cpu, "sched:sched_stat_runtime: pid=%d runtime=1000" % now)

    def slice(self, cpu, task, t, limit, wakes):
        rnd, number = self.rnd, self.vcpu[task]
        while True:
            t += rnd.randrange(300, 9_000)
            self.put(t, task, cpu, "kvm:kvm_entry: vcpu_id=%d" % number)
            begin = t
            t += rnd.randrange(5_000, 900_000)
            what = rnd.random()
            halts = what < .12
            reason = ("HLT" if halts else "EXTERNAL_INTERRUPT" if what < .5 or t > limit
                      else "IO_INSTRUCTION" if what < .7 else "MSR_WRITE")
            self.put(t, task, cpu, "kvm:kvm_exit: vcpu_id=%d exit_reason=%s" % (number, reason))
            self.guest[task].append([begin, t, halts])
            if reason == "IO_INSTRUCTION" and rnd.random() < .6:
                t += rnd.randrange(300, 4_000)
                self.put(t, task, cpu, "kvm:kvm_userspace_exit: reason=2 errno=0")
                t += rnd.randrange(2_000, 60_000)
            self.last = t
            t += rnd.randrange(300, 5_000)
            if halts:
                self.state = "S"
                heapq.heappush(wakes, (t + rnd.randrange(50_000, 5_000_000), task))
                return t
            if t > limit:
                return t


class Guest:
    """Its CPUs act only while their vCPU is in the guest."""

    def __init__(self, rnd, clock, stretches, tasks):
        self.rnd, self.clock, self.lines, self.tasks = rnd, clock, [], tasks
        self.stretches, self.n = stretches, len(stretches)
        self.now, self.state = [0] * self.n, {t: "sleeps" for t, _ in tasks}
        self.ready = [[] for _ in range(self.n)]
        self.cpu_of = {t: i % self.n for i, (t, _) in enumerate(tasks)}

    def put(self, host_ns, cpu, tid, text):
        t = self.clock.guest_ns(host_ns)
        self.lines.append((t, cpu, len(self.lines),
                           "%4d [%03d] %d.%09d: %s" % (tid, cpu, t // 10**9, t % 10**9, text)))

    def act(self, t, cpu):
        rnd, now = self.rnd, self.now[cpu]
        sleeping = [x for x in self.state if self.state[x] == "sleeps"]
        if sleeping and rnd.random() < .55:
            task = rnd.choice(sleeping)
            if rnd.random() < .15:
                self.cpu_of[task] = rnd.randrange(self.n)
            target = self.cpu_of[task]
            self.put(t, cpu, now, "sched:sched_waking: pid=%d target_cpu=%d" % (task, target))
            self.state[task] = "ready"
            self.ready[target].append(task)
        elif self.ready[cpu]:
            self.go(t, cpu, self.ready[cpu].pop(rnd.randrange(len(self.ready[cpu]))))
        elif now and rnd.random() < .4:
            self.go(t, cpu, 0)

    def go(self, t, cpu, nxt):
        now = self.now[cpu]
        stays = now and nxt and self.rnd.random() < .5
        self.put(t, cpu, now, "sched:sched_switch: prev_pid=%d prev_state=%s next_pid=%d"
                 % (now, "R" if stays or not now else self.rnd.choice("SSSD"), nxt))
        if now:
            self.state[now] = "ready" if stays else "sleeps"
        if stays:
            self.ready[cpu].append(now)
        if nxt:
            self.state[nxt] = "runs"
        self.now[cpu] = nxt

    def run(self):
        todo = []
        for cpu, list_ in enumerate(self.stretches):
            for begin, end, halts in list_:
                at = begin
                while True:
                    at += self.rnd.randrange(2_000, 250_000)
                    if at >= end - 2_000:
                        break
                    todo.append((at, cpu, 0))
                if halts:
                    todo.append((end - 1_000, cpu, 1))
        for at, cpu, halts in sorted(todo):
            if not halts:
                self.act(at, cpu)
            elif self.now[cpu]:
                self.go(at, cpu, 0)


def write(path, head, lines):
    with open(path, "w") as out:
        out.write(head)
        for i, (_, _, _, text) in enumerate(sorted(lines)):
            out.write(text + "\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--offset", type=int, default=12_345_678_901)
    p.add_argument("--drift", type=Fraction, default=Fraction(37))
    p.add_argument("--more", type=int, default=0, help="tasks of web")
    p.add_argument("out")
    o = p.parse_args()
    rnd, end = random.Random(o.seed), T0 + int(o.seconds * 10**9)
    os.makedirs(o.out, exist_ok=True)
    host = Host(rnd, end)
    host.run(0, [1001, 2001, 500])
    host.run(1, [1002, 501])
    head = "cpus 2\ndefault kvm:kvm_exit isa=1\ndefault sched:sched_switch prev_prio=120 next_prio=120\n"
    write(o.out + "/host.trace", head +
          "proc 1000 qemu-system-x86\nproc 1000/1001 CPU 0/KVM\nproc 1000/1002 CPU 1/KVM\n"
          "proc 2000 qemu-system-x86\nproc 2000/2001 CPU 0/KVM\nproc 500 backup\nproc 501 rsync\n", host.lines)
    clocks = ""
    for name, vcpus, tasks, times in (
            ("web", [1001, 1002], [(101, "nginx"), (102, "php"), (103, "cron"), (104, "nginx"), (105, "kworker")] +
             [(200 + i, "t%d" % i) for i in range(o.more)], 1),
            ("db", [2001], [(101, "postgres"), (102, "wal"), (103, "vacuum")], 2)):
        clock = Clock(T0 + 500_000, o.offset * times, o.drift * times)
        guest = Guest(rnd, clock, [host.guest[v] for v in vcpus], tasks)
        guest.run()
        head = "host %s\ncpus %d\ndefault sched:sched_switch prev_prio=120 next_prio=120\n" % (name, len(vcpus))
        write("%s/%s.trace" % (o.out, name), head + "".join("proc %d %s\n" % x for x in tasks), guest.lines)
        clocks += "%s %s\n" % (name, clock.knots(o.seconds + 1))
    with open(o.out + "/clocks", "w") as out:
        out.write(clocks)


main()
