/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tracedat.h - what trace-cmd records and KernelShark shows, known by its first bytes: it cannot be
 * read yet, and those who have one are told what to record instead.
 */
#ifndef BASE_TRACEDAT_H
#define BASE_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* trace-cmd.dat(5), "FILE FORMAT", the same in every version. */
#define TRACEDAT_MAGIC "\x17\x08\x44tracing"
#define TRACEDAT_MAGIC_SIZE 10u

#define TRACEDAT_SENTENCE                                                                          \
	"is a trace.dat of trace-cmd, which cannot be read yet: record with 'cdict record', or "   \
	"with perf record -a -e 'sched:*' -e 'kvm:*' and 'cdict convert'"

static inline bool tracedat_is(const void *data, size_t size)
{
	return size >= TRACEDAT_MAGIC_SIZE && !memcmp(data, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE);
}

#endif
