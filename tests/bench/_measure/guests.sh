#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A guest's recording joined to its host's, of 5 and 10 million made-up events: CPU of the join against converting both, with the clock
# given and with the clock fitted to the events. The clock must be within its stated error.
# Prints lines of the table of tests/bench/_measure/run.sh, which calls it.
#
# Environment: CDICT the program, MKPERF (build/tests/tools/make/mkperf), ROUNDS=60 of 166,000 events of the host, RUNS=3,
# STRICT=1: exit with status 1 if a "must" is missed
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../../.." && pwd)
CDICT=${CDICT:-$top/build/cdict} MKPERF=${MKPERF:-$top/build/tests/tools/make/mkperf}
ROUNDS=${ROUNDS:-60} RUNS=${RUNS:-3}
OFFSET=12345678901 ROUND=30100000000

line() { printf '%-66s %10s %8s %8s  %s\n' "$@"; }
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/cdict-guests.XXXXXX") && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

# made NAME MONO_NS WALL_NS N: NAME.data, its trace N times
made() {
	{
		echo "clock 1 $3 $2"
		cat "$1.trace"
	} >timed.trace
	"$MKPERF" --formats "$top/tests/data/formats" -o one.data timed.trace &&
		python3 "$top/tests/tools/make/bigperf.py" again one.data "$1.data" "$4" $ROUND
}
python3 "$top/tests/tools/make/mkguests.py" --seed 5 --seconds 30 --drift 0 --offset $OFFSET . || exit 1
wall=1700000000000000000
# the guest's wall clock is 3 ms ahead
made host 50000000000 $wall "$ROUNDS" && made web $((50000000000 - OFFSET)) $((wall + 3000000)) $((ROUNDS * 23 / 30)) || exit 1

# cpu COMMAND... - the median of its CPU seconds
cpu() {
	local TIMEFORMAT='%3U %3S' i
	for ((i = 0; i < RUNS; i++)); do
		{ time "$@" 2>err; } 2>>time.out || sed 's/^/guests.sh: /' err >&2
	done
	awk '{ print $1 + $2 }' time.out | sort -n | sed -n "$((RUNS / 2 + 1))p"
	rm time.out
}
convert=0
for name in host web; do
	convert=$(awk "BEGIN { print $convert + $(cpu "$CDICT" convert -q -i $name.data -o $name.cdict) }")
done
missed=0
row() { # WHAT COMMAND...
	local spent verdict=ok
	spent=$(cpu "${@:2}")
	awk "BEGIN { exit !($spent <= 1.5 * $convert) }" || verdict=MISSED
	[ $verdict = ok ] || missed=1
	line "$1 ($spent s : $convert s)" "$(awk "BEGIN { printf \"%.2f\", $spent / $convert }")" 1.5 - "$verdict"
}
events() { "$CDICT" info --json "$1.cdict" | jq '[.events[].count] | add'; }
row "join of $(events host) and $(events web) events, CPU against converting both" \
	"$CDICT" join -q host.cdict 1000=web.cdict --clock $OFFSET -o both.cdict
row "the same, clock by the events" "$CDICT" join -q host.cdict 1000=web.cdict -o both.cdict
"$CDICT" info --json both.cdict | jq -r '.guests[0] | "\(.clock_error_ns) \(.clock_knots)"' | tr ' ,:' '   ' |
	awk -v offset=$OFFSET '{ for (i = 2; i < NF; i += 2) { apart = $(i + 1) - $i - offset; if (apart < 0) apart = -apart
		if (apart > $1) print "guests.sh: the clock is " apart " ns from the truth, stated " $1 > "/dev/stderr" } }'
[ $missed = 0 ] || [ -z "${STRICT:-}" ] || exit 1
