# SPDX-License-Identifier: GPL-2.0-only
"""The states of the vCPUs in a whole capture, by doc/figures.md, as lists of intervals."""
import bisect
import re
from collections import defaultdict, namedtuple

from capture import WAKES

# An exit and the entry after it, or an entry and the exit after it (reason None); end None: broken.
# cpu_ns: the part on a CPU.
Pair = namedtuple('Pair', 'task reason begin end cpu_ns')
# One stretch of a vCPU.  reason: of exits and QEMU; cpu: where it waits or is; ended: not by the
# end of the capture; next: for preempted, the task that took over.
State = namedtuple('State', 'task what begin end reason cpu ended next')

VMX, SVM = 1, 2
IDLE_EXITS = {VMX: {12}, SVM: {0x78}, 'arm64': {1}}
ON_CPU = 'guest', 'exit', 'qemu'
OFF_CPU = 'preempted', 'waiting', 'halted', 'blocked'


class Kvm:
    def __init__(self, capture):
        self.c = capture
        self.pairs, self.states = [], []
        self.gaps = [g for rows in capture.gaps.values() for g in rows]
        of_thread = defaultdict(list)
        for order, e in enumerate(capture.events):
            if e.type.name in ('kvm:kvm_entry', 'kvm:kvm_exit', 'kvm:kvm_userspace_exit'):
                of_thread[e.tid].append((e.t, order, e.type.name[4:], e))
        self.vcpus = sorted(tid for tid, rows in of_thread.items()
                            if any(row[2] != 'kvm_userspace_exit' for row in rows))
        self.slices = defaultdict(list)
        for s in capture.slices:
            self.slices[s.task].append(s)
        for tid in self.vcpus:
            self.pair(tid, of_thread[tid])
        self.follow(of_thread)
        self.behind = list(self.find_antagonists())

    def find_antagonists(self):
        """The tasks that ran on the CPU for which a vCPU waited: (task, other, preempted or waiting, begin, end)"""
        on_cpu = defaultdict(list)
        for s in self.c.slices:
            on_cpu[s.cpu].append(s)
        for x in self.states:
            if x.what in ('preempted', 'waiting') and x.ended != 'broken':
                slices = on_cpu[x.cpu]
                at = bisect.bisect_left(slices, x.begin, key=lambda s: s.end)
                while at < len(slices) and slices[at].begin < x.end:
                    s = slices[at]
                    at += 1
                    if s.task != x.task:
                        yield (x.task, 0 if isinstance(s.task, tuple) else s.task, x.what,
                               max(s.begin, x.begin), min(s.end, x.end))

    def reason(self, e):
        """(code, is idle)"""
        fields = self.c.fields[e.type.name]
        if 'isa' in fields or 'exit_reason' in fields:
            isa = self.c.value(e, 'isa') if 'isa' in fields else VMX
            code = self.c.value(e, 'exit_reason') & (0xffff if isa == VMX else (1 << 64) - 1)
            return code, code in IDLE_EXITS.get(isa, ())
        ret = self.c.value(e, 'ret')
        is_trap = ret & 0xff == 2
        code = self.c.value(e, 'esr_ec') if is_trap else ret
        return code, is_trap and code in IDLE_EXITS['arm64']

    def broken(self, tid, begin, end):
        """Is anything missing between two events of a thread that may belong to it?"""
        gaps = [g for g in self.gaps if begin[0] < g.end and g.begin < end[0]]
        switched = gaps and len({(s.cpu, s.begin) for s in self.slices[tid]
                                 if s.begin <= end[0] and s.end >= begin[0]}) > 1
        return any(switched or g.cpu in (begin[1], end[1]) for g in gaps)

    def pair(self, tid, rows):
        last = None
        for row in [r for r in rows if r[2] != 'kvm_userspace_exit'] + [None]:
            if last:
                e = last[3]
                reason = self.reason(e) if last[2] == 'kvm_exit' else None
                fits = row and row[2] != last[2] and not self.broken(
                    tid, (e.t, e.cpu), (row[0], row[3].cpu)) and (reason or e.cpu == row[3].cpu)
                end = row[0] if fits else None
                self.pairs.append(Pair(tid, reason, e.t, end, self.time_on_cpu(tid, e.t, end)
                                       if reason and end else 0))
            last = row

    def time_on_cpu(self, tid, begin, end):
        """Slices of a task do not overlap: of those that end after begin, the first begins first."""
        slices, ns = self.slices[tid], 0
        at = bisect.bisect_left(slices, begin, key=lambda s: s.end)
        while at < len(slices) and slices[at].begin < end:
            ns += min(slices[at].end, end) - max(slices[at].begin, begin)
            at += 1
        return ns

    def first_gap(self, cpu, begin, end):
        """Since when in (begin, end) events of the CPU, or of any, are missing; None: never."""
        for g in self.c.any_gap if cpu is None else self.c.gaps.get(cpu, ()):
            if g.begin < end and begin < g.end:
                return max(begin, g.begin)
        return None

    def follow(self, of_thread):
        c = self.c
        happened = {tid: list(rows) for tid, rows in of_thread.items() if tid in set(self.vcpus)}
        for order, e in enumerate(c.events):
            name = e.type.name
            if c.is_switch(e):
                prev, task = c.value(e, 'prev_pid'), c.value(e, 'next_pid')
                if prev in happened:
                    happened[prev].append((e.t, order, 'out', e))
                if task in happened:
                    happened[task].append((e.t, order + .5, 'in', e))
            elif name in WAKES and c.value(e, 'pid') in happened and c.wakes(e):
                happened[c.value(e, 'pid')].append((e.t, order, 'wake', e))
            elif name == 'sched:sched_migrate_task' and c.value(e, 'pid') in happened:
                happened[c.value(e, 'pid')].append((e.t, order, 'move', e))
        contradicted = {(s.task, s.cpu, s.begin) for s in c.slices if s.begun and not s.ended
                        and s.end == s.begin}
        for tid, rows in happened.items():
            rows.sort(key=lambda row: row[:2])
            c.wake_late(rows, lambda t, e, tid=tid: c.outs.get((tid, e.cpu, t)))
            self.follow_vcpu(tid, rows, contradicted)

    def follow_vcpu(self, tid, rows, contradicted):
        """The states between the events: kind, start, and the state after it."""
        what, since, reason, cpu, back, nxt = 'unknown', self.c.first, None, None, None, None
        is_off = None  # not known
        wait = len(self.states)  # where the pieces of the latest wait begin
        for t, _, kind, e in rows + [(self.c.last, 0, 'end', None)]:
            gap = self.first_gap(None if what in OFF_CPU else cpu, since, t)
            if what not in ('preempted', 'waiting'):
                wait = len(self.states)
            if gap is not None and what in OFF_CPU:  # it may have run since
                if gap > since:
                    self.states.append(State(tid, what, since, gap, reason, cpu, True, nxt))
                    nxt = None
                for i in range(wait, len(self.states)):  # no task is known to have delayed it
                    self.states[i] = self.states[i]._replace(cpu=None)
                what, since, back, reason = 'broken ' + what, gap, None, None
            elif gap is not None:
                what = 'unknown'
            if kind == 'move':
                if what in ('preempted', 'waiting'):
                    self.states.append(State(tid, what, since, t, reason, cpu, 'moved', nxt))
                    since, cpu, nxt = t, self.c.value(e, 'dest_cpu'), None
                elif what in ('halted', 'blocked'):
                    cpu = self.c.value(e, 'dest_cpu')
                continue
            if kind == 'wake' and (is_off is False or what in (
                    'preempted', 'waiting', 'broken preempted', 'broken waiting')):
                continue
            if what.startswith('broken'):
                what = 'unknown'
            must = {'guest': ('kvm_exit',),
                    'exit': ('kvm_entry', 'kvm_userspace_exit', 'out'),
                    'qemu': ('kvm_entry', 'kvm_userspace_exit', 'out'),
                    'preempted': ('in',), 'waiting': ('in',),
                    'halted': ('wake', 'in'), 'blocked': ('wake', 'in')}.get(what, ())
            fits = (kind in must or kind == 'end') and (
                what not in ON_CPU or e is None or e.cpu == cpu)
            if self.c.some_cpus and what in OFF_CPU: # it may have run on another
                fits = False
            if e is not None and not fits and what in OFF_CPU and not self.c.some_cpus:
                # others had the CPU until its last switch
                until = max((s for s, _ in self.c.switch_at[e.cpu] if s < t), default=since)
                if until > since and not any(g.begin < until and since < g.end for g in self.gaps):
                    self.states.append(State(tid, what, since, until, None, cpu, 'broken', nxt))
                    since, nxt = until, None
            self.states.append(State(tid, what if fits else 'unknown', since, t,
                                     reason if what in ('exit', 'qemu') else None, cpu,
                                     kind != 'end', nxt))
            since, nxt, cpu = t, None, e.cpu if e else None
            if kind == 'kvm_entry':
                what, reason, is_off = 'guest', None, False
            elif kind == 'kvm_exit':
                what, reason, is_off = 'exit', self.reason(e), False
            elif kind == 'kvm_userspace_exit':
                if what not in ('exit', 'qemu'):
                    reason = None
                what, is_off = 'qemu', False
            elif kind == 'out':
                letter = self.c.letter(self.c.value(e, 'prev_state'))
                back = what if what in ('exit', 'qemu') else None
                cpu, is_off = e.cpu, True
                if letter in ('R', 'R+'):
                    what, nxt = 'preempted', self.c.task(self.c.value(e, 'next_pid'), e.cpu)
                elif what == 'exit' and reason and reason[1]:
                    what = 'halted'
                else:
                    what = 'blocked'
            elif kind == 'wake':
                what, cpu = 'waiting', e.cpu if self.c.is_switch(e) else self.c.value(e, 'target_cpu')
                is_off = True
            elif kind == 'in':
                what = 'unknown' if self.c.some_cpus else back or 'unknown'
                if what == 'unknown':
                    reason = None
                cpu, is_off = e.cpu, False
                if (tid, e.cpu, t) in contradicted:
                    what, back, reason, is_off = 'unknown', None, None, None


def exits(w, kvm):
    rows = defaultdict(lambda: defaultdict(int))
    for p in kvm.pairs:
        if p.reason is None:
            continue
        row = rows[p.task, p.reason[0]]
        if p.end is None:
            if w.counts(p.begin):
                row['count'] += 1
                row['unpaired'] += 1
        elif w.counts(p.end):
            ns = p.end - p.begin
            row['count'] += 1
            row['time_ns'] += ns
            row['min_ns'] = min(row.get('min_ns', ns), ns)
            row['max_ns'] = max(row['max_ns'], ns)
            row['cpu_ns'] += p.cpu_ns
    return rows


def guest(w, kvm):
    rows = defaultdict(lambda: defaultdict(int))
    for p in kvm.pairs:
        if p.reason is None:
            row = rows[p.task]
            if p.end is None:
                row['unpaired'] += w.counts(p.begin)
            else:
                row['guest_ns'] += w.clipped(p.begin, p.end)
                if w.counts(p.end):
                    row['max_ns'] = max(row['max_ns'], p.end - p.begin)
            row['entries'] += w.counts(p.begin)
    return rows


def vcpu(w, kvm):
    rows = defaultdict(lambda: defaultdict(int))
    for s in kvm.states:
        row, ns = rows[s.task], w.clipped(s.begin, s.end)
        row[s.what + '_ns'] += ns
        if s.what in ('preempted', 'waiting'):
            row['delayed_ns'] += ns
        if s.what in ON_CPU and not s.ended:
            row['edge_ns'] += ns
    return rows


def reasons(w, kvm):
    rows = defaultdict(lambda: defaultdict(int))
    for s in kvm.states:
        if s.what in ('exit', 'qemu'):
            rows[s.task, s.reason and s.reason[0]][s.what + '_ns'] += w.clipped(s.begin, s.end)
    return rows


def antagonists(w, kvm):
    rows = defaultdict(lambda: defaultdict(int))
    for task, other, what, begin, end in kvm.behind:
        if ns := w.clipped(begin, end):
            row = rows[task, other]
            row['behind_ns'] += ns
            row[what + '_ns'] += ns
    for s in kvm.states:
        if s.next is not None and w.counts(s.begin):
            rows[s.task, s.next if not isinstance(s.next, tuple) else 0]['took_over'] += 1
    return rows


def beside(w, kvm, tasks):
    """The users of the other threads of a core while a vCPU was in the guest, by VM; names by @tasks, as cdict has
    them."""
    named, rows = {r['tid']: r for r in tasks}, defaultdict(lambda: defaultdict(int))
    of_pid = {str(r['pid']): r['vm'] for r in tasks if r['vm']}

    def culprit(task, victim):
        if isinstance(task, tuple):
            return 'idle'
        works_for = re.fullmatch(r'(?:vhost-|kvm-pit/)(\d+)', named[task]['comm'])
        vm = named[task]['vm'] or works_for and of_pid.get(works_for[1])
        return 'host' if not vm else 'self' if vm == victim else vm

    on_cpu = defaultdict(list)
    for s in kvm.c.slices:
        on_cpu[s.cpu].append(s)
    for x in kvm.states:
        ns = w.clipped(x.begin, x.end)
        if x.what != 'guest' or not ns or not any(len(c) > 1 for c in kvm.c.core_of.values()):
            continue
        core = kvm.c.core_of.get(x.cpu)
        others = [c for c in core or () if c != x.cpu]
        vm, rest = named[x.task]['vm'] or named[x.task]['name'], ns * max(len(others), 1)
        if core and not others:
            rows[vm, 'alone']['beside_ns'] += rest
            continue
        for c in others:
            at = bisect.bisect_left(on_cpu[c], x.begin, key=lambda s: s.end)
            while at < len(on_cpu[c]) and on_cpu[c][at].begin < x.end:
                s = on_cpu[c][at]
                at += 1
                if not (ns := w.clipped(max(s.begin, x.begin), min(s.end, x.end))):
                    continue
                rows[vm, culprit(s.task, vm)]['beside_ns'] += ns
                rest -= ns
        rows[vm, 'unknown']['beside_ns'] += rest
    return rows
