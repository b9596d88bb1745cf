#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# Figures of several windows are the sums over the windows, for every command whose figures add up.
set -u
. "$TOP/tests/oracle/_lib.sh"

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict || exit
cat >add.py <<'END'
import json, subprocess, sys

cdict = sys.argv[1]
# keys that identify rows; figures that are not sums: maxima, medians, moments, rates, shares
KEYS = {"name", "tid", "pid", "comm", "vm", "vcpu", "cpu", "node", "core", "next", "next_tid", "next_pid", "next_vm",
        "reason", "reason_code", "isa", "code", "event", "lossy", "idle", "unknown", "label", "group", "role", "state"}
NOT_SUMS = ("_avg_ns", "_p50_ns", "_p99_ns", "_p999_ns", "_max_ns", "_min_ns", "_at_ns", "_percent", "_per_s",
            "_length_p50", "_length_p99", "_length_max", "_stay_ns", "_stay_at_ns")
NO_SUM = {"avg_ns", "p50_ns", "p99_ns", "p999_ns", "max_ns", "min_ns", "max_at_ns", "runq_max", "runq_p50", "runq_p95", "runq_p99", "runq_avg",
          "runq_longest_ns", "runq_longest_at_ns", "from_ns", "limit_ns", "percent"}

def rows(command, time):
    text = subprocess.run([cdict, *command.split(), "x.cdict", "-q", "--time", time, "--format", "json"],
                          capture_output=True, check=True).stdout
    out = json.loads(text)
    name = command.split()[0]
    sums = {}
    for row in out[name]:
        # the CPU of a task is the last one it was on
        key = tuple((k, row[k]) for k in row if k in KEYS - {"lossy"} - ({"cpu"} if name == "tasks" else set()))
        for k, v in row.items():
            if k in KEYS | NO_SUM or k.endswith(NOT_SUMS) or isinstance(v, (str, bool)):
                continue
            sums[key, k] = sums.get((key, k), 0) + (v or 0)
    return sums, out["window_ns"]

for command in ("tasks -v", "coremap", "switches --bucket 1000", "exits", "vcpu", "latency -v", "successors -t CPU", "count --by event,task",
                "count --by cpu"):
    one, a = rows(command, "544.85,544.9")
    two, b = rows(command, "544.95,545.1")
    both, c = rows(command, "544.85,544.9 544.95,545.1")
    wrong = [f"{key}: {one.get(key, 0)} + {two.get(key, 0)} is not {both.get(key, 0)}"
             for key in sorted({*one, *two, *both}, key=str) if one.get(key, 0) + two.get(key, 0) != both.get(key, 0)]
    if a["length"] + b["length"] != c["length"] or [w["from"] for w in c["windows"]] != [a["from"], b["from"]]:
        wrong.append(f"windows {a} {b} {c}")
    if not any(one.values()) or not any(two.values()):
        wrong.append("nothing happened in a window")
    print("\n".join(wrong[:12]))
    print(("not ok " if wrong else "ok ") + command.replace(" ", "_"), len(both), "figures" if not wrong else "")
END
python3 add.py "$CDICT" | sed -n 's/^ok \([^ ]*\).*/ok several_windows_add_up_in_\1/p;t;p'
