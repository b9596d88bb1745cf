/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of system calls. */
#include "tables/names/syscalls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum syscalls_abi syscalls_abi_of(const char *machine)
{
	static const struct {
		const char *machine;
		enum syscalls_abi abi;
	} known[] = {
		{ "x86_64", SYSCALLS_X86_64 },      { "i386", SYSCALLS_I386 },
		{ "i486", SYSCALLS_I386 },          { "i586", SYSCALLS_I386 },
		{ "i686", SYSCALLS_I386 },          { "aarch64", SYSCALLS_AARCH64 },
		{ "aarch64_be", SYSCALLS_AARCH64 }, { "s390x", SYSCALLS_S390X },
	};

	for (size_t i = 0; machine && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].machine, machine))
			return known[i].abi;
	return SYSCALLS_UNKNOWN;
}

static const char *names_of(enum syscalls_abi abi)
{
	switch (abi) {
	case SYSCALLS_X86_64:
		return syscalls_x86_64;
	case SYSCALLS_I386:
		return syscalls_i386;
	case SYSCALLS_AARCH64:
		return syscalls_aarch64;
	case SYSCALLS_S390X:
		return syscalls_s390x;
	default:
		return "";
	}
}

const char *syscalls_name(enum syscalls_abi abi, int64_t nr, char room[SYSCALLS_ROOM])
{
	int64_t number = 0;

	for (const char *at = names_of(abi); *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");

		if (*at == '@') {
			number = strtol(at + 1, NULL, 10);
		} else if (number++ == nr) {
			snprintf(room, SYSCALLS_ROOM, "%.*s", (int)len, at);
			return room;
		}
		at += len;
	}
	snprintf(room, SYSCALLS_ROOM, "%" PRId64, nr);
	return room;
}
