#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Removes events from a perf.data.

    thinperf.py IN OUT DROP HOLES SEED

Removes one sample in DROP without a record of it (0: none), and HOLES runs of up to 200 samples of a
CPU, each replaced by a PERF_RECORD_LOST.  IN is little-endian, not from a pipe, and all its events have
the same sample_type."""
import random
import struct
import sys

SAMPLE, LOST, NOTHING = 9, 2, 63  # record types; the last does not exist
IP, TID, TIME, ADDR, ID, CPU, STREAM, IDENTIFIER = (1 << n for n in (0, 1, 2, 3, 6, 7, 9, 16))


def main(name, out, drop, holes, seed):
    data, rnd = bytearray(open(name, 'rb').read()), random.Random(seed)
    if data[:8] != b'PERFILE2':
        sys.exit('thinperf: not a perf.data of this byte order')
    attrs, = struct.unpack_from('<Q', data, 24)
    at, size = struct.unpack_from('<QQ', data, 40)
    if not attrs < len(data):
        sys.exit('thinperf: a pipe')
    sample_type, = struct.unpack_from('<Q', data, attrs + 24)
    place, p = {}, 8
    for bit in (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU):
        if sample_type & bit:
            place[bit], p = p, p + 8

    of_cpu, end = {}, at + size
    while at < end:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        if kind == SAMPLE and drop and not rnd.randrange(drop):
            struct.pack_into('<I', data, at, NOTHING)
        elif kind == SAMPLE:
            of_cpu.setdefault(data[at + place[CPU]], []).append((at, length))
        at += max(length, 8)

    for _ in range(holes):
        records = of_cpu[rnd.choice(sorted(of_cpu))]
        n = rnd.randrange(1, 200)
        first = rnd.randrange(max(1, len(records) - n))
        run = records[first:first + n]
        del records[first:first + n]
        if not run:
            continue
        for at, _ in run[:-1]:
            struct.pack_into('<I', data, at, NOTHING)
        at, length = run[-1]

        def value(bit, at=at):
            return bytes(data[at + place[bit]:at + place[bit] + 8])
        lost = value(IDENTIFIER if IDENTIFIER in place else ID) + struct.pack('<Q', len(run))
        lost += b''.join(value(bit) for bit in (TID, TIME, ID, STREAM, CPU, IDENTIFIER) if bit in place)
        rest = length - 8 - len(lost)
        data[at:at + length] = (struct.pack('<IHH', LOST, 0, 8 + len(lost)) + lost +
                                struct.pack('<IHH', NOTHING, 0, rest) + bytes(rest - 8))
    open(out, 'wb').write(data)


main(*sys.argv[1:3], *map(int, sys.argv[3:]))
