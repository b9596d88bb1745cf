#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# identify --openstack with scripted exchanges: correct and incorrect behaviour of a service.
# timeout: 300
# shellcheck disable=SC2154
set -uo pipefail
. "$TOP/tests/openstack/_lib.sh"

password='pa$$-Wort-9f3c'
secret='app-secret-77aa'
token1='gAAA-token-one-aaaaaaaa'
token2='gAAA-token-two-bbbbbbbb'

host "$work/proc" node-7
vm "$work/proc" 100 instance-00000001 11111111-0000-4000-8000-000000000001
vm "$work/proc" 200 instance-00000002 11111111-0000-4000-8000-000000000002
vm "$work/proc" 300 instance-00000003 11111111-0000-4000-8000-000000000003

# --- rules ---------------------------------------------------------------------------------------

endpoint() { # INTERFACE REGION URL
	printf '{"interface": "%s", "region_id": "%s", "region": "%s", "url": "%s"}' "$1" "$2" "$2" "$3"
}
token_reply() { # TOKEN CATALOG [EXPIRES]
	cat <<-R
		< HTTP/1.1 201 CREATED
		< Content-Type: application/json
		< X-Subject-Token: $1
		{"token": {"issued_at": "2030-01-01T00:00:00.000000Z",
		 "expires_at": "${3-2030-01-01T01:00:00.000000Z}",
		 "project": {"id": "p-ops", "name": "ops", "domain": {"id": "default"}},
		 "catalog": $2}}
	R
}
compute="[{\"type\": \"identity\", \"endpoints\": []}, {\"type\": \"compute\", \"endpoints\": [
$(endpoint admin R1 http://127.0.0.1:1/v2.1), $(endpoint public R2 http://127.0.0.1:1/v2.1),
$(endpoint public R1 'http://127.0.0.1:{PORT}/v2.1')]}]"
login="> POST /v3/auth/tokens
? \"password\":\"$password\"
? \"name\":\"robot\""
refused='< HTTP/1.1 401 Unauthorized
< Content-Type: application/json
{"error": {"code": 401, "message": "The request you have made requires authentication."}}'
json='< HTTP/1.1 200 OK
< Content-Type: application/json'
version="> GET /v2.1/
$json
{\"version\": {\"id\": \"v2.1\", \"version\": \"2.93\", \"min_version\": \"2.1\"}}"

server() { # NUMBER NAME [METADATA]
	printf '{"id": "11111111-0000-4000-8000-%012d", "name": "%s", "tenant_id": "p-%s", "metadata": {%s},
	"OS-EXT-SRV-ATTR:instance_name": "instance-%08x", "OS-EXT-SRV-ATTR:host": "node-7",
	"OS-EXT-SRV-ATTR:hypervisor_hostname": "node-7.example.org"}' \
		"$1" "$2" "$1" "${3-}" "$1"
}
servers_of() { # SERVER...
	local IFS=,
	echo "{\"servers\": [$*]}"
}
three=$(servers_of "$(server 1 chain-05-Firewall)" "$(server 2 fw-05)" "$(server 3 'the big one')")
list="> GET /v2.1/servers/detail all_tenants=1 host=node-7
? X-Auth-Token: $token1
? OpenStack-API-Version: compute 2.79
$json
$three"
projects="> GET /v3/projects/p-1
$json
{\"project\": {\"id\": \"p-1\", \"name\": \"blue\"}}
> GET /v3/projects/p-2
$json
{\"project\": {\"id\": \"p-2\", \"name\": \"red, green\"}}"

good() { # the rules of a service without trouble
	printf '%s\n' "$login" "$(token_reply "$token1" "$compute")" "$login
? nobody" "$refused" "$version" "$list" "$projects"
}
good >"$work/good"
rules() { # FILE, from stdin
	cat >"$work/$1"
}
want='instance-00000001 Firewall 5 blue
instance-00000002 fw 5 "red
instance-00000003 the big one  p-3'

# No secret may appear, neither in files nor in messages.
n_secret=0
no_secret() {
	n_secret=$((n_secret + 1))
	if cat "$work/out" "$work/err" | grep -aF -e "$password" -e "$secret" -e "$token1" -e "$token2"; then
		not_ok "no_secret_is_shown_$1"
	fi
}
run() { # NAME OPTION...: identify, and look for secrets
	local name=$1
	shift
	identify -v "$@"
	status=$?
	no_secret "$name"
}
against() { # RULES [OPTION]...: asks a service that has these rules before the good ones
	serve "$work/$1" "$work/good"
	rc_file OS_REGION_NAME=R1
	run "$@" --openrc "$work/openrc"
}
# The host's names are still present, and one line names the missing part.
all_the_same() { # NAME TEXT
	if [ "$status" -ne 0 ]; then
		not_ok "$1" "status $status" "$(cat "$work/err")"
	elif [ "$(awk -F, '$3 == "vcpu0" && $2 != ""' "$work/out" | wc -l)" -ne 3 ]; then
		not_ok "$1" "the host's names are missing" "$(cat "$work/out")"
	elif [ "$(grep -c 'no names from OpenStack' "$work/err")" -ne 1 ]; then
		not_ok "$1" "not one line:" "$(cat "$work/err")"
	else
		says "$1" "$2" "$work/err"
	fi
}

# --- the ways to authenticate --------------------------------------------------------------------

serve "$work/good"
rc_file "OS_REGION_NAME=R1"
run password --openrc "$work/openrc"
same servers_are_named_by_their_uuid "$want" "$(named)"
says it_prints_how_many_were_named 'named 3 of 3 VMs, 9 tasks; found 3 servers' "$work/err"
if grep -q "X-Auth-Token: $token1" "$log" && ! grep -q 'POST.*auth.*X-Auth' "$log"; then
	ok the_token_is_sent_in_its_header
else
	not_ok the_token_is_sent_in_its_header "$(cat "$log")"
fi

rules appcred <<-R
	> POST /v3/auth/tokens
	? "application_credential":{"id":"ac-1","secret":"$secret"}
	$(token_reply "$token1" "$compute")
	> POST /v3/auth/tokens
	? "application_credential":{"name":"mine"
	? "user":{"name":"robot","domain":{"id":"default"}}
	? "secret":"$secret"
	$(token_reply "$token1" "$compute")
	> POST /v3/auth/tokens
	< HTTP/1.1 404 NOT FOUND
	< Content-Type: application/json
	{"error": {"code": 404, "message": "Could not find Application Credential: $secret."}}
R
serve "$work/appcred" "$work/good"
cat >"$work/openrc" <<-R
	export OS_AUTH_TYPE=v3applicationcredential OS_AUTH_URL="$url" OS_REGION_NAME='R1'
	export OS_APPLICATION_CREDENTIAL_ID=ac-1
	export OS_APPLICATION_CREDENTIAL_SECRET=$secret
R
run appcred --openrc "$work/openrc"
same an_application_credential_by_id_works "$want" "$(named)"
if grep -q '"scope"' "$log"; then
	not_ok an_application_credential_asks_for_no_scope
else
	ok an_application_credential_asks_for_no_scope
fi
sed -i 's/OS_APPLICATION_CREDENTIAL_ID=ac-1/OS_APPLICATION_CREDENTIAL_NAME=mine OS_USERNAME=robot/' "$work/openrc"
run appcred_by_name --openrc "$work/openrc"
same an_application_credential_by_name_works "$want" "$(named)"
sed -i 's/NAME=mine/NAME=deleted/' "$work/openrc"
run appcred_deleted --openrc "$work/openrc"
all_the_same a_deleted_application_credential_is_reported '404: Could not find Application Credential: ***.'

# --- clouds.yaml and the environment -------------------------------------------------------------

serve "$work/good"
mkdir -p "$work/config/openstack"
cat >"$work/config/openstack/clouds.yaml" <<-R
	clouds:
	  here: {region_name: R1, auth: {auth_url: "$url", username: robot, project_name: ops}}
	  elsewhere: {auth: {auth_url: "http://127.0.0.1:1", username: robot, password: x, project_name: ops}}
R
cat >"$work/config/openstack/secure.yaml" <<-R
	clouds: {here: {auth: {password: "$password"}}}
R
export XDG_CONFIG_HOME=$work/config
cd "$work" || exit 1
run clouds --os-cloud here
same a_cloud_of_clouds_yaml_with_its_secure_yaml_works "$want" "$(named)"
OS_CLOUD=here run clouds_env
same os_cloud_names_the_cloud "$want" "$(named)"
OS_CLOUD=elsewhere OS_AUTH_URL=$url OS_USERNAME=robot OS_PASSWORD=$password run other_cloud --os-cloud here
same the_option_goes_before_the_environment "$want" "$(named)"
run two_clouds
says several_clouds_need_a_choice "several clouds ('here', 'elsewhere'" "$work/err"
OS_AUTH_URL=$url/v3/ OS_USERNAME=robot OS_PASSWORD=$password OS_PROJECT_NAME=ops OS_REGION_NAME=R1 run environment
same the_environment_goes_before_an_unnamed_cloud "$want" "$(named)"
unset XDG_CONFIG_HOME

# --- pages ---------------------------------------------------------------------------------------

rules pages <<-R
	> GET /v2.1/servers/detail all_tenants=1 host=node-7 marker=m+1/x
	? X-Auth-Token: $token1
	$json
	$(servers_of "$(server 3 'the big one')")
	> GET /v2.1/servers/detail all_tenants=1 host=node-7 marker=m%201%2Fx
	? X-Auth-Token: $token1
	$json
	$(servers_of "$(server 3 'the big one')")
	> GET /v2.1/servers/detail all_tenants=1 host=node-7
	? X-Auth-Token: $token1
	$json
	{"servers": [$(server 1 chain-05-Firewall), $(server 2 fw-05)], "servers_links": [
	{"rel": "next", "href": "http://10.255.255.1/inside/servers/detail?marker=m%201%2Fx&limit=2"}]}
R
against pages
same two_pages_are_joined "$want" "$(named)"
if grep -q 10.255.255.1 "$work/err"; then
	not_ok the_next_page_is_asked_of_the_same_service
else
	ok the_next_page_is_asked_of_the_same_service
fi

rules loop <<-R
	> GET /v2.1/servers/detail all_tenants=1
	? X-Auth-Token: $token1
	$json
	{"servers": [$(server 1 chain-05-Firewall)], "servers_links": [
	{"rel": "next", "href": "http://x/servers/detail?marker=same"}]}
R
against loop
same pages_that_go_round_come_to_an_end 2 "$(grep -c '^GET /v2.1/servers' "$log")"
says and_their_answers_count 'named 1 of 3 VMs' "$work/err"

rules broken_page <<-R
	> GET /v2.1/servers/detail marker=two
	< HTTP/1.1 400 Bad Request
	{"badRequest": {"code": 400, "message": "marker [two] not found"}}
	> GET /v2.1/servers/detail all_tenants=1
	$json
	{"servers": [$(server 1 chain-05-Firewall)], "servers_links": [
	{"rel": "next", "href": "http://x/servers/detail?marker=two"}]}
R
against broken_page
says a_list_that_breaks_off_is_reported 'the list of servers is not complete' "$work/err"
says and_earlier_answers_are_used 'named 1 of 3 VMs' "$work/err"

# --- refusals ------------------------------------------------------------------------------------

serve "$work/good"
rc_file OS_REGION_NAME=R1
sed -i "s/OS_PASSWORD=[^ ]*/OS_PASSWORD=wrong-one-4711/" "$work/openrc"
printf '> POST /v3/auth/tokens\n%s\n' "$refused" >"$work/no"
serve "$work/no"
sed -i "s|OS_AUTH_URL=[^ ]*|OS_AUTH_URL=$url|" "$work/openrc"
run wrong_password --openrc "$work/openrc"
all_the_same a_wrong_password_is_reported '401: The request you have made requires authentication.: check user, password'
if grep -q wrong-one-4711 "$work/err"; then not_ok wrong_passwords_are_not_shown; else ok wrong_passwords_are_not_shown; fi
same refusals_are_not_repeated 1 "$(grep -c '^POST' "$log")"

rules forbidden <<-R
	> GET /v2.1/servers/detail all_tenants=1
	< HTTP/1.1 403 Forbidden
	{"forbidden": {"code": 403, "message": "Policy doesn't allow get_all_tenants to be performed."}}
	> GET /v2.1/servers/detail
	$json
	{"servers": [{"id": "11111111-0000-4000-8000-000000000002", "name": "fw-05", "tenant_id": "p-ops"}]}
R
against forbidden
same servers_of_the_project_are_named 'instance-00000001   
instance-00000002 fw 5 ops
instance-00000003   ' "$(named)"
says and_that_it_is_only_the_project_is_reported 'only the servers of project ops are visible' "$work/err"
same a_403_is_no_failure 0 "$status"

# --- tokens --------------------------------------------------------------------------------------

expired="> GET /v2.1/servers/detail
? X-Auth-Token: $token1
$refused
> GET /v2.1/servers/detail all_tenants=1 host=node-7
? X-Auth-Token: $token2
$json
$three"
rules expired <<-R
	$login
	@ times 1
	$(token_reply "$token1" "$compute")
	$login
	$(token_reply "$token2" "$compute")
	$expired
R
against expired
same an_expired_token_is_renewed "$want" "$(named)"
same once 2 "$(grep -c '^POST' "$log")"

rules always_401 <<-R
	> GET /v2.1/servers/detail
	$refused
R
against always_401
all_the_same a_service_that_takes_no_token_is_reported 'servers/detail: 401'
same and_is_not_asked_for_ever 2 "$(grep -c '^POST' "$log")"

rules short <<-R
	$login
	@ times 1
	$(token_reply "$token1" "$compute" 2030-01-01T00:00:01.000000Z)
	$login
	$(token_reply "$token2" "$compute")
	> GET /v2.1/
	@ delay 800
	$json
	{"version": {"id": "v2.1", "version": "2.93", "min_version": "2.1"}}
	$expired
R
against short
same a_token_near_its_end_is_renewed_before "$want" "$(named)"
if grep -q 'servers/detail.*: 401' "$work/err"; then not_ok without_being_refused; else ok without_being_refused; fi

# --- scopes --------------------------------------------------------------------------------------

unscoped="$login
? \"scope\":{\"project\":{\"id\":\"p-ops\"}}
$(token_reply "$token1" "$compute")
$login
< HTTP/1.1 201 CREATED
< X-Subject-Token: $token2
{\"token\": {\"user\": {\"name\": \"robot\"}}}"
rules unscoped <<-R
	$unscoped
	> GET /v3/auth/projects
	? X-Auth-Token: $token2
	$json
	{"projects": [{"id": "p-ops", "name": "ops"}]}
R
serve "$work/unscoped" "$work/good"
rc_file OS_REGION_NAME=R1
sed -i 's/OS_PROJECT_NAME=ops//' "$work/openrc"
run unscoped --openrc "$work/openrc"
same the_only_project_is_taken "$want" "$(named)"
rules unscoped <<-R
	$unscoped
	> GET /v3/auth/projects
	$json
	{"projects": [{"id": "p-ops", "name": "ops"}, {"id": "p-2", "name": "blue"}]}
R
serve "$work/unscoped" "$work/good"
rc_file OS_REGION_NAME=R1
sed -i 's/OS_PROJECT_NAME=ops//' "$work/openrc"
run two_projects --openrc "$work/openrc"
all_the_same of_two_projects_none_is_guessed 'the user has 2: ops, blue'

# --- the catalog ---------------------------------------------------------------------------------

catalog() { # CATALOG: a service whose token has this one
	{
		printf '%s\n' "$login"
		token_reply "$token1" "$1"
		cat "$work/good"
	} >"$work/catalog"
	serve "$work/catalog"
	rc_file "${@:2}"
}
catalog '[{"type": "volume", "endpoints": []}]'
run no_compute --openrc "$work/openrc"
all_the_same a_catalog_without_compute_is_reported 'the catalog has no service of type compute'
catalog "$compute" OS_REGION_NAME=R9
run no_region --openrc "$work/openrc"
all_the_same a_region_that_is_not_there_is_reported \
	'no public compute service in region R9, only: admin in R1, public in R2, public in R1'
catalog "${compute//http:\/\/127.0.0.1:1\/v2.1/http:\/\/127.0.0.1:\{PORT\}\/v2.1}" OS_INTERFACE=adminURL
run interface --openrc "$work/openrc"
same another_interface_can_be_wanted "$want" "$(named)"
catalog "[{\"type\": \"computev21\", \"endpoints\": [$(endpoint public R1 'http://127.0.0.1:{PORT}/v2.1')]}]"
run legacy --openrc "$work/openrc"
same an_old_name_of_the_service_is_known "$want" "$(named)"

rules unversioned <<-R
	> GET /compute/
	< HTTP/1.1 300 Multiple Choices
	{"versions": [{"id": "v2.0", "version": "", "min_version": ""}, {"id": "v2.1", "version": "2.60", "min_version": "2.1"}]}
	> GET /compute/v2.1/servers/detail all_tenants=1 host=node-7
	? OpenStack-API-Version: compute 2.60
	$json
	$three
R
catalog "[{\"type\": \"compute\", \"endpoints\": [$(endpoint public R1 'http://127.0.0.1:{PORT}/compute')]}]"
serve "$work/unversioned" "$work/catalog"
rc_file
run unversioned --openrc "$work/openrc"
same the_version_is_found_and_the_older_microversion_asked_for "$want" "$(named)"

rules old <<-R
	> GET /v2.1/
	< HTTP/1.1 404 Not Found
	<html>no</html>
	> GET /v2.1/servers/detail all_tenants=1 host=node-7
	$json
	$three
R
against old
same a_service_without_microversions_works "$want" "$(named)"
if grep -q OpenStack-API-Version "$log"; then not_ok and_is_asked_for_none; else ok and_is_asked_for_none; fi

rules new <<-R
	> GET /v2.1/
	$json
	{"version": {"id": "v2.1", "version": "2.193", "min_version": "2.100"}}
R
against new
all_the_same a_service_from_the_future_is_reported 'microversions from 2.100 on'

rules not_acceptable <<-R
	> GET /v2.1/servers/detail
	? OpenStack-API-Version
	< HTTP/1.1 406 Not Acceptable
	{"computeFault": {"code": 406, "message": "Version 2.79 is not supported by the API."}}
	> GET /v2.1/servers/detail all_tenants=1 host=node-7
	$json
	$three
R
against not_acceptable
same a_406_falls_back_to_the_oldest_microversion "$want" "$(named)"

# --- trouble -------------------------------------------------------------------------------------

stop_servers
rc_file OS_REGION_NAME=R1
run down --openrc "$work/openrc"
all_the_same a_service_that_is_down_is_reported 'cannot be reached: Connection refused'
same after_three_tries 3 "$(grep -c '^cdict identify: POST' "$work/err")"

rules flaky <<-R
	$login
	@ times 1
	@ close
	$login
	@ times 1
	< HTTP/1.1 503 Service Unavailable
	<html>later</html>
R
against flaky
same a_request_that_fails_twice_may_work_the_third_time "$want" "$(named)"

rules broken <<-R
	> GET /v2.1/servers/detail
	< HTTP/1.1 500 Internal Server Error
	{"computeFault": {"code": 500, "message": "Unexpected API Error.\nclass <x>"}}
R
against broken
all_the_same a_service_that_stays_broken_is_reported '500: Unexpected API Error.'
same after_three_tries_as_well 3 "$(grep -c '^GET /v2.1/servers' "$log")"

# The token's life ends between the tries of a slow server: a new one, and the tries go on.
rules outlived <<-R
	$login
	@ times 1
	$(token_reply "$token1" "$compute")
	$login
	$(token_reply "$token2" "$compute")
	> GET /v2.1/servers/detail
	@ times 2
	< HTTP/1.1 500 Internal Server Error
	{"computeFault": {"code": 500, "message": "Unexpected API Error.\nclass <x>"}}
	> GET /v2.1/servers/detail
	@ times 1
	$refused
	> GET /v2.1/servers/detail
	< HTTP/1.1 500 Internal Server Error
	{"computeFault": {"code": 500, "message": "Unexpected API Error.\nclass <x>"}}
R
against outlived
all_the_same tries_go_on_with_a_new_token '500: Unexpected API Error.'
same in_all_three_and_the_refusal 4 "$(grep -c '^GET /v2.1/servers' "$log")"

rules slow <<-R
	> GET /v2.1/servers/detail
	@ delay 60000
	$json
	$three
R
serve "$work/slow" "$work/good"
rc_file OS_REGION_NAME=R1
began=$(date +%s%N)
run slow --openrc "$work/openrc" --os-timeout 6000
took=$((($(date +%s%N) - began) / 1000000))
all_the_same a_slow_service_is_given_up 'no complete answer within 6.0 s (--os-timeout)'
if [ "$took" -lt 40000 ]; then ok in_time; else not_ok in_time "$took ms"; fi

for body in '' '{' '[]' 'null' '"x"' '<html>' '{"servers": 7}' '{"servers": [{"id": "' '{"servers": [[[[[[[[['; do
	rules garbage <<-R
		> GET /v2.1/servers/detail
		$json
		$body
	R
	serve "$work/garbage" "$work/good"
	rc_file OS_REGION_NAME=R1
	run garbage --openrc "$work/openrc"
	case $body in
	'[]' | '{"servers": 7}') text='no list of servers' ;;
	*) text=answer ;;
	esac
	all_the_same "an_answer_that_is_garbage_is_reported_$((i = ${i-0} + 1))" "$text"
done
rules odd <<-R
	> GET /v2.1/servers/detail
	$json
	{"servers": [7, null, {}, {"id": 5}, {"id": "x", "name": ["y"], "metadata": 3}, $(server 2 fw-05)]}
R
against odd
says invalid_servers_are_skipped 'named 1 of 3 VMs' "$work/err"

rules not_http <<-R
	> GET /v2.1/servers/detail
	< SSH-2.0-OpenSSH_9.2
R
against not_http
all_the_same a_service_without_http_is_reported 'servers/detail: '

rules huge <<-R
	> GET /v2.1/servers/detail
	@ fill 50000000
	$json
	$three
R
against huge
all_the_same a_huge_answer_is_refused 'the answer is larger than 16777216 bytes'

# --- redirections --------------------------------------------------------------------------------

rules moved <<-R
	> GET /v2.1/servers/detail
	< HTTP/1.1 301 Moved Permanently
	< Location: /new/detail?all_tenants=1&host=node-7
	> GET /new/detail all_tenants=1
	$json
	$three
R
against moved
same a_redirection_within_the_service_is_followed "$want" "$(named)"
# where the token must not go: another port of this host
mkdir "$work/trap"
"$BUILD/tests/tools/check/replay" "$work/trap" "$work/good" &
trap_pid=$!
for _ in $(seq 200); do [ ! -s "$work/trap/port" ] && sleep 0.05; done
for to in "http://127.0.0.1:$(cat "$work/trap/port")/v2.1/servers/detail" "file:///etc/passwd" "https://127.0.0.1/x" "/loop"; do
	rules moved <<-R
		> GET /v2.1/servers/detail
		< HTTP/1.1 302 Found
		< Location: $to
		> GET /loop
		< HTTP/1.1 302 Found
		< Location: /loop
	R
	serve "$work/moved" "$work/good"
	rc_file OS_REGION_NAME=R1
	run redirected --openrc "$work/openrc"
	all_the_same "a_redirection_elsewhere_is_refused_$((j = ${j-0} + 1))" 'not followed'
done
kill $trap_pid
if [ -s "$work/trap/log" ]; then not_ok the_token_stays "$(cat "$work/trap/log")"; else ok the_token_stays; fi

# --- which server is which -----------------------------------------------------------------------

rules elsewhere <<-R
	> GET /v2.1/servers/detail all_tenants=1 host=node-7
	$json
	{"servers": []}
	> GET /v2.1/servers/detail all_tenants=1
	$json
	$three
R
against elsewhere
same a_host_with_another_name_in_nova_is_found_by_its_vms "$want" "$(named)"
says and_that_is_reported "Nova has no servers on host 'node-7'" "$work/err"

sed 's/node-7/node-8.example.org/' "$work/good" >"$work/good8"
serve "$work/good8"
rc_file OS_REGION_NAME=R1
run os_host --openrc "$work/openrc" --os-host node-8.example.org
same the_host_can_be_named_as_nova_does "$want" "$(named)"

rm -rf "$work/proc.uuid"
mv "$work/proc" "$work/proc.uuid"
host "$work/proc" node-7
vm "$work/proc" 100 instance-00000001 ''
vm "$work/proc" 200 instance-00000002 ''
vm "$work/proc" 300 instance-00000003 ''
serve "$work/good"
rc_file OS_REGION_NAME=R1
run instance --openrc "$work/openrc"
same without_a_uuid_the_domains_name_counts "$want" "$(named)"
rules twins <<-R
	> GET /v2.1/servers/detail all_tenants=1 host=node-7
	$json
	{"servers": []}
	> GET /v2.1/servers/detail all_tenants=1
	$json
	$(servers_of "$(server 1 chain-05-Firewall | sed 's/node-7/node-9/g')" "$(server 2 fw-05)")
R
against twins
same the_same_domain_name_on_another_host_is_another_vm 'instance-00000001   
instance-00000002 fw 5 "red
instance-00000003   ' "$(named)"
rm -rf "$work/proc"
mv "$work/proc.uuid" "$work/proc"

# --- names ---------------------------------------------------------------------------------------

rules metadata <<-R
	> GET /v2.1/servers/detail
	$json
	$(servers_of "$(server 1 a-1-b '"vnf": "Router", "chain": "007"')" "$(server 2 a-2-b '"vnf": "", "chain": "east"')" "$(server 3 c)")
R
against metadata --name-key vnf --group-key chain
same names_and_groups_can_come_from_metadata 'instance-00000001 Router 7 blue
instance-00000002 a-2-b east "red
instance-00000003 c  p-3' "$(named)"
run pattern --openrc "$work/openrc" --name-pattern '^(?<name>\w+)-(?<group>\d+)'
same a_pattern_can_be_given 'instance-00000001 a 1 blue
instance-00000002 a 2 "red
instance-00000003 c  p-3' "$(named)"

# --- usage ---------------------------------------------------------------------------------------

run bad_pattern --openrc "$work/openrc" --name-pattern '(?<name>'
same a_wrong_pattern_is_wrong_usage 129 "$status"
run bad_pattern --openrc "$work/openrc" --name-pattern 'a(b)'
says a_pattern_without_names_is_reported 'has neither (?<name>...) nor (?<group>...)' "$work/err"
run nothing
same without_any_settings_it_fails 1 "$status"
says and_names_the_options 'use --openrc or --os-cloud, or set the OS_* variables' "$work/err"
"$CDICT" identify --proc-root "$work/proc" --os-cloud x >/dev/null 2>&1
same options_of_openstack_need_openstack 129 $?
run no_file --openrc "$work/no-such-file"
same a_missing_openrc_fails_before_anything_is_done 1 "$status"

# -q prints no messages, and the mapping is the same
identify -q --openrc "$work/openrc" --name-key vnf --group-key chain
same quiet_prints_nothing '' "$(cat "$work/err")"

# The command line is for everybody to see: nothing secret is taken from it.
if "$CDICT" identify --help | grep -qiE 'password|secret|token'; then
	not_ok no_option_takes_a_secret
else
	ok no_option_takes_a_secret
fi
[ $failed -ne 0 ] || ok "no_secret_is_shown_in_${n_secret}_runs"
exit $failed
