#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: perf loads the plugin
# needs: python3
#
# Samples of events that are no tracepoints, from perf record -e cpu-clock -g, are those that perf script and perf report
# show: each line, the functions' self and total shares, and what is selected. Other figures stay.
set -u
. "$TOP/tests/oracle/_lib.sh"
have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1

cat >work.py <<'END'
def inner(n):
    return sum(i * i for i in range(n))
for _ in range(60):
    inner(20000)
    sorted(str(i) for i in range(5000))
END
perf record -q -e cpu-clock -F 4000 -g -o p.data -- python3 work.py >record.err 2>&1 &&
	perf record -q -e cpu-clock -c 300000 -e sched:sched_switch -a -o mixed.data -- python3 work.py >>record.err 2>&1 ||
	{ echo "perf cannot sample cpu-clock here: $(tail -n 1 record.err)" >&2; exit 77; }

dlfilter() {
	perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg quiet=1 "$@" >perf.out 2>perf.err || cat perf.err
}
dlfilter --dlarg out=p.cdict -i p.data
squeeze() { sed -E 's/[[:space:]]+/ /g; s/^ //; s/ $//'; }

# every sample with its period and stack; without a CPU, which such a recording does not have
lines_are_perfs() {
	perf script --ns -F tid,time,period,event,ip,sym,symoff,dso -i p.data 2>/dev/null | squeeze >want
	"$CDICT" script --ns -F tid,time,period,event,ip,sym,symoff,dso p.cdict | squeeze >got
	[ "$(wc -l <want)" -gt 100 ] || echo "perf prints $(wc -l <want) lines"
	# perf prints user addresses as offsets in their file
	python3 - <<'END'
import re
def lines(name):
    return [re.sub(r"^[0-9a-f]+ ", "", l) if re.match(r"[0-9a-f]+ \S+ \(", l) else l for l in open(name).read().split("\n")]
want, got = lines("want"), lines("got")
for i, (a, b) in enumerate(zip(want, got)):
    # a frame without a symbol may have any name of its file
    if a != b and "[unknown]" not in a:
        print(f"line {i}: {b!r}, perf {a!r}")
        break
if len(want) != len(got):
    print(len(got), "lines, perf", len(want))
END
}
verdict perf_script_prints_the_same_samples_and_stacks "$(lines_are_perfs)"

# --- without call chains: addresses, with the names of their functions; a fixed period, CPUs
mixed() {
	"$CDICT" convert -q -e '*:*' -i mixed.data -o m.cdict || echo "convert ends with $?"
	perf script --no-inline --ns -F tid,cpu,time,period,event,ip,sym,dso -i mixed.data 2>/dev/null |
		grep 'cpu-clock:' | squeeze | sed -e 's/ @plt (/ *ABS*@plt (/' -e 's/\( thunk to .*\)() (/\1 (/' >want
	"$CDICT" script --ns -F tid,cpu,time,period,event,ip,sym,dso -e cpu-clock m.cdict | squeeze |
		sed 's/ \*ABS\*+0x[0-9a-f]*@plt (/ *ABS*@plt (/' >got
	[ "$(wc -l <want)" -gt 20 ] || echo "perf prints $(wc -l <want) samples"
	diff want got | head -n 4
}
verdict perf_script_prints_the_same_samples_without_chains "$(mixed)"

# the figures of the tracepoints are those without samples, in any window
unchanged() {
	local how
	"$CDICT" convert -q -i mixed.data -o s.cdict
	"$CDICT" info s.cdict | grep -q ' sample:cpu-clock$' && echo "samples are kept beside tracepoints by default"
	local from to
	from=$("$CDICT" script -F time --ns s.cdict | sed -n '1s/[ :]//gp')
	# just before the last one: an event at a window's end counts only if it is the capture's last
	to=$("$CDICT" script -F time --ns s.cdict | sed -n '$s/[ :]//gp' | python3 -c 'import decimal; print(decimal.Decimal(input()) - decimal.Decimal("1e-9"))')
	for how in "--time=$from,$to" "--time=$from,$(python3 -c "print('%.6f' % (($from + $to) / 2))")"; do
		for table in tasks switches 'count -e sched:*'; do
			"$CDICT" $table --json "$how" s.cdict 2>/dev/null | grep -v '^    "\(file\|bytes\|events\)"' >s.json
			"$CDICT" $table --json "$how" m.cdict 2>/dev/null | grep -v '^    "\(file\|bytes\|events\)"' >m.json
			grep -q switch s.json || echo "$table $how has nothing"
			diff s.json m.json | head -n 4
		done
	done
}
verdict samples_do_not_change_the_figures_of_tracepoints "$(unchanged)"

# the kernel pauses sampling of one event: only of a tracepoint that is a loss
cat >throttle.py <<'END'
# throttle.py IN OUT TYPE - makes the first EXIT record a THROTTLE of the event of that type
import struct, sys
d = bytearray(open(sys.argv[1], "rb").read())
attr_size, attrs, attrs_size, data, data_size = struct.unpack_from("<5Q", d, 16)
ids = None
for at in range(attrs, attrs + attrs_size, attr_size):
    ids_at, ids_size = struct.unpack_from("<2Q", d, at + attr_size - 16)
    if struct.unpack_from("<I", d, at)[0] == int(sys.argv[3]) and ids_size:
        ids = struct.unpack_from("<Q", d, ids_at)[0]
at, left = data, 1
while at < data + data_size:
    type, misc, size = struct.unpack_from("<IHH", d, at)
    if type == 4 and left:
        t = struct.unpack_from("<Q", d, at + 24)[0]
        struct.pack_into("<I", d, at, 5)
        struct.pack_into("<3Q", d, at + 8, t, ids, ids)
        left = 0
    at += size
assert not left
open(sys.argv[2], "wb").write(d)
END
throttled() {
	local type
	for type in 1 2; do # software, tracepoint
		python3 throttle.py mixed.data throttle.data $type || return
		"$CDICT" convert -q -e '*:*' -i throttle.data -o throttle.cdict
		"$CDICT" info --max-loss 100 --json throttle.cdict >throttle.json
		python3 -c '
import json
r = json.load(open("throttle.json"))
print(r["loss"]["throttled_ns"] > 0, [n["count"] for n in r["not_stored"] if "THROTTLE" in str(n)])'
	done >got
	printf '%s\n' 'False [1]' 'True []' | diff - got
}
verdict throttled_samples_are_no_loss_of_tracepoints "$(throttled 2>&1)"

# --- functions
functions_are_perfs() {
	perf report -i p.data --stdio --no-children -g none --sort sym -F overhead,sample,sym 2>/dev/null >self.txt
	perf report -i p.data --stdio --children -g none --sort sym 2>/dev/null >children.txt
	"$CDICT" flame --functions --json p.cdict >functions.json
	python3 - <<'END'
import collections, json, re
def perf(name):
    out = {}
    for line in open(name):
        m = re.match(r"\s*([\d.]+)%\s+(?:([\d.]+)%|(\d+))\s+\[(.)\] (\S.*?)\s*$", line)
        if m and not re.match(r"(0x)?[0-9a-f]{16}$", m[5]):
            key = m[5], "kernel" if m[4] == "k" else "user"
            out.setdefault(key, []).append((float(m[1]), float(m[2] or m[3])))
    return {k: v[0] for k, v in out.items() if len(v) == 1} # of several files otherwise
self, children = perf("self.txt"), perf("children.txt")
rows = {(r["function"], r["in"]): r for r in json.load(open("functions.json"))["functions"]}
n = 0
for key, (percent, samples) in self.items():
    r = rows.get(key)
    if not r or abs(r["self_percent"] - percent) > 0.0051 or r["count"] != samples:
        print(key, "perf", percent, samples, "cdict", r)
    n += 1
for key, (total, percent) in children.items():
    r = rows.get(key)
    if not r or abs(r["total_percent"] - total) > 0.0051 or abs(r["self_percent"] - percent) > 0.0051:
        print(key, "perf", total, percent, "cdict", r)
if n < 10 or not any(t > s for t, s in children.values()):
    print("perf names", n, "functions")
END
}
verdict functions_have_the_shares_of_perf_report "$(functions_are_perfs | head -n 5)"

# the event counts of perf's header are the sum of the stacks
sum_is_perfs() {
	local want got
	want=$(perf report -i p.data --stdio -g none 2>/dev/null | sed -n 's/^# Event count (approx.): //p')
	got=$("$CDICT" flame --format folded p.cdict | awk '{ sum += $NF } END { printf "%d\n", sum }')
	[ -n "$want" ] && [ "$want" = "$got" ] || echo "$got, perf $want"
}
verdict stacks_add_up_to_perfs_event_count "$(sum_is_perfs)"

# --- selecting, and what is missing
selects() {
	dlfilter --dlarg out=e.cdict --dlarg event=cpu-clock -i p.data
	cmp e.cdict p.cdict
	"$CDICT" convert -q -e 'sched:*' -i p.data -o n.cdict 2>err
	[ $? -eq 2 ] && grep -q '1[0-9]* cpu-clock\|[0-9]* cpu-clock' err || cat err
	"$CDICT" flame --by samples -e nonsense p.cdict 2>err && echo "shows samples of nonsense"
	grep -q "no event of the capture matches 'nonsense'" err || cat err
	"$CDICT" info --verify p.cdict >info.out 2>&1 || cat info.out
}
verdict samples_are_selected_by_name "$(selects)"
