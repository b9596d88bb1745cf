/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of one or more captures, in the order of doc/page.md, "The file". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/engine/capture.h"
#include "render/page/page.h"

static void title_of(struct sink *s, struct page_capture *const *captures, size_t n,
		     const struct page_view *view)
{
	for (size_t i = 0; i < n; i++)
		sink_printf(s, "%s%s", i ? ", " : "", captures[i]->label);
	sink_printf(s, ": %s", view->only ? view->only : n > 1 ? "comparison" : "cdict report");
}

static int put_head(struct sink *s, struct page_capture *const *captures, size_t n,
		    const struct page_view *view)
{
	struct sink title, json;
	struct json j;
	char *text;
	size_t len;
	int rc;

	sink_to_memory(&title);
	title_of(&title, captures, n, view);
	text = sink_take(&title, NULL);
	if (!text)
		return -ENOMEM;
	page_head(s, text);
	free(text);
	sink_to_memory(&json);
	json_init(&j, &json);
	j.script = true;
	rc = page_head_json(&j, captures, n, view);
	text = sink_take(&json, &len);
	if (text && !rc)
		page_json(s, "cdict-page", text, len);
	free(text);
	return text ? rc : -ENOMEM;
}

/* "tables-0" etc. */
static char *id_of(char room[32], const char *name, size_t i)
{
	snprintf(room, 32, "%s-%zu", name, i);
	return room;
}

static int put_figures(struct sink *s, const struct page_capture *c, size_t i)
{
	struct sink tables, arrays;
	char id[32], *text, *bytes;
	size_t len, n_bytes;
	struct json j;
	int rc;

	sink_to_memory(&tables);
	sink_to_memory(&arrays);
	json_init(&j, &tables);
	rc = page_tables_json(&j, c, &arrays);
	text = sink_take(&tables, &len);
	bytes = sink_take(&arrays, &n_bytes);
	if (!text || !bytes)
		rc = -ENOMEM;
	if (!rc)
		rc = page_deflated(s, id_of(id, "tables", i), text, len, 6);
	if (!rc)
		rc = page_deflated(s, id_of(id, "bins", i), bytes, n_bytes, 1);
	free(text);
	free(bytes);
	return rc;
}

static int put_late(struct sink *s, const struct page_capture *c, size_t i, enum page_table which)
{
	struct sink table;
	struct json j;
	char id[64], *text;
	size_t len;
	int rc = -ENOMEM;

	sink_to_memory(&table);
	json_init(&j, &table);
	json_open(&j, NULL, '{', true);
	page_table_json(&j, c, which);
	json_close(&j);
	text = sink_take(&table, &len);
	snprintf(id, sizeof(id), "table-%zu-%s", i, page_table_late(c, which));
	if (text)
		rc = page_deflated(s, id, text, len, 6);
	free(text);
	return rc;
}

int page_write(struct sink *s, struct page_capture *const *captures, size_t n,
	       const struct page_view *view)
{
	int rc = put_head(s, captures, n, view);
	char id[32];

	for (size_t i = 0; i < n && !rc; i++)
		rc = put_figures(s, captures[i], i);
	page_program(s);
	/* The first view is drawn while a browser reads these. */
	for (size_t i = 0; i < n; i++)
		for (unsigned t = 0; t < PAGE_TABLES && !rc; t++)
			if (page_table_late(captures[i], t))
				rc = put_late(s, captures[i], i, t);
	for (size_t i = 0; i < n && !rc; i++)
		if (captures[i]->data)
			page_base64_parts(s, id_of(id, "capture", i), captures[i]->data,
					  captures[i]->size);
	page_foot(s);
	return rc;
}
