#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Converts exports to comparable rows, with independent readers in Python:

run CPU TS DUR TID END_STATE   exit TS DUR TID REASON   wakeup TS CPU TID   unknown CPU TS DUR

rows.py csv|chrome|pfw FILE      rows.py perfetto SLICES CSV: from the output of perfetto_check.py --slices, as in CSV
rows.py sums ROWS                run time by CPU and task, independent of where slices are cut
rows.py names CSV                rows.py members GZ: faults of its members
rows.py perfwhiz FILE CSV SCRIPT faults of FILE, by a CSV of the same capture and cdict script --ns -F tid,cpu,time,event,trace
rows.py io FILE                  io TS DUR PID TID CATEGORY NAME FNAME, from any .pfw or .pfw.gz, or Chrome's JSON
rows.py io-csv CSV               the same from an export of I/O traces"""
import csv
import decimal
import gzip
import json
import re
import sys
import zlib

STAND_INS = 1 << 22


def ns(us):
    value = decimal.Decimal(us) * 1000
    if value != int(value):
        raise SystemExit(f"{us} is not a whole number of nanoseconds")
    return int(value)


def of_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def csv_rows(path):
    for r in of_csv(path):
        kind = r["kind"]
        if kind == "run":
            yield f'run {r["cpu"]} {r["ts_ns"]} {r["dur_ns"]} {r["tid"]} {r["end_state"]}'
        elif kind == "unknown":
            yield f'unknown {r["cpu"]} {r["ts_ns"]} {r["dur_ns"]}'
        elif kind == "exit":
            yield f'exit {r["ts_ns"]} {r["dur_ns"]} {r["tid"]} {r["reason"]}'
        elif kind == "wakeup":
            yield f'wakeup {r["ts_ns"]} {r["cpu"]} {r["tid"]}'


def perfetto_rows(slices, path):
    """Perfetto does not have states without a switch: CSV lists them. CSV has no tasks except those
    asked for, and Perfetto has no time of a CPU before its running task is known."""
    rows = of_csv(path)
    known = {(r["cpu"], r["ts_ns"]): r["end_state"] for r in rows if r["kind"] == "run"}
    filtered = not any(r["tid"] == "0" for r in rows if r["kind"] == "run")
    unknown = [r for r in rows if r["kind"] == "unknown"]
    seen = set()
    with open(slices, encoding="utf-8") as f:
        for line in f:
            kind, *r = line.split()
            if kind == "run":
                cpu, ts, dur, tid, state, _ = r
                if filtered and (int(tid) == 0 or int(tid) >= STAND_INS):
                    continue
                if int(tid) >= STAND_INS:
                    seen.add((cpu, ts))
                    yield f"unknown {cpu} {ts} {dur}"
                else:
                    listed = known.get((cpu, ts), "?")
                    yield f"run {cpu} {ts} {dur} {tid} {listed if listed.replace('|', '') == state or not listed else state}"
            elif kind == "exit":
                yield "exit " + " ".join(r)
            else:
                yield f"wakeup {r[0]} {r[1]} {r[2]}"
    for r in unknown:
        if (r["cpu"], r["ts_ns"]) not in seen:
            yield f'unknown {r["cpu"]} {r["ts_ns"]} {r["dur_ns"]}'


def chrome_rows(path):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f, parse_float=decimal.Decimal)
    cpus = {}
    for e in trace["traceEvents"]:
        if e["ph"] == "M":
            if e["name"] == "process_name" and e["args"]["name"] == "CPUs":
                cpus = e["pid"]
            continue
        ts, cat = ns(e["ts"]), e["cat"]
        if cat == "sched":
            assert e["pid"] == cpus
            yield f'run {e["tid"]} {ts} {ns(e["dur"])} {e["args"]["tid"]} {e["args"].get("end_state", "")}'
        elif cat == "unknown":
            yield f'unknown {e["tid"]} {ts} {ns(e["dur"])}'
        elif cat == "kvm_exit":
            yield f'exit {ts} {ns(e["dur"])} {e["tid"]} {e["name"]}'
        elif cat == "wakeup":
            yield f'wakeup {ts} {e["tid"]} {e["args"]["tid"]}'


def pfw_rows(path):
    with open(path, encoding="utf-8") as f:
        if f.readline() != "[\n":
            raise SystemExit("it does not begin with [")
        for n, line in enumerate(f):
            e = json.loads(line, parse_float=decimal.Decimal)
            ts, dur, args = ns(e["ts"]), ns(e["dur"]), e["args"]
            if e["id"] != n:
                print(f"id {e['id']} is in line {n}")
            if e["cat"] == "kvm_exit":
                yield f'exit {ts} {dur} {e["tid"]} {e["name"]}'
            elif e["name"] == "unknown":
                yield f'unknown {args["cpu"]} {ts} {dur}'
            elif e["name"] == "wakeup":
                yield f'wakeup {ts} {args["cpu"]} {e["tid"]}'
            else:
                assert (e["name"] == "idle") == (e["tid"] == 0)
                yield f'run {args["cpu"]} {ts} {dur} {e["tid"]} {args.get("end_state", "")}'


def sums(path):
    total = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            kind, cpu, _, dur, *rest = line.split()
            if kind in ("run", "unknown"):
                key = kind, cpu, rest[0] if rest else ""
                total[key] = total.get(key, 0) + int(dur)
    return (" ".join(k) + f" {v}" for k, v in total.items())


def members(path):
    """Every member ends with a line, and a reader that begins at one finds JSON."""
    with open(path, "rb") as f:
        data = f.read()
    n = 0
    while data:
        z = zlib.decompressobj(31)
        text = z.decompress(data)
        if not z.eof:
            print(f"member {n} is cut")
        data = z.unused_data
        lines = text.split(b"\n")
        if lines.pop() != b"":
            print(f"member {n} does not end with a line")
        for line in (lines[1 if not n else 0], lines[-1]):
            json.loads(line)
        n += 1
    if n < 2:
        print(f"it has {n} members")


def perfwhiz(path, csv_path, script):
    import msgpack
    with open(path, "rb") as f:
        d = msgpack.unpackb(zlib.decompress(f.read()))
    if list(d) != ["event", "cpu", "usecs", "pid", "task_name", "duration", "next_pid", "next_comm"]:
        print(f"keys are {list(d)}")
    if len({len(c) for c in d.values()}) != 1:
        print("columns differ in length")
    rows = of_csv(csv_path)
    names = {int(r["tid"]): r["name"] for r in rows if r["tid"] not in ("", "0")}
    want, before, first = [], {}, None
    switch = re.compile(r"\[(\d+)\]\s+(\d+)\.(\d{9}):.* prev_pid=(\d+) prev_prio=.* ==> .* next_pid=(\d+) ")
    with open(script, encoding="utf-8", errors="replace") as f:
        for m in filter(None, map(switch.search, f)):
            cpu, us, prev, to = int(m[1]), (int(m[2]) * 10**9 + int(m[3])) // 1000, int(m[4]), int(m[5])
            first = us if first is None else first
            since = before.get(cpu)
            before[cpu] = us, to
            # without its switch-in, the run time of a task is unknown
            ran = us - since[0] if since and since[1] == prev else 0
            want.append(("sched__sched_switch", cpu, us - first, prev, names.get(prev, f"swapper/{cpu}"), ran))
    for r in rows:
        ts, dur = int(r["ts_ns"]), int(r["dur_ns"] or 0)
        end = (ts + dur) // 1000
        if r["kind"] == "exit":
            want.append(("kvm_entry", int(r["cpu"]), end - first, int(r["tid"]), r["name"], end - ts // 1000))
    got = list(zip(*(d[k] for k in ("event", "cpu", "usecs", "pid", "task_name", "duration"))))
    for a in sorted(set(want) - set(got))[:3]:
        print(f"lacks {a}")
    for a in sorted(set(g for g in got if g[0] != "kvm_exit") - set(want))[:3]:
        print(f"has {a}")
    # continuity: the task that was switched in is the next to be switched out, on each CPU
    came = {}
    for event, cpu, us, pid, next_task, next_name in zip(*(d[k] for k in ("event", "cpu", "usecs", "pid", "next_pid", "next_comm"))):
        if event == "sched__sched_switch":
            if cpu in came and came[cpu] != pid:
                print(f"CPU {cpu} at {us}: {came[cpu]} came, {pid} leaves")
            came[cpu] = next_task
            if not isinstance(next_name, str):
                print(f"CPU {cpu} at {us}: {next_task} has no name")
        elif next_task is not None or (event == "kvm_exit") != isinstance(next_name, int):
            print(f"{event} at {us}: next is {next_task!r}, {next_name!r}")
    # a guest that left after an exit entered before: exit, entry, exit, ... of each thread
    order = {}
    for event, pid, us in sorted(zip(d["event"], d["pid"], d["usecs"]), key=lambda r: r[2]):
        if event.startswith("kvm_"):
            order.setdefault(pid, []).append(event)
    if any(r["kind"] == "exit" for r in rows) != any("kvm_exit" in o and "kvm_entry" in o for o in order.values()):
        print("no vCPU exits and enters")
    if sorted(d["usecs"]) != d["usecs"]:
        print("rows are not in order of time")


def io_events(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data.startswith(b"{\"displayTimeUnit"):
        yield from json.loads(data, parse_float=decimal.Decimal)["traceEvents"]
        return
    for line in data.decode("utf-8", "replace").splitlines():
        line = line.strip().rstrip(",")
        if line.startswith("{"):
            try:
                yield json.loads(line, parse_float=decimal.Decimal)
            except ValueError:
                continue


def io_rows(path):
    """Files named by hash are looked up; rows without a duration, metadata and counters, are left out."""
    events = list(io_events(path))
    files = {e["args"]["value"]: e["args"]["name"] for e in events if e["name"] == "FH"}
    for e in events:
        if e.get("ph") != "X":
            continue
        args = e.get("args") or {}
        fname = args.get("fname", files.get(args.get("fhash"), ""))
        yield f'io {ns(e["ts"])} {ns(e.get("dur", 0))} {e["pid"]} {e["tid"]} {e["cat"]} {e["name"]} {fname}'


def io_csv_rows(path):
    for r in of_csv(path):
        yield f'io {r["ts_ns"]} {r["dur_ns"]} {r["pid"]} {r["tid"]} {r["category"]} {r["name"]} {r["fname"]}'


def main():
    what, *paths = sys.argv[1:]
    if what == "names":
        print("\n".join(sorted({r["name"] for r in of_csv(paths[0])})))
    elif what == "members":
        members(paths[0])
    elif what == "perfwhiz":
        perfwhiz(*paths)
    else:
        rows = {"csv": csv_rows, "perfetto": perfetto_rows, "chrome": chrome_rows, "pfw": pfw_rows, "sums": sums,
                "io": io_rows, "io-csv": io_csv_rows}[what]
        print("\n".join(sorted(rows(*paths))))


main()
