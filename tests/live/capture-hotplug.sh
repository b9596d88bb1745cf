#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 120
#
# CPUs that go offline and online during a recording. This test takes the last CPU of the machine offline, for a
# second or two at a time, and always brings it back.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

cpu=$(($(getconf _NPROCESSORS_CONF) - 1))
switch=/sys/devices/system/cpu/cpu$cpu/online

back() {
	local i
	[ "$(cat "$switch" 2>/dev/null)" = 0 ] || return 0
	for ((i = 0; i < 50; i++)); do
		echo 1 >"$switch" && return
		sleep 0.2
	done 2>/dev/null
	echo "CPU $cpu does not come back"
}
away() { echo 0 >"$switch" || echo "CPU $cpu cannot be taken offline again"; }

# begin OPTIONS... - in the background; sets pid
begin() {
	"$CDICT" record -o x.cdict "$@" 2>rec.err &
	pid=$!
	ready $pid
	sleep 0.5
}
end() {
	kill -INT $pid
	wait $pid || { echo "record ends with $?"; cat rec.err; }
	"$CDICT" info -q --verify x.cdict >info || echo "info ends with $?"
	grep -q '^state: whole' info || tail -n 1 info
}
# busy NAME - the CPU runs a task of this name
busy() {
	cp "$(type -P true)" "$1"
	taskset -c $cpu "./$1"
	sleep 0.1
}
# recorded N - the recorder has reported N new CPUs
recorded() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(grep -c "CPU $cpu came online and is recorded" rec.err)" -lt $1 ] || return 0
		sleep 0.1
	done
	echo "$1 CPUs came, and are not recorded:"
	cat rec.err
}
seen() { "$CDICT" script -q --max-loss 100 -C $cpu x.cdict | grep -c "comm=$1 "; }

goes_and_comes() {
	local pid i fds
	begin
	busy before
	away
	sleep 1.3
	back
	recorded 1
	busy after
	fds=$(ls /proc/$pid/fd | wc -l)
	# Away and back at once, again and again.
	for i in 1 2 3; do
		away
		back
		recorded $((i + 1))
		busy again$i
	done
	[ "$(ls /proc/$pid/fd | wc -l)" = "$fds" ] || echo "from $fds descriptors to $(ls /proc/$pid/fd | wc -l)"
	end
	for i in before after again1 again2 again3; do
		[ "$(seen $i)" -gt 0 ] || echo "'$i' was not seen on CPU $cpu"
	done
	[ "$(about record.cpus x.cdict)" = "0-$cpu" ] || echo "CPUs are $(about record.cpus x.cdict)"
	[ "$(grep -c "CPU $cpu came online and is recorded" rec.err)" = 4 ] || cat rec.err
	# The activity in between is unknown, and reported so.
	[ "$(grep -c "^  CPU $cpu  *0 ring " info)" = 4 ] || grep -e ' ring ' -e '^#* *state' info
	[ "$(field lost x.cdict)" = 0 ] || echo "$(field lost x.cdict) are lost"
}

comes_later() {
	local pid
	away
	begin
	back
	recorded 1
	busy later
	end
	[ "$(seen later)" -gt 0 ] || echo "it was not seen on CPU $cpu"
	[ "$(about record.cpus x.cdict)" = "0-$cpu" ] || echo "CPUs are $(about record.cpus x.cdict)"
}

# The flight recorder's file has the held events of both times.
comes_to_the_flight_recorder() {
	local pid
	begin --keep 30s --trigger 'latency>10s'
	busy before
	away
	back
	recorded 1
	busy after
	end
	[ "$(seen before)" -gt 0 ] && [ "$(seen after)" -gt 0 ] || { echo "it has not both"; cat rec.err info; }
}

stays_away() {
	local pid
	begin
	busy before
	away
	sleep 1.6
	end
	back
	[ "$(seen before)" -gt 0 ] || echo "the events before are gone"
	# Until the end, not the task that was last on it.
	grep -q "^  CPU $cpu  *0 ring " info || cat info
}

is_not_asked_for() {
	local pid
	begin -C 0
	away
	back
	sleep 1.3
	busy other
	end
	[ "$(seen .)" = 0 ] || echo "CPU $cpu is recorded"
	grep "CPU $cpu" rec.err
}

may_record || exit 77
[ $cpu -ge 1 ] && [ -w "$switch" ] || { echo "the last CPU cannot be taken offline here" >&2; exit 77; }
[ "$(cat /sys/devices/system/cpu/online)" = "0-$cpu" ] || { echo "not all CPUs are online" >&2; exit 77; }
trap back EXIT
trap 'exit 1' INT TERM HUP
(echo 0 >"$switch") 2>/dev/null || { echo "CPU $cpu cannot be taken offline" >&2; exit 77; }
back
run a-cpu-that-goes-is-recorded-when-it-is-back goes_and_comes
run a-cpu-that-comes-later-is-recorded comes_later
run a-cpu-that-comes-is-in-the-flight-recorders-file comes_to_the_flight_recorder
run a-cpu-that-goes-offline-keeps-its-events stays_away
run a-cpu-that-was-not-asked-for-is-not-recorded is_not_asked_for
