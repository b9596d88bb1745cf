/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The index: with it a file opens without its event blocks being touched, each of which would cost a page fault; their
 * headers are tested as they are read. A file whose index does not describe it to the byte is scanned instead
 * (reader.c), and its index shows what is missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "format/coding/decode.h"
#include "format/file/reader.h"

bool reader_trailer(const struct cdict_reader *r, uint64_t *index_at)
{
	const uint8_t *end = r->data + r->size;

	if (r->size < FORMAT_HEADER_SIZE + FORMAT_BLOCK_HEADER_SIZE + FORMAT_TRAILER_SIZE ||
	    le32(end - 4) != FORMAT_END || le32(end - 8) != codec_crc(end - 16, 8))
		return false;
	*index_at = le64(end - 16);
	return true;
}

/* Unpacks the index at the file's end and sets *h to its header. CDICT_ECORRUPT: the index is missing or damaged. */
static int unpack(const struct cdict_reader *r, struct codec *codec, uint64_t *at,
		  struct container_header *h, struct buf *raw)
{
	const uint64_t around = FORMAT_BLOCK_HEADER_SIZE + FORMAT_TRAILER_SIZE;
	const uint8_t *payload;

	if (!reader_trailer(r, at) || *at < FORMAT_HEADER_SIZE || *at > r->size - around ||
	    !container_header_read(r->data + *at, h) || h->type != FORMAT_INDEX ||
	    h->size != r->size - around - *at)
		return CDICT_ECORRUPT;
	payload = r->data + *at + FORMAT_BLOCK_HEADER_SIZE;
	if (codec_crc(payload, h->size) != h->payload_crc)
		return CDICT_ECORRUPT;
	return container_unpack(codec, payload, h->size, r->size, raw);
}

static bool is_plausible(const struct format_block *b)
{
	return b->events && b->last_ns >= b->first_ns &&
	       (b->cpu == CDICT_CPU_UNKNOWN || b->cpu < FORMAT_MAX_CPUS);
}

/* Whether the rows describe the file from its first block to the index, with the number @number: those of event
 * blocks are trusted, all others are compared with the blocks' headers. */
static bool describes(const struct cdict_reader *r, const struct buf *raw, uint64_t index_at,
		      uint32_t number)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);
	uint64_t at = FORMAT_HEADER_SIZE, last_ns = 0;
	uint32_t n = 0;

	for (; c.left; n++) {
		struct container_header h;
		struct index_row row;

		if (!index_row_read(&c, &row, &last_ns) || row.type == FORMAT_INDEX ||
		    row.size < FORMAT_BLOCK_HEADER_SIZE || row.size > index_at - at)
			return false;
		if (row.type == FORMAT_EVENTS
			    ? row.size - FORMAT_BLOCK_HEADER_SIZE > FORMAT_BLOCK_MAX ||
				      !is_plausible(&row.events)
			    : !container_header_read(r->data + at, &h) || h.type != row.type ||
				      h.size != row.size - FORMAT_BLOCK_HEADER_SIZE ||
				      h.ordinal != n)
			return false;
		at += row.size;
	}
	return at == index_at && n == number;
}

static int read_rows(struct cdict_reader *r, struct codec *codec, const struct buf *raw,
		     struct cdict_error *err)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);
	uint64_t at = FORMAT_HEADER_SIZE, last_ns = 0;
	int ret = 0;

	for (uint32_t n = 0; c.left && !ret; n++) {
		struct container_header h;
		struct index_row row;

		index_row_read(&c, &row, &last_ns);
		if (row.type == FORMAT_EVENTS) {
			ret = reader_add_block(r, at, n, row.size, &row.events, err);
		} else {
			container_header_read(r->data + at, &h);
			ret = reader_small_block(r, codec, at, &h, err);
		}
		at += row.size;
	}
	return ret;
}

int reader_by_index(struct cdict_reader *r, struct codec *codec, struct cdict_error *err)
{
	struct container_header h;
	struct buf raw = { 0 };
	uint64_t at;
	int ret = unpack(r, codec, &at, &h, &raw);

	if (!ret && describes(r, &raw, at, h.ordinal)) {
		ret = read_rows(r, codec, &raw, err);
		r->damage.cut_at = r->size - FORMAT_TRAILER_SIZE;
	} else {
		ret = ret == -ENOMEM ? cdict_fail_nomem(err) : 1;
	}
	buf_fini(&raw);
	return ret;
}

/* A block whose head differs from its row is damaged, and a row without a block shows a missing one. */
int reader_check_index(struct cdict_reader *r, struct codec *codec, uint64_t index_at,
		       struct cdict_error *err)
{
	const uint8_t *p = r->data + index_at;
	struct container_header h;
	struct buf raw = { 0 };
	struct cursor c;
	uint64_t at = FORMAT_HEADER_SIZE, last_ns = 0;
	size_t i = 0;
	int ret = 0;

	container_header_read(p, &h);
	ret = container_unpack(codec, p + FORMAT_BLOCK_HEADER_SIZE, h.size, r->size, &raw);
	if (ret == -ENOMEM) {
		buf_fini(&raw);
		return cdict_fail_nomem(err);
	}
	c = cursor_init(raw.data, raw.len, false);
	while (!ret && c.left) {
		struct index_row row;

		if (!index_row_read(&c, &row, &last_ns)) {
			ret = CDICT_ECORRUPT;
			break;
		}
		if (row.type == FORMAT_EVENTS) {
			struct cdict_block_info *b;

			while (i < r->blocks.n && r->blocks.at[i].offset < at)
				i++;
			b = i < r->blocks.n && r->blocks.at[i].offset == at ? &r->blocks.at[i]
									    : NULL;
			if (!b) {
				struct cdict_block_info gone = { at,
								 row.size,
								 row.events.cpu,
								 row.events.events,
								 row.events.first_ns,
								 row.events.last_ns };

				reader_note_events(r, &gone, "its head cannot be read");
			} else {
				/* The index passed its CRC, the payload is not checked yet. */
				b->cpu = row.events.cpu;
				b->events = row.events.events;
				b->first_ns = row.events.first_ns;
				b->last_ns = row.events.last_ns;
			}
		}
		at += row.size;
	}
	if (!ret && at != index_at && !r->damage.first[0])
		ret = CDICT_ECORRUPT;
	if (ret)
		reader_note(r, index_at, "index at byte %" PRIu64 " is damaged", index_at);
	if (ret)
		r->damage.blocks++;
	buf_fini(&raw);
	return 0;
}
