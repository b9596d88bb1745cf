/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables for people: aligned text, and Markdown. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "base/text/plural.h"
#include "base/text/wrap.h"
#include "tables/columns/number.h"
#include "tables/columns/table.h"
#include "tables/columns/table_fit.h"

#define READABLE 24   /* on a terminal, names are shortened to this before a column is dropped */
#define FOLD 80       /* in a file, longer texts (stacks) continue on the next line */
#define WIDE_FROM 200 /* a terminal this wide has room for all columns */

static void more_rows(struct sink *s, const struct table *t)
{
	size_t more = t->n_rows - t->shown;
	char n[NUMBER_ROOM];

	sink_printf(s, "(%s more row%s)\n", number_grouped(n, more), more == 1 ? "" : "s");
}

static bool to_the_right(const struct table_column *col)
{
	return col->kind != TABLE_TEXT || (col->flags & TABLE_RIGHT);
}

/* The width of lines; 0: no limit. */
static unsigned limit_of(const struct table_frame *frame)
{
	return frame->columns ? frame->columns : frame->most_columns;
}

static bool is_wide(const struct table_frame *frame)
{
	return frame->wide || frame->columns >= WIDE_FROM;
}

/* Columns without any value are left out, too. */
static bool visible(const struct table_frame *frame, const struct table *t, size_t c)
{
	unsigned flags = t->columns[c].flags;

	if ((flags & TABLE_MACHINE) || ((flags & TABLE_WIDE) && !is_wide(frame)))
		return false;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (table_at(t, r, c)->set)
			return true;
	}
	return !t->n_rows || (t->total && t->total[c].set);
}

/* "compute-01, 5.003127 s from 812.000001, 12,004 events, 4 CPUs" */
static void title_of(struct sink *s, const struct table_frame *frame)
{
	const char *host = frame->reader ? cdict_reader_info(frame->reader, "host.name") : NULL;
	const char *file = strcmp(frame->file, "-") ? frame->file : "standard input";
	char a[NUMBER_ROOM];

	escape_terminal(s, file, strlen(file));
	if (!frame->reader) {
		sink_putc(s, '\n');
		return;
	}
	sink_puts(s, ": ");
	if (host) {
		escape_terminal(s, host, strlen(host));
		sink_puts(s, ", ");
	}
	sink_puts(s, number_seconds(a, table_length_ns(frame)));
	sink_puts(s, " s");
	if (frame->n_windows > 1)
		sink_printf(s, " in %s windows", GROUPED(frame->n_windows));
	sink_printf(s, " from %s", number_seconds(a, frame->from_ns));
	sink_printf(s, ", %s event%s", number_grouped(a, cdict_reader_events(frame->reader)),
		    cdict_reader_events(frame->reader) == 1 ? "" : "s");
	sink_printf(s, ", %" PRIu32 " CPU%s\n", cdict_reader_cpus(frame->reader),
		    cdict_reader_cpus(frame->reader) == 1 ? "" : "s");
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

	if (!frame->reader)
		return;
	loss_sum(&sum, frame->reader, frame->from_ns, frame->to_ns);
	loss_line(s, &sum, frame->unknown_ns ? *frame->unknown_ns : 0);
	sink_putc(s, '\n');
	scope_of_reader(&scope, frame->reader);
	loss_scope(s, &scope, frame->from_ns);
}

/* With several captures, each with its file. */
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

/* Figures that missing events may have changed get a ~ after them. */
static bool marked(const struct table_column *c, const struct table_cell *cell)
{
	return cell->set && cell->lossy && c->kind != TABLE_TEXT && c->kind != TABLE_INTEGER &&
	       c->kind != TABLE_CODE && c->kind != TABLE_TIME;
}

static bool any_marked(const struct table *t, size_t c)
{
	for (size_t r = 0; t->any_lossy && r < t->shown; r++) {
		if (marked(&t->columns[c], table_at(t, r, c)))
			return true;
	}
	return t->total && marked(&t->columns[c], &t->total[c]);
}

static void explain_marks(struct sink *s, const struct table_frame *frame,
			  struct table *const *tables, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; c < tables[i]->n_columns; c++) {
			if (!any_marked(tables[i], c) || !visible(frame, tables[i], c))
				continue;
			sink_puts(s, "~ lossy: missing events may have changed this value\n");
			return;
		}
	}
}

static void report_lack(void *ctx, const char *event, const char *what)
{
	sink_printf(ctx, "not recorded: %s; unknown: %s\n", event, what);
}

/* Explains why columns that a reader would expect are empty. */
static void explain_lacks(struct sink *s, const struct table_frame *frame,
			  struct table *const *tables, size_t n)
{
	table_lacks(tables, n, TABLE_MACHINE | (is_wide(frame) ? 0 : TABLE_WIDE), report_lack, s);
}

void table_print_below(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		       size_t n)
{
	explain_marks(s, frame, tables, n);
	explain_lacks(s, frame, tables, n);
	loss(s, frame);
}

/* A cell as text in this frame. */
static const char *human(const struct table_frame *frame, const struct table_column *c,
			 const struct table_cell *cell, char room[NUMBER_ROOM])
{
	if (frame->columns && cell->set && (c->kind == TABLE_MS || c->kind == TABLE_US))
		return number_duration(room, cell->u64);
	if (frame->columns && cell->set && c->kind == TABLE_PERCENT) {
		snprintf(room, NUMBER_ROOM, "%.1f", cell->percent);
		return room;
	}
	return table_cell_human(c, cell, room);
}

/* The head of the column: without a unit if durations have their own ("worst ms was": "worst was"). */
static const char *head_of(const struct table_frame *frame, const struct table_column *c,
			   char room[NUMBER_ROOM])
{
	const char *unit = c->kind == TABLE_MS ? " ms" : c->kind == TABLE_US ? " us" : NULL;
	const char *at = frame->columns && unit ? strstr(c->title, unit) : NULL;

	if (!at || strlen(c->title) >= NUMBER_ROOM)
		return c->title;
	snprintf(room, NUMBER_ROOM, "%.*s%s", (int)(at - c->title), c->title, at + strlen(unit));
	return room;
}

static size_t cell_width(const struct table_frame *frame, const struct table_column *c,
			 const struct table_cell *cell)
{
	char room[NUMBER_ROOM];
	const char *text = human(frame, c, cell, room);

	return escape_width(text, strlen(text));
}

/* Bytes of @text on a line of @columns: all, or up to the last ; or blank, or what fits. */
static size_t fold_at(const char *text, size_t len, size_t columns)
{
	size_t fits = 0, nice = 0, used = 0, n;
	uint32_t cp;

	for (; fits < len; fits += n) {
		n = escape_decode(text + fits, len - fits, &cp);
		n = n ? n : 1;
		used += escape_width(text + fits, n);
		if (used > columns)
			return nice ? nice : fits ? fits : n;
		if (text[fits] == ';' || text[fits] == ' ')
			nice = fits + n;
	}
	return len;
}

/* Writes what text_row() left of a long text, on lines of its own. */
static void put_rest(struct sink *s, const struct table_cell *cell)
{
	size_t len = cell->set ? strlen(cell->text) : 0, n;

	if (!len)
		return;
	n = fold_at(cell->text, len, FOLD);

	for (size_t at = n; at < len; at += n) {
		n = fold_at(cell->text + at, len - at, FOLD - 2);
		sink_puts(s, "  ");
		escape_terminal(s, cell->text + at, n);
		sink_putc(s, '\n');
	}
}

#define HEAD (TABLE_TOTAL - 1) /* in place of a row */

static void text_row(struct sink *s, const struct table_frame *frame, const struct table *t,
		     const struct table_room *rooms, struct table_names *names, size_t row)
{
	size_t pending = 0; /* trailing blanks are not written */
	bool first = true;

	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_column *col = &t->columns[c];
		char room[NUMBER_ROOM];
		const char *text;
		size_t width, blanks;
		const struct table_cell *cell;
		bool mark;

		if (rooms[c].hidden)
			continue;
		cell = row == HEAD ? NULL : table_at(t, row, c);
		mark = cell && marked(col, cell);
		text = cell ? human(frame, col, cell, room) : head_of(frame, col, room);
		if (cell)
			text = table_fit_name(names, &rooms[c], text);
		width = escape_width(text, strlen(text)) + rooms[c].mark;
		if (width > rooms[c].width)
			width = rooms[c].width;
		blanks = rooms[c].width - width;
		if (!first)
			pending += 2;
		first = false;
		if (to_the_right(col)) {
			pending += blanks;
			blanks = 0;
		}
		if (*text) {
			sink_repeat(s, ' ', pending);
			pending = 0;
			if (!limit_of(frame) && col->kind == TABLE_TEXT) {
				size_t len = strlen(text), n = fold_at(text, len, rooms[c].width);

				escape_terminal(s, text, n);
				width = escape_width(text, n);
			} else {
				width = table_fit_text(s, text, rooms[c].width - rooms[c].mark);
			}
			if (!to_the_right(col))
				blanks = rooms[c].width - rooms[c].mark - width;
		}
		if (mark)
			sink_putc(s, '~');
		pending += blanks + (rooms[c].mark && !mark);
	}
	sink_putc(s, '\n');
}

/* Whether @word stands in @name with no letter or digit of the same kind beside it: "1" in
 * "guest.vcpu1", not in "guest.vcpu10". */
static bool has_word(const char *name, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = name; len && (at = strstr(at, word)); at++) {
		bool digits = isdigit((unsigned char)*word);
		unsigned char before = at > name ? (unsigned char)at[-1] : ' ',
			      after = (unsigned char)at[len];

		if (!(digits ? isdigit(before) : isalnum(before)) &&
		    !(isdigit((unsigned char)at[len - 1]) ? isdigit(after) : isalnum(after)))
			return true;
	}
	return false;
}

/* Whether the names to the left of column @c contain all of its cells. */
static bool in_name(const struct table_frame *frame, const struct table *t, size_t c)
{
	size_t name = c;
	char room[NUMBER_ROOM];

	while (name && (name == c || t->columns[name].kind != TABLE_TEXT ||
			t->columns[name].flags & (TABLE_IN_NAME | TABLE_MACHINE)))
		name--;
	if (!(t->columns[c].flags & TABLE_IN_NAME) || t->columns[name].kind != TABLE_TEXT ||
	    name == c || !limit_of(frame))
		return false;
	for (size_t r = 0; r < t->shown; r++) {
		const struct table_cell *cell = table_at(t, r, c);
		char *word;
		bool has;

		if (!cell->set)
			continue;
		/* reading another cell may overwrite this one */
		word = strdup(table_cell_human(&t->columns[c], cell, room));
		cell = table_at(t, r, name);
		has = word && cell->set && has_word(cell->text, word);
		free(word);
		if (!has)
			return false;
	}
	return true;
}

/* The order of dropping: columns that repeat the name, then TABLE_WIDE ones, then TABLE_SPARE ones. */
static unsigned char rank_of(const struct table_frame *frame, const struct table *t, size_t c)
{
	const struct table_column *col = &t->columns[c];

	return in_name(frame, t, c)       ? 4
	       : col->flags & TABLE_WIDE  ? 3
	       : col->flags & TABLE_SPARE ? 2
	       : col->flags & TABLE_KEEP  ? 0
					  : 1;
}

static void rule(struct sink *s, const struct table *t, const struct table_room *rooms)
{
	sink_repeat(s, '-', table_fit_width(rooms, t->n_columns));
	sink_putc(s, '\n');
}

static void widen(struct table_room *rooms, const struct table_frame *frame, const struct table *t,
		  size_t row)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		size_t width = rooms[c].hidden
				       ? 0
				       : cell_width(frame, &t->columns[c], table_at(t, row, c));

		if (width > rooms[c].width)
			rooms[c].width = width;
	}
}

static void add_names(struct sink *s, struct table_names *names, const struct table_room *rooms,
		      const struct table *t, size_t row)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_cell *cell;

		/* only these are read: filling a cell takes time */
		if (rooms[c].hidden || !rooms[c].text || rooms[c].width >= rooms[c].full)
			continue;
		cell = table_at(t, row, c);
		if (cell->set && table_fit_add(names, &rooms[c], cell->text))
			s->error = -ENOMEM;
	}
}

/* A table and the widths of its columns. */
struct fitted {
	const struct table *t;
	struct table_room *rooms;
	size_t gone, first; /* dropped columns; the first that is shown */
	bool fold;
};

static int fit(struct fitted *f, struct sink *s, const struct table_frame *frame,
	       const struct table *t, struct table_names *names)
{
	struct table_room *rooms = calloc(t->n_columns, sizeof(*rooms));
	char room[NUMBER_ROOM];

	*f = (struct fitted){ .t = t, .rooms = rooms };
	if (!rooms)
		return -ENOMEM;
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_column *col = &t->columns[c];
		const char *title = head_of(frame, col, room);
		size_t width = escape_width(title, strlen(title));

		rooms[c].hidden = !visible(frame, t, c);
		rooms[c].width = rooms[c].least = width;
		rooms[c].text = col->kind == TABLE_TEXT;
		rooms[c].rank = rank_of(frame, t, c);
	}
	for (size_t r = 0; r < t->shown; r++)
		widen(rooms, frame, t, r);
	if (t->total)
		widen(rooms, frame, t, TABLE_TOTAL);
	for (size_t c = 0; c < t->n_columns; c++) {
		rooms[c].mark = !rooms[c].hidden && any_marked(t, c);
		rooms[c].width += rooms[c].mark;
	}
	for (; f->first + 1 < t->n_columns && rooms[f->first].hidden;)
		f->first++;
	f->fold = !limit_of(frame) && rooms[f->first].text && rooms[f->first].width > FOLD;
	if (f->fold)
		rooms[f->first].width = FOLD;
	f->gone = limit_of(frame) && !frame->wide ? table_fit(rooms, t->n_columns, limit_of(frame),
							      frame->columns ? READABLE : SIZE_MAX)
						  : 0;
	for (size_t r = 0; r < t->shown; r++)
		add_names(s, names, rooms, t, r);
	if (t->total)
		add_names(s, names, rooms, t, TABLE_TOTAL);
	return 0;
}

static void put_table(struct sink *s, const struct table_frame *frame, const struct fitted *f,
		      struct table_names *names)
{
	const struct table *t = f->t;

	text_row(s, frame, t, f->rooms, names, HEAD);
	rule(s, t, f->rooms);
	for (size_t r = 0; r < t->shown; r++) {
		text_row(s, frame, t, f->rooms, names, r);
		if (f->fold)
			put_rest(s, table_at(t, r, f->first));
	}
	if (t->shown < t->n_rows)
		more_rows(s, t);
	if (t->total) {
		rule(s, t, f->rooms);
		text_row(s, frame, t, f->rooms, names, TABLE_TOTAL);
	}
	table_fit_note(s, frame->live ? 0 : f->gone);
}

/* Writes the tables, each with its heading and an empty line above it if @headings. */
static void text_tables(struct sink *s, const struct table_frame *frame,
			const struct table *const *tables, size_t n, bool headings)
{
	struct fitted *fitted = calloc(n + 1, sizeof(*fitted));
	struct table_names names = { 0 };
	int rc = fitted ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < n; i++)
		rc = fit(&fitted[i], s, frame, tables[i], &names);
	for (size_t i = 0; !rc && i < n; i++) {
		if (headings)
			sink_putc(s, '\n');
		if (headings && tables[i]->heading)
			sink_printf(s, "%s\n\n", tables[i]->heading);
		put_table(s, frame, &fitted[i], &names);
	}
	if (rc)
		s->error = rc;
	for (size_t i = 0; fitted && i < n; i++)
		free(fitted[i].rooms);
	free(fitted);
	table_names_fini(&names);
}

void table_print_text_table(struct sink *s, const struct table_frame *frame, const struct table *t)
{
	text_tables(s, frame, &t, 1, false);
}

/* Writes the sentences around the tables, wrapped at blanks. */
static void put_wrapped(struct sink *s, const struct table_frame *frame, struct sink *prose)
{
	size_t len;
	char *text = sink_take(prose, &len);

	if (text)
		wrap_text(s, text, len, &(struct wrap){ .columns = limit_of(frame) });
	else
		s->error = -ENOMEM;
	free(text);
}

void table_print_text(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		      size_t n)
{
	struct sink prose;

	sink_to_memory(&prose);
	title(&prose, frame);
	if (frame->note)
		sink_printf(&prose, "%s\n", frame->note);
	put_wrapped(s, frame, &prose);
	text_tables(s, frame, (const struct table *const *)tables, n, true);
	if (frame->chart)
		sink_printf(s, "\n%s", frame->chart);
	sink_putc(s, '\n');
	sink_to_memory(&prose);
	table_print_below(&prose, frame, tables, n);
	put_wrapped(s, frame, &prose);
}

static void md_row(struct sink *s, const struct table *t, const bool *shown, size_t row,
		   bool strong)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_column *col = &t->columns[c];
		const struct table_cell *cell;
		char room[NUMBER_ROOM];
		const char *text;

		if (!shown[c])
			continue;
		cell = row == HEAD ? NULL : table_at(t, row, c);
		text = cell ? table_cell_human(col, cell, room) : col->title;
		sink_puts(s, "| ");
		if (strong && *text)
			sink_puts(s, "**");
		escape_md(s, text, strlen(text));
		if (cell && marked(col, cell))
			sink_putc(s, '~');
		if (strong && *text)
			sink_puts(s, "**");
		sink_putc(s, ' ');
	}
	sink_puts(s, "|\n");
}

void table_print_md_table(struct sink *s, const struct table_frame *frame, const struct table *t)
{
	bool *shown = calloc(t->n_columns + 1, sizeof(*shown));

	if (!shown) {
		s->error = -ENOMEM;
		return;
	}
	for (size_t c = 0; c < t->n_columns; c++)
		shown[c] = visible(frame, t, c);
	md_row(s, t, shown, HEAD, false);
	for (size_t c = 0; c < t->n_columns; c++) {
		if (shown[c])
			sink_puts(s, t->columns[c].kind == TABLE_TEXT ? "| --- " : "| ---: ");
	}
	sink_puts(s, "|\n");
	for (size_t r = 0; r < t->shown; r++)
		md_row(s, t, shown, r, false);
	if (t->total)
		md_row(s, t, shown, TABLE_TOTAL, true);
	if (t->shown < t->n_rows) {
		sink_putc(s, '\n');
		more_rows(s, t);
	}
	free(shown);
}

void table_print_md(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		    size_t n)
{
	struct sink line;
	size_t len = 0;
	char *text;

	/* the title has untrusted text: escaping for the terminal makes it one line, then
	 * Markdown's characters are escaped */
	for (size_t i = 0; i <= frame->n_others; i++) {
		sink_to_memory(&line);
		title_of(&line, i ? &frame->others[i - 1] : frame);
		text = sink_take(&line, &len);
		if (text)
			escape_md(s, text, len ? len - 1 : 0);
		else
			s->error = -ENOMEM;
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
		table_print_md_table(s, frame, tables[i]);
		sink_putc(s, '\n');
	}
	table_print_below(s, frame, tables, n);
}
