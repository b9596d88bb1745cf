#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: jq
# waits: 1
#
# Beside a load in a systemd-like, a Docker-like and a Kubernetes-like control group, all made here: a recording names all
# three in tasks --by group, from /proc; --all-cgroups, cdict's and perf's, also knows the tasks that a service starts meanwhile.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"
may_record || exit 77

top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ -n "$top" ] || { echo "no cgroup2 file system is mounted" >&2; exit 77; }
slice=cdict-$$.slice
id=$(printf '%064x' $$)
uid=$(printf '8f81e3a1-1111-4222-8333-%012x' $$)
groups=("$slice/web-$$.service" "docker-$$/$id" "kubepods-$$/pod$uid/$id")
loads=()
cleanup() {
	[ ${#loads[@]} -eq 0 ] || kill "${loads[@]}" 2>/dev/null
	wait 2>/dev/null
	sleep 0.1
	for g in "${groups[@]}"; do
		while [ "$g" != . ]; do
			rmdir "$top/$g" 2>/dev/null
			g=$(dirname "$g")
		done
	done
}
trap cleanup EXIT
for g in "${groups[@]}"; do
	mkdir -p "$top/$g" 2>/dev/null || { echo "cannot make control groups below $top" >&2; exit 77; }
done

# A shell that starts a short-lived task at each turn.
for g in "${groups[@]}"; do
	bash -c 'echo $$ >"$1/cgroup.procs" && touch "$2" && while :; do sleep 0.01; done' load "$top/$g" "in-${#loads[@]}" &
	loads+=($!)
done
until [ -e in-0 ] && [ -e in-1 ] && [ -e in-2 ]; do
	kill -0 "${loads[@]}" 2>/dev/null || { echo "cannot join control groups below $top" >&2; exit 77; }
	sleep 0.02
done

# groups FILE BY - "GROUP TASKS" of the rows that are units
groups() {
	"$CDICT" tasks -q --max-loss 100 "$1" --by "$2" --format json |
		jq -r '.tasks[] | select(.kind == "unit" or .kind == "cgroup") | "\(.group) \(.tasks)"'
}
wanted=("web-$$.service" "docker ${id:0:12}" "pod $uid")

names_all() { # FILE - the three groups are there
	local rows name
	rows=$(groups "$1" group)
	for name in "${wanted[@]}"; do
		grep -q "^$name [0-9]" <<<"$rows" || echo "$1: no group $name in: $rows"
	done
}
paths_all() {
	local rows g
	rows=$(groups "$1" cgroup)
	for g in "${groups[@]}"; do
		grep -q "^/$g [0-9]" <<<"$rows" || echo "$1: no control group /$g in: $rows"
	done
}
# The service's short-lived tasks: a shell and dozens of sleeps. From /proc at the start, there is only the shell.
many() { # FILE
	local n
	n=$(groups "$1" group | sed -n "s/^web-$$.service //p")
	[ "${n:-0}" -gt 5 ] || echo "$1: ${n:-0} tasks in the service"
}

recorded() {
	"$CDICT" record -q -s 0.5 -o proc.cdict 2>err || cat err
	names_all proc.cdict
	paths_all proc.cdict
}
all_cgroups() {
	"$CDICT" record -q --all-cgroups -s 0.5 -o all.cdict 2>err || cat err
	if grep -q 'does not record control groups' err; then
		[ "$(uname -r | cut -d. -f1)" -lt 6 ] || cat err
		return
	fi
	names_all all.cdict
	paths_all all.cdict
	many all.cdict
}
perfs() {
	perf record -q --all-cgroups -e 'sched:*' -a -o p.data sleep 0.5 >/dev/null 2>err || cat err
	"$CDICT" convert -q --max-loss 100 -i p.data -o perf.cdict || echo "status $?"
	names_all perf.cdict
	paths_all perf.cdict
	many perf.cdict
}
# perf report counts samples by thread and group: it has ours for every thread, and no further thread in a group.
as_perf() {
	perf report -i p.data --stdio -q -s pid,cgroup 2>/dev/null |
		sed -nE 's/^ *[0-9.]+% +([0-9]+):.* (\/[^ ]+) *$/\1 \2/p' | sort -u >perf.txt
	"$CDICT" info -q --max-loss 100 --labels --format json perf.cdict |
		jq -r '.labels[] | select(.cgroup != "") | "\(.tid) \(.cgroup)"' | sort -u >ours.txt
	[ -s perf.txt ] || echo "perf printed no groups"
	comm -13 perf.txt ours.txt | sed 's/^/not in perf report: /' | head -5
	cmp <(cut -d' ' -f1 perf.txt | sort -u) <(cut -d' ' -f1 ours.txt | sort -u)
}
verdict a_recording_beside_them_names_unit_container_and_pod "$(recorded 2>&1)"
verdict all_cgroups_names_the_tasks_started_meanwhile "$(all_cgroups 2>&1)"
verdict perf_record_all_cgroups_gives_the_same_groups "$(perfs 2>&1)"
verdict every_task_has_the_group_that_perf_report_prints "$(as_perf 2>&1)"
