#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
evaluate [--windows N] CDICT FILE: compares every figure in `CDICT ... --format json` of FILE with
the one computed here, from doc/figures.md alone and by another method: the whole capture is cut into
slices, waits and states once, and a window only clips and counts them.

For the whole capture, and for N windows of random place and length, always the same ones.  Prints one
line per difference, at most eight per figure; status 1 if there are any.
"""
import argparse
import json
import random
import subprocess
import sys
from collections import Counter

import figures
import kvm
from capture import Capture

TASKS = ('run_ns edge_ns switches voluntary involuntary sleep_ns block_ns iowait_ns preempt_ns wakeups '
         'unknown_ns migrations slice_avg_ns slice_max_ns latency_avg_ns latency_max_ns events').split()
WAITS = [f'{a}_{b}' for a in ('latency', 'preempt') for b in ('count', 'ns', 'max_ns', 'max_at_ns')]
STATES = [s + '_ns' for s in 'delayed guest exit qemu preempted waiting halted blocked unknown edge'.split()]

# Command, its options, list in its JSON, key of a row, figures, how they are computed here.
TABLES = (
    ('tasks', (), 'tasks', lambda r: (r['tid'], r['cpu'] if r['tid'] == 0 else None), TASKS,
     lambda w, rows, k: figures.tasks(w)),
    ('latency', (), 'latency', lambda r: (r['tid'], None), WAITS,
     lambda w, rows, k: figures.latency(w)),
    ('coremap', (), 'coremap', lambda r: ('unknown' if r['unknown'] else r['tid'], r['cpu']),
     ['run_ns', 'switches'], lambda w, rows, k: figures.coremap(w)),
    ('switches', (), 'switches', lambda r: (r['cpu'], r['from_ns']),
     ['switches', 'involuntary', 'wakeups', 'busy_ns', 'idle_ns', 'unknown_ns'],
     lambda w, rows, k: figures.switches(w, [(r['cpu'], r['from_ns'], r['length_ns']) for r in rows])),
    ('successors', ('-t', '.'), 'successors', lambda r: (r['tid'], r['next_tid']),
     ['count', 'involuntary'], lambda w, rows, k: figures.successors(w)),
    ('exits', (), 'exits', lambda r: (r['tid'], r['reason_code']),
     ['count', 'time_ns', 'min_ns', 'max_ns', 'cpu_ns', 'unpaired'],
     lambda w, rows, k: kvm.exits(w, k)),
    ('exits', (), 'guest', lambda r: r['tid'], ['entries', 'guest_ns', 'max_ns', 'unpaired'],
     lambda w, rows, k: kvm.guest(w, k)),
    ('vcpu', (), 'vcpu', lambda r: r['tid'], STATES, lambda w, rows, k: kvm.vcpu(w, k)),
    ('vcpu', (), 'reasons', lambda r: (r['tid'], r['reason_code']), ['exit_ns', 'qemu_ns'],
     lambda w, rows, k: kvm.reasons(w, k)),
    ('vcpu', (), 'antagonists', lambda r: (r['tid'], r['antagonist_tid']),
     ['behind_ns', 'preempted_ns', 'waiting_ns', 'took_over'],
     lambda w, rows, k: kvm.antagonists(w, k)),
    ('vcpu', (), 'beside', lambda r: (r['vm'], {'vm': r['beside'], 'task': 'host', 'kernel': 'host', 'unit': 'host'}.get(
        r['beside_kind'], r['beside_kind'])), ['beside_ns'], lambda w, rows, k: kvm.beside(w, k, k.tasks)),
)


class Comparison:
    def __init__(self, cdict, path):
        self.cdict, self.path = cdict, path
        self.capture = Capture(path)
        self.kvm = kvm.Kvm(self.capture)
        self.compared, self.wrong = 0, Counter()

    def ask(self, command, *options):
        out = subprocess.run([self.cdict, command, self.path, '--format', 'json', '-q', '--max-loss',
                              '100', *options], capture_output=True, check=False)
        if out.returncode not in (0, 2): # 2: events that it is made of are missing
            raise SystemExit(f'cdict {command} ends with {out.returncode}: {out.stderr.decode()}')
        return json.loads(out.stdout)

    def window(self, begin, end, is_whole):
        options = () if is_whole else ('--time', f'{seconds(begin)},{seconds(end)}')
        w, answers = figures.Window(self.capture, begin, end), {}
        for command, more, name, key, names, compute in TABLES:
            if command not in answers:
                answers[command] = self.ask(command, *more, *options)
            self.kvm.tasks = answers['tasks']['tasks']
            rows = [r for r in answers[command].get(name, ()) if r.get('from_ns', 0) is not None]
            theirs = grouped(rows, key, names)
            ours = compute(w, rows, self.kvm)
            where = '' if is_whole else f' in {begin}-{end}'
            for figure in names:
                self.compare(f'{name} {figure}', where, figure, theirs, ours)

    def compare(self, what, where, figure, theirs, ours):
        for key in {**theirs, **ours}:
            a, b = theirs.get(key, {}).get(figure), ours.get(key, {}).get(figure)
            if a is AMBIGUOUS:
                continue
            self.compared += 1
            if (a or 0) != (b or 0):
                self.wrong[what] += 1
                if self.wrong[what] <= 8:
                    print(f'{what} of {key}{where}: cdict {a}, evaluated {b}')


AMBIGUOUS = object()


def seconds(ns):
    return f'{ns // 10**9}.{ns % 10**9:09}'


def grouped(rows, key, names):
    """Rows by their key; of tasks that had a tid one after the other the sums, where they have one."""
    out = {}
    for row in rows:
        if (k := key(row)) not in out:
            out[k] = {n: row[n] for n in names}
            continue
        for n in names:
            if 'avg' in n or 'max_at' in n:
                out[k][n] = AMBIGUOUS
            elif row[n] is not None:
                a = out[k][n] or 0
                out[k][n] = max(a, row[n]) if 'max' in n else a + row[n]
    return out


def random_windows(capture, count):
    rng = random.Random(14)
    for _ in range(count):
        length = int((capture.last - capture.first) * 10 ** rng.uniform(-3, 0))
        begin = capture.first + int((capture.last - capture.first - length) * rng.random())
        if rng.random() < .5: # where something happens
            begin = capture.events[rng.randrange(len(capture.events))].t
        yield begin, min(begin + max(length, 1), capture.last)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--windows', type=int, default=0)
    p.add_argument('cdict')
    p.add_argument('file')
    args = p.parse_args()
    c = Comparison(args.cdict, args.file)
    c.window(c.capture.first, c.capture.last, True)
    for begin, end in random_windows(c.capture, args.windows):
        if begin < end:
            c.window(begin, end, False)
    for what, n in sorted(c.wrong.items()):
        print(f'{what}: {n} differ')
    print(f'{c.compared} figures compared, {sum(c.wrong.values())} differ')
    return 1 if c.wrong else 0


if __name__ == '__main__':
    sys.exit(main())
