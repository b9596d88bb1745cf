/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * codec.h - zlib raw deflate with the three strategies that columns need.
 * One object per thread; deflate states are kept between calls.
 */
#ifndef FORMAT_CODING_CODEC_H
#define FORMAT_CODING_CODEC_H

#include "base/memory/buf.h"
#include "cdict/error.h"

enum codec_strategy {
	CODEC_HUFFMAN, /* symbols without repeating sequences */
	CODEC_LZ,      /* columns with repeating sequences */
	CODEC_TEXT,    /* texts and tables: little data, compressed hard */
	CODEC_STRATEGIES
};

struct codec;

struct codec *codec_new(void);
void codec_free(struct codec *c);

/* codec_deflate - appends the deflated bytes to @out and returns their number;
 * 0 when that would not be smaller than @size (nothing is appended). */
size_t codec_deflate(struct codec *c, enum codec_strategy strategy, const void *data, size_t size,
		     struct buf *out);

/* codec_inflate - inflates exactly @raw_size bytes to @out: 0, CDICT_ECORRUPT or -ENOMEM. */
int codec_inflate(struct codec *c, const void *data, size_t size, void *out, size_t raw_size);

/* codec_plausible - whether @size deflated bytes can hold @raw_size (deflate never
 * does better than 1032:1): call it before allocating memory. */
static inline bool codec_plausible(uint64_t size, uint64_t raw_size)
{
	return raw_size / 1040 <= size;
}

uint32_t codec_crc(const void *data, size_t size);

#endif
