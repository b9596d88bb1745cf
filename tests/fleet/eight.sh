#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Eight hosts with different captures push at once: the job's tables are the sums of all files, and its percentiles are those of
# all single waits and slices, within a histogram's precision. For one capture they equal the file's.
# needs: python3 jq
# timeout: 600
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1

# With FEW=3, a host would push the same capture twice.
unset FEW
# Every host has a set of captures that no other host has; every capture is pushed by some host.
files=()
while read -r data; do
	is_large "$data" && continue
	name=$(basename "$data" .data)
	"$CDICT" convert -q --max-loss 100 -i "$data" -o "$name.cdict" 2>/dev/null
	[ "$("$CDICT" info -q --max-loss 100 --json "$name.cdict" | jq .capture.events)" -gt 100 ] && files+=("$name")
done < <(real_captures | grep /kvm-)
n=${#files[@]}
pairs=()
for ((i = 0; i < 8 || i < n; i++)); do
	host=h$((i % 8 + 1))
	pairs+=("$host=${files[i % n]}")
	((i < 5 || i > 7)) || pairs+=("$host=${files[(i + 2) % n]}")
done

for name in "${files[@]}"; do
	for command in tasks latency exits vcpu; do
		merge=--merge-sys-tasks
		[ $command = tasks ] || [ $command = latency ] || merge=
		"$CDICT" $command -q --max-loss 100 $merge --json "$name.cdict" >"$name.$command.json" ||
			# a capture without wake-ups has no latencies
			{ [ $? -eq 2 ] && [ $command = latency ] && ! grep -q '"sched:sched_wak' <<<"$("$CDICT" info -q --json "$name.cdict")"; } ||
			echo "$command of $name: status not 0" >>wrong
	done
	"$CDICT" query -q --max-loss 100 --format csv "
		SELECT 'slice' AS kind, name, vm, vcpu, utid, ts, dur, end_state AS state, NULL AS waker FROM sched_slice JOIN thread USING (utid) WHERE utid != 0
		UNION ALL
		SELECT 'wait', name, vm, vcpu, utid, ts, dur, state, waker_utid FROM thread_state JOIN thread USING (utid)
		WHERE state IN ('R', 'R+') AND utid != 0" "$name.cdict" >"$name.csv" || echo "query of $name: status $?" >>wrong
done
verdict captures_are_read "$(cat wrong 2>/dev/null)"

# push_all JOB - each host pushes its captures one after the other, all hosts in parallel
push_all() {
	local host pair pushers=()
	for host in h1 h2 h3 h4 h5 h6 h7 h8; do
		for pair in "${pairs[@]}"; do
			[ "${pair%%=*}" != $host ] || "$CDICT" push -q --max-loss 100 --job "$1" --host $host "${pair#*=}.cdict" || echo "$pair: status $?"
		done &
		pushers+=($!)
	done
	wait "${pushers[@]}"
}

# adds BUCKET
adds() {
	local command
	"$CDICT" job create 2001 --bucket "$1" || return
	push_all 2001
	[ "$("$CDICT" job show 2001 --json | jq -c '[.hosts[].host]')" = '["h1","h2","h3","h4","h5","h6","h7","h8"]' ] || "$CDICT" job show 2001
	for command in tasks latency exits vcpu; do
		"$CDICT" $command -q --max-loss 100 --json --job 2001 >job.$command.json || echo "$command: status $?"
		python3 "$TOP/tests/fleet/_lib/equal.py" $command job.$command.json "${pairs[@]/%/.$command.json}"
	done
	for command in tasks latency; do
		python3 "$TOP/tests/fleet/_lib/percentiles.py" exact $command job.$command.json "${pairs[@]/%/.csv}"
	done
	"$CDICT" job remove 2001
}

export CDICT_STORE=$PWD/jobs
verdict folder_has_eight_hosts "$(adds 100ms 2>&1)"

alone() {
	local name command
	for name in "${files[@]}"; do
		"$CDICT" job create 2002 --bucket 50ms && "$CDICT" push -q --max-loss 100 --job 2002 --host alone "$name.cdict"
		for command in tasks latency; do
			"$CDICT" $command -q --max-loss 100 --json --job 2002 >job.$command.json || echo "$command: status $?"
			python3 "$TOP/tests/fleet/_lib/percentiles.py" same $command job.$command.json "$name.$command.json" alone
		done
		"$CDICT" job remove 2002
	done
}
verdict one_capture_has_the_files_percentiles "$(alone 2>&1)"

if ! command -v redis-server >/dev/null || "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis'; then
	for name in redis cluster; do skip ${name}_has_eight_hosts 'no redis-server, or built without hiredis'; done
	exit
fi
port=$(free_port)
start_redis "$port" r --appendonly yes
export CDICT_STORE=redis://127.0.0.1:$port
verdict redis_has_eight_hosts "$(adds 1s 2>&1)"
start_cluster c
export CDICT_STORE=redis://127.0.0.1:$cluster_port
verdict cluster_has_eight_hosts "$(adds 1s 2>&1)"
