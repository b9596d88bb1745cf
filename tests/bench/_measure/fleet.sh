#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A hundred hosts with a minute of one-second buckets in one Redis server: memory used there, and the cost of pushing and of the page.
# Prints lines of the table of tests/bench/_measure/run.sh, which calls it.
#
# Environment: CDICT the program, FLEETLOAD (build/tests/tools/make/fleetload), HOSTS=100, BUCKETS=60, STRICT=1: exit with status 1 if a "must" is missed
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../../.." && pwd)
export CDICT=${CDICT:-$top/build/cdict}
FLEETLOAD=${FLEETLOAD:-$top/build/tests/tools/make/fleetload}
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
[ "$verdict" = ok ] || [ -z "${STRICT:-}" ] || exit 1
