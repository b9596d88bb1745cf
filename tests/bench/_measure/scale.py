#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
scale.py EVENTS FOLDER: what a capture of EVENTS made-up events costs, against a hundredth and a tenth of it: CPU (user + system) per event and
most anonymous memory of each command, and windows of 10 ms. The load is a host's of four CPUs with 16 vCPUs and 144 other tasks, seeded by SEED (1): a
trace of a million events (mkperf), repeated (bigperf.py again), so all sizes have the same events. Prints lines of the table of doc/costs.md.

In the environment: CDICT and MKPERF, the programs; DATA, where the event formats are; RUNS, how often the smaller ones are measured (3; medians); PAGE=1: the page, too.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import time

TEMPLATE = 1000000
CPUS, VCPUS, TASKS = 4, 4, 36  # the last two per CPU
MUST = 1.1
CDICT, TOP = os.environ['CDICT'], os.path.dirname(os.path.abspath(__file__)) + '/../../..'
SQL = 'SELECT state, sum(dur) FROM thread_state GROUP BY state'
COMMANDS = {  # name: words; {} is the capture
    'convert -j1': ['convert', '-q', '-j1', '-i', '{data}', '-o', 'x.cdict'], 'convert -j2': ['convert', '-q', '-j2', '-i', '{data}', '-o', '{}'],
    **{name: [*name.split(), '-q', '{}'] for name in ('tasks -j1', 'exits -j1', 'latency -j1', 'vcpu -j1', 'stats -j1', 'stats -j2')},
    'vm NAME': ['vm', '-q', '1000', '{}'], 'script': ['script', '-q', '{}'], 'query': ['query', '-q', '-j1', SQL, '{}'], 'report': ['report', '-q', '{}', '-o', 'x.html']}


def template(path, seed):
    """Each CPU's tasks take turns: the next is woken, runs, and if it is a vCPU, enters the guest twice. It begins and ends with idle CPUs."""
    rnd = random.Random(seed)
    lines = [f'cpus {CPUS}', 'default sched:sched_switch prev_prio=120 next_prio=120', 'default sched:sched_waking prio=120', 'default kvm:kvm_exit isa=1']
    pid, tids = {}, {}
    for cpu in range(CPUS):
        lines.append(f'proc {1000 + 100 * cpu} qemu-system-x86')
        for i in range(VCPUS + TASKS):
            tid = 1001 + 100 * cpu + i
            pid[tid] = 1000 + 100 * cpu if i < VCPUS else tid
            lines.append(f'proc {pid[tid]}/{tid} "CPU {i}/KVM"' if i < VCPUS else f'proc {tid} worker-{cpu}-{i}')
        tids[cpu] = list(range(1001 + 100 * cpu, 1001 + 100 * cpu + VCPUS + TASKS))
    us, current, n = 1000, [0] * CPUS, 0

    def add(cpu, tid, event):
        nonlocal us, n
        us = us + rnd.randrange(1, 6)
        n += 1
        lines.append(f'{f"{pid[tid]}/{tid}" if tid else 0} [{cpu:03d}] {50 + us // 1000000}.{us % 1000000:06d}: {event}')

    def switch(cpu, to):
        prev = current[cpu]
        add(cpu, prev, f'sched:sched_switch: prev_pid={prev} prev_state={rnd.choice("SSSR") if prev else "R"} next_pid={to}')
        current[cpu] = to
    while n < TEMPLATE - 2 * CPUS:
        cpu = rnd.randrange(CPUS)
        to = 0 if current[cpu] and rnd.random() < 0.2 else rnd.choice([t for t in tids[cpu] if t != current[cpu]])
        if to:
            add(cpu, current[cpu], f'sched:sched_waking: pid={to} target_cpu={cpu}')
        switch(cpu, to)
        if to and pid[to] != to:
            for reason in 'HLT', rnd.choice(('IO_INSTRUCTION', 'EPT_VIOLATION', 'MSR_WRITE', 'EXTERNAL_INTERRUPT')):
                rip = rnd.choice((0x1000, 0x2040, 0xffffffff81000000))
                add(cpu, to, f'kvm:kvm_entry: vcpu_id={(to - 1001) % 100} rip={rip:#x}')
                add(cpu, to, f'kvm:kvm_exit: vcpu_id={(to - 1001) % 100} exit_reason={reason} guest_rip={rip:#x}')
    for cpu in range(CPUS):
        if current[cpu]:
            switch(cpu, 0)
    with open(path, 'w') as f:
        f.write('\n'.join(lines) + '\n')
    return n, (us + 100) * 1000


def anonymous(pid):
    """MiB of memory of its own: a mapped input is the system's, which takes its pages back."""
    try:
        with open(f'/proc/{pid}/status') as f:
            return next((int(text.split()[1]) / 1024 for text in f if text.startswith('RssAnon')), 0)
    except OSError:
        return 0


def run(words, memory=None):
    """CPU seconds; the most memory, by samples, is added to the list."""
    with open(os.devnull, 'wb') as null, open('err', 'w+b') as err:
        p = subprocess.Popen(words, stdin=null, stdout=null, stderr=err)
        most, pid = 0, 0
        while not pid:
            most = max(most, anonymous(p.pid))
            time.sleep(0.01)
            pid, status, used = os.wait4(p.pid, os.WNOHANG)
        p.returncode = 0
        if os.waitstatus_to_exitcode(status):
            err.seek(0)
            sys.exit(f'scale.py: {" ".join(words)}: status {os.waitstatus_to_exitcode(status)}: {err.read(500).decode(errors="replace")}')
    if memory is not None:
        memory.append(most)
    return used.ru_utime + used.ru_stime


def window_of(cdict):
    info = json.loads(subprocess.run([CDICT, 'info', '--json', cdict], stdout=subprocess.PIPE, check=True).stdout)
    text = subprocess.run([CDICT, 'info', cdict], stdout=subprocess.PIPE, check=True, text=True).stdout
    first, last = (float(line.split()[2]) for line in text.splitlines() if line.startswith(('first event', 'last event')))
    return first, last, sum(event['count'] for event in info['events'])


def line(*cells):
    print('%-66s %10s %8s %8s  %s' % cells, flush=True)


def measure(size, n_round, round_ns, runs):
    """{name: (ns of CPU per event, MiB)}, and of windows ms."""
    data, cdict, out = f'{size}.data', f'{size}.cdict', {}
    subprocess.run([sys.executable, f'{TOP}/tests/tools/make/bigperf.py', 'again', 'one.data', data, str(size), str(round_ns)], check=True)
    names = dict(COMMANDS)
    for name, words in names.items():
        memory = []
        cpu = [run([CDICT, *[{'{}': cdict, '{data}': data}.get(w, w) for w in words]], memory) for _ in range(runs)]
        if name == 'convert -j1':
            out['bytes'] = os.path.getsize('x.cdict') / size / n_round, 0
            os.unlink('x.cdict')
        if name == 'report':
            out['page'] = os.path.getsize('x.html'), 0
        out[name] = statistics.median(cpu) / size / n_round * 1e9, max(memory)
    os.unlink(data)
    first, last, events = window_of(cdict)
    assert events == size * n_round, (events, size, n_round)
    for name in 'tasks', 'stats', 'script':
        times = [first + (last - first) * (i + 0.5) / 20 for i in range(20)]
        memory = []
        cpu = [min(run([CDICT, name, '-q', '--time', f'{t:.6f},{t + 0.01:.6f}', cdict], memory) for _ in range(runs)) for t in times]
        out[f'10 ms, {name}'] = statistics.median(cpu) * 1000, max(memory)
    if os.environ.get('PAGE') == '1':
        found = subprocess.run(['node', f'{TOP}/tests/page/_lib/speed.mjs', 'x.html'], stdout=subprocess.PIPE, text=True).stdout
        out['in Chromium'] = found.strip(), 0
    os.unlink('x.html')
    os.unlink(cdict)
    return out


def main(argv):
    if argv[0] == '--template':
        print(*template(argv[1], int(argv[2])))
        return 0
    events, folder = int(argv[0]), argv[1]
    os.chdir(folder)
    runs = int(os.environ.get('RUNS') or 3)
    made = subprocess.run([sys.executable, __file__, '--template', 'one.trace', os.environ.get('SEED') or '1'], stdout=subprocess.PIPE, check=True).stdout
    n_round, round_ns = map(int, made.split())
    subprocess.run([os.environ['MKPERF'], '--formats', os.environ['DATA'] + '/formats', '-o', 'one.data', 'one.trace'], check=True)
    os.unlink('one.trace')
    sizes = sorted({max(1, round(events / part / n_round)) for part in (100, 10, 1)})
    found, missed = {}, 0
    for size in sizes:
        found[size] = measure(size, n_round, round_ns, 1 if size == sizes[-1] and size > 10 else runs)
        print(f'# {size * n_round} events: {found[size]}', file=sys.stderr, flush=True)
    for name in found[sizes[0]]:
        of = [found[size][name] for size in sizes]
        if name == 'bytes':
            line(f'bytes per event of {n_round * sizes[0]:,} events, of all', f'{of[0][0]:.2f}', f'{of[-1][0]:.2f}', '-', '')
        elif name == 'page':
            line('bytes of the page: ' + ', '.join(f'{v:,}' for v, _ in of), '-', '-', '-', '')
        elif name == 'in Chromium':
            for size, (text, _) in zip(sizes, of):
                print(f'# page of {size * n_round:,} events: {text}')
        else:
            ratio = of[-1][0] / of[0][0]
            good = ratio <= MUST
            missed += not good
            unit = 'ms of CPU' if name.startswith('10 ms') else 'ns of CPU per event'
            line(f'{name}, {unit}: ' + ', '.join(f'{v:.3g}' for v, _ in of) + ' (MiB ' + ', '.join(f'{m:.0f}' for _, m in of) + ')', f'{ratio:.2f}', MUST, '-', 'ok' if good else 'MISSED')
    return missed


if __name__ == '__main__':
    sys.exit(1 if main(sys.argv[1:]) and os.environ.get('STRICT') else 0)
