/* SPDX-License-Identifier: GPL-2.0-only */
/* See gzip.h. */
#include "query/export/gzip.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

enum { WINDOW_ZLIB = 15, WINDOW_GZIP = 15 + 16, MEMORY_LEVEL = 8, ROOM = 16 << 10 };

/* Compresses @data into the output sink; returns that sink's error. */
static int deflate_all(struct gzip *gz, const uint8_t *data, size_t size, int flush)
{
	uint8_t room[ROOM];
	int rc;

	gz->z.next_in = (Bytef *)(uintptr_t)data;
	gz->z.avail_in = (uInt)size;
	do {
		gz->z.next_out = room;
		gz->z.avail_out = sizeof(room);
		rc = deflate(&gz->z, flush);
		sink_add(gz->out, room, sizeof(room) - gz->z.avail_out);
	} while (!gz->out->error && rc != Z_STREAM_END && !gz->z.avail_out);
	if (rc == Z_STREAM_END)
		deflateReset(&gz->z);
	gz->text = flush == Z_FINISH ? 0 : gz->text + size;
	return gz->out->error;
}

/* How many bytes of @data still belong to the member; all of them if it does not end there. */
static size_t member_end(const struct gzip *gz, const uint8_t *data, size_t size, bool *ends)
{
	size_t least = gz->text < GZIP_MEMBER ? GZIP_MEMBER - gz->text : 0;
	size_t most = gz->text < 2 * GZIP_MEMBER ? 2 * GZIP_MEMBER - gz->text : 0;
	const uint8_t *line = least < size ? memchr(data + least, '\n', size - least) : NULL;

	*ends = gz->form == GZIP_MEMBERS;
	if (!*ends)
		return size;
	if (line && (size_t)(line + 1 - data) <= most)
		return (size_t)(line + 1 - data);
	if (size >= most)
		return most;
	*ends = false;
	return size;
}

/* The sink's writer: gets 64 KiB at a time. */
static int compress_text(void *ctx, const void *data, size_t size)
{
	struct gzip *gz = ctx;
	const uint8_t *at = data;
	int rc = 0;

	while (size && !rc) {
		bool ends;
		size_t n = member_end(gz, at, size, &ends);

		rc = deflate_all(gz, at, n, ends ? Z_FINISH : Z_NO_FLUSH);
		at += n;
		size -= n;
	}
	return rc;
}

int gzip_open(struct gzip *gz, struct sink *out, enum gzip_form form, struct cdict_error *err)
{
	*gz = (struct gzip){ .out = out, .form = form };
	sink_to(&gz->sink, compress_text, gz);
	if (deflateInit2(&gz->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			 form == GZIP_ZLIB ? WINDOW_ZLIB : WINDOW_GZIP, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return cdict_fail_nomem(err);
	gz->open = true;
	return 0;
}

int gzip_close(struct gzip *gz)
{
	bool empty;
	int rc = sink_finish(&gz->sink);

	if (!gz->open)
		return rc;
	empty = !gz->z.total_in && !gz->z.total_out;
	/* an empty output is a member, too */
	if (!rc && (gz->text || empty))
		rc = deflate_all(gz, NULL, 0, Z_FINISH);
	deflateEnd(&gz->z);
	gz->open = false;
	return rc;
}
