// SPDX-License-Identifier: GPL-2.0-only
/* query_print.c - see query.h. */
#include "cmd/query/query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"

/* Rows that determine the widths of columns; later, wider cells shift the rest of their row. */
enum { ROWS_KEPT = 1000 };

/* Texts are cut down to this width before a column is left out. */
enum { READABLE = 16 };

void query_printer_init(struct query_printer *p, struct sink *s, enum table_format format,
			const struct table_frame *frame)
{
	*p = (struct query_printer){ .sink = s, .format = format, .frame = frame };
	if (format != TABLE_AS_JSON)
		return;
	json_init(&p->json, s);
	json_open(&p->json, NULL, '{', true);
	table_head_json(&p->json, frame);
	json_open(&p->json, "query", '[', true);
}

/* ---- cells ---- */

void query_value_text(struct sink *s, const struct query_value *v)
{
	static const char digits[] = "0123456789abcdef";

	switch (v->kind) {
	case QUERY_NULL:
	case QUERY_FAILED:
		break;
	case QUERY_INTEGER:
		sink_printf(s, "%" PRId64, v->integer);
		break;
	case QUERY_REAL:
		sink_printf(s, "%.15g", v->real);
		break;
	case QUERY_TEXT:
		sink_add(s, v->data, v->len);
		break;
	case QUERY_BLOB:
		for (size_t i = 0; i < v->len; i++) {
			sink_putc(s, digits[(unsigned char)v->data[i] >> 4]);
			sink_putc(s, digits[(unsigned char)v->data[i] & 15]);
		}
		break;
	}
}

static void add_cell(struct query_printer *p, struct sink *s, const struct query_value *v)
{
	struct sink plain;
	size_t len;
	char *text;

	if (v->kind != QUERY_TEXT) {
		query_value_text(s, v);
		return;
	}
	sink_to_memory(&plain);
	query_value_text(&plain, v);
	text = sink_take(&plain, &len);
	if (!text)
		s->error = -ENOMEM;
	else if (p->format == TABLE_AS_CSV)
		escape_csv(s, text, len);
	else if (p->format == TABLE_AS_MD)
		escape_md(s, text, len);
	else
		escape_terminal(s, text, len);
	free(text);
}

/* ---- text ---- */

static void text_line(struct query_printer *p, char *const *cells, bool head)
{
	size_t pending = 0; /* do not write trailing blanks */

	for (size_t i = 0; i < p->n; i++) {
		struct table_room *room = &p->rooms[i];
		const char *text = head ? table_fit_title(&p->titles, room, cells[i])
					: table_fit_name(&p->shortened, room, cells[i]);
		size_t width = escape_width(text, strlen(text));
		size_t pad = width < room->width ? room->width - width : 0;

		if (room->hidden)
			continue;
		sink_repeat(p->sink, ' ', pending + (room->text ? 0 : pad));
		table_fit_safe(p->sink, text, p->cut && room->text ? room->width : SIZE_MAX);
		pending = 2 + (room->text ? pad : 0);
	}
	sink_putc(p->sink, '\n');
}

static void settle(struct query_printer *p)
{
	if (p->settled || p->format != TABLE_AS_TEXT || !p->n)
		return;
	p->settled = true;
	/* On a terminal, one line per row. */
	p->cut = p->frame->columns && !p->frame->wide;
	for (size_t i = 0; p->cut && i < p->n; i++) {
		size_t width = escape_width(p->names.at[i], strlen(p->names.at[i]));

		p->rooms[i].least = width < READABLE ? width : READABLE;
	}
	if (p->cut)
		p->gone = table_fit(p->rooms, p->n, p->frame->columns, READABLE);
	for (size_t i = 0; i < p->cells.n; i++) {
		if (table_fit_add(&p->shortened, &p->rooms[i % p->n], p->cells.at[i]))
			p->sink->error = -ENOMEM;
	}
	text_line(p, p->names.at, true);
	sink_repeat(p->sink, '-', table_fit_width(p->rooms, p->n));
	sink_putc(p->sink, '\n');
	for (size_t r = 0; r < p->cells.n; r += p->n)
		text_line(p, &p->cells.at[r], false);
	texts_clear(&p->cells);
}

static int text_row(struct query_printer *p, const struct query_value *values)
{
	size_t first = p->cells.n;

	for (size_t i = 0; i < p->n; i++) {
		struct sink s;
		size_t len, width;
		char *text;

		sink_to_memory(&s);
		add_cell(p, &s, &values[i]);
		text = sink_take(&s, &len);
		if (texts_take(&p->cells, text))
			return -ENOMEM;
		width = escape_width(text, len);
		if (p->settled)
			continue;
		if (width > p->rooms[i].width)
			p->rooms[i].width = width;
		if (values[i].kind == QUERY_TEXT || values[i].kind == QUERY_BLOB)
			p->rooms[i].text = true;
	}
	if (p->settled) {
		text_line(p, &p->cells.at[first], false);
		texts_clear(&p->cells);
	} else if (p->rows >= ROWS_KEPT) {
		settle(p);
	}
	return 0;
}

/* ---- CSV, Markdown, JSON ---- */

static void line_of(struct query_printer *p, const struct query_value *values)
{
	bool md = p->format == TABLE_AS_MD;

	for (size_t i = 0; i < p->n; i++) {
		sink_puts(p->sink, md ? "| " : i ? "," : "");
		add_cell(p, p->sink, &values[i]);
		sink_puts(p->sink, md ? " " : "");
	}
	sink_puts(p->sink, md ? "|\n" : "\r\n");
}

static int json_row(struct query_printer *p, const struct query_value *values)
{
	json_open(&p->json, NULL, '{', false);
	for (size_t i = 0; i < p->n; i++) {
		const struct query_value *v = &values[i];
		const char *key = p->names.at[i];
		struct sink s;
		size_t len;
		char *text;

		switch (v->kind) {
		case QUERY_NULL:
			json_null(&p->json, key);
			break;
		case QUERY_INTEGER:
			json_i64(&p->json, key, v->integer);
			break;
		case QUERY_REAL:
			json_number(&p->json, key, v->real);
			break;
		default:
			sink_to_memory(&s);
			query_value_text(&s, v);
			text = sink_take(&s, &len);
			if (!text)
				return -ENOMEM;
			json_bytes(&p->json, key, text, len);
			free(text);
			break;
		}
	}
	json_close(&p->json);
	return 0;
}

/* ---- a result ---- */

static void end_result(struct query_printer *p)
{
	settle(p);
	table_fit_note(p->sink, p->gone);
	p->gone = 0;
	if (p->results && p->format == TABLE_AS_JSON) {
		json_close(&p->json);
		json_close(&p->json);
	}
	texts_clear(&p->cells);
	texts_fini(&p->names);
	table_names_fini(&p->shortened);
	shorten_fini(&p->titles);
	free(p->rooms);
	p->rooms = NULL;
	p->n = 0;
}

/* The column's name as printed, escaped; for JSON made unique. */
static char *name_of(struct query_printer *p, const char *name)
{
	unsigned same = 1;

	for (;;) {
		struct sink s;
		bool taken = false;
		size_t len;
		char *text;

		sink_to_memory(&s);
		if (p->format == TABLE_AS_JSON)
			escape_json(&s, name, strlen(name));
		else if (p->format == TABLE_AS_CSV)
			escape_csv(&s, name, strlen(name));
		else if (p->format == TABLE_AS_MD)
			escape_md(&s, name, strlen(name));
		else
			escape_terminal(&s, name, strlen(name));
		if (same > 1)
			sink_printf(&s, "_%u", same);
		text = sink_take(&s, &len);
		for (size_t i = 0; text && i < p->names.n && p->format == TABLE_AS_JSON; i++)
			taken |= !strcmp(p->names.at[i], text);
		if (!taken)
			return text;
		free(text);
		same++;
	}
}

int query_print_columns(void *printer, const char *const *names, size_t n)
{
	struct query_printer *p = printer;

	end_result(p);
	if (p->results++ && p->format != TABLE_AS_JSON)
		sink_puts(p->sink, p->format == TABLE_AS_CSV ? "\r\n" : "\n");
	p->rows = 0;
	p->settled = false;
	p->rooms = calloc(n, sizeof(*p->rooms));
	p->gone = 0;
	if (!p->rooms)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (texts_take(&p->names, name_of(p, names[i])))
			return -ENOMEM;
		p->n = i + 1;
		p->rooms[i].width = escape_width(p->names.at[i], strlen(p->names.at[i]));
		p->rooms[i].rank = 1;
	}
	if (p->format == TABLE_AS_JSON) {
		json_open(&p->json, NULL, '{', true);
		json_open(&p->json, "columns", '[', false);
		for (size_t i = 0; i < n; i++)
			json_text(&p->json, NULL, names[i]);
		json_close(&p->json);
		json_open(&p->json, "rows", '[', true);
	} else if (p->format != TABLE_AS_TEXT) {
		bool md = p->format == TABLE_AS_MD;

		for (size_t i = 0; i < n; i++)
			sink_printf(p->sink, md ? "| %s " : i ? ",%s" : "%s", p->names.at[i]);
		sink_puts(p->sink, md ? "|\n" : "\r\n");
		for (size_t i = 0; md && i < n; i++)
			sink_puts(p->sink, i + 1 < n ? "|---" : "|---|\n");
	}
	return 0;
}

int query_print_row(void *printer, const struct query_value *values, size_t n)
{
	struct query_printer *p = printer;
	int rc = 0;

	(void)n;
	p->rows++;
	if (p->format == TABLE_AS_TEXT)
		rc = text_row(p, values);
	else if (p->format == TABLE_AS_JSON)
		rc = json_row(p, values);
	else
		line_of(p, values);
	return rc ? rc : p->sink->error;
}

int query_printer_end(struct query_printer *p)
{
	end_result(p);
	if (p->format == TABLE_AS_JSON) {
		json_close(&p->json);
		json_close(&p->json);
	}
	return p->sink->error;
}

void query_printer_fini(struct query_printer *p)
{
	texts_fini(&p->cells);
	texts_fini(&p->names);
	table_names_fini(&p->shortened);
	shorten_fini(&p->titles);
	free(p->rooms);
}
