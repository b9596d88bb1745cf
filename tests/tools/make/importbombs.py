#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
importbombs.py FOLDER TRACE_DAT PERFWHIZ: writes hostile files of foreign formats to FOLDER: small ones that inflate to or claim very
much, and ones with many items that importers keep. TRACE_DAT is a valid file compressed with zstd, PERFWHIZ a valid perfwhiz file.

importbombs.py --variants FILE SEED...: for each seed other.SEED.FILE, FILE with one byte changed, and long.SEED.FILE, with a random byte
added; with gzip or zlib, also in the uncompressed data.
"""
import ctypes
import gzip
import random
import struct
import sys
import zlib

MUCH = 64 << 20


def line(n, **more):
    name = more.get('name', 'read')
    cat = more.get('cat', 'POSIX')
    return (f'{{"id":"{n}","name":"{name}","cat":"{cat}","pid":"{more.get("pid", 3)}","tid":"{more.get("tid", 4)}",'
            f'"ts":"{1698352095000000 + n}","dur":"1","ph":"X","args":{more.get("args", "{}")}}}\n').encode()


def pfw():
    head = b'[\n'
    yield 'zeros', bytes(MUCH)
    yield 'empty-lines', b'\n' * MUCH
    yield 'one-line', head + b'{"name":"' + b'a' * MUCH
    yield 'blanks', head + b' ' * MUCH
    yield 'nested', head + line(1, args='{"a":' * 100000 + '1' + '}' * 100000)
    yield 'keys', head + line(1, args='{' + ','.join(f'"k{i}":{i}' for i in range(200000)) + '}')
    yield 'args', head + b''.join(line(i, args=f'{{"k{i}":{i}}}') for i in range(100000))
    yield 'names', head + b''.join(line(i, name=f'n{i}') for i in range(100000))
    yield 'categories', head + b''.join(line(i, name=f'n{i}', cat=f'c{i}') for i in range(100000))
    yield 'tids', head + b''.join(line(i, tid=i + 1, pid=i + 1) for i in range(200000))
    yield 'at-once', head + line(7) * 300000
    yield 'backwards', head + b''.join(line(300000 - i) for i in range(300000))
    yield 'hashes', head + b''.join(
        b'{"name":"FH","cat":"dftracer","pid":3,"tid":4,"ph":"M","args":{"name":"/data/f%d","value":"%x"}}\n' % (i, i) for i in range(200000))
    yield 'one-hash', head + (b'{"name":"FH","cat":"dftracer","pid":3,"tid":4,"ph":"M","args":{"name":"/data/' + b'f' * 4000 + b'","value":"1"}}\n') * 8000
    yield 'numbers', head + line(1).replace(b'"dur":"1"', b'"dur":"' + b'9' * 100000 + b'"')


def packed(name, data):
    if name in ('zeros', 'empty-lines', 'one-line', 'blanks', 'at-once', 'one-hash'):
        yield f'{name}.pfw.gz', gzip.compress(data, 9)
    else:
        yield f'{name}.pfw', data


def members():
    return b''.join([gzip.compress(b'')] * 50000)


def perfwhiz():
    def key(name):
        return bytes([0xa0 | len(name)]) + name
    columns = [b'event', b'cpu', b'usecs', b'pid', b'task_name', b'duration', b'next_pid', b'next_comm']
    rows = 2000000
    # a value of each column; of pids all are others
    values = [b'\xa8kvm_exit', b'\0', None, None, b'\xa1a', b'\0', b'\xc0', b'\xc0']
    data = b'\x88'
    for name, value in zip(columns, values):
        data += key(name) + b'\xdd' + struct.pack('>I', rows)
        data += value * rows if value else b''.join(b'\xce' + struct.pack('>I', i + 1) for i in range(rows))
    yield 'tids', zlib.compress(data, 9)
    yield 'zeros', zlib.compress(b'\x88' + key(b'event') + b'\xdd' + struct.pack('>I', MUCH) + bytes(MUCH), 9)
    yield 'claim', zlib.compress(b'\x88' + key(b'event') + b'\xdd\xff\xff\xff\xff' + b'\xc0' * 100, 9)
    yield 'claim-text', zlib.compress(b'\x88' + key(b'event') + b'\xdb\xff\xff\xff\xff' + bytes(100), 9)
    yield 'claim-map', zlib.compress(b'\xdf\xff\xff\xff\xff' + key(b'event'), 9)
    yield 'nested', zlib.compress(b'\x88' + key(b'event') + b'\x91' * MUCH, 9)
    yield 'nested-maps', zlib.compress(b'\xdf\xff\xff\xff\xff' * (MUCH // 5), 9)
    names = b''.join(b'\xa6%06d' % i for i in range(100000))
    data = b'\x88'
    for name, value in zip(columns, [names, b'\0' * 100000, b'\0' * 100000, b'\1' * 100000] + [b'\xc0' * 100000] * 4):
        data += key(name) + b'\xdd' + struct.pack('>I', 100000) + value
    yield 'events', zlib.compress(data, 9)


def zstd(data):
    lib = ctypes.CDLL('libzstd.so.1')
    lib.ZSTD_compress.restype = lib.ZSTD_compressBound.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(lib.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    return room.raw[:lib.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)]


def tracedat(valid):
    frames, at = [], valid.find(b'\x28\xb5\x2f\xfd')
    while at >= 0:
        frames.append(at)
        at = valid.find(b'\x28\xb5\x2f\xfd', at + 4)
    bomb = zstd(bytes(MUCH))
    for i in sorted({0, len(frames) // 2, len(frames) - 1}):
        at = frames[i]
        size, whole = struct.unpack_from('<II', valid, at - 8)
        for name, claim in ('bomb', MUCH), ('bomb-that-lies', whole), ('claim', 0xfffffff0):
            body = bomb if claim != 0xfffffff0 else valid[at:at + size]
            yield f'{name}-{i}', valid[:at - 8] + struct.pack('<II', len(body), claim) + body + valid[at + size:]


def longer(data, seed):
    rnd = random.Random(seed)
    pack = None
    if data[:2] == b'\x1f\x8b':
        data, pack = gzip.decompress(data), gzip.compress
    elif data[:1] == b'\x78':
        data, pack = zlib.decompress(data), zlib.compress
    at = rnd.randrange(len(data) + 1)
    data = data[:at] + bytes([rnd.randrange(256)]) + data[at:]
    return pack(data) if pack else data


def change(data, seed):
    rnd = random.Random(seed)
    at = rnd.randrange(len(data))
    return data[:at] + bytes([data[at] ^ rnd.randrange(1, 256)]) + data[at + 1:]


def main(argv):
    if argv[0] == '--variants':
        with open(argv[1], 'rb') as f:
            data = f.read()
        for seed in argv[2:]:
            for name, made in ('long', longer), ('other', change):
                with open(f'{name}.{seed}.{argv[1]}', 'wb') as f:
                    f.write(made(data, int(seed)))
        return
    made = {'members.pfw.gz': members()}
    for name, data in pfw():
        made.update(packed(name, data))
    made.update({f'{name}.whiz': data for name, data in perfwhiz()})
    with open(argv[1], 'rb') as f:
        made.update({f'{name}.dat': data for name, data in tracedat(f.read())})
    for name, data in made.items():
        with open(f'{argv[0]}/{name}', 'wb') as f:
            f.write(data)


main(sys.argv[1:])
