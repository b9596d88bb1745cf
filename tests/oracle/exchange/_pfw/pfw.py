#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A simple reader of I/O traces: pfw.py active PATTERN FILE..., events FILE..., make N SEED."""
import decimal
import gzip
import json
import random
import re
import sys


def lines(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.split(b"\n")


def number(v):
    """Of a number of any form, or one in quotes."""
    return decimal.Decimal(v) if isinstance(v, str) else v


def ns(v):
    """From µs; fractions of a ns are dropped."""
    return int(decimal.Decimal(number(v)) * 1000)


def whole(v):
    return int(v) if v == int(v) else ""


def size_of(v, args):
    for key in ("size", "size_sum"):
        if args.get(key) is not None:
            return whole(number(args[key]))
    sized = v["cat"] in ("POSIX", "STDIO") and ("read" in v["name"] or "write" in v["name"])
    for key, so in (("ret", sized), ("image_size", True)):
        if so and args.get(key) is not None and number(args[key]) > 0:
            return whole(number(args[key]))
    return ""


def events(paths):
    for path in paths:
        files, hosts = {}, {}
        for line in lines(path):
            text = "".join(chr(c) if c < 128 else "#" for c in line).strip().rstrip(",")
            try:
                v = json.loads(text, strict=False, parse_float=decimal.Decimal)
            except ValueError:
                continue
            if not isinstance(v, dict):
                continue
            args = v.get("args", {})
            if v["ph"] == "M":
                if v["name"] in ("FH", "HH"):
                    (files if v["name"] == "FH" else hosts)[str(args["value"])] = args["name"]
                continue
            fname = args.get("fname") or files.get(str(args.get("fhash")), "")
            host = args.get("hostname") or hosts.get(str(args.get("hhash")), "")
            dur = ns(v.get("dur", 0))
            yield (ns(v["ts"]), dur, int(number(v.get("tid", 0))), v["cat"], v["name"], fname,
                   size_of(v, args), host)


def active(pattern, paths):
    all_events = list(events(paths))
    union = []
    for ts, dur in sorted((e[0], e[1]) for e in all_events if pattern in e[5] and e[1] > 0):
        if union and ts <= union[-1][1]:
            union[-1][1] = max(union[-1][1], ts + dur)
        else:
            union.append([ts, ts + dur])
    sums, at = {}, 0
    # by begin: those that end before it cannot overlap later ones
    for ts, dur, _, cat, name, *_ in sorted(all_events, key=lambda e: e[0]):
        while at < len(union) and union[at][1] <= ts:
            at += 1
        if dur > 0 and at < len(union) and union[at][0] < ts + dur:
            n, total = sums.get((cat, name), (0, 0))
            sums[cat, name] = (n + 1, total + dur)
    for (cat, name), (n, total) in sorted(sums.items()):
        print(f"{cat},{name},{n},{total}")


def other_forms(line, rnd):
    """The same numbers, and some fractions of a µs, as JSON may have them, too: without quotes, with an exponent."""

    def form(m):
        v = m[2]
        if m[1] in ("ts", "dur"):
            v += rnd.choice(("", ".5", ".0625", ".000999"))
        sign, digits, exponent = decimal.Decimal(v).as_tuple()
        digits = "".join(map(str, digits))
        e = rnd.randrange(len(digits))
        point = digits[:len(digits) - e] + ("." + digits[len(digits) - e:] if e else "")
        out = "-" * sign + point + rnd.choice("eE") + rnd.choice(("", "+") if exponent + e >= 0 else ("",)) + str(exponent + e)
        return f'"{m[1]}":{out}'

    return re.sub('"(ts|dur|ret|image_size|tid)":"?(-?[0-9]+)"?', form, line)


def make(n, seed):
    """As DFTracer writes them: several threads, names by hash, lines that cannot be read."""
    rnd = random.Random(seed)
    t = 1698352095000000
    out = ['[', '{"name":"HH","cat":"dftracer","ph":"M","args":{"name":"node%d","value":31482868919920918%d}}' % (seed, seed)]
    known = set()
    for i in range(n):
        t += rnd.randrange(0, 40)
        tid = 100 + rnd.randrange(5)
        f = rnd.randrange(400)
        if f not in known:
            known.add(f)
            out.append('{"name":"FH","cat":"dftracer","pid":%d,"tid":%d,"ph":"M","args":{"name":"/data/file_%d_%d.dat","value":"%032x"}}' % (seed, tid, f % 7, f, f * 7919 + seed))
        name = rnd.choice(["read", "write", "open64", "close", "Reader.next", "compute"])
        cat = "POSIX" if name.islower() and name != "compute" else "app"
        args = {"hhash": "31482868919920918%d" % seed}
        if cat == "POSIX":
            args.update(fhash="%032x" % (f * 7919 + seed), ret=str(rnd.randrange(-1, 70000)), fd=rnd.randrange(9))
        else:
            args.update(epoch=rnd.randrange(3), ratio=0.5, image_size=rnd.randrange(5))
        line = json.dumps({"id": str(i), "name": name, "cat": cat, "pid": str(seed), "tid": str(tid), "ts": str(t),
                           "dur": str(rnd.choice([0, 1, 5, 80, 3000])), "ph": "X", "args": args}, separators=(",", ":"))
        if i % 11 == 3:
            line = other_forms(line, rnd)
        if i % 997 == 5:
            line = line[:40]
        out.append(line)
    print("\n".join(out) + "\n]")


if __name__ == "__main__":
    if sys.argv[1] == "active":
        active(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "events":
        for row in sorted(",".join(map(str, e)) for e in events(sys.argv[2:])):
            print(row)
    else:
        make(int(sys.argv[2]), int(sys.argv[3]))
