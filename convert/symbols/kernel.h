/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - finds the symbols of the kernel that a recording is from: this host's, if it runs that
 * kernel, or those in perf's cache, where perf record and perf buildid-cache -k put them.
 *
 * Threads    any
 */
#ifndef CONVERT_SYMBOLS_KERNEL_H
#define CONVERT_SYMBOLS_KERNEL_H

#include "convert/symbols/files.h"
#include "convert/symbols/kallsyms.h"

/* What a recording contains about its kernel. */
struct kernel_recorded {
	const char *build_id; /* NULL: not recorded; then by release and machine, or by address */
	const char *release, *machine; /* NULL: not recorded */
	char function[32];             /* "_text" or "_stext", and its address; "": not recorded */
	uint64_t at;
};

/* This host, or a copy of its files. */
struct kernel_host {
	const char *kallsyms, *notes; /* "/proc/kallsyms", "/sys/kernel/notes" */
	const char *release, *machine;
};

/* kernel_find - 0 and *out, at the recording's addresses; -ENOENT, and *why is a clause; -ENOMEM. */
int kernel_find(struct kallsyms **out, const struct kernel_recorded *recorded,
		const struct kernel_host *host, const struct symbol_files *files, const char **why);

#endif
