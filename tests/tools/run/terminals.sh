# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# terminals COMMAND... - where pseudo-terminals are; a chroot may be without, root has them along then
terminals() {
	if python3 -c 'import os; os.openpty()' 2>/dev/null; then
		"$@"
	else
		unshare -m --propagation unchanged sh -c 'mount --make-private /dev &&
			mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts && exec "$@"' _ "$@"
	fi
}
