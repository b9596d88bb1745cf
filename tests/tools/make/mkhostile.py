#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
mkhostile.py BASE FOLDER SEED: makes variants of the cdict BASE, a capture of one event with a stack, in FOLDER: three per
kind of row that a reader keeps or a command draws. Their checksums are correct, and they are within the limits of doc/cdict.5,
or beyond them only where the kind is about that. The numbers in them depend on SEED.

    loss   LOSS rows of 400,000 CPUs or times
    label  130,000 labels of long texts
    frame  stacks of up to 8,000 frames
"""
import os
import random
import struct
import sys

from mkbomb import blocks_to_file, pack, text, varint

rnd = random.Random()


def svarint(v):
    return varint(v << 1 if v >= 0 else (-v << 1) - 1)


def blocks_of(data):
    at, found = 16, []
    while at + 24 <= len(data) - 16:
        size = struct.unpack_from('<I', data, at + 8)[0]
        found.append((bytes(data[at + 4:at + 8]), bytes(data[at + 24:at + 24 + size])))
        at += 24 + size
    return [b for b in found if b[0] != b'INDX']


def read_varint(data, at):
    v = shift = 0
    while True:
        v |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return v, at


class Base:
    def __init__(self, data):
        blocks = blocks_of(data)
        self.head = [b for b in blocks if b[0] in (b'INFO', b'SCHM')]
        event = next(payload for kind, payload in blocks if kind == b'EVNT')
        _, at = read_varint(event, 0)
        count, at = read_varint(event, at)
        self.t_ns, at = read_varint(event, at)
        assert count == 1
        self.rest = event[at:]

    def event(self, cpu, after_ns):
        return b'EVNT', varint(cpu + 1) + varint(1) + varint(self.t_ns + after_ns) + self.rest

    def file(self, blocks):
        return blocks_to_file(self.head + blocks)


def loss(what, cpu, from_ns, length_ns):
    return varint(what) + varint(cpu + 1) + varint(0) + varint(from_ns) + varint(length_ns) + varint(1 + rnd.randrange(100))


def losses(base, variant):
    end = base.t_ns + 400000
    if variant == 0:  # CPUs beyond the limit
        rows = [loss(0, cpu, end - rnd.randrange(1000), 1000) for cpu in range(400000)]
    elif variant == 1:  # of one CPU, overlapping
        rows = [loss(0, 3, end - 400000 + i, rnd.randrange(1000)) for i in range(400000)]
    else:  # of an unknown CPU, most of them alike
        rows = [loss(1, -1, end - 400000 + i // 3, 50) for i in range(400000)]
    return base.file([base.event(c, c * 100000) for c in range(4)] + [(b'LOSS', pack(b''.join(rows)))])


def labels(base, variant):
    if variant == 0:  # one long text each
        rows = [b'\x04\x02\x00\x00' + b'\x01' + text(b'%08x' % rnd.randrange(1 << 32) * 12) + bytes(7) for _ in range(130000)]
    elif variant == 1:  # few, as long as allowed
        rows = [b'\x04\x02\x00\x00' + b'\x01' + text((b'%08x' % rnd.randrange(1 << 32)) * 512) + bytes(7) for _ in range(4000)]
    else:  # short ones in all fields
        rows = [b'\x04\x02\x00\x00' + b''.join(b'\x01' + text(b'%06x%d' % (rnd.randrange(1 << 24), i)) for i in range(8)) for _ in range(60000)]
    return base.file([base.event(0, 0), (b'LABL', pack(b'\x08' + b''.join(rows)))])


def frames(base, variant):
    depth, stacks = ((8000, 150), (2000, 600), (120, 5000))[variant]
    names = [b'function_%d' % i for i in range(64)]
    out = bytearray(varint(0) * 3 + varint(len(names)) + b''.join(text(n) for n in names))
    out += varint(len(names)) + b''.join(b'\x02' + svarint(16) + varint(i + 1) + varint(0) + varint(0) for i in range(len(names)))
    out += varint(stacks)
    for _ in range(stacks):  # different from the first frame on
        out += varint(depth) + bytes(rnd.randrange(64) for _ in range(8)) * (depth // 8)
    blocks = [(b'STAK', pack(bytes(out)))]
    for i in range(stacks):
        blocks += [base.event(i % 4, i * 1000),
                   (b'STEV', pack(varint(len(base.head) + 1 + 2 * i) + varint(1) + varint(i + 1)))]
    return base.file(blocks)


KINDS = {'loss': losses, 'label': labels, 'frame': frames}


def main(argv):
    with open(argv[0], 'rb') as f:
        base = Base(f.read())
    for kind, make in KINDS.items():
        for variant in range(3):
            rnd.seed(f'{argv[2]} {kind} {variant}')
            with open(os.path.join(argv[1], f'{kind}-{variant + 1}.cdict'), 'wb') as f:
                f.write(make(base, variant))


if __name__ == '__main__':
    main(sys.argv[1:])
