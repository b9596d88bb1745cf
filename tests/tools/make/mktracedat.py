#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes a trace.dat, in trace-cmd's format, from the events of a perf.data.

    mktracedat.py [options] IN.data OUT.dat

Stores the events of a perf.data file (not from a pipe, not compressed; of either byte order) in pages of the
kernel's ring buffer, with the formats in the perf.data. trace-cmd.dat.v6(5) and .v7(5) describe
the file, include/linux/ring_buffer.h the pages."""
import argparse
import ctypes
import fnmatch
import re
import struct
import zlib

SAMPLE, COMM = 9, 3
IP, TID, TIME, ADDR, READ, CHAIN, ID, CPU, PERIOD, STREAM, RAW = range(11)
IDENTIFIER = 16
CHUNK_PAGES = 10


def options():
    p = argparse.ArgumentParser()
    p.add_argument('input')
    p.add_argument('output')
    p.add_argument('--version', type=int, default=7)
    p.add_argument('--codec', choices=('none', 'zlib', 'zstd'), default='none')
    p.add_argument('--clock', default='local')
    p.add_argument('--clock-behind', action='store_true',
                   help='of version 6: the clock is only after the list of CPUs, as before 2.9')
    p.add_argument('--tsc', metavar='MULT,SHIFT', help='times are ticks, and TSC2NSEC describes them')
    p.add_argument('--per-page', type=int, default=1 << 30, help='events on a page, at most')
    p.add_argument('--lost', action='append', default=[], metavar='CPU,PAGE,COUNT',
                   help='the page reports COUNT lost events before it; -1: that there were some')
    p.add_argument('--absolute', action='store_true', help='absolute times instead of long deltas')
    p.add_argument('--discard', type=int, default=0, metavar='N', help='a discarded event after each Nth')
    p.add_argument('--long-form', action='store_true', help='all lengths in a word of their own')
    p.add_argument('--guest', action='append', default=[], metavar='NAME,ID,TID...')
    p.add_argument('--uname', default='Linux compute-01 6.1.0-18-amd64 x86_64')
    p.add_argument('--recorder', default='trace-cmd 3.1.6')
    p.add_argument('--trace-id', type=int)
    p.add_argument('--offset')
    p.add_argument('--date')
    p.add_argument('--shift', action='append', default=[], metavar='CPU:T,OFFSET,SCALING,FRACTION;...')
    p.add_argument('--shift-flags', type=int, default=0)
    p.add_argument('--peer', type=int, default=7, help='the trace id that --shift leads to')
    p.add_argument('--stat', action='append', default=[], metavar='CPU,OVERRUN')
    p.add_argument('--procmaps', action='append', default=[], help='a file of one process')
    p.add_argument('--hook')
    p.add_argument('--cpucount', type=int)
    p.add_argument('--instance', action='append', default=[], metavar='NAME,GLOB[,CLOCK]',
                   help='events that match are in this buffer; +NAME: there as well')
    p.add_argument('--page-size', type=int, help='of the ring buffer, else as the perf.data says')
    p.add_argument('--overlap', action='store_true', help='of version 6: all CPUs have the pages of the first')
    p.add_argument('--no-names', action='store_true', help='without saved_cmdlines')
    return p.parse_args()


class Perf:
    """Events and formats of a perf.data."""

    def __init__(self, name):
        self.data = data = open(name, 'rb').read()
        self.o = o = {b'PERFILE2': '<', b'2ELIFREP': '>'}[data[:8]]
        attr_size, attrs, attrs_size, at, size = struct.unpack_from(o + '5Q', data, 16)
        features = struct.unpack_from(o + '4Q', data, 72)
        self.layout, only = {}, None
        for a in range(attrs, attrs + attrs_size, attr_size):
            only, = struct.unpack_from(o + 'Q', data, a + 24)
            ids_at, ids_size = struct.unpack_from(o + '2Q', data, a + attr_size - 16)
            for i in range(ids_at, ids_at + ids_size, 8):
                self.layout[struct.unpack_from(o + 'Q', data, i)[0]] = only
        self.only = only
        self.names, self.events, self.n_cpus = {}, [], 1
        end = end_of_data = at + size
        for bit in range(256):
            if features[bit // 64] >> bit % 64 & 1:
                if bit == 1:
                    self.tracing(*struct.unpack_from(o + '2Q', data, end))
                end += 16
        while at < end_of_data:
            kind, _, length = struct.unpack_from(o + 'IHH', data, at)
            if kind == SAMPLE:
                self.sample(at + 8)
            elif kind == COMM:
                tid, = struct.unpack_from(o + 'i', data, at + 12)
                self.names[tid] = data[at + 16:data.index(b'\0', at + 16)]
            at += max(length, 8)

    def sample(self, at):
        o, data, value = self.o, self.data, {}
        layout = self.only
        if layout >> IDENTIFIER & 1:
            layout = self.layout[struct.unpack_from(o + 'Q', data, at)[0]]
            at += 8
        for bit in (IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD):
            if layout >> bit & 1:
                value[bit] = struct.unpack_from(o + ('II' if bit in (TID, CPU) else 'Q'), data, at)
                at += 8
        assert not layout >> READ & 1
        if layout >> CHAIN & 1:
            at += 8 + 8 * struct.unpack_from(o + 'Q', data, at)[0]
        size, = struct.unpack_from(o + 'I', data, at)
        raw = data[at + 4:at + 4 + size]
        cpu = value[CPU][0] if CPU in value else 0
        self.n_cpus = max(self.n_cpus, cpu + 1)
        self.events.append((value[TIME][0], cpu, raw))

    def tracing(self, at, size):
        o, d = self.o, self.data[at:at + size]
        p = d.index(b'\0', 10) + 1
        self.order, self.long_size = d[p], d[p + 1]
        self.page_size, = struct.unpack_from(('>' if d[p] else '<') + 'I', d, p + 2)
        o = '>' if self.order else '<'
        p += 6
        start = p
        for name in (b'header_page\0', b'header_event\0'):
            assert d[p:p + len(name)] == name
            n, = struct.unpack_from(o + 'Q', d, p + len(name))
            p += len(name) + 8 + n
        self.header = d[start:p]
        start = p
        n, = struct.unpack_from(o + 'I', d, p)
        p += 4
        for _ in range(n):
            p += 8 + struct.unpack_from(o + 'Q', d, p)[0]
        self.ftrace = d[start:p]
        start = p
        self.names_of = {}
        systems, = struct.unpack_from(o + 'I', d, p)
        p += 4
        for _ in range(systems):
            z = d.index(b'\0', p)
            system = d[p:z].decode()
            n, = struct.unpack_from(o + 'I', d, z + 1)
            p = z + 5
            for _ in range(n):
                length, = struct.unpack_from(o + 'Q', d, p)
                text = d[p + 8:p + 8 + length].decode()
                number = int(text.split('\nID:')[1].split('\n')[0])
                self.names_of[number] = system + ':' + text.split('name: ')[1].split('\n')[0]
                p += 8 + length
        self.formats = d[start:p]
        p += 4 + struct.unpack_from(o + 'I', d, p)[0]
        n, = struct.unpack_from(o + 'I', d, p)
        self.printk = d[p:p + 4 + n]


    def resize(self, size):
        o, name = '>' if self.order else '<', b'header_page\0'
        at = len(name) + 8
        end = at + struct.unpack_from(o + 'Q', self.header, len(name))[0]
        text = re.sub(rb'(char data;.*?size:)[0-9]+', rb'\g<1>%d' % (size - 8 - self.long_size),
                      self.header[at:end])
        self.header = name + struct.pack(o + 'Q', len(text)) + text + self.header[end:]
        self.page_size = size


class Ring:
    """Pages of one CPU."""

    def __init__(self, perf, args):
        self.o, self.big = ('>' if perf.order else '<'), bool(perf.order)
        self.long, self.page_size, self.args = perf.long_size, perf.page_size, args
        self.data_at = 8 + self.long
        self.pages, self.data = [], None

    def begin(self, t):
        self.end()
        self.data, self.first, self.t, self.n = b'', t, t, 0

    def end(self, lost=None):
        if self.data is None:
            return
        lost = {(int(x[1])): int(x[2]) for x in self.lost}.get(len(self.pages))
        commit, tail = len(self.data), b''
        if lost is not None:
            commit |= 1 << 31
            if lost >= 0:
                commit |= 1 << 30
                tail = struct.pack(self.o + ('Q' if self.long == 8 else 'I'), lost)
        head = struct.pack(self.o + 'Q' + ('Q' if self.long == 8 else 'I'), self.first, commit)
        page = head + self.data + tail
        assert len(page) <= self.page_size
        self.pages.append(page.ljust(self.page_size, b'\0'))
        self.data = None

    def word(self, kind, delta):
        return struct.pack(self.o + 'I', kind << 27 | delta if self.big else delta << 5 | kind)

    def bytes_of(self, t, raw):
        delta, out = t - self.t, b''
        if delta >= 1 << 27:
            if self.args.absolute:
                kind, value = 31, t & (1 << 59) - 1
            else:
                kind, value = 30, delta
            out += self.word(kind, value & (1 << 27) - 1) + struct.pack(self.o + 'I', value >> 27)
            delta = 0
        raw = raw.ljust(-(-len(raw) // 4) * 4, b'\0')
        if len(raw) > 112 or self.args.long_form:
            out += self.word(0, delta) + struct.pack(self.o + 'I', len(raw) + 4) + raw
        else:
            out += self.word(len(raw) // 4, delta) + raw
        return out

    def add(self, t, raw):
        if self.data is None:
            self.begin(t)
        more = self.bytes_of(t, raw)
        if self.n == self.args.per_page or len(self.data) + len(more) + self.data_at + 8 > self.page_size:
            self.begin(t)
            more = self.bytes_of(t, raw)
        self.data += more
        self.t = t
        self.n += 1
        if self.args.discard and not self.n % self.args.discard and \
                len(self.data) + self.data_at + 28 < self.page_size:
            self.data += self.word(29, 1) + struct.pack(self.o + 'I', 8) + b'\xaa' * 4
            self.t += 1


def rings(perf, args, events, lost):
    """The pages of each CPU."""
    out = []
    for cpu in range(perf.n_cpus):
        ring = Ring(perf, args)
        ring.lost = [x.split(',') for x in lost if int(x.split(',')[0]) == cpu]
        # an event that was discarded takes a tick
        last = 0
        for t, _, raw in sorted((e for e in events if e[1] == cpu), key=lambda e: e[0]):
            last = max(t, last)
            ring.add(last, raw)
            last = ring.t
        ring.end()
        out.append(b''.join(ring.pages))
    return out


class File:
    def __init__(self, perf, args):
        self.perf, self.args, self.o = perf, args, '>' if perf.order else '<'
        self.out = bytearray(b'\x17\x08\x44tracing%d\0' % args.version)
        self.out += bytes((perf.order, perf.long_size)) + self.pack('I', perf.page_size)

    def pack(self, form, *values):
        return struct.pack(self.o + form, *values)

    def squeeze(self, data):
        if self.args.codec == 'zlib':
            return zlib.compress(data)
        zstd = ctypes.CDLL('libzstd.so.1')
        zstd.ZSTD_compress.restype = ctypes.c_size_t
        zstd.ZSTD_compressBound.restype = ctypes.c_size_t
        room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
        n = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
        return room.raw[:n]

    def option_list(self):
        a, pack = self.args, self.pack
        clocks = ' '.join('[%s]' % c if c == a.clock else c
                          for c in ['local', 'global', 'x86-tsc', 'mono'] + [a.clock][:a.clock not in
                                                                            ('local', 'global', 'x86-tsc', 'mono')])
        self.clocks = clocks.encode() + b'\n'
        yield 4, b'' if a.clock_behind else self.clocks + b'\0'
        yield 5, a.uname.encode() + b'\0'
        yield 9, a.recorder.encode() + b'\0'
        if a.cpucount:
            yield 8, pack('I', a.cpucount)
        if a.trace_id is not None:
            yield 11, pack('Q', a.trace_id)
        if a.hook:
            yield 6, a.hook.encode() + b'\0'
        if a.offset:
            yield 7, a.offset.encode() + b'\0'
        if a.date:
            yield 1, a.date.encode() + b'\0'
        for path in a.procmaps:
            yield 10, open(path, 'rb').read() + b'\0'
        for s in a.stat:
            cpu, n = s.split(',')
            yield 2, ('CPU: %s\nentries: 1\noverrun: %s\ncommit overrun: 0\nbytes: 60\ndropped events: 0\n' %
                      (cpu, n)).encode() + b'\0'
        for g in a.guest:
            name, number, *tids = g.split(',')
            yield 13, name.encode() + b'\0' + pack('QI', int(number), len(tids)) + b''.join(
                pack('Ii', i, int(t)) for i, t in enumerate(tids))
        if a.shift:
            cpus = [[[int(v) for v in p.split(',')] for p in s.split(':')[1].split(';')] for s in a.shift]
            yield 12, pack('QII', a.peer, a.shift_flags, len(cpus)) + b''.join(
                pack('I', len(c)) + b''.join(pack('q', p[k]) for k in range(3) for p in c) for c in cpus) + \
                b''.join(pack('q', p[3]) for c in cpus for p in c)
        if a.tsc:
            mult, shift = map(int, a.tsc.split(','))
            yield 14, pack('IIQ', mult, shift, 0)

    def option(self, number, data):
        return self.pack('HI', number, len(data)) + data

    def names(self):
        text = b'' if self.args.no_names else b''.join(
            b'%d %s\n' % (tid, name) for tid, name in sorted(self.perf.names.items()) if tid)
        return self.pack('Q', len(text)) + text

    # ---- version 6 ----

    def place(self, pages, table_at):
        for i, cpu in enumerate(pages):
            self.out += bytes(-len(self.out) % self.perf.page_size)
            if not i or not self.args.overlap:
                place = len(self.out), len(cpu)
                self.out += cpu
            struct.pack_into(self.o + 'QQ', self.out, table_at + 16 * i, *place)

    def write_v6(self, buffers):
        p = self.perf
        self.out += p.header + p.ftrace + p.formats + self.pack('I', 0) + p.printk + self.names()
        self.out += self.pack('I', p.n_cpus) + b'options  \0'
        for number, data in self.option_list():
            self.out += self.option(number, data)
        holes = []
        for name, _, _ in buffers[1:]:
            holes.append(len(self.out) + 6)
            self.out += self.option(3, self.pack('Q', 0) + name.encode() + b'\0')
        self.out += self.pack('H', 0) + b'flyrecord\0'
        table = len(self.out)
        self.out += bytes(16 * p.n_cpus) + self.pack('Q', len(self.clocks)) + self.clocks
        self.place(buffers[0][2], table)
        for hole, (_, _, pages) in zip(holes, buffers[1:]):
            struct.pack_into(self.o + 'Q', self.out, hole, len(self.out))
            self.out += b'flyrecord\0'
            table = len(self.out)
            self.out += bytes(16 * p.n_cpus)
            self.place(pages, table)

    # ---- version 7 ----

    def section(self, number, data, packed=True):
        at = len(self.out)
        packed = packed and self.args.codec != 'none'
        if packed:
            small = self.squeeze(data)
            data = self.pack('II', len(small), len(data)) + small
        self.out += self.pack('HHIQ', number, packed, 0, len(data)) + data
        return at

    def chunks(self, pages):
        step = CHUNK_PAGES * self.perf.page_size
        out = []
        for at in range(0, len(pages), step):
            part = pages[at:at + step]
            small = self.squeeze(part)
            out.append(self.pack('II', len(small), len(part)) + small)
        return self.pack('I', len(out)) + b''.join(out) if out else b''

    def buffer(self, name, clock, pages):
        packed = self.args.codec != 'none'
        at = len(self.out)
        self.out += self.pack('HHIQ', 3, packed, 0, 0)
        start, cpus = len(self.out), b''
        for i, cpu in enumerate(pages):
            if packed:
                cpu = self.chunks(cpu)
            else:
                self.out += bytes(-len(self.out) % self.perf.page_size)
            cpus += self.pack('IQQ', i, len(self.out), len(cpu))
            self.out += cpu
        struct.pack_into(self.o + 'Q', self.out, at + 8, len(self.out) - start)
        return self.option(3, self.pack('Q', at) + name.encode() + b'\0' + clock.encode() + b'\0' +
                           self.pack('II', self.perf.page_size, len(pages)) + cpus)

    def write_v7(self, buffers):
        p = self.perf
        self.out += self.args.codec.encode() + b'\0' + b'1.0\0'
        hole = len(self.out)
        self.out += bytes(8)
        options = b''
        for number, data in ((16, p.header), (17, p.ftrace), (18, p.formats), (20, p.printk), (21, self.names())):
            options += self.option(number, self.pack('Q', self.section(number, data)))
        for number, data in self.option_list():
            options += self.option(number, data)
        # two sections of options, the second after the buffers
        first = len(self.out)
        size = len(options) + 14
        self.out += self.pack('HHIQ', 0, 0, 0, size)
        self.out += options
        done = len(self.out) + 6
        self.out += self.option(0, bytes(8))
        options = b''.join(self.buffer(*b) for b in buffers)
        struct.pack_into(self.o + 'Q', self.out, done, len(self.out))
        self.section(0, options + self.option(0, bytes(8)))
        struct.pack_into(self.o + 'Q', self.out, hole, first)


def main():
    args = options()
    perf = Perf(args.input)
    top = perf.events
    if args.page_size:
        perf.resize(args.page_size)
    if args.tsc:
        mult, shift = map(int, args.tsc.split(','))
        top = [(-(-(t << shift) // mult), cpu, raw) for t, cpu, raw in top]
    buffers = []
    for spec in args.instance:
        name, glob, *clock = spec.split(',')
        there = [e for e in top if fnmatch.fnmatch(
            perf.names_of[struct.unpack_from(('>' if perf.order else '<') + 'H', e[2])[0]], glob)]
        if not name.startswith('+'):
            kept = set(map(id, there))
            top = [e for e in top if id(e) not in kept]
        buffers.append((name.lstrip('+'), clock[0] if clock else args.clock, rings(perf, args, there, [])))
    buffers.insert(0, ('', args.clock, rings(perf, args, top, args.lost)))
    f = File(perf, args)
    (f.write_v6 if args.version == 6 else f.write_v7)(buffers)
    open(args.output, 'wb').write(f.out)


main()
