# SPDX-License-Identifier: LGPL-2.1-only
"""I/O traces of many files, or of many machines: each part is converted and computed where a worker reads it.

    import cdict.dask
    traces = cdict.dask.open('traces/*.pfw.gz')     # on the Dask cluster of the current Client, else on this machine
    traces.sums().frame()                           # by name and category, of all events
    traces.active('file_0')                         # when some event on such a file was active: over all parts
    traces.active_sums('file_0', name='read')       # and what ran meanwhile: over all parts
    traces.percentiles((50, 99)).frame()

Results equal those of one machine over all files, to the nanosecond, whatever the parts and workers: partial results
are integers, unions of intervals and histograms, which add up exactly. A part of a lost worker is computed again.

Units      *_ns, ts and dur are nanoseconds in the traces' clock
Errors     every failure is a cdict.Error
Needs      the program cdict, libcdict and cdict_sqlite.so on each worker, which must see the files under the same names;
           python3-distributed, for a cluster
Threads    a Traces object belongs to one thread at a time
"""

import concurrent.futures
import glob
import os
import struct
import uuid

from . import _parts
from ._errors import Error, import_numpy
from ._parts import Part
from ._table import Column, Table

__all__ = ["Part", "Times", "Traces", "open"]

TOGETHER = 16  # partial results that are merged in one step
NOTEBOOK = "notebook"  # the rule of datacrumbs' notebook: active_sums() in cdict-query(1)


class Times:
    """Times as a set of intervals, ascending and disjoint: a sequence of (begin_ns, end_ns), the end exclusive.

    span      (begin of the first, end of the last), or None without any
    dur_ns    their total length
    array()   a NumPy array of shape (n, 2), int64
    blob      the set as a value of interval_overlaps() and others in SQL
    """

    def __init__(self, blob):
        self.blob = blob

    def __len__(self):
        return (len(self.blob) - 8) // 16

    def __getitem__(self, at):
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError("no such interval")
        return struct.unpack_from("<qq", self.blob, 8 + 16 * (at % len(self)))

    def __repr__(self):
        return f"<{len(self)} intervals, {self.dur_ns} ns>"

    @property
    def span(self):
        return (self[0][0], self[-1][1]) if len(self) else None

    @property
    def dur_ns(self):
        return sum(end - begin for begin, end in struct.iter_unpack("<qq", self.blob[8:]))

    def array(self):
        numpy = import_numpy()
        return numpy.frombuffer(self.blob, dtype="<i8", offset=8).reshape(-1, 2).astype(numpy.int64)


class _Local:
    """This machine: threads, each with its own `cdict convert`."""

    def __init__(self, jobs):
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count())

    def each(self, function, items, *args, at=None):
        del at
        return [self.pool.submit(function, item, *args) for item in items]

    def results(self, futures):
        return [future.result() for future in futures]

    def merged(self, merge, futures):
        return self.pool.submit(lambda: merge(self.results(futures)))

    def held(self, value):
        return value

    def close(self, folder):
        self.pool.shutdown()
        _parts.remove(folder)


class _Cluster:
    """A Dask cluster. Tasks prefer the worker that has the converted part, but every worker can do every part."""

    def __init__(self, client):
        self.client = client

    def each(self, function, items, *args, at=None):
        futures = []
        for i, item in enumerate(items):
            where = {"workers": list(at[i]), "allow_other_workers": True} if at and at[i] else {}
            futures.append(self.client.submit(function, item, *args, pure=False, **where))
        return futures

    def results(self, futures):
        from distributed import KilledWorker
        try:
            return self.client.gather(futures)
        except KilledWorker as error:
            raise Error(f"every worker that computed a part was lost: {error}") from error

    def merged(self, merge, futures):
        while True:
            groups = [futures[i:i + TOGETHER] for i in range(0, len(futures), TOGETHER)]
            futures = [self.client.submit(merge, group, pure=False) for group in groups]
            if len(futures) == 1:
                return futures[0]

    def held(self, value):
        # A task, unlike scattered data, is repeated when the worker that has the value is lost.
        return self.client.submit(_same, value, pure=False)

    def where(self, futures):
        held = self.client.who_has(futures)
        return [held.get(future.key) for future in futures]

    def close(self, folder):
        self.client.run(_parts.remove, folder)


def _parts_of(paths, part_bytes):
    """The parts as given, and the files that are divided into ranges."""
    if isinstance(paths, (str, os.PathLike)) or (isinstance(paths, tuple) and len(paths) == 3 and isinstance(paths[1], int)):
        paths = [paths]
    parts, divided = [], set()
    for one in paths:
        if isinstance(one, tuple):
            parts.append(Part(os.path.abspath(one[0]), *one[1:]))
            continue
        text = os.fspath(one)
        found = [text]
        if os.path.isdir(text):
            found = sorted(glob.glob(os.path.join(glob.escape(text), "*.pfw")) + glob.glob(os.path.join(glob.escape(text), "*.pfw.gz")))
        elif not os.path.exists(text) and glob.has_magic(text):
            found = sorted(glob.glob(text))
        if not found:
            raise Error(f"{text}: no file matches")
        for path in map(os.path.abspath, found):
            try:
                size = os.stat(path).st_size
            except OSError as error:
                raise Error(f"{path}: {error.strerror}") from error
            if part_bytes and size > part_bytes:
                divided.add(path)
                parts += [Part(path, at, min(at + part_bytes, size)) for at in range(0, size, part_bytes)]
            else:
                parts.append(Part(path))
    for part in parts:
        if part.end is not None and not 0 <= part.first < part.end:
            raise Error(f"{part}: no such range")
    if not parts:
        raise Error("no files")
    return parts, divided


def _gaps(parts):
    """Ranges before those given, which may define names that these use."""
    gaps, at = [], {}
    for part in sorted(part for part in parts if part.end is not None):
        begun = at.get(part.path, 0)
        if part.first > begun:
            gaps.append(Part(part.path, begun, part.first))
        at[part.path] = max(begun, part.end)
    return gaps


def _tiles(scans, size):
    """Whether the parts follow each other: bytes that look like the begin of a gzip member may be none."""
    at = 0
    for one in scans:
        if one.empty:
            continue
        if one.part.first != at:
            return False
        at = one.part.end
    return at == size


def open(paths, *, client=None, jobs=None, part_bytes=None):
    """Opens I/O traces as one: Traces.

    paths       a file, a folder of .pfw and .pfw.gz files, or a pattern; a range (path, first, end), see Part; or a list of these
    client      a distributed.Client; None: the current one, if there is one, else threads of this machine
    jobs        how many of these threads; None: one per CPU
    part_bytes  divide larger files into ranges of this size; a gzip file only where its members begin
    """
    if client is None and jobs is None:
        try:
            from distributed import default_client
            client = default_client()
        except (ImportError, ValueError):
            pass
    parts, divided = _parts_of(paths, part_bytes)
    return Traces(_Cluster(client) if client is not None else _Local(jobs), parts, divided)


class Traces:
    """Parts of I/O traces, as one. Use it in a with statement, or close() it, which removes the converted parts.

    parts   the files and ranges that are computed
    notes   what `cdict convert` reported about them, as (part, text): damage, files without events
    """

    def __init__(self, engine, parts, divided):
        self._engine, self._folder = engine, f"cdict-{uuid.uuid4().hex}"
        self._at = None
        try:
            parts = self._scanned(parts, divided)
            self._prepared = self._engine.each(_prepare, parts, self._folder)
            done = self._resolved(self._engine.results(self._prepared))
        except BaseException:
            self.close()
            raise
        if isinstance(engine, _Cluster):
            self._at = engine.where(self._prepared)
        self.parts = [one.part for one in done]
        self.notes = [(one.part, note) for one in done for note in one.notes]

    def _scanned(self, parts, divided):
        """(part, definitions of earlier parts of its file)"""
        whole = [(part, ()) for part in parts if part.end is None]
        ranges = [part for part in parts if part.end is not None]
        if not ranges:
            return whole
        futures = self._engine.each(_parts.scan, ranges + _gaps(ranges))
        scans = sorted(self._engine.results(futures), key=lambda one: one.part[:2])
        by_path = {}
        for one in scans:
            by_path.setdefault(one.part.path, []).append(one)
        gaps = set(_gaps(ranges))
        for path, of_path in by_path.items():
            if path in divided and not _tiles(of_path, os.stat(path).st_size):
                whole.append((Part(path), ()))
                continue
            known = ()
            for one in of_path:
                if not one.empty and not any(gap.path == path and gap.first <= one.part.first < gap.end for gap in gaps):
                    whole.append((one.part, known))
                known += one.definitions
        return whole

    def _resolved(self, done):
        """Names hashes by the definitions of all parts: a trace may have been divided into files."""
        if not any(one.unnamed for one in done):
            return done
        shares = self._engine.each(_share, self._prepared, "definitions")
        known = self._engine.merged(_parts.merge_definitions, shares)
        self._prepared = self._engine.each(_share, self._prepared, "resolve", known)
        return self._engine.results(self._prepared)

    def close(self):
        """Remove the converted parts."""
        engine, self._engine = self._engine, None
        if engine:
            self._prepared = []
            engine.close(self._folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<cdict: {len(self.parts)} parts of I/O traces>"

    def _merged(self, merge, what, *args):
        """A future of the merged shares."""
        return self._open().merged(merge, self._engine.each(_share, self._prepared, what, *args, at=self._at))

    def _open(self):
        if not self._engine:
            raise Error("the traces are closed", -9)
        return self._engine

    def _active(self, file, name, rule):
        return self._merged(_parts.merge_times, "times", file, name, rule)

    def active(self, file, name=None, *, rule=None):
        """When events (only those called @name) on files whose names contain @file were active, in any part: Times."""
        return Times(self._open().results([self._active(file, name, rule)])[0])

    def _rows(self, file, name, rule, margin_ns, histograms):
        # Two passes over all parts: first when they were active, then what ran meanwhile.
        active = file
        if isinstance(file, Times):
            active = self._open().held(file.blob)
        elif file is not None:
            active = self._active(file, name, rule)
        merged = self._merged(_parts.merge_sums, "sums", active, rule, margin_ns, histograms)
        return self._engine.results([merged])[0]

    def sums(self):
        """By name and category: number and total duration of all events, the longest first, as a Table."""
        return self._table(self._rows(None, None, None, None, False))

    def active_sums(self, file, name=None, *, rule=None, margin_ns=None):
        """The same of the events that overlap active(file, name), in all parts; @file may also be Times.

        rule  None: each such event counts, also if it reaches over an end of the active times' span.
              NOTEBOOK: only events within the span, which margin_ns widens, as in datacrumbs' notebook
        """
        return self._table(self._rows(file, name, rule, margin_ns, False))

    def percentiles(self, percents=(50, 90, 99), file=None, name=None, *, rule=None, margin_ns=None):
        """Percentiles of the durations by name and category, of all events or of those of active_sums(file, ...).

        They differ from the exact ones by at most 1/128.
        """
        rows = self._rows(file, name, rule, margin_ns, True)
        table = self._table(rows)
        columns = [*table.columns, *(Column(f"p{percent:g}_ns", f"p{percent:g} ms", "ns") for percent in percents)]
        more = _parts.percentiles_of(rows, percents) if percents else [()] * len(rows)
        return Table("percentiles", columns, [(*row, *cells) for row, cells in zip(table.rows, more)])

    @staticmethod
    def _table(rows):
        columns = [Column("name", "name", "text"), Column("category", "category", "text"),
                   Column("count", "count", "count"), Column("dur", "dur ms", "ns")]
        return Table("sums", columns, [tuple(row[:4]) for row in rows])


def _prepare(part, folder):
    return _parts.prepare(*part, folder)


def _share(prepared, what, *args):
    # Dask replaces its own futures by their results.
    of_thread = concurrent.futures.Future
    prepared, *args = (arg.result() if isinstance(arg, of_thread) else arg for arg in (prepared, *args))
    return getattr(_parts, what)(prepared, *args)


def _same(value):
    return value
