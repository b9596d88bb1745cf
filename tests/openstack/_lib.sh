# SPDX-License-Identifier: GPL-2.0-only
# Sourced: a saved /proc with VMs, and functions that print one result line per test.

failed=0
ok() {
	echo "ok $1"
}
not_ok() { # NAME [TEXT]...
	echo "not ok $1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@"
	failed=1
}
# same NAME EXPECTED GOT
same() {
	if [ "$2" == "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		diff <(printf '%s\n' "$2") <(printf '%s\n' "$3")
	fi
}
# says NAME TEXT FILE: FILE must contain TEXT
says() {
	if grep -qF -- "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1" "wanted: $2" "got:" "$(cat "$3")"
	fi
}

# vm DIR PID INSTANCE UUID: a QEMU process with two vCPUs in a saved /proc
vm() {
	local dir=$1/$2 pid=$2 tid
	mkdir -p "$dir/task"
	printf 'qemu-system-x86_64\0-name\0guest=%s,debug-threads=on\0-uuid\0%s\0' "$3" "$4" \
		>"$dir/cmdline"
	echo qemu-system-x86 >"$dir/comm"
	for tid in "$pid" $((pid + 1)) $((pid + 2)); do
		mkdir -p "$dir/task/$tid"
		echo qemu-system-x86 >"$dir/task/$tid/comm"
	done
	echo "CPU 0/KVM" >"$dir/task/$((pid + 1))/comm"
	echo "CPU 1/KVM" >"$dir/task/$((pid + 2))/comm"
}
# host DIR NAME
host() {
	mkdir -p "$1/sys/kernel"
	echo "$2" >"$1/sys/kernel/hostname"
}

# The environment of the user must not affect the tests: neither its cloud nor its proxy.
unset "${!OS_@}" http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY XDG_CONFIG_HOME

# --- the service -------------------------------------------------------------------------------

work=$(mktemp -d)
servers=()
stop_servers() {
	if [ ${#servers[@]} -gt 0 ]; then
		kill "${servers[@]}" 2>/dev/null
		wait "${servers[@]}" 2>/dev/null
	fi
	servers=()
}
trap 'stop_servers; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# serve FILE...: answers by these rules or recordings; sets $url, and $log, the requests
serve() {
	local state
	state=$(mktemp -d "$work/serve.XXXXXX")
	stop_servers
	"$BUILD/tests/tools/check/replay" "$state" "$@" 2>"$state/err" &
	servers+=($!)
	for _ in $(seq 200); do
		[ ! -s "$state/port" ] || break
		sleep 0.05
	done
	[ -s "$state/port" ] || { echo "not ok the_service_starts"; cat "$state/err"; exit 1; }
	url=http://127.0.0.1:$(cat "$state/port")
	log=$state/log
	: >"$log"
}

# cloud TOKEN SERVERS [WHERE [SCHEME]]: rules of a small one, to be served: it wants $password once, gives TOKEN and
# lists SERVERS to requests with it, of the host WHERE ("host=NAME") if that is given
cloud() {
	cat <<-R
		> POST /v3/auth/tokens
		? "password":"$password"
		< HTTP/1.1 201 CREATED
		< X-Subject-Token: $1
		{"token": {"project": {"id": "p-1", "name": "blue"}, "catalog": [{"type": "compute", "endpoints": [
		{"interface": "public", "region_id": "R", "url": "${4-http}://127.0.0.1:{PORT}/v2.1"}]}]}}
		> GET /v2.1/
		< HTTP/1.1 200 OK
		< Content-Type: application/json
		{"version": {"id": "v2.1", "version": "2.93", "min_version": "2.1"}}
		> GET /v2.1/servers/detail${3:+ $3}
		? X-Auth-Token: $1
		< HTTP/1.1 200 OK
		< Content-Type: application/json
		{"servers": [$2]}
	R
}

# rc_file: writes $work/openrc for $url, with these lines added
rc_file() {
	{
		echo "export OS_AUTH_URL=$url/v3 OS_USERNAME=robot OS_PASSWORD='$password'"
		echo "export OS_PROJECT_NAME=ops OS_USER_DOMAIN_NAME=Default OS_PROJECT_DOMAIN_NAME=Default"
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$work/openrc"
}

# identify [OPTION]...: a mapping of the VMs in $work/proc to $work/out, messages to $work/err;
# gives the status
identify() {
	"$CDICT" identify --proc-root "$work/proc" --openstack "$@" >"$work/out" 2>"$work/err"
}
# named: "instance name group project" of each VM in $work/out, by its vCPU 0
named() {
	awk -F, '$3 == "vcpu0" { print $2, $7, $6, $9 }' "$work/out"
}
