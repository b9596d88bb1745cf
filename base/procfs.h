/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * procfs.h - reads the small files of /proc, or of a saved copy of it, where
 * everything may be missing, unreadable, vanish meanwhile, or be a trap.
 *
 * Units      starttime in clock ticks of user space, start_ns in ns since boot
 * Failure    0 or a negative errno; nothing is printed
 */
#ifndef BASE_PROCFS_H
#define BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* procfs_read - @path below the directory @dir into @out, replacing what it held, with
 * a NUL behind that len does not count. No more than @most bytes are read; the rest is
 * left. Only regular files: a FIFO in a saved tree would block for ever. */
int procfs_read(int dir, const char *path, struct buf *out, size_t most);

/* procfs_number - a name that is all digits, without a leading 0, below 2^31; else 0. */
int32_t procfs_number(const char *name);

struct procfs_stat {
	char comm[64];      /* cut when longer */
	int32_t ppid;       /* 0 when not there */
	bool kernel_thread; /* PF_KTHREAD */
	uint64_t start_ns;  /* 0 when not there */
};

/* procfs_parse_stat - /proc/PID/stat, proc(5). comm may hold blanks and parentheses:
 * it ends at the last ')'. Trailing fields may be missing. False: no comm in it. */
bool procfs_parse_stat(struct procfs_stat *out, const char *text, size_t len);

/* procfs_inner_pid - from the text of /proc/PID/status: the pid in the innermost
 * namespace (NSpid), or 0. */
int32_t procfs_inner_pid(const char *status, size_t len);

#endif
