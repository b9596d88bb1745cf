#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# waits: 1
#
# In a real Chromium: the tasks of a systemd unit, a Docker container and a Kubernetes pod that delay VMs have these names in the
# page's groups, in its matrix of who delayed whom, and in its findings, as in the commands' output.
set -u
. "$TOP/tests/page/_lib.sh"
need chromium perl

cd "$TMPDIR" || exit
ln -s "$DATA/formats" formats
id=$(printf 'c%.0s' {1..64})
names=(web-1.service 'docker cccccccccccc' 'pod 8f81e3a1-1111-4222-8333-00000000000a')
paths=(/system.slice/web-1.service "/docker/$id" "/kubepods/pod8f81e3a1-1111-4222-8333-00000000000a/$id")
# On each CPU, a VM waits 80 ms behind eight tasks of one of them: none stands out.
{
	printf '%s\n' 'cpus 3' 'default kvm:kvm_exit isa=1' 'default sched:sched_switch prev_prio=120 next_prio=120'
	for c in 0 1 2; do
		printf '%s\n' "proc 100$c vm-$c" "proc 100$c/110$c cpu-thread" "proc 5"{0..7}"$c load"
	done
	for c in 0 1 2; do
		echo "110$c [00$c] 60.00000$c: kvm:kvm_entry: vcpu_id=0"
	done
	for c in 0 1 2; do
		echo "110$c [00$c] 60.00100$c: kvm:kvm_exit: vcpu_id=0 exit_reason=EXTERNAL_INTERRUPT"
	done
	at=60.001
	for step in 110:50 50:51 51:52 52:53 53:54 54:55 55:56 56:57 57:110; do
		for c in 0 1 2; do
			echo "${step%:*}$c [00$c] ${at}00$((c + 3)): sched:sched_switch: prev_pid=${step%:*}$c prev_state=R next_pid=${step#*:}$c"
		done
		at=60.0$(printf %02d $((10#${at#60.0} + 10)))
	done
} >neighbours.trace
{
	echo tid,unit,cgroup
	for c in 0 1 2; do
		for t in 5{0..7}; do
			echo "$t$c,${names[c]},${paths[c]}"
		done
	done
} >map.csv
"$MKPERF" -o neighbours.data neighbours.trace && "$CDICT" convert -q -i neighbours.data -o run.cdict &&
	"$CDICT" annotate -q run.cdict --map map.csv && report run.cdict -o run.html || exit 1

# named TEXT - each of the three is in it
named() {
	for name in "${names[@]}"; do
		grep -qF -- "$name" <<<"$2" || echo "$1: no $name in: ${2:0:2000}"
	done
}
# shown ELEMENTS HASH - what the page's document has of them, without its data
shown() { chromium_dump "run.html#$2" | perl -0777 -ne 's/<script.*?<\/script>//gs; print "$_\n" for m{('"$1"')}gs'; }
commands() {
	named 'tasks --by group' "$("$CDICT" tasks -q run.cdict --by group)"
	named 'vcpu --by vm' "$("$CDICT" vcpu -q run.cdict --by vm)"
	named findings "$("$CDICT" vcpu -q run.cdict | grep ' behind .* worst ')"
}
verdict unit_container_and_pod_are_named_by_the_commands "$(commands)"
verdict unit_container_and_pod_are_groups_of_the_page "$(named groups "$(shown '<tr[^>]*data-group="[^"]*"' 'view=tasks&fold=groups')")"
verdict unit_container_and_pod_are_culprits_in_the_page "$(named matrix "$(shown 'data-behind="[^"]*"' view=vcpus)")"
verdict unit_container_and_pod_are_in_the_findings_of_the_page "$(named findings "$(shown '<a class="finding".*?</a>' view=vcpus)")"
