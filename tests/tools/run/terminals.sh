# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# terminals COMMAND... - runs COMMAND with pseudo-terminals; root mounts them in a chroot without them
terminals() {
	if python3 -c 'import os; os.openpty()' 2>/dev/null; then
		"$@"
	else
		unshare -m --propagation unchanged sh -c 'mount --make-private /dev &&
			mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts && exec "$@"' _ "$@"
	fi
}
