# SPDX-License-Identifier: GPL-2.0-only
"""The contents of a job's page (render/page/fleet_page.h), read independently of cdict's code.

page.py PAGE.html equal TABLE COMMAND.json   rows and total of TABLE equal the output of the command
page.py PAGE.html cells CAPTURE-TASKS.json CPUS   for a job with one bucket: compares cell and host's row with the capture's tasks
page.py PAGE.html print EXPRESSION           of head, rows, values, links
"""
import base64
import html.parser
import json
import sys
import zlib


class Elements(html.parser.HTMLParser):
    """The text of every script with an id; and the tags."""

    def __init__(self):
        super().__init__()
        self.texts, self.tags, self.at = {}, [], None

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.at = dict(attrs).get("id") if tag == "script" else None

    def handle_data(self, data):
        if self.at:
            self.texts[self.at] = self.texts.get(self.at, "") + data

    def handle_endtag(self, tag):
        self.at = None


def inflated(page, name):
    return zlib.decompress(base64.b64decode(page.texts[name])).decode()


def differ(what, got, want):
    print(f"{what}: the page has {got}, wanted {want}")


def equal(rows, name, doc):
    table, member = rows[name], {"vms": "vcpu"}.get(name, name)
    want = doc[member]
    n = len(table["by_column"][0]) if table["by_column"] else 0
    if n != len(want) or not n:
        return differ(f"{name}: rows", n, len(want))
    for c, key in enumerate(table["columns"]):
        for i, row in enumerate(want):
            if table["by_column"][c][i] != row.get(key):
                return differ(f"{name}: row {i}: {key}", table["by_column"][c][i], row.get(key))
        total = doc.get("total")
        if table["total"] and total and key in total and table["total"][c] != total[key]:
            return differ(f"{name}: total: {key}", table["total"][c], total[key])
    missing = [k for k in want[0] if k not in table["columns"] and want[0][k] is not None]
    if missing:
        differ(f"{name}: columns", "none of these", missing)


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def cells(head, rows, values, doc):
    names = head["map"]["names"]
    if len(names) != 1 or head["map"]["columns"] != 1:
        return differ("map", (names, head["map"]["columns"]), "one cell")
    tasks = [t for t in doc["tasks"] if not t["idle"]]
    window = doc["window_ns"]["length"] if isinstance(doc["window_ns"], dict) else doc["window_ns"]
    want = {
        "busy_percent": 100 * sum(t["run_ns"] for t in tasks) / sum(t["run_ns"] for t in doc["tasks"]),
        "switches_per_s": 1e9 * sum(t["switches"] for t in tasks) / window,
        "migrations_per_s": 1e9 * sum(t["migrations"] for t in tasks) / window,
    }
    host = {k: rows["hosts"]["by_column"][c][0] for c, k in enumerate(rows["hosts"]["columns"])}
    for key, v in want.items():
        if not near(values[key][0], v) or not near(host[key], v):
            differ(key, (values[key][0], host[key]), v)
        if not v:
            differ(key, v, "something")


def main():
    page = Elements()
    page.feed(open(sys.argv[1], encoding="utf-8").read())
    head = json.loads(page.texts["cdict-fleet"])
    rows = json.loads(inflated(page, "fleet-tables"))
    values = json.loads(inflated(page, "fleet-values")) if "fleet-values" in page.texts else {}
    if sys.argv[2] == "equal":
        equal(rows, sys.argv[3], json.load(open(sys.argv[4])))
    elif sys.argv[2] == "cells":
        cells(head, rows, values, json.load(open(sys.argv[3])))
    else:
        names = dict(head=head, rows=rows, values=values, tags=page.tags, picture=lambda key: inflated(page, "picture-" + key))
        print(eval(sys.argv[3], names))


main()
