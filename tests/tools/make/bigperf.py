#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
bigperf.py KIND TEMPLATE OUT [N [NS]]: makes large or unusual captures from a small perf.data with one sched_switch (from mkperf, one CPU).

  tids        N tasks, each of which is switched in once
  comms       N tasks with different names (PERF_RECORD_COMM)
  attrs       N events
  again       TEMPLATE N times, each round that many ns (the fourth number) after the one before
  hole        five gigabytes, nearly all of them a hole: the data announced by an AUXTRACE record
  cdict-hole  TEMPLATE is a cdict: five gigabytes of blocks of an unknown type, which are holes, in front of it
"""
import struct
import sys
import zlib

CHUNK = 100000


def sections(path):
    """The bytes before the data, its records, and the bytes after it: [before, records, after]."""
    with open(path, 'rb') as f:
        data = f.read()
    at, size = struct.unpack_from('<QQ', data, 40)
    return bytearray(data[:at]), data[at:at + size], data[at + size:]


def records(data):
    at = 0
    while at < len(data):
        size = struct.unpack_from('<H', data, at + 6)[0]
        yield struct.unpack_from('<I', data, at)[0], data[at:at + size]
        at += size


def sized(before, size):
    """The header with that size of data."""
    struct.pack_into('<Q', before, 48, size)
    return before


def moved(after, start, by):
    """The table of features after the data, whose offsets are of the file."""
    first = struct.unpack_from('<Q', after, 0)[0]
    n = (first - start) // 16
    out = bytearray(after)
    for i in range(n):
        at = struct.unpack_from('<Q', after, 16 * i)[0]
        struct.pack_into('<Q', out, 16 * i, at + by)
    return out


def spread(chunk, size, at, values, width):
    """@values, one a record, as little-endian bytes at @at of each."""
    for byte in range(width):
        chunk[at + byte::size] = bytes([v >> 8 * byte & 255 for v in values])


def tids(template, path, n):
    """Round after round: CPU 0 switches from the one to the next."""
    before, data, after = sections(template)
    kinds = list(records(data))
    samples = [r for kind, r in kinds if kind == 9]
    one = samples[0]
    # finds the sample's time by its value in the template, 50 s
    time = one.index(struct.pack('<Q', 50000000000))
    tid = [i for i in range(0, len(one) - 3) if one[i:i + 4] == struct.pack('<I', 0x7eadbeef - 0x60000000)]
    assert len(tid) >= 3, tid  # of the sample (twice, pid too), common_pid, prev_pid
    nxt = one.index(struct.pack('<I', 0x7eadbef0 - 0x60000000))
    size = len(one)
    out = open(path, 'wb')
    total = size * n
    out.write(sized(before, total))
    chunk = bytearray(one * CHUNK)
    for first in range(0, n, CHUNK):
        count = min(CHUNK, n - first)
        if count != CHUNK:
            chunk = bytearray(one * count)
        ids = range(first + 1, first + count + 1)
        for at in tid:
            spread(chunk, size, at, ids, 4)
        spread(chunk, size, nxt, range(first + 2, first + count + 2), 4)
        spread(chunk, size, time, [50000000000 + 1000 * i for i in ids], 8)
        out.write(chunk)
    out.write(moved(after, len(before) + len(data), total - len(data)))
    out.close()


def comms(template, path, n):
    before, data, after = sections(template)
    body = bytearray()
    kinds = list(records(data))
    comm = next(r for kind, r in kinds if kind == 3)
    # pid, tid, comm[8], then the sample id as the template has it
    for i in range(n):
        body += comm[:8] + struct.pack('<II', i + 1000, i + 1000) + b'%07x\0' % i + comm[24:]
    rest = b''.join(r for kind, r in kinds)
    body += rest
    with open(path, 'wb') as out:
        out.write(sized(before, len(body)) + body + moved(after, len(before) + len(data), len(body) - len(data)))


def attrs(template, path, n):
    with open(template, 'rb') as f:
        data = f.read()
    each, at = struct.unpack_from('<QQ', data, 16)
    one = data[at:at + each - 16] + bytes(16)
    with open(path, 'wb') as out:
        out.write(data[:24] + struct.pack('<QQ', len(data), each * n + each) + data[40:])
        out.write(data[at:at + each] + one * n)


def again(template, path, n, round_ns):
    """All samples of mkperf's events have their time at one place, before the CPU."""
    before, data, after = sections(template)
    first, size = struct.unpack_from('<QQ', before, 24)
    sample_type, = struct.unpack_from('<Q', before, first + 24)
    time = 8 + 8 * sum(1 for bit in (1 << 16, 1, 2) if sample_type & bit)  # identifier, ip, tid
    at, times, head = 0, [], 0
    while at < len(data):
        kind, _, length = struct.unpack_from('<IHH', data, at)
        if kind == 9:
            head = head if times else at
            times.append((at - head + time, struct.unpack_from('<Q', data, at + time)[0]))
        at += length
    samples, pack = bytearray(data[head:]), struct.Struct('<Q').pack_into
    total = head + n * len(samples)
    with open(path, 'wb') as out:
        out.write(sized(before, total) + data[:head])
        for i in range(n):
            for at, ns in times:
                pack(samples, at, ns + i * round_ns)
            out.write(samples)
        out.write(moved(after, len(before) + len(data), total - len(data)))


def hole(template, path, size=5 << 30):
    before, data, after = sections(template)
    aux = struct.pack('<IHH', 71, 0, 48) + struct.pack('<QQQIIII', size, 0, 0, 0, 0, 0, 0)
    total = len(aux) + size + len(data)
    with open(path, 'wb') as out:
        out.write(sized(before, total) + aux)
        out.seek(size, 1)
        out.write(data + moved(after, len(before) + len(data), total - len(data)))


def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def cdict_hole(path, to, blocks=21, size=250 << 20):
    with open(path, 'rb') as f:
        data = f.read()
    crc, zeros = 0, bytes(1 << 20)
    for _ in range(size >> 20):
        crc = zlib.crc32(zeros, crc)
    with open(to, 'wb') as out:
        out.write(data[:16])
        at, ordinal = 16, 0

        def put(kind, payload, crc, n):
            nonlocal ordinal
            head = struct.pack('<I4sIII', 0x1eb10cdc, kind, n, ordinal, crc)
            out.write(head + struct.pack('<I', zlib.crc32(head)) + payload)
            ordinal += 1
        for _ in range(blocks):
            put(b'zero', b'', crc, size)
            out.seek(size, 1)
        while at + 24 <= len(data) - 16:
            kind, n = struct.unpack_from('<4sI', data, at + 4)
            payload = data[at + 24:at + 24 + n]
            if kind == b'INDX':
                # rows give sizes, not offsets: those of the holes come first
                skip = 1
                while payload[skip] > 127:
                    skip += 1
                rows = payload[skip + 1:] if payload[0] == 0 else zlib.decompress(payload[skip + 1:], -15)
                rows = (b'zero' + varint(size + 24)) * blocks + rows
                payload = b'\0' + varint(len(rows)) + rows
                index = struct.pack('<Q', out.tell())
            put(kind, payload, zlib.crc32(payload), len(payload))
            at += 24 + n
        out.write(index + struct.pack('<I', zlib.crc32(index)) + b'CDND')


KINDS = {'tids': tids, 'comms': comms, 'attrs': attrs, 'again': again, 'hole': hole, 'cdict-hole': cdict_hole}


def main(argv):
    KINDS[argv[0]](argv[1], argv[2], *[int(n) for n in argv[3:]])


main(sys.argv[1:])
