#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Rollups, the sums of 60 buckets of a host, change no figure: tables and pages of a job are the same, byte for byte, when its rollups
# are removed. They are written by 'cdict push', by a recording and from its spool, and used only when the values of their buckets are there.
# needs: python3 jq
# timeout: 300
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1
MKJOB=$BUILD/tests/tools/make/mkjob
export CDICT_STORE=$PWD/jobs

# all JOB DIR - everything that commands print of a job
all() {
	local table
	mkdir -p "$2"
	for table in tasks latency exits 'exits --by reason' vcpu 'vcpu --by vm' 'job show'; do
		# shellcheck disable=SC2086
		if [ "$table" = 'job show' ]; then "$CDICT" job show "$1" --json; else "$CDICT" $table --job "$1" --json; fi >"$2/$table" 2>&1
		echo "status $?" >>"$2/$table"
	done
	"$CDICT" report -q --job "$1" --no-host-pages -o "$2/page.html" 2>"$2/report.err"
	echo "status $?" >>"$2/report.err"
	"$CDICT" report -q --job "$1" --job "$1" -o "$2/compared.html" 2>"$2/compared.err"
}
rollups() { find "$CDICT_STORE/$1" -path '*/r%3A*' -type f | wc -l; }
# unchanged JOB N - the job has N rollups, and is the same without them
unchanged() {
	[ "$(rollups "$1")" -eq "$2" ] || echo "$(rollups "$1") rollups, wanted $2"
	all "$1" with
	mkdir -p away && mv "$CDICT_STORE/$1"/r* away/
	all "$1" without
	mv away/* "$CDICT_STORE/$1"/
	diff -r with without | cut -c1-300
	rm -r with without
}

made_up() {
	"$CDICT" job create many && "$MKJOB" "$CDICT_STORE" many 7 150 || return
	unchanged many 21
	# pushing adds none
	"$CDICT" job create again && "$MKJOB" "$CDICT_STORE" again 1 130 && "$MKJOB" "$CDICT_STORE" again 1 130
	unchanged again 3
}
verdict sums_of_a_minute_change_nothing "$(made_up 2>&1)"

recorded() {
	"$CDICT" job create real --bucket 2ms
	"$CDICT" push -q --job real a.cdict && "$CDICT" push -q --job real b.cdict || return
	sums real a.cdict b.cdict
	[ "$(rollups real)" -ge 3 ] || echo "$(rollups real) rollups"
	unchanged real "$(rollups real)"
}
captures
verdict captures_have_them_and_the_same_sums "$(recorded 2>&1)"

spoiled() {
	local value rollup
	"$CDICT" job create odd && "$MKJOB" "$CDICT_STORE" odd 2 70 || return
	mkdir -p kept && cp -r "$CDICT_STORE/odd" kept/
	rollup=$(find "$CDICT_STORE/odd" -path '*/r%3Ahost-0001/*' | sort | head -n 1)
	again() { rm -rf "$CDICT_STORE/odd" && cp -r kept/odd "$CDICT_STORE/"; }
	# a value that the store lost: its rollup is not used, so the job has one bucket less
	value=$(find "$CDICT_STORE/odd" -path '*/h%3Ahost-0001/*' | sort | sed -n 40p)
	rm "$value"
	unchanged odd 4
	[ "$("$CDICT" job show odd --json 2>/dev/null | jq '[.hosts[].buckets] | add')" = 139 ] || echo 'a lost value is counted'
	again
	# one under the name of another capture or number: its buckets are not there
	cp "$rollup" "${rollup%/*}/00000000000000ff.${rollup##*.}"
	cp "$rollup" "${rollup%.*}.7"
	unchanged odd 6
	again
	# one of another version: the buckets' values are read
	printf '\2' | dd of="$rollup" bs=1 seek=4 conv=notrunc status=none
	unchanged odd 4
	again
	# a foreign name
	cp "$rollup" "${rollup%/*}/readme" && cp "$rollup" "${rollup%.*}.007"
	unchanged odd 6
	again
	# a damaged one is reported by its name
	printf x | dd of="$rollup" bs=1 seek=200 conv=notrunc status=none
	"$CDICT" tasks -q --job odd >/dev/null 2>err && echo 'a damaged rollup was taken'
	grep -q "job odd, host host-0001, rollup ${rollup##*/}: " err && [ "$(wc -l <err)" = 1 ] || cat err
}
verdict rollups_are_used_only_when_their_values_are_there "$(spoiled 2>&1)"

# grown N - the job live has at least N buckets
grown() { [ "$("$CDICT" job show live --json | jq '[.hosts[].buckets] | add // 0')" -ge "$1" ]; }
# until_ COMMAND... - waits up to a minute until it succeeds
until_() {
	local n=0
	until "$@" >/dev/null 2>&1; do
		[ $((n += 1)) -lt 600 ] || { echo "never: $*"; return 1; }
		sleep 0.1
	done
}
rolled_up() { [ "$(rollups live)" -ge 1 ]; }

growing() {
	local pid
	"$CDICT" job create live --bucket 10ms
	"$CDICT" record -q -o r.cdict --push --job live 2>err &
	pid=$!
	until_ rolled_up || cat err
	kill -0 $pid || echo 'it has ended: nothing was rolled up while it recorded'
	kill -INT $pid
	wait $pid || { echo "status $?"; cat err; }
	"$CDICT" push --job live r.cdict 2>push.err
	grep -q ' 0 of [0-9]* buckets added' push.err || cat push.err
	unchanged live "$(rollups live)"
	# the store was away: pushed from the spool
	"$CDICT" record -q -s 1300ms -o s.cdict --push --job away 2>/dev/null
	"$CDICT" job create away && "$CDICT" push -q --spool s.cdict.spool || echo "spool: status $?"
	[ "$(rollups away)" = 0 ] || echo "two buckets have a rollup"
	mkdir -p spool/away && "$CDICT" job create spooled --bucket 10ms && "$CDICT" push -q --job spooled r.cdict
	mv "$CDICT_STORE/spooled" spool/ && rm -r spool/spooled/r* && "$CDICT" job create spooled --bucket 10ms
	"$CDICT" push -q --spool spool --job spooled || echo "spool: status $?"
	[ "$(rollups spooled)" -ge 1 ] || echo 'no rollup of values from a spool'
	unchanged spooled "$(rollups spooled)"
}
if "$CDICT" record -q -s 100ms -o may.cdict 2>may.err; then
	verdict recordings_and_spools_have_them "$(growing 2>&1)"
else
	skip recordings_and_spools_have_them "may not record here: $(tail -n 1 may.err)"
fi

if ! command -v redis-server >/dev/null || "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis'; then
	skip redis_has_them_too 'no redis-server, or built without hiredis'
	exit
fi
port=$(free_port)
start_redis "$port" r
in_redis() {
	local key
	export CDICT_STORE=redis://127.0.0.1:$port
	"$CDICT" job create many && "$MKJOB" "$CDICT_STORE" many 7 150 || return
	all many with
	[ "$(redis-cli -p "$port" --scan --pattern '*:s:r:*' | wc -l)" = 7 ] || echo 'not all hosts have rollups'
	redis-cli -p "$port" --scan --pattern '*:s:r:*' | while read -r key; do redis-cli -p "$port" del "$key" >/dev/null; done
	all many without
	diff -r with without | cut -c1-300
	[ "$(redis-cli -p "$port" hlen 'cdict:{many}:s:h:host-0000')" = 150 ] || echo 'values are gone'
	"$CDICT" job remove many
	[ -z "$(redis-cli -p "$port" keys '*many*')" ] || redis-cli -p "$port" keys '*'
}
verdict redis_has_them_too "$(in_redis 2>&1)"
stop_servers
