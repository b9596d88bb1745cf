#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# annotate --openstack: names go into the file, secrets do not.
# needs: jq
# timeout: 120
# shellcheck disable=SC2154
set -uo pipefail
. "$TOP/tests/openstack/_lib.sh"

password=annotate-pass-81
token=annotate-token-19
cd "$work" || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict || exit 1
capture_host=$("$CDICT" info --format json x.cdict | jq -r '.. | objects | .["host.name"]? // empty' | head -n 1)
[ -n "$capture_host" ] || capture_host=$("$CDICT" info x.cdict | sed -n 's/^host *//p' | cut -d' ' -f1)
cloud $token '
	{"id": "8f81e3a1-6b1b-4c1c-9f3f-000000000001", "name": "chain-05-Firewall", "tenant_id": "p-1"},
	{"id": "8f81e3a1-6b1b-4c1c-9f3f-000000000002", "name": "Router </script>, edge-12", "tenant_id": "p-1",
	 "OS-EXT-SRV-ATTR:instance_name": "instance-00000a01"}' "host=$capture_host" >rules
# the data known on the host
cat >map.csv <<-R
	tid,libvirt-instance,role,uuid
	1228,instance-000019f4,vcpu0,8F81E3A1-6B1B-4C1C-9F3F-000000000001
	1229,instance-000019f4,vcpu1,8f81e3a1-6b1b-4c1c-9f3f-000000000001
	1054,instance-00000a01,vcpu0,
	1121,instance-00000007,vcpu0,8f81e3a1-6b1b-4c1c-9f3f-000000000009
R
"$CDICT" script x.cdict >before
cp x.cdict plain.cdict

display() { # FILE: display names of the tasks that have a label
	"$CDICT" tasks "$1" --format json | jq -r '.tasks[] | select(.name != .comm) | "\(.tid) \(.name)"' | sort -n
}
want='1054 Router </script>, edge.12.vcpu0
1121 instance-00000007.vcpu0
1228 Firewall.05.vcpu0
1229 Firewall.05.vcpu1'

serve rules
rc_file
"$CDICT" annotate x.cdict --map map.csv --openstack --openrc openrc 2>err
same annotate_names_what_a_mapping_identifies "0 $want" "$? $(display x.cdict)"
says it_prints_how_many 'OpenStack (' err
says of_which_vms ': named 2 of 3 VMs, 3 tasks; found 2 servers' err
"$CDICT" info --labels x.cdict >labels
same the_labels_have_their_origin 3 "$(grep -c openstack labels)"
"$CDICT" script x.cdict >after
if cmp -s before after; then ok the_events_are_as_before; else not_ok the_events_are_as_before; fi
if "$CDICT" info -v --labels x.cdict | cat - x.cdict err | grep -qaF -e "$password" -e "$token"; then
	not_ok no_secret_is_in_the_file_or_shown
else
	ok no_secret_is_in_the_file_or_shown
fi

# once more, from the file's own labels; then another name for the same VM
cp x.cdict again.cdict
"$CDICT" annotate again.cdict --openstack --openrc openrc 2>err
same the_files_own_labels_identify_the_vms "$want" "$(display again.cdict)"
sed 's/chain-05-Firewall/chain-06-Gate/' rules >renamed
serve renamed
rc_file
"$CDICT" annotate again.cdict --openstack --openrc openrc 2>err
same a_new_name_replaces_the_old "${want//Firewall.05/Gate.06}" "$(display again.cdict)"

# the user's own word counts more
printf 'tid,task-name,group-id\n1228,Mine,7\n' >own.csv
cp plain.cdict own.cdict
"$CDICT" annotate own.cdict --map map.csv,own.csv --openstack --openrc openrc 2>err
says a_mapping_goes_before_openstack '1228 Mine.07.vcpu0' <(display own.cdict)

# no service answers
stop_servers
cp plain.cdict down.cdict
"$CDICT" annotate down.cdict --map own.csv,map.csv --openstack --openrc openrc 2>err
same without_openstack_the_rest_is_done 0 $?
says and_one_line_reports_it 'no names from OpenStack: ' err
says with_the_names_of_the_mapping '1228 Mine.07.vcpu0' <(display down.cdict)
cp down.cdict same.cdict
"$CDICT" annotate -q same.cdict --openstack --openrc openrc 2>err
same when_nothing_else_was_wanted_it_failed 1 $?
says and_reports_the_reason 'no names from OpenStack: ' err
if cmp -s down.cdict same.cdict; then ok and_the_file_is_as_it_was; else not_ok and_the_file_is_as_it_was; fi
serve rules
rc_file
"$CDICT" annotate plain.cdict --openstack --openrc openrc 2>err
says a_file_that_knows_no_vms_is_reported "no VM to name" err
exit $failed
