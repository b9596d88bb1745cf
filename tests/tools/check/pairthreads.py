#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
pairthreads IN OUT: rewrites a perf.data of a host with one thread per core, as if CPUs 0 and 1, 2 and 3, ... were threads of one core.
Status 1 if the file has no such topology.
"""
import re
import struct
import sys

data = open(sys.argv[1], 'rb').read()
# header_string_list: how many, then of each its length and the text, which is padded with NULs
for found in re.finditer(rb'(?=([\x02-\xff]\0\0\0)(.\0\0\0)0\0)', data, re.S):
    n, size = struct.unpack('<II', found[1] + found[2])
    begin, end = found.start() + 4, found.start() + 4 + n * (4 + size)
    texts = [data[begin + i * (4 + size) + 4:begin + (i + 1) * (4 + size)] for i in range(n)]
    if [t.rstrip(b'\0') for t in texts] == [b'%d' % i for i in range(n)]:
        paired = [b'%d-%d' % (i // 2 * 2, i // 2 * 2 + 1) for i in range(n)]
        data = data[:begin] + b''.join(struct.pack('<I', size) + p.ljust(size, b'\0') for p in paired) + data[end:]
        open(sys.argv[2], 'wb').write(data)
        sys.exit(0)
sys.exit(1)
