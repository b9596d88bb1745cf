/* SPDX-License-Identifier: LGPL-2.1-only */
/* codec.h with zlib. */
#include "format/coding/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "format/coding/huffman.h"

/* Measured on the column of event kinds, 7 M of perf bench sched messaging: level 2
 * 33 ms and 786 kB, level 4 45 ms and 609 kB, level 6 120 ms and 521 kB. */
static const struct {
	int level, strategy;
} settings[CODEC_STRATEGIES] = {
	[CODEC_LZ] = { 4, Z_DEFAULT_STRATEGY },
	[CODEC_TEXT] = { 6, Z_DEFAULT_STRATEGY },
};

struct codec {
	z_stream deflate[CODEC_STRATEGIES];
	bool open[CODEC_STRATEGIES];
	z_stream inflate;
	bool inflate_open;
};

struct codec *codec_new(void)
{
	return calloc(1, sizeof(struct codec));
}

void codec_free(struct codec *c)
{
	if (!c)
		return;
	for (int i = 0; i < CODEC_STRATEGIES; i++)
		if (c->open[i])
			deflateEnd(&c->deflate[i]);
	if (c->inflate_open)
		inflateEnd(&c->inflate);
	free(c);
}

size_t codec_deflate(struct codec *c, enum codec_strategy strategy, const void *data, size_t size,
		     struct buf *out)
{
	z_stream *z = &c->deflate[strategy];
	uint8_t *room;
	size_t done;

	if (strategy == CODEC_HUFFMAN)
		return huffman_deflate(data, size, out);
	if (!c->open[strategy]) {
		if (deflateInit2(z, settings[strategy].level, Z_DEFLATED, -15, 8,
				 settings[strategy].strategy) != Z_OK) {
			out->failed = true; /* no memory: fail, or the output would depend on it */
			return 0;
		}
		c->open[strategy] = true;
	} else {
		deflateReset(z);
	}
	/* Output that is not smaller is useless: do not make room for more. */
	room = size > 1 ? buf_room(out, size) : NULL;
	if (!room)
		return 0;
	z->next_in = (Bytef *)data;
	z->avail_in = (uInt)size;
	z->next_out = room;
	z->avail_out = (uInt)(size - 1);
	if (deflate(z, Z_FINISH) != Z_STREAM_END)
		return 0;
	done = size - 1 - z->avail_out;
	out->len += done;
	return done;
}

int codec_inflate(struct codec *c, const void *data, size_t size, void *out, size_t raw_size)
{
	z_stream *z = &c->inflate;
	uint8_t none;
	int ret;

	if (!c->inflate_open) {
		if (inflateInit2(z, -15) != Z_OK)
			return -ENOMEM;
		c->inflate_open = true;
	} else {
		inflateReset(z);
	}
	z->next_in = (Bytef *)data;
	z->avail_in = (uInt)size;
	z->next_out = raw_size ? out : &none;
	z->avail_out = raw_size ? (uInt)raw_size : 1;
	ret = inflate(z, Z_FINISH);
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	if (ret != Z_STREAM_END || z->total_out != raw_size || z->avail_in)
		return CDICT_ECORRUPT;
	return 0;
}

uint32_t codec_crc(const void *data, size_t size)
{
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, size);
}
