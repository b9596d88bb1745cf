# SPDX-License-Identifier: LGPL-2.1-only
"""Parts of I/O traces: which lines belong to a part, its conversion, and its share of a result.

Shares add up exactly, in any order and grouping: sums, unions of intervals, histograms. All functions here run on
workers, and nothing is kept between them but the converted parts in the worker's folder.
"""

import hashlib
import mmap
import os
import re
import shutil
import subprocess
import tempfile
import threading
import zlib
from typing import NamedTuple, Optional, Tuple

from ._capture import Capture, Captures
from ._errors import Error

READ = 1 << 20
MEMBER = re.compile(rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]", re.DOTALL)
# Definitions of names: only these lines matter to other parts of the file.
DEFINITION = re.compile(rb'[^\n]*"ph"[ \t]*:[ \t]*"M"[^\n]*\n')
# Makes any text that follows an I/O trace for `cdict convert`, whatever its first line is.
HEAD = b'[\n\n\n\n\n\n\n\n{"name":"HH","cat":"cdict","ph":"M","args":{"name":"cdict.dask","value":"cdict.dask"}}\n'


class Part(NamedTuple):
    """A file, or the lines of it that begin in the bytes after first up to end; from 0 on, also the first line.

    Of a gzip file, the bytes are those of the compressed file, and the lines those that begin in the gzip members which
    begin at first or later and before end.
    """

    path: str
    first: int = 0
    end: Optional[int] = None  # the whole file

    def __str__(self):
        return self.path if self.end is None else f"{self.path} (bytes {self.first} to {self.end})"


class Scan(NamedTuple):
    """What other parts need of a part: where it begins and ends, and the definitions in its lines."""

    part: Part
    definitions: Tuple[bytes, ...]
    empty: bool  # of gzip: no member begins there


class Prepared(NamedTuple):
    """A converted part; another worker converts it again when it needs it."""

    part: Part
    definitions: Tuple[bytes, ...]  # of other parts, for its hashes
    folder: str
    notes: Tuple[str, ...] = ()  # what `cdict convert` reported
    unnamed: int = 0  # events with a hash that no definition names


# ---- the lines of a part ----


def _is_gzip(path):
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _plain(part):
    """Chunks of text from the part's first byte on, each with the position of its end."""
    with open(part.path, "rb") as file:
        file.seek(part.first)
        at = part.first
        while True:
            chunk = file.read(READ if at >= part.end else min(READ, part.end - at))
            if not chunk:
                return
            at += len(chunk)
            yield chunk, at > part.end


def _members(part):
    """The same of gzip members; part.first is where one begins."""
    with open(part.path, "rb") as file:
        file.seek(part.first)
        at, data = part.first, b""
        while True:
            inflate, beyond = zlib.decompressobj(31), at >= part.end
            while not inflate.eof:
                data = data or file.read(READ)
                if not data:
                    return
                text = inflate.decompress(data)
                at += len(data) - len(inflate.unused_data)
                data = inflate.unused_data
                if text:
                    yield text, beyond
            data = data or file.read(READ)
            if not data:
                return


def lines_of(part):
    """The text of the part's lines, in chunks."""
    skipping, ends = part.first > 0, False
    for chunk, beyond in _members(part) if _is_gzip(part.path) else _plain(part):
        if skipping and beyond:
            return
        if skipping:
            cut = chunk.find(b"\n")
            skipping = cut < 0
            chunk = b"" if cut < 0 else chunk[cut + 1:]
        if beyond:
            cut = chunk.find(b"\n")
            ends = cut >= 0
            chunk = chunk[:cut + 1] if ends else chunk
        if chunk:
            yield chunk
        if ends:
            return


def _aligned(part):
    """The part with positions of gzip members; None: none begins in it."""
    if not _is_gzip(part.path):
        return part
    with open(part.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for found in MEMBER.finditer(data, part.first, min(len(data), part.end + 9)):
            first = at = found.start()
            if first >= part.end:
                return None
            while at < part.end:
                inflate = zlib.decompressobj(31)
                try:
                    while not inflate.eof and at < len(data):
                        chunk = data[at:at + READ]
                        inflate.decompress(chunk)
                        at += len(chunk) - len(inflate.unused_data)
                except zlib.error:
                    at = -1
                if at < 0 or at >= len(data) or not inflate.eof:
                    break
            if at > 0:
                return Part(part.path, first, at)
    return None


def scan(part):
    """Finds the part's place and its definitions; a whole file needs neither."""
    if part.end is None:
        return Scan(part, (), False)
    try:
        aligned = _aligned(part)
        if not aligned:
            return Scan(part, (), True)
        found = _definitions(aligned)
    except (OSError, ValueError, zlib.error) as error:
        raise Error(f"{part}: {error}") from error
    return Scan(aligned, found, False)


def _whole(part):
    """The part with an end."""
    return part if part.end is not None else part._replace(end=os.stat(part.path).st_size)


def _definitions(part):
    found, rest = {}, b""
    for chunk in lines_of(part):
        text = rest + chunk
        cut = text.rfind(b"\n") + 1
        if b'"M"' in text:
            found.update(dict.fromkeys(DEFINITION.findall(text, 0, cut)))
        rest = text[cut:]
    if b'"M"' in rest:
        found.update(dict.fromkeys(DEFINITION.findall(rest + b"\n")))
    return tuple(found)


def definitions(prepared):
    """All definitions in the part's lines, as far as it can be read."""
    try:
        return _definitions(_whole(prepared.part))
    except (OSError, zlib.error):
        return ()


def merge_definitions(shares):
    return tuple(dict.fromkeys(line for share in shares for line in share))


# ---- conversion ----


def _program():
    program = os.environ.get("CDICT") or shutil.which("cdict")
    if not program:
        raise Error("converting I/O traces needs the program cdict, which is not installed")
    return program


def folder_of(session):
    """The session's folder: of the Dask worker that calls, else of this machine."""
    base = tempfile.gettempdir()
    try:
        from distributed import get_worker
        base = get_worker().local_directory
    except (ImportError, ValueError):
        pass
    folder = os.path.join(base, session)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def _feed(pipe, prepared, failures):
    try:
        with pipe:
            if prepared.part.first:
                pipe.write(HEAD)
            for line in prepared.definitions:
                pipe.write(line)
            for chunk in lines_of(_whole(prepared.part)):
                pipe.write(chunk)
    except BrokenPipeError:
        pass  # the program has ended, and reports why
    except (OSError, zlib.error) as error:
        failures.append(error)


def _convert(prepared, target):
    """Writes the part as a cdict file to @target; returns the program's warnings."""
    part = prepared.part
    command = [_program(), "convert", "-j1", "-o", target]
    failures = []
    if part.end is None and not prepared.definitions:
        done = subprocess.run([*command, "--", part.path], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        status, text = done.returncode, done.stderr
    else:
        with subprocess.Popen([*command, "-i", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            feeder = threading.Thread(target=_feed, args=(run.stdin, prepared, failures))
            feeder.start()
            text = run.stderr.read()
            feeder.join()
        status = run.returncode
    if failures:
        raise Error(f"{part}: {failures[0]}")
    said = [line.partition("cdict convert: ")[2] for line in text.decode(errors="replace").splitlines()
            if line.startswith("cdict convert: ")]
    for source in ("-: ", part.path + ": "):
        said = [line[len(source):] if line.startswith(source) else line for line in said]
    if status not in (0, 2) or not os.path.exists(target):
        raise Error(f"{part}: {said[-1] if said else f'cdict convert ended with status {status}'}", status)
    return tuple(said)


def _capture(prepared):
    """The converted part: it is converted if this worker does not have it. Returns its path and notes."""
    part = prepared.part
    folder = folder_of(prepared.folder)
    state = os.stat(part.path)
    name = hashlib.sha256(repr((part, state.st_size, state.st_mtime_ns)).encode())
    for line in prepared.definitions:
        name.update(line)
    path = os.path.join(folder, name.hexdigest()[:32] + ".cdict")
    if os.path.exists(path):
        return path, prepared.notes
    # A part appears whole or not at all, also if a worker is killed or two convert the same.
    handle, temporary = tempfile.mkstemp(suffix=".part", dir=folder)
    os.close(handle)
    os.unlink(temporary)
    try:
        notes = _convert(prepared, temporary)
        os.rename(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return path, notes


def prepare(part, known, folder):
    """Converts the part on this worker."""
    prepared = Prepared(part, known, folder)
    try:
        path, notes = _capture(prepared)
    except OSError as error:
        raise Error(f"{part}: {error.strerror or error}") from error
    with Capture(path) as capture:
        unnamed = int(capture.info.get("input.unnamed_hashes", 0))
    return prepared._replace(notes=notes, unnamed=unnamed)


def resolve(prepared, known):
    """Converts the part again if it has hashes without a name and other parts have definitions."""
    if not prepared.unnamed or not known:
        return prepared
    try:
        again = prepare(prepared.part, known, prepared.folder)
    except Error as error:
        return prepared._replace(notes=(*prepared.notes, f"hashes have no names: {error}"))
    return again._replace(notes=prepared.notes)  # with the line numbers of the part itself


def remove(folder):
    """Removes the converted parts of this worker."""
    shutil.rmtree(folder_of(folder), ignore_errors=True)


# ---- shares of a result ----


def _query(prepared, sql, parameters):
    path, _ = _capture(prepared)
    with Capture(path) as capture:
        return capture.query(sql, parameters, jobs=1).rows


def times(prepared, file, name, rule):
    """The union of the part's events on files with such names, as a set of intervals."""
    return _query(prepared, "SELECT interval_union(ts, dur) FROM active_intervals(?, ?, ?)", (file, name, rule))[0][0]


def sums(prepared, active, rule, margin_ns, histograms):
    """(name, category, count, ns, histogram) of the part's events, or of those that overlap the set @active."""
    durations = "durations" if histograms else "NULL"
    if active is None:
        return _query(prepared, f"SELECT name, category, count, dur, {durations} FROM slice_sums", ())
    return _query(prepared, f"SELECT name, category, count, dur, {durations} FROM active_sums(?, NULL, ?, ?)",
                  (active, rule, margin_ns))


def merge_times(shares):
    """The union of sets."""
    return Captures([]).query("SELECT interval_union(set_) FROM share", share=("set_", [(share,) for share in shares])).rows[0][0]


def merge_sums(shares):
    """The sums of rows as sums() returns them, the longest first."""
    rows = [row for share in shares for row in share]
    return Captures([]).query(
        "SELECT name, category, sum(count), sum(dur) AS dur, histogram(durations) FROM share "
        "GROUP BY name, category ORDER BY dur DESC, name, category",
        share=("name, category, count, dur, durations", rows)).rows


def percentiles_of(rows, percents):
    """For each of the rows of sums(), its percentiles."""
    columns = ", ".join("histogram_percentile(durations, ?)" for _ in percents)
    return Captures([]).query(f"SELECT {columns} FROM share ORDER BY rowid", tuple(percents),
                              share=("durations", [(row[4],) for row in rows])).rows
