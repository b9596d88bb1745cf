#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A hundred hosts with a minute of one-second buckets in one Redis server: memory used there, and the cost of pushing and of the page.
# A thousand made-up hosts with ten minutes: the page (not with FAST=1: making them takes minutes).
# Prints lines of the table of tests/bench/_measure/run.sh, which calls it.
#
# Environment: CDICT the program, FLEETLOAD, MKJOB (in build/tests/tools/make), FAST=1, HOSTS=100, BUCKETS=60, STRICT=1: exit with status 1 if a "must" is missed
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../../.." && pwd)
export CDICT=${CDICT:-$top/build/cdict}
FLEETLOAD=${FLEETLOAD:-$top/build/tests/tools/make/fleetload}
MKJOB=${MKJOB:-$top/build/tests/tools/make/mkjob}
HOSTS=${HOSTS:-100} BUCKETS=${BUCKETS:-60}
. "$top/tests/bench/_measure/_fleet.sh"

line() { printf '%-66s %10s %8s %8s  %s\n' "$@"; }
note() { line "$1" "$2" - - "${3-}"; }
if missing=$(fleet_missing); then
	note "a job of $HOSTS hosts in Redis" - "skipped: $missing"
	exit 0
fi
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/cdict-fleet.XXXXXX") && cd "$dir" || exit 1
trap 'stop_servers; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

# cpu COMMAND... - prints its CPU seconds
cpu() {
	local TIMEFORMAT='%3U %3S'
	{ time "$@" >cpu.out; } 2>time.out || echo "fleet.sh: $*: status $?" >&2
	tail -n 1 time.out | awk '{ printf "%.2f", $1 + $2 }'
}

fleet_values from
port=$(free_port)
start_redis "$port" r || exit 1
export CDICT_STORE=redis://127.0.0.1:$port
"$CDICT" job create 2001 || exit 1
"$FLEETLOAD" from "$CDICT_STORE" 2001 "$HOSTS" "$BUCKETS" 2 "$HOSTS" >load.json || exit 1
bytes=$(redis-cli -p "$port" --scan --pattern 'cdict:{2001}*' | sed 's/.*/memory usage "&" samples 0/' | redis-cli -p "$port" | awk '{ n += $1 } END { print n }')
mib=$(awk "BEGIN { printf \"%.3f\", $bytes / 1048576 / ($HOSTS * $BUCKETS / 60) }")
verdict=ok
awk "BEGIN { exit !($mib < 1) }" || verdict=MISSED
note "job of $HOSTS hosts, $BUCKETS s: bytes in Redis, of them values" "$bytes" "$(jq .value_bytes load.json)"
line "the same, MiB a host and minute" "$mib" 1 - "$verdict"
note "the same: seconds to push all, pushes a second" "$(jq .seconds load.json)" "$(jq .pushes_per_s load.json)"
note "a push, ms: p50, p99" "$(jq .wait_p50_ms load.json)" "$(jq .wait_p99_ms load.json)"
note "its page (cdict report --job), s of CPU; bytes" "$(cpu "$CDICT" report -q --job 2001 -o page.html)" "$(stat -c %s page.html)"
note "its table (cdict vcpu --job), s of CPU" "$(cpu "$CDICT" vcpu -q --job 2001)"
if [ -z "${FAST:-}" ]; then
	"$CDICT" job remove 2001 && "$CDICT" job create 2002 && "$MKJOB" "$CDICT_STORE" 2002 1000 600 || exit 1
	seconds=$(for i in 1 2 3; do cpu "$CDICT" report -q --job 2002 -o page.html; echo; done | sort -n | sed -n 2p)
	fast=ok
	awk "BEGIN { exit !($seconds < 3) }" || fast=MISSED verdict=MISSED
	line "page of 1,000 made-up hosts, 600 s, s of CPU (median of 3)" "$seconds" 3 - "$fast"
	note "its table (cdict vcpu --job), s of CPU; page, bytes" "$(cpu "$CDICT" vcpu -q --job 2002)" "$(stat -c %s page.html)"
fi
[ "$verdict" = ok ] || [ -z "${STRICT:-}" ] || exit 1
