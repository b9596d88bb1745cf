#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# A guest's file is its tenant's: damaged, truncated or replaced, it is refused or read as far as it goes, in time, and the host's figures stay.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

python3 "$TOP/tests/tools/make/mkguests.py" --seconds 0.03 . && for name in host web; do
	"$MKPERF" --formats "$DATA/formats" -o made.data $name.trace && "$CDICT" convert -q -i made.data -o $name.cdict || exit 1
done
cat >flip.py <<'END_OF_FLIP'
import os, random, subprocess, sys
cdict, clock = sys.argv[1:]
whole, rnd = open("web.cdict", "rb").read(), random.Random(int(os.environ.get("SAMPLE", "0")) + 5)
def run(*args): return subprocess.run([cdict, *args], capture_output=True, timeout=20)
plain = [run(c, "host.cdict", "-q", "--format", "csv").stdout for c in ("tasks", "vcpu")]
joined = refused = 0
for i in range(60):
    bad = bytearray(whole)
    if i % 3 == 0: bad = bad[:rnd.randrange(len(bad))]
    elif i % 3 == 1:
        for _ in range(rnd.choice((1, 1, 4, 40))): bad[rnd.randrange(len(bad))] ^= 1 << rnd.randrange(8)
    else:
        a, n = rnd.randrange(len(bad)), rnd.randrange(1, 200)
        bad[a:a + n] = rnd.randbytes(n)
    open("bad.cdict", "wb").write(bad)
    done = run("join", "host.cdict", "1000=bad.cdict", "--clock", clock, "-o", "both.cdict")
    if done.returncode not in (0, 1, 2) or (done.returncode == 1 and done.stderr.count(b"\n") != 1): print(i, done)
    if done.returncode == 1:
        refused += 1
        continue
    joined += 1
    for command in (["vm", "1000", "both.cdict", "--inside", "--json"], ["latency", "both.cdict", "--guest"], ["tasks", "host.cdict", "1000=bad.cdict", "--clock", clock]):
        shown = run(*command)
        if shown.returncode not in (0, 1, 2): print(i, command, shown)
    for c, p in zip(("tasks", "vcpu"), plain):
        if run(c, "both.cdict", "-q", "--format", "csv").stdout != p: print(i, c, "differs")
    os.unlink("both.cdict")
if not joined or not refused: print(joined, "joined,", refused, "refused")
END_OF_FLIP
verdict "a_damaged_guest_changes_no_figure_of_the_host" "$(python3 flip.py "$CDICT" "$(sed -n 's/^web //p' clocks)" 2>&1 | cut -c1-300 | head -5)"

# anything else for a guest
for file in "$DATA/kvm-small.data" "$CDICT" /dev/null /nonexistent . host.trace; do
	timeout 20 "$CDICT" join host.cdict "1000=$file" --clock 1 -o both.cdict 2>err
	status=$?
	[ $status = 1 ] || [ $status = 2 ] || echo "$file: status $status"
	[ -s err ] || echo "$file: no message"
	[ ! -e both.cdict ] || echo "$file: was joined"
done >wrong 2>&1
verdict "what_is_no_recording_is_no_guest" "$(head -5 wrong)"
