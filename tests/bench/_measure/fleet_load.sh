#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Hosts push for minutes into a cluster of three Redis servers on this machine: at real pace, one bucket a second each, and as
# fast as possible. Prints pushes a second, lag, memory and CPU of each node, and the controller's cost of reading the job.
#
#   tests/bench/_measure/fleet_load.sh                         a thousand hosts, ten minutes: needs a quarter of an hour and 7 GB of memory
#   HOSTS=20 BUCKETS=5 MOST=2 tests/bench/_measure/fleet_load.sh
#
# Environment: CDICT the program, FLEETLOAD (build/tests/tools/make/fleetload), HOSTS=1000, BUCKETS=600 (seconds), MOST=20 (buckets per
#   host at full speed), READ=20000 (buckets that are read back and added up), SPREAD=1000 (ms after a bucket's end within which hosts push it), WORKERS=4, VARIANTS=16 (hosts
#   with different values), NICE=10 (for servers, hosts and reader), LOAD_DIR=dir to write into
#
# Status 77: a dependency is missing. 1: some buckets did not arrive.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../../.." && pwd)
export CDICT=${CDICT:-$top/build/cdict}
FLEETLOAD=${FLEETLOAD:-$top/build/tests/tools/make/fleetload}
HOSTS=${HOSTS:-1000} BUCKETS=${BUCKETS:-600} MOST=${MOST:-20} READ=${READ:-20000} SPREAD=${SPREAD:-1000} WORKERS=${WORKERS:-4} VARIANTS=${VARIANTS:-16}
. "$top/tests/bench/_measure/_fleet.sh"
missing=$(fleet_missing) && { echo "fleet_load.sh: $missing" >&2; exit 77; }
renice -n "${NICE:-10}" $$ >/dev/null
# each host has two connections: to the first node in the address, and to the job's node
ulimit -n "$(ulimit -Hn)"

dir=$(mktemp -d "${LOAD_DIR:-${TMPDIR:-/var/tmp}}/cdict-load.XXXXXX") && cd "$dir" || exit 1
trap 'stop_servers; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
wrong=0

line() { printf '%-58s %s\n' "$@"; }
json() { jq -r "$1" "$2"; }

fleet_values from
start_cluster c || exit 1
export CDICT_STORE=redis://127.0.0.1:$cluster_port
mapfile -t nodes < <(redis-cli -p "$cluster_port" cluster nodes | sed -n 's/^[^ ]* 127.0.0.1:\([0-9]*\)@.*/\1/p' | sort -n)
node_of() { # JOB
	redis-cli -p "$cluster_port" cluster nodes | awk -v slot="$(redis-cli -p "$cluster_port" cluster keyslot "cdict:{$1}")" '
		{ for (i = 9; i <= NF; i++) { split($i, r, "-"); if (slot >= r[1] && slot <= (r[2] == "" ? r[1] : r[2])) { sub(/@.*/, "", $2); sub(/.*:/, "", $2); print $2 } } }'
}
info() { redis-cli -p "$1" info "$2" | tr -d '\r' | sed -n "s/^$3://p"; }

# tell_nodes - prints memory and CPU of each node
tell_nodes() {
	local port
	for port in "${nodes[@]}"; do
		line "  node $port: memory used, of the system, MiB" "$(awk "BEGIN { printf \"%.1f %.1f\", $(info "$port" memory used_memory) / 1048576, $(info "$port" memory used_memory_rss) / 1048576 }")"
		line "  node $port: CPU s since it began, connections so far" "$(awk "BEGIN { printf \"%.1f\", $(info "$port" cpu used_cpu_user) + $(info "$port" cpu used_cpu_sys) }") $(info "$port" stats total_connections_received)"
	done
}

# arrived JOBS OUT - checks that every bucket of every host arrived, in the nodes and in the counts of shelves; for a run that is
# quick to read, also that all its events did
arrived() {
	local job port n=0 counted=0 events
	for job in ${1//,/ }; do
		port=$(node_of "$job")
		counted=$((counted + $(redis-cli -p "$port" hvals "cdict:{$job}:shelves" | awk '{ n += $1 } END { print n + 0 }')))
		n=$((n + $(redis-cli -p "$port" hkeys "cdict:{$job}:shelves" | sed "s/.*/hlen cdict:{$job}:s:&/" | redis-cli -p "$port" | awk '{ n += $1 } END { print n + 0 }')))
	done
	[ "$n" = "$(json .pushes "$2")" ] && [ "$counted" = "$n" ] || { echo "NOT ALL ARRIVED: $n buckets, counted $counted; pushed: $(cat "$2")"; wrong=1; }
	line "  buckets in the store" "$n"
	[ "$n" -le "$READ" ] || return 0
	for job in ${1//,/ }; do "$CDICT" job show "$job" --json || wrong=1; done >show.json
	events=$(jq -s '[.[].hosts[].events] | add // 0' show.json)
	[ "$events" = "$(json .events "$2")" ] || { echo "NOT ALL ARRIVED: $events events; pushed: $(cat "$2")"; wrong=1; }
	line "  events in the figures" "$events"
}

# timed WHAT COMMAND... - seconds of a command of the controller
timed() {
	local what=$1 TIMEFORMAT='%3R %3U %3S'
	shift
	{ time "$@" >timed.out; } 2>time.out || wrong=1
	line "  $what: s, user, system" "$(tail -n 1 time.out)"
}

echo "machine   $(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), load $(cut -d' ' -f1 /proc/loadavg) when it began; nice ${NICE:-10}"
echo "versions  $("$CDICT" --version | head -n 1), $(redis-server --version | grep -o 'v=[0-9.]*'); $WORKERS processes are $HOSTS hosts"

"$CDICT" job create paced || exit 1
echo "$HOSTS hosts, a bucket a second for $BUCKETS s, one job, each within $SPREAD ms of the bucket's end"
"$FLEETLOAD" from "$CDICT_STORE" paced "$HOSTS" "$BUCKETS" "$WORKERS" "$VARIANTS" "$SPREAD" >paced.json || exit 1
line "  pushes, seconds, pushes a second" "$(json '"\(.pushes) \(.seconds) \(.pushes_per_s)"' paced.json)"
line "  bytes of a value" "$(json '.value_bytes / .pushes | floor' paced.json)"
line "  lag from the bucket's end, ms: p50 p99 max" "$(json '"\(.lag_p50_ms) \(.lag_p99_ms) \(.lag_max_ms)"' paced.json)"
line "  of it from when it was pushed, ms: p50 p99 max" "$(json '"\(.wait_p50_ms) \(.wait_p99_ms) \(.wait_max_ms)"' paced.json)"
line "  the job is on node" "$(node_of paced)"
tell_nodes
arrived paced paced.json
timed "cdict job remove" "$CDICT" job remove paced

# most JOBS [read] - as fast as it goes; with the time to read it
most() {
	local job
	for job in ${1//,/ }; do "$CDICT" job create "$job" || exit 1; done
	"$FLEETLOAD" from "$CDICT_STORE" "$1" "$HOSTS" "$MOST" "$WORKERS" "$VARIANTS" >most.json || exit 1
	line "  pushes, seconds, pushes a second" "$(json '"\(.pushes) \(.seconds) \(.pushes_per_s)"' most.json)"
	line "  a push, ms: p50 p99 max" "$(json '"\(.wait_p50_ms) \(.wait_p99_ms) \(.wait_max_ms)"' most.json)"
	arrived "$1" most.json
	if [ -n "${2-}" ]; then
		timed "cdict vcpu" "$CDICT" vcpu -q --job "$1"
		timed "cdict report" "$CDICT" report -q --job "$1" -o page.html
		line "  its page, bytes" "$(stat -c %s page.html)"
	fi
	for job in ${1//,/ }; do "$CDICT" job remove "$job" || wrong=1; done
}
echo "as fast as it goes, one job"
most fast read
# jobs of which each is on a node of its own
spread=() taken=
for n in $(seq 100); do
	node=$(node_of "fast$n")
	case " $taken " in *" $node "*) continue ;; esac
	taken="$taken $node" spread+=("fast$n")
	[ ${#spread[@]} = 3 ] && break
done
echo "as fast as it goes, a job on each node"
most "$(IFS=,; echo "${spread[*]}")"
exit $wrong
