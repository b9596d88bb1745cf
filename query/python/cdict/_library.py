# SPDX-License-Identifier: LGPL-2.1-only
"""libcdict's functions and structures, as include/cdict declares them."""

import ctypes as c
import os

P, S = c.c_void_p, c.c_size_t

# include/cdict/schema.h, enum cdict_field_kind
FIELD_UINT, FIELD_INT = 0, 1
# include/cdict/table.h, enum cdict_table_kind
TEXT, INTEGER, COUNT, NS, NUMBER = range(5)


class ErrorText(c.Structure):
    """struct cdict_error"""

    _fields_ = [("code", c.c_int), ("offset", c.c_uint64), ("text", c.c_char * 480)]


class TableOptions(c.Structure):
    """struct cdict_table_options"""

    _fields_ = [
        ("size", S), ("from_ns", c.c_uint64), ("to_ns", c.c_uint64),
        ("cpus", P), ("n_cpus", S), ("tids", P), ("n_tids", S), ("vm", c.c_char_p),
        ("no_guest_mode", c.c_bool), ("merge_sys_tasks", c.c_bool), ("append_tid", c.c_bool)]


class Query(c.Structure):
    """struct cdict_query"""

    _fields_ = [
        ("size", S), ("from_ns", c.c_uint64), ("to_ns", c.c_uint64),
        ("cpus", P), ("n_cpus", S), ("types", P), ("n_types", S), ("fields", c.POINTER(P)), ("n_fields", S),
        ("jobs", c.c_uint), ("lead", P), ("lead_ctx", P)]


class Batch(c.Structure):
    """struct cdict_batch"""

    _fields_ = [
        ("size", S), ("type", P), ("block", S), ("cpu", c.c_uint32), ("n", S),
        ("t_ns", P), ("pid", P), ("tid", P), ("mode", P), ("at", P), ("values", c.POINTER(P)), ("bytes", P)]


class FieldModel(c.Structure):
    """struct cdict_field_model"""

    _fields_ = [(name, c.c_uint8) for name in ("kind", "cell", "who", "arg")]


class Field(c.Structure):
    """struct cdict_field"""

    _fields_ = [
        ("name", c.c_char_p), ("offset", c.c_uint32), ("size", c.c_uint32), ("kind", c.c_int),
        ("is_text", c.c_bool), ("model", FieldModel)]


class EventType(c.Structure):
    """struct cdict_event_type"""

    _fields_ = [
        ("index", c.c_uint32), ("tracepoint", c.c_uint32), ("name", c.c_char_p), ("system", c.c_char_p),
        ("event", c.c_char_p), ("format", c.c_char_p), ("format_len", S), ("fields", c.POINTER(Field)),
        ("n_fields", S), ("payload_size", c.c_uint32)]


class Bytes(c.Structure):
    """struct cdict_bytes"""

    _fields_ = [("data", P), ("len", S)]


FUNCTIONS = {
    "reader_open": (c.c_int, [P, c.c_char_p, P]),
    "reader_close": (None, [P]),
    "reader_schema": (P, [P]),
    "reader_info_count": (S, [P]),
    "reader_info_at": (None, [P, S, P, P]),
    "reader_type_events": (c.c_uint64, [P, S]),
    "reader_window": (c.c_bool, [P, P, P]),
    "reader_cpus": (c.c_uint32, [P]),
    "schema_count": (S, [P]),
    "schema_at": (c.POINTER(EventType), [P, S]),
    "columns_open": (c.c_int, [P, P, P, P]),
    "columns_next": (c.c_int, [P, P, P]),
    "columns_close": (None, [P]),
    "table_name": (c.c_char_p, [S]),
    "table_open": (c.c_int, [P, P, c.c_char_p, P, P]),
    "table_close": (None, [P]),
    "table_columns": (S, [P]),
    "table_rows": (S, [P]),
    "table_total": (S, [P]),
    "table_key": (c.c_char_p, [P, S]),
    "table_title": (c.c_char_p, [P, S]),
    "table_kind": (c.c_int, [P, S]),
    "table_text": (c.c_char_p, [P, S, S]),
    "table_integer": (c.c_bool, [P, S, S, P]),
    "table_number": (c.c_bool, [P, S, S, P]),
    "table_lossy": (c.c_bool, [P, S]),
}


class Library:
    """The functions above as attributes, without their prefix. $CDICT_LIBRARY names another file."""

    def __init__(self):
        self.path = os.environ.get("CDICT_LIBRARY") or "libcdict.so.0"
        library = c.CDLL(self.path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, "cdict_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
