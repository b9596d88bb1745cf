// SPDX-License-Identifier: GPL-2.0-only
/* Labels put into a cdict while it is written: everything passes as it is up to the
 * index, which is the last block. */
#include <errno.h>
#include <stdlib.h>

#include "annotate/apply_internal.h"
#include "base/fail.h"

enum where { FILE_HEADER, BLOCK_HEADER, PAYLOAD, INDEX, TRAILER };

struct apply_filter {
	const struct mapping *labels;
	cdict_write_fn fn;
	void *ctx;
	struct codec *codec;
	enum where where;
	uint64_t left; /* bytes of this part that are still to come */
	uint64_t written;
	struct container_header h;
	struct buf held; /* of a part that is needed whole */
};

int apply_filter_new(struct apply_filter **out, const struct mapping *labels, cdict_write_fn fn,
		     void *ctx, struct cdict_error *err)
{
	struct apply_filter *flt = calloc(1, sizeof(*flt));

	*out = NULL;
	if (!flt || !(flt->codec = codec_new())) {
		free(flt);
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	}
	flt->labels = labels;
	flt->fn = fn;
	flt->ctx = ctx;
	flt->where = FILE_HEADER;
	flt->left = FORMAT_HEADER_SIZE;
	*out = flt;
	return 0;
}

void apply_filter_free(struct apply_filter *flt)
{
	if (!flt)
		return;
	codec_free(flt->codec);
	buf_fini(&flt->held);
	free(flt);
}

static int put(struct apply_filter *flt, const void *data, size_t size)
{
	flt->written += size;
	return size ? flt->fn(flt->ctx, data, size) : 0;
}

/* The index is whole: the labels, and then another index. */
static int put_end(struct apply_filter *flt)
{
	struct buf index = { 0 }, fresh = { 0 }, blocks = { 0 }, rows = { 0 }, out = { 0 };
	uint64_t last_ns = 0, new_ns = 0;
	struct index_row row;
	struct cursor old;
	uint32_t ordinal = flt->h.ordinal;
	int rc = container_unpack(flt->codec, flt->held.data, flt->held.len, &index);

	if (!rc)
		rc = apply_blocks(flt->labels, flt->codec, ordinal, &blocks, &rows, NULL);
	old = cursor_init(index.data, index.len, false);
	while (!rc && old.left) {
		if (!index_row_read(&old, &row, &last_ns))
			rc = CDICT_ECORRUPT;
		else
			index_row_write(&fresh, &row, &new_ns);
	}
	for (size_t i = 0; !rc && i < rows.len; i += sizeof(row), ordinal++) {
		memcpy(&row, rows.data + i, sizeof(row));
		index_row_write(&fresh, &row, &new_ns);
	}
	if (!rc)
		rc = put(flt, blocks.data, blocks.len);
	if (!rc)
		rc = apply_end(flt->codec, &fresh, ordinal, flt->written, &out, NULL);
	if (!rc)
		rc = put(flt, out.data, out.len);
	buf_fini(&index);
	buf_fini(&fresh);
	buf_fini(&blocks);
	buf_fini(&rows);
	buf_fini(&out);
	return rc;
}

/* A part came to its end. */
static int next_part(struct apply_filter *flt)
{
	int rc = 0;

	switch (flt->where) {
	case BLOCK_HEADER:
		if (!container_header_read(flt->held.data, &flt->h))
			return CDICT_ECORRUPT;
		flt->left = flt->h.size;
		flt->where = flt->h.type == FORMAT_INDEX ? INDEX : PAYLOAD;
		if (flt->where == PAYLOAD)
			rc = put(flt, flt->held.data, flt->held.len);
		flt->held.len = 0;
		return rc;
	case INDEX:
		rc = put_end(flt);
		flt->where = TRAILER;
		flt->left = FORMAT_TRAILER_SIZE;
		return rc;
	case TRAILER:
		flt->left = UINT64_MAX; /* nothing more may come */
		return 0;
	case FILE_HEADER:
	case PAYLOAD:
		break;
	}
	flt->where = BLOCK_HEADER;
	flt->left = FORMAT_BLOCK_HEADER_SIZE;
	flt->held.len = 0;
	return 0;
}

int apply_filter_write(void *ctx, const void *data, size_t size)
{
	struct apply_filter *flt = ctx;
	const uint8_t *p = data;
	int rc = 0;

	while (!rc && size) {
		size_t n = size < flt->left ? size : (size_t)flt->left;

		if (flt->where == FILE_HEADER || flt->where == PAYLOAD)
			rc = put(flt, p, n);
		else if (flt->where != TRAILER)
			buf_add(&flt->held, p, n);
		if (flt->held.failed)
			rc = -ENOMEM;
		p += n;
		size -= n;
		flt->left -= n;
		while (!rc && !flt->left)
			rc = next_part(flt);
	}
	return rc;
}
