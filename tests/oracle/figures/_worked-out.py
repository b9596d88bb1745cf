# SPDX-License-Identifier: GPL-2.0-only
"""
A synthetic capture and the expected output of every command, computed from its durations and from
doc/figures.md alone: `_worked-out.py trace` writes the trace, `_worked-out.py check CDICT
x.cdict` compares every column of every table with the durations, by its JSON key and by its displayed title and
unit.  An unknown column fails: a new figure needs a line here.

The vCPU V (101, of process 100) runs on CPU 0, where the rival R (200) runs whenever V
does not; W (300) on CPU 1 wakes V and never stops.  CPUs 0 and 1 are node 0 and threads of one core, 2 and 3 are
node 1 and threads of another.
V is born some time after the window begins, runs through one loop N times, and ends on CPUs 2 and 3.
Most durations have four lengths: of 2000 there are 1000 short ones, one of them slightly shorter,
985 longer, 14 long and 1 longest, so that minimum, p50, p99, p99.9, average, maximum and sum all
differ.
"""
import json
import subprocess
import sys

N = 2000
T0 = 100 * 10**9
CPUS = 4
OFF = 0.008  # of a percentile, at most


def durations(lengths, shift):
    """2000 durations; @shift gives the turn of the longest."""
    order = [lengths[0] - 30] + [lengths[0]] * 999 + [lengths[1]] * 985 + [lengths[2]] * 14 + [lengths[3]]
    return [order[(i + shift) % N] for i in range(N)]


LATENCY = durations((1500, 9000, 40000, 90000), 100)
PREEMPT = durations((2500, 12000, 55000, 120000), 300)
GUEST = durations((700, 3300, 17000, 66000), 500)
ACCESS = durations((330, 1900, 8000, 31000), 700)
CALL = durations((400, 2100, 9000, 33000), 900)  # read() by W
HALTED = 5000
WAKEUP = 200  # sched_wakeup comes after sched_waking: perf sched latency counts from it
RUNTIME = 12345  # what sched_stat_runtime says of V
LAST = 555  # V in the guest at the end, on CPU 3
IDLE, BORN = 2000, 4000  # of CPU 2, V: after the window's start


class Dist:
    """The figures of a distribution."""

    def __init__(self, samples):
        self.samples = sorted(ns for ns, _ in samples)
        self.count, self.sum = len(samples), sum(self.samples)
        self.min, self.max = self.samples[0], self.samples[-1]
        self.avg = self.sum // self.count
        self.max_at = next(at for ns, at in samples if ns == self.max)
        self.p50, self.p99, self.p999 = (self.percentile(n) for n in (500, 990, 999))

    def percentile(self, permille):
        return Near(self.samples[(self.count * permille + 999) // 1000 - 1])


class Near:
    """A percentile: at most 0.8 % off."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, int) and abs(self.value - other) <= self.value * OFF

    def __repr__(self):
        return f"{self.value} (0.8 % off at most)"


class Share:
    """A percentage."""

    def __init__(self, part, whole):
        self.value = 100 * part / whole

    def __eq__(self, other):
        return isinstance(other, (int, float)) and abs(self.value - other) < 1e-6

    def __repr__(self):
        return f"{self.value:.9g} %"


class Capture:
    def __init__(self):
        self.t = T0
        self.lines = []
        self.events = {}  # by tid
        self.waits, self.preempts, self.slices = [], [], []
        self.io, self.guests, self.halts, self.interrupts = [], [], [], []
        self.accesses = []
        self.build()

    def event(self, tid, cpu, name, fields):
        s, ns = divmod(self.t, 10**9)
        self.lines.append((self.t, len(self.lines), f"{tid} [{cpu:03}] {s}.{ns:09}: {name}: {fields}"))
        self.events[tid] = self.events.get(tid, 0) + 1

    def switch(self, cpu, prev, state, next_):
        self.event(prev, cpu, "sched:sched_switch", f"prev_pid={prev} prev_state={state} next_pid={next_}")

    def kvm(self, cpu, name, fields):
        self.event(101, cpu, "kvm:" + name, fields)

    def entry(self, cpu=0):
        self.kvm(cpu, "kvm_entry", "vcpu_id=7")
        self.entered = self.t

    def exit(self, reason, cpu=0):
        self.kvm(cpu, "kvm_exit", f"vcpu_id=7 exit_reason={reason}")
        self.guests.append((self.t - self.entered, self.entered))

    def wake(self, cpu=0):
        self.event(300, 1, "sched:sched_waking", f"pid=101 target_cpu={cpu}")
        self.woken = self.t
        self.t += WAKEUP
        self.event(300, 1, "sched:sched_wakeup", f"pid=101 target_cpu={cpu}")
        self.t -= WAKEUP

    def run(self, cpu, prev):
        """V is switched in, after its wake-up."""
        self.switch(cpu, prev, "R", 101)
        self.waits.append((self.t - self.woken, self.woken))
        self.ran_from = self.t

    def leave(self, cpu, state, next_):
        self.switch(cpu, 101, state, next_)
        self.slices.append((self.t - self.ran_from, self.ran_from))

    def build(self):
        self.switch(0, 0, "R", 200)
        self.switch(1, 0, "R", 300)
        self.switch(3, 0, "R", 401)
        self.t += IDLE
        self.switch(2, 0, "R", 400)
        self.t += BORN - IDLE
        s, ns = divmod(self.t, 10**9)
        self.lines.append((self.t, len(self.lines), f"300 [001] {s}.{ns:09}: FORK 100/101 100/100"))
        self.t += 1000
        # its first slice: an exit for HLT, so that every turn begins asleep
        self.event(300, 1, "sched:sched_wakeup_new", "pid=101 prio=120 target_cpu=0")
        self.woken = self.t
        self.t += 600
        self.run(0, 200)
        self.t += 80
        self.entry()
        self.t += 90
        self.exit("HLT")
        self.halt_exit = self.t
        self.t += 20
        self.leave(0, "S", 200)
        for i in range(N):
            self.turn(i)
        self.tail()
        self.end = self.t
        self.calls = []
        self.read()

    def turn(self, i):
        self.t += HALTED
        self.wake()
        self.t += LATENCY[i]
        self.run(0, 200)
        self.t += 100
        self.halts.append((self.t - self.halt_exit, self.halt_exit))
        self.entry()
        self.t += GUEST[i]
        self.exit("IO_INSTRUCTION")
        began = self.t
        self.t += 50
        self.kvm(0, "kvm_pio", "rw=1 port=0x3f8 size=1 count=1 val=0")
        accessed = self.t
        self.t += 10
        self.kvm(0, "kvm_userspace_exit", "reason=2 errno=0")
        self.t = accessed + ACCESS[i]
        self.accesses.append((ACCESS[i], accessed))
        self.io.append((self.t - began, began))
        self.entry()
        self.t += 70
        self.exit("EXTERNAL_INTERRUPT")
        began = self.t
        self.t += 30
        self.leave(0, "R+" if i % 4 else "R", 200)
        preempted = self.t
        self.t += PREEMPT[i]
        self.switch(0, 200, "R", 101)
        self.preempts.append((PREEMPT[i], preempted))
        self.ran_from = self.t
        self.t += 40
        self.entry()
        self.interrupts.append((self.t - began, began))
        self.t += 60
        self.exit("HLT")
        self.halt_exit = self.t
        self.t += 20
        self.leave(0, "S", 200)

    def tail(self):
        """Two sleeps in D, the first for I/O, on CPUs 2 and 3."""
        self.t += HALTED
        self.wake()
        self.t += 1100
        self.run(0, 200)
        self.t += 100
        self.halts.append((self.t - self.halt_exit, self.halt_exit))
        self.entry()
        self.t += 75
        self.exit("EPT_VIOLATION")
        self.fault = self.t
        self.t += 25
        self.leave(0, "D", 200)
        self.on_cpu_0 = list(self.slices)
        self.t += 7000
        self.event(300, 1, "sched:sched_stat_iowait", "pid=101 delay=7000")
        self.wake(2)
        self.queue_at, self.queued = self.t, 1200 + 300  # of CPU 2: V, then 400 in its place
        self.t += 1200
        self.run(2, 400)
        self.t += 300
        self.leave(2, "D", 400)
        self.t += 8000
        self.wake(3)
        self.t += 1300
        self.run(3, 401)
        self.t += 45
        self.faults = [(self.t - self.fault, self.fault)]
        self.entry(3)
        self.t += LAST
        self.event(300, 1, "sched:sched_stat_runtime", f"pid=101 runtime={RUNTIME} vruntime=1")

    def read(self):
        """W reads, the fifth time in vain."""
        self.t = T0 + BORN + 7000
        for i, ns in enumerate(CALL):
            self.event(300, 1, "raw_syscalls:sys_enter", "id=0")
            self.calls.append((ns, self.t))
            self.t += ns
            self.event(300, 1, "raw_syscalls:sys_exit", f"id=0 ret={-11 if i % 5 == 4 else 4096}")
            self.t += 100
        assert self.t < self.end

    def trace(self):
        print("# made by tests/oracle/figures/_worked-out.py")
        print("cpus 4\nnuma 0-1 2-3\nsiblings 0-1 2-3\ndefault kvm:kvm_exit isa=1")
        print("default sched:sched_switch prev_prio=120 next_prio=120\ndefault sched:sched_waking prio=120")
        for proc in ("100 qemu", "100/101 CPU 0/KVM", "200 rival", "300 waker", "400 two", "401 three"):
            print("proc", proc)
        for line in sorted(self.lines):
            print(line[2])


def of_times(prefix, title, unit, d, what="avg p50 p99 p999 max max_at"):
    """The columns of a distribution: their keys, titles and values."""
    titles = {"p999": "p99.9", "max_at": "max at"}
    units = {"max_at": "s"}
    return [
        (f"{prefix}{w}_ns", f"{title}{titles.get(w, w)} {units.get(w, unit)}", units.get(w, unit), getattr(d, w))
        for w in what.split()
    ]


def identity(c, machine=True):
    """The columns that identify V."""
    rows = [("name", "task", "text", "qemu"), ("tid", "tid", "id", 101), ("vm", "vm", "text", "100")]
    rows += [("vcpu", "vcpu", "id", 7)]
    if machine:
        rows += [("pid", None, "id", 100), ("comm", None, "text", "qemu")]
    return rows


def expected(c):
    """(name, command, JSON member, what finds the row, columns): each column is key, title (None: in JSON
    and CSV only), unit, value."""
    window = c.end - T0
    latency, preempt, slices = Dist(c.waits), Dist(c.preempts), Dist(c.slices)
    guest, access, io, interrupts = Dist(c.guests), Dist(c.accesses), Dist(c.io), Dist(c.interrupts)
    edge = c.end - c.ran_from
    run = slices.sum + edge
    off_sleep = (N + 1) * HALTED + sum(LATENCY) + 1100
    delayed = preempt.sum + latency.sum
    handled = {
        "HLT": (12, 1, (N + 1) * 120, 0),
        "IO_INSTRUCTION": (30, 0, 60 * N, sum(a - 10 for a in ACCESS)),
        "EXTERNAL_INTERRUPT": (1, 0, 70 * N, 0),
        "EPT_VIOLATION": (48, 0, 25 + 300 + 45, 0),
    }
    exit_ns = sum(h[2] for h in handled.values())
    qemu_ns = sum(h[3] for h in handled.values())
    unknown = BORN + 1000 + 80
    guest_ns = guest.sum + 555
    work = io.sum + 70 * N + 25 + 300 + 45  # on a CPU: preempted, or in D, for the rest of the time
    cpu0 = sum(ns for ns, _ in c.on_cpu_0)
    by_r = sum(LATENCY) + 600 + 1100

    yield (
        "tasks", ["tasks"], "tasks", {"tid": 101},
        identity(c) + [
            ("pid", "pid", "id", 100),
            ("cpu", "cpu", "id", 3), ("idle", None, "id", 0),
            ("run_ns", "run ms", "ms", run), ("run_percent", "%CPU", "%", Share(run, window)),
            ("edge_ns", "edge ms", "ms", edge), ("unknown_ns", "unknown ms", "ms", 0),
            ("switches", "switches", "n", 2 * N + 3),
            ("voluntary", "volunt", "n", N + 3), ("involuntary", "involunt", "n", N),
            ("sleeps", "sleeps", "n", N + 1), ("blocks", "blocks", "n", 2),
            ("iowaits", "iowaits", "n", 1), ("preempted", "preempted", "n", N),
            ("sleep_ns", "sleep ms", "ms", off_sleep),
            ("block_ns", "block ms", "ms", 7000 + 1200 + 8000 + 1300),
            ("iowait_ns", "iowait ms", "ms", 7000 + 1200),
            ("preempt_ns", "preempt ms", "ms", preempt.sum),
            ("delayed_ns", "waited ms", "ms", delayed), ("delays", "waits", "n", N + N + 4),
            ("worst_ns", "worst ms", "ms", preempt.max), ("worst_at_ns", "worst at s", "s", preempt.max_at),
            ("wakeups", "wakeups", "n", N + 4), ("migrations", "migr", "n", 2),
            ("node_migrations", "cross-node", "n", 1), ("events", "events", "n", c.events[101]),
            ("slice_p50_ns", None, "ms", slices.p50), ("slice_p99_ns", None, "ms", slices.p99),
        ]
        + of_times("latency_", "lat ", "ms", latency, "avg p50 p99 max max_at")
        + of_times("slice_", "slice ", "ms", slices, "avg max"),
    )

    sums = [("latency_count", "waits", "n", latency.count), ("latency_ns", "sum ms", "ms", latency.sum)]
    yield (
        "latency", ["latency"], "latency", {"tid": 101},
        identity(c) + sums + of_times("latency_", "", "ms", latency) + [
            ("preempt_count", "preempted", "n", preempt.count),
            ("preempt_ns", "pre sum ms", "ms", preempt.sum), ("incomplete", "incomplete", "n", 0),
        ]
        + of_times("preempt_", "pre ", "ms", preempt, "avg p99 max max_at"),
    )

    # perf takes R+ for sleep, and what ends without a wake-up then for nothing
    perf = Dist([(ns - WAKEUP, at + WAKEUP) if at != c.waits[0][1] else (ns, at) for ns, at in c.waits]
                + [p for i, p in enumerate(c.preempts) if i % 4 == 0])
    yield (
        "latency_perf", ["latency", "--perf"], "latency", {"tid": 101},
        identity(c) + [
            ("stat_runtime_ns", "runtime ms", "ms", RUNTIME), ("count", "count", "n", perf.count),
            ("avg_delay_ns", "avg delay ms", "ms", perf.avg), ("max_delay_ns", "max delay ms", "ms", perf.max),
            ("max_start_ns", "max start s", "s", perf.max_at),
            ("max_end_ns", "max end s", "s", perf.max_at + perf.max),
        ],
    )

    # where R delayed V, and V delayed R
    on_0 = Dist([w for w in c.waits if w[0] not in (1200, 1300)])
    out_0 = Dist(c.preempts + c.on_cpu_0)
    yield (
        "latency_by_cpu", ["latency", "--by", "cpu"], "latency", {"cpu": 0},
        [("cpu", "CPU", "id", 0), ("latency_count", "waits", "n", on_0.count),
         ("latency_ns", "sum ms", "ms", on_0.sum)]
        + of_times("latency_", "", "ms", on_0) + [
            ("preempt_count", "preempted", "n", out_0.count),
            ("preempt_ns", "pre sum ms", "ms", out_0.sum), ("incomplete", "incomplete", "n", 0),
        ]
        + of_times("preempt_", "pre ", "ms", out_0, "avg p99 max max_at"),
    )

    states = {
        "guest": guest_ns, "exit": exit_ns, "qemu": qemu_ns, "preempted": preempt.sum,
        "waiting": latency.sum, "halted": (N + 1) * HALTED, "blocked": 15000, "unknown": unknown,
    }
    assert sum(states.values()) == window
    yield (
        "vcpu", ["vcpu"], "vcpu", {"tid": 101},
        identity(c)
        + [(f"{s}_ns", f"{'VMM' if s == 'qemu' else s} ms", "ms", ns) for s, ns in states.items()]
        + [
            ("delayed_ns", "waited ms", "ms", delayed), ("delayed_percent", "%", "%", Share(delayed, window - BORN)),
            ("edge_ns", "edge ms", "ms", 555), ("lost_ns", "lost ms", "ms", 0),
            ("absent_ns", "absent ms", "ms", BORN), ("behind_ns", "behind ms", "ms", delayed),
            ("preemptions", "preemptions", "n", N), ("waits", "waits", "n", N + 4),
            ("halts", "halts", "n", N + 1), ("blocks", "blocks", "n", 2),
            ("worst_ns", "worst ms", "ms", preempt.max), ("worst_at_ns", "at s", "s", preempt.max_at),
            ("worst_cpu", "on CPU", "id", 0), ("worst_state", "worst state", "text", "preempted"),
            ("worst_behind", "behind", "text", "rival-200"),
        ]
        + of_times("preempted_", "pre ", "ms", preempt, "avg p99")
        + of_times("waiting_", "wait ", "ms", latency, "avg p99"),
    )
    for reason, (code, idle, in_kernel, in_qemu) in handled.items():
        yield (
            f"reasons_{reason}", ["vcpu", "--by", "reason"], "reasons", {"reason": reason},
            identity(c) + [
                ("reason", "reason", "text", reason), ("reason_code", None, "id", code),
                ("idle", None, "id", idle),
                ("exit_ns", "exit ms", "ms", in_kernel), ("qemu_ns", "VMM ms", "ms", in_qemu),
                ("exit_percent", "% of life", "%", Share(in_kernel, window - BORN)),
                ("qemu_percent", "% of life", "%", Share(in_qemu, window - BORN)),
            ],
        )
    yield (
        "antagonists", ["vcpu", "--by", "antagonist"], "antagonists", {"antagonist_tid": 200},
        identity(c) + [
            ("antagonist", "was behind", "text", "rival"), ("antagonist_tid", "tid", "id", 200),
            ("antagonist_pid", None, "id", 200), ("antagonist_vm", None, "text", None),
            ("behind_ns", "for ms", "ms", preempt.sum + by_r),
            ("delayed_percent", "% of wait", "%", Share(preempt.sum + by_r, delayed)),
            ("preempted_ns", "preempted ms", "ms", preempt.sum), ("waiting_ns", "waiting ms", "ms", by_r),
            ("slices", "slices", "n", 2 * N + 2), ("took_over", "took over", "n", N),
            ("group", "group", "text", "rival"), ("group_kind", "group kind", "text", "task"),
            ("group_tasks", "group tasks", "n", 1), ("group_percent", "group %", "%", Share(preempt.sum + by_r, delayed)),
        ],
    )

    yield (
        "delays", ["vcpu", "--by", "vm"], "delays", {"behind": "rival"},
        [
            ("vm", "VM", "text", "100"), ("behind", "was behind", "text", "rival"), ("behind_kind", "which is", "text", "task"),
            ("behind_ns", "for ms", "ms", preempt.sum + by_r),
            ("delayed_percent", "% of wait", "%", Share(preempt.sum + by_r, delayed)),
            ("vm_delayed_ns", "of ms", "ms", delayed),
            ("preempted_ns", "preempted ms", "ms", preempt.sum), ("waiting_ns", "waiting ms", "ms", by_r),
            ("slices", "slices", "n", 2 * N + 2), ("took_over", "took over", "n", N),
            ("worst_ns", "worst wait ms", "ms", preempt.max), ("worst_held_ns", "of it ms", "ms", preempt.max),
            ("worst_at_ns", "at s", "s", preempt.max_at), ("worst_cpu", "on CPU", "id", 0),
            ("worst_task", "waited", "text", "qemu-100-101"), ("worst_task_tid", None, "id", 101),
            ("worst_antagonist", "had the CPU", "text", "rival-200"), ("worst_antagonist_tid", None, "id", 200),
        ],
    )
    yield (
        "beside", ["vcpu", "--by", "sibling"], "beside", {"beside": "waker"},
        [
            ("vm", "VM", "text", "100"), ("beside", "was beside", "text", "waker"), ("beside_kind", "which is", "text", "task"),
            ("beside_ns", "for ms", "ms", guest.sum), ("beside_percent", "% of guest time", "%", Share(guest.sum, guest.sum + LAST)),
            ("vm_beside_ns", "of ms", "ms", guest.sum + LAST),
        ],
    )
    yield (
        "capacity", ["vcpu"], "capacity", {"cpus": 4},
        [
            ("cpus", None, "n", 4), ("busy_ns", None, "ms", CPUS * window - IDLE), ("known_ns", None, "ms", CPUS * window),
            ("busy_percent", None, "%", Share(CPUS * window - IDLE, CPUS * window)), ("vcpus", None, "n", 1),
            ("overcommitted", None, "id", False),
        ],
    )

    for reason, d, on_cpu in (("IO_INSTRUCTION", io, io.sum), ("EXTERNAL_INTERRUPT", interrupts, 70 * N)):
        yield (
            f"exits_{reason}", ["exits"], "exits", {"reason": reason},
            identity(c, False) + [
                ("pid", "pid", "id", 100), ("reason", "reason", "text", reason),
                ("reason_code", None, "id", handled[reason][0]), ("idle", None, "id", 0),
                ("count", "exits", "n", N), ("count_percent", "exits %", "%", Share(N, 2 * N + 1)),
                ("cpu_ns", "on CPU ms", "ms", on_cpu), ("cpu_percent", "CPU %", "%", Share(on_cpu, work)),
                ("off_cpu_ns", "off CPU ms", "ms", d.sum - on_cpu),
                ("time_ns", "time ms", "ms", d.sum), ("time_percent", None, "%", None), ("unpaired", "unpaired", "n", 0),
            ]
            + of_times("", "", "us", d, "min avg p50 p99 p999 max max_at"),
        )
    yield (
        "guest", ["exits"], "guest", {"tid": 101},
        identity(c, False) + [
            ("entries", "entries", "n", 3 * N + 3), ("guest_ns", "guest ms", "ms", guest.sum),
            ("guest_percent", "guest %", "%", Share(guest.sum, window - BORN)), ("unpaired", "unpaired", "n", 1),
        ]
        + of_times("", "", "us", guest),
    )
    yield (
        "accesses", ["exits", "--by", "port"], "exits", {"tid": 101},
        identity(c, False) + [
            ("port", "port", "text", "0x3f8"), ("direction", "direction", "text", "out"),
            ("count", "count", "n", N), ("timed", "timed", "n", N), ("time_ns", "time ms", "ms", access.sum),
        ]
        + of_times("", "", "us", access, "min avg p50 p99 p999 max max_at"),
    )

    for member in ("switches", "cpus"):
        for cpu, switches, involuntary, wakeups, idle in ((2, 3, 1, 0, IDLE), (1, 1, 0, N + 4, 0)):
            yield (
                f"{member}_{cpu}", ["switches", "--bucket", "1000"], member, {"cpu": cpu},
                [
                    ("cpu", "CPU", "id", cpu),
                    ("from_ns", "from s" if member == "switches" else None, "s",
                     T0 if member == "switches" else None),
                    ("length_ns", "length ms", "ms", window), ("switches", "switches", "n", switches),
                    ("involuntary", "involunt", "n", involuntary), ("wakeups", "wakeups", "n", wakeups),
                    ("switches_per_s", "switches/s", "n", (switches * 10**9 + window // 2) // window),
                    ("busy_ns", "busy ms", "ms", window - idle), ("idle_ns", "idle ms", "ms", idle),
                    ("busy_percent", "busy %", "%", Share(window - idle, window)),
                    ("unknown_ns", "unknown ms", "ms", 0),
                ],
            )
    yield (
        "successors", ["successors", "--tid", "101"], "successors", {"next_tid": 200},
        identity(c) + [
            ("next", "next", "text", "rival"), ("next_tid", "tid", "id", 200), ("next_pid", None, "id", 200),
            ("next_vm", None, "text", None), ("count", "count", "n", 2 * N + 2),
            ("percent", "%", "%", Share(2 * N + 2, 2 * N + 3)), ("involuntary", "involunt", "n", N),
        ],
    )
    keys = [("from_ns", "from s", "s", T0), ("name", "task", "text", "waker"), ("tid", "tid", "id", 300), ("pid", None, "id", 300),
            ("comm", None, "text", "waker"), ("vm", None, "text", None), ("vcpu", None, "id", None), ("cpu", "CPU", "id", 1)]
    per_s, of_all = (N * 10**9 + window // 2) // window, sum(c.events.values())
    yield (
        "count", ["count", "--by", "event,task,cpu", "--bucket", "1000"], "count", {"event": "raw_syscalls:sys_enter"},
        keys + [("event", "event", "text", "raw_syscalls:sys_enter"), ("events", "events", "n", N),
                ("events_per_s", "events/s", "n", per_s), ("events_percent", "%", "%", Share(N, of_all))],
    )
    calls = Dist(c.calls)
    yield (
        "count_syscalls", ["count", "--by", "syscall,task,cpu", "--bucket", "1000"], "count", {"nr": 0},
        keys + [("syscall", "syscall", "text", "read"), ("nr", None, "id", 0), ("calls", "calls", "n", N), ("calls_per_s", "calls/s", "n", per_s),
                ("returns", "returns", "n", N), ("errors", "errors", "n", N // 5), ("time_ns", "sum ms", "ms", calls.sum),
                ("broken", "broken", "n", 0)]
        + of_times("", "", "us", calls, "min avg p50 p99 max max_at"),
    )
    # a row a cell: for programs only
    for cpu, ns, at_edge, switches in ((0, cpu0, 0, 2 * N + 2), (3, edge, edge, 0)):
        yield (
            f"coremap_{cpu}", ["coremap"], "coremap", {"tid": 101, "cpu": cpu},
            [(key, None, unit, v) for key, _, unit, v in identity(c)] + [
                ("cpu", None, "id", cpu), ("idle", None, "id", 0), ("unknown", None, "id", 0),
                ("run_ns", None, "ms", ns), ("run_percent", None, "%", Share(ns, window)),
                ("edge_ns", None, "ms", at_edge), ("switches", None, "n", switches),
            ],
        )
    yield (
        "coremap_cpus", ["coremap"], "cpus", {"cpu": 2},
        [
            ("cpu", None, "id", 2), ("node", None, "id", 1), ("busy_ns", None, "ms", window - IDLE),
            ("busy_percent", None, "%", Share(window - IDLE, window)), ("idle_ns", None, "ms", IDLE),
            ("idle_percent", None, "%", Share(IDLE, window)), ("unknown_ns", None, "ms", 0),
            ("switches", None, "n", 3), ("queue_mean", "queue", "%", Share(c.queued, 100 * window)),
            ("queue_p50", "q p50", "n", 0), ("queue_p99", "q p99", "n", 0), ("queue_max", "q max", "n", 1),
            ("queue_max_at_ns", "q max at s", "s", c.queue_at), ("queue_above_1_ns", "q > 1 ms", "ms", 0),
            ("queue_stay_ns", "longest ms", "ms", 0), ("queue_stay_at_ns", None, "s", None),
        ],
    )


def printed(unit, value):
    """The value as people read it; doc/figures.md, "Units"."""
    if unit in ("ms", "us"):
        per, decimals = (10**6, 3) if unit == "ms" else (10**3, 2)
        step = per // 10**decimals
        whole = (value + step // 2) // step
        return f"{whole // 10**decimals}.{whole % 10**decimals:0{decimals}}"
    if unit == "s":
        return f"{value // 10**9}.{value % 10**9 // 1000:06}"
    if unit == "n":
        return f"{value:,}"
    return f"{value:.2f}" if unit == "%" else str(value)


def spans(line):
    """The words of a line of a table that two blanks or more part: (start, end, text)."""
    at, found = 0, []
    for part in line.split("  "):
        text = part.strip(" ")
        if text:
            start = line.index(text, at)
            found.append((start, start + len(text), text))
        at += len(part) + 2
    return found


def text_rows(text):
    """Every row of every table: {title: cells that stand under it}."""
    rows, head = [], None
    lines = text.splitlines()
    for above, line in zip(lines, lines[1:] + [""]):
        if line.startswith("---") and (head is None or not above.strip() or not rows or rows[-1] is None):
            head = spans(above)
            continue
        if not line.strip():
            head = None
            rows.append(None)
        elif head and not line.startswith("---"):
            row = {}
            for start, end, title in head:
                cell = [w[2] for w in spans(line) if w[0] == start or w[1] == end]
                row.setdefault(title, []).extend(cell[:1])
            rows.append(row)
    return [r for r in rows if r]


def run(program, args):
    return subprocess.run([program, *args], check=False, capture_output=True, text=True).stdout


def wrong_cells(row, columns):
    """The faults of the JSON row; the values that the text must show, under their title."""
    known = {key for key, _, _, _ in columns} | {"lossy"}
    bad = [f"{k}: nothing is known of it here" for k in row if k not in known]
    shown = []
    for key, title, unit, value in columns:
        got = row.get(key, "(no such column)")
        if not (value is None and got is None) and not value == got:
            bad.append(f"{key}: {got}, expected {value}")
        elif title:
            shown.append((title, printed(unit, got)))
    return bad, shown


def check(program, capture, file):
    made, failed = {}, False
    for name, command, member, key, columns in expected(capture):
        args = command[:1] + [file] + command[1:]
        if str(args) not in made:
            made[str(args)] = (json.loads(run(program, args + ["--format", "json"])),
                               text_rows(run(program, args + ["-v"])))
        document, texts = made[str(args)]
        row = next((r for r in document[member] if all(r[k] == v for k, v in key.items())), {})
        bad, shown = wrong_cells(row, columns)
        missing = [[s for s in shown if s[1] not in t.get(s[0], [])] for t in texts]
        bad += [f"no '{title}' of {text} for people" for title, text in min(missing, key=len, default=[])]
        print(("not ok " if bad else "ok ") + f"{name}_is_what_its_durations_come_to")
        for line in bad:
            print("    # " + line)
        failed |= bool(bad)
    return failed


def main():
    capture = Capture()
    if sys.argv[1] == "trace":
        capture.trace()
        return 0
    return check(sys.argv[2], capture, sys.argv[3])


if __name__ == "__main__":
    sys.exit(main())
