/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of the kernel's ring buffer: include/linux/ring_buffer.h, kernel/trace/ring_buffer.c. */
#include "convert/tracedat/ring.h"
#include "base/saturate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* type_len in an event's first word */
#define TYPE_LONG 0u /* the length is in the next word; 1 to 28: words of data */
#define TYPE_PADDING 29u
#define TYPE_TIME_EXTEND 30u
#define TYPE_TIME_STAMP 31u
#define TIME_BITS 27

/* the commit field */
#define COMMIT_BYTES ((1u << 27) - 1)
#define COMMIT_MISSED (1u << 31)
#define COMMIT_MISSED_STORED (1u << 30)

/* An absolute time has at most 59 bits; the upper bits come from the page's time. */
#define TIME_MSB (0xf8ull << 56)

/* trace-cmd packs ten pages into a chunk. */
#define CHUNK_MAX (32u << 20)

uint64_t ring_open(struct ring *r, struct tracedat *td, const struct tracedat_buffer *buffer,
		   const struct tracedat_cpu *cpu, uint64_t *live)
{
	uint64_t left, all;

	*r = (struct ring){ .td = td, .buffer = buffer, .cpu = cpu->cpu, .live = live };
	r->page_size = buffer->page_size ? buffer->page_size : td->page_size;
	if (!cpu->size || !td->data_at)
		return 0;
	if (cpu->offset > td->file.size || cpu->size > td->file.size - cpu->offset)
		tracedat_note(td, "the events of CPU %u end beyond the end of the file", cpu->cpu);
	if (cpu->offset >= td->file.size)
		return 0;
	all = left = td->file.size - cpu->offset;
	if (left > cpu->size)
		left = cpu->size;
	r->begin = td->file.data + cpu->offset;
	if (buffer->compressed) {
		/* trace-cmd's size is that of the chunks, without the word before them that counts them */
		all = all < left + 4 ? all : left + 4;
		r->chunks = cursor_init(r->begin, (size_t)all, td->tracing.big_endian);
		r->n_chunks = cursor_u32(&r->chunks);
	} else {
		r->pages = r->begin;
		r->pages_end = r->begin + left;
	}
	return left;
}

uint64_t ring_read(const struct ring *r)
{
	const uint8_t *at = r->buffer->compressed ? r->chunks.at : r->pages;

	return r->begin && at ? (uint64_t)(at - r->begin) : 0;
}

void ring_close(struct ring *r)
{
	*r->live -= r->chunk_size;
	free(r->chunk);
	r->chunk = NULL;
	r->chunk_size = 0;
}

/* Unpacks the next chunk: 1, 0 at the end. */
static int next_chunk(struct ring *r, struct cdict_error *err)
{
	uint32_t in, out;
	const uint8_t *packed;
	int ret;

	if (!r->n_chunks)
		return 0;
	r->pages = r->pages_end = NULL;
	r->n_chunks--;
	in = cursor_u32(&r->chunks);
	out = cursor_u32(&r->chunks);
	packed = cursor_take(&r->chunks, in);
	if (!packed || out > CHUNK_MAX || r->td->codec == CODEC_NONE) {
		tracedat_note(r->td, "the compressed events of CPU %u are truncated or damaged",
			      r->cpu);
		r->n_chunks = 0;
		return 0;
	}
	if (out > r->chunk_size) {
		if (*r->live + (out - r->chunk_size) > TRACEDAT_MEMORY(r->td))
			return cdict_fail(
				err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				"its compressed events need more memory than 64 MiB plus eight times the file's size");
		*r->live -= r->chunk_size;
		free(r->chunk);
		r->chunk_size = 0;
		r->chunk = malloc(out);
		if (!r->chunk)
			return cdict_fail_nomem(err);
		r->chunk_size = out;
		*r->live += out;
	}
	ret = tracedat_unpack(r->td, packed, in, r->chunk, out);
	if (ret == -ENOMEM)
		return cdict_fail_nomem(err);
	if (ret) {
		tracedat_note(r->td, "compressed events of CPU %u cannot be decompressed", r->cpu);
		return 1; /* the next chunks may be intact */
	}
	r->pages = r->chunk;
	r->pages_end = out ? r->chunk + out : r->chunk; /* chunk may be NULL */
	return 1;
}

static uint64_t load_long(const struct tracedat *td, const uint8_t *p)
{
	return td->commit_size == 8 ? load64(p, td->tracing.big_endian)
				    : load32(p, td->tracing.big_endian);
}

/* Begins the next page: 1, 0 at the end. */
static int next_page(struct ring *r, struct cdict_error *err)
{
	struct tracedat *td = r->td;
	size_t page, committed;
	const uint8_t *p;
	uint64_t commit;

	while (r->pages == r->pages_end) {
		int ret = next_chunk(r, err);

		if (ret <= 0)
			return ret;
	}
	p = r->pages;
	page = (size_t)(r->pages_end - p);
	if (page > r->page_size)
		page = r->page_size;
	r->pages += page;
	r->at = r->end = NULL;
	if (page < td->data_at) {
		tracedat_note(td, "the last page of CPU %u is truncated within its header", r->cpu);
		return 1;
	}
	r->t = load64(p, td->tracing.big_endian);
	commit = load_long(td, p + td->commit_at);
	committed = commit & COMMIT_BYTES;
	p += td->data_at;
	page -= td->data_at;
	if (committed > page) {
		tracedat_note(td, "a page of CPU %u claims %zu bytes, but has %zu", r->cpu,
			      committed, page);
		committed = page;
	}
	if (commit & COMMIT_MISSED) {
		r->missed = true;
		if (commit & COMMIT_MISSED_STORED && page - committed >= td->commit_size)
			saturated_add(&r->missed_count, load_long(td, p + committed));
	}
	r->at = p;
	r->end = p + committed;
	return 1;
}

/* Reads the first word of an event, in the bit order of the recording machine. */
static uint32_t take_head(struct ring *r, bool big, uint32_t *delta)
{
	uint32_t word = load32(r->at, big);

	r->at += 4;
	*delta = big ? word & ((1u << TIME_BITS) - 1) : word >> 5;
	return big ? word >> TIME_BITS : word & 31;
}

static void bad_page(struct ring *r, const char *what)
{
	tracedat_note(r->td, "a page of CPU %u is damaged: %s", r->cpu, what);
	r->at = r->end;
}

/* 1: an event; 0: no more in the page. */
static int next_in_page(struct ring *r)
{
	bool big = r->td->tracing.big_endian;

	while (r->end - r->at >= 4) {
		uint32_t delta, type = take_head(r, big, &delta), word = 0;
		size_t left = (size_t)(r->end - r->at), size;

		if (type == TYPE_PADDING && !delta) /* the rest of the page is empty */
			break;
		if (type == TYPE_LONG || type >= TYPE_PADDING) {
			if (left < 4) {
				bad_page(r, "an event has no length");
				return 0;
			}
			word = load32(r->at, big);
		}
		switch (type) {
		case TYPE_TIME_EXTEND:
			r->t += ((uint64_t)word << TIME_BITS) + delta;
			r->at += 4;
			continue;
		case TYPE_TIME_STAMP:
			r->t = (r->t & TIME_MSB) | (((uint64_t)word << TIME_BITS) + delta);
			r->at += 4;
			continue;
		case TYPE_PADDING: /* a discarded event */
			size = word;
			break;
		case TYPE_LONG: /* the length includes its own word */
			r->at += 4;
			left -= 4;
			size = word < 4 ? SIZE_MAX : ((size_t)word - 4 + 3) & ~(size_t)3;
			break;
		default:
			size = 4 * (size_t)type;
			break;
		}
		r->t += delta;
		if (size > left) {
			bad_page(r, "an event is longer than the page");
			return 0;
		}
		r->payload = r->at;
		r->size = (uint32_t)size;
		r->ticks = r->t;
		r->at += size;
		if (type != TYPE_PADDING)
			return 1;
	}
	r->at = r->end;
	return 0;
}

int ring_next(struct ring *r, struct cdict_error *err)
{
	r->missed = false;
	r->missed_count = 0;
	for (;;) {
		int ret;

		if (r->at != r->end && next_in_page(r))
			return 1;
		ret = next_page(r, err);
		if (ret <= 0)
			return ret;
	}
}
