#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 120
# shares: 1
# waits: 1
#
# record --openstack: a VM on this machine gets its name during the recording, from a simulated OpenStack; if
# that is unreachable, only the names are missing, not the recording.
# shellcheck disable=SC2154
set -u
. "$TOP/tests/openstack/_lib.sh"
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

password=record-pass-27
token=record-token-53
uuid=8f81e3a1-6b1b-4c1c-9f3f-0000000000aa
cloud $token "{\"id\": \"$uuid\", \"name\": \"chain-05-Firewall\", \"tenant_id\": \"p-1\"}" >"$work/rules"

# A process with the threads of a VM; ends with its input.
begin_vm() {
	mkdir -p vm
	cp "$BUILD/tests/tools/make/fakeqemu" vm/qemu-system-x86_64
	mkfifo vm/in
	THREADS=$'CPU 0/KVM\nCPU 1/KVM' vm/qemu-system-x86_64 -name guest=instance-000000aa,debug-threads=on \
		-uuid $uuid -accel kvm <vm/in >vm/out &
	exec 9>vm/in
	until grep -q '^ready$' vm/out; do sleep 0.02; done
	vcpu0=$(sed -n 's/^\([0-9]*\) CPU 0\/KVM$/\1/p' vm/out)
}
end_vm() {
	exec 9>&-
	wait
}
# labels FILE - "tid name" of those that OpenStack gave
labels() { "$CDICT" info -q --max-loss 100 --labels "$1" | grep openstack; }

named() {
	"$CDICT" record -s 0.3 -o x.cdict --openstack --openrc "$work/openrc" 2>rec.err || echo "record ends with $?"
	grep -q ': named 1 of 1 VM, [0-9]* tasks*; found 1 server$' rec.err || cat rec.err
	labels x.cdict >labels
	grep -q "^ *$vcpu0 .*Firewall" labels || { echo "vCPU 0 is $vcpu0:"; "$CDICT" info --labels x.cdict; }
	grep -aq -e "$password" -e "$token" x.cdict rec.err && echo "a secret is shown"
	"$CDICT" info -q --verify x.cdict | grep -q '^state: whole' || echo "it is not whole"
}

# The flight recorder's file has them as well, and it is asked once.
named_when_kept() {
	: >"$log"
	"$CDICT" record -q -s 0.3 --keep 1s -o x.cdict --openstack --openrc "$work/openrc" 2>rec.err || echo "record ends with $?"
	labels x.cdict | grep -q "^ *$vcpu0 .*Firewall" || echo "vCPU 0 has no name"
	[ "$(grep -c '^GET /v2.1/servers' "$log")" = 1 ] || cat "$log"
}

# The recording continues, with names from the host itself, and one line of message.
unreachable() {
	"$CDICT" record -q -s 0.3 -o x.cdict --openstack --openrc "$work/openrc" "$@" 2>rec.err
	[ $? -eq 2 ] || echo "record does not end with 2"
	[ "$(grep -c 'no names from OpenStack' rec.err)" = 1 ] && [ "$(wc -l <rec.err)" = 1 ] || cat rec.err
	"$CDICT" info -q --verify x.cdict | grep -q '^state: whole' || echo "it is not whole"
	[ "$(events x.cdict)" -gt 0 ] || echo "nothing is recorded"
	"$CDICT" info -q --labels x.cdict | grep -q "^ *$vcpu0 .*instance-000000aa" ||
		{ echo "the host's name is missing"; "$CDICT" info --labels x.cdict; }
}
slow() {
	local began=$SECONDS
	unreachable --os-timeout 500
	[ $((SECONDS - began)) -le 8 ] || echo "it took $((SECONDS - began)) s"
}

# Missing credentials are reported before the recording starts.
without_settings() {
	"$CDICT" record -s 0.1 -o y.cdict --openstack 2>rec.err
	[ $? -eq 1 ] || echo "record does not end with 1"
	grep -q 'use --openrc or --os-cloud, or set the OS_\* variables$' rec.err || cat rec.err
	[ ! -e y.cdict ] || echo "a file is left"
}

may_record || exit 77
begin_vm
serve "$work/rules"
rc_file
run openstack-names-the-vms-of-a-recording named
run openstack-names-the-vms-of-the-flight-recorder named_when_kept
{
	printf '> POST /v3/auth/tokens\n@ delay 60000\n'
	cat "$work/rules"
} >"$work/slow"
serve "$work/slow"
rc_file
run an-openstack-that-is-slow-costs-only-its-names slow
stop_servers
run an-openstack-that-is-down-costs-only-its-names unreachable
run without-settings-nothing-is-recorded without_settings
end_vm
