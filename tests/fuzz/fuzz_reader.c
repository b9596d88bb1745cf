/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A whole file. Its check sums are made right first - the file header's, each block's
 * payload and header, as far as the sizes lead - or no code after these checks would be reached;
 * with the last byte odd they stay as they are.
 */
#include "base/cursor.h"
#include "format/coding/codec.h"
#include "format/layout.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void make_right(uint8_t *p, size_t size)
{
	size_t at = FORMAT_HEADER_SIZE;
	uint32_t ordinal = 0;

	if (size < FORMAT_HEADER_SIZE)
		return;
	memcpy(p, FORMAT_MAGIC, FORMAT_MAGIC_SIZE);
	put32(p + 8, FORMAT_MAJOR);
	put32(p + 12, codec_crc(p, 12));
	while (size - at >= FORMAT_BLOCK_HEADER_SIZE) {
		uint32_t len = le32(p + at + 8);

		if (len > size - at - FORMAT_BLOCK_HEADER_SIZE)
			break;
		put32(p + at, FORMAT_SYNC);
		put32(p + at + 12, ordinal++);
		put32(p + at + 16, codec_crc(p + at + FORMAT_BLOCK_HEADER_SIZE, len));
		put32(p + at + 20, codec_crc(p + at, 20));
		at += FORMAT_BLOCK_HEADER_SIZE + len;
	}
	if (size - at == FORMAT_TRAILER_SIZE) {
		put32(p + size - 8, codec_crc(p + size - 16, 8));
		put32(p + size - 4, FORMAT_END);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct cdict_reader *r;
	struct cdict_error err;

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	if (size && !(data[size - 1] & 1))
		make_right(copy, size);
	if (!cdict_reader_parse(&r, copy, size, &err)) {
		walk_all(r);
		cdict_reader_close(r);
	}
	free(copy);
	return 0;
}
