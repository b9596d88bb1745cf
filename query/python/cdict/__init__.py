# SPDX-License-Identifier: LGPL-2.1-only
"""Read cdict files: tables, SQL and events as NumPy arrays and pandas data frames.

    import cdict
    run = cdict.open('run.cdict')
    run.table('tasks').frame()                   # what `cdict tasks` prints
    run.query('SELECT cpu, sum(dur) FROM sched_slice GROUP BY cpu').frame()
    run.events('sched:sched_switch')['next_pid'] # a NumPy array

Units      *_ns, ts and dur are nanoseconds in the recording's clock; Column.unit has each column's unit
Errors     every failure is a cdict.Error with the sentence that the command prints
Needs      libcdict.so.0; query() also cdict_sqlite.so, picture() the program cdict; NumPy for events()
           and table()['key'], pandas for frame()
Clusters   cdict.dask: I/O traces of many files or machines
Threads    an open capture belongs to one thread at a time
"""

from ._capture import Batch, Capture, Captures, Events, open
from ._errors import Error
from ._table import Column, Picture, Table

__all__ = ["Batch", "Capture", "Captures", "Column", "Error", "Events", "Picture", "Table", "open"]
