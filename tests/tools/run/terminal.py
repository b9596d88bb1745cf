# SPDX-License-Identifier: GPL-2.0-only
"""
terminal.py COLUMNS LINES COMMAND... - prints the command's output to a terminal of that size, and exits with its status.
Without pseudo-terminals (in a chroot) the status is 77.
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


def drain():
    """Copies the output of the terminal until no process writes to it any more, which Linux reports with EIO."""
    while True:
        try:
            data = os.read(master, 1 << 16)
        except OSError:
            return
        if not data:
            return
        sys.stdout.buffer.write(data)


drain()
status = child.wait()
# n_tty_read() of Linux looks for data and then whether the other end is closed: data written between the two is
# still there after the EIO.
drain()
sys.exit(status)
