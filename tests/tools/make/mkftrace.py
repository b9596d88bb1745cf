#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A trace.dat of version 6 with ftrace's own events: markers, trace_printk, raw data, functions, stacks.

    mkftrace.py [--no-strings] [--no-kallsyms] [--32] [--big-endian] [--no-arguments] [--perf] OUT.dat
    mkftrace.py --live INSTANCE OUT.dat

Synthetic, in the formats of Linux 6.18. --live: the formats and pages of a tracefs folder, unchanged."""
import argparse
import glob
import os
import struct

COMMON = '''	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

'''
# name, id, fields as (C type, name, size) with L a long; print format
STACK = '"' + '\\t=> %ps\\n' * 8 + '"' + ''.join(f', (void *)REC->caller[{i}]' for i in range(8))
FORMATS = [
    ('ftrace', 'function', 1, ['L ip', 'L parent_ip', 'L args[]'],
     '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
    ('ftrace', 'kernel_stack', 4, ['i size', 'L caller[8]'], STACK),
    ('ftrace', 'print', 5, ['L ip', 'char buf[]'], '"%ps: %s", (void *)REC->ip, REC->buf'),
    ('ftrace', 'bprint', 6, ['L ip', 'P fmt', 'u32 buf[]'], '"%ps: %s", (void *)REC->ip, REC->fmt'),
    ('ftrace', 'funcgraph_exit', 10, ['L func', 'i depth', 'i overrun', 'Q calltime', 'Q rettime'],
     '"<-- %ps (%u) (start: %llx  end: %llx) over: %u", (void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth'),
    ('ftrace', 'funcgraph_entry', 11, ['L func', 'i depth'], '"--> %ps (%u)", (void *)REC->func, REC->depth'),
    ('ftrace', 'user_stack', 13, ['i tgid', 'L caller[8]'], STACK),
    ('ftrace', 'bputs', 15, ['L ip', 'P str'], '"%ps: %s", (void *)REC->ip, REC->str'),
    ('ftrace', 'raw_data', 19, ['i id', 'char buf[]'], '"id:%04x %08x", REC->id, (int)REC->buf[0]'),
    ('test', 't_caller', 300, ['L caller', 'L other'], '"caller %pS other %ps", (void *)REC->caller, (void *)REC->other'),
]
STRINGS = {0x40: 'n: %d name=%s u=%u\\n', 0x80: 'plain\\n', 0xc0: 'at %pS, %ps in %lld of 100%%\\n', 0x100: 'no arguments\\n'}
HEADER_EVENT = b'''# compressed entry header
	type_len    :    5 bits
	time_delta  :   27 bits
	array       :   32 bits

	padding     : type == 29
	time_extend : type == 30
	time_stamp : type == 31
	data max type_len  == 28
'''


class Made:
    def __init__(self, o):
        self.long = 4 if o.bits32 else 8
        self.e = '>' if o.big_endian else '<'
        self.big = o.big_endian
        self.text = 0x81000000 if o.bits32 else 0xffffffff81000000
        self.data = self.text + 0x1000000
        self.arguments = not o.no_arguments
        word = 'I' if o.bits32 else 'Q'
        self.pack = lambda f, *a: struct.pack(self.e + f.replace('L', word).replace('P', word), *a)
        self.at = {f[1]: f for f in FORMATS}
        self.kallsyms = b'' if o.no_kallsyms else ''.join(
            f'{self.text + at:0{2 * self.long}x} {kind} {name}\n' for at, kind, name in (
                (0, 'T', 'fn_a'), (0, 'T', 'fn_alias'), (0x100, 't', 'fn_unused'), (0x1000, 'T', 'fn_b'), (0x2000, 't', 'fn_c\t[mod]'),
                (0x3000, 'A', 'an_offset'), (0x3000, 'r', '$a'), (0x3800, 'W', 'fn_d'), (0x4000, 'T', 'fn_end'))).encode()
        self.kallsyms += b'1 t a\n' * o.many_symbols
        self.printk = b'' if o.no_strings else ''.join(
            f'0x{self.data + at:x} : "{text}"\n' for at, text in STRINGS.items()).encode()
        self.cmdlines = b'42 task-a\n'
        self.header_page = (f'	field: u64 timestamp;	offset:0;	size:8;	signed:0;\n'
                            f'	field: local_t commit;	offset:8;	size:{self.long};	signed:1;\n'
                            f'	field: int overwrite;	offset:8;	size:1;	signed:1;\n'
                            f'	field: char data;	offset:{8 + self.long};	size:{4088 - self.long};	signed:0;\n').encode()
        self.header_event = HEADER_EVENT
        self.formats = [(f[0], self.format(*f[1:])) for f in FORMATS]

    def format(self, name, number, fields, text):
        at, out = 8, ''
        sizes = {'L': self.long, 'P': self.long, 'Q': 8, 'i': 4, 'char': 1, 'u32': 4}
        names = {'L': 'unsigned long ', 'P': 'const char * ', 'Q': 'unsigned long long ', 'i': 'int ', 'char': 'char ', 'u32': 'u32 '}
        for f in fields:
            kind, field = f.split()
            each = sizes[kind]
            n = 1 if '[' not in field else int(field[field.index('[') + 1:-1] or 0)
            at = (at + each - 1) // each * each
            out += f'	field:{names[kind]}{field};	offset:{at};	size:{each * n};	signed:{int(kind == "i")};\n'
            at += each * n
        return f'name: {name}\nID: {number}\nformat:\n{COMMON}{out}\nprint fmt: {text}\n'.encode()

    def events(self):
        t, d, p = self.text, self.data, self.pack
        pad, other = (b'', bytes(4)) if self.long == 4 else (bytes(4), b'')
        yield 'print', p('L', t + 0x10) + b'MARK begin run 1\n\0'
        yield 'print', p('L', t + 0x1004) + b'without a newline\0' + b'\xfe' * 2  # old contents of the ring
        yield 'print', p('L', t + 0x9000000) + b'of nobody; "quoted" \xc3\xbc\t|\n\0'
        yield 'bprint', p('LP', t + 0x10, d + 0x40) + p('i', 7) + b'abc\0' + p('I', 9)
        yield 'bprint', p('LP', t + 0x1010, d + 0x40) + p('i', -1) + b'a longer name\0\0\0' + p('I', 0)
        yield 'bprint', p('LP', t + 0x10, d + 0x100)
        yield 'bprint', p('LP', t + 0x10, d + 0xc0) + p('LL', t + 0x2004, t + 0x3900) + p('q', -3)
        yield 'bputs', p('LP', t + 0x10, d + 0x80)
        yield 'raw_data', p('I', 0x1234) + b'\x01\x02\x03\0\0\0\0\0'
        yield 'raw_data', p('I', 1) + b'text'
        yield 'function', p('LL', t, t + 0x1008)
        yield 'function', p('LL', t + 0x1000, t + 0x2008)
        yield 'funcgraph_entry', p('Li', t + 0x1000, 1) + pad
        yield 'funcgraph_entry', p('Li', t + 0x2000, 2) + pad
        yield 'funcgraph_exit', p('Lii', t + 0x2000, 2, 0) + other + p('QQ', 1000, 2500)
        yield 'funcgraph_exit', p('Lii', t + 0x1000, 1, 0) + other + p('QQ', 900, 12345)
        for n in (1, 3, 8, 11):
            yield 'kernel_stack', p('i', n) + pad + p('L' * n, *(t + 0x1000 + 4 * i for i in range(n)))
        yield 't_caller', p('LL', t + 0x1004, t + 0x2000)
        yield 't_caller', p('LL', t + 0x100000, t)
        yield 'print', p('L', t + 0x10) + b'MARK end run 1\n\0'

    def payloads(self):
        for name, fields in self.events():
            body = self.pack('HBBi', self.at[name][2], 0, 0, 42) + fields
            if name == 'bprint' and not self.arguments:
                body = body[:8 + 2 * self.long]
            yield self.at[name][2], body + b'\xee' * (-len(body) % 4)

    def pages(self):
        out, first = b'', 1000000000
        for n, (_, body) in enumerate(self.payloads()):
            words = len(body) // 4
            delta = 0 if not n else 1000
            # type_len is the low five bits of a little-endian word, the high ones of a big-endian one
            assert words <= 28
            head = words << 27 | delta if self.big else delta << 5 | words
            out += self.pack('I', head) + body
        page = self.pack('Q', first) + self.pack('L', len(out)) + out
        assert len(page) <= 4096
        return [page + bytes(4096 - len(page))]


class Live:
    """What an instance of tracefs has: its pages are read, and are gone then."""
    long, e, big = 8, '<', False

    def __init__(self, o):
        root = o.live[:o.live.index('/instances/')]

        def read(name):
            return open(os.path.join(root, name), 'rb').read()

        self.pack = lambda f, *a: struct.pack('<' + f, *a)
        self.header_page, self.header_event = read('events/header_page'), read('events/header_event')
        self.kallsyms, self.printk, self.cmdlines = read('/proc/kallsyms'), read('printk_formats'), read('saved_cmdlines')
        self.formats = []
        for system in ('ftrace', 'sched', 'timer', 'workqueue'):
            for name in sorted(glob.glob(f'{root}/events/{system}/*/format')):
                self.formats.append((system, read(name)))
        self.cpus = []
        for cpu in range(os.cpu_count()):
            fd = os.open(f'{o.live}/per_cpu/cpu{cpu}/trace_pipe_raw', os.O_RDONLY | os.O_NONBLOCK)
            pages = b''
            try:
                while page := os.read(fd, 4096):
                    pages += page + bytes(4096 - len(page))
            except BlockingIOError:
                pass
            os.close(fd)
            self.cpus.append(pages)


def perf_data(made, tracing):
    """The same events and formats as a perf.data, as perf before 4.4 wrote them, with kallsyms."""
    pack, kinds = made.pack, sorted(f[2] for f in FORMATS)
    sample_type = 1 << 16 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 10  # IDENTIFIER, TID, TIME, CPU, RAW
    ids_at = 104
    attrs_at = ids_at + 8 * len(kinds)
    out = b''.join(pack('Q', 1000 + kind) for kind in kinds)
    for n, kind in enumerate(kinds):
        out += pack('IIQQQQQ', 2, 112, kind, 1, sample_type, 0, 1 << (63 - 18 if made.big else 18)) + bytes(64)
        out += pack('QQ', ids_at + 8 * n, 8)
    data_at = 104 + len(out)
    data = b''
    for n, (kind, raw) in enumerate(made.payloads()):
        raw += bytes(-(len(raw) + 4) % 8)
        body = pack('QIIQIII', 1000 + kind, 42, 42, 1000000000 + 1000 * n, 0, 0, len(raw)) + raw
        data += pack('IHH', 9, 1, 8 + len(body)) + body
    tracing_at = data_at + len(data) + 16
    head = pack('Q', int.from_bytes(b'PERFILE2', 'little')) + pack('QQQQQQQQ', 104, 128, attrs_at, 128 * len(kinds), data_at, len(data), 0, 0)
    return head + pack('QQQQ', 2, 0, 0, 0) + out + data + pack('QQ', tracing_at, len(tracing)) + tracing


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--live', metavar='INSTANCE')
    p.add_argument('--no-strings', action='store_true')
    p.add_argument('--no-kallsyms', action='store_true')
    p.add_argument('--32', dest='bits32', action='store_true')
    p.add_argument('--big-endian', action='store_true')
    p.add_argument('--many-symbols', type=int, default=0, metavar='N')
    p.add_argument('--perf', action='store_true', help='a perf.data of them')
    p.add_argument('--no-arguments', action='store_true', help='of trace_printk, as a cdict of before 0.2.0 had it')
    p.add_argument('output')
    o = p.parse_args()
    made = Live(o) if o.live else Made(o)
    cpus = made.cpus if o.live else [b''.join(made.pages())]
    pack = made.pack
    out = b'\x17\x08\x44tracing6\0' + bytes([made.big, made.long]) + pack('I', 4096)
    out += b'header_page\0' + pack('Q', len(made.header_page)) + made.header_page
    out += b'header_event\0' + pack('Q', len(made.header_event)) + made.header_event
    systems = {}
    for system, text in made.formats:
        systems.setdefault(system, []).append(pack('Q', len(text)) + text)
    ftrace = systems.pop('ftrace', [])
    out += pack('I', len(ftrace)) + b''.join(ftrace) + pack('I', len(systems))
    for system, texts in systems.items():
        out += system.encode() + b'\0' + pack('I', len(texts)) + b''.join(texts)
    for text in (made.kallsyms, made.printk):
        out += pack('I', len(text)) + text
    if o.perf:
        with open(o.output, 'wb') as f:
            f.write(perf_data(made, out.replace(b'tracing6\0', b'tracing0.5\0', 1)))
        return
    out += pack('Q', len(made.cmdlines)) + made.cmdlines
    out += pack('I', len(cpus)) + b'options  \0' + pack('H', 0) + b'flyrecord\0'
    at = (len(out) + 16 * len(cpus) + 4095) // 4096 * 4096
    for pages in cpus:
        out += pack('QQ', at, len(pages))
        at += len(pages)
    out += bytes(-len(out) % 4096)
    open(o.output, 'wb').write(out + b''.join(cpus))


main()
