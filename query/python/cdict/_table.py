# SPDX-License-Identifier: LGPL-2.1-only
"""Rows with named columns, and pictures."""

import html
from typing import NamedTuple, Optional

from ._errors import import_numpy, import_pandas

ROWS_SHOWN = 40  # of a table in a notebook


class Column(NamedTuple):
    """A column of a table.

    key    name in CSV, JSON and SQL: 'run_ns'
    title  heading of the printed table: 'run ms'
    unit   'ns', '%', 'count', 'text', or None: a number without a unit, such as a tid
    """

    key: str
    title: str
    unit: Optional[str]


class Table:
    """Rows of one command or statement. An empty cell is None.

    columns    tuple of Column
    rows       list of tuples: str, int, float or None
    total      the total's row as a tuple, or None; not in rows
    lossy      list of bool: lost events may have changed the row; None for a statement's rows
    table[key] the column as a NumPy array of shape (rows,): int64, float64 or object (text);
               a masked array of the same type if cells are empty
    frame()    a pandas data frame: int64 (Int64 if cells are empty), float64 or object
    """

    def __init__(self, name, columns, rows, total=None, lossy=None):
        self.name, self.columns, self.rows, self.total, self.lossy = name, tuple(columns), rows, total, lossy

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        """Each row as a dictionary by key."""
        keys = self.keys()
        return (dict(zip(keys, row)) for row in self.rows)

    def keys(self):
        """Keys of the columns, in order."""
        return [column.key for column in self.columns]

    def _type(self, at):
        """The type of the column's cells: int, float, or str for anything else."""
        kinds = {type(row[at]) for row in self.rows} - {type(None)}
        if not kinds and self.columns[at].unit in ("ns", "count"):
            return int
        if kinds and kinds <= {int}:
            return int
        return float if kinds and kinds <= {int, float} else str

    def _position(self, key):
        keys = self.keys()
        if key not in keys:
            raise KeyError(f"no column '{key}' in {self.name}: {', '.join(keys)}")
        return keys.index(key)

    def __getitem__(self, key):
        numpy = import_numpy()
        at = self._position(key)
        cells = [row[at] for row in self.rows]
        kind = self._type(at)
        if kind is str:
            out = numpy.empty(len(cells), dtype=object)
            out[:] = cells
            return out
        dtype = numpy.int64 if kind is int else numpy.float64
        empty = [cell is None for cell in cells]
        out = numpy.array([0 if cell is None else cell for cell in cells], dtype=dtype)
        return numpy.ma.MaskedArray(out, mask=empty) if any(empty) else out

    def frame(self):
        """The rows as a pandas data frame. attrs['titles'] and attrs['units'] are by key."""
        pandas = import_pandas()
        data = {}
        for at, column in enumerate(self.columns):
            cells = [row[at] for row in self.rows]
            kind = self._type(at)
            if kind is int:
                dtype = "Int64" if None in cells else "int64"
            else:
                dtype = "float64" if kind is float else "object"
            data[column.key] = pandas.Series(cells, dtype=dtype)
        frame = pandas.DataFrame(data)
        frame.attrs["titles"] = {column.key: column.title for column in self.columns}
        frame.attrs["units"] = {column.key: column.unit for column in self.columns}
        return frame

    def __repr__(self):
        return f"<cdict {self.name}: {len(self.rows)} rows, columns {', '.join(self.keys())}>"

    def _repr_html_(self):
        """The table of a notebook: the first rows, times in the unit of the heading, or in ms."""
        scales = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}

        def shown(cell, column):
            if cell is None:
                return ""
            if column.unit == "ns" and isinstance(cell, int):
                return f"{cell / scales.get(column.title.rpartition(' ')[2], 1e6):,.3f}"
            if isinstance(cell, float):
                return f"{cell:.2f}"
            return html.escape(str(cell))

        def line(cells):
            return "<tr>" + "".join(
                f'<td style="text-align:{"left" if column.unit == "text" else "right"}">{shown(cell, column)}</td>'
                for column, cell in zip(self.columns, cells)) + "</tr>"

        def heading(column):
            return column.title + (" ms" if column.unit == "ns" and column.title.rpartition(" ")[2] not in scales else "")

        head = "".join(f'<th title="{html.escape(column.key)}">{html.escape(heading(column))}</th>' for column in self.columns)
        more = len(self.rows) - ROWS_SHOWN
        body = "".join(line(row) for row in self.rows[:ROWS_SHOWN])
        if self.total:
            body += line(self.total)
        note = f"<p>… and {more} more rows</p>" if more > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


class Picture:
    """A picture that the program cdict drew. A notebook shows it; svg is its text."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Write the picture to a file, as SVG."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.svg)
