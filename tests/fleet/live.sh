#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: moments of a clock
# Values pushed during a recording equal those of the file: pushing the file later adds nothing. Whatever the store does, the recording continues:
# values that it does not accept are spooled, and pushed from the spool. Waiting recorders start at the same moment.
# needs: python3 jq
# waits: 1
# timeout: 600
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1

names="pushes_while_it_records store_that_dies_is_spooled store_faults_do_not_touch_the_recording slow_store_does_not_delay
	spool_is_reported_and_refused waiting_recordings_begin_together waiting_is_ended_and_late_ones_are_reported"
if ! "$CDICT" record -q -s 200ms -o may.cdict 2>may.err; then
	for name in $names; do skip "$name" "may not record here: $(tail -n 1 may.err)"; done
	exit
fi

# load - tasks that wake each other until they are killed
cat >load.py <<'EOF'
import os, time
a, b = os.pipe(), os.pipe()
if os.fork():
    os.close(a[0]), os.close(b[1])
    while os.write(a[1], b"x") and os.read(b[0], 1): time.sleep(0.002)
else:
    os.close(a[1]), os.close(b[0])
    while os.read(a[0], 1): os.write(b[1], b"x")
EOF
python3 load.py 2>/dev/null &
load=$!
trap 'kill $load; stop_servers' EXIT

# until_ COMMAND... - waits up to a minute until it succeeds
until_() {
	local n=0
	until "$@" >/dev/null 2>&1; do
		[ $((n += 1)) -lt 1200 ] || { echo "never: $*"; return 1; }
		sleep 0.05
	done
}
buckets() { [ "$("$CDICT" job show "$1" --json | jq '[.hosts[].buckets] | add // 0')" -ge "$2" ]; }

# same JOB FILE - the job's figures equal the file's, and pushing the file adds nothing
same() {
	local of
	"$CDICT" push --job "$1" "$2" 2>push.err || cat push.err
	grep -q ' 0 of [0-9]* buckets added' push.err || cat push.err
	of='.total | del(.latency_max_at_ns, .latency_avg_ns, .latency_p50_ns, .latency_p99_ns, .slice_p50_ns, .slice_p99_ns)'
	"$CDICT" tasks -q --job "$1" --json | jq -S "$of" >job.total
	"$CDICT" tasks -q --merge-sys-tasks --json "$2" | jq -S "$of" >file.total
	diff job.total file.total
	[ "$(jq .switches job.total)" -gt 100 ] || echo "nothing was recorded"
}
# unlost FILE - the recording is complete and lost nothing
unlost() {
	"$CDICT" info -q --verify "$1" | grep -q whole || echo "$1 is not whole"
	[ "$("$CDICT" info -q --json "$1" | jq .loss.lost)" = 0 ] || "$CDICT" info -q "$1" | grep -i lost
}

while_it_records() {
	"$CDICT" job create live || return
	"$CDICT" record -o a.cdict --push --job live 2>err &
	local pid=$!
	until_ buckets live 2 || cat err
	kill -0 $pid || echo "it has ended: the buckets were not pushed while it recorded"
	kill -INT $pid
	wait $pid || { echo "status $?"; cat err; }
	grep -q 'job live: [0-9]* buckets\? pushed' err || cat err
	[ ! -e a.cdict.spool ] || echo "a spool without need"
	same live a.cdict
}
export CDICT_STORE=$PWD/jobs
verdict pushes_while_it_records "$(while_it_records 2>&1)"

refused() {
	local words
	for words in '--push' '--job live' '--wait' '--spool x' '--store x' '--push --job live -o -' '--push --job live --keep 1s' '--push --job 1'; do
		# shellcheck disable=SC2086
		"$CDICT" record $words -s 100ms >/dev/null 2>err
		[ $? = 129 ] || { echo "$words: taken"; cat err; }
	done
	"$CDICT" push --spool nowhere 2>err && echo "pushed from nowhere"
	grep -q 'nowhere: no spooled figures' err || cat err
	# a missing job: reported, spooled, pushed when it exists
	"$CDICT" record -s 2500ms -o n.cdict --push --job missing 2>err
	[ $? = 2 ] || echo "status 0 without a job"
	[ "$(grep -c 'no job missing.*spooling figures to n.cdict.spool' err)" = 1 ] || cat err
	grep -q "buckets\? \(is\|are\) in n.cdict.spool: 'cdict push --job missing --spool n.cdict.spool' pushes \(it\|them\)" err || cat err
	"$CDICT" job create missing --bucket 10ms
	"$CDICT" push --spool n.cdict.spool 2>err && echo "buckets of another length were taken"
	grep -q 'spooled buckets are 1000 ms long, but those of job missing are 10 ms long' err || cat err
	"$CDICT" job remove missing && "$CDICT" job create missing
	"$CDICT" push --spool n.cdict.spool 2>err || cat err
	[ ! -e n.cdict.spool ] || find n.cdict.spool
	same missing n.cdict
}
verdict spool_is_reported_and_refused "$(refused 2>&1)"

# ---- one moment ----

waiting() { [ "$("$CDICT" job show "$1" --json | jq '[.waits[] | select(.state == "waits")] | length')" = "$2" ]; }
first() { "$CDICT" info -q --json "$1" | jq .first_event_wall_ns; }

# began - starts three of them; prints the distance of their first events from each other and from the start time, in ns
together() {
	local i at pids=()
	"$CDICT" job remove "$1" 2>/dev/null
	"$CDICT" job create "$1" || return
	for i in 1 2 3; do
		"$CDICT" record --wait --job "$1" -o w$i.cdict 2>w$i.err &
		pids+=($!)
	done
	until_ waiting "$1" 3 || return
	"$CDICT" job start "$1" --in 4s --seconds 1 2>err || cat err
	grep -q "$1: 3 recorders wait" err || cat err
	for i in "${pids[@]}"; do wait "$i" || echo "status $?"; done
	at=$("$CDICT" info --json w1.cdict | jq -r '.about["job.start_wall_ns"]')
	# the bound applies to the times in the files
	for i in 1 2 3; do echo $(($(first w$i.cdict) - at)); done | sort -n >begins
	echo "$(tail -n 1 begins) $(head -n 1 begins)" >apart
}
begin() {
	local low high
	together m1 || return
	read -r high low <apart
	# repeat if the machine stalled
	[ $((high - low)) -lt 50000000 ] || { together m1; read -r high low <apart; }
	[ $((high - low)) -lt 50000000 ] || echo "begins are $((high - low)) ns apart: $(tr '\n' ' ' <begins)"
	[ "$low" -gt -1000000 ] || echo "one began before the moment: $low ns"
	"$CDICT" job show m1 --json >show
	jq -e '[.waits[] | select(.state == "recorded" and (.clock_offset_ns | fabs) < 1e9)] | length == 3' show >/dev/null || jq .waits show
	"$CDICT" info w1.cdict | grep -q '^started by  *job m1 for ' || "$CDICT" info w1.cdict
	"$CDICT" job remove m1
}
ended() {
	local pid
	"$CDICT" job create m2 || return
	"$CDICT" record --wait --job m2 -o e.cdict 2>err &
	pid=$!
	until_ waiting m2 1
	kill -INT $pid
	wait $pid
	[ $? = 1 ] && grep -q 'interrupted while waiting' err && [ ! -e e.cdict ] || cat err
	"$CDICT" job show m2 --json | jq -e '.waits[0].state == "gave up"' >/dev/null || "$CDICT" job show m2
	"$CDICT" job start m2 --in 1ms 2>err || echo "status $?"
	grep -q 'no host is waiting' err || cat err
	# that start is over; the next one is used
	"$CDICT" record --wait --job m2 -s 300ms -o e.cdict 2>err &
	pid=$!
	until_ waiting m2 1
	grep -q 'job m2 was started .* ago: waiting for the next start' err || cat err
	"$CDICT" job start -q m2 --in 200ms
	wait $pid || cat err
	unlost e.cdict
	"$CDICT" record --wait --job m3 -s 300ms -o f.cdict 2>err && echo "waited for nothing"
	grep -q 'no job m3' err && [ ! -e f.cdict ] || cat err
	"$CDICT" job remove m2
}
verdict waiting_is_ended_and_late_ones_are_reported "$(ended 2>&1)"

if ! command -v redis-server >/dev/null || "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis'; then
	verdict waiting_recordings_begin_together "$(begin 2>&1)"
	for name in store_that_dies_is_spooled store_faults_do_not_touch_the_recording slow_store_does_not_delay; do
		skip $name 'no redis-server, or built without hiredis'
	done
	exit
fi

# ---- a server ----

port=$(free_port)
start_redis "$port" r --appendonly yes --appendfsync always
export CDICT_STORE=redis://127.0.0.1:$port
verdict waiting_recordings_begin_together "$(begin 2>&1)"

# not in a subshell, because this shell must end the servers
dies() {
	local pid
	"$CDICT" job create live || return
	"$CDICT" record -o d.cdict --push --job live 2>err &
	pid=$!
	until_ buckets live 1 || cat err
	kill -9 "${servers[-1]}"
	wait "${servers[-1]}" 2>/dev/null
	until_ test -d d.cdict.spool/live || cat err
	kill -INT $pid
	wait $pid
	[ $? = 2 ] || echo "status 0 with a spool"
	[ "$(grep -c "job live: redis://127.0.0.1:$port: .*spooling figures to d.cdict.spool" err)" -ge 1 ] || cat err
	grep -q "buckets\? \(is\|are\) in d.cdict.spool: 'cdict push --job live --spool d.cdict.spool' pushes \(it\|them\)" err || cat err
	unlost d.cdict
	"$CDICT" push --spool d.cdict.spool 2>err && echo "pushed to a dead store"
	start_redis "$port" r --appendonly yes --appendfsync always
	"$CDICT" push --spool d.cdict.spool --job live 2>err || cat err
	grep -q 'job live, d.cdict.spool: [1-9][0-9]* of' err || cat err
	[ ! -e d.cdict.spool ] || find d.cdict.spool
	same live d.cdict
	# the server returns during the recording: spooled values follow automatically
	"$CDICT" job create back
	kill -9 "${servers[-1]}"
	wait "${servers[-1]}" 2>/dev/null
	"$CDICT" record -o b.cdict --push --job back 2>err &
	pid=$!
	until_ test -d b.cdict.spool/back || cat err
	start_redis "$port" r --appendonly yes --appendfsync always
	until_ buckets back 1 || cat err
	kill -INT $pid
	wait $pid || echo "status $?"
	grep -q 'job back: the store accepts figures again' err || cat err
	[ ! -e b.cdict.spool ] || find b.cdict.spool
	same back b.cdict
}
dies >wrong 2>&1
verdict store_that_dies_is_spooled "$(cat wrong)"

# faulty WHAT PATTERN - a recording with a store that answers like this
faulty() {
	"$CDICT" record -s 2500ms -o f.cdict --push --job live 2>err
	[ $? = 2 ] || echo "$1: status 0"
	[ "$(grep -c "redis://127.0.0.1:[0-9]*: .*$2.*spooling figures" err)" = 1 ] || { echo "$1:"; cat err; }
	unlost f.cdict
	[ -d f.cdict.spool/live ] || echo "$1: no spool"
}
faults() {
	local r="redis-cli -p $port" replica i
	$r config set requirepass secret >/dev/null
	REDISCLI_AUTH=wrong faulty password 'invalid\|WRONGPASS'
	REDISCLI_AUTH=secret redis-cli -p "$port" config set requirepass '' >/dev/null 2>&1
	rm -r f.cdict.spool
	$r config set maxmemory 1 >/dev/null
	faulty memory OOM
	$r config set maxmemory 0 >/dev/null
	rm -r f.cdict.spool
	replica=$(free_port)
	start_redis "$replica" replica --replicaof 127.0.0.1 "$port"
	for i in $(seq 100); do
		redis-cli -p "$replica" info replication | grep -q master_link_status:up && break
		sleep 0.1
	done
	CDICT_STORE=redis://127.0.0.1:$replica faulty replica "use the master's address"
	"$CDICT" push --spool f.cdict.spool 2>err || cat err
	[ ! -e f.cdict.spool ] || echo "$i: the spool is still there"
	"$CDICT" push --job live f.cdict 2>&1 | grep -q ' 0 of [0-9]* buckets added' || echo "not all had been spooled"
}
faults >wrong 2>&1
verdict store_faults_do_not_touch_the_recording "$(cat wrong)"

# Every answer is delayed by a second.
cat >slow.py <<'EOF'
import socket, sys, threading, time
def pump(a, b, wait):
    try:
        while data := a.recv(65536):
            time.sleep(wait)
            b.sendall(data)
    except OSError: pass
    b.close()
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
while True:
    a = s.accept()[0]
    b = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    threading.Thread(target=pump, args=(a, b, 0), daemon=True).start()
    threading.Thread(target=pump, args=(b, a, 1), daemon=True).start()
EOF
slow() {
	local s
	python3 slow.py "$port" >slow.port &
	servers+=($!)
	until_ test -s slow.port
	"$CDICT" job remove live && "$CDICT" job create live
	CDICT_STORE=redis://127.0.0.1:$(cat slow.port) "$CDICT" record -s 3s -o s.cdict --push --job live 2>err || { echo "status $?"; cat err; }
	# the recording ends in time; the remaining values are pushed afterwards
	s=$("$CDICT" info --json s.cdict | jq .window_ns.length)
	[ "$s" -lt 4500000000 ] && [ "$s" -gt 2500000000 ] || echo "three seconds were $s ns"
	unlost s.cdict
	same live s.cdict
}
slow >wrong 2>&1
verdict slow_store_does_not_delay "$(cat wrong)"
