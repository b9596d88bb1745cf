// SPDX-License-Identifier: GPL-2.0-only
/* Blocks of labels, and the end of a file. */
#include <errno.h>

#include "annotate/apply_internal.h"
#include "base/fail.h"
#include "format/labels.h"

static int put_block(struct buf *out, uint32_t type, uint32_t ordinal, const struct buf *payload,
		     struct cdict_error *err)
{
	struct container_header h = { type, (uint32_t)payload->len, ordinal,
				      codec_crc(payload->data, payload->len) };
	uint8_t header[FORMAT_BLOCK_HEADER_SIZE];

	if (payload->failed)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	if (payload->len > FORMAT_BLOCK_MAX)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "block is too large");
	container_header_write(header, &h);
	buf_add(out, header, sizeof(header));
	buf_add(out, payload->data, payload->len);
	return out->failed ? cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory") : 0;
}

int apply_blocks(const struct mapping *labels, struct codec *codec, uint32_t ordinal,
		 struct buf *blocks, struct buf *rows, struct cdict_error *err)
{
	struct label_rows pending = { 0 };
	struct buf payload = { 0 };
	int rc = 0;

	if (labels->n > FORMAT_MAX_LABELS)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "%zu labels, a file can hold %u", labels->n, FORMAT_MAX_LABELS);
	for (size_t i = 0; i < labels->n && !rc; i++) {
		struct index_row row = { .type = FORMAT_LABELS };

		label_rows_add(&pending, &labels->labels[i]);
		if (!label_rows_full(&pending) && i + 1 < labels->n)
			continue;
		payload.len = 0;
		payload.failed |= pending.out.failed;
		container_pack(codec, &pending.out, &payload);
		label_rows_reset(&pending);
		row.size = payload.len + FORMAT_BLOCK_HEADER_SIZE;
		buf_add(rows, &row, sizeof(row));
		rc = put_block(blocks, FORMAT_LABELS, ordinal++, &payload, err);
	}
	if (!rc && rows->failed)
		rc = cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	label_rows_fini(&pending);
	buf_fini(&payload);
	return rc;
}

int apply_end(struct codec *codec, const struct buf *index, uint32_t ordinal, uint64_t at,
	      struct buf *out, struct cdict_error *err)
{
	uint8_t trailer[FORMAT_TRAILER_SIZE];
	struct buf payload = { 0 };
	int rc;

	container_pack(codec, index, &payload);
	payload.failed |= index->failed;
	rc = put_block(out, FORMAT_INDEX, ordinal, &payload, err);
	container_trailer(trailer, at);
	buf_add(out, trailer, sizeof(trailer));
	buf_fini(&payload);
	return !rc && out->failed ? cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory") : rc;
}
