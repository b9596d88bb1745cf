#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# identify --openstack over TLS: which certificates are trusted, and which data is sent before they are verified.
# needs: openssl
# timeout: 120
# shellcheck disable=SC2154
set -uo pipefail
. "$TOP/tests/openstack/_lib.sh"

password=tls-pass-5e21
host "$work/proc" node-7
vm "$work/proc" 100 instance-00000001 11111111-0000-4000-8000-000000000001

cd "$work" || exit 1
authority() { # NAME: makes NAME.crt, NAME.key
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.crt" \
		-addext basicConstraints=critical,CA:TRUE 2>/dev/null
}
certificate() { # NAME AUTHORITY SUBJECT-ALT-NAME
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>/dev/null
	openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -days 2 \
		-extfile <(echo "subjectAltName=$3") -out "$1.crt" 2>/dev/null
}
authority ours
authority other
certificate right ours IP:127.0.0.1
certificate wrong-name ours DNS:cloud.example.org
openssl x509 -req -in right.csr -CA ours.crt -CAkey ours.key -CAcreateserial -days -1 \
	-extfile <(echo subjectAltName=IP:127.0.0.1) -out expired.crt 2>/dev/null
cp right.key expired.key

cloud tls-token '{"id": "11111111-0000-4000-8000-000000000001", "name": "fw-05"}' host=node-7 https >rules

# serve_tls CERTIFICATE: the service with TLS by `openssl s_server`; sets $url and $log
serve_tls() {
	local port=$((20000 + RANDOM % 20000)) try state
	for try in 1 2 3 4 5 6 7 8; do
		stop_servers
		state=$(mktemp -d "$work/tls.XXXXXX")
		mkfifo "$state/in" "$state/out"
		port=$((port + try))
		"$BUILD/tests/tools/check/replay" --stdio "$port" "$state" rules <"$state/in" >"$state/out" &
		servers+=($!)
		# its own address, IPv4: another service may have the port on IPv6
		openssl s_server -4 -accept "127.0.0.1:$port" -cert "$1.crt" -key "$1.key" -quiet \
			2>"$state/err" >"$state/in" <"$state/out" &
		servers+=($!)
		for _ in $(seq 100); do
			if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
				url=https://127.0.0.1:$port
				log=$state/log
				: >"$log"
				return
			fi
			kill -0 "${servers[1]}" 2>/dev/null || break
			sleep 0.05
		done
	done
	echo "openssl s_server does not start here: $(cat "$state/err")" >&2
	exit 77
}
want='instance-00000001 fw 5 '

serve_tls right
rc_file "OS_CACERT='$work/ours.crt'"
identify --openrc openrc
same a_service_with_the_right_authority_is_believed "$want" "$(named)"
mkdir folder
cp ours.crt folder/
(cd folder && openssl rehash . 2>/dev/null)
OS_CACERT=$work/folder rc_file
OS_CACERT=$work/folder identify --openrc openrc
same a_folder_of_authorities_works_as_well "$want" "$(named)"
rc_file
identify --openrc openrc --insecure
same insecure_can_be_asked_for "$want" "$(named)"

refused() { # NAME: the last run was refused, and nothing of ours went out
	if [ -s "$log" ]; then
		not_ok "$1" "something was sent:" "$(cat "$log")"
	elif ! grep -q 'no names from OpenStack: .*certificate' "$work/err"; then
		not_ok "$1" "$(cat "$work/err")"
	elif grep -qF "$password" "$work/err" "$work/out"; then
		not_ok "$1" "the password is shown"
	else
		same "$1" 1 "$(grep -c ',vcpu0,' "$work/out")"
	fi
}
serve_tls right
rc_file "OS_CACERT='$work/other.crt'"
identify --openrc openrc
refused another_authority_is_not_believed
says and_the_way_out_is_reported 'set OS_CACERT (cacert: in clouds.yaml) to its CA certificate, or give --insecure' "$work/err"
rc_file
identify --openrc openrc
refused without_an_authority_of_ones_own_the_systems_do_not_do
rc_file OS_INSECURE=true
identify --openrc openrc
refused settings_alone_do_not_make_it_insecure
rc_file "OS_CACERT='$work/no-such.crt'"
identify --openrc openrc
says a_missing_file_of_authorities_is_reported no-such.crt "$work/err"
serve_tls wrong-name
rc_file "OS_CACERT='$work/ours.crt'"
identify --openrc openrc
refused another_hosts_certificate_is_not_believed
if [ -s expired.crt ]; then
	serve_tls expired
	rc_file "OS_CACERT='$work/ours.crt'"
	identify --openrc openrc
	refused an_expired_certificate_is_not_believed
fi
# plain HTTP where TLS is expected
printf '> POST /v3/auth/tokens\n< HTTP/1.1 200 OK\n' >plain
serve plain
url=${url/http:/https:}
rc_file
identify --openrc openrc
says a_service_without_tls_is_reported 'no names from OpenStack: https://127.0.0.1' "$work/err"
if grep -q "$password" "$log"; then not_ok and_gets_nothing; else ok and_gets_nothing; fi
exit $failed
