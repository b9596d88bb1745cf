# SPDX-License-Identifier: GPL-2.0-only
"""Compares the Python module with the commands: pymodule.py TEST FILE prints each difference.

$CDICT is the program, $TOP the sources.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys

import cdict

PROGRAM = os.environ['CDICT']


def command(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False)


def rows_of(*args):
    done = command(*args)
    if done.returncode:
        print(f'{args}: {done.stderr}')
    return list(csv.DictReader(io.StringIO(done.stdout)))


def same(cell, text, kind):
    if cell is None:
        return text == ''
    if kind is float:
        return text != '' and abs(float(text) - cell) <= 1e-6 * max(1, abs(cell))
    return str(cell) == text


def compare(table, wanted, what):
    if len(table) != len(wanted):
        print(f'{what}: {len(table)} rows, the command has {len(wanted)}')
    if not wanted:
        print(f'{what}: the command has no rows')
    for have, want in zip(table, wanted):
        for key, cell in have.items():
            if key in want and not same(cell, want[key], type(cell)):
                print(f'{what}: {key} is {cell!r}, the command has {want[key]!r}')
                return
        if len(set(have) & set(want)) < len(have) - 1:
            print(f'{what}: columns {sorted(set(have) ^ set(want))}')
            return


def tables_equal_those_of_the_commands(path):
    with cdict.open(path) as run:
        first, last = run.window
        mid = (first + last) // 2
        for name in 'tasks', 'latency', 'exits', 'vcpu', 'coremap':
            compare(run.table(name), rows_of(name, path, '--format', 'csv'), name)
        seconds = '%d.%09d,%d.%09d' % (*divmod(first, 10**9), *divmod(mid, 10**9))
        half = run.table('tasks', from_ns=first, to_ns=mid)
        compare(half, rows_of('tasks', path, '--format', 'csv', '--time', seconds), 'tasks in a window')
        compare(run.table('tasks', cpus=[1]), rows_of('tasks', path, '--format', 'csv', '-C', '1'), 'tasks of a CPU')
        tasks = run.table('tasks')
        frame = tasks.frame()
        want = rows_of('tasks', path, '--format', 'csv')
        if list(frame['run_ns']) != [int(row['run_ns']) for row in want] or str(frame['run_ns'].dtype) != 'int64':
            print('the data frame has other run times')
        if frame.attrs['units']['run_ns'] != 'ns' or frame.attrs['titles']['run_ns'] != 'run ms':
            print(f'units and titles: {frame.attrs}')
        worst = tasks['worst_ns']
        empty = [row['worst_ns'] == '' for row in want]
        if not any(empty) or list(worst.mask) != empty or str(frame['worst_ns'].dtype) != 'Int64':
            print('empty cells are not masked')
        both = cdict.open([path, path]).table('tasks')
        if len(both) != 2 * len(tasks) or set(both['run']) != {path}:
            print('two captures have not twice the rows')


def statements_equal_those_of_cdict_query(path):
    sql = 'SELECT name, cpu, count(*) AS n, sum(dur) AS dur FROM sched_slice JOIN thread USING (utid) GROUP BY utid, cpu ORDER BY dur, name, cpu'
    with cdict.open(path) as run:
        compare(run.query(sql), rows_of('query', sql, path, '--format', 'csv'), 'query')
        one = run.query('SELECT count(*) FROM sched_slice WHERE cpu = ?', (1,)).rows
    want = rows_of('query', 'SELECT count(*) AS n FROM sched_slice WHERE cpu = 1', path, '--format', 'csv')
    if one[0][0] != int(want[0]['n']):
        print(f'with a parameter: {one}, the command has {want}')


def events_equal_those_of_cdict_script(path):
    line = re.compile(r'^.*?-?(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +sched:sched_switch: .*prev_pid=(\d+) .*next_comm=(.*) next_pid=(\d+)')
    done = command('script', '--ns', path)
    want = []
    for text in done.stdout.splitlines():
        found = line.match(text)
        if found:
            tid, cpu, s, ns, prev, comm, after = found.groups()
            want.append((int(s) * 10**9 + int(ns), int(cpu), int(prev), comm, int(after)))
    with cdict.open(path) as run:
        events = run.events('sched:sched_switch', ['prev_pid', 'next_comm', 'next_pid'])
        have = list(zip(*(events[key].tolist() for key in ('t_ns', 'cpu', 'prev_pid', 'next_comm', 'next_pid'))))
        if len(want) < 300 or sorted(have) != sorted(want):
            print(f'{len(have)} switches, script has {len(want)}')
        if [row[0] for row in have] != sorted(row[0] for row in have):
            print('not in time order')
        cut = want[len(want) // 2][0]
        if len(run.events('sched:sched_switch', from_ns=cut)['t_ns']) != sum(row[0] >= cut for row in want):
            print('another number of events from a moment on')
        if len(run.events('sched:sched_switch', cpus=[2])['cpu']) != sum(row[1] == 2 for row in want):
            print('another number of events of a CPU')
        if list(run.events('sched:sched_switch', ['next_pid'])) != ['t_ns', 'cpu', 'sample_pid', 'sample_tid', 'mode', 'next_pid']:
            print('other fields than asked for')
        if len(events.frame()) != len(want):
            print('the data frame has another length')


def sentence(call):
    try:
        call()
    except cdict.Error as error:
        return str(error)
    return 'no error'


def errors_are_the_command_s_sentence(path):
    with open('bad.cdict', 'wb') as out:
        out.write(b'not a cdict')
    run = cdict.open(path)
    for call, args in ((lambda: cdict.open('bad.cdict'), ('tasks', 'bad.cdict')),
                       (lambda: cdict.open('absent.cdict'), ('tasks', 'absent.cdict')),
                       (lambda: run.query('SELECT nosuch FROM sched_slice'), ('query', 'SELECT nosuch FROM sched_slice', path)),
                       (lambda: run.picture('nosuch'), ('heatmap', '--view', 'nosuch', path))):
        have, want = sentence(call), command(*args).stderr.splitlines()[0]
        if have.rpartition(': ')[2] not in want or have == 'no error':
            print(f'{args}: {have!r}, the command prints {want!r}')
    for call, want in ((lambda: run.table('nosuch'), "unknown table 'nosuch'"),
                       (lambda: run.events('nosuch'), 'no nosuch events'),
                       (lambda: run.events('sched:sched_switch', ['nosuch']), "no field 'nosuch'"),
                       (lambda: cdict.open('nosuch*'), 'no file matches')):
        if want not in sentence(call):
            print(f'{sentence(call)!r} instead of {want!r}')
    walk = run.batches('sched:sched_switch')
    next(walk)
    run.close()
    if 'closed' not in sentence(lambda: run.table('tasks')):
        print('a closed capture gives a table')
    walk.close()
    if run._reader is not None:
        print('the file stays open after the last walk')


def a_batch_is_not_copied(path):
    with cdict.open(path) as run:
        n = 0
        for batch in run.batches('kvm:kvm_exit', ['exit_reason']):
            n += len(batch)
            if batch['exit_reason'].flags.owndata or batch.t_ns.flags.owndata or batch.t_ns.flags.writeable:
                print('an array of a batch is a copy, or writeable')
        if n != run.events_by_type['kvm:kvm_exit'] or not n:
            print(f'{n} events in batches')


def the_notebook_shows_tables_and_a_picture(path):
    import ast
    with open(os.path.join(os.environ['TOP'], 'doc/notebook.ipynb'), encoding='utf-8') as file:
        cells = [''.join(cell['source']) for cell in json.load(file)['cells'] if cell['cell_type'] == 'code']
    names, shown = {}, []
    for text in cells:
        body = ast.parse(text).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), 'notebook', 'exec'), names)
        if last:
            shown.append(eval(compile(ast.Expression(last.value), 'notebook', 'eval'), names))
    tables = [one._repr_html_() for one in shown if hasattr(one, '_repr_html_')]
    pictures = [one._repr_svg_() for one in shown if hasattr(one, '_repr_svg_')]
    if len(tables) < 4 or any('<td' not in table for table in tables) or 'CPU 1/KVM' not in ''.join(tables):
        print(f'{len(tables)} tables')
    if len(pictures) != 1 or '<svg' not in pictures[0]:
        print(f'{len(pictures)} pictures')
    if not any(isinstance(one, dict) and any(ns > 0 for ns in one.values()) for one in shown):
        print('no medians of exits')
    hostile = cdict.Table('x', [cdict.Column('<b>', '<i>', 'text')], [('<script>',)])
    if '<script>' in hostile._repr_html_() or '<b>' in hostile._repr_html_() or '<i>' in hostile._repr_html_():
        print('markup of a name is not escaped')


def without_numpy_and_pandas_tables_work(path):
    sys.modules['numpy'] = sys.modules['pandas'] = None
    run = cdict.open(path)
    if not run.table('tasks').rows or not run.query('SELECT 1').rows:
        print('no rows')
    for call, want in ((run.table('tasks').frame, 'python3-pandas'), (lambda: run.table('tasks')['run_ns'], 'python3-numpy'),
                       (lambda: run.events('sched:sched_switch'), 'python3-numpy')):
        if want not in sentence(call):
            print(f'{sentence(call)!r} does not name {want}')


globals()[sys.argv[1]](sys.argv[2])
