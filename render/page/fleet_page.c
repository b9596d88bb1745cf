/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of a job. */
#include "render/page/fleet_page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/json.h"
#include "render/draw/backend.h"
#include "render/page/fleet_policy.h" /* made by the build: FLEET_POLICY */
#include "render/draw/text.h"
#include "render/engine/capture.h"
#include "render/page/assets.h"
#include "render/page/page.h"
#include "render/views/fleet.h"

#define WIDTH 1248

static void texts_json(struct json *j, const char *key, const char *const *at, size_t n)
{
	json_open(j, key, '[', false);
	for (size_t i = 0; i < n; i++)
		json_text(j, NULL, at[i]);
	json_close(j);
}

static void map_json(struct json *j, const struct fleet_page_map *m)
{
	json_open(j, "map", '{', true);
	texts_json(j, "names", m->names, m->rows);
	json_u64(j, "columns", m->columns);
	json_u64(j, "column_ns", m->column_ns);
	json_text(j, "each", m->each);
	/* ns since 1970 exceed the precision of JavaScript's numbers */
	json_u64(j, "from_ms", m->from_ns / 1000000);
	json_open(j, "figures", '[', true);
	for (size_t i = 0; i < m->n; i++) {
		json_open(j, NULL, '{', false);
		json_text(j, "key", m->figures[i].key);
		json_text(j, "title", m->figures[i].title);
		json_text(j, "about", m->figures[i].about);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void table_json(struct json *j, const struct fleet_page_table *t)
{
	static const char *const bars[] = { "", "columns", "quartiles" };

	json_open(j, NULL, '{', false);
	json_text(j, "key", t->key);
	json_text(j, "title", t->title);
	json_text(j, "about", t->about);
	json_u64(j, "rows", t->table->n_rows);
	if (t->bars)
		json_text(j, "bars", bars[t->bars]);
	json_open(j, "heads", '[', false);
	for (size_t c = 0; c < t->table->n_columns; c++) {
		const struct table_column *col = &t->table->columns[c];

		if (col->flags & TABLE_HUMAN)
			continue;
		json_open(j, NULL, '{', false);
		json_text(j, "key", col->key);
		json_text(j, "title", col->title);
		json_bool(j, "text", col->kind == TABLE_TEXT);
		json_bool(j, "wide", col->flags & (TABLE_MACHINE | TABLE_WIDE));
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

/* The JSON that @write makes; NULL: out of memory. */
static char *json_of(void (*write)(struct json *j, const struct fleet_page *p),
		     const struct fleet_page *p, size_t *len)
{
	struct sink s;
	struct json j;

	sink_to_memory(&s);
	json_init(&j, &s);
	j.script = true;
	json_open(&j, NULL, '{', true);
	write(&j, p);
	json_close(&j);
	return sink_take(&s, len);
}

static void head_json(struct json *j, const struct fleet_page *p)
{
	json_open(j, "format", '{', false);
	json_text(j, "name", "cdict-fleet-page");
	json_u64(j, "version", 1);
	json_close(j);
	json_text(j, "generator", "cdict " CDICT_BUILD_VERSION);
	json_text(j, "title", p->title);
	texts_json(j, "facts", p->facts, p->n_facts);
	texts_json(j, "lines", p->lines, p->n_lines);
	json_open(j, "findings", '[', true);
	for (size_t i = 0; i < p->n_findings; i++) {
		json_open(j, NULL, '{', false);
		json_text(j, "text", p->findings[i].text);
		json_text(j, "table", p->findings[i].table);
		json_text(j, "about", p->findings[i].about);
		json_close(j);
	}
	json_close(j);
	page_palette_json(j, NULL, 0);
	if (p->map)
		map_json(j, p->map);
	else
		json_null(j, "map");
	json_open(j, "tables", '[', true);
	for (size_t i = 0; i < p->n_tables; i++)
		table_json(j, &p->tables[i]);
	json_close(j);
}

static void tables_json(struct json *j, const struct fleet_page *p)
{
	for (size_t i = 0; i < p->n_tables; i++)
		table_page_json(j, p->tables[i].key, p->tables[i].table, 0, NULL);
	json_open(j, "links", '[', true);
	for (size_t i = 0; i < p->n_links; i++) {
		json_open(j, NULL, '[', false);
		json_text(j, NULL, p->links[i].host);
		json_text(j, NULL, p->links[i].file);
		json_close(j);
	}
	json_close(j);
}

static void values_json(struct json *j, const struct fleet_page *p)
{
	const struct fleet_page_map *m = p->map;
	size_t n = m->rows * m->columns;

	json_open(j, "seen", '[', false);
	for (size_t i = 0; i < n; i++)
		json_u64(j, NULL, m->seen[i]);
	json_close(j);
	for (size_t f = 0; f < m->n; f++) {
		json_open(j, m->figures[f].key, '[', false);
		for (size_t i = 0; i < n; i++)
			json_number(j, NULL, m->figures[f].values[i]);
		json_close(j);
	}
}

/* ---- pictures ---- */

/* Foreign names, cleaned for a picture; NULL: out of memory. */
static char **clean_names(const struct fleet_page_map *m)
{
	char **names = calloc(m->rows + 1, sizeof(*names));

	for (size_t i = 0; names && i < m->rows; i++) {
		names[i] = text_clean(m->names[i], strlen(m->names[i]));
		if (!names[i]) {
			while (i--)
				free(names[i]);
			free(names);
			return NULL;
		}
	}
	return names;
}

static int put_picture(struct sink *out, const struct fleet_page *p, char *const *names, size_t i,
		       struct box *plot, struct cdict_error *err)
{
	const struct fleet_page_map *map = p->map;
	const struct fleet_page_figure *figure = &map->figures[i];
	struct view_fleet v = { .title = figure->title,
				.subtitle = figure->about,
				.foot = map->each,
				.key = figure->key,
				.names = (const char *const *)names,
				.rows = map->rows,
				.columns = map->columns,
				.column_ns = map->column_ns,
				.x_title = map->from_ns
						   ? "time since the job's first event, wall clock"
						   : "time since each host's first event",
				.values = figure->values,
				.seen = map->seen };
	struct canvas c = canvas_pixels(WIDTH, 0);
	struct backend_options how = { .variables = true };
	struct marks marks = { 0 };
	char id[80], hatch[80], *svg = NULL;
	struct sink s;
	size_t len;
	int rc;

	snprintf(id, sizeof(id), "picture-%s", figure->key);
	snprintf(hatch, sizeof(hatch), "loss-%s", figure->key);
	how.hatch = hatch;
	sink_to_memory(&s);
	rc = view_fleet_draw(&marks, &c, &v, plot);
	rc = rc ? cdict_fail_nomem(err) : backend_svg.draw(&marks, &how, &s, err);
	svg = sink_take(&s, &len);
	if (!rc && (!svg || page_deflated(out, id, svg, len, 4)))
		rc = cdict_fail_nomem(err);
	free(svg);
	marks_fini(&marks);
	return rc;
}

static int put_pictures(struct sink *out, const struct fleet_page *p, struct cdict_error *err)
{
	char **names = clean_names(p->map), text[160];
	struct box plot = { 0 };
	int rc = names ? 0 : cdict_fail_nomem(err);

	for (size_t i = 0; i < p->map->n && !rc; i++)
		rc = put_picture(out, p, names, i, &plot, err);
	/* the area of the cells, for the pointer: the same in all pictures */
	snprintf(text, sizeof(text), "{\"x\":%g,\"y\":%g,\"w\":%g,\"h\":%g}", plot.x, plot.y,
		 plot.w, plot.h);
	if (!rc)
		page_json(out, "fleet-plot", text, strlen(text));
	for (size_t i = 0; names && i < p->map->rows; i++)
		free(names[i]);
	free(names);
	return rc;
}

/* ---- the file ---- */

static int put_deflated(struct sink *out, const struct fleet_page *p, const char *id,
			void (*write)(struct json *j, const struct fleet_page *p))
{
	size_t len;
	char *text = json_of(write, p, &len);
	int rc = text ? page_deflated(out, id, text, len, 4) : -ENOMEM;

	free(text);
	return rc;
}

int fleet_page_write(const struct fleet_page *p, struct sink *out, struct cdict_error *err)
{
	size_t len;
	char *head = json_of(head_json, p, &len);
	int rc = 0;

	if (!head)
		return cdict_fail_nomem(err);
	page_begin(out, FLEET_POLICY, p->title, &page_fleet_style);
	page_json(out, "cdict-fleet", head, len);
	free(head);
	if (put_deflated(out, p, "fleet-tables", tables_json) ||
	    (p->map && put_deflated(out, p, "fleet-values", values_json)))
		return cdict_fail_nomem(err);
	if (p->map)
		rc = put_pictures(out, p, err);
	sink_puts(out, "<script>");
	page_put(out, &page_fleet_script);
	sink_puts(out, "</script>\n");
	page_foot(out);
	return rc;
}
