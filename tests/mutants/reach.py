# SPDX-License-Identifier: GPL-2.0-only
"""
The tests that can detect a change, each a separate command, and the lines that each reaches.
"""
import collections
import glob
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

SCRIPTS = ("oracle/figures/*", "oracle/format/*", "oracle/guests/*", "oracle/perf/cut", "oracle/perf/print", "oracle/perf/script", "oracle/perf/tracedat",
           *(f"oracle/exchange/{name}" for name in ("formats", "io", "pfw", "perfwhiz", "perfwhiz-import", "tracedat-export")))
# Programs of others, none of the rooms' code or seconds of it; hundreds of kills; without the environment's library path.
EXCEPT = ("oracle/figures/prometheus", "oracle/figures/sweep", "oracle/figures/annotate", "oracle/figures/identify")
LIMIT = 100  # s of CPU of a test without any change
WAITS = 10  # times as long may a test take on a busy machine: a hang ends then, an endless loop by its CPU time


class Tests:
    """The programs that can be run in @folder, one at a time, by name."""

    def __init__(self, build, folder):
        self.build, self.top, self.folder = os.path.abspath(build), os.getcwd(), folder
        os.chmod(folder, 0o755)  # a test runs as the user nobody, which must find the library
        self.env = dict(os.environ, LC_ALL="C", TZ="UTC", TERM="dumb", PAGER="cat", TOP=self.top, DATA=f"{self.top}/tests/data",
                        BUILD=self.build, CDICT=f"{self.build}/cdict", MKPERF=f"{self.build}/tests/tools/make/mkperf",
                        PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",  # not through pyenv's shims
                        SHARED="", FEW="3", LD_LIBRARY_PATH=folder, MALLOC_PERTURB_="165")  # of the real captures only those in tests/data: quick, and everywhere the same

    def names(self):
        found = [p[:-2] for p in glob.glob("tests/unit/*/test_*.c") + glob.glob("tests/fuzz/fuzz_*.c")]
        found += [p[:-4] for p in glob.glob("tests/cli/*/*.cmd")]
        found += [p[:-3] for s in SCRIPTS for p in glob.glob(f"tests/{s}.sh") if not os.path.basename(p).startswith("_")]
        return sorted({p.removeprefix("tests/") for p in found} - set(EXCEPT))

    def start(self, command, out, err, work, seconds):
        """Status of @command, None when it does not end.  @seconds are of CPU, for each of its processes."""
        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))

        env = dict(self.env, HOME=f"{work}/home", TMPDIR=f"{work}/tmp")
        with subprocess.Popen(command, cwd=f"{work}/work", env=env, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                              start_new_session=True, preexec_fn=limits) as process:
            try:
                status = process.wait(WAITS * seconds)
            except subprocess.TimeoutExpired:
                status = None
            try:  # and whatever it left running
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return status

    def passes(self, name, seconds):
        """Whether it is as it should be after at most @seconds of CPU."""
        category = name.split("/")[0]
        command = {"cli": ["bash", f"{self.top}/tests/{name}.cmd"], "unit": [f"{self.build}/tests/{name}"],
                   "fuzz": [f"{self.build}/tests/{name}"]}.get(category, [f"{self.top}/tests/{name}.sh"])
        if category == "fuzz":
            command += sorted(glob.glob(f"{self.top}/tests/fuzz/corpus/{name[5:]}/*") + glob.glob(f"{self.top}/tests/data/bad/*.bin"))
        with tempfile.TemporaryDirectory(dir=self.folder) as work:
            for sub in ("work", "home", "tmp"):
                os.mkdir(f"{work}/{sub}")
            with open(f"{work}/out", "wb") as out, open(f"{work}/err", "wb") as err:
                status = self.start(command, out, err, work, seconds)
            if category == "cli":
                return all(self.as_expected(name, kind, work, status) for kind in ("rc", "out", "err"))
            with open(f"{work}/out", "rb") as out:
                return status == 0 and (category in ("unit", "fuzz") or not re.search(rb"^not ok ", out.read(), re.M))

    def as_expected(self, name, kind, work, status):
        """tests/run's comparison of the output of a command case."""
        expected = f"{self.top}/tests/{name}.{kind}"
        want = b""
        if os.path.exists(expected):
            with open(expected, "rb") as f:
                want = f.read()
        if kind == "rc":
            return int(want or 0) == status
        with open(f"{work}/{kind}", "rb") as f:
            got = f.read()
        for path, word in ((self.env["DATA"], "$DATA"), (f"{work}/work", "$PWD"), (f"{work}/tmp", "$TMPDIR"), (self.top, "$TOP")):
            got = got.replace(path.encode(), word.encode())
        return got == want


def digest(*paths):
    content = hashlib.sha1()
    for path in sorted(paths):
        with open(path, "rb") as f:
            content.update(f.read())
    return content.hexdigest()


def load(path):
    """What save() wrote; {} if nothing did, or a file of an older version of this that a kill cut short."""
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def save(path, value):
    """Replaces @path by the new file when that is complete: a kill leaves the old one."""
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(value, f)
    os.replace(path + ".new", path)


class Reach:
    """
    Which tests reach which line, kept in @path for the tests of which nothing changed since.  Of a file that was
    changed since it is known which tests reach the file.
    """

    def __init__(self, path):
        stored = load(path)
        self.path, self.seconds, self.saved = path, {}, time.monotonic()
        self.kept = stored.get("tests", {})
        self.known = stored.get("known", {})  # by file: its digest, and the lines that have code
        self.tests = collections.defaultdict(lambda: collections.defaultdict(list))
        self.lines = collections.defaultdict(set)

    def measure(self, name, stamp, tests, objects):
        """Runs @name on the programs built with --coverage into the folder @objects."""
        for path in glob.glob(f"{objects}/**/*.gcda", recursive=True):
            os.unlink(path)
        began = cpu_of_children()
        passed = tests.passes(name, LIMIT)
        seconds = cpu_of_children() - began
        lines = {}
        for file, (content, known, reached) in gcov(objects).items():
            self.known[file] = content, known
            if reached:
                lines[file] = content, reached
        self.kept[name] = {"stamp": stamp, "passed": passed, "seconds": seconds, "gcov": cpu_of_children() - began - seconds, "lines": lines}
        if time.monotonic() - self.saved > 60:
            self.save()

    def save(self):
        save(self.path, {"tests": self.kept, "known": self.known})
        self.saved = time.monotonic()

    def cost(self):
        """Seconds of CPU that measuring all kept tests took."""
        return sum(kept["seconds"] + kept["gcov"] for kept in self.kept.values())

    def finish(self):
        """Makes tests[file][line] of the kept lines; returns the tests that are of no use."""
        self.save()
        now = {file: digest(file) for file in self.known if os.path.exists(file)}
        for file, (content, known) in self.known.items():
            if now.get(file) == content:
                self.lines[file].update(known)
        for name, kept in self.kept.items():
            self.seconds[name] = kept["seconds"]
            for file, (content, reached) in kept["lines"].items() if kept["passed"] else ():
                for line in reached if now.get(file) == content else [0]:
                    self.tests[file][line].append(name)
        return sorted(name for name, kept in self.kept.items() if not kept["passed"])

    def of(self, file, number, text):
        """The tests that reach line @number of @file, or the statement that it is a part of; of data, those of the file."""
        source = text.split("\n")
        while number > 0 and number not in self.lines[file]:
            number = 0 if source[number - 1].startswith("}") else number - 1
        if number:
            return sorted({*self.tests[file][number], *self.tests[file][0]})
        return sorted({name for names in self.tests[file].values() for name in names})


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def gcov(objects):
    """{file: (digest, [known lines], [lines reached])} of the files that the last test wrote."""
    found = {}
    data = glob.glob(f"{objects}/**/*.gcda", recursive=True)
    if data:
        done = subprocess.run(["gcov", "--json-format", "--stdout", *data], capture_output=True, check=True)
        for line in done.stdout.splitlines():
            for file in json.loads(line)["files"] if line.startswith(b"{") else ():
                if file["file"].endswith(".c"):
                    lines = {l["line_number"]: 0 for l in file["lines"]}
                    for l in file["lines"]:
                        lines[l["line_number"]] += l["count"]
                    found[file["file"]] = (digest(file["file"]), list(lines), [n for n, count in lines.items() if count])
    return found
