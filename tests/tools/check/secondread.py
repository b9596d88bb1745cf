#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
secondread.py [-a | --crc] FILE: a second reader of cdict files, written from doc/cdict.5 alone.

Prints every event in the form of dumpline.h, like build/tests/tools/check/dumpevents; with -a, first the
other contents of the file; with --crc, only the number of lines and their CRC-32.
Status 2, and the first damage on stderr, if the file is damaged; 1 if it is not a cdict.
"""
import heapq
import struct
import sys
import zlib
from itertools import repeat

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
SYNC = b'\xdc\x0c\xb1\x1e'
UINT, INT, BYTES, DATA_LOC, REL_LOC = range(5)
DELTA, SIGNED, RAW, DICT, CODE = range(5)
(LAST, TIME, CURRENT, NEXT, WAKEE, WOKEN, TASK, SAMETASK, CELL, PROCESS, ELAPSED, SUM, SINCE,
 CONTEXT, FOLLOW) = range(15)
TASK_MODELS = range(CURRENT, SAMETASK + 1)
AS_PREDICTED = None


class Damage(Exception):
    pass


def check(true, what):
    if not true:
        raise Damage(what)


def i32(v):
    return (v & M32 ^ 1 << 31) - (1 << 31)


def i64(v):
    return (v & M64 ^ 1 << 63) - (1 << 63)


def unzigzag(v):
    return v >> 1 ^ -(v & 1)


def inflate(data, size):
    """A raw deflate stream that holds exactly @size bytes."""
    check(size <= 1032 * len(data) + 1032, 'deflate does not do so well')
    z = zlib.decompressobj(-15)
    try:
        out = z.decompress(data, size + 1)
    except zlib.error as e:
        raise Damage(str(e)) from None
    check(len(out) == size and z.eof, 'a stream of another length')
    return out


class Bytes:
    """A place in bytes that advances with each read."""

    def __init__(self, data, at=0):
        self.data, self.at, self.end = data, at, len(data)

    def __bool__(self):
        return self.at < self.end

    def u8(self):
        check(self.at < self.end, 'cut')
        self.at += 1
        return self.data[self.at - 1]

    def u32(self):
        return int.from_bytes(self.take(4), 'little')

    def varint(self):
        v = shift = 0
        while True:
            b = self.u8()
            v |= (b & 127) << shift
            if b < 128:
                check(v <= M64, 'a varint of more than 64 bits')
                return v
            shift += 7
            check(shift < 70, 'a varint of more than ten bytes')

    def svarint(self):
        return unzigzag(self.varint())

    def take(self, n):
        check(n <= self.end - self.at, 'cut')
        self.at += n
        return self.data[self.at - n:self.at]

    def count(self, limit, what):
        n = self.varint()
        check(n <= limit, f'{n} {what}')
        return n

    def string(self):
        return self.take(self.varint())


def varints(data, n):
    """Exactly @n varints and nothing after them."""
    if len(data) == n and (not n or max(data) < 128):
        return list(data)
    r = Bytes(data)
    out = [r.varint() for _ in range(n)]
    check(not r, 'bytes after a table')
    return out


class Field:
    def __init__(self, name, kind=UINT, size=8, offset=0, model=LAST, cell=0, actor=0, arg=0):
        self.name, self.is_text, self.kind = name, kind >= 128, kind & 127
        self.size, self.offset, self.model, self.cell, self.actor, self.arg = \
            size, offset, model, cell, actor, arg
        self.is_task = model in TASK_MODELS
        self.is_scalar = self.kind <= INT

    def validate(self, number, coded):
        """The rules of a schema; @number in coding order."""
        ok = self.kind <= REL_LOC and self.model <= FOLLOW and self.cell < 32 and (
            self.size in (1, 2, 4, 8) if self.is_scalar else
            self.kind == BYTES or self.size == 4)
        ok &= self.model != TIME and (
            self.is_scalar or not self.is_task and self.model not in (ELAPSED, SUM, SINCE, PROCESS))
        if ok and self.model in (NEXT, SAMETASK, CELL, PROCESS, SUM, SINCE):
            ok = self.actor < number and coded[self.actor].is_task
        check(ok and (self.model != SUM or 4 <= self.arg < number), f'field {self.name}')


SAMPLE = [Field('time', model=TIME), Field('tid', INT, 4, model=CURRENT),
          Field('pid', INT, 4, model=PROCESS, actor=1), Field('mode', size=1)]


class Type:
    """An event type.  coded: its fields in coding order, the sample's four first."""

    def __init__(self, name, fmt, fields, first_slot):
        self.name, self.format, self.fields, self.first_slot = name, fmt, fields, first_slot
        order = sorted(range(len(fields)), key=lambda i: not fields[i].is_task)
        self.coded = SAMPLE + [fields[i] for i in order]
        self.row_of = [4 + order.index(i) for i in range(len(fields))]
        for n, f in enumerate(self.coded):
            if n >= 4:
                f.validate(n, self.coded)
        self.line = ' '.join(['{} {} {} {} {}', name.replace('{', '{{').replace('}', '}}'),
                              *(f'{f.name}={{}}' for f in fields)])
        self.print = [int if f.is_scalar else printed_text if f.is_text else printed_hex
                      for f in fields]


def printed_text(b):
    return '"%s"' % ''.join(chr(c) if 32 <= c < 127 and c not in b'"\\' else '\\x%02x' % c
                            for c in b)


def printed_hex(b):
    return '{%s}' % b.hex()


class Event:
    """cpu is None when unknown; values are in the order of the schema: numbers and bytes."""
    __slots__ = 't', 'cpu', 'tid', 'pid', 'mode', 'type', 'values'

    def __init__(self, *of):
        self.t, self.cpu, self.tid, self.pid, self.mode, self.type, self.values = of

    def line(self):
        return self.type.line.format(
            '-' if self.cpu is None else self.cpu, self.t, self.tid, self.pid, self.mode,
            *[p(v) for p, v in zip(self.type.print, self.values)])


def numbers(symbols, bits):
    """The numbers of a column: None where the symbol says as predicted."""
    at = 0
    for s in symbols:
        if s < 2:
            yield s
        elif s < 128:
            n = (s + 2) // 2 - 2
            end = at + n
            check(end <= 8 * len(bits), 'a column of too few bits')
            yield (2 + (s & 1)) << n | (
                int.from_bytes(bits[at >> 3:(end + 7) >> 3], 'little') >> (at & 7)) & (1 << n) - 1
            at = end
        else:
            check(s == 128, 'symbol above 128')
            yield AS_PREDICTED


def sparse(gaps, misses):
    """None for the events between the misses and, without end, after the last."""
    for gap in gaps:
        yield from repeat(AS_PREDICTED, gap)
        yield next(misses)
    yield from repeat(AS_PREDICTED)


def read_streams(r, n_own):
    """The streams after the head of an EVNT block."""
    sizes = [(0, n := r.varint(), n)]
    size, stored = r.varint(), r.varint()
    sizes.append((1, size, stored) if stored else (0, size, size))
    for _ in range(n_own):
        sizes.append((r.varint(), r.varint(), r.varint()))
    check(sum(s[1] for s in sizes) <= 1 << 29, 'streams above 2^29 bytes')
    out = []
    for codec, size, stored in sizes:
        check(codec <= 1 and size <= 1 << 28 and (codec or size == stored), 'a stream')
        data = r.take(stored)
        out.append(Bytes(inflate(data, size) if codec else data))
    return out


def read_part(r, streams):
    which, size = r.varint(), r.varint()
    check(which < len(streams), 'a stream that is not there')
    return streams[which].take(size)


def read_column(r, streams, field, n):
    """A column's entry in the directory: an iterator over what each event has instead of the
    prediction, and whether that is the value itself.  No field: an entry to be skipped."""
    coding = r.u8()
    dense, coding = coding & 128, coding & 127
    gaps = table = bits = ()
    n_symbols = n
    if not dense:
        n_symbols = r.varint()
        data = streams[1].take(r.varint())
        if field:
            check(n_symbols <= n, 'more misses than events')
            gaps = varints(data, n_symbols)
            check(sum(gaps) + n_symbols <= n, 'misses after the last event')
    if coding == DICT:
        n_table = r.varint()
        data = streams[1].take(r.varint())
        if field:
            check(n_table <= len(data), 'a table that is too long')
            value, table = 0, []
            for v in varints(data, n_table):
                value += unzigzag(v)
                table.append(value & M64)
    if coding in (DELTA, SIGNED, RAW):
        bits = streams[0].take(r.varint())
    symbols = read_part(r, streams)
    if field is None:
        return None
    if field.is_task or not field.is_scalar:
        check(coding == CODE, 'coding of a task or string')
    else:
        check(coding == DELTA if field.model == TIME else coding <= DICT, 'coding of a number')
    if coding == CODE:
        codes = varints(symbols, n_symbols)
        values = [c - 1 if c else AS_PREDICTED for c in codes] if dense else codes
    elif coding == DICT:
        codes = varints(symbols, n_symbols)
        check(not codes or max(codes) <= len(table), 'no such entry of a table')
        values = [table[c - 1] if c else AS_PREDICTED for c in codes]
    else:
        check(len(symbols) == n_symbols, 'number of symbols')
        values = numbers(symbols, bits)
        if coding == SIGNED:
            values = (v if v is None else unzigzag(v) for v in values)
    out = iter(values) if dense else sparse(gaps, iter(values))
    return out, coding >= RAW


class Task:
    """The state of the models for a task in a block."""
    __slots__ = 'tid', 'next', 'wake', 'wakee', 'out', 'cell'

    def __init__(self, tid):
        self.tid, self.wakee, self.out, self.cell = tid, None, 0, [None] * 32
        self.next, self.wake = [None] * 4, [None] * 4


def push(tasks, it):
    """To the front of a list of four."""
    del tasks[tasks.index(it) if it in tasks[:3] else 3]
    tasks.insert(0, it)


def hashed(slot, task, v):
    h = slot * 0x9e3779b1 & M32 ^ task * 0x85ebca6b & M32
    h = (h ^ v & M32) * 0xcc9e2d51 & M32
    h = (h ^ h >> 15 ^ v >> 32) * 0x1b873593 & M32
    return h ^ h >> 13


class Block:
    """An EVNT block; rows are (time, pass, Event)."""

    def __init__(self, payload, types):
        r = Bytes(payload)
        self.cpu = r.count(65536, 'is not a CPU') - 1
        self.n = r.count(65536, 'events')
        self.first = r.varint()
        self.last = self.first + r.varint()
        n_types = r.count(256, 'types')
        check(self.n and n_types and self.last <= M64, 'head of a block')
        self.types, self.counts = [], []
        for _ in range(n_types):
            number = r.varint()
            check(number < len(types), f'no type {number}')
            self.types.append(types[number])
            self.counts.append(r.varint())
        check(sum(self.counts) == self.n and len(set(self.types)) == n_types, 'types of a block')
        most = sum(c * len(t.coded) for t, c in zip(self.types, self.counts)) + 1
        n_tasks, n_strings = r.count(most, 'tasks'), r.count(most, 'strings')
        check(n_tasks and n_strings, 'no task or no string')
        directory, n_own = r.varint(), r.count(len(payload), 'streams')
        streams = read_streams(r, n_own)
        self.read_directory(Bytes(streams[1].take(directory)), streams)
        self.read_tables(n_tasks, n_strings)
        self.rows = list(self.decode())

    def read_directory(self, r, streams):
        fields = [(t, f) for t, ty in enumerate(self.types) for f in ty.coded]
        self.tables, self.columns, number = [b''] * 5, {}, -1
        while r:
            step = r.varint()
            check(step, 'the same column twice')
            number += step
            if number < 5:
                r.u8()
                self.tables[number] = read_part(r, streams)
            elif number - 5 < len(fields):
                t, f = fields[number - 5]
                self.columns[number - 5] = read_column(r, streams, f, self.counts[t])
            else:
                read_column(r, streams, None, 0)

    def read_tables(self, n_tasks, n_strings):
        kinds, tids, lengths, texts, order = self.tables
        if len(self.types) == 1:
            kinds = bytes(self.n)
        elif len(self.types) <= 16:
            check(len(kinds) == (self.n + 1) // 2, 'kinds')
            kinds = bytes(h for b in kinds for h in (b & 15, b >> 4))[:self.n]
        check(len(kinds) == self.n and
              all(kinds.count(t) == n for t, n in enumerate(self.counts)), 'kinds')
        self.kinds = kinds
        self.tids, tid = [], 0
        for v in varints(tids, n_tasks):
            tid += unzigzag(v)
            self.tids.append(i32(tid))
        self.strings, r = [b''], Bytes(texts)
        self.strings += [r.take(n) for n in varints(lengths, n_strings - 1)]
        check(not r, 'bytes after the strings')
        self.passes, number, r = [], 0, Bytes(order)
        if r:
            number = r.varint()
        while r:
            n = r.varint()
            check(n <= self.n - len(self.passes), 'a change of the pass after the last event')
            self.passes += repeat(number & M32, n)
            number += r.svarint()
        self.passes += repeat(number & M32, self.n - len(self.passes))

    def shown(self, f):
        """From the code of a field in a row to its value."""
        if f.is_task and f.kind == UINT:
            return [tid & (1 << 8 * f.size) - 1 for tid in self.tids].__getitem__
        if f.is_task:
            return self.tids.__getitem__
        return {UINT: int, INT: i64}.get(f.kind, self.strings.__getitem__)

    def plan(self):
        """For each type, the steps for each of its coded fields."""
        at = 0
        for ty in self.types:
            fields = []
            for n, f in enumerate(ty.coded):
                column, is_value = self.columns.get(at, (repeat(AS_PREDICTED), True))
                slot = 0 if n == 3 else ty.first_slot + n - 4
                fields.append((f, f.model, column.__next__, is_value, slot))
                at += 1
            yield fields, [(self.shown(f), n) for f, n in zip(ty.fields, ty.row_of)]

    def decode(self):
        tasks = [Task(tid) for tid in self.tids]
        latest, context, follower = [0] * 32, [0] * 4096, [0] * 32768
        slots, follow = {}, {}
        t, account, current, woken, followed = self.first, 0, 0, 0, 15
        plans = list(self.plan())
        cpu = self.cpu if self.cpu >= 0 else None

        def listed(tasks, code):
            """The task that a list of four and a code mean, which goes to its front."""
            it = tasks[0] if code is AS_PREDICTED else tasks[code + 1] if code < 3 else code - 3
            check(it is not None and it < len(self.tids), 'no such task')
            push(tasks, it)
            return it

        for at, kind in enumerate(self.kinds):
            row = []
            for f, model, column, is_value, slot in plans[kind][0]:
                code = column()
                if model == TIME:
                    v = t = t + (code or 0)
                    check(t <= self.last, 'a time after the last')
                elif f.is_task:
                    if model == NEXT:
                        w = tasks[row[f.actor]]
                        v = current = listed(w.next, code)
                        w.out = t
                        if w.tid == 0:
                            account = t
                    elif model == WAKEE:
                        w = tasks[row[1]]
                        v = listed(w.wake if w.wakee is None else tasks[w.wakee].wake, code)
                        w.wakee = woken = v
                    elif code is not AS_PREDICTED:
                        v = code
                        check(v < len(tasks), 'no such task')
                    elif model == CURRENT:
                        v = current
                    elif model == WOKEN:
                        v = woken
                    elif model == TASK:
                        v = slots.get(slot, 0)
                    else: # SAMETASK
                        v = row[f.actor]
                    if model == TASK:
                        slots[slot] = v
                    if len(row) == 1: # the sample's
                        current = v
                else:
                    if model == CELL or model == PROCESS or model == SUM:
                        w = tasks[row[f.actor]]
                        v = w.cell[f.cell]
                        if v is None:
                            v = w.tid if model == PROCESS else latest[f.cell]
                        if model == SUM:
                            v += row[f.arg]
                    elif model == LAST:
                        v = slots.get(slot, 0)
                    elif model == ELAPSED:
                        v = t - account
                    elif model == SINCE:
                        v = t - tasks[row[f.actor]].out
                    elif model == CONTEXT:
                        of = hashed(slot, row[1], 0) % 4096
                        on = hashed(slot, row[1], context[of]) % 32768
                        v = follower[on]
                    else: # FOLLOW
                        v = follow.get((slot, followed), 0)
                    if code is not AS_PREDICTED:
                        v = code if is_value else v + code
                    v &= M64
                    check(f.is_scalar or v < len(self.strings), 'no such string')
                    if model == CELL or model == PROCESS or model == SUM:
                        if w.cell[f.cell] != v:
                            w.cell[f.cell] = latest[f.cell] = v
                    elif model == LAST:
                        slots[slot] = v
                    elif model == ELAPSED:
                        account = t
                    elif model == CONTEXT:
                        follower[on] = context[of] = v
                    elif model == FOLLOW:
                        follow[slot, followed] = v
                row.append(v)
            followed = min(kind, 15)
            yield t, self.passes[at], Event(t, cpu, self.tids[row[1]], i32(row[2]), row[3],
                                            self.types[kind],
                                            [shown(row[n]) for shown, n in plans[kind][1]])


KVM_OTHERS = 'kvm:kvm_pio', 'kvm:kvm_mmio', 'kvm:kvm_msr', 'kvm:kvm_inj_virq'
TIMES = ('OUT', 'OUT2', 'IN', 'WAKE', 'WAKE2', 'WOKEN', 'MOVED', 'MOVED2', 'IO', 'ENTRY', 'EXIT', 'USER',
         'ACCESS', 'UP', 'UP2')   # the last two in a column of their own
AHEAD = 512, 2048, 16384, 65536   # events that a cut's rows rest on: so many of the next block, or all
UNIT = 20   # 2^20 ns, of a death
OVER_WITH_OUT = 'IN', 'WAKE', 'WAKE2', 'WOKEN', 'MOVED', 'MOVED2', 'IO', 'UP', 'UP2'


class Facts:
    """The facts about tasks from the events of one CPU: for each a dict of times and values."""

    def __init__(self, wakeup):
        self.wakeup, self.tasks, self.outs, self.ins = wakeup, {}, {}, {}
        self.first = self.last = self.cur = None
        self.missing, self.strange = 0, False

    def of(self, tid):
        return self.tasks.setdefault(i32(tid), {})

    def latest(self, tid, what, t, value=None):
        task = self.of(tid)
        if what in task and what + '2' in TIMES:
            task[what + '2'] = task[what]
        task[what] = t
        task[what, 'value'] = value

    def add(self, e):
        name = e.type.name
        v = dict(zip((f.name for f in e.type.fields), e.values))
        if name == 'sched:sched_switch':
            prev, nxt = i32(v['prev_pid']), i32(v['next_pid'])
            if self.last is None:
                self.first = prev, e.t
            elif prev != self.cur:
                self.missing += 1
                self.of(self.cur)['IN'] = self.last
            self.outs[prev] = self.outs.get(prev, 0) + 1
            if prev in self.ins:
                self.of(prev)['ran'] = True
            self.latest(prev, 'OUT', e.t, v['prev_state'])
            self.ins[nxt] = e.t
            self.of(nxt)
            self.cur, self.last = nxt, e.t
        elif name in ('sched:sched_waking', 'sched:sched_wakeup', 'sched:sched_wakeup_new'):
            cpu = v.get('target_cpu', v.get('cpu', M32))
            if not v.get('success', 1):
                return
            if name == 'sched:sched_wakeup' and not self.wakeup:
                self.latest(v['pid'], 'UP', e.t)
            if name != 'sched:sched_wakeup' or self.wakeup:
                self.latest(v['pid'], 'WAKE', e.t, cpu)
            self.latest(v['pid'], 'WOKEN', e.t, cpu)
        elif name == 'sched:sched_migrate_task':
            self.latest(v['pid'], 'MOVED', e.t, v['dest_cpu'])
        elif name == 'sched:sched_stat_iowait':
            self.latest(v['pid'], 'IO', e.t)
        elif name == 'kvm:kvm_exit':
            reason = [v[k] for k in ('exit_reason', 'ret', 'exit_nr', 'reason', 'scause') if k in v]
            self.latest(e.tid, 'EXIT', e.t, (e.type, (reason or [0])[0] & M64,
                                             v.get('esr_ec', 0), v.get('isa', 0)))
        elif name == 'kvm:kvm_entry':
            self.latest(e.tid, 'ENTRY', e.t)
        elif name == 'kvm:kvm_userspace_exit':
            self.latest(e.tid, 'USER', e.t)
        elif name in KVM_OTHERS:
            self.latest(e.tid, 'ACCESS', e.t)

    def is_vcpu(self, tid):
        return any(k in self.tasks.get(tid, ()) for k in ('ENTRY', 'EXIT'))


class Digests:
    """The DGST blocks."""

    def __init__(self):
        self.cuts, self.tasks, self.last, self.wakeup, self.apart = [], [], False, False, False
        self.deaths = {}    # by tid

    def read(self, r, blocks):
        flags = r.u8()
        check(flags < 32 and flags & 12 == 12, 'flags of a DGST')
        self.apart = bool(flags & 16)
        check(not self.last, 'more after the last')
        self.wakeup, self.last = bool(flags & 1), bool(flags & 2)
        cuts = []
        for _ in range(r.varint()):
            cpu, block, rows, missing = r.varint(), blocks.get(r.varint()), r.varint(), r.varint()
            check(block and block.cpu == cpu, 'no such block')
            ahead, latest = block.last + r.varint(), None
            if r.u8():
                cur, at = r.svarint(), block.last - r.varint()
                latest = cur, at, at - r.varint()
            cuts.append((cpu, block, rows, missing, latest, ahead))
        flags, tids, times, values = (Bytes(r.string()) for _ in range(4))
        every = []
        for cpu, block, n, missing, latest, ahead in cuts:
            rows, tid = {}, None
            for _ in range(n):
                bits = flags.varint()
                step = tids.svarint()
                check(tid is None or step > 0, 'tids not ascending')
                tid = step + (tid or 0)
                row = {TIMES[i]: block.last - times.varint()
                       for i in range(13) if bits >> i + 1 & 1}
                check((row or self.apart) and bits < 1 << 14, 'flags of a row')
                if 'WOKEN' in row and self.apart and not self.wakeup:
                    row['UP'] = row['WOKEN']
                for what in ('OUT', 'WAKE', 'WOKEN', 'MOVED', 'EXIT'):
                    if what in row:
                        n_values = 4 if what == 'EXIT' else 1
                        row[what, 'value'] = [values.varint() for _ in range(n_values)]
                row['ran'] = bool(bits & 1)
                rows[tid] = row
                every.append((block, row))
            self.cuts.append((cpu, block, rows, missing, latest, ahead))
        check(not (flags or tids or times or values), 'bytes after a column')
        if self.last:
            check(r.varint() == len(blocks), 'of other blocks')
            n = r.varint()
            columns = [Bytes(r.string()) for _ in range(6)]
            names = [b''] + [r.string() for _ in range(r.varint())]
            check(all(len(name) < 16 for name in names), 'a long name')
            tid = t = 0
            for _ in range(n):
                tid, t = tid + columns[0].svarint(), t + columns[1].varint()
                self.tasks.append((t, tid, tid + columns[2].svarint(), columns[3].varint(),
                                   names[columns[4].varint()]))
                if death := columns[5].varint():
                    self.deaths[tid] = (t >> UNIT) + death << UNIT
            check(not any(columns), 'bytes after a column of tasks')
        if self.apart:
            ups, n = Bytes(r.string()), -1
            while ups:
                n += ups.varint() + 1
                block, row = every[n]
                row['UP'] = block.last - ups.varint()
                if before := ups.varint():
                    row['UP2'] = block.last - (before - 1)
        check(not r, 'bytes at the end')

    def prove(self, c):
        """Yields the differences from the events.  Rows are worked out anew, from those of the CPU
        since its cut before, and must hold exactly the facts that the next block does not supersede."""
        if not self.cuts:
            return
        if not self.last:
            yield 'the last DGST block is missing'
        if sorted(self.tasks) != self.tasks:
            yield 'tasks are in another order'
        if any(vcpu or name or pid - tid for _, tid, pid, vcpu, name in self.tasks if tid < 0):
            yield 'IDLE is a vCPU or has a name'
        vcpus, first, lasts = {}, {}, {}
        for e in c.events():
            if e.type.name in ('kvm:kvm_entry', 'kvm:kvm_exit'):
                vcpus.setdefault(e.tid, True)
            for tid in self.named(e):
                first.setdefault(tid, e.t)
            for tid, state in self.happened(e):
                lasts[tid] = e.t, state
        recorded = self.recorded(c, first)
        missing = first.keys() - {t[1] for t in self.tasks} - recorded.keys()
        if missing:
            yield f'tasks {sorted(missing)[:5]} are missing'
        for _, tid, *_ in self.tasks:
            t, state = lasts.get(tid, (0, 0))
            died = (t >> UNIT) + 1 << UNIT if state & 0x30 and tid not in vcpus else None
            if tid > 0 and self.deaths.get(tid) != died:
                yield f'{tid} died at {died}, not {self.deaths.get(tid)}'
        deaths = {**recorded, **self.deaths}
        for tid, t in deaths.items():
            if lasts.get(tid, (0,))[0] > t:
                yield f'{tid}, dead at {t}, does something at {lasts[tid][0]}'
        for cpu in {b.cpu for b in c.blocks.values()}:
            blocks = [b for b in c.blocks.values() if b.cpu == cpu]
            cuts = [cut for cut in self.cuts if cut[0] == cpu]
            if not cuts or cuts[-1][1] is not blocks[-1] or cuts[-1][2]:
                yield f'CPU {cpu} has no last cut'
                continue
            begin, first = 0, None
            for number, (_, block, rows, missing, latest, ahead) in enumerate(cuts):
                end = blocks.index(block) + 1
                facts, later_facts = Facts(self.wakeup), Facts(self.wakeup)
                for b in blocks[begin:end]:
                    for *_, e in b.rows:
                        facts.add(e)
                first = first or facts.first
                if facts.last and (not latest or latest[1] != facts.last or latest[2] != first[1]):
                    yield f'CPU {cpu}: the latest switch is {facts.last}, not {latest}'
                elif facts.last and latest[0] != facts.cur:
                    yield f'CPU {cpu}: {facts.cur} was switched in at {facts.last}, not {latest[0]}'
                begin = end
                if end == len(blocks):
                    continue
                for n in AHEAD:
                    following = [e for *_, e in blocks[end].rows[:n]]
                    if following[-1].t == ahead:
                        break
                else:
                    yield f'CPU {cpu}: rows rest on events up to {ahead}, not {following[-1].t}'
                for e in following:
                    later_facts.add(e)
                if later_facts.first and later_facts.first[0] == facts.cur:
                    later_facts.of(facts.cur)['ran'] = True
                if blocks[end].first <= block.last:
                    yield f'CPU {cpu}: a cut within {block.last}'
                for tid in facts.tasks:
                    if tid not in rows and tid in deaths and deaths[tid] <= block.last:
                        continue
                    yield from self.prove_row(c, cpu, tid, facts, later_facts, rows.get(tid, {}),
                                              facts.is_vcpu(tid) or vcpus.get(tid), self.apart)

    @staticmethod
    def named(e):
        v = dict(zip((f.name for f in e.type.fields), e.values))
        if e.tid > 0:
            yield e.tid
        for k in ('prev_pid', 'next_pid') if e.type.name == 'sched:sched_switch' else ():
            if v[k]:
                yield i32(v[k])

    @staticmethod
    def happened(e):
        """The tasks that something happened to; with the state that a switched out one was left in."""
        v = dict(zip((f.name for f in e.type.fields), e.values))
        if e.type.name == 'sched:sched_switch':
            yield i32(v['prev_pid']), v['prev_state']
            yield i32(v['next_pid']), 0
        elif e.type.name in ('sched:sched_waking', 'sched:sched_wakeup', 'sched:sched_wakeup_new',
                             'sched:sched_migrate_task', 'sched:sched_stat_iowait'):
            yield i32(v['pid']), 0
        elif e.type.name.startswith('kvm:'):
            yield e.tid, 0

    @staticmethod
    def recorded(c, first):
        """The times of death of tasks whose TASK rows are complete: a birth before all events, a death."""
        forks, named, exits = {}, set(), {}
        for what, t, _, tid, _ in c.tasks:
            if what == 0:
                forks.setdefault(tid, []).append(t)
            elif what == 3:
                exits[tid] = max(t, exits.get(tid, 0))
            else:
                named.add(tid)
        return {tid: (t >> UNIT) + 2 << UNIT for tid, t in exits.items()
                if tid in named and len(forks.get(tid, ())) == 1 and
                0 < forks[tid][0] <= first.get(tid, 0)}

    @staticmethod
    def prove_row(c, cpu, tid, facts, later_facts, row, vcpu, apart):
        # If a block has several switch-outs, a switch-in may be missing without a record
        vague = later_facts.missing and later_facts.outs.get(tid, 0) > 1
        have, later = facts.tasks[tid], later_facts.tasks.get(tid, {})
        for what in TIMES if apart else TIMES[:13]:
            t, over = have.get(what), False
            if 'OUT' in later:
                over = what in OVER_WITH_OUT or (
                    what in ('OUT', 'OUT2') and 'ran' in later and (not vcpu or 'OUT2' in later))
            if what in ('WAKE', 'WAKE2', 'MOVED', 'MOVED2', 'UP', 'UP2'):
                over |= what[:5].rstrip('2') + '2' in later
            if what in ('WOKEN', 'IO', 'ENTRY', 'EXIT', 'USER', 'ACCESS'):
                over |= what in later or what == 'ACCESS' and 'EXIT' in later
            got = row.get(what)
            if what == 'WOKEN' and got is None and not over:
                got = row.get('WAKE')
            if what == 'IN' or what == 'OUT2' and got is None or vague and what == 'OUT': # OUT2 is of vCPUs
                continue
            if got is not None and (got != t or over) or \
                    got is None and t is not None and not over:
                yield f'CPU {cpu}: {what} of {tid} is {t}{" of no use" * over}, not {got}'
            elif got is not None and what in ('OUT', 'MOVED') and \
                    row[what, 'value'][0] - (what == 'MOVED') & M32 != have[what, 'value'] & M32:
                yield f'CPU {cpu}: {what} of {tid} has another value'
            elif got is not None and what == 'EXIT' and row[what, 'value'] != [
                    c.types.index(have[what, 'value'][0]), *(v & M64 for v in have[what, 'value'][1:])]:
                yield f'CPU {cpu}: the exit of {tid} is another'


class Cdict:
    """The contents of a file.  damage: its faults, the first one first."""

    def __init__(self, data):
        r = Bytes(data)
        check(r.take(8) == b'\x89CDICT\r\n', 'this is not a cdict')
        version, crc = r.u32(), r.u32()
        check(crc == zlib.crc32(data[:12]), 'header')
        check(version & 0xffff == 1, f'a file of version {version & 0xffff}')
        self.info, self.types, self.blocks, self.damage = {}, [], {}, []
        self.tasks, self.losses, self.late, self.skipped, self.labels = [], [], [], [], []
        self.texts, self.frames, self.stacks = [], [], []
        self.index_at, self.found = None, []
        self.digests = Digests()
        self.walk(data)

    def walk(self, data):
        at, ordinal, read = 16, 0, {
            b'INFO': self.read_info, b'SCHM': self.read_schema, b'TASK': self.read_tasks,
            b'LOSS': self.read_losses, b'SKIP': self.read_skipped, b'LABL': self.read_labels,
            b'STAK': self.read_stacks, b'STEV': self.read_stacks_of_events,
            b'DGST': self.read_digests, b'INDX': self.read_index}
        while at < len(data) and not (self.index_at and len(data) - at == 16):
            head = data[at:at + 24]
            if not is_head(head):
                begin, at = at, next_head(data, at)
                self.damage.append(f'{at - begin} bytes at {begin} are no block')
                continue
            name, (size, number, crc) = head[4:8], struct.unpack_from('<3I', head, 8)
            if number != ordinal:
                self.damage.append(f'blocks before {number} are missing')
            ordinal = number + 1
            payload = data[at + 24:at + 24 + size]
            if len(payload) < size:
                self.damage.append(f'the file ends in block {number}')
                return
            self.found.append([name, size + 24, ()])
            try:
                check(zlib.crc32(payload) == crc, 'CRC')
                if name == b'EVNT':
                    b = Block(payload, self.types)
                    self.blocks[number] = b
                    self.found[-1][2] = b.cpu, b.n, b.first, b.last
                elif name in read:
                    r = Bytes(payload)
                    codec, size = r.u8(), r.count(1 << 28, 'bytes')
                    content = r.take(len(payload) - r.at)
                    check(codec == 1 or codec == 0 and len(content) == size, 'envelope')
                    read[name](Bytes(inflate(content, size) if codec else content))
            except Damage as e:
                self.damage.append(f'block {number} ({name.decode("latin1")}): {e}')
            if name == b'INDX':
                self.index_at = at
            at += 24 + len(payload)
        if not self.index_at or at == len(data):
            self.damage.append('the file has no index or trailer')
        elif data[at:] != (t := struct.pack('<Q', self.index_at)) + struct.pack(
                '<I4s', zlib.crc32(t), b'CDND'):
            self.damage.append('trailer')

    def read_info(self, r):
        rows = {}
        while r:
            key = r.string()
            rows[key] = r.string()
        check(len({*self.info, *rows}) <= 4096, 'too many keys')
        self.info.update(rows)

    def read_schema(self, r):
        self.big_endian, self.long_size, self.page_size = r.u8(), r.u8(), r.count(1 << 30, 'page')
        check(self.big_endian <= 1 and self.long_size in (4, 8), 'byte order or size of a long')
        check(r.varint() == len(self.types), 'types before are missing')
        types, slot = [], 1 + sum(len(t.fields) for t in self.types)
        for _ in range(r.count(4096, 'types')):
            name = (r.string() + b':' + r.string()).decode('latin1')
            r.varint()
            fmt = r.string()
            fields = []
            for _ in range(r.count(128, 'fields')):
                field = r.string().decode('latin1')
                offset, size = r.count(1 << 20, 'offset'), r.count(1 << 20, 'size')
                kind, model, cell, actor, arg = (r.u8() for _ in range(5))
                fields.append(Field(field, kind, size, offset, model, cell, actor, arg))
            types.append(Type(name, fmt, fields, slot))
            slot += len(fields)
        names = [t.name for t in self.types + types]
        check(len(names) == len(set(names)) <= 4096, 'types')
        self.types += types

    def read_tasks(self, r):
        rows, comms, tid, time, ppid = [], [], 0, 0, 0
        while r:
            flags = r.u8()
            check(flags < 64, 'flags of a task')
            what = flags & 3
            tid = i32(tid + r.svarint())
            pid = i32(tid + r.svarint()) if flags & 4 else tid
            if flags & 8:
                time = time + r.svarint() & M64
            if what in (0, 3):
                ppid = i32(ppid + r.svarint())
                of = ppid, i32(ppid + r.svarint()) if flags & 16 else ppid
            else:
                if flags & 32:
                    comms.append(r.string())
                    of = comms[-1]
                else:
                    n = r.varint()
                    check(n < len(comms), 'no such comm')
                    of = comms[-1 - n]
            rows.append((what, time, pid, tid, of))
        self.tasks += rows

    def read_losses(self, r):
        losses, late = [], []
        while r:
            what, cpu, kind = r.varint(), r.count(65536, 'is not a CPU') - 1, r.varint() - 1
            begin = r.varint()
            end = begin + r.varint()
            count = r.varint()
            check(end <= M64 and kind < 4096, 'row of a loss')
            if what < 5:
                losses.append((what, cpu, kind, begin, end, count))
            elif what == 5:
                late.append((cpu, begin, end))
        self.losses += losses
        self.late += late

    def read_skipped(self, r):
        rows = []
        while r:
            name = r.string()
            rows.append((name, r.varint()))
        self.skipped += rows

    def read_labels(self, r):
        rows, texts, tid, start = [], [b''], 0, 0
        n = r.varint() if r else 0
        check(not r or 8 <= n <= 64, 'texts in a row')
        while r:
            origin = r.u8()
            tid = i32(tid + r.svarint())
            pid = i32(tid + r.svarint())
            start = start + r.svarint() & M64
            row = []
            for _ in range(n):
                which = r.varint()
                if which == 1:
                    texts.append(r.string())
                check(which < len(texts) + 1, 'no such text')
                row.append(texts[0 if which == 0 else -max(which - 1, 1)])
            check(tid > 0, 'a label of no task')
            rows.append((origin, tid, pid, start, row[:8]))
        self.labels += rows

    def read_stacks(self, r):
        check((r.varint(), r.varint(), r.varint()) ==
              (len(self.texts), len(self.frames), len(self.stacks)), 'stacks before are missing')
        texts = self.texts + [r.string() for _ in range(r.count(1 << 22, 'texts'))]
        frames, address = list(self.frames), 0
        for _ in range(r.count(1 << 22, 'frames')):
            mode = r.u8()
            address = address + r.svarint() & M64
            frames.append((mode, address, r.count(len(texts), 'is not a text') - 1, r.varint(),
                           r.count(len(texts), 'is not a text') - 1))
        stacks = list(self.stacks)
        for _ in range(r.count(1 << 24, 'stacks')):
            stacks.append([r.count(len(frames) - 1, 'is not a frame')
                           for _ in range(r.count(8192, 'frames'))])
        self.texts, self.frames, self.stacks = texts, frames, stacks

    def read_stacks_of_events(self, r):
        block, n = self.blocks.get(r.varint()), r.varint()
        check(not block or n == block.n, 'events of another block')
        if block:
            block.stacks = [r.count(len(self.stacks), 'is not a stack') - 1 for _ in range(n)]

    def read_digests(self, r):
        self.digests.read(r, self.blocks)

    def read_index(self, r):
        rows, last = [], 0
        while r:
            name, size, head = r.take(4), r.varint(), ()
            if name == b'EVNT':
                cpu, n = r.varint() - 1, r.varint()
                first = last + r.svarint() & M64
                last = first + r.varint()
                head = cpu, n, first, last
            rows.append([name, size, head])
        check(rows == self.found[:-1], 'the index is of other blocks')

    def events(self):
        """All events in order of time."""
        chains = {}
        for b in self.blocks.values():
            of_cpu = chains.setdefault(b.cpu if b.cpu >= 0 else M32, [])
            for chain in of_cpu:
                if chain[-1].last <= b.first:
                    chain.append(b)
                    break
            else:
                of_cpu.append([b])

        def rows(cpu, number, chain):
            for b in chain:
                for t, order, event in b.rows:
                    yield t, order, cpu, number, event
        return (row[4] for row in heapq.merge(
            *(rows(cpu, n, chain) for cpu in chains for n, chain in enumerate(chains[cpu])),
            key=lambda row: row[:4]))


def is_head(head):
    return (len(head) == 24 and head[:4] == SYNC and zlib.crc32(head[:20]) ==
            int.from_bytes(head[20:], 'little') and
            int.from_bytes(head[8:12], 'little') <= 1 << 28)


def next_head(data, at):
    while (at := data.find(SYNC, at + 1)) >= 0:
        if is_head(data[at:at + 24]):
            return at
    return len(data)


def print_others(c, put):
    def text(b):
        return printed_text(b.split(b'\0')[0])

    for key, value in c.info.items():
        put(f'# info {text(key)} {text(value)}')
    for what, time, pid, tid, of in c.tasks:
        of = text(of) if what in (1, 2) else '%d/%d' % of
        put(f'# {("fork", "comm", "exec", "exit")[what]} {time} {pid}/{tid} {of}')
    for what, cpu, kind, begin, end, n in c.losses:
        what = ('ring', 'samples', 'throttle', 'disorder', 'damage')[what]
        put(f'# {what} {cpu} {kind} {begin}-{end} {n}')
    for cpu, begin, end in c.late:
        put(f'# late {cpu} {begin} after {end}')
    for name, n in c.skipped:
        put(f'# skip {text(name)} {n}')


def main(args):
    try:
        with open(args[-1], 'rb') as f:
            c = Cdict(f.read())
    except (OSError, Damage) as e:
        print(f'secondread: {args[-1]}: {e}', file=sys.stderr)
        return 1
    out, count, crc = sys.stdout, 0, 0

    def put(line):
        out.write(line + '\n')
    if args[0] == '-a':
        print_others(c, put)
    for event in c.events():
        if args[0] == '--crc':
            count, crc = count + 1, zlib.crc32(event.line().encode('latin1') + b'\n', crc)
        else:
            put(event.line())
    if args[0] == '--crc':
        put(f'{count} {crc:08x}')
    if not c.damage:
        c.damage.extend(c.digests.prove(c))
    for damage in c.damage[:1 if args[0] != '-d' else None]:
        print(f'secondread: {args[-1]}: {damage}', file=sys.stderr)
    return 2 if c.damage else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
