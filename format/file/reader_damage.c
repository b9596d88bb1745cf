/* SPDX-License-Identifier: LGPL-2.1-only */
/* Damage in a cdict: noting it, and looking for it. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "format/coding/decode.h"
#include "format/file/reader.h"

void reader_note(struct cdict_reader *r, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (r->damage.first[0])
		return;
	va_start(ap, fmt);
	vsnprintf(r->damage.first, sizeof(r->damage.first), fmt, ap);
	va_end(ap);
	r->first_at = at;
}

void reader_note_events(struct cdict_reader *r, const struct cdict_block_info *b, const char *why)
{
	if (!r->damage.events) {
		r->damage.cpu = b->cpu;
		r->damage.first_ns = b->first_ns;
		r->damage.last_ns = b->last_ns;
	}
	r->damage.events += b->events;
	/* This message replaces a less precise one about the same place. */
	if (r->damage.first[0] && r->first_at >= b->offset && r->first_at < b->offset + b->size)
		r->damage.first[0] = 0;
	reader_note(r, b->offset,
		    "event block of CPU %" PRId64 " at byte %" PRIu64
		    " is damaged (%s): %s event%s from "
		    "%" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 " s lost",
		    b->cpu == CDICT_CPU_UNKNOWN ? -1 : (int64_t)b->cpu, b->offset, why,
		    GROUPED(b->events), plural(b->events), b->first_ns / 1000000000,
		    b->first_ns % 1000000000, b->last_ns / 1000000000, b->last_ns % 1000000000);
}

void reader_block_bad(struct cdict_reader *r, size_t i, const char *why)
{
	const struct cdict_block_info *b = &r->blocks.at[i];

	pthread_mutex_lock(&r->lock);
	if (!r->block_bad[i]) {
		r->block_bad[i] = 1;
		r->damage.blocks++;
		reader_note_events(r, b, why);
	}
	pthread_mutex_unlock(&r->lock);
}

bool reader_head(struct cdict_reader *r, size_t i, struct container_header *h)
{
	const struct cdict_block_info *b = &r->blocks.at[i];

	if (container_header_read(r->data + b->offset, h) && h->type == FORMAT_EVENTS &&
	    h->size + FORMAT_BLOCK_HEADER_SIZE == b->size && h->ordinal == r->ordinals.at[i])
		return true;
	reader_block_bad(r, i, "its head cannot be read");
	return false;
}

int reader_block(struct cdict_reader *r, size_t i, const uint8_t **payload, size_t *size,
		 struct cdict_error *err)
{
	const struct cdict_block_info *b = &r->blocks.at[i];
	struct container_header h;

	__atomic_fetch_add(&r->blocks_read, 1, __ATOMIC_RELAXED);
	if (reader_head(r, i, &h)) {
		*payload = r->data + b->offset + FORMAT_BLOCK_HEADER_SIZE;
		*size = h.size;
		if (codec_crc(*payload, *size) == h.payload_crc)
			return 0;
		reader_block_bad(r, i, "its checksum is wrong");
	}
	return cdict_fail(err, CDICT_ECORRUPT, b->offset, "event block is damaged");
}

uint64_t reader_blocks_read(const struct cdict_reader *r)
{
	return __atomic_load_n(&r->blocks_read, __ATOMIC_RELAXED);
}

int reader_stacks(struct cdict_reader *r, size_t i, uint32_t **stacks)
{
	uint64_t at;
	int ret = stack_table_block(r, i, stacks, &at);

	if (ret == -ENOMEM)
		return ret;
	if (ret < 0) {
		pthread_mutex_lock(&r->lock);
		r->damage.blocks += stack_table_bad(r, i);
		reader_note(r, at, "block STEV at byte %" PRIu64 " is damaged: stacks are lost",
			    at);
		pthread_mutex_unlock(&r->lock);
		return 0;
	}
	return ret ? (int)r->blocks.at[i].events : 0;
}

int cdict_reader_verify(struct cdict_reader *r, struct cdict_error *err)
{
	struct format_decoder *dec = format_decoder_new(r->schema);
	struct cdict_error why = { 0 };
	struct cdict_event ev;
	uint32_t order;

	if (!dec)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < r->blocks.n; i++) {
		const uint8_t *payload;
		uint32_t *stacks;
		size_t size;
		int ret;

		if (reader_block(r, i, &payload, &size, &why) < 0)
			continue;
		ret = reader_stacks(r, i, &stacks);
		free(stacks);
		if (ret >= 0)
			ret = format_decoder_open(dec, payload, size, &why);
		if (!ret)
			do
				ret = format_decoder_next(dec, &ev, &order, &why);
			while (ret > 0);
		if (ret == -ENOMEM) {
			format_decoder_free(dec);
			return cdict_fail_nomem(err);
		}
		if (ret < 0)
			reader_block_bad(r, i, why.text);
	}
	format_decoder_free(dec);
	if (r->damage.first[0])
		return cdict_fail(err, r->damage.cut ? CDICT_ETRUNCATED : CDICT_ECORRUPT,
				  CDICT_NO_OFFSET, "%s", r->damage.first);
	return 0;
}
