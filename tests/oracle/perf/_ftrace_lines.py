#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Events of ftrace as text, one per line: _ftrace_lines.py trace-cmd|cdict [kernel_stack] <TEXT

TEXT is the output of trace-cmd report -N -t, or of cdict script. Multi-line texts are joined with "|". With a name, only
these events; use trace-cmd report without -N then, whose stacks follow the format. Without a name, kernel_stack is left out,
because -N always prints eight entries."""
import re
import sys

HEADS = {'trace-cmd': r'^.*?-(\d+) +\[(\d+)\] +(?:[^ :]+ +)?(\d+\.\d+): (\w+): *(.*)$',
         'cdict': r'^ *(-?\d+) \[(\d+)\] +(\d+\.\d+): +[a-z_0-9]+:(\w+): ?(.*)$'}
head = re.compile(HEADS[sys.argv[1]])
only = sys.argv[2] if len(sys.argv) > 2 else None
events = []
for line in sys.stdin.buffer.read().decode('latin-1').split('\n'):
    m = head.match(line)
    if m:
        events.append([m[3], m[1], m[2], m[4], m[5]])
    elif events:
        events[-1][4] += '|' + line
for e in events:
    if (e[3] == only) if only else e[3] != 'kernel_stack':
        if only and sys.argv[1] == 'trace-cmd':
            e[4] = re.sub(r'=> (\S+) \([0-9a-f]+\)', r'=> \1', e[4].replace('<stack trace >', ''))
            e[4] = re.sub(r'=> ([0-9a-f]{8,16})\b', r'=> 0x\1', e[4])
        text = re.sub(r'[ \t]+', ' ', e[4])
        print(*e[:4], re.sub(r' ?\| ?', '|', text).strip(' |'))
