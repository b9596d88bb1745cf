#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# syscalls.sh LINUX [LATER] - tables/names/syscalls_names.c from a kernel tree: the numbers and names in
# arch/x86/entry/syscalls/*.tbl, arch/s390/kernel/syscalls/syscall.tbl and, for arm64, <asm-generic/unistd.h>.
# LATER is a newer kernel's scripts/syscall.tbl: its additions from 424 on have the same number on all architectures.
set -eu
linux=$1 later=${2:-/dev/null}

# "number name" lines of the ABIs
of_tbl() { awk -v abis=" $2 " '!/^#/ && NF > 2 && index(abis, " " $2 " ") && $4 != "-" { print $1, $3 }' "$1"; }

of_generic() {
	printf '%s\n' '#define __BITS_PER_LONG 64' '#define __SYSCALL(a, b)' \
		'#define __ARCH_WANT_RENAMEAT' '#define __ARCH_WANT_NEW_STAT' '#define __ARCH_WANT_SET_GET_RLIMIT' \
		'#define __ARCH_WANT_TIME32_SYSCALLS' '#define __ARCH_WANT_SYS_CLONE3' '#define __ARCH_WANT_MEMFD_SECRET' |
		sed 's/$/ /' | cat - "$1" | sed 's/#include <asm\/bitsperlong.h>//' | "${CC:-cc}" -E -dM -x c - >"$tmp"
	awk '$1 == "#define" && $2 ~ /^__NR(3264)?_/ && $2 !~ /^__NR_(syscalls|arch_specific_syscall)$/ {
			name = $2; sub(/^__NR(3264)?_/, "", name)
			if (name == "fstatat") name = "newfstatat" # as <asm-generic/unistd.h> calls it with 64 bits
			if ($3 ~ /^[0-9]+$/) print $3, name }' "$tmp" | grep -vE ' (fcntl64|statfs64|fstatfs64|truncate64|ftruncate64|llseek|sendfile64|fstatat64|fstat64|mmap2|fadvise64_64)$' || true
}

# words, with "@N" before a gap in the numbers; numbers from 451 on of a newer kernel follow
put() {
	printf '\nconst char %s[] =\n' "$1"
	{ cat; awk '!/^#/ && $1 >= 424 && ($2 == "common" || $2 == "memfd_secret") { print $1, $3 }' "$later"; } | sort -n -u -k1,1 |
		awk '{ word = $1 == next_ ? $2 : "@" $1 " " $2; next_ = $1 + 1
			if (length(line) + length(word) > 84) { print "\t\"" line " \""; line = word }
			else line = line (line == "" ? "" : " ") word }
			END { print "\t\"" line "\";" }'
}

tmp=$(mktemp) && trap 'rm -f "$tmp"' EXIT
cat <<-'H'
	/* SPDX-License-Identifier: LGPL-2.1-only */
	/*
	 * Numbers and names of system calls, written by tests/tools/source/syscalls.sh from Linux 6.1's
	 * arch/x86/entry/syscalls/syscall_64.tbl (common, 64), syscall_32.tbl, arch/s390/kernel/syscalls/syscall.tbl
	 * (common, 64) and include/uapi/asm-generic/unistd.h (arm64), and, from 451 on, Linux 6.17's scripts/syscall.tbl.
	 *
	 * Names in the order of their numbers; "@N" goes on with number N.
	 */
	#include "tables/names/syscalls.h"

	// clang-format off
H
of_tbl "$linux/arch/x86/entry/syscalls/syscall_64.tbl" 'common 64' | put syscalls_x86_64
of_tbl "$linux/arch/x86/entry/syscalls/syscall_32.tbl" 'i386' | put syscalls_i386
of_generic "$linux/include/uapi/asm-generic/unistd.h" | put syscalls_aarch64
of_tbl "$linux/arch/s390/kernel/syscalls/syscall.tbl" 'common 64' | put syscalls_s390x
