# SPDX-License-Identifier: GPL-2.0-only
"""
Changes the source as a slip would, one change after the other (slips.py, columns.py), and runs tests until one
fails.  What no test sees is printed, unless answered.txt says why none need.

    mutants.py BUILD N SEED [ROOM]      (make mutants; $MUTANT_CC, $MUTANT_OBJECTS, $MUTANT_LIBS build libmutant.so)

The programs of BUILD load what they share from libmutant.so, so that a change costs the compiler one file and the
linker one library.  A change that gives the same object, or none, is passed over for the next, and so are lines that
only free, whose loss LeakSanitizer tells.  TELL=1 prints what sees each change, FAST=1 leaves tests/oracle out.
"""
import glob
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict

import columns
import slips

ROOMS = ("format", "convert", "analyze", "tables")
SLOW = ("test_hostile", "test_host_mutilated", "test_host", "test_domxml", "test_labels_apply")  # of the units, seconds each
SCRIPTS = ["cli", "figures", "golden"]
ORACLE = "^oracle/(addup|evaluate|windows|script|tables|print|cut)( |$)"  # not with FAST=1
LIMIT = 120  # s: who takes longer has failed; a quick unit test has a fifth of it


def sites(rooms):
    """(file, line's number, what was changed, text) of every slip, the latter two made when they are asked for."""
    for room in rooms:
        for file in sorted(glob.glob(f"{room}/*.c")):
            with open(file, encoding="utf-8") as f:
                text = f.read()
            for start, end, new in slips.slips(text):
                number, line = slips.line_of(text, start)
                if slips.PROMISE.match(line):
                    continue
                at = start - text.rfind("\n", 0, start) - 1
                changed = (line[:at] + "«" + text[start:end] + "→" + new + "»" + line[at + end - start:]).strip()
                yield file, number, changed, text[:start] + new + text[end:]
            if room == "tables":
                for what, mutant in columns.mutations(text, file == "tables/coremap.c"):
                    yield file, 0, what, mutant


class Judge:
    def __init__(self, build):
        self.build, self.top = os.path.abspath(build), os.getcwd()
        self.folder = tempfile.mkdtemp(prefix="cdict-mutants.")
        os.chmod(self.folder, 0o755)  # a test becomes nobody, who must find the library
        self.units = sorted(os.path.basename(p) for p in glob.glob(f"{build}/tests/unit/test_*") if os.access(p, os.X_OK))
        self.caught_by = defaultdict(Counter)  # of each room and file: which tests failed how often
        self.objects = {}
        self.env = dict(os.environ, LC_ALL="C", TZ="UTC", TERM="dumb", TOP=self.top, DATA=f"{self.top}/tests/data", BUILD=self.build,
                        CDICT=f"{self.build}/cdict", MKPERF=f"{self.build}/tests/tools/mkperf", HOME=self.folder, TMPDIR=self.folder,
                        SHARED=os.path.abspath("../shared") if os.path.isdir("../shared") else "")

    def compile(self, file, text):
        """The object's bytes, or None when @text is no program."""
        out = os.path.join(self.folder, "mutant.o")
        done = subprocess.run(shlex.split(os.environ["MUTANT_CC"]) + ["-g0", "-w", "-c", "-x", "c", "-o", out, "-"],
                              input=f'# 1 "{file}"\n{text}', text=True, capture_output=True, check=False)
        if done.returncode:
            return None
        with open(out, "rb") as f:
            return f.read()

    def link(self, file=None):
        """libmutant.so in self.folder, with the object that was compiled last in place of @file's."""
        objects = os.environ["MUTANT_OBJECTS"].split()
        if file:
            at = next(i for i, o in enumerate(objects) if o.endswith("/obj/" + file[:-2] + ".o"))
            objects[at] = os.path.join(self.folder, "mutant.o")
        command = shlex.split(os.environ["MUTANT_CC"]) + ["-shared", "-Wl,-soname,libmutant.so", "-o", self.folder + "/libmutant.so"]
        subprocess.run(command + objects + shlex.split(os.environ["MUTANT_LIBS"]), check=True)
        self.env["LD_LIBRARY_PATH"] = self.folder

    def run(self, command, seconds=LIMIT):
        """Status and output of @command, None when it does not end."""
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))

        with tempfile.TemporaryFile() as out:  # a pipe would be waited for while whatever was left running holds it
            with subprocess.Popen(command, env=self.env, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                  start_new_session=True, preexec_fn=limits) as process:
                try:
                    status = process.wait(seconds)
                except subprocess.TimeoutExpired:
                    status = None
                for number in (signal.SIGTERM, signal.SIGKILL):
                    try:
                        os.killpg(process.pid, number)
                        time.sleep(0.2)
                    except ProcessLookupError:
                        break
            out.seek(0)
            return status, out.read().decode(errors="replace")

    def unit(self, name):
        command = ["env", "-C", self.folder, f"{self.build}/tests/unit/{name}"]
        return [name] if self.run(command, LIMIT if name in SLOW else LIMIT // 5)[0] != 0 else []

    def scripts(self, pattern, categories, seconds=LIMIT):
        status, out = self.run(["tests/run", "-b", self.build, "-j", "1", "-t", pattern, *categories], seconds)
        if status == 0:
            return []
        return sorted({line.split()[1] for line in out.splitlines() if line.startswith("FAIL ")}) or ["did not end"]

    def failing(self, file):
        """The tests that fail first, those that failed of this file and room before and those of its name ahead."""
        likely = [n for n, _ in (self.caught_by[file] + self.caught_by[os.path.dirname(file)]).most_common(8)]
        named = [u for u in self.units if u[5:].split("_")[0] in os.path.basename(file)]
        quick = [u for u in self.units if u not in SLOW]
        tried = set()
        for name in likely + named + quick:
            if name in tried or "/" in name or name not in quick:
                continue
            tried.add(name)
            if found := self.unit(name):
                return found
        before = [n for n in likely if "/" in n]
        if before and (found := self.scripts("^(" + "|".join(map(re.escape, before)) + ")$",
                                                  sorted({n.split("/")[0] for n in before}))):
            return found
        if found := self.scripts(".", SCRIPTS):
            return found
        for name in SLOW:
            if name in self.units and (found := self.unit(name)):
                return found
        return [] if os.environ.get("FAST") else self.scripts(ORACLE, ["oracle"], 5 * LIMIT)

    def judge(self, file, text):
        """The tests that see the change, or None when there is none to see."""
        if file not in self.objects:
            with open(file, encoding="utf-8") as f:
                self.objects[file] = self.compile(file, f.read())
        if self.compile(file, text) in (None, self.objects[file]):
            return None
        self.link(file)
        found = self.failing(file)
        for name in found[:3]:
            self.caught_by[file][name] += 4
            self.caught_by[os.path.dirname(file)][name] += 1
        return found


def answers():
    """What need not be seen: `FILE: CHANGE`, in the line below it the reason."""
    with open(os.path.join(os.path.dirname(__file__), "answered.txt"), encoding="utf-8") as f:
        return {line.rstrip("\n") for line in f if line[:1] not in "#\t\n"}


def main():
    build, wanted, seed, *rooms = sys.argv[1:]
    jobs = list(sites(rooms or ROOMS))
    random.Random(int(seed)).shuffle(jobs)
    judge, answered = Judge(build), answers()
    judge.link()
    if found := judge.failing("format/reader.c"):
        sys.exit(f"without any change {' '.join(found)} fails")
    judged = unseen = known = 0
    print(f"{len(jobs)} places", flush=True)
    for file, number, what, text in jobs:
        if judged == int(wanted):
            break
        found = judge.judge(file, text)
        if found is None:
            continue
        judged += 1
        if not found:
            known += f"{file}: {what}" in answered
            unseen += 1
            print(f"{file}:{number}: {what}" + (" (answered)" if f"{file}: {what}" in answered else ""), flush=True)
        elif os.environ.get("TELL"):
            print(f"    {file}:{number}: {what}: {found[0]}", flush=True)
    print(f"{judged} changes by seed {seed}: {judged - unseen} seen by a test, {known} answered, {unseen - known} not seen", flush=True)
    return unseen > known


if __name__ == "__main__":
    sys.exit(main())
