#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# shares: 1
#
# The static program, copied into the root folders of other systems, records there, finds the VMs, and prints tables.
# Runs in an empty folder, and in each folder of $CDICT_ROOTS (build/roots, which `make roots` fills).
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

host=$BUILD/cdict-host
[ -x "$host" ] || { echo "the static program was not built" >&2; exit 77; }
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || { echo "not root, or no mount namespaces" >&2; exit 77; }
may_record || exit 77
top=$PWD

# inside ROOT COMMAND... - with the kernel's file systems, in a mount namespace: nothing of them stays
inside() {
	unshare -m --propagation private bash -c 'root=$1; shift
		mkdir -p "$root"/{proc,sys,dev,tmp} && mount --rbind /proc "$root/proc" && mount --rbind /sys "$root/sys" &&
		mount --rbind /dev "$root/dev" && exec chroot "$root" "$@"' _ "$@"
}

# works ROOT - prints faults
works() {
	local root=$1 pid
	figure hosts 1
	mkdir -p "$root/tmp" && cp "$host" "$root/cdict-host" && cp "$DATA/kvm-small.data" "$root/tmp/old.data" || return
	rm -f "$root/tmp/run.cdict"
	perf bench sched pipe -l 100000000 >/dev/null 2>&1 & # however late it begins
	pid=$!
	inside "$root" /cdict-host record -q -s 1 -o /tmp/run.cdict 2>err || echo "record ends with $?: $(cat err)"
	kill $pid
	wait $pid 2>/dev/null
	inside "$root" /cdict-host tasks --format csv /tmp/run.cdict 2>&1 | grep -q '[,"]sched-pipe[,"]' ||
		echo "the load is not among the tasks"
	inside "$root" /cdict-host script /tmp/run.cdict >got 2>err || cat err
	"$CDICT" script "$root/tmp/run.cdict" >want
	cmp want got
	grep -q sched:sched_switch got || echo "no sched:sched_switch was recorded"
	inside "$root" /cdict-host identify --libvirt off >map 2>err || echo "identify ends with $?: $(cat err)"
	grep -q '^tid,libvirt-instance,' map || echo "identify writes no mapping file"
	inside "$root" /cdict-host convert -q -i /tmp/old.data -o - >got 2>err || cat err
	"$CDICT" convert -q -i "$DATA/kvm-small.data" -o - >want
	cmp want got
	inside "$root" /cdict-host vcpu /tmp/run.cdict >/dev/null 2>&1 || [ $? = 2 ] || echo "no table of the vCPUs"
	rm -f "$root/cdict-host" "$root"/tmp/{run.cdict,old.data}
}

mkdir -p empty/tmp
verdict alone_it_records_identifies_converts_and_prints_tables "$(works "$top/empty" 2>&1)"
for root in "${CDICT_ROOTS:-$TOP/build/roots}"/*/; do
	[ -e "$root/bin/sh" ] || [ -L "$root/bin/sh" ] || continue
	name=$(basename "$root")
	verdict "in_${name}_it_records_identifies_converts_and_prints_tables" "$(works "${root%/}" 2>&1)"
	found=1
done
[ -n "${found-}" ] || skip in_other_systems "no root folders: make roots"
