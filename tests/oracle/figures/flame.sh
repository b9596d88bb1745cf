#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: perf loads the plugin
# needs: python3
#
# The stacks of a task add up to its figures in cdict tasks, in the whole capture, in windows that begin in the middle, and
# on some CPUs: time off the CPU and switches. Adjacent windows add up, stack by stack; two threads give the same as one.
set -u
. "$TOP/tests/oracle/_lib.sh"
have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1

perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=p.cdict -i "$DATA/kvm-callchain.data" >/dev/null 2>perf.err
[ -s p.cdict ] || { cat perf.err; exit 1; }

# differs OPTIONS... - prints differences of cdict flame and cdict tasks
differs() {
	"$CDICT" tasks -q --format json --append-tid "$@" p.cdict >tasks.json
	"$CDICT" flame -q --format json --append-tid "$@" p.cdict >off.json
	"$CDICT" flame -q --format json --append-tid --by switches "$@" p.cdict >switches.json
	python3 - <<'END'
import collections, json
tasks = json.load(open("tasks.json"))["tasks"]
def sums(file, key):
    out = collections.Counter()
    for row in json.load(open(file))["stacks"]:
        out[row["stack"].split(";")[0]] += row[key]
    return out
off, switches = sums("off.json", "time_ns"), sums("switches.json", "count")
stacks = json.load(open("off.json"))["stacks"]
if len(stacks) < 3 or not any(row["stack"].count(";") > 3 for row in stacks):
    print("there are no stacks to speak of")
parts = ("sleep_ns", "block_ns", "preempt_ns")
want = {t["name"]: sum(t[key] or 0 for key in parts) for t in tasks}
for name, ns in want.items():
    if off[name] != ns:
        print(f"{name}: {off[name]} ns by stack, {ns} ns off the CPU")
for t in tasks:
    if switches[t["name"]] != t["switches"]:
        print(f'{t["name"]}: {switches[t["name"]]} switches by stack, {t["switches"]} in all')
for name in set(off) | set(switches):
    if name not in want:
        print(f"{name} is not a task")
END
}

for how in --time=0%-100% --time=30%-60% --time=425.4,425.6 --cpu=1,3 '--task=KVM'; do
	verdict "stacks_add_up_to_the_task${how//[^a-zA-Z0-9]/_}" "$(differs "$how")"
done

# windows that touch: the stacks of both are those of the whole
touching() {
	local by=$1 at=425.5
	"$CDICT" flame -q --by "$by" --format folded p.cdict >whole
	"$CDICT" flame -q --by "$by" --format folded --time ",$at" p.cdict >first
	"$CDICT" flame -q --by "$by" --format folded --time "$at," p.cdict >second
	"$CDICT" flame -q -j2 --by "$by" --format folded p.cdict | cmp whole - || echo "two threads say something else"
	[ -s first ] && [ -s second ] || echo "there is nothing in a window"
	cat first second | "$CDICT" flame -q --format folded - | diff whole - | head -n 5
}
for by in off-cpu switches; do
	verdict "windows_that_touch_add_up_by_$by" "$(touching $by)"
done
