/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * same_kernel.h - whether a recording that lacks its formats was made by the kernel that runs here,
 * so that the formats can be read from tracefs. A killed perf record stores neither host nor
 * kernel; the contents of its records are compared.
 */
#ifndef CAPTURE_HOST_SAME_KERNEL_H
#define CAPTURE_HOST_SAME_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/lent.h"

/* This machine. */
struct same_kernel_host {
	const char *release, *machine; /* uname(2) */
	bool big;
	int proc;         /* /proc, or a saved copy of it; its kallsyms is read */
	uint64_t boot_ns; /* wall-clock time of the boot */
};

/* The recording. */
struct same_kernel_file {
	const char *release, *machine; /* from its header; NULL: not there */
	uint64_t written_ns;           /* the file's modification time */
	bool clocked; /* it uses another clock than perf's own, which counts from the boot */
	const struct lent_survey *survey;
};

/* same_kernel - true, and @text lists what was compared and agrees; false, and @text lists what
 * differs, or says that nothing identifies the kernel. */
bool same_kernel(const struct same_kernel_host *host, const struct same_kernel_file *file,
		 char *text, size_t size);

#endif
