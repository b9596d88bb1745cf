/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables for people: aligned text, and Markdown. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "tables/number.h"
#include "tables/table.h"

/* A column in which no row says anything is left out, too. */
static bool visible(const struct table_frame *frame, const struct table *t, size_t c)
{
	unsigned flags = t->columns[c].flags;

	if ((flags & TABLE_MACHINE) || ((flags & TABLE_WIDE) && !frame->wide))
		return false;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (t->cells[r * t->n_columns + c].set)
			return true;
	}
	return !t->n_rows || (t->total && t->total[c].set);
}

/* "compute-01, 5.003127 s from 812.000001, 12,004 events, 4 CPUs" */
static void title_of(struct sink *s, const struct table_frame *frame)
{
	const char *host = cdict_reader_info(frame->reader, "host.name");
	const char *file = strcmp(frame->file, "-") ? frame->file : "standard input";
	char a[NUMBER_ROOM];

	escape_terminal(s, file, strlen(file));
	sink_puts(s, ": ");
	if (host) {
		escape_terminal(s, host, strlen(host));
		sink_puts(s, ", ");
	}
	sink_puts(s, number_seconds(a, frame->to_ns - frame->from_ns));
	sink_printf(s, " s from %s", number_seconds(a, frame->from_ns));
	sink_printf(s, ", %s events", number_grouped(a, cdict_reader_events(frame->reader)));
	sink_printf(s, ", %" PRIu32 " CPUs\n", cdict_reader_cpus(frame->reader));
}

static void title(struct sink *s, const struct table_frame *frame)
{
	title_of(s, frame);
	for (size_t i = 0; i < frame->n_others; i++)
		title_of(s, &frame->others[i]);
}

static void loss_of(struct sink *s, const struct table_frame *frame)
{
	struct loss_sum sum;
	struct scope scope;

	loss_sum(&sum, frame->reader, frame->from_ns, frame->to_ns);
	loss_line(s, &sum, frame->unknown_ns ? *frame->unknown_ns : 0);
	sink_putc(s, '\n');
	scope_of_reader(&scope, frame->reader);
	loss_scope(s, &scope, frame->from_ns);
}

/* Of several captures, whose it is. */
static void loss(struct sink *s, const struct table_frame *frame)
{
	for (size_t i = 0; i <= frame->n_others; i++) {
		const struct table_frame *of = i ? &frame->others[i - 1] : frame;

		if (frame->n_others) {
			escape_terminal(s, of->file, strlen(of->file));
			sink_puts(s, ": ");
		}
		loss_of(s, of);
	}
}

/* A figure that missing events can have changed has a ~ behind it. */
static bool marked(const struct table_column *c, const struct table_cell *cell)
{
	return cell->set && cell->lossy && c->kind != TABLE_TEXT && c->kind != TABLE_INTEGER &&
	       c->kind != TABLE_TIME;
}

static bool any_marked(const struct table *t, size_t c)
{
	for (size_t r = 0; r < t->shown; r++) {
		if (marked(&t->columns[c], &t->cells[r * t->n_columns + c]))
			return true;
	}
	return t->total && marked(&t->columns[c], &t->total[c]);
}

static void explain_marks(struct sink *s, const struct table_frame *frame,
			  struct table *const *tables, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; c < tables[i]->n_columns; c++) {
			if (!visible(frame, tables[i], c) || !any_marked(tables[i], c))
				continue;
			sink_puts(s, "~ what it is known to be: events are missing that could have "
				     "changed it\n");
			return;
		}
	}
}

static void tell_lack(void *ctx, const char *event, const char *what)
{
	sink_printf(ctx, "not recorded: %s, so %s is unknown\n", event, what);
}

/* Why columns are empty that people would look for. */
static void explain_lacks(struct sink *s, const struct table_frame *frame,
			  struct table *const *tables, size_t n)
{
	table_lacks(tables, n, TABLE_MACHINE | (frame->wide ? 0 : TABLE_WIDE), tell_lack, s);
}

/* How a column is set: numbers to the right, marks in a column of their own. */
struct column_room {
	size_t width; /* with the mark */
	bool mark, hidden;
};

static size_t cell_width(const struct table_column *c, const struct table_cell *cell)
{
	char room[NUMBER_ROOM];
	const char *text = table_cell_human(c, cell, room);

	return escape_width(text, strlen(text));
}

static void text_row(struct sink *s, const struct table *t, const struct column_room *rooms,
		     const struct table_cell *row)
{
	size_t pending = 0; /* blanks that nothing follows are not written */
	bool first = true;

	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_column *col = &t->columns[c];
		char room[NUMBER_ROOM];
		const char *text;
		size_t width, blanks;
		bool mark = row && marked(col, &row[c]);

		if (rooms[c].hidden)
			continue;
		text = row ? table_cell_human(col, &row[c], room) : col->title;
		width = escape_width(text, strlen(text)) + rooms[c].mark;
		blanks = rooms[c].width > width ? rooms[c].width - width : 0;
		if (!first)
			pending += 2;
		first = false;
		if (col->kind != TABLE_TEXT) {
			pending += blanks;
			blanks = 0;
		}
		if (*text) {
			sink_repeat(s, ' ', pending);
			pending = 0;
			escape_terminal(s, text, strlen(text));
		}
		if (mark)
			sink_putc(s, '~');
		pending += blanks + (rooms[c].mark && !mark);
	}
	sink_putc(s, '\n');
}

static void rule(struct sink *s, const struct table *t, const struct column_room *rooms)
{
	size_t width = 0;

	for (size_t c = 0; c < t->n_columns; c++) {
		if (!rooms[c].hidden)
			width += rooms[c].width + (width ? 2 : 0);
	}
	sink_repeat(s, '-', width);
	sink_putc(s, '\n');
}

static void text_table(struct sink *s, const struct table_frame *frame, const struct table *t)
{
	struct column_room *rooms = calloc(t->n_columns, sizeof(*rooms));

	if (!rooms) {
		s->error = -ENOMEM;
		return;
	}
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_column *col = &t->columns[c];
		size_t width = escape_width(col->title, strlen(col->title));

		rooms[c].hidden = !visible(frame, t, c);
		if (rooms[c].hidden)
			continue;
		for (size_t r = 0; r < t->shown; r++) {
			size_t w = cell_width(col, &t->cells[r * t->n_columns + c]);

			if (w > width)
				width = w;
		}
		if (t->total && cell_width(col, &t->total[c]) > width)
			width = cell_width(col, &t->total[c]);
		rooms[c].mark = any_marked(t, c);
		rooms[c].width = width + rooms[c].mark;
	}
	text_row(s, t, rooms, NULL);
	rule(s, t, rooms);
	for (size_t r = 0; r < t->shown; r++)
		text_row(s, t, rooms, t->cells + r * t->n_columns);
	if (t->shown < t->n_rows)
		sink_printf(s, "(%zu more rows)\n", t->n_rows - t->shown);
	if (t->total) {
		rule(s, t, rooms);
		text_row(s, t, rooms, t->total);
	}
	free(rooms);
}

void table_print_text(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		      size_t n)
{
	title(s, frame);
	if (frame->note)
		sink_printf(s, "%s\n", frame->note);
	for (size_t i = 0; i < n; i++) {
		sink_putc(s, '\n');
		if (tables[i]->heading)
			sink_printf(s, "%s\n\n", tables[i]->heading);
		text_table(s, frame, tables[i]);
	}
	if (frame->chart)
		sink_printf(s, "\n%s", frame->chart);
	sink_putc(s, '\n');
	explain_marks(s, frame, tables, n);
	explain_lacks(s, frame, tables, n);
	loss(s, frame);
}

static void md_row(struct sink *s, const struct table_frame *frame, const struct table *t,
		   const struct table_cell *row, bool strong)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_column *col = &t->columns[c];
		char room[NUMBER_ROOM];
		const char *text;

		if (!visible(frame, t, c))
			continue;
		text = row ? table_cell_human(col, &row[c], room) : col->title;
		sink_puts(s, "| ");
		if (strong && *text)
			sink_puts(s, "**");
		escape_md(s, text, strlen(text));
		if (row && marked(col, &row[c]))
			sink_putc(s, '~');
		if (strong && *text)
			sink_puts(s, "**");
		sink_putc(s, ' ');
	}
	sink_puts(s, "|\n");
}

static void md_table(struct sink *s, const struct table_frame *frame, const struct table *t)
{
	md_row(s, frame, t, NULL, false);
	for (size_t c = 0; c < t->n_columns; c++) {
		if (visible(frame, t, c))
			sink_puts(s, t->columns[c].kind == TABLE_TEXT ? "| --- " : "| ---: ");
	}
	sink_puts(s, "|\n");
	for (size_t r = 0; r < t->shown; r++)
		md_row(s, frame, t, t->cells + r * t->n_columns, false);
	if (t->total)
		md_row(s, frame, t, t->total, true);
	if (t->shown < t->n_rows)
		sink_printf(s, "\n(%zu more rows)\n", t->n_rows - t->shown);
}

void table_print_md(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		    size_t n)
{
	struct sink line;
	size_t len = 0;
	char *text;

	/* the title holds foreign text: as terminal text first it is one line, then
	 * Markdown's own characters are taken care of */
	for (size_t i = 0; i <= frame->n_others; i++) {
		sink_to_memory(&line);
		title_of(&line, i ? &frame->others[i - 1] : frame);
		text = sink_take(&line, &len);
		if (text)
			escape_md(s, text, len ? len - 1 : 0);
		free(text);
		sink_puts(s, "\n\n");
	}
	for (const char *at = frame->note; at && *at; at += strspn(at, "\n")) {
		escape_md(s, at, strcspn(at, "\n"));
		sink_puts(s, "\n\n");
		at += strcspn(at, "\n");
	}
	for (size_t i = 0; i < n; i++) {
		if (tables[i]->heading)
			sink_printf(s, "### %s\n\n", tables[i]->heading);
		md_table(s, frame, tables[i]);
		sink_putc(s, '\n');
	}
	explain_marks(s, frame, tables, n);
	explain_lacks(s, frame, tables, n);
	loss(s, frame);
}
