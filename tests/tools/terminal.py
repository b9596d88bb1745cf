# SPDX-License-Identifier: GPL-2.0-only
"""
terminal.py COLUMNS LINES COMMAND... - what the command writes to a terminal of that size; its status.  Where there
are no pseudo-terminals (a chroot) the status is 77.
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

try:
    master, slave = pty.openpty()
except OSError as error:
    print(f"no pseudo-terminal: {error}", file=sys.stderr)
    sys.exit(77)
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[2]), int(sys.argv[1]), 0, 0))
how = termios.tcgetattr(slave)
how[1] &= ~termios.OPOST
termios.tcsetattr(slave, termios.TCSANOW, how)
child = subprocess.Popen(sys.argv[3:], stdout=slave, close_fds=False)
os.close(slave)
while True:
    try:
        data = os.read(master, 1 << 16)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
sys.exit(child.wait())
