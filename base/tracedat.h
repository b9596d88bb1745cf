/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tracedat.h - what trace-cmd records and KernelShark shows, known by its first bytes: who converts
 * reads it (exchange/tracedat.h), everybody else says so.
 */
#ifndef BASE_TRACEDAT_H
#define BASE_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* trace-cmd.dat(5), "FILE FORMAT", the same in every version. */
#define TRACEDAT_MAGIC "\x17\x08\x44tracing"
#define TRACEDAT_MAGIC_SIZE 10u

/* tracedat_is - by the first @size bytes; eight of them are enough. */
static inline bool tracedat_is(const void *data, size_t size)
{
	return size >= 8 && !memcmp(data, TRACEDAT_MAGIC,
				    size < TRACEDAT_MAGIC_SIZE ? size : TRACEDAT_MAGIC_SIZE);
}

#endif
