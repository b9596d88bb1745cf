# SPDX-License-Identifier: GPL-2.0-only
"""percentiles.py - checks the percentiles of a job's merged histograms.

same COMMAND JOB.json FILE.json HOST   for a job with one capture: equal to the file to the last digit; rows that a job does
                                       not distinguish (threads of one name) are left out
exact COMMAND JOB.json HOST=FILE.csv...  compares with the exact percentiles of all single waits and slices (CSV of the files):
                                       within 1/128 of the value, the error of a histogram; only for rows with the same values: their sum is equal, to
                                       the nanosecond (SQL omits slices and waits with an unseen end, and uses other names)

Prints differences; nothing if there are none.
"""
import csv
import json
import sys

PARTS = {
    "tasks": {"slice": {"slice_p50_ns": 50, "slice_p99_ns": 99}, "latency": {"latency_p50_ns": 50, "latency_p99_ns": 99}},
    "latency": {"latency": {"latency_p50_ns": 50, "latency_p99_ns": 99, "latency_p999_ns": 99.9}, "preempt": {"preempt_p99_ns": 99}},
}


def vm_of(vm, host):
    return host + ":" + vm if vm and vm.isdigit() else vm or None


def keyed(rows, host=None):
    out = {}
    for row in rows:
        vm = vm_of(row["vm"], host) if host else row["vm"]
        out.setdefault((row["name"], vm, row.get("vcpu")), []).append(row)
    return out


def same(command, job, path, host):
    job, doc = json.load(open(job)), json.load(open(path))
    got, n = keyed(job[command]), 0
    columns = [column for part in PARTS[command].values() for column in part]
    for key, rows in keyed(doc[command], host).items():
        if len(rows) != 1 or rows[0].get("idle"):
            continue
        for column in columns:
            want = rows[0][column]
            is_ = got[key][0][column] if len(got.get(key, ())) == 1 else "no row"
            n += want is not None
            if is_ != want and not (is_ == "no row" and want is None):
                print(path, key, column, "job", is_, "file", want)
    for column in columns:
        if job.get("total", {}).get(column) != doc.get("total", {}).get(column):
            print(path, "total", column, "job", job["total"].get(column), "file", doc["total"].get(column))
    if not n:
        print(path, "only", n, "percentiles were compared")


def percentile(values, percent):
    """The smallest value that at least so many percent do not exceed."""
    k = -(-len(values) * round(percent * 10) // 1000)
    return values[max(k, 1) - 1]


def sum_of(row, kind):
    """Of the row's values, exact."""
    if kind == "slice":
        return row["run_ns"] - row["edge_ns"]
    return row.get(kind + "_ns")


def ended(rows):
    """Slices that a switch ended; waits that a slice ended, by what began them."""
    began = {(row["utid"], int(row["ts"])) for row in rows if row["kind"] == "slice"}
    for row in rows:
        if row["kind"] == "slice":
            if row["state"]:
                yield "slice", row
        elif (row["utid"], int(row["ts"]) + int(row["dur"])) in began:
            yield "preempt" if row["state"] == "R+" or not row["waker"] else "latency", row


def exact(command, job, files):
    job, values, n, rows_of = json.load(open(job)), {}, 0, {}
    for name in files:
        host, _, path = name.rpartition("=")
        for kind, row in ended(list(csv.DictReader(open(path, newline="")))):
            key = (row["name"], vm_of(row["vm"], host), int(row["vcpu"]) if row["vcpu"] else None)
            values.setdefault(key, {}).setdefault(kind, []).append(int(row["dur"]))
    for key, rows in keyed(job[command]).items():
        if key not in values or rows[0].get("idle") or len(rows) != 1:
            continue
        for kind, columns in PARTS[command].items():
            all_ = sorted(values[key].get(kind, ()))
            if not all_ or command == "tasks" and kind == "latency" or sum(all_) != sum_of(rows[0], kind):
                continue
            rows_of[kind] = rows_of.get(kind, 0) + 1
            for column, percent in columns.items():
                is_, want = rows[0][column], percentile(all_, percent)
                n += len(all_) > 20
                if is_ is None or abs(is_ - want) * 128 > want + 128:
                    print(command, key, column, "job", is_, "exact", want, "of", len(all_))
    if n < 10 or min(rows_of.get(kind, 0) for kind in PARTS[command] if command == "latency" or kind == "slice") < 10:
        print(command, "only", n, "percentiles of more than 20 values were compared:", rows_of)


if sys.argv[1] == "same":
    same(*sys.argv[2:6])
else:
    exact(sys.argv[2], sys.argv[3], sys.argv[4:])
