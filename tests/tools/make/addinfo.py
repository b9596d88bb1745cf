#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""addinfo.py IN.cdict OUT.cdict KEY=VALUE...: the same file with one more INFO block, as cdict record stores what relates hosts and guests."""
import sys

from mkbomb import blocks_to_file, pack, text
from mkhostile import blocks_of

blocks = blocks_of(open(sys.argv[1], 'rb').read())
pairs = (pair.split('=', 1) for pair in sys.argv[3:])
blocks.append((b'INFO', pack(b''.join(text(part.encode()) for pair in pairs for part in pair))))
open(sys.argv[2], 'wb').write(blocks_to_file(blocks))
