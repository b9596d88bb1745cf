#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
mkbomb.py FOLDER: writes small cdicts to FOLDER, one per KIND, that have correct checksums but exceed the limits (doc/cdict.5, Limits);
in KIND-mended, one byte is changed and the checksums are corrected.

mkbomb.py --mend FILE OUT SEED: such a copy of any cdict.
mkbomb.py --longer FILE OUT SEED: the same with one byte added instead of changed.
"""
import random
import struct
import sys
import zlib

SYNC = 0x1eb10cdc


def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def text(s):
    return varint(len(s)) + s


def pack(raw):
    z = zlib.compressobj(6, zlib.DEFLATED, -15)
    return b'\x01' + varint(len(raw)) + z.compress(raw) + z.flush()


def read_varint(data, at):
    v = shift = 0
    while True:
        v |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return v, at


def index_row(kind, payload, last):
    """A block's row in the index, and the last time so far."""
    row = kind + varint(len(payload) + 24)
    if kind != b'EVNT':
        return row, last
    head, at = [], 0
    try:
        for _ in range(4):
            v, at = read_varint(payload, at)
            head.append(v)
    except IndexError:
        return row, last
    cpu, events, first, length = head
    delta = first - last
    return row + varint(cpu) + varint(events) + varint(delta << 1 if delta >= 0 else (-delta << 1) - 1) + varint(length), first + length


def blocks_to_file(blocks):
    """[(type, payload)] as a whole file with an index."""
    head = b'\x89CDICT\r\n' + struct.pack('<HH', 1, 0)
    out = bytearray(head + struct.pack('<I', zlib.crc32(head)))
    rows, last = b'', 0
    for ordinal, (kind, payload) in enumerate(blocks + [(b'INDX', None)]):
        at = len(out)
        payload = pack(rows) if payload is None else payload
        header = struct.pack('<I4sIII', SYNC, kind, len(payload), ordinal, zlib.crc32(payload))
        out += header + struct.pack('<I', zlib.crc32(header)) + payload
        row, last = index_row(kind, payload, last)
        rows += row
    tail = struct.pack('<Q', at)
    return bytes(out + tail + struct.pack('<I', zlib.crc32(tail)) + b'CDND')


MUCH = 24 << 20  # bytes of rows that deflate to a thousandth


def fill(row):
    return row * (MUCH // len(row))


def schema(types, fields):
    out = b'\0\x08' + varint(4096) + varint(0) + varint(types)
    for t in range(types):
        out += text(b's') + text(b'e%d' % t) + varint(t) + text(b'') + varint(fields)
        for f in range(fields):
            out += text(b'f%d' % f) + varint(8 * f) + varint(8) + b'\0\0\0\0\0'
    return out


KINDS = {
    'task': lambda: [(b'TASK', pack(fill(b'\x00\x02\x00')))],
    'task-comms': lambda: [(b'TASK', pack(b''.join(b'\x21\x02' + text(b'%06x' % i) for i in range(400000))))],
    'loss': lambda: [(b'LOSS', pack(fill(b'\x00\x01\x00\x05\x05\x01')))],
    'late': lambda: [(b'LOSS', pack(fill(b'\x05\x01\x00\x05\x05\x01')))],
    'skip': lambda: [(b'SKIP', pack(fill(text(b'x:y') + b'\x01')))],
    'labl': lambda: [(b'LABL', pack(b'\x08' + fill(b'\x04\x02\x00\x00' + bytes(8))))],
    'labl-texts': lambda: [(b'LABL', pack(b'\x40' + fill(b'\x04\x02\x00\x00' + b'\x01\x01a' * 64)))],
    'info-value': lambda: [(b'INFO', pack(text(b'topology.core') + text(fill(b'0,'))))],
    'info-rows': lambda: [(b'INFO', pack(fill(text(b'k') + text(b'v' * 100))))],
    'info-keys': lambda: [(b'INFO', pack(b''.join(text(b'k%d' % (i % 4096)) + text(b'v') for i in range(400000))))],
    'info-blocks': lambda: [(b'INFO', pack(text(b'k') + text(bytes([65 + i % 26]) * (12 << 20)))) for i in range(6)],
    'schm-types': lambda: [(b'SCHM', pack(schema(100000, 1)))],
    'schm': lambda: [(b'SCHM', pack(schema(1024, 128)))],
    'stak-texts': lambda: [(b'STAK', pack(b'\0\0\0' + varint(1 << 19) + b''.join(text(b'%x' % i) for i in range(1 << 19)) + b'\0\0'))],
    'stak-stacks': lambda: [(b'STAK', pack(b'\0\0\0\0\0' + varint(1 << 24) + bytes(1 << 24)))],
    'stak-numbers': lambda: [(b'STAK', pack(b'\0\0\0\0\x01\0\0\0\0\0' + varint(4000) + (varint(8000) + bytes(8000)) * 4000))],
    'inflate': lambda: [(b'TASK', pack(bytes(100 << 20)))],
    'blocks': lambda: [(b'LATE', b'')] * 30000,
    'index': lambda: [(b'TASK', pack(b'\x00\x02\x00')), (b'INDX', pack(fill(b'TASK\x18')))],
}


def change(raw, rnd):
    raw[rnd.randrange(len(raw))] = rnd.randrange(256)


def insert(raw, rnd):
    raw.insert(rnd.randrange(len(raw) + 1), rnd.randrange(256))


def mend(data, seed, how=change):
    """Changes or adds one byte of the inflated or of the stored data of a block; all check sums are right."""
    rnd = random.Random(seed)
    at, found = 16, []
    while at + 24 <= len(data) - 16:
        size = struct.unpack_from('<I', data, at + 8)[0]
        found.append((bytes(data[at + 4:at + 8]), bytes(data[at + 24:at + 24 + size])))
        at += 24 + size
    found = [b for b in found if b[0] != b'INDX']
    i = rnd.randrange(len(found))
    kind, payload = found[i]
    if not payload:
        return data
    raw = None
    if payload[0] == 1 and kind != b'EVNT':
        size = shift = 0
        n = 1
        while True:
            size |= (payload[n] & 127) << shift
            shift += 7
            n += 1
            if payload[n - 1] < 128:
                break
        try:
            raw = bytearray(zlib.decompress(payload[n:], -15))
            how(raw, rnd)
            payload = pack(bytes(raw))
        except zlib.error:
            raw = None  # damaged already
    if raw is None:
        raw = bytearray(payload)
        how(raw, rnd)
        payload = bytes(raw)
    found[i] = (kind, payload)
    return blocks_to_file(found)


def main(argv):
    if argv[0] in ('--mend', '--longer'):
        with open(argv[1], 'rb') as f:
            data = mend(f.read(), int(argv[3]), insert if argv[0] == '--longer' else change)
        with open(argv[2], 'wb') as f:
            f.write(data)
        return
    for name, blocks in KINDS.items():
        data = blocks_to_file(blocks())
        with open(f'{argv[0]}/{name}.cdict', 'wb') as f:
            f.write(data)
        with open(f'{argv[0]}/{name}-mended.cdict', 'wb') as f:
            f.write(mend(data, len(name)))


if __name__ == '__main__':
    main(sys.argv[1:])
