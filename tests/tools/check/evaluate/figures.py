# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a window, from the intervals and instants of a whole capture."""
import bisect
from collections import defaultdict


class Window:
    def __init__(self, capture, begin, end):
        self.capture, self.begin, self.end, self.last = capture, begin, end, True

    def counts(self, t):
        return self.begin <= t < self.end or (
            self.last and t == self.end == self.capture.last)

    def clipped(self, begin, end):
        return max(0, min(end, self.end) - max(begin, self.begin))


def is_idle(task):
    return isinstance(task, tuple)


def row_of(task):
    """A task as the tables name it: tid and CPU, the latter for IDLE only."""
    return (0, task[1]) if is_idle(task) else (task, None)


def tasks(w):
    c = w.capture
    rows = defaultdict(lambda: defaultdict(int))
    lists = defaultdict(lambda: defaultdict(list))
    for s in c.slices:
        row = rows[s.task]
        ns = w.clipped(s.begin, s.end)
        row['run_ns'] += ns
        if not (s.begun and s.ended):
            row['edge_ns'] += ns
        elif w.counts(s.end):
            lists[s.task]['slice'].append((s.end - s.begin, s.end))
    for s in c.switches:
        if w.counts(s.t):
            row = rows[s.task]
            row['switches'] += 1
            if not is_idle(s.task):
                row['voluntary' if s.voluntary else 'involuntary'] += 1
    for o in c.offs:
        ns = w.clipped(o.begin, o.end)
        kind = {'S': 'sleep_ns', 'I': 'sleep_ns', 'D': 'block_ns', 'R': 'preempt_ns',
                'R+': 'preempt_ns'}.get(o.state)
        if kind and not is_idle(o.task):
            rows[o.task][kind] += ns
        if o.state == 'D' and c.was_iowait(o):
            rows[o.task]['iowait_ns'] += ns
    for task, begin, end in c.unknown_of:
        rows[task]['unknown_ns'] += w.clipped(begin, end)
    if c.has_wakeups:
        for u in c.wakeups:
            if w.counts(u.t):
                rows[u.task]['wakeups'] += 1
    for m in c.moves:
        if w.counts(m.t):
            rows[m.task]['migrations'] += 1
    for x in c.waits:
        if x.woken and c.has_wakeups and w.counts(x.end):
            lists[x.task]['latency'].append((x.end - x.begin, x.begin))
    for task, times in c.of_task.items():
        n = bisect.bisect_left(times, w.end) - bisect.bisect_left(times, w.begin)
        if w.end == c.last:
            n += len(times) - bisect.bisect_left(times, w.end)
        if n:
            rows[task]['events'] = n
    for task, row in rows.items():
        for name in ('latency', 'slice'):
            values = lists[task][name]
            row[f'{name}_avg_ns'] = sum(v for v, _ in values) // len(values) if values else None
            row[f'{name}_max_ns'] = max(v for v, _ in values) if values else None
    return {row_of(task): row for task, row in rows.items() if c.has_figures(task)}


def latency(w):
    rows = defaultdict(lambda: defaultdict(int))
    for x in sorted(w.capture.waits, key=lambda x: x.end):
        if w.counts(x.end) and (w.capture.has_wakeups or not x.woken):
            row, kind, ns = rows[row_of(x.task)], 'latency' if x.woken else 'preempt', x.end - x.begin
            row[f'{kind}_count'] += 1
            row[f'{kind}_ns'] += ns
            if ns > row.get(f'{kind}_max_ns', -1):
                row[f'{kind}_max_ns'], row[f'{kind}_max_at_ns'] = ns, x.begin
    return rows


def coremap(w):
    rows = defaultdict(lambda: defaultdict(int))
    for s in w.capture.slices:
        if not w.clipped(s.begin, s.end):
            continue
        row = rows[row_of(s.task)[0], s.cpu]
        row['run_ns'] += w.clipped(s.begin, s.end)
    for s in w.capture.switches:
        if w.counts(s.t):
            rows[row_of(s.task)[0], s.cpu]['switches'] += 1
    for g in w.capture.unknown:
        rows['unknown', g.cpu]['run_ns'] += w.clipped(g.begin, g.end)
    return rows


def switches(w, bins):
    """bins: [(cpu, begin, length)]; an event at the very end may have a bin of its own, of length 0."""
    out, windows, last = {}, defaultdict(list), max((b[1] for b in bins), default=0)
    for cpu, begin, length in bins:
        b = Window(w.capture, begin, begin + length)
        b.last = begin == last
        out[cpu, begin] = defaultdict(int)
        windows[cpu].append((b, out[cpu, begin]))

    def touching(cpu, begin, end):
        rows = windows[cpu]
        at = max(0, bisect.bisect_left(rows, begin, key=lambda row: row[0].end) - 1)
        while at < len(rows) and rows[at][0].begin <= end:
            yield rows[at]
            at += 1
    for s in w.capture.switches:
        for b, row in touching(s.cpu, s.t, s.t):
            row['switches'] += b.counts(s.t)
            row['involuntary'] += b.counts(s.t) and not s.voluntary and not is_idle(s.task)
    for u in w.capture.wakeups if w.capture.has_wakeups else ():
        for b, row in touching(u.cpu, u.t, u.t):
            row['wakeups'] += b.counts(u.t)
    for s in w.capture.slices:
        for b, row in touching(s.cpu, s.begin, s.end):
            row['idle_ns' if is_idle(s.task) else 'busy_ns'] += b.clipped(s.begin, s.end)
    for g in w.capture.unknown:
        for b, row in touching(g.cpu, g.begin, g.end):
            row['unknown_ns'] += b.clipped(g.begin, g.end)
    return out


def successors(w):
    rows = defaultdict(lambda: defaultdict(int))
    for s in w.capture.switches:
        if w.counts(s.t):
            row = rows[row_of(s.task)[0], row_of(s.next)[0]]
            row['count'] += 1
            row['involuntary'] += not s.voluntary and not is_idle(s.task)
    return rows
