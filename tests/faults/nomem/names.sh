#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while finding and applying names; see tests/faults/nomem/tables.sh.
# needs: awk python3
# timeout: 600
# shellcheck disable=SC2154
set -u
. "$TOP/tests/openstack/_lib.sh"
cd "$work" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"

host proc node-7
vm proc 100 instance-00000001 11111111-0000-4000-8000-000000000001
vm proc 200 instance-00000002 11111111-0000-4000-8000-000000000002
printf '%s\n' '0::/machine.slice/machine-qemu\x2d1\x2dinstance.scope/libvirt/vcpu0' >proc/100/task/101/cgroup
mkdir -p state proc/300/task/300
printf '300 (vhost-100) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5000 0\n' | tee proc/300/stat >proc/300/task/300/stat
cat >state/one.xml <<-'R'
	<domstatus pid='100'><vcpus><vcpu id='0' pid='101'/></vcpus><domain><name>instance-00000001</name>
	<uuid>11111111-0000-4000-8000-000000000001</uuid><title>a title</title></domain></domstatus>
R
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict || exit 1
printf 'tid,task-name,role,group-id\n1228,Mine,vcpu0,7\n1229,"Mine, too",vcpu1,7\n1,=1+1,,\n' >map.csv

identify=("$CDICT" identify --proc-root proc --libvirt-state state)
walk nomem_identify "${identify[@]}"
walk nomem_identify_json "${identify[@]}" --format json
walk nomem_tasks_map "$CDICT" tasks x.cdict --map map.csv --format csv
# a cdict is written block by block
PRINTS_AS_IT_GOES=1 walk nomem_annotate "$CDICT" annotate x.cdict --map map.csv -o -
walk nomem_anonymize "$CDICT" annotate x.cdict --map map.csv --anonymize -o y.cdict

password=nomem-pass-11
cloud nomem-token '{"id": "11111111-0000-4000-8000-000000000001", "name": "chain-05-Firewall", "tenant_id": "p-1",
	"metadata": {"a": "b"}}' host=node-7 >rules
serve rules
printf 'clouds: {a: {auth: {auth_url: "%s", username: u, password: %s, project_name: p}}}\n' "$url" "$password" >clouds.yaml
# GnuTLS prints its own line, and a failure of libcurl may be reported before the rest fails
SEVERAL_LINES=1
# Without memory for a path, glibc 2.41 reports a missing library: names are left out, with a message.
TOLD='no names from OpenStack: OpenStack.*, which is not installed'
walk nomem_openstack "${identify[@]}" --openstack --os-cloud a
mkdir -p config && printf '[tasks]\nsort = tid\ntop = 3\n' >config/config
export CDICT_CONFIG=$PWD/config/config CDICT_TASKS_FORMAT=csv
walk nomem_config "$CDICT" tasks x.cdict
unset CDICT_CONFIG CDICT_TASKS_FORMAT

mkdir dumps
printf '[flight]\ndirectory = %s\nmax-rate = 2/m,9/h\n[record]\ntrigger = latency>5ms,exit>1ms\ntask = ^CPU\n' "$PWD/dumps" >flight.conf
cp x.cdict dumps/20261128T015903.120Z_web01_latency-31.234ms.cdict
cp x.cdict dumps/20261128T015904.000Z_web02_request.cdict
walk nomem_flight_check "$CDICT" flight check -c flight.conf
walk nomem_flight_list "$CDICT" flight list -c flight.conf
walk nomem_flight_show "$CDICT" flight show -d dumps 20261128T015904
