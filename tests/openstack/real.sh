#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# identify --openstack against a real Keystone and Nova on loopback, started for this test from
# Debian's packages by $SHARED/openstack/openstack-up (which installs them where that is allowed).
# needs: jq
# timeout: 900
# waits: 1
# shellcheck disable=SC2154
set -uo pipefail
. "$TOP/tests/openstack/_lib.sh"

up=${SHARED:+$SHARED/openstack/openstack-up}
if [ ! -x "${up:-/nonexistent}" ]; then
	echo "no real OpenStack: ../shared/openstack/openstack-up is not there" >&2
	exit 77
fi
down=${up%up}down

# --- start; stop in any case ---------------------------------------------------------------------

# Not in $TMPDIR, which is gone when this test has been killed: the process that stops the services
# then still has to find them.
state=$(mktemp -d /tmp/cdict-openstack.XXXXXX)
end_services() { # DOWN STATE
	local up
	up=$(cat "$2/up" 2>/dev/null) && kill "$up" 2>/dev/null && while kill -0 "$up" 2>/dev/null; do sleep 0.2; done
	"$1" "$2/s" --wipe
	rm -rf "$2"
}
stop() {
	stop_servers
	end_services "$down" "$state" >/dev/null 2>&1
	rm -rf "$work"
}
trap stop EXIT
export -f end_services
setsid bash -c 'while kill -0 "$1" 2>/dev/null; do sleep 1; done
	[ ! -d "$3" ] || end_services "$2" "$3"' - $$ "$down" "$state" >/dev/null 2>&1 &

free_port() { # sets $port: an unused one, and that is not handed out by the kernel
	while :; do
		port=$((RANDOM % 8000 + 20000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 0
	done
}
free_port && keystone_port=$port
free_port && nova_port=$port
free_port && network_port=$port

# So many servers more that they do not fit one page.
jq '.servers += [range(1000; 1105) | {id: ., uuid: "aaaaaaaa-0000-4000-8000-00000000\(.)",
	name: "filler-\(.)", project: "team-b", host: "compute-1", flavor: "m1.small",
	status: "ACTIVE", created: "2026-01-09T08:00:00", launched: "2026-01-09T08:00:00"}]' \
	"${up%/*}/servers.json" >"$state/records.json"
mkdir "$state/s"
# A token of such a life is renewed ten seconds before its end.
export OSNOVA_TOKEN_EXPIRATION=20 OSNOVA_RECORDS=$state/records.json
nice -n 10 timeout 600 "$up" "$state/s" "$keystone_port" "$nova_port" "$network_port" \
	>"$state/openrc" 2>"$state/err" &
echo $! >"$state/up"
if ! wait $!; then
	cat "$state/err" >&2
	echo "no real OpenStack here: $(tail -n 1 "$state/err")" >&2
	exit 77
fi
rm "$state/up"
unset OSNOVA_TOKEN_EXPIRATION OSNOVA_RECORDS

# --- the questions -------------------------------------------------------------------------------

id=5f0c3a52-91a1-4d8e-9b7e-0a6d1c2e3f0
host "$work/proc" compute-1
vm "$work/proc" 100 instance-0000000a ${id}1
vm "$work/proc" 200 instance-0000000c ${id}3
vm "$work/proc" 300 instance-000000ff ${id}5
of_host='instance-0000000a web 1 team-a
instance-0000000c "db ""main"" é中"  team-b
instance-000000ff build 1 admin'
secrets=(-e admin-pass -e alice-pass -e appcred-secret -e gAAAA)
secret_seen=0
ask() { # OPENRC [OPTION]...
	local file=$1
	shift
	identify --openrc "$state/s/$file" -v "$@"
	status=$?
	! cat "$work/out" "$work/err" | grep -qF "${secrets[@]}" || secret_seen=1
}

ask openrc
same the_administrators_password_names_all_vms_of_the_host "$of_host" "$(named)"
same a_hundred_and_eight_servers_come_in_two_pages 2 "$(grep -c 'GET .*/servers/detail: 200' "$work/err")"
says none_is_missing 'found 108 servers' "$work/err"
ask openrc-appcred
same an_application_credential_does_too "$of_host" "$(named)"
ask openrc-alice
says a_member_sees_the_project '403: Policy doesn' "$work/err"
same and_its_servers 'instance-0000000a web 1 team-a' "$(named | grep team)"
ask openrc-appcred-alice
same also_by_application_credential 'instance-0000000a web 1 team-a' "$(named | grep team)"
ask openrc --os-host compute-1.example.org
same a_host_that_nova_calls_otherwise_is_found "$of_host" "$(named)"
ask openrc --name-key role --group-key env
same names_can_come_from_metadata 'instance-0000000a web prod team-a' "$(named | head -n 1)"
sed 's/admin-pass/wrong-pass/' "$state/s/openrc" >"$state/s/openrc-wrong"
ask openrc-wrong
says a_wrong_password_is_reported '401: The request you have made requires authentication.: check user' "$work/err"
sed '/OS_PROJECT/d' "$state/s/openrc-alice" >"$state/s/openrc-unscoped"
ask openrc-unscoped
same without_a_project_the_only_one_is_taken 'instance-0000000a web 1 team-a' "$(named | grep team)"
sed 's|/v3$||' "$state/s/openrc" >"$state/s/openrc-root"
ask openrc-root
same the_address_may_lack_its_version "$of_host" "$(named)"
cat >"$state/clouds.yaml" <<-R
	clouds:
	  real:
	    auth: {auth_url: "http://127.0.0.1:$keystone_port", username: admin, password: admin-pass,
	           project_name: admin, user_domain_id: default, project_domain_name: Default}
	    interface: internal
R
OS_CLIENT_CONFIG_FILE=$state/clouds.yaml identify --os-cloud real
same clouds_yaml_works "$of_host" "$(named)"

# --- trouble -------------------------------------------------------------------------------------

pid_of() {
	awk -v n="$1" '$2 == n { print $1 }' "$state/s/pids"
}
family() { # a service's processes
	local pid
	pid=$(pid_of "$1")
	echo "$pid $(cat "/proc/$pid/task/$pid/children")"
}
nova=$(family nova)
# shellcheck disable=SC2086 # several
kill -STOP $nova
began=$(date +%s)
ask openrc --os-timeout 2000
took=$(($(date +%s) - began))
says a_slow_nova_is_given_up 'no complete answer within 2.0 s' "$work/err"
if [ $took -le 30 ]; then ok in_time; else not_ok in_time "$took s"; fi
same and_the_hosts_names_are_there '3 0' "$(grep -c ',vcpu0,' "$work/out") $status"

# Nova answers when the token is dead: it is known to be, and there is a new one.
ask openrc --os-timeout 200000 &
asking=$!
sleep 21
# shellcheck disable=SC2086
kill -CONT $nova
wait $asking
same an_expired_token_is_renewed "$of_host" "$(named)"
same by_a_second_login 2 "$(grep -c 'POST .*auth/tokens: 201' "$work/err")"

kill "$(pid_of network)"
ask openrc --os-timeout 300000
says a_500_of_nova_is_reported 'servers/detail: 500: Unexpected API Error.' "$work/err"
same after_three_tries 3 "$(grep -c 'servers/detail: 500, ' "$work/err")"
"$down" "$state/s"
ask openrc
says a_keystone_that_is_gone_is_reported 'cannot be reached: Connection refused' "$work/err"
same with_the_hosts_names '3 0' "$(grep -c ',vcpu0,' "$work/out") $status"
same no_secret_was_shown 0 $secret_seen
exit $failed
