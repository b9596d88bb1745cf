# SPDX-License-Identifier: GPL-2.0-only
"""
samepicture.py A.png B.png - compares two pictures.  Prints how much differs; status 1: too much, or another size.

Fonts differ between systems and browsers, so it compares the mean colour of squares of 16 pixels instead of pixels: letters are a small
part of a square's area, bars and cells are not.  A square differs if a channel differs by more than NEAR of 255; FEW of the squares may.
"""
import struct
import sys
import zlib

SQUARE = 16
NEAR = 24
FEW = 0.04


def decode(name):
    """Width, height, and lines of RGB, of a PNG with 8 bits a channel that is not interlaced."""
    data = open(name, "rb").read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit(f"{name}: not a PNG")
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            wide, tall, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    if depth != 8 or colour not in (2, 6) or interlaced:
        sys.exit(f"{name}: not 8 bits of RGB, in order")
    each = 3 if colour == 2 else 4
    raw, stride = zlib.decompress(packed), wide * each
    lines, above = [], bytes(stride)
    for y in range(tall):
        how = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for x in range(stride):
            left = line[x - each] if x >= each else 0
            if how == 1:
                line[x] = (line[x] + left) & 255
            elif how == 2:
                line[x] = (line[x] + above[x]) & 255
            elif how == 3:
                line[x] = (line[x] + (left + above[x]) // 2) & 255
            elif how == 4:
                corner = above[x - each] if x >= each else 0
                guess = left + above[x] - corner
                line[x] = (line[x] + min((left, above[x], corner), key=lambda v: abs(guess - v))) & 255
        lines.append(line)
        above = line
    return wide, tall, [[line[c::each] for c in range(3)] for line in lines]


def squares(picture):
    wide, tall, lines = picture
    for y in range(0, tall, SQUARE):
        for x in range(0, wide, SQUARE):
            rows = lines[y : y + SQUARE]
            area = len(rows) * (min(x + SQUARE, wide) - x)
            yield [sum(sum(row[c][x : x + SQUARE]) for row in rows) / area for c in range(3)]


a, b = decode(sys.argv[1]), decode(sys.argv[2])
if a[:2] != b[:2]:
    print(f"{a[0]}x{a[1]} and {b[0]}x{b[1]} pixels")
    sys.exit(1)
differ = [max(abs(p - q) for p, q in zip(one, other)) > NEAR for one, other in zip(squares(a), squares(b))]
share = sum(differ) / len(differ)
print(f"{100 * share:.2f} % differ, {100 * FEW:.0f} % may")
sys.exit(share > FEW)
