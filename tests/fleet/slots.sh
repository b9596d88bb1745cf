#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A job's slot moves to another node of the cluster: keys that have moved are read and written at their new node (ASK); commands on keys that are
# spread over both nodes wait for the move (TRYAGAIN).
# needs: python3 jq redis-server redis-cli
# timeout: 300
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1

if "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis'; then
	skip slot_that_moves 'built without hiredis'
	exit
fi
captures
start_cluster c || exit 1
export CDICT_STORE=redis://127.0.0.1:$cluster_port

cli() { redis-cli -p "$@" 2>&1; }
moves() {
	local slot from='' to='' port ports keys pid one both
	slot=$(cli "$cluster_port" cluster keyslot 'cdict:{2001}')
	"$CDICT" job create 2001 && "$CDICT" push -q --job 2001 --host one a.cdict || return
	mapfile -t ports < <(cli "$cluster_port" cluster nodes | sed -n 's/^[^ ]* 127.0.0.1:\([0-9]*\)@.*/\1/p')
	for port in "${ports[@]}"; do
		if [ "$(cli "$port" cluster countkeysinslot "$slot")" -gt 0 ]; then from=$port; else to=$port; fi
	done
	[ -n "$from" ] && [ -n "$to" ] || echo "no node has slot $slot"
	"$CDICT" tasks -q --job 2001 --json >before
	cli "$to" cluster setslot "$slot" importing "$(cli "$from" cluster myid)" | grep -vx OK
	cli "$from" cluster setslot "$slot" migrating "$(cli "$to" cluster myid)" | grep -vx OK
	mapfile -t keys < <(cli "$from" cluster getkeysinslot "$slot" 100)
	[ ${#keys[@]} = 3 ] || echo "keys: ${keys[*]}"
	cli "$from" migrate 127.0.0.1 "$to" '' 0 5000 keys "${keys[@]}" | grep -vx OK
	cli "$from" get 'cdict:{2001}' | grep -q '^ASK ' || echo "it is not asked elsewhere"
	# all keys are on a node that does not own the slot yet
	"$CDICT" tasks -q --job 2001 --json >after || echo "tasks: status $?"
	cmp before after
	"$CDICT" push -q --job 2001 --host one b.cdict || echo "push: status $?"
	one=$("$CDICT" job show 2001 --json | jq '.hosts[0].events')
	both=$(($("$CDICT" info -q --json a.cdict | jq .capture.events) + $("$CDICT" info -q --json b.cdict | jq .capture.events)))
	[ "$one" = $both ] || echo "$one events, not $both"
	# a new shelf: some keys of the script exist, one does not
	"$CDICT" push -q --job 2001 --host two a.cdict 2>err &
	pid=$!
	sleep 1
	kill -0 $pid 2>/dev/null || { echo "it did not wait"; cat err; }
	for port in "$to" "$from"; do
		cli "$port" cluster setslot "$slot" node "$(cli "$to" cluster myid)" | grep -vx OK
	done
	wait $pid || { echo "a new host: status $?"; cat err; }
	[ "$("$CDICT" job show 2001 --json | jq -c '[.hosts[].host]')" = '["one","two"]' ] || "$CDICT" job show 2001
	[ "$(cli "$from" cluster countkeysinslot "$slot")" = 0 ] || echo "keys are left over"
	"$CDICT" job remove 2001
	[ "$(cli "$to" cluster countkeysinslot "$slot")" = 0 ] || echo "keys were left"
}
verdict slot_that_moves "$(moves 2>&1)"
