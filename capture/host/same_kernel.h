/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * same_kernel.h - whether a recording that lacks its formats was made by the kernel that runs here, so that
 * tracefs has them. A killed perf record names neither host nor kernel; what its records show is compared.
 */
#ifndef CAPTURE_SAME_KERNEL_H
#define CAPTURE_SAME_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/lent.h"

/* This machine. */
struct same_kernel_host {
	const char *release, *machine; /* uname(2) */
	bool big;
	int proc;         /* /proc, or a saved copy of it: its kallsyms is read */
	uint64_t boot_ns; /* wall time of the boot */
};

/* What the recording says. */
struct same_kernel_file {
	const char *release, *machine; /* of its header; NULL: it has none */
	uint64_t written_ns;           /* its file's modification time */
	bool clocked; /* with another clock than perf's own, which begins with the boot */
	const struct lent_survey *survey;
};

/* same_kernel - true, and in @text what was compared and agrees; false, and what does not, or that nothing could be
 * compared that names a kernel. */
bool same_kernel(const struct same_kernel_host *host, const struct same_kernel_file *file,
		 char *text, size_t size);

#endif
