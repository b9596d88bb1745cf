#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
querywindows.py CDICT FILE SEED: rows of `cdict query` for a time range, and for a time range and a CPU, equal the rows of the whole capture that
begin or overlap there. Prints differences.
"""
import csv
import io
import random
import subprocess
import sys

LASTING = {'sched_slice': 'ts, dur, cpu, utid, end_state, priority',
           'thread_state': 'ts, dur, cpu, utid, state, io_wait, waker_utid',
           'kvm_exit': 'ts, dur, cpu, utid, vcpu, reason, isa'}
INSTANTS = ['wakeup', 'sched_switch', 'ftrace_event']


def main(cdict, name, seed):
    def ask(sql):
        ran = subprocess.run([cdict, 'query', '-q', '--max-loss', '100', '--format', 'csv', sql, name], capture_output=True,
                             text=True)
        if ran.returncode:
            sys.exit(f'{sql}: {ran.stderr}')
        return list(csv.reader(io.StringIO(ran.stdout)))[1:]

    def same(what, expected, got):
        if sorted(expected) != sorted(got):
            print(f'{name}: {what}: missing {[r for r in expected if r not in got][:2]}, '
                  f'not in the whole {[r for r in got if r not in expected][:2]}')

    rnd = random.Random(seed)
    first, last = (int(v) for v in ask('SELECT start_ts, end_ts FROM trace_bounds')[0])
    cpus = len(ask('SELECT cpu FROM cpu'))
    for table in [*LASTING, *INSTANTS]:
        columns = LASTING[table] + ', ts_end' if table in LASTING else '*'
        whole = ask(f'SELECT {columns} FROM {table}')
        for i in range(8):
            begin = int(rnd.choice(whole)[0]) if whole and i % 2 else rnd.randint(first, last)
            end = min(last, begin + (last - first) // rnd.choice([1 << 40, 10000, 300, 30, 3]))
            within = [r for r in whole if begin <= int(r[0]) <= end]
            same(f'{table} from {begin} to {end}', within,
                 ask(f'SELECT {columns} FROM {table} WHERE ts BETWEEN {begin} AND {end}'))
            if table not in LASTING:
                continue
            touches = [r for r in whole if int(r[0]) <= end and r[-1] and begin <= int(r[-1])]
            where = f'ts <= {end} AND ts_end >= {begin}'
            same(f'{table} {where}', touches, ask(f'SELECT {columns} FROM {table} WHERE {where}'))
            cpu = rnd.randrange(cpus)
            same(f'{table} {where}, CPU {cpu}', [r for r in touches if r[2] == str(cpu)],
                 ask(f'SELECT {columns} FROM {table} WHERE cpu = {cpu} AND {where}'))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
