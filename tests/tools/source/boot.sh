#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Boots the systemd of a root folder as PID 1 of its own namespaces, and runs a script there: boot.sh ROOT SCRIPT
# SCRIPT is a path in ROOT, run by bash -ex; its status is returned. 77: systemd does not start here.
# systemd gets its own control groups, below this machine's: of version 1 and 2, as they are mounted in /sys/fs/cgroup.
set -u

root=$(realpath "$1") script=$2
[ -x "$root/lib/systemd/systemd" ] || { echo "$root has no systemd" >&2; exit 77; }
group=cdict-boot-$$ init=
export root group
# shellcheck disable=SC2317 # by trap
down() {
	[ -z "$init" ] || { kill -9 "$init" && wait "$init"; } 2>/dev/null
	sleep 0.5
	find /sys/fs/cgroup{,/*}/"$group" -depth -type d -exec rmdir {} + 2>/dev/null
}
trap down EXIT

# These change the machine, or wait for devices.
for unit in systemd-sysctl systemd-binfmt systemd-udevd systemd-modules-load systemd-timesyncd systemd-networkd getty@tty1 console-getty; do
	ln -sfn /dev/null "$root/etc/systemd/system/$unit.service"
done

# shellcheck disable=SC2016 # for the inner shells
begin='
# TYPE FOLDER OPTIONS of the hierarchies that have a group for us
while read -r _ at type options _; do
	[[ $at == /sys/fs/cgroup* && $type == cgroup* ]] && mkdir -p "$at/$group" && echo $$ >"$at/$group/cgroup.procs" || continue
	options=$(tr , "\n" <<<"$options" | grep -vE "^(r[ow]|no.*|relatime|xattr|clone_children|release_agent=.*)$" | paste -sd,)
	[[ $options != name=* ]] || options=none,$options
	echo "$type $at ${options:-rw}"
done </proc/self/mounts >"$root/root/hierarchies"
exec unshare --mount --pid --cgroup --uts --ipc --fork --kill-child --propagation private bash -euc "$boot"'
# shellcheck disable=SC2016
boot='
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tracefs tracefs sys/kernel/tracing || :
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount --rbind /dev dev
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
legacy="systemd.unified_cgroup_hierarchy=0 systemd.legacy_systemd_cgroup_controller=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"
while read -r type at options; do
	[ "$at" != /sys/fs/cgroup ] || legacy=
	mkdir -p "./$at"
	mount -t "$type" -o "$options" "$type" "./$at"
done <root/hierarchies
exec chroot . env -i container=other SYSTEMD_PROC_CMDLINE="$legacy" /lib/systemd/systemd --unit=multi-user.target'
export boot
bash -c "$begin" >"$root.console" 2>&1 </dev/null &
init=$!

inside() {
	nsenter -t "$pid" -m -p -C -u -i -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}
for ((i = 0; i < 300; i++)); do
	kill -0 "$init" 2>/dev/null || break
	if pid=$(pgrep -P "$init" -x systemd) && inside systemctl is-system-running 2>/dev/null | grep -qE '^(running|degraded)$'; then
		inside bash -ex "$script"
		exit $?
	fi
	sleep 0.1
done
echo "systemd does not start here: $(tail -n 1 "$root.console")" >&2
exit 77
