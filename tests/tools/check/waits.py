#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
waits.py CDICT FILE.cdict [PERF.DATA]: computes every wait for a CPU from the events of `cdict script` and from
doc/figures.md alone ("Woken on its CPU"), and compares it with thread_state of `cdict query`, with `cdict tasks` and `cdict latency`; and, for the events
that perf sees, with each slice of `perf sched timehist` and the longest wait of each task in `perf sched latency -p`.
Prints differences, and on stderr the number of comparisons.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys

EVENT = re.compile(r' *(-?\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +([a-z_]+:[a-z_0-9]+): ?(.*)')
SWITCH = re.compile(r'prev_comm=.* prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> next_comm=.* next_pid=(\d+) next_prio=')
WAKE = re.compile(r'comm=.* pid=(\d+) prio=-?\d+')
RUNNABLE = 'R', 'R+'


class Wait:
    """@begin: by our rule; @out, @waking, @up: the switch-out, and the first wake-ups since."""

    def __init__(self, tid, begin, end, task):
        self.tid, self.begin, self.end = tid, begin, end
        self.state, self.out, self.waking, self.up = task.state, task.out, task.waking, task.up
        self.woken = task.first


class Task:
    def __init__(self):
        self.on = self.out = self.state = None
        self.early = self.late = False
        self.forget()

    def begin(self):
        """The begin of its wait, or None."""
        if self.on:
            return None
        if self.on is False and self.state in RUNNABLE:
            return self.out
        return self.out if self.on is False and self.first is None and self.late else self.first

    def forget(self):
        self.first = self.waking = self.up = None


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors='replace', stdin=subprocess.DEVNULL).stdout


def events_of(lines):
    for line in lines.splitlines():
        m = EVENT.match(line)
        if m:
            yield int(m[3]) * 10**9 + int(m[4]), int(m[2]), m[5], m[6]


def model(events):
    """The waits that ended; those that the last event cuts; when all CPUs had begun; the last event."""
    events = list(events)
    names = {name for _, _, name, _ in events}
    has_waking, has_wakeup = 'sched:sched_waking' in names, 'sched:sched_wakeup' in names
    tasks, waits, first = {}, [], {}
    for t, cpu, name, text in events:
        first.setdefault(cpu, t)
        if name == 'sched:sched_switch':
            m = SWITCH.match(text)
            prev, state, next_ = int(m[1]), m[2], int(m[3])
            task = tasks.setdefault(prev, Task())
            task.on, task.out, task.state = False, t, state
            task.late = task.early and not has_wakeup
            task.forget()
            if not next_:
                continue
            task = tasks.setdefault(next_, Task())
            if task.begin() is not None:
                waits.append(Wait(next_, task.begin(), t, task))
            task.on, task.early = True, False
            task.forget()
        elif name in ('sched:sched_waking', 'sched:sched_wakeup', 'sched:sched_wakeup_new'):
            m = WAKE.match(text)
            if 'success=0' in text or not int(m[1]):
                continue
            task = tasks.setdefault(int(m[1]), Task())
            task.early |= task.on is not False
            if task.on:
                continue
            task.first = task.first or t
            if name == 'sched:sched_wakeup' and has_waking:
                task.up = task.up or t
            elif name == 'sched:sched_waking':
                task.waking = task.waking or t
            else:
                task.up, task.waking = task.up or t, task.waking or t
    last = max((e[0] for e in events), default=0)
    cut = [Wait(tid, task.begin(), last, task) for tid, task in tasks.items() if tid and task.begin() is not None]
    return waits, cut, max(first.values(), default=0), last


def differ(what, expected, got):
    for side, only in (('missing', expected - got), ('not so', got - expected)):
        if only:
            print(f'{what}: {len(only)} {side}, of {len(expected)}: {sorted(only)[:3]}')


def query(cdict, file, sql, *options):
    return list(csv.reader(io.StringIO(run(cdict, 'query', '-q', '--max-loss', '100', '--format', 'csv', *options, sql, file))))[1:]


def table(cdict, name, file, *options):
    return json.loads(run(cdict, name, '-q', '--max-loss', '100', '--json', *options, file))


STATES = "SELECT tid, ts, ts_end, state FROM thread_state JOIN thread USING (utid) WHERE utid AND state IN ('R', 'R+') ORDER BY utid, ts"


def thread_states(cdict, file):
    """The stretches of thread_state in which a task could have run: two rows that touch are one."""
    got = []
    for tid, ts, end, _ in query(cdict, file, STATES):
        if got and got[-1][0] == int(tid) and got[-1][2] == int(ts):
            got[-1][2] = int(end)
        else:
            got.append([int(tid), int(ts), int(end)])
    return {tuple(g) for g in got}


def ours(cdict, file):
    waits, cut, begun, last = model(events_of(run(cdict, 'script', '-G', '--max-loss', '100', file)))
    # Waits that begin while the recording is still starting, or that its end cuts, are not compared.
    expected = {(w.tid, w.begin, w.end) for w in waits if w.begin > begun and w.end < last}
    got = {g for g in thread_states(cdict, file) if g[1] > begun and g[2] < last}
    differ('thread_state', expected, got)
    tasks = table(cdict, 'tasks', file, '-v')['tasks']
    worst = {}
    for w in waits + cut:
        worst[w.tid] = max(worst.get(w.tid, 0), w.end - w.begin)
    late = {w.tid for w in waits + cut if w.begin <= begun}
    differ('the longest of tasks', {(t, ns) for t, ns in worst.items() if ns and t not in late},
           {(t['tid'], t['worst_ns']) for t in tasks if t['worst_ns'] and t['tid'] not in late})
    woken = {}
    for w in waits:
        if w.woken or w.begin == w.out and w.state not in RUNNABLE:
            n, sum_, max_ = woken.get(w.tid, (0, 0, 0))
            ns = w.end - (w.woken or w.begin)
            woken[w.tid] = n + 1, sum_ + ns, max(max_, ns)
    differ('latency', {(t, *of) for t, of in woken.items() if t not in late},
           {(r['tid'], r['latency_count'], r['latency_ns'], r['latency_max_ns'])
            for r in table(cdict, 'latency', file)['latency'] if r['latency_count'] and r['tid'] not in late})
    print(f'{file}: {len(expected)} waits, {sum(1 for w in waits if w.waking is None and w.up)} of them begun by a wakeup; {len(cut)} are cut',
          file=sys.stderr)


ROW = re.compile(r' *(\d+)\.(\d{6}) \[\d+\] +.*?\[(\d+)(?:/\d+)?\] +(?:\S+ +)?(-?[\d.]+) +(-?[\d.]+) +(-?[\d.]+) *$')
LONGEST = re.compile(r' *.*:(\d+) +\| .*\| max: +([\d.]+) ms \| max start: +(\d+)\.(\d+) s \| max end: +(\d+)\.(\d+) s')


def us(seconds, fraction):
    return int(seconds) * 10**6 + int(fraction.ljust(6, '0')[:6])


def near(a, b, by=1):
    return abs(a - b) <= by


def perf(data):
    """perf's own waits, by its own rules (doc/figures.md, "Differences from perf")."""
    seen = run('perf', 'script', '--guest-code', '--ns', '--hide-call-graph', '-F', 'tid,cpu,time,event,trace', '-i', data)
    waits, *_ = model(events_of(seen))
    known = {}
    for w in waits:
        known.setdefault(w.tid, w.out)
    by_end = {}
    for w in waits:
        by_end.setdefault((w.tid, w.end // 1000), []).append(w)
    n = 0
    for m in map(ROW.match, run('perf', 'sched', 'timehist', '-i', data).splitlines()):
        delay = m and round(float(m[5]) * 1000)
        if not delay or m[3] == '0':
            continue
        begun, n = us(m[1], m[2]) - round(float(m[6]) * 1000), n + 1
        found = [w for d in (-1, 0, 1) for w in by_end.get((int(m[3]), begun + d), []) if w.waking and
                 near((w.end - w.waking) // 1000, delay)]
        if not found:
            print(f'timehist: {m[3]} waited {delay} us up to {begun} us, not to us')
    longest = 0
    for m in map(LONGEST.match, run('perf', 'sched', 'latency', '-p', '-i', data).splitlines()):
        if not m or not float(m[2]):
            continue
        tid, start, end, longest = int(m[1]), us(m[3], m[4]), us(m[5], m[6]), longest + 1
        found = [w for d in (-1, 0, 1) for w in by_end.get((tid, end + d), [])
                 if near((w.out if w.state == 'R' else w.up or w.waking or 0) // 1000, start)]
        # the first sight of a task, by sched_stat_runtime too, begins a wait to perf
        if not found and (tid not in known or known[tid] is None or start <= known[tid] // 1000):
            continue
        if not found:
            print(f'perf sched latency: {tid} waited longest from {start} to {end} us, not to us')
        elif max(w.end - w.begin for w in waits if w.tid == tid) // 1000 + 1 < end - start:
            print(f'{tid} waited {end - start} us to perf, and never so long to us')
    print(f'{data}: {n} slices of timehist, {longest} longest waits of perf', file=sys.stderr)


def sums(cdict, file):
    """The delay of tasks is the sum of the runnable states of thread_state, for the whole and for a fifth of 50 windows (EVERY=1: all)."""
    first, last = (int(v) for v in query(cdict, file, 'SELECT start_ts, end_ts FROM trace_bounds')[0])
    n = 50
    skipped = set() if os.environ.get('EVERY') == '1' else {i for i in range(n) if (i + int(os.environ.get('SAMPLE') or 0)) % 5}
    for i in sorted({*range(-1, n)} - skipped):
        at = [f'--time={100 * i / n:g}%-{100 * (i + 1) / n:g}%'] if i >= 0 else []
        states = {(int(utid), int(tid), int(ns)) for utid, tid, ns in query(
            cdict, file, "SELECT utid, tid, sum(dur) FROM thread_state JOIN thread USING (utid) WHERE utid AND state IN ('R', 'R+') "
            'GROUP BY utid', *at) if int(ns)}
        tasks = [(t['tid'], t['delayed_ns']) for t in table(cdict, 'tasks', file, '-v', *at)['tasks'] if t['delayed_ns']]
        got = sorted((tid, ns) for _, tid, ns in states)
        if sorted(tasks) != got:
            print(f'{at}: {len(set(tasks) ^ set(got))} of {len(tasks)} tasks differ: {sorted(set(tasks) ^ set(got))[:4]}')
            break
    print(f'{file}: {n - len(skipped)} of {n} windows of {last - first} ns', file=sys.stderr)


cdict, file, *rest = sys.argv[1:]
if rest[:1] == ['--sums']:
    sums(cdict, file)
else:
    ours(cdict, file)
    for data in rest:
        perf(data)
