/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * syscalls.h - names of system calls, whose numbers differ between architectures.
 *
 * raw_syscalls events do not show whether the task is 32-bit, so the number alone does not identify
 * the call.
 */
#ifndef TABLES_NAMES_SYSCALLS_H
#define TABLES_NAMES_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

enum syscalls_abi {
	SYSCALLS_UNKNOWN = 0,
	SYSCALLS_X86_64,
	SYSCALLS_I386,
	SYSCALLS_AARCH64,
	SYSCALLS_S390X,
};

/* syscalls_abi_of - @machine as in uname(2), or NULL. */
enum syscalls_abi syscalls_abi_of(const char *machine);

#define SYSCALLS_ROOM 40
/* syscalls_name - the name, or the number in @room if it has none. */
const char *syscalls_name(enum syscalls_abi abi, int64_t nr, char room[SYSCALLS_ROOM]);

/* syscalls_names.c */
extern const char syscalls_x86_64[], syscalls_i386[], syscalls_aarch64[], syscalls_s390x[];

#endif
