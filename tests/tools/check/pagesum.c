/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pagesum FILE: the answer of the page's engine to "checksum", natively: the number of events, and
 * one over every bit of them.  A page must say the same.
 */
#include <stdio.h>

#include "base/memory/buf.h"
#include "render/engine/engine.h"

static int read_file(struct buf *file, const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *room;
	size_t n = 1;

	if (!f)
		return -1;
	while (n && (room = buf_room(file, 1 << 16))) {
		n = fread(room, 1, 1 << 16, f);
		file->len += n;
	}
	n = !ferror(f) && !file->failed;
	fclose(f);
	return n ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct page_query query = { .call = "checksum" };
	struct cdict_error err = { 0 };
	struct page_engine *e = NULL;
	struct buf file = { 0 };
	size_t len;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: pagesum FILE\n");
		return 129;
	}
	rc = read_file(&file, argv[1]) || page_engine_open(&e, file.data, file.len, &err) ||
	     page_engine_ask(e, &query, &err);
	while (!rc && (rc = page_engine_step(e, UINT64_MAX, &err)) > 0)
		rc = 0;
	if (rc) {
		fprintf(stderr, "pagesum: %s: %s\n", argv[1], err.text);
	} else {
		const char *json = page_engine_json(e, &len);

		fwrite(json, 1, len, stdout);
	}
	page_engine_close(e);
	buf_fini(&file);
	return rc != 0;
}
