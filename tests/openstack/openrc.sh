#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# identify --openstack --openrc: a shell runs the file, which may prompt on the terminal.
# needs: script setsid
# timeout: 120
# shellcheck disable=SC2154
set -uo pipefail
# A bare chroot has no pseudo-terminals: they are mounted for this test alone, where it may.
terminal() { script -qefc true /dev/null >/dev/null 2>&1; }
own_mounts='mount --make-rprivate /dev && mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts && exec "$@"'
if ! terminal && [ -z "${OWN_MOUNTS-}" ] &&
	unshare -m --propagation unchanged sh -c "$own_mounts" sh true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m --propagation unchanged sh -c "$own_mounts" sh "$0"
fi
. "$TOP/tests/openstack/_lib.sh"

password=asked-for-27d1
token=openrc-token-8c
host "$work/proc" node-7
vm "$work/proc" 100 instance-00000001 11111111-0000-4000-8000-000000000001
want='instance-00000001 fw 5 '
cd "$work" || exit 1
cloud $token '{"id": "11111111-0000-4000-8000-000000000001", "name": "fw-05"}' host=node-7 >rules
serve rules

# As the dashboard gives it to its users.
cat >dashboard <<-R
	#!/usr/bin/env bash
	export OS_AUTH_URL=$url/v3/
	export OS_PROJECT_NAME="ops"
	export OS_USER_DOMAIN_NAME="Default"
	if [ -z "\$OS_USER_DOMAIN_NAME" ]; then unset OS_USER_DOMAIN_NAME; fi
	unset OS_TENANT_ID
	export OS_USERNAME="robot"
	# With Keystone you pass the keystone password.
	echo "Please enter your OpenStack Password for project \$OS_PROJECT_NAME as user \$OS_USERNAME: "
	read -sr OS_PASSWORD_INPUT
	export OS_PASSWORD=\$OS_PASSWORD_INPUT
	export OS_REGION_NAME="R"
	export OS_INTERFACE=public
	export OS_IDENTITY_API_VERSION=3
R
# on_terminal KEYS COMMAND: with a terminal where these keys are hit when they are asked for; its output to
# $work/screen
on_terminal() {
	: >screen
	{
		for _ in $(seq 200); do
			grep -q 'Please enter' screen && break
			sleep 0.05
		done
		sleep 0.2 # the echo goes off after the question
		printf '%s' "$1"
	} | script -qefc "$2" /dev/null >screen 2>&1
}
ask="'$CDICT' identify --proc-root proc --openstack --openrc dashboard"

if terminal; then
	on_terminal "$password"$'\n' "$ask >out 2>err"
	same the_file_asks_for_the_password_on_the_terminal "0 $want" "$? $(named)"
	says and_is_seen_to_ask 'Please enter your OpenStack Password for project ops as user robot' screen
	if grep -qF "$password" screen out err; then not_ok which_does_not_show_it "$(cat screen)"; else ok which_does_not_show_it; fi
	on_terminal "$password"$'\n' "$ask </dev/null >out 2>err"
	same wherever_its_input_comes_from "$want" "$(named)"
	on_terminal $'wrong\n' "$ask >out 2>err"
	says a_wrong_answer_is_reported 'no names from OpenStack: ' err
	OS_PASSWORD=$password on_terminal $'\n' "$ask >out 2>err"
	same no_answer_leaves_that_of_the_environment "$want" "$(named)"
	# Ctrl-C ends it, and the terminal has its echo back
	on_terminal $'\x03' "bash -c 'trap : INT; $ask >out 2>err; stty -a >tty'"
	says an_interrupted_question_leaves_the_terminal_as_it_was ' echo ' tty
else
	echo "skip the_file_asks_on_the_terminal no pseudo-terminal: devpts is not mounted at /dev/pts"
fi
export OS_PASSWORD=$password
setsid -w "$CDICT" identify --proc-root proc --openstack --openrc dashboard >out 2>err </dev/null
same without_a_terminal_it_is_that_of_the_environment "$want" "$(named)"
unset OS_PASSWORD
setsid -w "$CDICT" identify --proc-root proc --openstack --openrc dashboard >out 2>err <<<"$password"
same without_either_it_fails 1 $?
says and_names_the_missing_setting 'dashboard: lacks password (OS_PASSWORD)' err

# From here on without a terminal, wherever the tests are run: else the file prints on it.
identify() {
	setsid -w "$CDICT" identify --proc-root "$work/proc" --openstack "$@" >"$work/out" 2>"$work/err"
}
# in its place: its output is not a result, programs that it calls are found
mkdir "sub folder"
rc_file 'echo loud; . "$(dirname "$BASH_SOURCE")/sub folder/more"'
echo "export OS_REGION_NAME=R; echo and-so-on" >"sub folder/more"
identify --openrc openrc
same a_file_may_read_others "$want" "$(named)"
says and_its_output_is_a_message and-so-on err
identify --openrc <(cat openrc)
same a_file_may_be_a_pipe "$want" "$(named)"
PATH=$work/evil:$PATH
mkdir evil
for name in bash sh env openrc; do
	printf '#!/bin/sh\ntouch %s/evil/done\n' "$work" >evil/$name
	chmod +x evil/$name
done
identify --openrc openrc
same nothing_is_looked_for_along_path "$want $(ls evil)" "$(named) bash
env
openrc
sh"
echo "touch $work/evil/done" >evil/rc
BASH_ENV=$work/evil/rc ENV=$work/evil/rc identify --openrc openrc
if [ -e evil/done ]; then not_ok no_other_file_is_run; else ok no_other_file_is_run; fi

# a file that does not end is stopped if no user can do it
began=$SECONDS
echo 'sleep 300; :' >openrc
setsid -w "$CDICT" identify --proc-root proc --openstack --openrc openrc --os-timeout 500 >out 2>err </dev/null
same a_file_that_hangs_fails 1 $?
says and_is_reported 'openrc: did not end within 0.5 s (--os-timeout)' err
if [ $((SECONDS - began)) -lt 20 ]; then ok in_time; else not_ok in_time $((SECONDS - began)); fi

# secrets are not visible to others: inspects the process while the file runs
ulimit -Sc unlimited 2>/dev/null
rc_file "tr '\\0' ' ' </proc/\$PPID/cmdline >&2; tr '\\0' ' ' </proc/\$\$/cmdline >&2"
identify --openrc openrc
if grep -qF "$password" err; then not_ok no_secret_is_on_a_command_line; else says no_secret_is_on_a_command_line env err; fi
rc_file "grep '^Max core' /proc/\$PPID/limits /proc/\$\$/limits | awk '{ print \"core\", \$5 }' >&2"
identify --openrc openrc
same no_core_file_has_one 2 "$(grep -c '^core [01]$' err)"
exit $failed
