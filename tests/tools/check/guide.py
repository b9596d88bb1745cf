# SPDX-License-Identifier: GPL-2.0-only
"""
guide.py GUIDE - prints the guide after running its commands ("    $ ...") in order, on a terminal of 100 columns: each followed by
as many lines of its output as in GUIDE; "    [...]" marks omitted lines.  "    @N" in GUIDE requests N lines of output.
"""
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))


def run(command):
    words = [sys.executable, os.path.join(here, "..", "run", "terminal.py"), "100", "200", "bash", "-c", command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode == 77:
        sys.exit(77)
    return done.stdout.decode().replace("\r", "").split("\n")[:-1]


lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
i = 0
while i < len(lines):
    print(lines[i]) if i + 1 < len(lines) else print(lines[i], end="")
    command = re.match(r"    \$ (.*)", lines[i])
    i += 1
    if not command:
        continue
    wanted = 0
    blank = 0
    while i < len(lines) and (re.match(r"    (?!\$ )", lines[i]) or (not lines[i] and i + 1 < len(lines) and re.match(r"    (?!\$ )", lines[i + 1]))):
        count = re.match(r"    @(\d+)$", lines[i])
        if lines[i] != "    [...]":
            wanted += int(count[1]) if count else 1
        i += 1
    printed = run(command[1])
    for line in printed[:wanted]:
        print(f"    {line}".rstrip())
    if wanted and wanted < len(printed):
        print("    [...]")
