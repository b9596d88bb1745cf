#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Windows of 10 ms of 16 busy CPUs (make bench BENCH=wide): made-up events of a KVM host (mkhost), 340,000 a second, in the commands
# (CPU, user + system) and in the page's engine in Chromium.
#
# Environment: CDICT the program, MKHOST (build/tests/tools/make/mkhost), EVENTS=4000000, RUNS=3 of each window, the fastest counts;
# STRICT=1: exit with status 1 if a "must" is missed
set -u
export LC_ALL=C TZ=UTC
top=$(cd "$(dirname "$0")/../../.." && pwd)
export CDICT=${CDICT:-$top/build/cdict}
MKHOST=${MKHOST:-$top/build/tests/tools/make/mkhost} RUNS=${RUNS:-3} PLACES=40
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/cdict-wide.XXXXXX") && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
missed=0
line() { printf '%-66s %10s %8s %8s  %s\n' "$@"; }
holds() { awk "BEGIN { exit !($1) }"; }
row() { # WHAT VALUE MUST
	local verdict=ok
	holds "$2 <= $3" || verdict=MISSED
	[ $verdict = ok ] || missed=1
	line "$1" "$2" "$3" - "$verdict"
}

"$MKHOST" "$top/tests/data/formats" wide.cdict "${EVENTS:-4000000}" cpus=16 vms=16 vcpus=64 tasks=600 || exit 1
first=$("$CDICT" info wide.cdict | awk '/^first event/ { print $3 }')
last=$("$CDICT" info wide.cdict | awk '/^last event/ { print $3 }')

# windows COMMAND... - milliseconds of CPU of each place, the fastest of RUNS
windows() {
	local i k from to best took
	local TIMEFORMAT='%3U %3S'
	for ((i = 0; i < PLACES; i++)); do
		from=$(awk "BEGIN { printf \"%.6f\", $first + ($last - $first) * ($i + 0.5) / $PLACES }")
		to=$(awk "BEGIN { printf \"%.6f\", $from + 0.01 }") best=1000000
		for ((k = 0; k < RUNS; k++)); do
			{ time "$@" --time "$from,$to" wide.cdict >out; } 2>time.out || sed 's/^/wide.sh: /' time.out >&2
			took=$(tail -n 1 time.out | awk '{ printf "%d", 1000 * ($1 + $2) }')
			[ "$took" -ge "$best" ] || best=$took
		done
		echo "$best"
	done | sort -n
}
line "$("$CDICT" info wide.cdict | awk '/^events  / { print $2; exit }') events in $(awk "BEGIN { printf \"%.1f\", $last - $first }") s" measured must aim 'ok?'
for command in tasks stats; do
	windows "$CDICT" $command -q >$command.ms
	row "10 ms of 16 CPUs, cdict $command, ms of CPU, median of $PLACES places (worst $(tail -n 1 $command.ms))" "$(sed -n $((PLACES / 2))p $command.ms)" 10
done
if command -v chromium >/dev/null && command -v node >/dev/null; then
	"$CDICT" report -q wide.cdict -o wide.html || exit 1
	figures=$(node "$top/tests/page/_lib/speed.mjs" wide.html)
	number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" <<<"$figures"; }
	row "the page's engine, ms of CPU, median of 40 places (worst $(($(number figures_10ms_worst_us) / 1000)))" "$(($(number figures_10ms_us) / 1000))" 20
else
	line "the same in the page" - - - "skipped: needs chromium and node"
fi
[ $missed -eq 0 ] || [ -z "${STRICT:-}" ] || exit 1
