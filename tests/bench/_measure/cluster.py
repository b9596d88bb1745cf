#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Costs of cdict.dask: cluster.py WORKERS FILE... prints wall seconds of opening (conversion) and of active_sums(), CPU seconds
and the memory of each worker, and a checksum of the results."""
import hashlib
import os
import resource
import sys
import time

import cdict.dask
from distributed import Client, LocalCluster


def used():
    """This process's largest memory and that of its largest child, in MB, and the CPU seconds of both."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return (own.ru_maxrss / 1024, children.ru_maxrss / 1024,
            own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime)


def main():
    workers, files = int(sys.argv[1]), sys.argv[2:]
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as local, Client(local) as client:
        client.wait_for_workers(workers)
        before = client.run(used)
        begun = time.monotonic()
        with cdict.dask.open(files, client=client) as traces:
            opened = time.monotonic()
            rows = traces.active_sums("file_0").rows + [tuple(row) for row in traces.active("file_0")[:]]
            done = time.monotonic()
            lines = sum(row[2] for row in traces.sums().rows)
            after = client.run(used)
    print(f"workers {workers}  files {len(files)}  events {lines}  open {opened - begun:.2f} s  active_sums {done - opened:.2f} s  "
          f"wall {done - begun:.2f} s  CPU {sum(after[w][2] - before[w][2] for w in after):.2f} s  "
          f"results {hashlib.sha256(repr(rows).encode()).hexdigest()[:16]}")
    for worker in after:
        print(f"  worker {after[worker][0]:.0f} MB, its cdict convert {after[worker][1]:.0f} MB")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.path.join(os.path.dirname(__file__), "../../../query/python"))
    main()
