# SPDX-License-Identifier: GPL-2.0-only
"""
Makes typical slips in the source, one at a time (slips.py, columns.py), and runs the tests that reach
its line (reach.py), the quickest first, until one fails.  Prints slips that no test detects, unless answered.txt gives
a reason.

    mutants.py BUILD N SEED [ROOM]      (make mutants; $MUTANT_CC, $MUTANT_OBJECTS, $MUTANT_LIBS build libmutant.so)

The programs of BUILD load shared code from libmutant.so, so that a change compiles one file and links
one library.  Changes that give the same object, or none, are skipped, and so are lines that
only free memory, because LeakSanitizer detects those.  TELL=1 prints the test that detects each change, PLACE=analyze/walk/table.c:93 judges only those of that line.  BUILD stores the lines
that each test reaches (reach.json; takes minutes) and each verdict (verdicts.jsonl): a run that was killed goes on there.
"""
import concurrent.futures
import glob
import hashlib
import itertools
import json
import multiprocessing.util
import os
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
AT_ONCE = int(os.environ.get("JOBS") or 2)
QUICK = 6  # s of CPU, measured with gcov
ROWS = {"500": "mutants", "20": "mutants, this week's 20"}  # of doc/testing.md, for so many
LIST = "tests/mutants/judged.txt"  # the verdicts of the first row
SLOW = 3  # as many tests that take longer run after all others; with THOROUGH=1 all of them


def sources(room):
    return sorted(glob.glob(f"{room}/**/*.c", recursive=True))


def sites(rooms, place=""):
    """(file, line's number, change, text) of every slip, or of those in the file of @place."""
    for room in rooms:
        for file in sources(room):
            if place and not place.startswith(file):
                continue
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

    def __init__(self, build, folder=None):
        self.folder = folder or tempfile.mkdtemp(prefix="cdict-mutants.")
        self.tests = reach.Tests(build, self.folder)
        self.objects = {}

    def compile(self, file, text, out="mutant.o", options=()):
        """The object's bytes, or None when @text is not a program."""
        out = os.path.join(self.folder, out)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        done = subprocess.run([*shlex.split(os.environ["MUTANT_CC"]), "-g0", "-Werror=return-type", *options, "-c", "-x", "c", "-o", out, "-"],
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


def compile_for_gcov(library):
    """All of the rooms once more, for gcov, where a source or any header changed since."""
    headers = reach.digest(*(h for h in glob.glob("**/*.h", recursive=True) if not h.startswith(("build/", "tests/"))))
    files = [f for room in ROOMS for f in sources(room)]
    objects = {f: f"obj/{f[:-2]}.o" for f in files}
    options = ("-O0", "--coverage", "-include", "tests/tools/source/coverage.h")  # of children, too, which end by _exit()

    def compile_one(file):
        stamp, now = f"{library.folder}/{objects[file]}.stamp", f"{headers} {reach.digest(file)} {os.environ['MUTANT_CC']} {options}"
        if not os.path.exists(stamp) or read(stamp) != now:
            library.compile(file, read(file), objects[file], options)
            with open(stamp, "w", encoding="utf-8") as f:
                f.write(now)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(compile_one, files))
    library.link(objects, ("--coverage",))
    for path in glob.glob(f"{library.folder}/obj/**/", recursive=True):
        os.chmod(path, 0o777)


def measure(build):
    """What each test reaches."""
    found = reach.Reach(f"{build}/reach.json")
    os.makedirs(f"{build}/gcov", exist_ok=True)
    library = Library(build, os.path.abspath(f"{build}/gcov"))
    stamps = {n: reach.digest(*(p for p in glob.glob(f"tests/{n}.*") if p.endswith((".c", ".cmd", ".out", ".err", ".rc", ".sh", ".py"))))
              for n in library.tests.names()}
    stale = [n for n in stamps if found.kept.get(n, {}).get("stamp") != stamps[n]]
    found.kept = {n: k for n, k in found.kept.items() if n in stamps}
    if stale:
        print(f"what {len(stale)} tests reach is measured", flush=True)
        compile_for_gcov(library)
    for name in stale:
        found.measure(name, stamps[name], library.tests, f"{library.folder}/obj")
        if os.environ.get("TELL"):
            print(f"    {found.kept[name]['seconds']:.1f} s {name}", flush=True)
    if useless := found.finish():
        print(f"without any change these fail, and judge nothing: {' '.join(useless)}", flush=True)
    return found


class Verdicts:
    """
    What was judged before, a JSON line each, so that a killed run goes on where it stopped: a verdict holds while the
    file and the tests that gave it are the same; of a change that is answered, while the file is.
    """

    def __init__(self, path):
        self.last = {}
        if os.path.exists(path):
            for line in read(path).splitlines():
                try:
                    site, *verdict = json.loads(line)
                except ValueError:
                    continue  # cut by a kill
                self.last[site] = verdict
        self.out = open(path, "a", encoding="utf-8")  # pylint: disable=consider-using-with
        self.out.write("\n")

    def known(self, site, content, tests, answered):
        """(Whether there is a verdict, the verdict, its CPU time); @tests: {name: stamp} of those that reach the place."""
        was, name, by, cpu = self.last.get(site, ("", None, None, 0))
        same = was == content and (name is None or by == (tests.get(name) if name else digest_of(tests)) or (answered and not name))
        return same, name, cpu

    def seen_by(self, site):
        return self.last.get(site, ("", None))[1]

    def add(self, site, content, name, tests, cpu):
        self.last[site] = [content, name, tests.get(name) if name else digest_of(tests), round(cpu, 2)]
        self.out.write(json.dumps([site, *self.last[site]]) + "\n")
        self.out.flush()


def digest_of(value):
    return hashlib.sha1(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Judge:
    """In each process one, with a libmutant.so of its own."""

    def __init__(self, build, reached):
        self.reached, self.library = reached, Library(build)
        self.caught = defaultdict(Counter)  # by file: which tests failed how often

    def tests(self, file, number, before=None):
        """Tests that reach the place: the one that detected it @before, then the quickest, and likeliest, first."""
        caught, seconds = self.caught[file], self.reached.seconds
        reaching = self.reached.of(file, number, read(file))
        quick = sorted((n for n in reaching if seconds[n] < QUICK), key=lambda n: (seconds[n] + 0.1) / (0.3 + caught[n]))
        slow = sorted((n for n in reaching if seconds[n] >= QUICK), key=seconds.get)
        order = quick + slow[:len(slow) if os.environ.get("THOROUGH") else SLOW]
        return [before] * (before in order) + [n for n in order if n != before]

    def judge(self, site, before):
        """(The test that detects the change or "", or None when there is nothing to detect; seconds of CPU)."""
        file, number, _, text = site
        began = reach.cpu_of_children()
        name = self.run(file, text, self.tests(file, number, before))
        return name, reach.cpu_of_children() - began

    def run(self, file, text, tests):
        if not self.library.differs(file, text):
            return None
        if tests:
            self.library.link({file: "mutant.o"})
        for name in tests:
            if not self.library.tests.passes(name, 10 + 5 * self.reached.seconds[name]):
                self.caught[file][name] += 1
                return name
        return ""


def start_judge(build, reached):
    global JUDGE  # of this process  # pylint: disable=global-statement
    JUDGE = Judge(build, reached)
    multiprocessing.util.Finalize(None, shutil.rmtree, (JUDGE.library.folder,), exitpriority=0)


def judge(site, before):
    return JUDGE.judge(site, before)


class Court:
    """The processes that judge, and what was judged before."""

    def __init__(self, build, reached, answered):
        self.answered = answered
        self.verdicts, self.order = Verdicts(f"{build}/verdicts.jsonl"), Judge(build, reached)
        shutil.rmtree(self.order.library.folder)
        self.pool = concurrent.futures.ProcessPoolExecutor(AT_ONCE, multiprocessing.get_context("fork"), start_judge, (build, reached))

    def begin(self, job):
        """A function that returns the verdict."""
        file, number, what, _, key = job
        content = hashlib.sha1(read(file).encode(errors="replace")).hexdigest()
        stamps = {n: self.order.reached.kept[n]["stamp"] for n in self.order.tests(file, number)}
        same, name, cpu = self.verdicts.known(key, content, stamps, f"{file}: {what}" in self.answered)
        if same:
            return lambda: (name, cpu)
        future = self.pool.submit(judge, job[:4], self.verdicts.seen_by(key))

        def end():
            name, cpu = future.result()
            self.verdicts.add(key, content, name, stamps, cpu)
            return name, cpu
        return end


def answers():
    """What need not be seen: `FILE: CHANGE`, in the line below it the reason."""
    with open(os.path.join(os.path.dirname(__file__), "answered.txt"), encoding="utf-8") as f:
        return {line.rstrip("\n") for line in f if line[:1] not in "#\t\n"}


def put_figures(row, figure, verdicts):
    subprocess.run(["tests/tools/source/standing.sh", "put", row, figure], check=True)
    if row == ROWS["500"]:
        with open(LIST, "w", encoding="utf-8") as f:
            f.write(f"# {figure}\n# Written by `make mutants`: each change that it judged, and the test that detects it.\n")
            f.writelines(f"{place}: {what}\t{verdict}\n" for place, what, verdict in verdicts)


def main():
    build, wanted, seed, *rooms = sys.argv[1:]
    place = os.environ.get("PLACE") or ""
    jobs, equal = [], Counter()
    for file, number, what, text in sites(rooms or ROOMS, place):
        equal[file, what] += 1
        jobs.append((file, number, what, text, f"{file}: {what} {equal[file, what]}"))
    if place:
        jobs = [job for job in jobs if place in (job[0], f"{job[0]}:{job[1]}")]
    jobs.sort(key=lambda job: hashlib.sha1(f"{seed} {job[0]}: {job[2]}".encode()).digest())  # what else changes moves none
    reached, answered = measure(build), answers()
    court = Court(build, reached, answered)
    judged = unseen = known = seconds = 0
    verdicts = []
    print(f"{len(jobs)} places", flush=True)
    pending, jobs = [], iter(jobs)
    with court.pool:
        while judged < int(wanted):
            pending += [(job, court.begin(job)) for job in itertools.islice(jobs, 2 * AT_ONCE - len(pending))]
            if not pending:
                break
            (file, number, what, *_), verdict = pending.pop(0)
            name, cpu = verdict()
            seconds += cpu
            if name is None:
                continue
            judged += 1
            answer = "answered" if not name and f"{file}: {what}" in answered else ""
            verdicts.append((f"{file}:{number}", what, name or answer or "open"))
            if not name:
                known += bool(answer)
                unseen += 1
                print(f"{file}:{number}: {what}" + (" (answered)" if answer else
                                                    "" if reached.of(file, number, read(file)) else " (no test reaches it)"), flush=True)
            elif os.environ.get("TELL"):
                print(f"    {file}:{number}: {what}: {name}", flush=True)
        court.pool.shutdown(cancel_futures=True)
    seen = f"{judged - unseen} of {judged} by seed {seed} detected by a test, {known} answered, {unseen - known} open"
    cost = f"{reached.cost() / 3600:.1f} h of CPU to measure what tests reach, {seconds / 3600:.1f} h to judge"
    print(f"{seen}; {cost}", flush=True)
    if row := ROWS.get(wanted) if not rooms and not place else None:
        put_figures(row, f"{seen}; {cost}", verdicts)
    return unseen > known


if __name__ == "__main__":
    sys.exit(main())
