#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What datacrumbs' notebook (analysis/trace_analysis.ipynb) computes of I/O traces, step by step with pandas.

notebook.py make N SEED            a trace
notebook.py profile N SEED         a profile
notebook.py STEP[,STEP...] FILE... [-- TEXT [NAME [MARGIN]]]  the steps' results as CSV, times in us, to files STEP.want
"""
import csv
import gzip
import json
import random
import sys

import pandas

# ---- made ----


def make(n, seed):
    """As DFTracer writes it, in whole us: instants, events around others, lines without dur, unreadable lines. Hashes are
    in hexadecimal, or, with an even seed, numbers of 128 bits as datacrumbs' are."""
    rnd = random.Random(seed)

    def hash_of(f):
        return "%032x" % (f * 7919 + seed) if seed % 2 else (f * 7919 + seed) << 90

    print("[")
    print('{"name":"HH","cat":"dftracer","ph":"M","args":{"name":"node%d","value":"22c03464f1388f178c86686efd82a2e%x"}}' % (seed, seed % 16))
    known, t = set(), 1698352095000000
    for i in range(n):
        t += rnd.randrange(0, 300)
        f = rnd.randrange(60)
        if f not in known:
            known.add(f)
            print('{"name":"FH","cat":"dftracer","pid":1,"tid":1,"ph":"M","args":{"name":"/data/file_%d_%d.dat","value":%s}}'
                  % (f % 20, f, json.dumps(hash_of(f))))
        name, cat = rnd.choice([("read", "POSIX"), ("write", "POSIX"), ("close", "POSIX"), ("compute", "app"), ("read", "app")])
        line = {"id": i, "name": name, "cat": cat, "pid": seed, "tid": 100 + rnd.randrange(4), "ts": t, "ph": "X",
                "dur": rnd.choice([0, 0, 1, 7, 80, 500]), "args": {"hhash": "22c03464f1388f178c86686efd82a2e%x" % (seed % 16)}}
        if cat == "POSIX":
            line["args"].update(fhash=hash_of(f), size_sum=rnd.randrange(9000))
        if i % 97 == 0:
            line.update(cat="app", name="epoch", dur=20000)  # reaches over others, and over the span's ends
            line["args"].pop("fhash", None)
        if i % 211 == 3:
            line.update(ph="i")
            del line["dur"]
        text = json.dumps(line, separators=(",", ":"))
        print(text[:50] if i % 499 == 7 else text)
    print("]")


def profile(n, seed):
    rnd = random.Random(seed)
    print("[")
    for _ in range(n):
        args = {"freq": rnd.randrange(1, 90), "time": rnd.randrange(1, 10**9) / 1e9,
                "size_sum": rnd.choice([None, rnd.randrange(1 << 20)])}
        if rnd.random() < 0.7:
            args["fname"] = "/sys/cpu%d" % rnd.randrange(9)
        print(json.dumps({"pid": 1, "tid": 1, "name": rnd.choice(["read", "write", "openat"]), "cat": rnd.choice(["sys", "c"]),
                          "ph": "C", "ts": rnd.randrange(9) * 1000000, "args": args}))


# ---- the notebook ----


def lines(paths):
    for path in paths:
        with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as f:
            for line in f:
                try:
                    v = json.loads(line.rstrip().rstrip(","))
                except ValueError:
                    continue
                if isinstance(v, dict):
                    yield v


def hexadecimal(value):
    return "%032x" % value if isinstance(value, int) else value


def load(paths):
    """load_trace(): (events, names of files by hash, names of hosts by hash)."""
    events, files, hosts = [], {}, {}
    for v in lines(paths):
        args = v.get("args", {})
        if v["ph"] == "M":
            if v["name"] in ("FH", "HH"):
                (files if v["name"] == "FH" else hosts)[hexadecimal(args["value"])] = args["name"]
            continue
        ts, dur = int(v["ts"]), int(v.get("dur", 1))
        events.append((ts, ts + dur if dur > 0 else ts, dur, v["name"], v["cat"], hexadecimal(args.get("fhash")), args.get("size_sum"), v.get("dur", 0) > 0))
    return pandas.DataFrame(events, columns=["ts", "te", "dur", "name", "cat", "fhash", "size", "lasts"]), files, hosts


def union(events):
    out = []
    for ts, dur in sorted(zip(events.ts, events.dur)):
        end = ts + dur if dur > 0 else ts + 1
        if out and ts <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([ts, end])
    return out


def overlapping(events, intervals):
    starts = pandas.Series([a for a, _ in intervals])
    ends = pandas.Series([b for _, b in intervals])
    at = ends.searchsorted(events.ts, side="right")  # the first interval that ends after ts
    return events[[i < len(starts) and starts[i] < te for i, te in zip(at, events.te)]]


class Analysis:
    def __init__(self, paths, text="file_0", name=None, margin=0):
        self.event, self.files, _ = load(paths)
        self.fhashes = sorted(hash for hash, file in self.files.items() if text in file)
        self.interesting = self.event[self.event.fhash.isin(self.fhashes)]
        if name:
            self.interesting = self.interesting[self.interesting.name == name]
        self.union = union(self.interesting)
        self.min_ts, self.max_te = self.union[0][0], self.union[-1][1]
        e = self.event
        self.filtered = e[(e.ts >= self.min_ts - margin) & (e.te <= self.max_te + margin) & (e.dur > 0)]
        self.valid = overlapping(self.filtered, self.union)
        # what active_sums() counts without the notebook's rule: events that last, and overlap one that does
        lasting = self.interesting[self.interesting.lasts]
        self.overlapping = overlapping(e[e.lasts], union(lasting))


def grouped(events):
    sums = events.groupby(["name", "cat"]).dur.agg(["count", "sum"]).reset_index()
    return [tuple(row) for row in sums.sort_values(["sum", "name", "cat"], ascending=[False, True, True]).itertuples(index=False)]


def step(what, paths, *args):
    if what == "profile_sums":  # load_profile()
        rows = [(v["name"], v["cat"], v["args"].get("fname") or "NA", round(v["args"]["time"] * 1e9), v["args"]["freq"], v["args"]["size_sum"])
                for v in lines(paths)]
        frame = pandas.DataFrame(rows, columns=["name", "cat", "filename", "ns", "freq", "size"])
        sums = frame.groupby(["name", "cat", "filename"])[["ns", "freq", "size"]].sum().reset_index()
        return [(n, c, f, ns, freq, int(size)) for n, c, f, ns, freq, size in
                sums.sort_values(["ns", "name", "cat"], ascending=[False, True, True]).itertuples(index=False)]
    a = Analysis(paths, *args)
    return {
        "names": lambda: [(a.files[h], h) for h in sorted(a.fhashes, key=lambda h: (a.files[h], h)) if (a.event.fhash == h).any()],
        "interesting": lambda: [(len(a.interesting), int(a.interesting["size"].sum()))],
        "first": lambda: a.union[:10],
        "union": lambda: a.union,
        "many": lambda: [(len(a.union),)],
        "span": lambda: [(a.min_ts, a.max_te)],
        "filtered": lambda: [(len(a.filtered),)],
        "valid": lambda: [(len(a.valid),)],
        "sums": lambda: grouped(a.valid),
        "overlapping": lambda: grouped(a.overlapping),
    }[what]()


def main():
    what, *args = sys.argv[1:]
    if what == "make":
        make(int(args[0]), int(args[1]))
    elif what == "profile":
        profile(int(args[0]), int(args[1]))
    else:
        cut = args.index("--") if "--" in args else len(args)
        more = args[cut + 1:]
        more = [*more[:1], *(one or None for one in more[1:2]), *map(int, more[2:])]
        for one in what.split(","):
            with open(one + ".want", "w") as f:
                csv.writer(f, lineterminator="\n").writerows(step(one, args[:cut], *more))


if __name__ == "__main__":
    main()
