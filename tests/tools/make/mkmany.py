#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mkmany.py N OUT: a host of N VMs with one vCPU each, on CPUs of their own, and what is recorded in each: OUT/host.trace, OUT/N.trace. A guest's
clock is N + 1 seconds behind the host's."""
import random
import sys

n, out = int(sys.argv[1]), sys.argv[2]
T0, END = 80_000_000_000, 80_300_000_000
KVM = "cpus %d\ndefault kvm:kvm_exit isa=1\ndefault sched:sched_switch prev_prio=120 next_prio=120\n"


def line(tid, cpu, t, text):
    return t, "%4d [%03d] %d.%09d: %s\n" % (tid, cpu, t // 10**9, t % 10**9, text)


host, head = [], KVM % n
for i in range(n):
    rnd, tid, guest, running = random.Random(i), 1000 * (i + 1) + 1, [], 0
    head += "proc %d qemu-system-x86\nproc %d/%d CPU 0/KVM\n" % (tid - 1, tid - 1, tid)
    t = T0 + rnd.randrange(1_000_000)
    host.append(line(0, i, t - 500, "sched:sched_switch: prev_pid=0 prev_state=R next_pid=%d" % tid))
    while t < END:
        host.append(line(tid, i, t, "kvm:kvm_entry: vcpu_id=0"))
        end = t + rnd.randrange(20_000, 900_000)
        at = t + rnd.randrange(1_000, 15_000)
        while at < end - 1_000:
            running = 101 if running == 0 else 0
            guest.append(line(101 - running, 0, at - (i + 1) * 10**9, "sched:sched_switch: prev_pid=%d prev_state=%s next_pid=%d" % (101 - running, "S" if running == 0 else "R", running)))
            at += rnd.randrange(10_000, 300_000)
        host.append(line(tid, i, end, "kvm:kvm_exit: vcpu_id=0 exit_reason=%s" % rnd.choice(("MSR_WRITE", "EXTERNAL_INTERRUPT"))))
        t = end + rnd.randrange(2_000, 400_000)
    with open("%s/%d.trace" % (out, i), "w") as f:
        f.write("cpus 1\nhost g%d\ndefault sched:sched_switch prev_prio=120 next_prio=120\nproc 101 nginx\n" % i + "".join(text for _, text in sorted(guest)))
with open(out + "/host.trace", "w") as f:
    f.write(head + "".join(text for _, text in sorted(host)))
