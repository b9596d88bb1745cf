/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocksfile.h - a cdict made of a target's input, and checks of its printed form.
 *
 * The input is blocks as they are inside, before they are packed: each a byte for its type, two of its size and
 * its content. They become a file whose check sums and index are right.
 */
#ifndef TESTS_FUZZ_LIB_BLOCKSFILE_H
#define TESTS_FUZZ_LIB_BLOCKSFILE_H

/* base/text/json.h has one of that name, too */
#define json_null jansson_null
#include <jansson.h>
#undef json_null

#include <stdlib.h>

#include "base/cursor.h"
#include "base/text/sink.h"
#include "format/coding/decode.h"
#include "format/file/container.h"

static const uint32_t blocksfile_types[] = { FORMAT_EVENTS,   FORMAT_SCHEMA,      FORMAT_INFO,
					     FORMAT_TASKS,    FORMAT_LOSSES,      FORMAT_LABELS,
					     FORMAT_UNSTORED, FORMAT_STACKS,      FORMAT_DIGEST,
					     FORMAT_INDEX,    FORMAT_STACK_EVENTS };
enum { BLOCKSFILE_TYPES = sizeof(blocksfile_types) / sizeof(blocksfile_types[0]) };

static inline void must(int so)
{
	if (!so)
		abort();
}

static inline void blocksfile_block(struct buf *file, uint32_t type, uint32_t ordinal,
				    const struct buf *payload)
{
	const struct container_header h = { type, (uint32_t)payload->len, ordinal,
					    codec_crc(payload->data, payload->len) };
	uint8_t header[FORMAT_BLOCK_HEADER_SIZE];

	container_header_write(header, &h);
	buf_add(file, header, sizeof(header));
	buf_add(file, payload->data, payload->len);
}

/* blocksfile_make - into @file, which is empty. */
static inline void blocksfile_make(struct buf *file, const uint8_t *data, size_t size)
{
	struct cursor c = cursor_init(data, size, false);
	struct buf payload = { 0 }, index = { 0 };
	uint8_t header[FORMAT_HEADER_SIZE], trailer[FORMAT_TRAILER_SIZE];
	uint32_t ordinal = 0;
	uint64_t last_ns = 0, at;

	container_file_header(header);
	buf_add(file, header, sizeof(header));
	while (c.left >= 3) {
		uint32_t type = blocksfile_types[cursor_u8(&c) % BLOCKSFILE_TYPES];
		struct index_row row = { .type = type };
		uint16_t want = cursor_u16(&c);
		size_t n = want < c.left ? want : c.left;

		payload.len = 0;
		if (type != FORMAT_EVENTS && type != FORMAT_STACK_EVENTS) {
			buf_u8(&payload, FORMAT_STORED);
			buf_varint(&payload, n);
		}
		buf_add(&payload, cursor_take(&c, n), n);
		blocksfile_block(file, type, ordinal++, &payload);
		row.size = payload.len + FORMAT_BLOCK_HEADER_SIZE;
		if (type == FORMAT_EVENTS)
			format_block_peek(payload.data, payload.len, &row.events, NULL, 0, NULL);
		index_row_write(&index, &row, &last_ns);
	}
	at = file->len;
	payload.len = 0;
	buf_u8(&payload, FORMAT_STORED);
	buf_varint(&payload, index.len);
	buf_add(&payload, index.data, index.len);
	blocksfile_block(file, FORMAT_INDEX, ordinal, &payload);
	container_trailer(trailer, at);
	buf_add(file, trailer, sizeof(trailer));
	buf_fini(&payload);
	buf_fini(&index);
}

/* must_be_json_text - output as JSON is JSON; @flags: jansson's. */
static inline void must_be_json_text(const char *text, size_t len, size_t flags)
{
	json_error_t why;
	/* of integers jansson has no more than 63 bits */
	json_t *j = json_loadb(text, len, flags | JSON_DECODE_INT_AS_REAL, &why);

	if (!j) {
		fprintf(stderr, "%s at byte %d of:\n%.*s\n", why.text, why.position, (int)len,
			text);
		abort();
	}
	json_decref(j);
}

#endif
