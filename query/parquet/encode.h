/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode.h - Parquet's encodings of numbers: runs and bit-packed groups (levels, indices into a dictionary), and packed
 * differences (integers).
 *
 * Source     parquet-format's Encodings.md, RLE/Bit-Packing Hybrid and Delta Encoding
 * Failure    out of memory sets the buffer's failed
 */
#ifndef QUERY_PARQUET_ENCODE_H
#define QUERY_PARQUET_ENCODE_H

#include "base/memory/buf.h"

/* parquet_width - bits of @max; at least 1, as some readers reject 0. */
static inline unsigned parquet_width(uint32_t max)
{
	return max ? 32 - (unsigned)__builtin_clz(max) : 1;
}

/* parquet_hybrid - @n values of @width bits (32 at most) as runs and bit-packed groups. */
void parquet_hybrid(struct buf *out, const uint32_t *values, size_t n, unsigned width);
/* parquet_delta - DELTA_BINARY_PACKED. */
void parquet_delta(struct buf *out, const uint64_t *values, size_t n);

#endif
