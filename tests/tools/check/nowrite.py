#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command repeatedly in work/; each time another call that changes files fails, or is the last before SIGKILL
(tests/tools/run/preload/nowrite.c): the final name must have the complete old or new file; a failure gives one line and status 1;
no other files remain.

  nowrite.py NOWRITE.SO OUT COMMAND...

OUT is x.cdict or x.txt; the old files are older.cdict and older.txt. Tests the first and the last 10 calls, and about 20 between them (other
ones for another SAMPLE in the environment); with EVERY=1 there, all. Prints faults. A single process, so that a run costs one start.
"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
import nomem


def read(path):
    return nomem.read(path) if os.path.exists(path) else None


class Walk:
    def __init__(self, preload, out, *command):
        self.preload, self.out, self.command = preload, out, command
        self.older = {name: read(f'older.{name}') for name in ('cdict', 'txt')}
        self.mine = out.rpartition('.')[2]
        self.wanted = None

    def run(self, fds=(), **variables):
        shutil.rmtree('work', ignore_errors=True)
        os.mkdir('work')
        for name, data in self.older.items():
            with open(f'work/x.{name}', 'wb') as f:
                f.write(data)
        return nomem.run(self.command, self.preload, fds, 'work', **variables)

    def all(self):
        status, numbers = nomem.counted(self.run, 'NOWRITE_LOG')
        self.wanted = read(f'work/{self.out}')
        if status or self.wanted in (None, self.older[self.mine]):
            raise SystemExit(read('err').decode(errors='replace') or f'status {status}, or no new file')
        return numbers[-1]

    def wrong(self, how, status):
        made, err = read(f'work/{self.out}'), read('err')
        if made == self.older[self.mine]:
            if status == 0 and how != 'short':
                yield 'status 0 and the older file'
        elif made == self.wanted:
            if self.mine == 'cdict' and read(f'work/{self.out}.old') != self.older['cdict']:
                yield 'the older file is lost'
            if status == 1:
                yield 'status 1 and the new file'
        else:
            yield f'half a file, or none, status {status}'
        if status == 1 and err.count(b'\n') != 1:
            yield f'{err.count(10)} lines: {err[:200].decode(errors="replace")!r}'
        if status not in (0, 1, 137):
            yield f'status {status}: {err[:200].decode(errors="replace")}'
        # a hidden name exists only between two calls: it remains only after a kill there
        if status != 137:
            for folder, folders, files in os.walk('work'):
                for name in folders + files:
                    if name.startswith('.'):
                        yield f'{os.path.relpath(f"{folder}/{name}", "work")} stays'

    def fails(self, how, **variables):
        for wrong in self.wrong(how, self.run(**variables)):
            print(f'{how}: {wrong}')

    def walk(self):
        n = self.all()
        step = 1 if os.environ.get('EVERY') == '1' else n // 20 + 1
        shift = int(os.environ.get('SAMPLE') or 0) % step
        points = sorted({*range(1, min(10, n) + 1), *range(1 + shift, n + 1, step), *range(max(1, n - 9), n + 1)})
        for at in points:
            call = {'NOWRITE_AT': str(at)}
            # ENOSPC, and in turns EIO, EDQUOT, EROFS
            for errno in 28, (5, 122, 30)[at % 3]:
                self.fails(f'call {at}, errno {errno}', **call, NOWRITE_HOW=str(errno))
            self.fails(f'from call {at} on', NOWRITE_FROM=str(at), NOWRITE_HOW='28')
            self.fails('short', **call, NOWRITE_HOW='0')
            self.fails(f'killed at call {at}', **call, NOWRITE_KILL='1')
        if figures := os.environ.get('FIGURES'):
            with open(figures, 'a', encoding='ascii') as f:
                f.write(f'enospc {2 * len(points)}\nkills {len(points)}\n')
        if n < 3:
            print(f'only {n} calls were seen')


Walk(*sys.argv[1:]).walk()
