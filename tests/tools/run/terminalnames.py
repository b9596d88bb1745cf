# SPDX-License-Identifier: GPL-2.0-only
"""
terminalnames.py FULL OUT [KEYS] - compares the tables of commands (a line "=== COMMAND FILE" above each) on a terminal, OUT, with
those on a very wide one, FULL: the same rows, and no text that stands for two names, in any column and table of a command. KEYS: lines
"COMMAND: COLUMN, COLUMN" of columns that the tables of these commands must have.
"""
import re, sys

def tables(path):
    """The tables of each command: columns (title, begin, end), rows."""
    what, lines = "", open(path, encoding="utf-8", errors="surrogateescape").read().split("\n")
    for i, line in enumerate(lines):
        if line.startswith("==="):
            what, number = line, 0
        if re.fullmatch("-{3,}", line) and lines[i - 1].strip() and not re.fullmatch("-{3,}", lines[i - 1]):
            head = lines[i - 1]
            if i < 2 or lines[i - 2].strip() and not lines[i - 2].startswith("==="):
                continue
            rows = []
            for row in lines[i + 1:]:
                if not row.strip() or row.startswith("---") or row.startswith("("):
                    break
                rows.append(row)
            number += 1
            yield (what, number), head, rows

def column(title, head, rows):
    """The texts of a column, which begin where its title does; two blanks end them."""
    at = re.search(r"(?:^|(?<=\s\s))" + title + r"(?=\s\s|$)", head)
    return at and [re.split(r"\s{2,}", row[at.start():].rstrip())[0] for row in rows]

full = {key: (head, rows) for key, head, rows in tables(sys.argv[1])}
seen = cut = 0
shown = {}
for key, head, rows in tables(sys.argv[2]):
    for title in ("task", "vm", "VM", "was behind", "was beside", "group", "next", "waited", "had the CPU", "behind", "woken by", "name", "again", "reason"):
        was, now = column(title, *full[key]), column(title, head, rows)
        if not now:
            continue
        assert len(was) == len(now), (key, title, len(was), len(now))
        # one name for a text, in all columns and tables of the command
        names = shown.setdefault(key[0], {})
        for a, b in zip(was, now):
            seen += 1
            cut += a != b
            if names.setdefault(b, a) != a:
                print(key, title, "shows", repr(b), "for", a, "and", names[b])
for line in open(sys.argv[3]) if len(sys.argv) > 3 else []:
    command, wanted = line.rstrip().split(": ")
    heads = [(key, head) for key, head, _ in tables(sys.argv[2]) if re.fullmatch("=== " + re.escape(command) + r" \S+", key[0]) and key[1] == 1]
    if not heads:
        print("no table of", command)
    for key, head in heads:
        for title in wanted.split(", "):
            # a column without any value is left out at any width, but some capture has values
            if not any(re.search(r"(?:^|\s\s)" + re.escape(title) + r"(?=\s\s|$)", full[other][0]) for other, _ in heads):
                print("no column", title, "in any table of", command)
            if not re.search(r"(?:^|\s\s)" + re.escape(title) + r"(?=\s\s|$)", head) and re.search(r"(?:^|\s\s)" + re.escape(title) + r"(?=\s\s|$)", full[key][0]):
                print(*key, "lacks", title + ":", head)
print("rows" if seen > 1000 else "no rows", "names were cut" if cut else "no name was cut")
