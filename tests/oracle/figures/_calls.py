# SPDX-License-Identifier: GPL-2.0-only
"""
_calls.py write SEED DIR - random logs of calls below DIR.
_calls.py report DIR - the table that a CI script makes of them with pandas, as CSV in the order of its comment.

The computation of a script that posts such a table (Demikernel's tools/perf.py does): rows of a stack are averaged with
groupby().mean().round(2). Figures are compared as numbers, so their format does not matter.
"""
import csv
import glob
import io
import os
import random
import sys

FIGURES = ["calls", "percent", "cycles", "ns"]


def write(seed, folder):
    seed = int(seed)
    random.seed(seed)
    decimals = (2, 2, 2, 3, 6, 15)[seed % 6]
    end = "\r\n" if seed % 2 else "\n"
    names = ["read", "read::x", "read x", "parse<int, 4>", "f(a, b)", "écoute", "_Z1fv"]

    def call(out, thread, depth):
        name = random.choice(names)
        name = f'"{name}"' if "," in name and random.random() < 0.5 else name
        figures = [str(random.randint(1, 6))] + [f"{random.random() * most:.{decimals}f}" for most in (100, 9e3, 5e3)]
        if random.random() < 0.02:
            figures[1] = "NaN"
        out.append((thread, f"{'+' * depth},t{thread},{name},{','.join(figures)}{end}"))
        for _ in range(random.randint(0, 4) if depth < 5 else 0):
            call(out, thread, depth + random.choice((1, 1, 1, 2)))

    for number in range(seed % 5 + 2):
        place = os.path.join(folder, *random.sample(["a", "b", "c"], random.randint(0, 2)))
        os.makedirs(place, exist_ok=True)
        threads = []
        for thread in range(3):
            lines = []
            for _ in range(3):
                call(lines, thread, 1)
            threads.append(lines)
        with open(os.path.join(place, f"system-test-{number}-stdout.txt"), "w", encoding="utf-8", newline="") as file:
            file.write(f"running 1 test{end}")
            while any(threads):  # the threads' lines are interleaved
                file.write(random.choice([lines for lines in threads if lines]).pop(0)[1])


def report(folder):
    import pandas

    rows = []
    for path in sorted(glob.glob(os.path.join(folder, "**", "system-test*stdout*"), recursive=True)):
        stacks = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("+"):
                    continue
                fields = line.rstrip("\n").split(",")
                depth, thread, function, figures = len(fields[0]), fields[1], ",".join(fields[2:-4]), fields[-4:]
                function = next(csv.reader([function]))[0] if function.startswith('"') else function
                stack = stacks[thread] = stacks.get(thread, [])[: depth - 1] + [function]
                rows.append([";".join(stack)] + figures)
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    text.seek(0)
    table = pandas.read_csv(text, names=["stack"] + FIGURES).groupby("stack").mean().round(2).reset_index()
    table.sort_values(["calls", "cycles", "ns", "percent"], ascending=False).to_csv(sys.stdout, index=False)


{"write": write, "report": report}[sys.argv[1]](*sys.argv[2:])
