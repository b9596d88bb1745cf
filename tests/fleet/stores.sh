#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The same tests for every store: a folder, a Redis server, a cluster of three. Jobs are created (only once), listed, shown, removed completely, and expire;
# parallel and repeated pushes give the exact sum of the captures.
# needs: python3 jq
# timeout: 300
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1

ids() { "$CDICT" job list --json | jq -r '.jobs[].job' | tr '\n' ' '; }

# life - create, reject a second one, list, remove
life() {
	"$CDICT" job create 2001 --info 'a job' --ttl 1d || echo "create failed"
	"$CDICT" job create 2001 2>err && echo "created twice"
	grep -q 'job 2001 already exists' err || cat err
	"$CDICT" job create night || echo "a name is refused as an id"
	[ "$(ids)" = '2001 night ' ] || echo "list: $(ids)"
	"$CDICT" job show 2001 --json | jq -e '.jobs[0].info == "a job"' >/dev/null || echo "no info"
	"$CDICT" job remove night || echo "remove failed"
	"$CDICT" job remove night 2>err && echo "removed twice"
	grep -q 'no job night' err || cat err
	"$CDICT" push -q --job night a.cdict 2>err && echo "pushed into nothing"
	grep -q 'no job night' err || cat err
	[ "$(ids)" = '2001 ' ] || echo "list: $(ids)"
	"$CDICT" job remove 2001
}

# adds - two pushes at a time, each twice: nothing is counted twice
adds() {
	local i
	"$CDICT" job create 2002 --bucket 10ms
	for i in 1 2 3 4; do
		"$CDICT" push -q --job 2002 a.cdict &
		pushers[i]=$!
		"$CDICT" push -q --job 2002 b.cdict &
		pushers[i + 4]=$!
	done
	wait "${pushers[@]}"
	sums 2002 a.cdict b.cdict
	# eight hosts: eight times the figures, VMs separate
	"$CDICT" job create 2003
	for i in 1 2 3 4 5 6 7 8; do
		"$CDICT" push -q --job 2003 --host "h$i" a.cdict &
		pushers[i]=$!
	done
	wait "${pushers[@]}"
	"$CDICT" tasks --job 2003 --json >j.json
	[ "$(jq '.total.switches / 8' j.json)" = "$("$CDICT" tasks -q a.cdict --json | jq .total.switches)" ] || jq .total j.json
	[ "$(jq '.hosts | length' j.json)" = 8 ] || jq .hosts j.json
	"$CDICT" job remove 2002 && "$CDICT" job remove 2003
}

# files - are retrieved unchanged, and not at all when a chunk is missing or modified
files() {
	local dir=$PWD/pulled.$RANDOM f
	head -c 3000000 /dev/zero >>b.cdict # several chunks: data after the index is not a block
	"$CDICT" job create 2005 && "$CDICT" push -q --max-loss 100 --job 2005 --with-file a.cdict 2>/dev/null
	"$CDICT" push -q --job 2005 --with-file b.cdict 2>/dev/null
	"$CDICT" pull -q --job 2005 -o "$dir" || echo "pull: status $?"
	[ "$(ls "$dir" | wc -l)" = 2 ] || ls "$dir"
	for f in "$dir"/*; do cmp -s "$f" a.cdict || cmp -s "$f" b.cdict || echo "$f differs"; done
	"$CDICT" pull -q --job 2005 -o "$dir" --host missing 2>/dev/null && echo "files of a missing host"
	if [ -d "$CDICT_STORE" ]; then
		rm "$(ls "$CDICT_STORE"/2005/f*/*.000000000001)"
		rm -r "$dir"
		"$CDICT" pull --job 2005 -o "$dir" 2>err
		[ $? = 2 ] && grep -q 'chunks are missing' err && [ "$(ls "$dir" | wc -l)" = 1 ] || cat err
	fi
	"$CDICT" job remove 2005
	captures
}

# expires - the job with all its values
expires() {
	"$CDICT" job create 2004 --ttl 1500ms && "$CDICT" push -q --job 2004 a.cdict
	[ "$(ids)" = '2004 ' ] || echo "list: $(ids)"
	sleep 2
	[ "$(ids)" = '' ] || echo "still there: $(ids)"
	"$CDICT" job show 2004 2>/dev/null && echo "shown"
	"$CDICT" job create 2004 && "$CDICT" job show 2004 --json | jq -e '.hosts == []' >/dev/null || echo "not new"
	"$CDICT" job remove 2004
}

store() {
	export CDICT_STORE=$2
	verdict "$1_jobs_live" "$(life 2>&1)"
	verdict "$1_adds_up" "$(adds 2>&1)"
	verdict "$1_has_files" "$(files 2>&1)"
	verdict "$1_jobs_expire" "$(expires 2>&1)"
}

captures
store folder "$PWD/jobs"
verdict folder_is_empty_afterwards "$(ls -A jobs)"

if ! command -v redis-server >/dev/null; then
	for name in redis cluster; do echo "skip ${name}_adds_up redis-server is not installed"; done
	exit
fi
if "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis'; then
	for name in redis cluster; do echo "skip ${name}_adds_up built without hiredis"; done
	exit
fi
port=$(free_port)
start_redis "$port" r1 --appendonly yes
redis-cli -p "$port" set other value >/dev/null
store redis "redis://127.0.0.1:$port"
verdict redis_keeps_nothing_but_others "$(redis-cli -p "$port" keys '*' | grep -vx other)"
verdict redis_has_others "$([ "$(redis-cli -p "$port" get other)" = value ] || echo gone)"

start_cluster c
store cluster "redis://127.0.0.1:$cluster_port"
