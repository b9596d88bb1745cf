/* SPDX-License-Identifier: GPL-2.0-only */
/* Captures in a store. */
#include "query/fleet/figures/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cursor.h"
#include "base/fail.h"

static const char magic[4] = { 'C', 'D', 'F', 'E' };
enum { VERSION = 1, END_SIZE = 4 + 1 + 8 + 8 + 4, ID_SIZE = 16 };
#define CHUNK ((size_t)1 << 20)
#define END "end" /* sorts after all numbers */

static int put_chunk(struct store *st, const char *id, const char *shelf,
		     const struct fleet_capture *c, const char *which, const void *data,
		     size_t size, struct cdict_error *err)
{
	char name[STORE_NAME_MOST + 1];
	bool added;

	snprintf(name, sizeof(name), "%s.%s", c->id, which);
	return store_put(st, id, shelf, name, data, size, &added, err);
}

int fleet_file_put(struct store *st, const char *id, const struct fleet_capture *c,
		   const void *data, size_t size, struct cdict_error *err)
{
	char shelf[STORE_NAME_MOST + 1], which[24];
	uint64_t chunks = 0;
	struct buf end = { 0 };
	int rc = 0;

	snprintf(shelf, sizeof(shelf), "%s%s", FLEET_SHELF_FILE, c->host);
	for (size_t at = 0; at < size && !rc; at += CHUNK, chunks++) {
		snprintf(which, sizeof(which), "%012" PRIu64, chunks);
		rc = put_chunk(st, id, shelf, c, which, (const char *)data + at,
			       size - at < CHUNK ? size - at : CHUNK, err);
	}
	buf_add(&end, magic, sizeof(magic));
	buf_u8(&end, VERSION);
	buf_le64(&end, chunks);
	buf_le64(&end, size);
	buf_le32(&end, (uint32_t)crc32_z(0, data, size));
	if (!rc && end.failed)
		rc = cdict_fail_nomem(err);
	rc = rc ? rc : put_chunk(st, id, shelf, c, END, end.data, end.len, err);
	buf_fini(&end);
	return rc;
}

/* ---- retrieving ---- */

struct getting {
	const struct fleet_file_ops *ops;
	void *ctx;
	const char *host;
	char capture[ID_SIZE + 1]; /* of the open file, else "" */
	uint64_t chunks, bytes;
	uint32_t crc;
};

static int finish_file(struct getting *g, const char *why)
{
	bool open = g->capture[0];

	g->capture[0] = 0;
	return !open ? 0 : why ? g->ops->abort(g->ctx, why) : g->ops->commit(g->ctx);
}

static int handle_end(struct getting *g, const void *data, size_t size)
{
	struct cursor c = cursor_init(data, size, false);
	const uint8_t *head = cursor_take(&c, sizeof(magic));
	uint8_t version = cursor_u8(&c);
	uint64_t chunks = cursor_u64(&c), bytes = cursor_u64(&c);
	uint32_t crc = cursor_u32(&c);

	if (size != END_SIZE || !head || memcmp(head, magic, sizeof(magic)) || version != VERSION)
		return finish_file(g, "its end marker is damaged");
	if (chunks != g->chunks || bytes != g->bytes)
		return finish_file(g, "chunks are missing");
	return finish_file(g, crc == g->crc ? NULL : "wrong checksum");
}

static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct getting *g = ctx;
	const char *which = name + ID_SIZE + 1;
	char want[24];
	int rc = 0;

	/* skip values that cdict did not put there */
	if (strspn(name, "0123456789abcdef") != ID_SIZE || name[ID_SIZE] != '.')
		return 0;
	if (memcmp(g->capture, name, ID_SIZE) || !g->capture[0]) {
		rc = finish_file(g, "its end marker is missing: push it again");
		if (rc || strcmp(which, "000000000000"))
			return rc;
		snprintf(g->capture, sizeof(g->capture), "%.*s", ID_SIZE, name);
		g->chunks = g->bytes = 0;
		g->crc = 0;
		rc = g->ops->open(g->ctx, g->host, g->capture);
		if (rc) /* nothing is open */
			g->capture[0] = 0;
	}
	if (rc || !strcmp(which, END))
		return rc ? rc : handle_end(g, data, size);
	snprintf(want, sizeof(want), "%012" PRIu64, g->chunks);
	if (strcmp(which, want))
		return finish_file(g, "chunks are missing");
	g->chunks++;
	g->bytes += size;
	g->crc = (uint32_t)crc32_z(g->crc, data, size);
	return g->ops->write(g->ctx, data, size);
}

int fleet_files_get(struct store *st, const char *id, const char *host,
		    const struct fleet_file_ops *ops, void *ctx, struct cdict_error *err)
{
	struct getting g = { .ops = ops, .ctx = ctx };
	struct store_names shelves = { 0 };
	int rc = store_list_shelves(&shelves, st, id, err);

	for (size_t i = 0; i < shelves.all.n && !rc; i++) {
		const char *shelf = shelves.all.at[i].text;

		g.host = shelf + strlen(FLEET_SHELF_FILE);
		if (strncmp(shelf, FLEET_SHELF_FILE, strlen(FLEET_SHELF_FILE)) ||
		    (host && strcmp(host, g.host)))
			continue;
		rc = store_values(st, id, shelf, handle_value, &g, err);
		if (!rc)
			rc = finish_file(&g, "its end marker is missing: push it again");
	}
	array_fini(&shelves.all);
	return rc;
}
