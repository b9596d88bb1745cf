#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A perfwhiz file, in the format of its mkcdict_perf_script.py: a MessagePack map of columns, compressed by zlib.

    mkperfwhiz.py [--raw] ROWS.txt OUT      makes the file from rows of text; --raw: no zlib, a leading zero
    mkperfwhiz.py --text FILE               prints the file's rows as text, one per line, separated by tabs

A row is eight words separated by tabs: event cpu usecs pid task_name duration next_pid next_comm; nil is
None, a numeric word is a number. Encoded by hand, so that Debian's msgpack can check it independently."""
import struct
import sys
import zlib

COLUMNS = ('event', 'cpu', 'usecs', 'pid', 'task_name', 'duration', 'next_pid', 'next_comm')


def pack(value):
    if value is None:
        return b'\xc0'
    if isinstance(value, float):
        return b'\xcb' + struct.pack('>d', value)
    if isinstance(value, str):
        data = value.encode('utf-8', 'surrogateescape')
        if len(data) < 32:
            return bytes((0xa0 | len(data),)) + data
        # as msgpack before 0.4: raw16, never str8
        return b'\xda' + struct.pack('>H', len(data)) + data
    for mark, form, least, most in ((None, 'b', 0, 127), (None, 'b', -32, -1), (0xcc, 'B', 0, 255),
                                    (0xcd, 'H', 0, 0xffff), (0xce, 'I', 0, 0xffffffff), (0xd3, 'q', -1 << 63, -33)):
        if least <= value <= most:
            return (b'' if mark is None else bytes((mark,))) + struct.pack('>' + form, value)
    return b'\xcf' + struct.pack('>Q', value)


def word(text):
    if text == 'nil':
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def make(rows, out, raw):
    table = [[word(w) for w in line.rstrip('\n').split('\t')] for line in open(rows, errors='surrogateescape')
             if line.strip() and not line.startswith('#')]
    data = bytes((0x80 | len(COLUMNS),))
    for i, name in enumerate(COLUMNS):
        data += pack(name) + b'\xdd' + struct.pack('>I', len(table)) + b''.join(pack(row[i]) for row in table)
    open(out, 'wb').write(b'\0' + data if raw else zlib.compress(data))


def show(name):
    import msgpack
    table = msgpack.unpackb(zlib.decompress(open(name, 'rb').read()))
    assert sorted(table) == sorted(COLUMNS), sorted(table)
    for row in zip(*(table[c] for c in COLUMNS)):
        print(*('nil' if v is None else v for v in row), sep='\t')


if sys.argv[1] == '--text':
    show(sys.argv[2])
else:
    make(*sys.argv[-2:], sys.argv[1] == '--raw')
