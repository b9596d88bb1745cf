#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cdict.dask against one machine over all files: cluster.py TEST... prints 'TEST: difference' for each that there is.

In the current folder: a.pfw.gz (one member), b.pfw.gz (several), c.pfw, d.pfw.gz, all.cdict of all four, and kill-once, a
program in place of cdict that kills the worker which starts it, once.
"""
import os
import signal
import sys
import time

import cdict
import cdict.dask

FILES = ["a.pfw.gz", "b.pfw.gz", "c.pfw", "d.pfw.gz"]


def wanted():
    """The same results by statements over one capture of all files."""
    with cdict.open("all.cdict") as run:
        def rows(sql, *parameters):
            return [tuple(row) for row in run.query(sql, parameters).rows]

        order = "ORDER BY dur DESC, name, category"
        return {
            "union": [(ts, ts + dur) for ts, dur in rows("SELECT i.ts, i.dur FROM intervals((SELECT interval_union(ts, dur) FROM slice "
                                                          "WHERE instr(fname, 'file_0'))) i ORDER BY i.ts")],
            "sums": rows(f"SELECT name, category, count(*), sum(dur) AS dur FROM slice GROUP BY 1, 2 {order}"),
            "active": rows("WITH a AS MATERIALIZED (SELECT interval_union(ts, dur) AS s FROM slice WHERE instr(fname, 'file_0')) "
                           "SELECT name, category, count(*), sum(dur) AS dur FROM slice, a WHERE dur > 0 AND interval_overlaps(s, ts, dur) "
                           f"GROUP BY 1, 2 {order}"),
            "notebook": rows(f"SELECT name, category, count, dur FROM active_sums('file_0', 'write', 'notebook') {order}"),
            "percentiles": rows("SELECT name, category, count(*), sum(dur) AS dur, histogram_percentile(histogram(dur), 50), "
                                f"histogram_percentile(histogram(dur), 99) FROM slice GROUP BY 1, 2 {order}"),
        }


def results(traces):
    return {
        "union": traces.active("file_0")[:],
        "sums": traces.sums().rows,
        "active": traces.active_sums("file_0").rows,
        "notebook": traces.active_sums("file_0", "write", rule="notebook").rows,
        "percentiles": traces.percentiles((50, 99)).rows,
    }


def compare(test, have, want):
    for what, rows in want.items():
        if not rows:
            print(f"{test}: {what}: one machine has no rows")
        if have[what] != rows:
            print(f"{test}: {what}: {have[what][:3]}, one machine has {rows[:3]}")


def here(test, want):
    with cdict.dask.open(FILES, jobs=2) as traces:
        compare(test, results(traces), want)
        if [part.path for part in traces.parts] != [os.path.abspath(one) for one in FILES]:
            print(f"{test}: other parts: {traces.parts}")
        with cdict.dask.open(os.getcwd() + "/folder", jobs=1) as folder:
            if folder.sums().rows != traces.sums().rows:
                print(f"{test}: a folder has other sums")
        if len(traces.notes) != 4 or "cannot be read" not in traces.notes[0][1]:
            print(f"{test}: notes: {traces.notes}")


def ranges(test, want):
    with cdict.dask.open("?.pfw*", jobs=2, part_bytes=20000) as traces:
        compare(test, results(traces), want)
        several = {part.path for part in traces.parts if part.first}
        if several != {os.path.abspath("b.pfw.gz"), os.path.abspath("c.pfw")}:
            print(f"{test}: divided are {several}")
    # explicit ones, of which the second uses names that only the first defines
    size = os.stat("c.pfw").st_size
    for cut in 1, size // 3, size - 1:
        given = [one for one in FILES if one != "c.pfw"] + [("c.pfw", cut, size), ("c.pfw", 0, cut)]
        with cdict.dask.open(given, jobs=2) as traces:
            compare(f"{test} at {cut}", results(traces), want)
    with cdict.dask.open(("c.pfw", size // 2, size), jobs=1) as traces, cdict.dask.open("c.pfw", jobs=1) as whole:
        half, all_of_it = (sum(row[2] for row in one.sums().rows) for one in (traces, whole))
        if not 0.4 * all_of_it < half < 0.6 * all_of_it:
            print(f"{test}: half of the bytes have {half} of {all_of_it} events")


def definitions(test, _):
    """A trace that was divided into files: only the first defines names; and definitions that follow their use."""
    want = {"active": [tuple(row) for row in cdict.open("split.cdict").query(
        "SELECT name, category, count, dur FROM active_sums('file_0') ORDER BY dur DESC, name, category").rows]}
    with cdict.dask.open("split-*.pfw", jobs=2) as traces:
        compare(test, {"active": traces.active_sums("file_0").rows}, want)
        if any("have no names" in note for _, note in traces.notes):
            print(f"{test}: {traces.notes}")
    with cdict.dask.open(["late.pfw.gz"], jobs=2) as traces:
        compare(f"{test} that are late", {"active": traces.active_sums("file_0").rows}, want)


def errors(test, _):
    for paths, said in (("nothing*.pfw", "nothing*.pfw: no file matches"), (["not.there"], "not.there: No such file"), ([], "no files"),
                        ("t.txt", "t.txt: "), (("c.pfw", 5, 5), "no such range")):
        try:
            cdict.dask.open(paths, jobs=1)
            print(f"{test}: {paths} is opened")
        except cdict.Error as error:
            if said not in str(error) or "\n" in str(error):
                print(f"{test}: {paths}: {error}")
    with cdict.dask.open("c.pfw", jobs=1) as traces:
        pass
    try:
        traces.sums()
        print(f"{test}: a closed one has sums")
    except cdict.Error:
        pass


def cluster(test, want):
    from distributed import Client, LocalCluster

    real = os.environ["CDICT"]
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    # the worker that starts this is killed while it converts
    os.environ["CDICT"] = os.path.abspath("kill-once")
    os.environ["REAL_CDICT"] = real
    with LocalCluster(**options) as local, Client(local) as client:
        before = set(client.run(os.getpid).values())
        with cdict.dask.open(FILES) as traces:
            compare(test, results(traces), want)
            after = set(client.run(os.getpid).values())
            if len(before) != 2 or len(before & after) != 1 or not os.path.exists("killed"):
                print(f"{test}: no worker was lost: {before}, then {after}")
            # and one that has converted parts, between the passes
            os.kill(min(after), signal.SIGKILL)
            compare(f"{test} again", results(traces), want)
            folders = client.run(lambda folder: os.path.exists(cdict._parts.folder_of(folder)), traces._folder)
        with cdict.dask.open(["c.pfw"], client=client, part_bytes=50000) as traces, cdict.dask.open("c.pfw", jobs=1) as one:
            compare(f"{test} ranges", results(traces), results(one))
        if not all(folders.values()):
            print(f"{test}: no folders: {folders}")
    os.environ["CDICT"] = real


if __name__ == "__main__":
    expected = wanted()
    for name in sys.argv[1:]:
        begun = time.monotonic()
        globals()[name](name, expected)
        print(f"{name} took {time.monotonic() - begun:.1f} s", file=sys.stderr)
