/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * COMPRESSED records: the pieces of one zstd stream, which contains records again, split anywhere.
 * Output is limited to portions, so that a small piece that unpacks to gigabytes costs time but no
 * memory.
 */
#include "convert/perfdata/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define PORTION (256u << 10) /* > the largest record */

struct inflate {
	ZSTD_DStream *zstd;
	ZSTD_inBuffer in;
	uint8_t *out;
	size_t from, to; /* range of unpacked bytes not yet returned */
	bool more;       /* zstd holds back output, or input is left */
	bool busy;       /* records may be waiting */
	bool broken;
	uint64_t offset; /* file offset of the record that contains @in */
	uint32_t chunk;
};

void perfdata_inflate_free(struct inflate *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->zstd);
	free(z->out);
	free(z);
}

static struct inflate *inflate_new(void)
{
	struct inflate *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->zstd = ZSTD_createDStream();
	z->out = malloc(PORTION);
	if (!z->zstd || !z->out) {
		perfdata_inflate_free(z);
		return NULL;
	}
	return z;
}

int perfdata_inflate_start(struct stream *s, const uint8_t *data, size_t size, uint64_t offset,
			   struct cdict_error *err)
{
	struct inflate *z = s->inflate;

	if (!z)
		z = s->inflate = inflate_new();
	if (!z)
		return cdict_fail_nomem(err);
	z->in = (ZSTD_inBuffer){ .src = data, .size = size };
	z->offset = offset;
	z->chunk = s->chunk;
	z->more = z->busy = true;
	return 0;
}

bool perfdata_inflate_busy(const struct stream *s)
{
	return s->inflate->busy;
}

size_t perfdata_inflate_partial(const struct stream *s)
{
	return s->inflate->to - s->inflate->from;
}

static int inflate_broken(struct inflate *z)
{
	z->broken = true;
	z->more = z->busy = false;
	z->from = z->to = 0;
	return CDICT_ECORRUPT;
}

int perfdata_inflate_next(const struct perfdata *pd, struct stream *s, struct perfdata_record *rec)
{
	struct inflate *z = s->inflate;

	rec->offset = z->offset;
	if (z->broken)
		return inflate_broken(z);
	for (;;) {
		size_t left = z->to - z->from;
		const uint8_t *p = z->out + z->from;
		ZSTD_outBuffer out;
		size_t r, in_before = z->in.pos;

		if (left >= RECORD_HEADER_SIZE) {
			uint16_t size = load16(p + 6, pd->big);

			if (size < RECORD_HEADER_SIZE)
				return inflate_broken(z);
			if (size <= left) {
				rec->data = p;
				rec->size = size;
				rec->type = load32(p, pd->big);
				rec->misc = load16(p + 4, pd->big);
				rec->file = s->file;
				rec->chunk = z->chunk;
				z->from += size;
				return 1;
			}
		}
		if (!z->more) {
			z->busy = false;
			return 0;
		}
		if (left)
			memmove(z->out, p, left);
		z->from = 0;
		z->to = left;
		out = (ZSTD_outBuffer){ .dst = z->out, .size = PORTION, .pos = left };
		r = ZSTD_decompressStream(z->zstd, &out, &z->in);
		if (ZSTD_isError(r))
			return ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation
				       ? -ENOMEM
				       : inflate_broken(z);
		z->to = out.pos;
		/* A full buffer may mean that zstd has more output, without input. */
		z->more = z->in.pos < z->in.size || out.pos == out.size;
		if (out.pos == left && z->in.pos == in_before)
			z->more = false;
	}
}
