#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The pusher is killed at fifty moments; the server is killed in between and restarted from its append-only file: after one more push
# the totals are exact. Server errors are reported with the server's name and the cause, and foreign keys are not touched.
# needs: python3 jq redis-server redis-cli
# timeout: 600
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1

captures

# killed MS - a push that is killed after that time; returns whether it was still running
killed() {
	"$CDICT" push -q --job 2001 a.cdict b.cdict &
	local pid=$!
	sleep "0.$(printf %03d "$1")"
	kill -9 $pid 2>/dev/null
	figure kills 1
	local ran=$?
	wait $pid 2>/dev/null
	return $ran
}

# crashes BETWEEN - calls BETWEEN after half of them
crashes() {
	local i died=0
	"$CDICT" job create 2001 --bucket 1ms || return
	for i in $(seq 50); do
		killed $((i * 2)) && died=$((died + 1))
		[ "$i" = 25 ] && "$1"
	done
	[ $died -ge 20 ] || echo "only $died of 50 were killed while they ran"
	"$CDICT" push -q --job 2001 a.cdict b.cdict || return
	sums 2001 a.cdict b.cdict
	"$CDICT" job remove 2001 || return
}

export CDICT_STORE=$PWD/jobs
verdict folder_is_exact_after_fifty_kills "$(crashes true 2>&1)"
verdict folder_leaves_nothing "$(ls -A jobs)"

if "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis'; then
	skip redis_is_exact_after_fifty_kills 'built without hiredis'
	exit
fi
port=$(free_port)
export CDICT_STORE=redis://127.0.0.1:$port
start_redis "$port" r --appendonly yes --appendfsync always
restart() {
	kill -9 "${servers[-1]}"
	wait "${servers[-1]}" 2>/dev/null
	start_redis "$port" r --appendonly yes --appendfsync always
}
# not in a subshell, because this shell must end the servers
crashes restart >wrong 2>&1
verdict redis_is_exact_after_fifty_kills_and_its_own "$(cat wrong)"
verdict redis_has_no_key_left "$(redis-cli -p "$port" keys '*')"

# says PATTERN COMMAND... - the command fails with one line that has the reason and the server's name
says() {
	local pattern=$1
	shift
	"$@" >out 2>err && echo "$*: it went well"
	[ "$(wc -l <err)" = 1 ] && grep -q -- "$pattern" err && grep -q "127.0.0.1:" err || {
		echo "$*:"
		cat err
	}
}
faults() {
	local r="redis-cli -p $port"
	says 'Connection refused' "$CDICT" job list --store "redis://127.0.0.1:$(free_port)"
	"$CDICT" job create 2001 || echo "no job"
	$r set 'cdict:{2002}' 'something else' >/dev/null
	"$CDICT" job show 2002 2>err && echo "another program's text was taken"
	grep -q "is not a cdict job" err || cat err
	$r lpush 'cdict:{2003}' x >/dev/null
	says "the key belongs to another program" "$CDICT" job show 2003
	says "the key belongs to another program" "$CDICT" job create 2003
	$r set 'cdict:{2001}:s:h:compute-01' x >/dev/null
	says "the key belongs to another program" "$CDICT" push -q --job 2001 a.cdict
	$r del 'cdict:{2001}:s:h:compute-01' >/dev/null
	"$CDICT" push -q --job 2001 a.cdict || echo "push failed"
	# evicted values are reported
	$r del 'cdict:{2001}:s:h:compute-01' >/dev/null
	"$CDICT" tasks --job 2001 >/dev/null 2>err
	[ $? = 2 ] && grep -q 'the store evicted 2 pushed buckets' err || cat err
	$r hset 'cdict:{2001}:shelves' h:x -5 >/dev/null
	says "not in cdict's format" "$CDICT" tasks --job 2001
	$r hdel 'cdict:{2001}:shelves' h:x >/dev/null
	# out of memory
	$r config set maxmemory 1 >/dev/null
	says OOM "$CDICT" push -q --job 2001 a.cdict
	$r config set maxmemory 0 >/dev/null
	# a password
	$r config set requirepass secret >/dev/null
	says 'REDISCLI_AUTH' "$CDICT" job list
	echo wrong >password
	says 'invalid\|WRONGPASS' "$CDICT" job list --store-password password
	echo secret >password
	"$CDICT" job list --store-password password >/dev/null || echo "with a password: failed"
	REDISCLI_AUTH=secret "$CDICT" job list --json | jq -e '.jobs[0].job == "2001"' >/dev/null || echo "REDISCLI_AUTH: failed"
	redis-cli -p "$port" --no-auth-warning -a secret config set requirepass '' >/dev/null
	# a replica
	local replica
	replica=$(free_port)
	start_redis "$replica" replica --replicaof 127.0.0.1 "$port"
	for _ in $(seq 100); do
		redis-cli -p "$replica" info replication | grep -q master_link_status:up && break
		sleep 0.1
	done
	"$CDICT" job show 2001 --store "redis://127.0.0.1:$replica" >/dev/null || echo "a replica cannot be read"
	says "use the master's address" "$CDICT" push -q --job 2001 --store "redis://127.0.0.1:$replica" a.cdict
	[ "$($r get 'cdict:{2002}')" = 'something else' ] && [ "$($r type 'cdict:{2003}')" = list ] || echo "others' keys were touched"
}
faults >wrong 2>&1
verdict redis_faults_are_reported "$(cat wrong)"
