# SPDX-License-Identifier: LGPL-2.1-only
"""Open captures: their tables, SQL and events."""

import ctypes as c
import glob
import html
import os
import re
import shutil
import sqlite3
import subprocess

from . import _library as lib
from ._errors import Error, import_numpy, import_pandas
from ._table import Column, Picture, Table

_loaded = None


def _library():
    global _loaded
    if _loaded is None:
        try:
            _loaded = lib.Library()
        except (OSError, AttributeError) as error:
            raise Error(f"cannot load libcdict: {error}") from error
    return _loaded


def open(path):
    """Open one cdict file (a Capture), or several (Captures): a pattern such as 'runs/*.cdict', or a list of paths.

    A path of an existing file is that file, also if it has characters of a pattern.
    """
    if isinstance(path, (list, tuple)):
        return Captures([Capture(one) for one in path])
    text = os.fspath(path)
    if not os.path.exists(text) and re.search(r"[*?\[]", text):
        found = sorted(glob.glob(text))
        if not found:
            raise Error(f"{text}: no file matches")
        return Captures([Capture(one) for one in found])
    return Capture(text)


def _bitmap(numbers):
    """The bits of @numbers as an array of 64-bit words, and the number of bits."""
    numbers = sorted(set(numbers))
    bits = numbers[-1] + 1 if numbers else 0
    words = (c.c_uint64 * max(1, (bits + 63) // 64))()
    for number in numbers:
        words[number // 64] |= 1 << number % 64
    return words, bits


def _text(raw):
    return None if raw is None else raw.decode(errors="replace")


class Batch:
    """Events of one type of one CPU's block, in time order: NumPy views of libcdict's memory, nothing is copied.

    The views are valid until the loop takes the next batch; copy() one to keep it.

    cpu         number of the CPU
    t_ns        uint64[n]; pid, tid: int32[n] of the task that was running; mode: uint8[n]
    batch[name] a field: uint64[n] or int64[n]; text and arrays as an object array of str or bytes, which is a copy
    """

    def __init__(self, numpy, event, fields, raw):
        self._numpy, self._fields, self._raw = numpy, fields, raw
        self.event, self.cpu = event, raw.cpu
        self.t_ns = self._view(c.c_uint64, raw.t_ns)
        self.pid = self._view(c.c_int32, raw.pid)
        self.tid = self._view(c.c_int32, raw.tid)
        self.mode = self._view(c.c_uint8, raw.mode)

    def __len__(self):
        return self._raw.n

    def _view(self, kind, address):
        view = self._numpy.ctypeslib.as_array((kind * self._raw.n).from_address(address))
        view.flags.writeable = False
        return view

    def keys(self):
        """Names of the fields that were read."""
        return list(self._fields)

    def __getitem__(self, name):
        if name not in self._fields:
            raise KeyError(f"no field '{name}' in {self.event}: {', '.join(self._fields)}")
        at, kind, is_text = self._fields[name]
        if kind == lib.FIELD_INT:
            return self._view(c.c_int64, self._raw.values[at])
        values = self._view(c.c_uint64, self._raw.values[at])
        if kind == lib.FIELD_UINT:
            return values
        content = c.cast(self._raw.bytes, c.POINTER(lib.Bytes))
        out = self._numpy.empty(len(self), dtype=object)
        for i, key in enumerate(values):
            piece = content[int(key)]
            data = c.string_at(piece.data, piece.len) if piece.len else b""
            out[i] = data.decode(errors="replace") if is_text else data
        return out


class Events(dict):
    """All events of one type, in time order: NumPy arrays of shape (n,) by field name, and
    't_ns' uint64 (ns in the recording's clock), 'cpu' uint32, 'mode' uint8, 'sample_pid' and 'sample_tid' int32: the
    task that was running. A field that is called like one of these is 'field.cpu'.

    frame() is a pandas data frame with the same columns.
    """

    def __init__(self, event, arrays):
        super().__init__(arrays)
        self.event = event

    def __repr__(self):
        return f"<{len(self['t_ns'])} events {self.event}: {', '.join(self)}>"

    def frame(self):
        """The arrays as the columns of a pandas data frame."""
        return import_pandas().DataFrame(dict(self))


class Capture:
    """One open cdict file. Use it in a with statement, or close() it.

    path      as opened
    info      dictionary of the capture's metadata (cdict(5), INFO); untrusted text
    events_by_type  number of stored events by the event's name
    window    (first_ns, last_ns), or None without events
    cpus      1 + the highest CPU number
    """

    def __init__(self, path):
        self._reader = None
        self.path = os.fspath(path)
        self._lib = _library()
        reader, err = c.c_void_p(), lib.ErrorText()
        self._check(self._lib.reader_open(c.byref(reader), os.fsencode(self.path), c.byref(err)), err)
        self._reader = reader
        self._cursors = 0
        self._closing = False
        schema = self._lib.reader_schema(reader)
        self._types = {}
        for i in range(self._lib.schema_count(schema)):
            kind = self._lib.schema_at(schema, i).contents
            self._types[_text(kind.name)] = kind
        counts = {name: self._lib.reader_type_events(reader, kind.index) for name, kind in self._types.items()}
        self.events_by_type = {name: n for name, n in counts.items() if n}
        self.info = {}
        for i in range(self._lib.reader_info_count(reader)):
            key, value = c.c_char_p(), c.c_char_p()
            self._lib.reader_info_at(reader, i, c.byref(key), c.byref(value))
            self.info[_text(key.value)] = _text(value.value)
        first, last = c.c_uint64(), c.c_uint64()
        known = self._lib.reader_window(reader, c.byref(first), c.byref(last))
        self.window = (first.value, last.value) if known else None
        self.cpus = self._lib.reader_cpus(reader)

    def _check(self, ret, err):
        if ret < 0:
            raise Error(f"{self.path}: {_text(err.text)}", ret)
        return ret

    def _open(self):
        if not self._reader or self._closing:
            raise Error(f"{self.path}: the capture is closed", -9)
        return self._reader

    def close(self):
        """Close the file. Tables and Events stay valid; the views of a Batch do not."""
        self._closing = True
        if self._reader and not self._cursors:
            self._lib.reader_close(self._reader)
            self._reader = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_reader", None):
            self._cursors = 0
            self.close()

    def __repr__(self):
        return f"<cdict {self.path}: {sum(self.events_by_type.values())} events, {self.cpus} CPUs>"

    def _repr_html_(self):
        rows = [("file", self.path), ("CPUs", self.cpus)]
        if self.window:
            rows.append(("length", f"{(self.window[1] - self.window[0]) / 1e9:.3f} s"))
        rows += sorted(self.events_by_type.items(), key=lambda row: -row[1])
        body = "".join(f"<tr><th>{html.escape(str(a))}</th><td>{html.escape(str(b))}</td></tr>" for a, b in rows)
        return f"<table>{body}</table>"

    def tables(self):
        """Names that table() takes."""
        names = []
        while True:
            name = self._lib.table_name(len(names))
            if name is None:
                return names
            names.append(_text(name))

    def table(self, name, *, from_ns=0, to_ns=0, cpus=None, tids=None, vm=None,
              guest_mode=True, merge_sys_tasks=False, append_tid=False):
        """The table that the command of this name prints, as a Table.

        from_ns, to_ns   window in the recording's clock, ns; both 0: the whole capture
        cpus, tids       numbers: only these CPUs' time, only these tasks
        vm               name, UUID or instance of a VM: only its tasks
        """
        options = lib.TableOptions(
            size=c.sizeof(lib.TableOptions), from_ns=from_ns, to_ns=to_ns, vm=vm.encode() if vm is not None else None,
            no_guest_mode=not guest_mode, merge_sys_tasks=merge_sys_tasks, append_tid=append_tid)
        if cpus is not None:
            words, options.n_cpus = _bitmap(cpus)
            options.cpus = c.cast(words, c.c_void_p)
        if tids is not None:
            numbers = sorted(set(tids))
            array = (c.c_int32 * max(1, len(numbers)))(*numbers)
            options.tids, options.n_tids = c.cast(array, c.c_void_p), len(numbers)
        table, err = c.c_void_p(), lib.ErrorText()
        self._check(self._lib.table_open(
            c.byref(table), self._open(), name.encode(), c.byref(options), c.byref(err)), err)
        try:
            return self._read(table, name)
        finally:
            self._lib.table_close(table)

    def _read(self, table, name):
        units = {lib.TEXT: "text", lib.INTEGER: None, lib.COUNT: "count", lib.NS: "ns"}
        integer, number = c.c_int64(), c.c_double()
        columns, readers = [], []

        def text(row, at):
            return _text(self._lib.table_text(table, row, at))

        def whole(row, at):
            return integer.value if self._lib.table_integer(table, row, at, c.byref(integer)) else None

        def real(row, at):
            return number.value if self._lib.table_number(table, row, at, c.byref(number)) else None

        for at in range(self._lib.table_columns(table)):
            kind = self._lib.table_kind(table, at)
            key, title = _text(self._lib.table_key(table, at)), _text(self._lib.table_title(table, at))
            unit = units[kind] if kind in units else "%" if "percent" in key else None
            columns.append(Column(key, title, unit))
            readers.append(text if kind == lib.TEXT else real if kind == lib.NUMBER else whole)

        def line(row):
            return tuple(read(row, at) for at, read in enumerate(readers))

        n, total = self._lib.table_rows(table), self._lib.table_total(table)
        return Table(name, columns, [line(row) for row in range(n)],
                     line(total) if total != c.c_size_t(-1).value else None,
                     [bool(self._lib.table_lossy(table, row)) for row in range(n)])

    def query(self, sql, parameters=(), *, jobs=0):
        """The rows of an SQL statement over the tables of cdict-query(1), as a Table; @jobs threads, 0: one per CPU."""
        self._open()
        return Captures([self]).query(sql, parameters, jobs=jobs)

    def picture(self, view=None, *options):
        """What `cdict heatmap [--view VIEW] [options] FILE` draws, as a Picture."""
        program = os.environ.get("CDICT") or shutil.which("cdict")
        if not program:
            raise Error("picture() needs the program cdict, which is not installed")
        command = [program, "heatmap", "--format", "svg", "-o", "-", *(["--view", view] if view else []), *options]
        done = subprocess.run([*command, "--", self.path], capture_output=True, check=False)
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise Error(lines[0] if lines else f"cdict ended with status {done.returncode}", done.returncode)
        return Picture(done.stdout.decode())

    def batches(self, event, fields=None, *, from_ns=0, to_ns=0, cpus=None):
        """Iterate over the stored events of one type as Batch, block by block, without copies.

        event   'sched:sched_switch'
        fields  names of the fields that are read; None: all
        """
        numpy = import_numpy()
        self._open()
        if event not in self._types:
            raise Error(f"{self.path}: no {event} events; events_by_type lists the capture's events", -1004)
        kind = self._types[event]
        known = {}
        for at in range(kind.n_fields):
            field = kind.fields[at]
            known[_text(field.name)] = (at, field.kind, field.is_text)
        for name in fields or ():
            if name not in known:
                raise Error(f"{self.path}: no field '{name}' in {event}: {', '.join(known)}", -1004)
        chosen = known if fields is None else {name: known[name] for name in fields}
        return self._batches(numpy, event, kind, chosen, from_ns, to_ns, cpus)

    def _batches(self, numpy, event, kind, chosen, from_ns, to_ns, cpus):
        types, n_types = _bitmap([kind.index])
        wanted, _ = _bitmap([at for at, _, _ in chosen.values()])
        by_type = (c.c_void_p * n_types)()
        room = (c.c_uint64 * max(1, (kind.n_fields + 63) // 64))(*wanted)
        by_type[kind.index] = c.cast(room, c.c_void_p)
        query = lib.Query(
            size=c.sizeof(lib.Query), from_ns=from_ns, to_ns=to_ns, types=c.cast(types, c.c_void_p), n_types=n_types,
            fields=c.cast(by_type, c.POINTER(c.c_void_p)), n_fields=n_types)
        if cpus is not None:
            words, query.n_cpus = _bitmap(cpus)
            query.cpus = c.cast(words, c.c_void_p)
        walk, err = c.c_void_p(), lib.ErrorText()
        self._check(self._lib.columns_open(c.byref(walk), self._open(), c.byref(query), c.byref(err)), err)
        self._cursors += 1
        try:
            while True:
                raw = lib.Batch(size=c.sizeof(lib.Batch))
                if not self._check(self._lib.columns_next(walk, c.byref(raw), c.byref(err)), err):
                    return
                yield Batch(numpy, event, chosen, raw)
        finally:
            self._lib.columns_close(walk)
            self._cursors -= 1
            if self._closing:
                self.close()

    def events(self, event, fields=None, *, from_ns=0, to_ns=0, cpus=None):
        """All events of one type as Events: one array per field, in time order. Arguments as batches()."""
        numpy = import_numpy()
        pieces = {}
        names = None
        for batch in self.batches(event, fields, from_ns=from_ns, to_ns=to_ns, cpus=cpus):
            names = batch.keys()
            arrays = {"t_ns": batch.t_ns, "cpu": numpy.full(len(batch), batch.cpu, dtype=numpy.uint32),
                      "sample_pid": batch.pid, "sample_tid": batch.tid, "mode": batch.mode}
            arrays.update({f"field.{name}" if name in arrays else name: batch[name] for name in names})
            for name, array in arrays.items():
                pieces.setdefault(name, []).append(array.copy())
        if names is None:
            types = {"t_ns": numpy.uint64, "cpu": numpy.uint32, "sample_pid": numpy.int32,
                     "sample_tid": numpy.int32, "mode": numpy.uint8}
            return Events(event, {name: numpy.empty(0, dtype=kind) for name, kind in types.items()})
        order = numpy.argsort(numpy.concatenate(pieces["t_ns"]), kind="stable")
        return Events(event, {name: numpy.concatenate(parts)[order] for name, parts in pieces.items()})


class Captures:
    """Several captures: tables with a column 'run' (the file's name), and SQL over all of them."""

    def __init__(self, captures):
        self.captures = list(captures)

    def __iter__(self):
        return iter(self.captures)

    def __len__(self):
        return len(self.captures)

    def __repr__(self):
        return f"<cdict: {len(self.captures)} captures>"

    def close(self):
        """Close all of them."""
        for capture in self.captures:
            capture.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def table(self, name, **options):
        """The tables of all captures, one after the other; options as Capture.table()."""
        tables = [capture.table(name, **options) for capture in self.captures]
        keys = {}
        for table in tables:
            for column in table.columns:
                keys.setdefault(column.key, column)
        rows, lossy = [], []
        for capture, table in zip(self.captures, tables):
            for row, lost in zip(table, table.lossy):
                rows.append((capture.path, *(row.get(key) for key in keys)))
                lossy.append(lost)
        return Table(name, [Column("run", "run", "text"), *keys.values()], rows, None, lossy)

    def query(self, sql, parameters=(), *, jobs=0, share=None):
        """The rows of an SQL statement over all captures; the column run has the file's name.

        jobs   number of threads, 0: one per CPU
        share  (columns, rows) of a further table of that name, such as partial results
        """
        db = sqlite3.connect(":memory:")
        try:
            self._load(db)
            db.execute("SELECT cdict_jobs(?)", (jobs,)).fetchall()
            if share:
                db.execute(f"CREATE TABLE share ({share[0]})")
                db.executemany(f"INSERT INTO share VALUES ({', '.join('?' * (share[0].count(',') + 1))})", share[1])
            for capture in self.captures:
                capture._open()
                db.execute("SELECT cdict_open(?)", (capture.path,)).fetchall()
            cursor = db.execute(sql, parameters)
            rows = cursor.fetchall()
        except sqlite3.Error as error:
            raise Error(str(error)) from error
        finally:
            db.close()
        columns = []
        for at, column in enumerate(cursor.description or ()):
            kinds = {type(row[at]) for row in rows} - {type(None)}
            key = column[0]
            unit = "text" if kinds <= {str, bytes} and kinds else "ns" if re.search(r"(^|_)(ts|dur|ns)$", key) else None
            columns.append(Column(key, key, unit))
        return Table("query", columns, rows)

    @staticmethod
    def _load(db):
        """Load cdict_sqlite.so: beside the library that $CDICT_LIBRARY names, or where the system has libraries."""
        beside = os.path.join(os.path.dirname(_library().path), "cdict_sqlite.so")
        if not hasattr(db, "enable_load_extension"):
            raise Error("this Python's sqlite3 loads no extensions; Debian's does")
        db.enable_load_extension(True)
        db.load_extension(beside if os.path.dirname(beside) else "cdict_sqlite")
        db.enable_load_extension(False)
