/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tracedat.h - recognises trace.dat, the format of trace-cmd and KernelShark, by its first bytes: the
 * converter reads it (convert/tracedat/tracedat.h), other commands refer to it.
 */
#ifndef BASE_TRACEDAT_H
#define BASE_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* trace-cmd.dat(5), "FILE FORMAT", the same in every version. */
#define TRACEDAT_MAGIC "\x17\x08\x44tracing"
#define TRACEDAT_MAGIC_SIZE 10u

/* tracedat_is - tests the first @size bytes; eight are enough. */
static inline bool tracedat_is(const void *data, size_t size)
{
	return size >= 8 && !memcmp(data, TRACEDAT_MAGIC,
				    size < TRACEDAT_MAGIC_SIZE ? size : TRACEDAT_MAGIC_SIZE);
}

#endif
