# SPDX-License-Identifier: GPL-2.0-only
"""openmetrics.py TEXT JSON - reports faults of a table as OpenMetrics, by independent parsers.

Parses TEXT with python3-prometheus-client, which is strict about OpenMetrics 1.0; then by the rules of node_exporter's
textfile collector, which reads an older form of the text: no timestamps, only its own types, no duplicate series.
Each value must equal the one of the same row and key in JSON, and each figure in JSON must be present.
"""
import json
import math
import re
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as classic_families

SCALES = {"seconds": 1e-9, "ratio": 0.01, "bytes": 1, None: 1}


def key_of(metric, command, table):
    """The column's key: the name without what stands before, and the unit as keys have it."""
    counts = (("events", "count"),) if command in ("exits", "latency", "successors") and table != "hosts" else ()
    for end, key in (("_seconds", "_ns"), ("_ratio", "_percent"), ("_per_second", "_per_s"), *counts):
        if metric.endswith(end):
            return metric[: -len(end)] + key
    return {"seconds": "ns", "ratio": "percent"}.get(metric, metric)


def collector(lines, bad):
    """What textfile's parser refuses."""
    types, series = {}, set()
    for n, line in enumerate(lines, 1):
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            if kind not in ("counter", "gauge", "summary", "histogram", "untyped"):
                bad.append(f"line {n}: type {kind}")
            if name in types:
                bad.append(f"line {n}: {name} has a type twice")
            types[name] = kind
        elif not line.startswith("#"):
            m = re.fullmatch(r'([a-z_][a-z0-9_]*)(\{(?:[^"\\]|"(?:[^"\\]|\\[\\"n])*")*\})? (\S+)', line)
            if not m:
                bad.append(f"line {n}: not a sample without a time: {line}")
                continue
            if m.group(1, 2) in series:
                bad.append(f"line {n}: a series twice: {line}")
            series.add(m.group(1, 2))


def as_classic(text, families, bad):
    """The parser of the older text format reads the same families, each with a type and a sentence."""
    old = {f.name: f for f in classic_families(text)}
    for f in families:
        same = old.pop(f.name, None)
        if same is None or same.type != "gauge" or f.type != "gauge":
            bad.append(f"{f.name}: {f.type}, as classic text {same and same.type}")
        elif [s[:3] for s in same.samples] != [s[:3] for s in f.samples]:
            bad.append(f"{f.name}: other samples as classic text")
        if not re.fullmatch(r"(All rows together: )?[A-Z0-9v].* .*\.", f.documentation) or "Column " in f.documentation:
            bad.append(f"{f.name}: HELP is {f.documentation!r}")
    bad.extend(f"{name}: only as classic text" for name in old)


def text_of(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def columns_before_figures(rows, families, prefix):
    """The labels of the families of a table."""
    labels = set()
    for f in families:
        if f.name.startswith(prefix) and not f.name.startswith(prefix + "all_"):
            for s in f.samples:
                if s.name != prefix + "info":
                    labels |= set(s.labels)
    return labels - {"duplicate"}


def rows_agree(doc, command, families, bad):
    by_name = {f.name: f for f in families}
    used = set()
    tables = [k for k, v in doc.items() if isinstance(v, list) and k not in ("captures", "not_recorded")]
    compared = 0
    for i, table in enumerate(tables):
        prefix = f"cdict_{command}_" + ("" if table == command else table + "_")
        others = tuple(p for p in [f"cdict_{command}_{t}_" for t in tables if t != command] + [f"cdict_{command}_capture_"]
                       if len(p) > len(prefix))
        mine = [f for f in families if f.name.startswith(prefix) and not f.name.startswith(others)]
        labels = columns_before_figures(doc[table], mine, prefix)
        # rows by their labels, in order: those that are called the same are numbered
        got = {}
        for f in mine:
            if f.name.startswith(prefix + "all_"):
                continue
            used.add(f.name)
            key = key_of(f.name[len(prefix):], command, table)
            for s in f.samples:
                ident = tuple(sorted((k, v) for k, v in s.labels.items() if k in labels or k == "duplicate"))
                at = got.setdefault(ident, {})
                if key == "info":
                    at.update({k: v for k, v in s.labels.items() if k not in labels})
                else:
                    at[key] = (s.value, f.unit or None)
        seen = {}
        for row in doc[table]:
            ident = tuple(sorted((k, text_of(v)) for k, v in row.items() if k in labels and text_of(v)))
            seen[ident] = seen.get(ident, 0) + 1
            if seen[ident] > 1:
                ident = tuple(sorted(ident + (("duplicate", str(seen[ident])),)))
            have = got.pop(ident, {})
            for key, value in row.items():
                if key in labels or value is None or value == "":
                    continue
                compared += 1
                if key not in have:
                    bad.append(f"{table} {ident}: no {key}")
                elif isinstance(have[key], str):
                    if have[key] != text_of(value):
                        bad.append(f"{table} {ident}: {key} {have[key]!r}, JSON {value!r}")
                elif not math.isclose(have[key][0], float(value) * SCALES[have[key][1]], rel_tol=1e-9, abs_tol=1e-15):
                    bad.append(f"{table} {ident}: {key} {have[key]}, JSON {value}")
        if got:
            bad.append(f"{table}: rows that JSON does not have: {list(got)[:3]}")
        total = doc.get("total" if not i else table + "_total")
        for key, value in (total or {}).items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or key == "lossy":
                continue
            f = [f for f in families if f.name.startswith(prefix + "all_") and key_of(f.name[len(prefix) + 4:], command, table) == key]
            if not f:
                continue # an identity
            used.add(f[0].name)
            compared += 1
            if not math.isclose(f[0].samples[0].value, value * SCALES[f[0].unit or None], rel_tol=1e-9, abs_tol=1e-15):
                bad.append(f"{table} total: {key} {f[0].samples}, JSON {value}")
    for f in families:
        if f.name not in used and not f.name.startswith(f"cdict_{command}_capture_"):
            bad.append(f"{f.name} is of no table")
    if not compared and any(doc[t] for t in tables):
        bad.append("nothing was compared")


def main():
    text, doc = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2]))
    bad = []
    families = list(text_string_to_metric_families(text))
    collector(text.splitlines(), bad)
    as_classic(text, families, bad)
    for f in families:
        for s in f.samples:
            if s.timestamp is not None or math.isnan(s.value):
                bad.append(f"{s}: a time, or no number")
    rows_agree(doc, doc["schema"]["name"][len("cdict-"):], families, bad)
    print("\n".join(bad[:20]), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
