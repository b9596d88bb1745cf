# SPDX-License-Identifier: GPL-2.0-only
"""
The contents of a whole capture, by doc/figures.md, as lists of intervals and instants.

Windows are handled elsewhere: figures.py clips and counts.  A task is its tid; IDLE is ('idle', cpu).
"""
import bisect
import os
import re
import sys
from collections import defaultdict, namedtuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import secondread  # noqa: E402

# A task on a CPU.  begun, ended: that end was seen as a switch; state: prev_state's letter.
Slice = namedtuple('Slice', 'task cpu begin end begun ended state next')
# A task off the CPU, with the letter of the state in which it left; ended: by a switch-in.
Off = namedtuple('Off', 'task cpu begin end state ended')
# A wait that ended on a CPU; woken: after a wake-up, else after a preemption.
Wait = namedtuple('Wait', 'task cpu begin end woken')
Switch = namedtuple('Switch', 't cpu task next voluntary')
Wakeup = namedtuple('Wakeup', 't cpu task')
Move = namedtuple('Move', 't task cpu')
Gap = namedtuple('Gap', 'cpu begin end')

WAKES = 'sched:sched_waking', 'sched:sched_wakeup', 'sched:sched_wakeup_new'
HOLES = 0, 1, 2, 4 # of LOSS rows: RING, SAMPLES, THROTTLE, DAMAGE


def letters_of(event_type):
    """What prev_state's bits mean, from the recorded print format: [(bit, letter)]."""
    text = event_type.format.decode('latin1')
    print_fmt = text[text.index('print fmt:'):]
    return [(int(number, 0), letter) for number, letter in
            re.findall(r'\{\s*(0x[0-9a-f]+|[0-9]+),\s*"(.)"\s*\}', print_fmt)]


def merged(cpu, times):
    """Gaps that overlap or touch are one."""
    out = []
    for begin, end in sorted(times):
        if out and begin <= out[-1].end:
            out[-1] = Gap(cpu, out[-1].begin, max(end, out[-1].end))
        else:
            out.append(Gap(cpu, begin, end))
    return out


class Capture:
    def __init__(self, path):
        with open(path, 'rb') as f:
            self.file = secondread.Cdict(f.read())
        self.events = [e for e in self.file.events()]
        self.names = {t.name for t in self.file.types}
        self.first = self.events[0].t
        self.last = max([self.events[-1].t] + [end for what, _, _, _, end, _ in self.file.losses
                                               if what in HOLES and end < (1 << 64) - 1])
        topology = self.file.info.get(b'topology.core', b'')
        self.cpus = range(max([topology.count(b',') if topology else -1] +
                              [e.cpu for e in self.events if e.cpu is not None]) + 1)
        self.core_of = {} # CPU -> those of its core
        for core in self.file.info.get(b'topology.threads', b'').decode('latin1').split():
            threads = [c for part in core.split(',') for c in range(int(part.split('-')[0]),
                                                                    int(part.split('-')[-1]) + 1)]
            self.core_of.update({c: threads for c in threads})
        self.fields = {t.name: {f.name: i for i, f in enumerate(t.fields)}
                       for t in self.file.types}
        self.letters = []
        for t in self.file.types:
            if t.name == 'sched:sched_switch':
                self.letters = letters_of(t)
        self.find_kind()
        if self.foreign: # the kernel's own tid is in every payload
            for e in self.events:
                e.tid = self.value(e, 'common_pid')
            self.file.tasks.clear()
        self.gaps = self.read_gaps()
        self.switches, self.slices, self.unknown = [], [], []
        self.wakeups, self.offs, self.waits, self.moves = [], [], [], []
        self.iowaits = defaultdict(list)
        self.torn = []
        self.came_unseen = {} # (task, CPU, switch-out) -> since when the CPU is unknown
        self.count_events()
        self.find_sightings()
        for cpu in self.cpus:
            self.follow_cpu(cpu)
        self.slices.sort(key=lambda s: (s.begin, s.end))
        self.follow_tasks()

    def find_kind(self):
        """The recorded scope, from the file, or from the recorder's command line."""
        scope = self.file.info.get(b'record.scope', b'').decode('latin1').split()
        words = self.file.info.get(b'perf.cmdline', b'').decode('latin1').split()
        if not scope and 'record' in words and b'record.cpus' not in self.file.info:
            options = words[:words.index('--')] if '--' in words else words
            if any(re.match('(-C|--cpu)', o) for o in options):
                scope = ['cpus']
            elif not any(re.match('(-[a-zA-Z]*a$|--all-cpus$)', o) for o in options) and (
                    '--' in words or any(re.match('(-[ptuG]|--per-thread)', o) for o in options)):
                scope = ['tasks']
            scope += ['overwrite'] if '--overwrite' in options else []
        self.some_cpus, self.some_tasks = 'cpus' in scope, 'tasks' in scope
        self.overwritten, self.filtered = 'overwrite' in scope, 'switch-filter' in scope
        self.foreign = 'foreign-pids' in scope
        self.begins = next((int(w[7:]) for w in scope if w.startswith('begins=')), 0)
        if b'input.mode' in self.file.info and self.begins != self.when_all_were_on():
            raise SystemExit(f'begins={self.begins}, evaluated {self.when_all_were_on()}')
        if self.filtered: # as without them
            self.names.discard('sched:sched_switch')

    def when_all_were_on(self):
        """Until when the recorder went from CPU to CPU: the same task is first on some of them."""
        if self.some_tasks or self.filtered or self.overwritten or \
                'sched:sched_switch' not in self.names:
            return 0
        if self.file.info.get(b'source') == b'trace-cmd': # switched on by one word
            return 0
        firsts, leavers = {}, {}
        for e in self.events:
            if e.cpu is not None:
                firsts.setdefault(e.cpu, e)
                if e.type.name == 'sched:sched_switch':
                    leavers.setdefault(e.cpu, e.tid)
        stops = [e for cpu, e in sorted(firsts.items()) if e.tid > 0 and leavers.get(cpu) == e.tid]
        return max([e.t for i, e in enumerate(stops) if e.t > self.first and
                    any(other.tid == e.tid and other.t < e.t for other in stops[:i])], default=0)

    def value(self, event, name):
        return event.values[self.fields[event.type.name][name]]

    def read_gaps(self):
        """Per CPU the times in which any event is missing, in order, merged."""
        gaps = defaultdict(list)
        for what, cpu, kind, begin, end, _ in self.file.losses:
            if what in HOLES and kind < 0 or what in HOLES and self.file.types[kind].name == \
                    'sched:sched_switch':
                for c in self.cpus if cpu < 0 else [cpu]:
                    gaps[c].append((max(begin, self.first), min(end, self.last)))
        until = self.last if self.overwritten else self.begins
        if until: # each CPU begins where its ring does, or where the recorder switched it on
            first = {}
            for e in self.events:
                first.setdefault(e.cpu, e.t)
            for c in self.cpus:
                gaps[c].append((self.first, min(first.get(c, until), until)))
        self.any_gap = merged(None, [g for rows in gaps.values() for g in rows])
        return {cpu: merged(cpu, rows) for cpu, rows in gaps.items()}

    def is_switch(self, e):
        return e.type.name == 'sched:sched_switch' and not self.filtered

    def is_of_others(self, e):
        """Is it also given to the task that it is about, whichever task runs?"""
        if e.type.name == 'sched:sched_stat_runtime' and self.value(e, 'pid') == e.tid:
            return False
        return e.type.name.startswith(('sched:sched_wak', 'sched:sched_stat_'))

    @staticmethod
    def task(tid, cpu):
        return tid if tid else ('idle', cpu)

    def letter(self, state):
        """The lowest bit that has one decides; else R, and R+ with a bit that says: preempted."""
        for bit, letter in sorted(self.letters):
            if state & bit:
                return letter
        return 'R+' if state else 'R'

    def is_missing(self, t):
        """Are events of any CPU missing around t?"""
        at = bisect.bisect_left(self.any_gap, t, key=lambda g: g.end)
        while at < len(self.any_gap) and self.any_gap[at].end <= t:
            at += 1
        return at < len(self.any_gap) and self.any_gap[at].begin < t

    def was_iowait(self, off):
        """Did the kernel say of a time in D that it was I/O?"""
        return any(off.begin < t <= off.end for t in self.iowaits.get(off.task, ()))

    def count_events(self):
        self.of_task = defaultdict(list)
        for e in self.events:
            if e.tid >= 0:
                self.of_task[self.task(e.tid, e.cpu)].append(e.t)

    def has_figures(self, task):
        return task in self.recorded or not self.some_tasks

    def find_sightings(self):
        """task -> sorted times and CPUs of where it was certainly on a CPU."""
        sightings, known, self.seen = defaultdict(list), {}, []
        self.places = defaultdict(list) # task -> (order, t) of its sightings
        self.recorded, self.others = set(), set()
        self.switch_at = defaultdict(list)
        self.on_cpu = defaultdict(list) # CPU -> (t, order, prev or None, task, letter)
        self.accounted = defaultdict(list) # task -> (order, t, runtime) of sched_stat_runtime
        self.came = [] # (task, t, order, cpu) of switches in that sched_stat_runtime implies
        self.born, self.gone = defaultdict(list), {}
        for what, t, _, tid, _ in self.file.tasks:
            if what == 0 and t:
                self.born[tid].append(t)
            elif what == 3:
                self.gone[tid] = t
                self.recorded.add(tid)
        for order, e in enumerate(self.events):
            if e.type.name == 'sched:sched_stat_runtime':
                self.accounted[self.value(e, 'pid')].append((order, e.t, self.value(e, 'runtime')))
            elif e.type.name == 'sched:sched_process_fork':
                self.born[self.value(e, 'child_pid')].append(e.t)
            if e.cpu is None:
                continue
            if self.is_switch(e):
                prev = self.task(self.value(e, 'prev_pid'), e.cpu)
                task = self.task(self.value(e, 'next_pid'), e.cpu)
                letter = self.letter(self.value(e, 'prev_state'))
                self.on_cpu[e.cpu].append((e.t, order, prev, task, letter))
                self.places[prev].append((order, e.t))
                self.places[task].append((order, e.t))
                sightings[prev].append((e.t, e.cpu))
                sightings[task].append((e.t, e.cpu))
                known[e.cpu] = e.t
                self.switch_at[e.cpu].append((e.t, order + .5))
                self.recorded.add(prev)
                self.switches.append(Switch(e.t, e.cpu, prev, task, letter not in ('R', 'R+')))
            elif e.tid >= 0:
                task = self.task(e.tid, e.cpu)
                self.on_cpu[e.cpu].append((e.t, order, None, task, None))
                if self.some_tasks:
                    if not self.is_of_others(e):
                        self.places[task].append((order, e.t))
                        sightings[task].append((e.t, e.cpu))
                        self.seen.append((e.t, order, e.cpu, task))
                        self.recorded.add(task)
                    else:
                        self.others.add(order)
                    continue
                gaps = self.gaps.get(e.cpu, ())
                if e.cpu not in known or any(known[e.cpu] < g.end and g.begin < e.t for g in gaps):
                    sightings[task].append((e.t, e.cpu))
                    self.seen.append((e.t, order, e.cpu, task))
        self.sightings = sightings

    def elsewhere(self, task, cpu, begin, end):
        """Was the task seen on another CPU in (begin, end)?"""
        seen = self.sightings.get(task, ())
        at = bisect.bisect_left(seen, (begin, -1))
        while at < len(seen) and seen[at][0] <= end:
            if seen[at][1] != cpu and (seen[at][0] > begin or begin == self.first):
                return True
            at += 1
        return False

    def follow_cpu(self, cpu):
        """The tasks that ran on the CPU: cuts its time at the gaps."""
        begin, after, events = self.first, 0, self.on_cpu[cpu]
        has_switches = 'sched:sched_switch' in self.names
        for gap in [*self.gaps.get(cpu, ()), None]:
            end = gap.begin if gap else self.last
            rows = [e for e in events if max(begin, after) <= e[0] <= end]
            if has_switches:
                follow = self.follow_recorded if self.some_tasks else self.follow_stretch
                follow(cpu, begin, end, rows, gap is None)
            else:
                self.unknown.append(Gap(cpu, begin, end))
            if gap:
                self.unknown.append(gap)
                begin = gap.end
                after = begin + (gap.begin == gap.end > self.first) # those at its time were before it

    def follow_stretch(self, cpu, begin, end, rows, is_last):
        """A stretch of a CPU's time in which nothing is missing."""
        runner = None  # the running task
        since = begin  # its start, or the start of the unknown time
        switched = False  # known from a switch
        last_seen = begin
        for t, _, prev, task, letter in rows:
            if prev is None:  # a sample
                if switched:
                    continue
                if runner is None:
                    runner = task
                    if self.elsewhere(task, cpu, begin, t):
                        self.unknown.append(Gap(cpu, since, t))
                        since = t
                elif runner != task or self.elsewhere(runner, cpu, last_seen, t):
                    self.slices.append(Slice(runner, cpu, since, last_seen, False, False, None, None))
                    self.unknown.append(Gap(cpu, last_seen, t))
                    runner, since = task, t
                last_seen = t
                continue
            if runner is None and not self.elsewhere(prev, cpu, begin, t):
                runner = prev
            if runner is None:
                self.unknown.append(Gap(cpu, since, t))
                self.slices.append(Slice(prev, cpu, t, t, False, True, letter, task))
            elif runner == prev and not self.elsewhere(prev, cpu, since if switched else last_seen, t):
                self.slices.append(Slice(prev, cpu, since, t, switched, True, letter, task))
            elif switched:
                self.unknown.append(Gap(cpu, since, t))
                self.slices.append(Slice(runner, cpu, since, since, True, False, None, None))
                self.slices.append(Slice(prev, cpu, t, t, False, True, letter, task))
                self.came_unseen[prev, cpu, t] = since
            else:  # samples of another task before, or it was elsewhere in between
                self.slices.append(Slice(runner, cpu, since, last_seen, False, False, None, None))
                self.unknown.append(Gap(cpu, last_seen, t))
                self.slices.append(Slice(prev, cpu, t, t, False, True, letter, task))
            runner, since, switched = task, t, True
        if runner is None:
            self.unknown.append(Gap(cpu, since, end))
        elif not switched and self.elsewhere(runner, cpu, last_seen, end):
            self.slices.append(Slice(runner, cpu, since, last_seen, False, False, None, None))
            self.unknown.append(Gap(cpu, last_seen, end))
        elif is_last and self.elsewhere(runner, cpu, since, end):
            self.unknown.append(Gap(cpu, since, end))
            self.slices.append(Slice(runner, cpu, since, since, switched, False, None, None))
        else:
            self.slices.append(Slice(runner, cpu, since, end, switched, False, None, None))

    def left_at(self, runner, before, first):
        """The order of the event that shows that the task, last seen at before, has left that CPU."""
        if before is None:
            return -1
        order, t = before
        cpu = self.events[order].cpu
        gap = min((g.begin for g in self.gaps.get(cpu, ()) if g.end > t), default=self.last + 1)
        rows = self.on_cpu[cpu]
        for t, other, prev, task, _ in rows[bisect.bisect_right(rows, t, key=lambda row: row[0]):]:
            if other >= first[0]:
                break
            if t > gap:
                return max(order, bisect.bisect_right(self.events, gap, key=lambda e: e.t) - 1)
            if runner != (task if prev is None else prev):
                return other - 1
        return order

    def begin_of(self, runner, since, first, end, switched):
        """A slice of which the first event is first, (order, t), and the last at end, (order, t): when it
        began according to its accounted time, and whether that is its switch-in."""
        places = self.places[runner]
        at = bisect.bisect_left(places, first)
        before = places[at - 1] if at else None # where it was last seen
        births = [t for t in self.born[runner] if t <= first[1]]
        after = self.left_at(runner, before, first)
        stats = [s for s in self.accounted[runner] if after < s[0] <= end[0]]
        if not stats:
            return first[1], False
        t = stats[0][1] - stats[0][2]
        if switched:
            t += end[1] - stats[-1][1]
        floor = max([since] + ([before[1]] if before else []) + births)
        known = (before is not None or bool(births)) and (t >= floor or floor > self.first)
        return min(max(t, floor), first[1]), known

    def follow_recorded(self, cpu, begin, end, rows, is_last):
        """The same of a recording of some tasks: only their own events concern the CPU.  A task
        switched in runs when it is one of them; else the running task is unknown until one appears."""
        runner, since, begun, last_seen = None, begin, False, begin
        first = None # its first event, (order, t), when it is not known from a switch
        if 'sched:sched_stat_runtime' not in self.names:
            self.unknown.append(Gap(cpu, begin, end))
            return

        def close(t, order, ended, letter=None, task=None):
            nonlocal since, begun
            if runner is None:
                self.unknown.append(Gap(cpu, since, t))
                return
            if first is not None:
                unseen = since
                since, begun = self.begin_of(runner, since, first, (order, t), ended)
                self.unknown.append(Gap(cpu, unseen, since))
                if begun:
                    self.came.append((runner, since, first[0], cpu))
            self.slices.append(Slice(runner, cpu, since, t, begun, ended, letter, task))

        def lose(t, order): # its switch-out is missing
            nonlocal runner, since, first
            if runner is not None:
                at = last_seen
                if last_seen < self.gone.get(runner, end + 1) <= t:
                    at = self.gone[runner]
                close(at, order, False)
                runner, since = None, at
            first = None

        for t, order, prev, task, letter in rows:
            shown = task if prev is None else prev
            if runner is not None and (shown != runner or self.elsewhere(runner, cpu, last_seen, t)):
                lose(t, order)
            if order in self.others:
                continue
            if runner is None:
                runner, first, begun = shown, (order, t), False
            last_seen = t
            if prev is not None:
                close(t, order, True, letter, task)
                runner, since, begun = task if task in self.recorded else None, t, task in self.recorded
                first = None
        before = bisect.bisect_right(self.events, end, key=lambda e: e.t)
        if not is_last or self.elsewhere(runner, cpu, last_seen, end) or \
                self.gone.get(runner, end) < end:
            lose(end, before)
        close(end, before, False)

    def follow_tasks(self):
        """The states of each task between its slices."""
        wake_name = next((n for n in ('sched:sched_waking', 'sched:sched_wakeup')
                          if n in self.names), None)
        self.has_wakeups = wake_name is not None
        happened = defaultdict(list)
        for order, e in enumerate(self.events):
            name = e.type.name
            if name in WAKES:
                if not self.wakes(e):
                    continue
                task = self.value(e, 'pid')
                if name in (wake_name, 'sched:sched_wakeup_new'):
                    self.wakeups.append(Wakeup(e.t, e.cpu, task))
                happened[task].append((e.t, order, 'wake', e.cpu))
            elif name == 'sched:sched_stat_iowait':
                self.iowaits[self.value(e, 'pid')].append(e.t)
            elif name == 'sched:sched_process_fork':
                happened[self.value(e, 'child_pid')].append((e.t, order, 'birth', None))
            elif self.is_switch(e) and e.cpu is not None:
                prev = self.task(self.value(e, 'prev_pid'), e.cpu)
                task = self.task(self.value(e, 'next_pid'), e.cpu)
                happened[prev].append((e.t, order, 'out', e.cpu))
                happened[task].append((e.t, order + .5, 'in', e.cpu))
        for t, order, cpu, task in self.seen:
            happened[task].append((t, order, 'seen', cpu))
        for task, t, order, cpu in self.came:
            happened[task].append((t, order - .5, 'in', cpu))
        for what, t, _, tid, _ in self.file.tasks:
            if what == 0 and t:
                happened[tid].append((t, -1, 'birth', None))
        outs = self.outs = {(s.task, s.cpu, s.end): s for s in self.slices if s.ended}
        ins = {(s.task, s.cpu, s.begin): s for s in self.slices if s.begun}
        gaps = sorted(g.begin for rows in self.gaps.values() for g in rows)
        self.unseen = {(g.cpu, g.end): g.begin for g in self.unknown if g.begin < g.end}
        for task, rows in happened.items():
            if self.some_tasks and task not in self.recorded:
                continue
            rows.sort(key=lambda row: row[:2])
            self.wake_late(rows, lambda t, where, task=task: outs.get((task, where, t)))
            self.follow_task(task, rows, outs, ins, gaps)
        if self.some_tasks and 'sched:sched_stat_runtime' not in self.names:
            self.offs, self.waits, self.moves = [], [], []
        if self.some_cpus: # a task that is off them may run on another
            self.offs, self.waits, self.moves = [], [], []
        self.find_unknown(happened)

    def wakes(self, e):
        """Whether the wake-up woke its task: before Linux 4.3 the event says."""
        return 'success' not in self.fields[e.type.name] or self.value(e, 'success')

    def wake_late(self, rows, slice_of):
        """Without sched_wakeup: a sleeper that nothing woke after its switch-out was woken before it, and waits since then."""
        if 'sched:sched_wakeup' in self.names or self.some_tasks or self.some_cpus:
            return # a task that was not recorded may have woken it since
        on, early, since = False, False, None
        for t, order, what, where in list(rows):
            if what == 'wake':
                early, since = early or on, None
            elif what == 'out':
                s = slice_of(t, where)
                since = (t, order + .25, 'wake', where) if early and s and s.state[:1] not in 'RXZ' else None
                on = early = False
            elif what in ('in', 'seen'):
                if what == 'in' and since:
                    rows.append(since)
                on, since = True, None
        rows.sort(key=lambda row: row[:2])

    def find_unknown(self, happened):
        """(task, begin, end): since it was first seen it neither ran nor was off a CPU, for all that is known."""
        self.unknown_of = []
        if self.some_tasks and 'sched:sched_stat_runtime' not in self.names:
            return
        known = defaultdict(list)
        for s in self.slices + self.offs:
            known[s.task].append((s.begin, s.end))
        dead = {(s.task, s.cpu, s.end) for s in self.slices if s.state in ('X', 'Z')}
        gone = {tid: t for what, t, _, tid, _ in self.file.tasks if what == 3}
        for task, rows in happened.items() if 'sched:sched_switch' in self.names else ():
            if isinstance(task, tuple): # as its CPU
                self.unknown_of += [(task, g.begin, g.end) for g in self.unknown
                                    if g.cpu == task[1]]
                continue
            lives, first, born = [], None, 0 # [first seen, dead]
            for t, _, what, where in rows:
                if what not in ('birth', 'wake') and first is None:
                    first = t
                    if what == 'out' and not lives: # there was no event of it before
                        first = max(self.came_unseen.get((task, where, t), t), born)
                if what == 'birth' or (what == 'out' and (task, where, t) in dead):
                    if first is not None:
                        lives.append((first, t))
                    first = None
                    born = t
            if first is not None:
                own = [t for t, _, what, _ in rows if what != 'wake']
                lives.append((first, max(own[-1], min(self.last, gone.get(task, self.last)))))
            for begin, end in lives:
                at = begin
                for b, e in sorted(known[task]) + [(end, end)]:
                    if b > at:
                        self.unknown_of.append((task, at, min(b, end)))
                    at = max(at, e)

    def off_until(self, off, cpu, t):
        """A task turns up on cpu at t, and its switch-in is missing: the task that ran there
        before is unknown, but until then it was another one."""
        return max(off.end, self.unseen.get((cpu, t), t))

    def follow_task(self, task, rows, outs, ins, gaps):
        on, off, woken, cpu = None, None, None, None
        deaf = (-1, 0) # its switch-out is missing, which shows only then
        torn = False # events were lost while it waited: that wait does not count
        gap_at = 0
        for t, order, what, where in rows:
            while gap_at < len(gaps) and gaps[gap_at] < t:
                g = gaps[gap_at]
                gap_at += 1
                if on is None and off:
                    if not self.some_tasks:
                        self.offs.append(Off(task, off.cpu, off.end, g, off.state, False))
                    off = None
                if on is None and woken is not None:
                    torn = True
            if what in ('birth', 'seen', 'out'):
                deaf = -1, 0
            if what in ('seen', 'out') and off and on is None and not self.some_tasks:
                self.offs.append(Off(task, off.cpu, off.end, self.off_until(off, where, t), off.state, False))
            if what == 'birth':
                on = off = woken = cpu = None
            elif what == 'seen':
                off, woken, cpu = None, None, where
            elif what == 'wake':
                if on is None and woken is None and (t, order) > deaf:
                    woken, torn = t, self.is_missing(t)
            elif what == 'out':
                s = outs.get((task, where, t))
                on, woken, off, cpu = None, None, s, where
                if s and s.state in ('X', 'Z'):
                    off = cpu = None
                if self.is_missing(t):
                    off = None # it may have run while events were missing
            else:
                s = ins.get((task, where, t))
                if on is None:
                    if off:
                        self.offs.append(Off(task, off.cpu, off.end, t, off.state, True))
                    if woken is not None:
                        if not torn:
                            self.waits.append(Wait(task, where, woken, t, True))
                    elif off and off.state in ('R', 'R+') and not isinstance(task, tuple):
                        self.waits.append(Wait(task, where, off.end, t, False))
                    if cpu is not None and cpu != where:
                        self.moves.append(Move(t, task, where))
                on, off, woken, cpu = s, None, None, where
                deaf = -1, 0
                if s and not s.ended:
                    on = None # until another task was switched out instead, or the end
                    shows = next((n for n in self.switch_at[where] if n > (t, order)),
                                 (self.last, 1 << 60))
                    if s.begin == s.end and not any(t <= g.begin < shows[0]
                                                    for g in self.gaps.get(where, ())):
                        deaf = shows
        if off and on is None and not self.some_tasks:
            end = next((g for g in gaps[gap_at:]), self.last)
            self.offs.append(Off(task, off.cpu, off.end, end, off.state, False))
