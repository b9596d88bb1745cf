# SPDX-License-Identifier: GPL-2.0-only
"""
Slips in the columns of tables/*.c: a wrong getter, row member, unit or title.
"""
import re

COLUMN = re.compile(
    r'\{\s*"(?P<key>\w+)",\s*"(?P<title>[^"]+)",\s*(?P<kind>TABLE_\w+),\s*(?P<flags>[\w\s|]+),\s*'
    r"(?:(?P<get>cell_\w+),\s*(?P<at>\w[\w().\[\]]*)|(?P<state>STATE\(\w+\)))\s*\\?\s*\}"
)
GETTERS = {
    "cell_p50": "cell_p99", "cell_p99": "cell_p50", "cell_p999": "cell_p99", "cell_avg": "cell_p50",
    "cell_max": "cell_p999", "cell_min": "cell_p50", "cell_sum": "cell_max", "cell_count": "cell_sum",
    "cell_max_at": "cell_max", "cell_tid": "cell_vcpu", "cell_pid": "cell_tid", "cell_vcpu": "cell_tid",
    "cell_other_tid": "cell_tid", "cell_other_pid": "cell_tid", "cell_name": "cell_vm", "cell_vm": "cell_name",
    "cell_comm": "cell_vm", "cell_other_name": "cell_name", "cell_other_vm": "cell_vm",
}
EMPTY = {"next_vm", "antagonist_vm"}  # the made-up rival is in no VM: people are shown no such column
KINDS = {"TABLE_MS": "TABLE_US", "TABLE_US": "TABLE_MS", "TABLE_TIME": "TABLE_MS", "TABLE_COUNT": "TABLE_MS",
         "TABLE_PERCENT": "TABLE_MS"}


def mutations(text, programs_only):
    """(what, text) of each; @programs_only: people never see these titles and units."""
    columns = list(COLUMN.finditer(text))
    for m in columns:
        if "HIDDEN" in m["flags"]:
            continue
        people = "MACHINE" not in m["flags"] and not programs_only and m["key"] not in EMPTY
        name = f"{m['key']} '{m['title']}'"

        def put(group, new):
            return text[: m.start(group)] + new + text[m.end(group):]

        if m["kind"] in KINDS and people:
            yield f"{name}: {KINDS[m['kind']]}", put("kind", KINDS[m["kind"]])
        yield f"{name}: key", put("key", m["key"] + "x")
        if people:
            yield f"{name}: title", put("title", m["title"] + "x")
        if m["get"] in GETTERS:
            yield f"{name}: {GETTERS[m['get']]}", put("get", GETTERS[m["get"]])
        # another member that the same getter reads, or one that looks like it
        same = [o for o in columns if o["get"] == m["get"] and o["state"] is None and m["state"] is None
                and o["at"] not in (m["at"], "0") and m["at"] != "0"
                and o["at"].split("(")[0] == m["at"].split("(")[0]]
        if same:
            yield f"{name}: {same[0]['at']}", put("at", same[0]["at"])
        states = [o["state"] for o in columns if o["state"] and o["state"] != m["state"]]
        if m["state"]:
            yield f"{name}: {states[0]}", put("state", states[0])
