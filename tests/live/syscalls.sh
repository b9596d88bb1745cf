#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# needs: python3
# System calls of a recording: the same as in perf trace -s, thread by thread; between two calls of a benchmark, as many
# as perf script prints there.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

may_record || exit 77
case $(uname -m) in
x86_64) marker=228 ;;
aarch64) marker=113 ;;
s390x) marker=260 ;;
*) echo "the number of clock_gettime on $(uname -m) is not known here" >&2; exit 77 ;;
esac

# A benchmark with two measured parts, between calls of clock_gettime that the vDSO does not answer.
cat >bench.py <<'END'
import ctypes, os, sys
libc, time = ctypes.CDLL(None), ctypes.create_string_buffer(16)
null = os.open("/dev/null", os.O_RDWR)
def mark(): libc.syscall(int(sys.argv[1]), 1, time)
def missing(n):
    for _ in range(n):
        try: os.stat("/there is no such file")
        except OSError: pass
missing(5)
mark()
for _ in range(300): os.write(null, b"x")
missing(7)
mark()
for _ in range(40): os.read(null, 1)
mark()
for _ in range(20): os.write(null, b"x")
mark()
print(os.getpid())
END
if ! perf record -q -a -m 2M -e 'raw_syscalls:*' -o s.data -- python3 bench.py $marker >pid 2>perf.err; then
	echo "perf may not record raw_syscalls here: $(grep -v '^ *$' perf.err | head -n 1)" >&2
	exit 77
fi
pid=$(tail -n 1 pid)
"$CDICT" convert -q --max-loss 100 -e 'raw_syscalls:*' -i s.data -o s.cdict || exit

cat >compare.py <<'END'
import json, re, subprocess, sys

cdict, pid, marker = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def run(*command):
    out = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return out.stdout + out.stderr

def count(*options):
    return json.loads(run(cdict, "count", "-q", "--max-loss", "100", "s.cdict", "--format", "json", *options))

def verdict(name, wrong):
    print("\n".join("    # " + str(w) for w in wrong[:15]))
    print(("not ok " if wrong else "ok ") + name)

# " ls (18778), 10488 events, 100.0%", and a line a call: name, calls, errors, total, min, avg, max in ms
perf, tid = {}, None
summary = run("perf", "trace", "-i", "s.data", "-s")
for line in summary.splitlines():
    head = re.match(r" .* \((\d+)\), \d+ events", line)
    row = re.match(r"   (\S+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +[\d.]+%$", line)
    if head:
        tid = int(head[1])
    elif row and tid:
        perf[tid, row[1]] = (int(row[2]), int(row[3]), *(float(row[i]) for i in (4, 5, 7)))
ours = {}
for row in count("--by", "task,syscall")["count"]:
    if row["returns"]:
        ours[row["tid"], row["syscall"]] = row
wrong = [] if perf else ["perf trace -s printed nothing"]
for key in sorted({*perf, *ours}, key=str):
    if key not in perf and key[1] in ("rt_sigreturn", "-1"):
        continue  # its return has the number -1, which perf does not know
    if key not in perf or key not in ours:
        # perf ends the summary of a thread where another one takes its tid; it drops names that it does not know
        wrong.append(f"{key}: perf trace {perf.get(key)}, cdict {ours.get(key)}")
        continue
    p, o = perf[key], ours[key]
    if (o["returns"], o["errors"]) != p[:2]:
        wrong.append(f"{key}: {o['returns']} returns, {o['errors']} errors; perf trace has {p[0]}, {p[1]}")
    # a call whose beginning was not seen takes no time for perf
    elif not o["broken"] and any(abs(ns / 1e6 - ms) > 0.00051 for ns, ms in zip((o["time_ns"], o["min_ns"], o["max_ns"]), p[2:])):
        wrong.append(f"{key}: {o['time_ns']}, {o['min_ns']}, {o['max_ns']} ns; perf trace has {p[2:]} ms")
if not perf and "Segmentation fault" in summary: # Debian 13's perf 6.12
    print("skip system_calls_are_as_perf_trace_reports_them perf trace crashes")
else:
    verdict("system_calls_are_as_perf_trace_reports_them", wrong)

# tid [cpu] seconds: raw_syscalls:sys_enter: NR 1 (...)
enters, exits, marks = [], [], []
for line in run("perf", "script", "--guest-code", "--ns", "-i", "s.data", "-F", "tid,cpu,time,event,trace").splitlines():
    m = re.match(r" *(\d+) \[\d+\] +(\d+)\.(\d+): +raw_syscalls:sys_(enter|exit): NR (-?\d+) ", line)
    if not m:
        continue
    t, nr = int(m[2] + m[3]), int(m[5])
    ours = int(m[1]) == pid and nr == marker
    # the calls that mark windows do not count, as all of them of this process do
    if not ours:
        (enters if m[4] == "enter" else exits).append((t, nr))
    elif m[4] == "enter":
        marks.append(t)
verdict("the_benchmark_left_its_marks", [] if len(marks) >= 4 else [f"{len(marks)} calls of {marker} by {pid}"])
marks = marks[-4:]
spec = f"raw_syscalls:sys_enter/id=={marker} && tid=={pid}/"
since = f"{marks[0] // 10**9}.{marks[0] % 10**9:09},"
windows = {"each": [(marks[0], marks[1]), (marks[2], marks[3])], "first": [(marks[0], marks[1])],
           "last": [(marks[2], marks[3])], "outer": [(marks[0], marks[3])], "rearmed": list(zip(marks, marks[1:]))}
for pick, parts in windows.items():
    def counts(events):
        sums = {}
        for t, nr in events:
            if any(a <= t < b for a, b in parts):
                sums[nr] = sums.get(nr, 0) + 1
        return sums
    out = count("--by", "syscall", "--window-start", spec, "--window-end", spec, "--window-pick", pick, "--time", since)
    calls = {r["nr"]: r["calls"] for r in out["count"] if r["calls"]}
    returns = {r["nr"]: r["returns"] for r in out["count"] if r["returns"]}
    wrong = []
    if calls != counts(enters):
        wrong.append(f"calls {calls}, perf script has {counts(enters)}")
    if returns != counts(exits):
        wrong.append(f"returns {returns}, perf script has {counts(exits)}")
    if out["window_ns"]["length"] != sum(b - a for a, b in parts):
        wrong.append(f"window {out['window_ns']}, marks at {marks}")
    verdict(f"system_calls_between_marks_are_as_perf_script_prints_them_{pick}", wrong)
end = {r["syscall"]: (r["calls"], r["errors"]) for r in count("--by", "syscall", "--tid", str(pid), "--window-start", spec,
       "--window-end", spec, "--window-pick", "first", "--time", since)["count"]}
missing = [v for k, v in end.items() if "stat" in k]
verdict("a_benchmarks_own_calls_are_counted", [] if end.get("write") == (300, 0) and missing == [(7, 7)] else [end])
END
python3 compare.py "$CDICT" "$pid" $marker | sed '/^$/d'
