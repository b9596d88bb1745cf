# SPDX-License-Identifier: GPL-2.0-only
# Sourced: functions shared by the benchmarks of many hosts. $top, $CDICT, $FLEETLOAD are set.
. "$top/tests/fleet/_lib/redis.sh"

# fleet_missing - prints the missing dependency; false: nothing is missing.
fleet_missing() {
	local tool
	for tool in "$CDICT" "$FLEETLOAD" redis-server redis-cli python3 jq; do
		command -v "$tool" >/dev/null || { echo "$tool is missing"; return; }
	done
	"$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis' && echo "built without hiredis"
}

# fleet_values DIR - creates a folder store with the buckets of real KVM hosts: those of tests/data, and others where available.
fleet_values() {
	local capture folder=$top/tests/data
	[ ! -d "$top/../shared/captures/kvm" ] || folder=$top/../shared/captures/kvm
	[ -z "${SHARED:-}" ] || [ ! -d "$SHARED/captures/kvm" ] || folder=$SHARED/captures/kvm
	"$CDICT" job create 2001 --store "$1"
	for capture in "$folder"/kvm-*.data; do
		"$CDICT" convert -q -i "$capture" -o capture.cdict &&
			"$CDICT" push -q --store "$1" --job 2001 --host "$(basename "$capture" .data)" capture.cdict
	done
	rm -f capture.cdict capture.cdict.old
}
