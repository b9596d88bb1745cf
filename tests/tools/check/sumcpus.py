#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that the tables of the single CPUs (--cpu) add up to those of all CPUs.

  sumcpus.py CDICT FILE
"""
import collections
import json
import subprocess
import sys

TABLES = {
    "exits": {
        "exits": (["tid", "reason_code"], ["count", "cpu_ns", "time_ns", "unpaired"]),
        "guest": (["tid"], ["entries", "guest_ns"]),
    },
    "vcpu": {
        "vcpu": (["tid"], ["delayed_ns", "guest_ns", "exit_ns", "qemu_ns", "preempted_ns", "waiting_ns", "halted_ns",
                           "blocked_ns", "preemptions", "waits", "halts", "blocks"]),
        "reasons": (["tid", "reason_code"], ["exit_ns", "qemu_ns"]),
    },
    "tasks": {"tasks": (["tid"], ["run_ns", "switches", "wakeups"])},
}


def table(cdict, command, path, *options):
    """Also of a capture that lost much or has no such events: the command prints the existing rows, and ends with 2."""
    done = subprocess.run([cdict, command, "--json", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 2) or not done.stdout:
        sys.exit(f"{command}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def sums(keys, columns, *tables):
    out = collections.Counter()
    for table in tables:
        for row in table:
            for column in columns:
                out[(*(row[key] for key in keys), column)] += row[column] or 0
    return +out


def main():
    cdict, path = sys.argv[1:]
    for command, tables in TABLES.items():
        whole = table(cdict, command, path)
        each = [table(cdict, command, path, "--cpu", str(cpu)) for cpu in range(whole["capture"]["cpus"])]
        for name, (keys, columns) in tables.items():
            of_all = sums(keys, columns, whole[name])
            of_each = sums(keys, columns, *(one[name] for one in each))
            for key in sorted(of_all.keys() | of_each.keys(), key=str):
                if of_all[key] != of_each[key]:
                    print(f"{name} {key}: {of_all[key]} of all CPUs, {of_each[key]} of each alone")


main()
