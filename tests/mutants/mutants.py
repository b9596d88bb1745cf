# SPDX-License-Identifier: GPL-2.0-only
"""
Makes typical slips in the source, one at a time (slips.py, columns.py), and runs the tests that reach
its line (reach.py), the quickest first, until one fails.  Prints slips that no test detects, unless answered.txt gives
a reason.

    mutants.py BUILD N SEED [ROOM]      (make mutants; $MUTANT_CC, $MUTANT_OBJECTS, $MUTANT_LIBS build libmutant.so)

The programs of BUILD load shared code from libmutant.so, so that a change compiles one file and links
one library.  Changes that give the same object, or none, are skipped, and so are lines that
only free memory, because LeakSanitizer detects those.  TELL=1 prints the test that detects each change.  BUILD stores the lines
that each test reaches (reach.json; takes minutes), and the test that last detected a change.
"""
import concurrent.futures
import glob
import hashlib
import itertools
import os
import queue
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import columns
import reach
import slips

ROOMS = ("format", "convert", "analyze", "tables")
AT_ONCE = 2
QUICK = 6  # s, measured with gcov: tests that take longer run where no other reaches the line, or with THOROUGH=1


def sources(room):
    return sorted(glob.glob(f"{room}/**/*.c", recursive=True))


def sites(rooms):
    """(file, line's number, change, text) of every slip, the latter two made on demand."""
    for room in rooms:
        for file in sources(room):
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
                for what, mutant in columns.mutations(text, file == "tables/rows/coremap.c"):
                    yield file, 0, what, mutant


class Library:
    """libmutant.so in a folder of its own, and the tests that load it."""

    def __init__(self, build):
        self.folder = tempfile.mkdtemp(prefix="cdict-mutants.")
        self.tests = reach.Tests(build, self.folder)
        self.objects = {}

    def compile(self, file, text, out="mutant.o", options=()):
        """The object's bytes, or None when @text is not a program."""
        out = os.path.join(self.folder, out)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        done = subprocess.run([*shlex.split(os.environ["MUTANT_CC"]), "-g0", "-w", *options, "-c", "-x", "c", "-o", out, "-"],
                              input=f'# 1 "{file}"\n{text}', text=True, capture_output=True, check=False)
        if done.returncode:
            return None
        with open(out, "rb") as f:
            return f.read()

    def link(self, instead, options=()):
        """With the objects @instead, {source: object}, of those files'."""
        objects = os.environ["MUTANT_OBJECTS"].split()
        for file, made in instead.items():
            at = next(i for i, o in enumerate(objects) if o.endswith("/obj/" + file[:-2] + ".o"))
            objects[at] = os.path.join(self.folder, made)
        command = [*shlex.split(os.environ["MUTANT_CC"]), "-shared", "-Wl,-soname,libmutant.so", "-o", f"{self.folder}/libmutant.so"]
        subprocess.run([*command, *objects, *shlex.split(os.environ["MUTANT_LIBS"]), *options], check=True)

    def differs(self, file, text):
        """Whether @text is another program than @file's; compiled as mutant.o it is then."""
        if file not in self.objects:
            self.objects[file] = self.compile(file, read(file))
        return self.compile(file, text) not in (None, self.objects[file])


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def measure(build):
    """What each test reaches: all of the rooms compiled once more, for gcov."""
    library, found = Library(build), reach.Reach(f"{build}/reach.json")
    stamps = {n: reach.digest(*(p for p in glob.glob(f"tests/{n}.*") if p.endswith((".c", ".cmd", ".sh", ".py"))))
              for n in library.tests.names()}
    stale = [n for n in stamps if found.kept.get(n, {}).get("stamp") != stamps[n]]
    found.kept = {n: k for n, k in found.kept.items() if n in stamps}
    if stale:
        print(f"what {len(stale)} tests reach is measured", flush=True)
        files = [f for room in ROOMS for f in sources(room)]
        objects = {f: f"obj/{f[:-2]}.o" for f in files}
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda f: library.compile(f, read(f), objects[f], ("-O0", "--coverage")), files))
        library.link(objects, ("--coverage",))
        for path in glob.glob(f"{library.folder}/obj/**/", recursive=True):
            os.chmod(path, 0o777)
    for name in stale:
        found.measure(name, stamps[name], library.tests, f"{library.folder}/obj")
        if os.environ.get("TELL"):
            print(f"    {found.kept[name]['seconds']:.1f} s {name}", flush=True)
    if useless := found.finish():
        print(f"without any change these fail, and judge nothing: {' '.join(useless)}", flush=True)
    shutil.rmtree(library.folder)
    return found


class Judge:
    def __init__(self, build):
        self.reached = measure(build)
        self.saw = f"{build}/saw.json"  # the test that last detected a change
        self.seen_by = reach.load(self.saw)
        self.caught = defaultdict(Counter)  # by file: which tests failed how often
        self.libraries = queue.SimpleQueue()
        for _ in range(AT_ONCE):
            self.libraries.put(Library(build))

    def tests(self, file, number, what):
        """Tests that reach the place: the one that detected it before, then the quickest, and likeliest, first."""
        caught, seconds = self.caught[file], self.reached.seconds
        every = self.reached.of(file, number, read(file))
        quick = every if os.environ.get("THOROUGH") else [n for n in every if seconds[n] < QUICK]
        order = sorted(quick or every, key=lambda n: (seconds[n] + 0.1) / (0.3 + caught[n]))
        before = self.seen_by.get(f"{file}: {what}")
        return [before] * (before in order) + [n for n in order if n != before]

    def judge(self, site):
        """(@site, the test that sees the change or "", or None when there is nothing to see)."""
        file, number, what, text = site
        library = self.libraries.get()
        try:
            if not library.differs(file, text):
                return site, None
            tests = self.tests(file, number, what)
            if tests:
                library.link({file: "mutant.o"})
            for name in tests:
                if not library.tests.passes(name, 10 + 5 * self.reached.seconds[name]):
                    self.caught[file][name] += 1
                    self.seen_by[f"{file}: {what}"] = name
                    return site, name
            return site, ""
        finally:
            self.libraries.put(library)

    def close(self):
        reach.save(self.saw, self.seen_by)
        while not self.libraries.empty():
            shutil.rmtree(self.libraries.get().folder)


def answers():
    """What need not be seen: `FILE: CHANGE`, in the line below it the reason."""
    with open(os.path.join(os.path.dirname(__file__), "answered.txt"), encoding="utf-8") as f:
        return {line.rstrip("\n") for line in f if line[:1] not in "#\t\n"}


def main():
    build, wanted, seed, *rooms = sys.argv[1:]
    jobs = list(sites(rooms or ROOMS))
    jobs.sort(key=lambda job: hashlib.sha1(f"{seed} {job[0]}: {job[2]}".encode()).digest())  # what else changes moves none
    judge, answered = Judge(build), answers()
    judged = unseen = known = 0
    print(f"{len(jobs)} places", flush=True)
    pending, jobs = [], iter(jobs)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        while judged < int(wanted):
            pending += [pool.submit(judge.judge, job) for job in itertools.islice(jobs, 2 * AT_ONCE - len(pending))]
            if not pending:
                break
            (file, number, what, _), name = pending.pop(0).result()
            if name is None:
                continue
            judged += 1
            if not name:
                known += f"{file}: {what}" in answered
                unseen += 1
                reached = judge.reached.of(file, number, read(file))
                print(f"{file}:{number}: {what}" + (" (answered)" if f"{file}: {what}" in answered else "" if reached else
                                                    " (no test reaches it)"), flush=True)
            elif os.environ.get("TELL"):
                print(f"    {file}:{number}: {what}: {name}", flush=True)
    judge.close()
    print(f"{judged} changes by seed {seed}: {judged - unseen} seen by a test, {known} answered, {unseen - known} not seen", flush=True)
    return unseen > known


if __name__ == "__main__":
    sys.exit(main())
