#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mendperf.py KILLED DONOR OUT - makes a perf.data without an end readable for perf: KILLED's records
up to the last complete one, with the tracepoint formats of DONOR, a complete file of the same kernel.
mendperf.py --cut FILE BYTES OUT - the remains of FILE if kill -9 hits its recorder after BYTES bytes.

The oracle for killed recordings: only the formats are DONOR's, and they are of the same kernel."""
import struct
import sys

TRACING_DATA = 1
HOSTNAME = 3  # by it perf knows how wide the feature bits of another byte order are
COMPRESSED = 27  # how much one record inflates to at most; perf wants it
RECORD_COMPRESSED = 81


def order(d):
    return '<' if d[:8] == b'PERFILE2' else '>'


def tracing(d):
    o = order(d)
    at, size = struct.unpack_from(o + 'QQ', d, 40)
    bitmap = struct.unpack_from(o + '4Q', d, 72)
    table = at + size
    for bit in range(256):
        if not bitmap[bit // 64] >> bit % 64 & 1:
            continue
        if bit == TRACING_DATA:
            at, size = struct.unpack_from(o + 'QQ', d, table)
            return d[at:at + size]
        table += 16
    sys.exit('the donor has no formats')


def main():
    if sys.argv[1] == '--cut':
        d = open(sys.argv[2], 'rb').read()
        # the part after the records is written at the end
        d = bytearray(d[:min(int(sys.argv[3]), sum(struct.unpack_from(order(d) + 'QQ', d, 40)))])
        struct.pack_into('<Q', d, 48, 0)  # data.size, of either order
        d[72:104] = bytes(32)  # features
        open(sys.argv[4], 'wb').write(d)
        return
    killed, donor = (open(p, 'rb').read() for p in sys.argv[1:3])
    o = order(killed)
    data = struct.unpack_from(o + 'Q', killed, 40)[0]
    at = data
    compressed = False
    while at + 8 <= len(killed):
        size = struct.unpack_from(o + 'H', killed, at + 6)[0]
        if size < 8 or at + size > len(killed):
            break
        compressed |= struct.unpack_from(o + 'I', killed, at)[0] == RECORD_COMPRESSED
        at += size
    d = bytearray(killed[:at])
    text = tracing(donor)
    sections = {TRACING_DATA: text, HOSTNAME: struct.pack(o + 'I', 8) + b'host\0\0\0\0'}
    if compressed:
        sections[COMPRESSED] = struct.pack(o + '5I', 1, 1, 1, 1, 1 << 22)
    struct.pack_into(o + 'Q', d, 48, at - data)
    struct.pack_into(o + '4Q', d, 72, sum(1 << bit for bit in sections), 0, 0, 0)
    at += 16 * len(sections)
    for section in sections.values():
        d += struct.pack(o + 'QQ', at, len(section))
        at += len(section)
    d += b''.join(sections.values())
    open(sys.argv[3], 'wb').write(d)


main()
