/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * huffman.h - a deflate stream of literals alone: what zlib's Z_HUFFMAN_ONLY writes,
 * in a fifth of its time. Columns of symbols without repeating sequences are most of
 * a cdict, and in zlib every one of their bytes passes its window and its hash.
 *
 * The stream is plain RFC 1951: any inflate reads it.
 */
#ifndef FORMAT_CODING_HUFFMAN_H
#define FORMAT_CODING_HUFFMAN_H

#include "base/memory/buf.h"

/* huffman_deflate - appends a raw deflate stream of @data and returns its bytes; 0, and
 * nothing is appended, when that would not be smaller than @size. */
size_t huffman_deflate(const uint8_t *data, size_t size, struct buf *out);

#endif
