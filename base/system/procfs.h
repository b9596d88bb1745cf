/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * procfs.h - reads the small files of /proc, or of a saved copy of it, where
 * any file may be missing, unreadable, vanish during the read, or be a trap.
 *
 * Units      starttime in clock ticks of user space, start_ns in ns since boot
 * Failure    0 or a negative errno; nothing is printed
 */
#ifndef BASE_SYSTEM_PROCFS_H
#define BASE_SYSTEM_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/buf.h"

/* procfs_read - reads @path below the directory @dir into @out, replacing its content; adds a
 * NUL that len does not count. Reads at most @most bytes and ignores the rest.
 * Regular files only: a FIFO in a saved tree would block for ever. */
int procfs_read(int dir, const char *path, struct buf *out, size_t most);

/* procfs_number - the value of a name of digits only, without a leading 0, below 2^31; else 0. */
int32_t procfs_number(const char *name);

struct procfs_stat {
	char comm[64];      /* truncated when longer */
	int32_t ppid;       /* 0 when missing */
	bool kernel_thread; /* PF_KTHREAD */
	uint64_t start_ns;  /* 0 when missing */
};

/* procfs_parse_stat - /proc/PID/stat, proc(5). comm may contain blanks and parentheses:
 * it ends at the last ')'. Trailing fields may be missing. False: no comm in it. */
bool procfs_parse_stat(struct procfs_stat *out, const char *text, size_t len);

/* procfs_inner_pid - from the text of /proc/PID/status: the pid in the innermost
 * namespace (NSpid), or 0. */
int32_t procfs_inner_pid(const char *status, size_t len);

#endif
