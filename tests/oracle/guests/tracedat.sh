#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3 jq
#
# Hosts and guests that trace-cmd recorded together, made up (mktracedat.py): the VM is that of the host's GUEST option, the clock that of the
# guest's TIME_SHIFT samples. The figures are those by the true clock, and the clock is within its stated error.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

mktracedat() { python3 "$TOP/tests/tools/make/mktracedat.py" "$@"; }
# trace NAME OPTION... - NAME.cdict, from NAME.trace by way of a trace.dat
trace() {
	"$MKPERF" --formats "$DATA/formats" -o "$1.data" "$1.trace" && mktracedat "${@:2}" "$1.data" "$1.dat" && "$CDICT" convert -q -i "$1.dat" -o "$1.cdict"
}
# shifts NAME CPUS SAMPLES SPREAD - options of the samples of its clock, each wrong by up to SPREAD ns, alternating
cat >shifts.py <<'END_OF_SHIFTS'
import sys
from fractions import Fraction
name, cpus, n, spread = sys.argv[1], *map(int, sys.argv[2:5])
knots = next(l.split()[1] for l in open("clocks") if l.startswith(name + " "))
(g0, h0), (g1, h1) = [tuple(map(int, k.split(":"))) for k in knots.split(",")]
for cpu in range(cpus):
    at = [g0 + i * 320_000_000 // max(1, n - 1) for i in range(n)]
    print("--shift", "%d:%s" % (cpu, ";".join("%d,%d,1,0" % (g, round(h0 + Fraction(h1 - h0, g1 - g0) * (g - g0)) - g + spread * (i % 2 * 2 - 1)) for i, g in enumerate(at))))
END_OF_SHIFTS
shifts() { python3 shifts.py "$@"; }
clock() { sed -n "s/^$1 //p" clocks; }
# inside FILE - every figure of the tasks of web
inside() { "$CDICT" vm web "$1" --inside --json -q --max-loss 100 | as_figures; }
as_figures() { jq -S '[.guest_tasks, .guest_shares] | map(map(del(.pid)))'; } # trace.dat does not have it

both() { # OPTION... of join
	"$CDICT" join host.cdict "$@" -o both.cdict 2>join.err || cat join.err
}
host_args=(--trace-id 4660 --guest 'my guest,51966,2001' --guest web,48879,1001,1002)

# the clocks differ by a constant, which the samples have to the ns
python3 "$TOP/tests/tools/make/mkguests.py" --seed 4 --seconds 0.3 --drift 0 . && trace host "${host_args[@]}" &&
	# shellcheck disable=SC2046 # words of options
	trace web --trace-id 48879 --peer 4660 $(shifts web 2 3 0) || exit 1
"$MKPERF" --formats "$DATA/formats" -o plain.data web.trace && "$CDICT" convert -q -i plain.data -o plain.cdict || exit 1
verdict trace_cmds_pair_is_joined_by_its_ids_and_samples "$(
	both =web.cdict
	grep -q 'web, found in the host.s trace.dat; 2 vCPUs .* clock: trace.dat, within 1.0 us$' join.err || cat join.err
	inside both.cdict >by_samples.json
	both web=plain.cdict --clock "$(clock web)"
	inside both.cdict >true.json
	[ "$(jq '.[0] | length' true.json)" -ge 5 ] || echo "few tasks"
	cmp true.json by_samples.json)"
verdict trace_cmds_pair_needs_no_file_in_between "$("$CDICT" vm web host.dat =web.dat --inside --json -q --max-loss 100 | as_figures | diff true.json - | head -5)"
# the name of the other one has a blank
# shellcheck disable=SC2046 # words of options
trace db --trace-id 51966 --peer 4660 $(shifts db 1 2 0) || exit 1
verdict trace_cmds_guest_may_have_a_blank_in_its_name "$(
	both =db.cdict =web.cdict
	grep -q 'my guest, found in the host.s trace.dat; .* clock: trace.dat' join.err || cat join.err)"
# all times of the host are later by its DATE
trace host "${host_args[@]}" --date 0x5f5e100 || exit 1
verdict trace_cmds_date_of_one_of_them_is_taken_into_account "$(
	both =web.cdict
	"$CDICT" vm web both.cdict --inside --json -q --max-loss 100 | jq -S '[.guest_tasks[] | [.tid, .run_ns, .stolen_ns, .away_ns, .busy_ns, .sleep_ns]]' >dated.json
	jq -S '[.[0][] | [.tid, .run_ns, .stolen_ns, .away_ns, .busy_ns, .sleep_ns]]' true.json | diff - dated.json | head -5)"

# samples that scatter by 4 us, of clocks that drift: the stated error covers it
python3 "$TOP/tests/tools/make/mkguests.py" --seed 5 --seconds 0.3 --drift 41 . && trace host "${host_args[@]}" || exit 1
cat >error.py <<'END_OF_ERROR'
import json, sys
from fractions import Fraction
least, most = map(int, sys.argv[1:])
g = json.load(sys.stdin)["guests"][0]
(g0, h0), (g1, h1) = [tuple(map(int, k.split(":"))) for k in next(l.split()[1] for l in open("clocks") if l.startswith("web ")).split(",")]
if g["clock"] != "trace.dat" or not least <= g["clock_error_ns"] <= most: print(g)
# the host's times of the guest's events, by the samples, against the truth
events = lambda name: [l.split()[2].rstrip(":") for l in open(name)]
ns = lambda t: int(t.replace(".", ""))
offset = eval("-".join(g["clock_knots"].split(" ")[0].split(":")[::-1]))
worst = max(abs(ns(a) + offset - (h0 + Fraction(h1 - h0, g1 - g0) * (ns(b) - g0))) for a, b in zip(events("moved.txt"), events("plain.txt"), strict=True))
if worst > g["clock_error_ns"]: print("an event is off by", float(worst), "ns, stated", g["clock_error_ns"])
END_OF_ERROR
"$MKPERF" --formats "$DATA/formats" -o plain.data web.trace && "$CDICT" convert -q -i plain.data -o plain.cdict && "$CDICT" script -q plain.cdict >plain.txt || exit 1
scatter() { # NAME SAMPLES SPREAD LEAST MOST OPTION...
	# shellcheck disable=SC2046 # words of options
	trace web --trace-id 48879 --peer 4660 --shift-flags 1 $(shifts web 2 "$2" "$3") "${@:6}" || exit 1
	verdict "$1" "$(
		"$CDICT" script -q --max-loss 100 web.cdict >moved.txt
		both =web.cdict
		"$CDICT" info --json both.cdict | python3 error.py "$4" "$5" 2>&1)"
}
scatter trace_cmds_samples_that_scatter_state_their_error 9 2000 5000 9000
scatter trace_cmds_two_samples_state_their_difference 2 0 14000 14200
# one sample says nothing on its error; the events do
scatter trace_cmds_only_sample_has_the_error_that_the_events_show 1 0 1 60000
# samples that are 10 ms wrong
# shellcheck disable=SC2046 # words of options
trace web --trace-id 48879 --peer 4660 --shift-flags 1 $(shifts web 2 9 0 | python3 -c '
import re, sys
print(re.sub(r",(\d+),1,0", lambda m: ",%d,1,0" % (int(m[1]) + 10_000_000), sys.stdin.read()))') || exit 1
verdict trace_cmds_samples_that_are_10_ms_wrong_are_refused "$(
	"$CDICT" join host.cdict =web.cdict -o no.cdict 2>err && echo "they were used"
	grep -q 'its clocks by events and by trace-cmd are 10\.[0-9]* ms apart; give --clock' err || cat err)"
# another session of the same host
trace host --trace-id 4661 --guest web,48880,1001,1002 || exit 1
verdict trace_cmds_guest_of_another_session_is_not_taken_for_it "$(
	"$CDICT" join host.cdict web=web.cdict -o both.cdict 2>err; grep -q 'clock: trace.dat' err && cat err)"
