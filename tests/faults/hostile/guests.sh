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

# GUES and GDAT blocks that say anything, with correct checksums: the commands end soon, in little memory, with a reason or with figures
sed -i 's/^proc 101 nginx$/proc 101 "\\x01t9"/; s/^proc 102 php$/proc 102 "\\x02<b>\\x1b[1m"/' web.trace
"$MKPERF" --formats "$DATA/formats" -o made.data web.trace && "$CDICT" convert -q -i made.data -o odd.cdict &&
	"$CDICT" join -q host.cdict 1000=odd.cdict --clock "$(sed -n 's/^web //p' clocks)" -o both.cdict || exit 1
cat >blocks.py <<'END_OF_BLOCKS'
import os, resource, struct, subprocess, sys, zlib
sys.path.insert(0, os.environ["TOP"] + "/tests/tools/make")
from mkbomb import blocks_to_file, pack, read_varint, text
from mkhostile import blocks_of
cdict = sys.argv[1]
host, guest, part = [], None, []
for kind, payload in blocks_of(open("both.cdict", "rb").read()):
    (part if kind == b"GDAT" else host).append((kind, payload))
    if kind == b"GUES": guest = host.pop()[1]
raw = zlib.decompress(guest[read_varint(guest, 1)[1]:], -15) if guest[0] else guest[1:]
number, pairs, at = raw[:4], {}, 4
while at < len(raw):
    both = []
    for _ in range(2):
        n, at = read_varint(raw, at)
        both.append(raw[at:at + n]); at += n
    pairs[both[0]] = both[1]
assert pairs[b"clock.method"] == b"given" and part
head = lambda p, n=number: (b"GUES", pack(n + b"".join(text(k) + text(v) for k, v in p.items())))
said = lambda **k: head({**pairs, **{a.replace("_", ".", 1).encode(): b for a, b in k.items()}})
data = lambda offset, more=b"x", n=number: (b"GDAT", n + struct.pack("<Q", offset) + more)
good = head(pairs)
whole = part[0][1]
kinds = {
    "as it is": [good] + part, "no data": [good], "no head": part, "two heads": [good, good] + part, "head last": part + [good],
    "empty head": [(b"GUES", pack(b""))] + part, "half a number": [(b"GUES", pack(b"\0\0"))] + part, "odd pairs": [(b"GUES", pack(number + text(b"vm")))] + part,
    "long text": [(b"GUES", pack(number + b"\xff\xff\xff\xff\x7f"))] + part, "keys": [head({**pairs, **{b"k%d" % i: b"v" for i in range(70)}})] + part,
    "guests": [head(pairs, struct.pack("<I", i)) for i in range(1100)], "twins": [good, head(pairs, struct.pack("<I", 9))] + part + [(b"GDAT", struct.pack("<I", 9) + p[4:]) for _, p in part],
    "other vm": [said(pid=b"2000")] + part, "no vm": [said(pid=b"-7", vm=b"")] + part, "vm of control characters": [said(pid=b"1000", vm=b"\x01\x02\x1b[31m")] + part, "found": [said(found=b"\x01" * 3000)] + part,
    "method": [said(clock_method=b"best")] + part, "error": [said(clock_error_ns=b"99999999999999999999999999")] + part, "negative error": [said(clock_error_ns=b"-1")] + part,
    "no knots": [said(clock_knots=b"")] + part, "one knot": [said(clock_knots=b"0:18446744073709551615")] + part, "falling": [said(clock_knots=b"5:9 4:10")] + part,
    "fast": [said(clock_knots=b"0:0 1:1000000000000")] + part, "words": [said(clock_knots=b"a:b")] + part, "many knots": [said(clock_knots=b" ".join(b"%d:%d" % (i, i) for i in range(5000)))] + part,
    "far data": [good, data(1 << 63)], "beyond": [good, data(1 << 40)] + part, "spread": [good] + [data(i * 4096) for i in range(2000)], "short data": [good, (b"GDAT", b"\0" * 5)] + part,
    "no bytes": [good, data(0, b"")], "over and over": [good] + part * 50, "another's": [good, data(0, whole[12:], struct.pack("<I", 77))],
    "a guest in it": [good, data(0, open("both.cdict", "rb").read().replace(b"\xdc\x0c\xb1", b"\xdc\x0c\xb1\0"))],
    "the host in it": [good, data(0, open("host.cdict", "rb").read().replace(b"\xdc\x0c\xb1", b"\xdc\x0c\xb1\0"))], "half of it": [good, (b"GDAT", whole[:len(whole) // 2])], "syncs": [good, data(0, b"\xdc\x0c\xb1" * 3000)],
}
plain = subprocess.run([cdict, "tasks", "host.cdict", "-q", "--format", "csv"], capture_output=True).stdout
limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
for i, (name, blocks) in enumerate(kinds.items()):
    with open("bad.cdict", "wb") as f: f.write(blocks_to_file(host + blocks))
    commands = [["vm", "1000", "bad.cdict", "--inside"], ["stats", "bad.cdict"], ["query", "SELECT count(*), sum(dur) FROM guest_thread_state", "bad.cdict"], ["info", "bad.cdict"],
                ["report", "bad.cdict", "-o", "bad.html"], ["latency", "bad.cdict", "--guest", "--json"], ["vcpu", "bad.cdict"], ["annotate", "bad.cdict", "--clear", "-o", "again.cdict"], ["join", "bad.cdict", "2000=web.cdict", "--clock", "1000000000", "-o", "more.cdict"]]
    for c in [commands[0]] + commands[1 + i % 4::4]:
        p = subprocess.Popen([cdict, *c], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
        out, err = p.communicate()
        if p.returncode not in (0, 1, 2) or (p.returncode and not err) or len(out) > 2_000_000: print(name, c, p.returncode, err[:200])
        if any(b < 32 and b != 10 and b != 27 for b in out + err) and c[0] in ("vm", "stats"): print(name, c, "prints control characters")
    if subprocess.run([cdict, "tasks", "bad.cdict", "-q", "--format", "csv"], capture_output=True).stdout != plain: print(name, "changes the host's figures")
    if name == "as it is" and b" in 1000 waited" not in subprocess.run([cdict, "vm", "1000", "bad.cdict", "--inside"], capture_output=True).stdout: print("no sentence")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if used.ru_maxrss > 160 * 1024: print(used.ru_maxrss // 1024, "MiB")
END_OF_BLOCKS
verdict "blocks_of_guests_may_say_anything" "$(python3 blocks.py "$CDICT" 2>&1 | cut -c1-300 | head -12)"
