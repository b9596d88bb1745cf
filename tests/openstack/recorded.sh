#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# identify --openstack with recorded replies of a real Keystone and Nova: transcripts/ has the requests of
# curl and the replies of Debian 12's Keystone 22.0.2 and Nova 26.2.2 (compute API 2.1 to 2.93).
# timeout: 120
# shellcheck disable=SC2154
set -uo pipefail
. "$TOP/tests/openstack/_lib.sh"

recordings=$TOP/tests/openstack/transcripts
password=admin-pass

id=5f0c3a52-91a1-4d8e-9b7e-0a6d1c2e3f0
host "$work/proc" compute-1
vm "$work/proc" 100 instance-0000000a ${id}1
vm "$work/proc" 200 instance-0000000c ${id}3
vm "$work/proc" 300 instance-000000ff ${id}5

rc() { # [LINE]...
	rc_file 'export OS_USERNAME=admin OS_PROJECT_NAME=admin OS_REGION_NAME=RegionOne' "$@"
}
of_host='instance-0000000a web 1 65d07c199911450587b97903d5b80f9d
instance-0000000c "db ""main"" é中"  224cd4ff427043c1a8443887a0fbf870
instance-000000ff build 1 admin'

serve "$recordings"/*.txt
rc
identify --openrc "$work/openrc"
same a_password_and_the_servers_of_a_host "$of_host" "$(named)"
identify --openrc "$work/openrc" --os-host nowhere
same all_servers_in_three_pages "$of_host" "$(named)"
says three_pages_hold_five_servers 'found 5 servers' "$work/err"

rc 'export OS_USERNAME=alice OS_PASSWORD=alice-pass OS_PROJECT_NAME=team-a'
vm "$work/proc" 400 - ${id}2
identify --openrc "$work/openrc"
says without_admin_it_is_the_project 'only the servers of project team-a are visible: ' "$work/err"
same and_its_servers_are_found_by_uuid '- web 2 team-a' "$(named | grep web)"
rm -r "$work/proc/400"

rc 'export OS_PASSWORD=wrong'
identify --openrc "$work/openrc"
says a_wrong_password '401: The request you have made requires authentication.: check user, password' "$work/err"
same and_the_hosts_names_are_there 3 "$(grep -c ',vcpu0,' "$work/out")"

rc 'export OS_USERNAME=alice OS_PASSWORD=alice-pass OS_PROJECT_NAME=team-b'
identify --openrc "$work/openrc"
says a_project_without_a_role '401: The request you have made requires authentication.' "$work/err"

appcred=$(sed -n 's/.*"application_credential":{"id":"\([0-9a-f]*\)","secret":"appcred-secret-admin".*/\1/p' \
	"$recordings/03-token-appcred.txt" | head -n 1)
user=$(sed -n 's/.*"user":{"id":"\([0-9a-f]*\)"}.*/\1/p' "$recordings/03-token-appcred.txt" | head -n 1)
by_appcred='unset OS_USERNAME; export OS_AUTH_TYPE=v3applicationcredential'
serve "$recordings"/0[1-9]*.txt
rc "$by_appcred" "export OS_APPLICATION_CREDENTIAL_ID=$appcred OS_APPLICATION_CREDENTIAL_SECRET=appcred-secret-admin"
identify --openrc "$work/openrc"
same an_application_credential_by_id "$of_host" "$(named)"
rc "$by_appcred" "export OS_APPLICATION_CREDENTIAL_NAME=for-admin OS_USER_ID=$user" \
	'export OS_APPLICATION_CREDENTIAL_SECRET=appcred-secret-admin'
identify --openrc "$work/openrc"
same an_application_credential_by_name "$of_host" "$(named)"
rc "$by_appcred" "export OS_APPLICATION_CREDENTIAL_ID=$appcred OS_APPLICATION_CREDENTIAL_SECRET=wrong"
identify --openrc "$work/openrc"
says a_wrong_secret '401: The request you have made requires authentication.: check the application credential' "$work/err"
rc "$by_appcred" 'export OS_APPLICATION_CREDENTIAL_ID=00000000000000000000000000000000 OS_APPLICATION_CREDENTIAL_SECRET=wrong'
identify --openrc "$work/openrc"
says an_unknown_application_credential '404: Could not find Application Credential' "$work/err"

# the token that lived five seconds; Nova does not take it any more
sed -n '/^### Nova, 7 seconds later/,$p' "$recordings/15-expired-token.txt" |
	sed 's|servers?all_tenants=1&limit=1|servers/detail?all_tenants=1\&host=compute-1|' >"$work/expired.txt"
sed -n '1,/^### at once/p' "$recordings/15-expired-token.txt" >"$work/short.txt"
serve "$work/short.txt" "$work/expired.txt" "$recordings/06-nova-versions.txt"
rc
identify --openrc "$work/openrc"
says an_expired_token 'servers/detail: 401: The request you have made requires authentication.' "$work/err"
same is_asked_for_once_more 2 "$(grep -c '^POST' "$log")"

# 18 has no requests, only two replies
{
	printf '> GET /v2.1/servers/detail\n'
	sed -n '3,/^{"computeFault/p' "$recordings/18-nova-500.txt" | grep -vi '^content-length' |
		sed 's/\r$//; /^[A-Za-z-]*[:/]/s/^/< /'
} >"$work/500"
serve "$work/500" "$recordings"/*.txt
rc
identify --openrc "$work/openrc" -v
says a_500_of_nova '500: Unexpected API Error.' "$work/err"
same was_asked_for_three_times 3 "$(grep -c '^GET /v2.1/servers' "$log")"
exit $failed
