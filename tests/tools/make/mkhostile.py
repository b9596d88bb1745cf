#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
mkhostile.py FOLDER SEED [KIND...]: makes three variants of each kind of item that a reader keeps or a command draws, as KIND-N.cdict
(KIND-2: only the second) in FOLDER, and next to each KIND-N.sizes, its number of tasks, of CPUs and of vCPUs. The files are valid: their checksums are correct, and they are within the limits of doc/cdict.5, or beyond them only
where the kind is about that. Most have one item per few bytes, since events alike deflate to nearly nothing. Numbers depend on SEED.

In the environment: CDICT and MKPERF, the programs; DATA, where the event formats are; SIZE, a factor for the number of items (1).
"""
import os
import random
import struct
import subprocess
import sys

from mkbomb import blocks_to_file, pack, read_varint, text, varint

rnd = random.Random()
SIZE = float(os.environ.get('SIZE') or 1)
HEAD = '''cpus %d
default sched:sched_switch prev_prio=120 next_prio=120
default sched:sched_waking prio=120
default sched:sched_wakeup prio=120
default kvm:kvm_exit isa=1
format ftrace:print fixed.print.format
'''


def svarint(v):
    return varint(v << 1 if v >= 0 else (-v << 1) - 1)


def items(n):
    return max(4, int(n * SIZE))


# ---- captures written as text, recorded by mkperf, converted by cdict ----

def at(us):
    return f'{50 + us // 1000000}.{us % 1000000:06d}'


def switch(us, cpu, prev, to, state='S'):
    return f'{prev} [{cpu:03d}] {at(us)}: sched:sched_switch: prev_pid={prev} prev_state={state} next_pid={to}'


def event(us, cpu, tid, name, fields):
    return f'{tid} [{cpu:03d}] {at(us)}: {name}: {fields}'


def task(variant):
    n = items(30000)
    if variant == 0:  # one runs after the other
        return 1, [switch(i, 0, i + 1, i + 2) for i in range(n)]
    if variant == 1:  # in any order, on eight CPUs, each woken
        ids = rnd.sample(range(1000, 1 << 22), n // 3)
        lines = []
        for i in range(0, len(ids) - 1):
            lines += [event(3 * i, i % 8, ids[i], 'sched:sched_waking', f'pid={ids[i + 1]} target_cpu={(i + 1) % 8}'), switch(3 * i + 1, i % 8, ids[i], 0)]
            lines += [switch(3 * i + 2, (i + 1) % 8, 0, ids[i + 1])]
        return 8, lines
    # threads of few processes, which existed before
    return 2, [f'proc {1000 + i % 7}/{2000 + i} t{i % 100}' for i in range(n)] + [switch(i, i % 2, 2000 + i, 2000 + (i + 2) % n) for i in range(n)]


def comm(variant):
    n = items(20000)
    if variant == 0:  # of one task
        return 1, [f'1000 [000] {at(i)}: COMM 1000 n{i}' for i in range(n)] + [switch(n, 0, 1000, 0)]
    if variant == 1:  # of one task each, of characters that are escaped
        return 1, [f'proc {1000 + i} "<&\\x1b\\\\\'{i:05x}"' for i in range(n)] + [switch(i, 0, 1000 + i, 1001 + i) for i in range(n)]
    # of few tasks, known by their switches only: a name with each
    return 4, [switch(i, i % 4, 1000 + i % 4, 0) + f' prev_comm=c{rnd.randrange(1 << 40):010x}' for i in range(n)]


def vm(variant):
    n = items(8000)
    lines = []
    if variant == 0:  # vCPUs of one VM
        lines = [f'proc 1000/{1001 + i} "CPU {i}/KVM"' for i in range(n)]
        of = [(1000, 1001 + i, i) for i in range(n)]
    elif variant == 1:  # VMs of one vCPU
        lines = [line for i in range(n) for line in (f'proc {1000 + 2 * i} qemu-system-x86', f'proc {1000 + 2 * i}/{1001 + 2 * i} "CPU 0/KVM"')]
        of = [(1000 + 2 * i, 1001 + 2 * i, 0) for i in range(n)]
    else:  # VMs known by their entries only
        of = [(t, t, 0) for t in rnd.sample(range(1000, 1 << 22), n)]
    for i, (pid, tid, vcpu) in enumerate(of):
        who = f'{pid}/{tid}'
        lines += [switch(8 * i, i % 2, 0, tid), event(8 * i + 1, i % 2, who, 'kvm:kvm_entry', f'vcpu_id={vcpu} rip=0x1000')]
        lines += [event(8 * i + 3, i % 2, who, 'kvm:kvm_exit', f'vcpu_id={vcpu} exit_reason=HLT guest_rip=0x1010'), switch(8 * i + 4, i % 2, tid, 0)]
    return 2, lines


def exits(variant):
    n = items(20000)
    lines = [f'proc 1000/1001 "CPU 0/KVM"', switch(0, 0, 0, 1001)]
    for i in range(n):
        lines.append(event(4 * i + 1, 0, '1000/1001', 'kvm:kvm_entry', f'vcpu_id=0 rip={0x1000}'))
        reason = (i % 65536, 30, 32)[variant]
        lines.append(event(4 * i + 2, 0, '1000/1001', 'kvm:kvm_exit', f'vcpu_id=0 exit_reason={reason} guest_rip={0x1000 + i}'))
        if variant == 1:
            lines.append(event(4 * i + 3, 0, '1000/1001', 'kvm:kvm_pio', f'rw={i % 2} port={i % 65536} size=1 count=1 val=1'))
        elif variant == 2:
            lines.append(event(4 * i + 3, 0, '1000/1001', 'kvm:kvm_msr', f'write={i % 2} ecx={rnd.randrange(1 << 32)} data=1 exception=0'))
    return 1, lines


def syscall(variant):
    n = items(30000)
    lines = []
    for i in range(n):
        tid = 1000 if variant < 2 else 1000 + i % (n // 20 + 1)
        number = (i, rnd.randrange(1 << 40), i % 1000)[variant]
        lines.append(event(2 * i, 0, tid, 'raw_syscalls:sys_enter', f'id={number}'))
        if variant != 1:
            lines.append(event(2 * i + 1, 0, tid, 'raw_syscalls:sys_exit', f'id={number} ret={-(i % 5000)}'))
    return 1, lines


def marker(variant):
    n = items(20000)
    if variant == 0:  # windows of nothing
        return 1, [switch(0, 0, 0, 100)] + [event(i + 1, 0, 100, 'ftrace:print', f'ip=1 buf="{("begin", "end")[i % 2]}"') for i in range(n)]
    if variant == 1:  # begins only, with texts of their own
        return 2, [switch(0, 0, 0, 100)] + [event(i + 1, i % 2, 100, 'ftrace:print', f'ip=1 buf="b{rnd.randrange(1 << 24):06x}"') for i in range(n)]
    # tasks of their own in each
    return 1, [line for i in range(n // 3) for line in (
        event(4 * i, 0, 100 + i, 'ftrace:print', 'ip=1 buf="begin"'), switch(4 * i + 1, 0, 100 + i, 101 + i),
        event(4 * i + 2, 0, 101 + i, 'ftrace:print', 'ip=1 buf="end"'))]


def wakeup(variant):
    n = items(20000)
    lines = []
    for i in range(n):
        if variant == 0:  # each wakes the next, which runs
            lines += [event(3 * i, 0, 1000 + i, 'sched:sched_waking', f'pid={1001 + i} target_cpu=0'), switch(3 * i + 1, 0, 1000 + i, 1001 + i)]
        elif variant == 1:  # all wake one, which never runs
            lines += [event(3 * i, 0, 1000 + i, 'sched:sched_waking', 'pid=999 target_cpu=0'), switch(3 * i + 1, 0, 1000 + i, 1001 + i, 'R')]
        else:  # one wakes all, which wait to the end
            lines += [event(3 * i, 0, 999, 'sched:sched_wakeup', f'pid={rnd.randrange(1000, 1 << 22)} target_cpu={i % 4}')]
    return 4, lines


def interrupt(variant):
    n = items(30000)
    lines = [switch(0, 0, 0, 1000)]
    for i in range(n):
        if variant == 0:
            lines.append(event(i + 1, 0, 1000, 'kvm:kvm_set_irq', f'gsi={i} level=1 irq_source_id=0'))
        elif variant == 1:
            lines.append(event(i + 1, 0, 1000, 'kvm:kvm_inj_virq', f'vector={i % 256} soft=0 reinjected=0'))
        else:
            lines.append(event(i + 1, 0, 1000, 'kvm:kvm_mmio', f'type=2 len=4 gpa={rnd.randrange(1 << 52)} val=1'))
    return 1, lines


def duration(variant):
    n = items(500)
    if variant == 0:  # two events, 200 days apart
        return 1, [switch(0, 0, 0, 1000), switch(20000000 * 1000000, 0, 1000, 0)]
    if variant == 1:  # a short run in each of many hours
        return 1, [line for i in range(n) for line in (switch(i * 3600000000, 0, 0, 1000), switch(i * 3600000000 + 5, 0, 1000, 0))]
    # the same, of tasks and CPUs of their own
    return 64, [line for i in range(n) for line in (switch(i * 36000000000, i % 64, 0, 1000 + i), switch(i * 36000000000 + 5, i % 64, 1000 + i, 0))]


# ---- captures written block by block around one event ----

def blocks_of(data):
    start, found = 16, []
    while start + 24 <= len(data) - 16:
        size = struct.unpack_from('<I', data, start + 8)[0]
        found.append((bytes(data[start + 4:start + 8]), bytes(data[start + 24:start + 24 + size])))
        start += 24 + size
    return [b for b in found if b[0] != b'INDX']


class Base:
    def __init__(self, data):
        blocks = blocks_of(data)
        self.head = [b for b in blocks if b[0] in (b'INFO', b'SCHM')]
        payload = next(payload for kind, payload in blocks if kind == b'EVNT')
        _, start = read_varint(payload, 0)
        count, start = read_varint(payload, start)
        self.t_ns, start = read_varint(payload, start)
        assert count == 1
        self.rest = payload[start:]

    def event(self, on, after_ns):
        return b'EVNT', varint(on + 1) + varint(1) + varint(self.t_ns + after_ns) + self.rest

    def file(self, blocks):
        return blocks_to_file(self.head + blocks)


def lost(what, on, from_ns, length_ns):
    return varint(what) + varint(on + 1) + varint(0) + varint(from_ns) + varint(length_ns) + varint(1 + rnd.randrange(100))


def cpu(base, variant):
    n = items(15000)
    if variant == 0:  # one event each
        on = range(n)
    elif variant == 1:  # from all over, in any order
        on = rnd.sample(range(65535), n)
    else:  # the last ones, each lost twice
        on = range(65536 - n, 65536)
    blocks = [base.event(c, i) for i, c in enumerate(on)]
    if variant == 2:
        blocks.append((b'LOSS', pack(b''.join(lost(0, c, base.t_ns, 100 + c % 7) * 2 for c in on))))
    return base.file(blocks)


def fork(base, variant):
    n = items(100000)
    if variant == 0:  # each the child of the one before
        rows = b'\x00\x02\x02' * n
    elif variant == 1:  # children of one, each ends
        rows = b'\x00\x02\x00\x03\x00\x00' * (n // 2)
    else:  # the same, with names of their own
        rows = b''.join(b'\x00\x02\x00\x21\x00' + text(b'%06x' % rnd.randrange(1 << 24)) for _ in range(n // 4))
    return base.file([(b'TASK', pack(rows)), base.event(0, 0)])


def loss(base, variant):
    end, n = base.t_ns + 400000, items(100000)
    if variant == 0:  # CPUs beyond the limit
        rows = [lost(0, c, end - rnd.randrange(1000), 1000) for c in range(4 * n)]
    elif variant == 1:  # of one CPU, overlapping
        rows = [lost(0, 3, end - 400000 + i, rnd.randrange(1000)) for i in range(n)]
    else:  # of an unknown CPU, most of them alike
        rows = [lost(1, -1, end - 400000 + i // 3, 50) for i in range(n)]
    return base.file([base.event(c, c * 100000) for c in range(4)] + [(b'LOSS', pack(b''.join(rows)))])


def label(base, variant):
    row = b'\x04\x02\x00\x00'
    if variant == 0:  # one long text each
        rows = [row + b'\x01' + text(b'%08x' % i * 12) + bytes(7) for i in range(items(150000))]
    elif variant == 1:  # few, as long as allowed
        rows = [row + b'\x01' + text(b'%08x' % rnd.randrange(1 << 32) * 512) + bytes(7) for _ in range(items(4000))]
    else:  # short ones in all fields, of groups and VMs of their own
        rows = [row + b''.join(b'\x01\x07' + b'%06x%d' % (i, k) for k in range(8)) for i in range(items(20000))]
    return base.file([base.event(0, 0), (b'LABL', pack(b'\x08' + b''.join(rows)))])


def frame(base, variant):
    depth, stacks = ((8000, 150), (2000, 600), (120, 3000))[variant]
    stacks = items(stacks)
    names = [b'function_%d' % i for i in range(64)]
    out = bytearray(varint(0) * 3 + varint(len(names)) + b''.join(text(n) for n in names))
    out += varint(len(names)) + b''.join(b'\x02' + svarint(16) + varint(i + 1) + varint(0) + varint(0) for i in range(len(names)))
    out += varint(stacks)
    for _ in range(stacks):  # different from the first frame on
        out += varint(depth) + bytes(rnd.randrange(64) for _ in range(8)) * (depth // 8)
    blocks = [(b'STAK', pack(bytes(out)))]
    for i in range(stacks):
        blocks += [base.event(i % 4, i * 1000), (b'STEV', pack(varint(len(base.head) + 1 + 2 * i) + varint(1) + varint(i + 1)))]
    return base.file(blocks)


TRACES = {'task': task, 'comm': comm, 'vm': vm, 'exit': exits, 'syscall': syscall, 'marker': marker, 'wakeup': wakeup,
          'interrupt': interrupt, 'duration': duration}
BLOCKS = {'cpu': cpu, 'fork': fork, 'loss': loss, 'label': label, 'frame': frame}


def record(folder, name, cpus, lines):
    trace, data, cdict = (os.path.join(folder, name + end) for end in ('.trace', '.data', '.cdict'))
    with open(trace, 'w') as f:
        f.write(HEAD % cpus + '\n'.join(lines) + '\n')
    subprocess.run([os.environ['MKPERF'], '--formats', os.environ['DATA'] + '/formats', '-o', data, trace], check=True)
    os.unlink(trace)
    subprocess.run([os.environ['CDICT'], 'convert', '-q', '-e', '*', '-i', data, '-o', cdict], check=True)
    os.unlink(data)


def count(folder, name):
    """As cdict counts them: limits are per task, per CPU number and per vCPU."""
    path, sizes = os.path.join(folder, name + '.cdict'), []
    for sql in 'SELECT count(*) FROM thread', 'SELECT max(cpu) + 1 FROM cpu', 'SELECT coalesce(sum(vcpu IS NOT NULL), 0) FROM thread':
        out = subprocess.run([os.environ['CDICT'], 'query', '-q', '--format', 'csv', sql, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        sizes.append(out.split()[-1].decode())
    with open(os.path.join(folder, name + '.sizes'), 'w') as f:
        f.write(' '.join(sizes) + '\n')


def main(argv):
    folder, seed, kinds = argv[0], argv[1], argv[2:] or [*TRACES, *BLOCKS]
    if {kind.split('-')[0] for kind in kinds} & set(BLOCKS):
        record(folder, 'base', 1, ['proc 501 w', switch(0, 0, 501, 502)])
        with open(os.path.join(folder, 'base.cdict'), 'rb') as f:
            base = Base(f.read())
        os.unlink(os.path.join(folder, 'base.cdict'))
    for kind in kinds:
        kind, _, only = kind.partition('-')
        for variant in [int(only) - 1] if only else range(3):
            rnd.seed(f'{seed} {kind} {variant}')
            name = f'{kind}-{variant + 1}'
            if kind in TRACES:
                record(folder, name, *TRACES[kind](variant))
            else:
                with open(os.path.join(folder, name + '.cdict'), 'wb') as f:
                    f.write(BLOCKS[kind](base, variant))
            count(folder, name)


if __name__ == '__main__':
    main(sys.argv[1:])
