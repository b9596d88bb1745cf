# SPDX-License-Identifier: GPL-2.0-only
# Sourced: starts a separate redis-server on loopback, and has functions shared by the tests of this folder.

# free_port - prints a port without a listener.
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

servers=()
stop_servers() {
	[ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null
	wait 2>/dev/null
}
trap stop_servers EXIT

# start_redis PORT DIR OPTIONS... - its pid is the last of servers; waits until it answers.
start_redis() {
	local port=$1 dir=$2
	shift 2
	mkdir -p "$dir"
	redis-server --port "$port" --bind 127.0.0.1 --dir "$dir" --save '' --appendfsync everysec "$@" >>"$dir/log" 2>&1 &
	servers+=($!)
	for _ in $(seq 100); do
		redis-cli -p "$port" ping 2>/dev/null | grep -q . && return
		sleep 0.05
	done
	cat "$dir/log"
	return 1
}

# start_cluster DIR - three masters; the port of the first is in $cluster_port.
start_cluster() {
	local dir=$1 i port ports=()
	for i in 1 2 3; do
		for _ in $(seq 20); do
			port=$(free_port)
			[ "$port" -lt 55000 ] && break # the bus is at the port + 10000
		done
		start_redis "$port" "$dir/$i" --cluster-enabled yes --cluster-config-file nodes.conf \
			--cluster-node-timeout 120000 || return # a slow machine is not a failing node
		ports+=("127.0.0.1:$port")
	done
	cluster_port=${ports[0]#*:}
	redis-cli --cluster create "${ports[@]}" --cluster-yes >"$dir/create" 2>&1 || {
		cat "$dir/create"
		return 1
	}
	# each finds that out for itself
	for port in "${ports[@]}"; do
		for _ in $(seq 600); do
			redis-cli -p "${port#*:}" cluster info | grep -q cluster_state:ok && continue 2
			sleep 0.1
		done
		return 1
	done
}

# captures - a.cdict and b.cdict, of two hosts' real recordings.
captures() {
	"$CDICT" convert -q -i "$DATA/kvm-small.data" -o a.cdict && "$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o b.cdict
}

# sums JOB FILE... - the tables of the job are the sums of the files'; prints the differences.
sums() {
	local job=$1 command merge file files
	shift
	for command in tasks latency exits vcpu; do
		merge=--merge-sys-tasks
		[ $command = tasks ] || [ $command = latency ] || merge=
		files=()
		for file; do
			"$CDICT" $command -q $merge --json "$file" >"${file##*/}.$command.json" || return
			files+=("${file##*/}.$command.json")
		done
		"$CDICT" $command -q --json --job "$job" >job.$command.json || return
		python3 "$TOP/tests/fleet/_lib/equal.py" $command job.$command.json "${files[@]}"
	done
}
