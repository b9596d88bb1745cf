/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks the records of an input: bytes in memory, or a descriptor that is read incrementally (never
 * waiting for more than the current record).
 */
#include "convert/perfdata/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define PIPE_BUFFER (256u << 10) /* holds several of the largest (64 KiB) records */
#define AHEAD 4096               /* prefetch distance; harmless beyond the end */
#define TURN_SIZE (2u << 20)     /* what perf reads of a file before it turns to the next one */

void perfdata_stream_init(struct stream *s, const uint8_t *bytes, uint64_t from, uint64_t to)
{
	*s = (struct stream){
		.at = bytes + from,
		.end = bytes + to,
		.end_offset = to,
		.fd = -1,
	};
}

void perfdata_stream_fini(struct stream *s)
{
	perfdata_inflate_free(s->inflate);
	s->inflate = NULL;
	free(s->buf);
	s->buf = NULL;
}

static size_t stream_left(const struct stream *s)
{
	return (size_t)(s->end - s->at);
}

static uint64_t stream_offset(const struct stream *s)
{
	return s->end_offset - stream_left(s);
}

/* One read(), restarted when interrupted; > 0, 0 at the end, or negative. */
static ssize_t stream_read(struct stream *s, void *to, size_t n, struct cdict_error *err)
{
	for (;;) {
		ssize_t got = read(s->fd, to, n);

		if (got >= 0) {
			s->end_offset += (uint64_t)got;
			s->eof = got == 0;
			return got;
		}
		if (errno == EAGAIN) {
			struct pollfd p = { .fd = s->fd, .events = POLLIN };

			poll(&p, 1, -1);
		} else if (errno != EINTR) {
			return cdict_fail_errno(err, NULL);
		}
	}
}

int perfdata_stream_need(struct stream *s, size_t n, struct cdict_error *err)
{
	size_t left = stream_left(s);

	if (left >= n)
		return 1;
	if (s->fd < 0 || s->eof)
		return 0;
	if (!s->buf) {
		s->buf = malloc(PIPE_BUFFER);
		if (!s->buf)
			return cdict_fail_nomem(err);
		s->cap = PIPE_BUFFER;
		s->at = s->end = s->buf;
	}
	if (left)
		memmove(s->buf, s->at, left);
	s->at = s->buf;
	s->end = s->buf + left;
	while (stream_left(s) < n) {
		size_t held = stream_left(s);
		ssize_t got = stream_read(s, s->buf + held, s->cap - held, err);

		if (got <= 0)
			return (int)got;
		s->end += got;
	}
	return 1;
}

int perfdata_stream_payload(struct stream *s, uint64_t n, struct buf *into, const uint8_t **data,
			    struct cdict_error *err)
{
	size_t left = stream_left(s);
	size_t part = n < left ? (size_t)n : left;
	uint8_t scratch[16384];

	if (data)
		*data = s->at;
	if (s->fd >= 0 && into)
		buf_add(into, s->at, part);
	s->at += part;
	s->turn += part;
	n -= part;
	while (n && s->fd >= 0 && !s->eof) {
		size_t want = n < sizeof(scratch) ? (size_t)n : sizeof(scratch);
		ssize_t got = stream_read(s, scratch, want, err);

		if (got < 0)
			return (int)got;
		if (into)
			buf_add(into, scratch, (size_t)got);
		n -= (uint64_t)got;
	}
	if (into && into->failed)
		return cdict_fail_nomem(err);
	if (data && s->fd >= 0)
		*data = into ? into->data : NULL;
	return n == 0;
}

/* Ends the stream: fewer than eight bytes are left, and no more will come. */
static int stream_end(struct perfdata *pd, struct stream *s)
{
	size_t left = stream_left(s);
	size_t partial = s->inflate ? perfdata_inflate_partial(s) : 0;

	if (s->done)
		return 0;
	s->done = true;
	if (left)
		perfdata_note(pd, stream_offset(s), "a record header needs 8 bytes, %zu are left",
			      left);
	if (partial)
		perfdata_note(
			pd, s->end_offset,
			"the compressed stream ends inside a record, %zu bytes after its start",
			partial);
	if (s->cut)
		perfdata_note(pd, s->end_offset, "the data are shorter than the header states");
	s->at = s->end;
	return 0;
}

/* Whether the type exists: to detect damaged bytes. */
static bool type_known(uint32_t type)
{
	/* simpleperf's own types: 32768 and a few more */
	return perfdata_type_name(type) || (type >= 32768 && type < 32768 + 256);
}

/* Ends the walk: the bytes are not a record, or an incomplete one. */
static int stream_stop(struct perfdata *pd, struct stream *s, uint32_t type, uint16_t size)
{
	size_t left = stream_left(s);

	s->done = true;
	if (size < RECORD_HEADER_SIZE || (!type_known(type) && size % 8)) {
		perfdata_note(pd, stream_offset(s),
			      "invalid record of type %u and size %u; the rest is not read", type,
			      size);
	} else if (s->open_ended || s->cut) {
		perfdata_note(pd, stream_offset(s), "a record needs %u bytes, %zu are left", size,
			      left);
	} else {
		perfdata_note(pd, stream_offset(s),
			      "a record of %u bytes ends beyond the data, %zu bytes are left", size,
			      left);
	}
	s->at = s->end;
	return 0;
}

/* Decompresses a COMPRESSED record with the header @head, of which @n bytes are available. */
static int stream_inflate(struct perfdata *pd, struct stream *s, const uint8_t *head, uint32_t type,
			  size_t n, uint64_t offset, struct cdict_error *err)
{
	size_t at = RECORD_HEADER_SIZE, size;

	if (pd->stable) {
		/* Plain samples came first: perf writes no such file, and the caller relies on
		 * records staying valid. */
		perfdata_note(pd, offset, "a compressed record after plain samples");
		return 0;
	}
	size = n - at;
	if (type == RECORD_COMPRESSED2) {
		uint64_t claimed = size >= 8 ? load64(head + at, pd->big) : 0;

		at += 8;
		size = size >= 8 ? size - 8 : 0;
		if (claimed > size && n == load16(head + 6, pd->big)) {
			perfdata_note(pd, offset,
				      "a compressed record claims %llu bytes, but has %zu",
				      (unsigned long long)claimed, size);
		} else if (claimed < size) {
			size = (size_t)claimed;
		}
	}
	return size ? perfdata_inflate_start(s, head + at, size, offset, err) : 0;
}

/* Gets the next record of the compressed stream: 1, or 0 when none is complete yet. */
static int stream_inflated(struct perfdata *pd, struct stream *s, struct perfdata_record *rec,
			   struct cdict_error *err)
{
	for (;;) {
		int r = perfdata_inflate_next(pd, s, rec);

		if (r == -ENOMEM)
			return cdict_fail_nomem(err);
		if (r < 0) {
			perfdata_note(pd, rec->offset, "a compressed record does not decompress");
			return 0;
		}
		if (r == 0)
			return 0;
		if (rec->type && rec->type <= RECORD_TYPE_MAX && rec->type != RECORD_COMPRESSED &&
		    rec->type != RECORD_COMPRESSED2)
			return 1;
		perfdata_note(pd, rec->offset, "invalid type %u in compressed data", rec->type);
	}
}

/* Handles a record cut off by the end of the input. The available part of a compressed one still
 * contains records. */
static int stream_partial(struct perfdata *pd, struct stream *s, uint32_t type, uint16_t size,
			  struct cdict_error *err)
{
	const uint8_t *head = s->at;
	size_t left = stream_left(s);
	uint64_t offset = stream_offset(s);
	bool cut = s->cut || s->open_ended;

	stream_stop(pd, s, type, size);
	if (cut && (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2))
		return stream_inflate(pd, s, head, type, left, offset, err);
	return 0;
}

/* Handles a record that is not one of the kernel's: 1 to return it, 0 to go on, or negative. */
static int stream_special(struct perfdata *pd, struct stream *s, struct perfdata_record *rec,
			  struct cdict_error *err)
{
	if (rec->type == RECORD_COMPRESSED || rec->type == RECORD_COMPRESSED2)
		return stream_inflate(pd, s, rec->data, rec->type, rec->size, rec->offset, err);
	if (rec->type == 0 || rec->type > RECORD_TYPE_MAX) {
		perfdata_note(pd, rec->offset, "invalid record type %u", rec->type);
		return 0;
	}
	if (rec->type >= RECORD_USER_START) {
		int r = perfdata_user_record(pd, s, rec, err);

		if (r < 0)
			return r;
	}
	return 1;
}

static void stream_take_turn(struct stream *s, uint32_t size)
{
	s->turn += size;
	if (s->turn >= TURN_SIZE) {
		s->turn = 0;
		s->chunk++;
	}
}

int perfdata_stream_next(struct perfdata *pd, struct stream *s, struct perfdata_record *rec,
			 struct cdict_error *err)
{
	for (;;) {
		size_t left;
		uint16_t size;
		uint32_t type;
		int r;

		if (s->inflate && perfdata_inflate_busy(s)) {
			r = stream_inflated(pd, s, rec, err);
			if (r)
				return r;
			continue;
		}
		left = stream_left(s);
		if (left < RECORD_HEADER_SIZE) {
			r = perfdata_stream_need(s, RECORD_HEADER_SIZE, err);
			if (r <= 0)
				return r < 0 ? r : stream_end(pd, s);
			left = stream_left(s);
		}
		type = load32(s->at, pd->big);
		size = load16(s->at + 6, pd->big);
		if (size < RECORD_HEADER_SIZE ||
		    (type >= RECORD_USER_START && size % 8 && !type_known(type)))
			return stream_stop(pd, s, type, size);
		if (left < size) {
			r = perfdata_stream_need(s, size, err);
			if (r < 0)
				return r;
			if (r == 0) {
				r = stream_partial(pd, s, type, size, err);
				if (r < 0)
					return r;
				continue;
			}
			left = stream_left(s);
		}
		/* A record's size locates the next one: without prefetching, each would wait for
		 * memory. */
		__builtin_prefetch((const void *)((uintptr_t)s->at + AHEAD));
		__builtin_prefetch((const void *)((uintptr_t)s->at + AHEAD + 64));
		rec->data = s->at;
		rec->size = size;
		rec->type = type;
		rec->misc = load16(s->at + 4, pd->big);
		rec->offset = s->end_offset - left;
		rec->file = s->file;
		rec->chunk = s->chunk;
		s->at += size;
		if (type - 1 < RECORD_USER_START - 1) {
			if (pd->directory)
				stream_take_turn(s, size);
			return 1;
		}
		r = stream_special(pd, s, rec, err);
		if (pd->directory)
			stream_take_turn(s, size);
		if (r)
			return r;
	}
}

bool perfdata_stream_is_compressed(const struct perfdata *pd, const struct stream *s)
{
	struct cursor c = cursor_init(s->at, stream_left(s), pd->big);

	while (c.left >= RECORD_HEADER_SIZE) {
		uint32_t type = load32(c.at, c.big);
		uint16_t size = load16(c.at + 6, c.big);
		uint64_t payload = 0;

		if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2)
			return true;
		if (type == RECORD_SAMPLE || type == RECORD_SWITCH ||
		    type == RECORD_SWITCH_CPU_WIDE || size < RECORD_HEADER_SIZE)
			return false;
		payload = perfdata_payload_size(pd, c.at, size < c.left ? size : c.left);
		if (!cursor_skip(&c, size) || payload > c.left)
			return false;
		cursor_skip(&c, (size_t)payload);
	}
	return false;
}

const char *perfdata_type_name(uint32_t type)
{
	switch (type) {
#define X(name, value)                                                                             \
	case value:                                                                                \
		return #name;
		PERFDATA_RECORDS(X)
#undef X
	default:
		return NULL;
	}
}
