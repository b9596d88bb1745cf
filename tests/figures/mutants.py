# SPDX-License-Identifier: GPL-2.0-only
"""
Breaks every column of tables/*.c, one after the other, and asks figures.py whether it sees it: another
getter, another member of the row, another unit, another title.  What nobody sees is printed.

    mutants.py FIGURES.cdict        (make mutants; $MUTANT_CC compiles, $MUTANT_LINK links)
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

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


def judge(file, what, text, capture):
    """Whether the change is seen."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "mutant.c"), os.path.join(folder, "cdict")
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)
        build = f"{os.environ['MUTANT_CC']} -O0 -w -o {program} {source} {os.environ['MUTANT_LINK']}"
        built = subprocess.run(build, shell=True, check=False, capture_output=True, text=True)
        if built.returncode:
            return f"{file}: {what}: does not build: {built.stderr[-300:]}"
        figures = os.path.join(os.path.dirname(__file__), "figures.py")
        seen = subprocess.run([sys.executable, figures, "check", program, capture], check=False, capture_output=True)
        return None if seen.returncode else f"{file}: {what}: nobody sees it"


def main():
    jobs, unseen = [], []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for file in sorted(glob.glob("tables/*.c")):
            with open(file, encoding="utf-8") as f:
                text = f.read()
            jobs += [pool.submit(judge, file, what, mutant, sys.argv[1]) for what, mutant in mutations(text, file == "tables/coremap.c")]
        for job in concurrent.futures.as_completed(jobs):
            if job.result():
                unseen.append(job.result())
                print(job.result(), flush=True)
    print(f"{len(jobs)} changes, {len(unseen)} of them not seen")
    return bool(unseen)


if __name__ == "__main__":
    sys.exit(main())
