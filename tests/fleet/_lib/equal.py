# SPDX-License-Identifier: GPL-2.0-only
"""equal.py COMMAND JOB.json [HOST=]FILE.json... - whether a job's table is the sum of the files' tables.

Counters must be equal to the last digit, row by row and in total; maxima must be the maxima;
percentiles may differ by the error of a histogram (0.8 % of the value, on either side).
Rows of files are identified by name, VM (without a name, with its host: HOST, else from the file), vCPU and reason.
"""
import json
import sys

KEYS = ("name", "vm", "vcpu", "reason", "idle")
ADDED = {
    "tasks": "run_ns edge_ns unknown_ns switches voluntary involuntary sleeps blocks iowaits preempted sleep_ns "
             "block_ns iowait_ns preempt_ns delayed_ns delays wakeups migrations node_migrations events".split(),
    "latency": "latency_count latency_ns preempt_count preempt_ns incomplete".split(),
    "exits": "count cpu_ns time_ns unpaired".split(),
    "vcpu": "delayed_ns guest_ns exit_ns qemu_ns preempted_ns waiting_ns halted_ns blocked_ns unknown_ns "
            "preemptions waits halts blocks".split(),
}
LONGEST = {"tasks": ["latency_max_ns", "slice_max_ns", "worst_ns"], "latency": ["latency_max_ns", "preempt_max_ns"],
           "exits": ["max_ns"], "vcpu": ["worst_ns"]}


def rows(doc, command, host=None):
    out = {}
    for row in doc[command]:
        key = [row.get(k) for k in KEYS]
        if host and key[1] and key[1].isdigit():
            key[1] = host + ":" + key[1]
        at = out.setdefault(tuple(key), {})
        for k in ADDED[command]:
            if row.get(k) is not None:
                at[k] = at.get(k, 0) + row[k]
        for k in LONGEST[command]:
            if row.get(k) is not None:
                at[k] = max(at.get(k, 0), row[k])
    return out


def main():
    command, job, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    got = rows(json.load(open(job)), command)
    want = {}
    for name in files:
        host, _, path = name.rpartition("=")
        doc = json.load(open(path))
        for key, row in rows(doc, command, host or doc["capture"]["host"]).items():
            at = want.setdefault(key, {})
            for k, v in row.items():
                at[k] = max(at.get(k, 0), v) if k in LONGEST[command] else at.get(k, 0) + v
    bad = 0
    if not want:
        print("no rows")
        bad = 1
    for key in sorted(set(got) | set(want), key=str):
        a, b = got.get(key), want.get(key)
        if a is None or b is None:
            # a name that did nothing has a row on one side only
            if any((a or b).values()):
                print(command, key, "only in", "job" if a else "files", a or b)
                bad += 1
            continue
        for k in sorted(set(a) | set(b)):
            if a.get(k, 0) != b.get(k, 0):
                print(command, key, k, "job", a.get(k), "files", b.get(k))
                bad += 1
    return 1 if bad else 0


sys.exit(main())
