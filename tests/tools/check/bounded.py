#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
bounded.py MIB SECONDS FILE...: runs the commands that read a cdict on each FILE, and reports those that take more than MIB of memory
plus eight times each input (without a page's data), or more than SECONDS of CPU plus one second per MiB of the file (more if the machine is slow at the moment),
print more than 20 MB, or do not exit with status 0, or with 1 or 2 and a reason.

For a FILE after --like, a variant of an earlier file, a sixth of the commands run, selected by the name and by SAMPLE in the
environment; with EVERY=1 there, all.

MIB may be two numbers, "128,200": the second is the limit for exports and queries, which keep more data per task.

bounded.py --one MIB SECONDS COMMAND...: the same for one command of cdict, with MIB and SECONDS unchanged; it must not fail.

bounded.py --law FILE...: the same for all commands that read a cdict and all their pictures and formats on mkhostile.py's files, by the limits
of doc/cdict.5: 64 MiB plus eight times the file, the bytes documented for each task, CPU and vCPU; for each file a second of CPU plus one per MiB, and microseconds for each task in SQL; output, to
files too, of 20 MB or 64 times the file, but for formats with a line per event. An eighth of the commands run on each file (EVERY=1: all; ONLY="diff report": these).

bounded.py --import MIB SECONDS FILE...: the same for cdict convert of another recorder's files, which may be compressed to a thousandth.
"""
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import types
import zlib

# '{}' is the file
COMMANDS = [['info', '{}', '--verify'], ['tasks', '{}'], ['switches', '{}'], ['coremap', '{}', '-C', '63'], ['stats', '{}'],
            ['script', '{}'], ['annotate', '{}', '--anonymize', '-o', '-'], ['heatmap', '{}', '-o', 'x.svg'],
            ['report', '{}', '-o', 'x.html'], ['diff', '{}', '{}'], ['flame', '{}', '-o', 'x.svg'],
            ['export', '{}', '-o', 'x.pftrace'], ['export', '{}', '-o', 'x.csv'], ['export', '{}', '-o', 'x.sqlite'],
            ['query', 'SELECT state, sum(dur) FROM thread_state GROUP BY state; SELECT count(*) FROM ftrace_event', '{}'],
            ['sweep', '--plot', '{}', '-o', 'x.svg']]
YARD = 0.4  # seconds of CPU of the yardstick; the machines of this project take 0.55 to 0.7, since the limits are near these values
PIXELS = 40  # MiB more: those of a picture while it becomes a PNG
LIMITED = os.environ.get('INSTRUMENT') != 'valgrind'  # memcheck takes much more time and memory: only status and output count
PAGE = 48  # MiB more: the data that a page draws from has one size for all files


def too_long(used, seconds):
    """Whether a command took more than so many seconds of CPU. On a shared machine all takes longer at times: the limit does, too."""
    took = used.ru_utime + used.ru_stime
    if took <= seconds or not LIMITED:
        return False
    text = random.Random(1).randbytes(1 << 20).translate(bytes(b & 0xf0 for b in range(256))) * 3
    start = time.process_time()
    zlib.compress(text, 6)
    return took > seconds * max(1, (time.process_time() - start) / YARD)


def run(words, folder, seconds):
    """Its status, the resources used, the bytes printed, the message. A run that takes too long is repeated: the core may have been busy."""
    for _ in range(3):
        result = run_once(words, folder, seconds)
        if not too_long(result[1], seconds):
            break
    return result


def run_once(words, folder, seconds):
    cpu_seconds = int((10 if LIMITED else 1000) * seconds) + 5
    with open(f'{folder}/out', 'wb') as out, open(f'{folder}/err', 'w+b') as err:
        p = subprocess.Popen([os.environ['CDICT']] + words, stdin=subprocess.DEVNULL, stdout=out,
                             stderr=err, cwd=folder or None,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds)))
        _, status, used = os.wait4(p.pid, 0)
        if not LIMITED:
            used = types.SimpleNamespace(ru_utime=used.ru_utime, ru_stime=used.ru_stime, ru_maxrss=0)
        p.returncode = 0
        err.seek(0)
        return os.waitstatus_to_exitcode(status), used, os.path.getsize(f'{folder}/out'), err.read(200)


def one(argv):
    with tempfile.TemporaryDirectory() as folder:
        status, used, _, message = run(argv[2:], folder, int(argv[1]))
    mib, seconds = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
    if status not in (0, 2) or mib > int(argv[0]) or too_long(used, int(argv[1])):
        print(f'{" ".join(argv[2:])}: status {status}, {mib:.0f} MiB, {seconds:.1f} s: {message.decode(errors="replace").strip()}')


def imports(argv):
    base, seconds = int(argv[0]), int(argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for path in argv[2:]:
            mib = os.path.getsize(path) / 1048576
            words = ['convert', '-j1', '-e', '*', '-i', os.path.abspath(path), '-o', 'x.cdict']
            status, used, _, message = run(words, folder, seconds + mib)
            wrong = []
            if status not in (0, 1, 2) or (status and not message):
                wrong.append(f'status {status}')
            if status == 1 and (not message or os.path.exists(f'{folder}/x.cdict')):
                wrong.append('no message, or a file')
            if used.ru_maxrss / 1024 > base + 8 * mib:
                wrong.append(f'{used.ru_maxrss // 1024} MiB')
            if too_long(used, seconds + mib):
                wrong.append(f'{used.ru_utime + used.ru_stime:.1f} s')
            if wrong:
                print(f'{os.path.basename(path)}: {", ".join(wrong)}: {message.decode(errors="replace").strip()}')
            if os.path.exists(f'{folder}/x.cdict'):
                os.unlink(f'{folder}/x.cdict')


TABLES = ['sched_slice', 'thread_state', 'thread', 'process', 'kvm_exit', 'wakeup', 'slice', 'loss', 'cpu', 'metadata', 'trace_bounds', 'ftrace_event']
LAW = [*COMMANDS, *[c.split() for c in (
    'info {} --labels', 'info {} --json', 'tasks {} --json', 'tasks {} --by group', 'tasks {} --by role', 'tasks {} --format csv', 'latency {}', 'latency {} --json', 'vcpu {}',
    'vm {}', 'exits {}', 'successors {} --task .*', 'coremap {}', 'coremap {} --json', 'switches {} --json', 'report {} {} -o x.html', 'diff {} {} --format json',
    'diff {} {} --format csv', 'diff {} {} -o x.html', 'tasks {} {} --json', 'successors {} --task .* --json', 'exits {} --json', 'vcpu {} --json', 'latency {} --format openmetrics', 'flame {}', 'flame {} --by switches -o x.svg',
    'flame {} --by switches -o x.png', 'flame {} --by switches -o x.folded', 'export {} -o x.json', 'export {} -o x.pfw', 'export {} -o x.folded', 'export {} -o x.dat',
    'export {} --to perfwhiz -o x.whiz', 'tasks {} --window-start sched:sched_switch', 'tasks {} --window-start ftrace:print', 'heatmap {} -o x.html',
    'heatmap {} --view cpu -n 0 -o x.svg', 'heatmap {} --view coremap -n 0 -o x.svg')],
    *[['heatmap', '{}', '--view', view, *to] for view in 'switches exits vcpu coremap cpu kvm cores delays'.split()
      for to in (['-o', 'x.svg'], ['-o', 'x.png'], ['--format-out', 'terminal'])],
    *[['query', f'SELECT * FROM {table}', '{}'] for table in TABLES]]


def law_of(command, mib, tasks, cpus, vcpus=0):
    """MiB of memory, seconds of CPU, bytes of output."""
    files = max(1, command.count('{}'))
    page = command[0] == 'report' or 'x.html' in command
    a_task = 450 if command[0] == 'query' or 'x.sqlite' in command else 5500 if page and files > 1 else 4000 if page else 600 if command[0] == 'diff' else 350
    a_vcpu = 4000 if page else 3000 if command[0] == 'diff' else 0
    a_cpu = 5000 if page or 'cores' in command else 1000
    memory = 64 + 24 * (files - 1) + (PAGE if page else 0) + (PIXELS if 'x.png' in command else 0) + files * (8 * mib + (tasks * a_task + cpus * a_cpu + vcpus * a_vcpu) / 1048576)
    by_event = command[0] in ('script', 'export') or command[:1] == ['query']
    a_row = 12e-6 if 'x.sqlite' in command else 5e-6 if command[0] == 'query' else 0  # seconds: SQL has a row for each task
    return memory, files * (1 + mib) + tasks * a_row, float('inf') if by_event else max(20e6, 64 * mib * 1048576)


def law(files):
    every, only = os.environ.get('EVERY') == '1', (os.environ.get('ONLY') or '').split()
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            mib, name = os.path.getsize(path) / 1048576, os.path.basename(path)
            with open(path.removesuffix('.cdict') + '.sizes') as f:
                sizes = list(map(int, f.read().split()))
            first = zlib.crc32(name.encode()) + int(os.environ.get('SAMPLE') or 0)
            for command in [c for c in LAW if c[0] in only] if only else LAW if every else LAW[first % 8::8]:
                for old in os.listdir(folder):
                    os.unlink(f'{folder}/{old}')
                words = [os.path.abspath(path) if w == '{}' else w for w in command]
                memory, seconds, output = law_of(command, mib, *sizes)
                status, used, printed, message = run(words, folder, seconds)
                printed += sum(os.path.getsize(f'{folder}/{f}') for f in os.listdir(folder) if f not in ('out', 'err'))
                wrong = []
                if status not in (0, 1, 2) or (status and not message):
                    wrong.append(f'status {status}')
                if used.ru_maxrss / 1024 > memory:
                    wrong.append(f'{used.ru_maxrss // 1024} MiB of {memory:.0f}')
                if too_long(used, seconds):
                    wrong.append(f'{used.ru_utime + used.ru_stime:.1f} s of {seconds:.1f}')
                if printed > output:
                    wrong.append(f'{printed} bytes of {output:.0f}')
                if wrong:
                    print(f'{name}: {" ".join(command)}: {", ".join(wrong)}: {message.decode(errors="replace").strip()}')


def main(argv):
    if argv[0] == '--one':
        one(argv[1:])
        return
    if argv[0] == '--import':
        imports(argv[1:])
        return
    if argv[0] == '--law':
        law(argv[1:])
        return
    base, seconds = [int(m) for m in argv[0].split(',')], int(argv[1])
    files = argv[2:]
    whole = len(files)
    if '--like' in files:
        whole = files.index('--like')
        files.remove('--like')
    with tempfile.TemporaryDirectory() as folder:
        for i, path in enumerate(files):
            mib = os.path.getsize(path) / 1048576
            commands = COMMANDS
            if i >= whole and os.environ.get('EVERY') != '1':
                commands = COMMANDS[(zlib.crc32(os.path.basename(path).encode()) + int(os.environ.get('SAMPLE') or 0)) % 6::6]
            for command in commands:
                for old in os.listdir(folder):
                    os.unlink(f'{folder}/{old}')
                words = [os.path.abspath(path) if w == '{}' else w for w in command]
                status, used, printed, message = run(words, folder, seconds + mib)
                wrong = []
                if status not in (0, 1, 2) or (status and not message):
                    wrong.append(f'status {status}')
                most = base[-1] if command[0] in ('export', 'query') else base[0]
                if used.ru_maxrss / 1024 > most + 8 * mib * command.count('{}') + (PAGE if command[0] == 'report' else 0):
                    wrong.append(f'{used.ru_maxrss // 1024} MiB')
                if too_long(used, seconds + mib):
                    wrong.append(f'{used.ru_utime + used.ru_stime:.1f} s')
                if printed > 20e6 * (1 + mib):
                    wrong.append(f'{printed} bytes printed')
                if wrong:
                    print(f'{os.path.basename(path)}: {command[0]}: {", ".join(wrong)}: {message.decode(errors="replace").strip()}')


main(sys.argv[1:])
