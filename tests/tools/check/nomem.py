#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command repeatedly, with another allocation failing each time (tests/tools/run/preload/nomem.c): the command must report it in one
line with status 1, or print its usual output.

  nomem.py NOMEM.SO SOME [file=PATH] [before=COMMAND] [told=REGEX] [lines=several] [prints=early] -- COMMAND...

Each of the first SOME / 2 allocations fails, then SOME others (other ones for another SAMPLE in the environment) and the last; and SOME / 2
times all from one on. With EVERY=1 in the environment, each. file: the command's output file, complete with status 0, absent with status 1. before: a shell command
to run before each run. told: the message with which status 0 and other output are correct. prints: output may come before status 1.
Prints faults; out, err, want.out and want.file are those of the last run and of the good one. A single process, so that a run costs one start.
"""
import os
import re
import subprocess
import sys


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def run(command, preload, fds=(), cwd=None, **variables):
    """Its status as a shell has it; its output is in out and err."""
    with open('out', 'wb') as out, open('err', 'wb') as err:
        status = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=fds,
                                env={**os.environ, 'LD_PRELOAD': preload, **variables}).returncode
    return status if status >= 0 else 128 - status


def counted(start, log):
    """The status of a run that start(fds, VARIABLE) makes, and the numbers in its log of calls."""
    with open('count', 'wb') as count:
        os.dup2(count.fileno(), 9)
    status = start((9,), **{log: '9'})
    os.close(9)
    return status, [int(n) for n in read('count').split()]


class Walk:
    def __init__(self, argv):
        self.preload, some = argv[0], int(argv[1])
        end = argv.index('--')
        self.options = dict(word.split('=', 1) for word in argv[2:end])
        self.command = argv[end + 1:]
        self.some = 1 << 62 if os.environ.get('EVERY') == '1' else some
        self.file = self.options.get('file')
        self.reported = 0

    def run(self, fds=(), **variables):
        if self.file and os.path.lexists(self.file):
            os.unlink(self.file)
        if 'before' in self.options:
            subprocess.run(self.options['before'], shell=True, check=True)
        return run(self.command, self.preload, fds, **variables)

    def all(self):
        """How many allocations there are; those that it starts log theirs."""
        status, numbers = counted(self.run, 'NOMEM_LOG')
        if status:
            raise SystemExit(read('err').decode(errors='replace') or f'status {status}')
        os.replace('out', 'want.out')
        if self.file:
            with open('want.file', 'wb') as f:
                f.write(read(self.file))
        return max(numbers)

    def wrong(self, status):
        err = read('err')
        if status == 0:
            if read('out') != read('want.out') and not self.is_reported(err):
                yield 'status 0 and other output'
            if self.file and (not os.path.exists(self.file) or read(self.file) != read('want.file')):
                yield 'status 0 and another file'
        elif status == 1:
            if 'lines' not in self.options and err.count(b'\n') != 1:
                yield f'{err.count(10)} lines: {err[:300].decode(errors="replace")!r}'
            if not re.search(rb'^cdict', err, re.M):
                yield repr(err[:200])
            if 'prints' not in self.options and os.path.getsize('out'):
                yield 'status 1 after output'
            if self.file and os.path.lexists(self.file):
                yield 'status 1 and a file'
        else:
            yield f'status {status}: {err[:200].decode(errors="replace")}'

    def is_reported(self, err):
        return 'told' in self.options and re.search(rb'^cdict.*' + self.options['told'].encode(), err, re.M)

    def walk(self):
        n = self.all()
        if not n:
            print('no allocation was seen')
        step = n // self.some + 1
        shift = int(os.environ.get('SAMPLE') or 0) % step
        half = (self.some + 1) // 2
        at = sorted({*range(1, min(half, n) + 1), *range(1 + shift, n + 1, step), n})
        for how, places in ('AT', at), ('FROM', sorted({1, *range(1 + shift, n + 1, 2 * step - 1), n})):
            for place in places:
                for wrong in self.wrong(self.run(**{f'NOMEM_{how}': str(place)})):
                    print(f'{how} {place}: {wrong}')
                self.reported += how == 'AT' and os.path.getsize('err') > 0
        # stdio does without one
        if self.reported <= 5 and self.reported < n - 1:
            print(f'only {self.reported} of {n} failures were reported')


if __name__ == '__main__':
    Walk(sys.argv[1:]).walk()
