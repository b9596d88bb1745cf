/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Tables as OpenMetrics 1.0, without times: node_exporter's textfile collector takes no others.
 *
 * A column is a family: cdict_COMMAND_COLUMN, or cdict_COMMAND_TABLE_COLUMN if the table is not
 * named like its command. The columns before a table's first figure identify its rows: they are
 * labels. Names and identities after it are labels of the family "info", with value 1.
 *
 * All families are gauges: a figure is of one window, and the next capture begins again. node_exporter's parser reads
 * the older text format, in which a counter's name is that of its samples, and has neither the type info nor "unknown".
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "base/text/escape.h"
#include "tables/columns/cells.h"
#include "tables/text/openmetrics_help.h"

#define NS_PER_S UINT64_C(1000000000)

/* ---- families ---- */

enum { NAME_ROOM = 160 };

/* Units of figures: the suffix of their keys, and that of the base unit. */
static const struct unit {
	const char *key, *name, *unit;
} units[] = {
	{ "_count", "_events", NULL }, /* names with _count are those of histograms */
	{ "_ns", "_seconds", "seconds" }, { "_percent", "_ratio", "ratio" },
	{ "_bytes", "_bytes", "bytes" },  { "_per_s", "_per_second", NULL },
};

static const struct unit *unit_of(const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].key);

		if (len >= n && !strcmp(key + len - n, units[i].key))
			return &units[i];
		if (!strcmp(key, units[i].key + 1))
			return &units[i];
	}
	return NULL;
}

static bool is_figure(const struct table_column *c)
{
	return c->kind != TABLE_TEXT && c->kind != TABLE_INTEGER && c->kind != TABLE_CODE &&
	       c->kind != TABLE_TIME;
}

struct family {
	char name[NAME_ROOM];
	bool described; /* its metadata are written */
	bool all;       /* of the table, not of a row */
	const char *unit, *key, *command;
};

/* Sets the family's name from command, table and key; characters not allowed in names become _. */
static void family_init(struct family *f, const char *command, const char *table, const char *key)
{
	const struct unit *unit = unit_of(key);
	size_t len = strlen(key);
	bool whole = unit && !strcmp(key, unit->key + 1);

	if (unit)
		len -= strlen(unit->key) - whole;
	*f = (struct family){ .unit = unit ? unit->unit : NULL, .key = key, .command = command };
	snprintf(f->name, sizeof(f->name), "cdict_%s%s%s_%.*s%s", command, *table ? "_" : "", table,
		 (int)len, key, unit ? unit->name + whole : "");
	for (char *p = f->name; *p; p++) {
		if (!isalnum((unsigned char)*p))
			*p = '_';
	}
}

static const char *table_part(const struct table_frame *frame, const struct table *t)
{
	return strcmp(t->name, frame->command) ? t->name : "";
}

/* Writes the metadata before the first sample; then the sample up to its labels. */
static void family_report(struct sink *s, struct family *f)
{
	const char *help = openmetrics_help(f->command, f->key);

	if (!f->described && help)
		sink_printf(s, "# HELP %s %s%s\n", f->name, f->all ? "All rows together: " : "",
			    help);
	else if (!f->described)
		sink_printf(s, "# HELP %s Column %s of cdict %s.\n", f->name, f->key, f->command);
	if (!f->described)
		sink_printf(s, "# TYPE %s gauge\n", f->name);
	if (!f->described && f->unit)
		sink_printf(s, "# UNIT %s %s\n", f->name, f->unit);
	f->described = true;
	sink_puts(s, f->name);
}

/* ---- labels ---- */

static void label_key(struct sink *s, bool *any, const char *key)
{
	sink_printf(s, "%s%s=\"", *any ? "," : "", key);
	*any = true;
}

static void label_text(struct sink *s, bool *any, const char *key, const char *text)
{
	if (!text || !*text) /* in OpenMetrics the same as no label */
		return;
	label_key(s, any, key);
	escape_openmetrics(s, text, strlen(text));
	sink_putc(s, '"');
}

static void label_cell(struct sink *s, bool *any, const struct table_column *c,
		       const struct table_cell *cell)
{
	if (!cell->set)
		return;
	if (c->kind == TABLE_TEXT) {
		label_text(s, any, c->key, cell->text);
		return;
	}
	label_key(s, any, c->key);
	if (c->kind == TABLE_INTEGER)
		sink_printf(s, "%" PRId64 "\"", cell->i64);
	else
		sink_printf(s, "%" PRIu64 "\"", cell->u64);
}

/* The labels of each printed row, unique in the table. */
struct labels {
	struct stringset texts;
	struct map seen; /* address of a text -> number of rows with it */
	const char **at;
	size_t n_columns; /* number of leading columns that are labels */
};

static bool printed(const struct table_column *c)
{
	return !(c->flags & TABLE_HUMAN);
}

/* Rows may have equal names, such as threads of a pool with reused numbers. */
static const char *distinct(struct labels *l, const char *text, size_t len)
{
	const char *kept = stringset_add(&l->texts, text, len);
	uint32_t *times = kept ? map_add(&l->seen, (uintptr_t)kept, 0) : NULL;
	struct sink s;
	char *longer;

	if (!times)
		return NULL;
	if (*times == MAP_NEW) {
		*times = 1;
		return kept;
	}
	sink_to_memory(&s);
	sink_printf(&s, "%s%sduplicate=\"%" PRIu32 "\"", text, *text ? "," : "", ++*times);
	longer = sink_take(&s, &len);
	kept = longer ? stringset_add(&l->texts, longer, len) : NULL;
	free(longer);
	return kept;
}

static int labels_init(struct labels *l, const struct table *t)
{
	*l = (struct labels){ .at = calloc(t->shown + 1, sizeof(*l->at)) };
	while (l->n_columns < t->n_columns &&
	       (!printed(&t->columns[l->n_columns]) || !is_figure(&t->columns[l->n_columns])))
		l->n_columns++;
	for (size_t r = 0; l->at && r < t->shown; r++) {
		bool any = false;
		struct sink s;
		size_t len;
		char *text;

		sink_to_memory(&s);
		for (size_t c = 0; c < l->n_columns; c++) {
			if (printed(&t->columns[c]))
				label_cell(&s, &any, &t->columns[c], table_at(t, r, c));
		}
		text = sink_take(&s, &len);
		l->at[r] = text ? distinct(l, text, len) : NULL;
		free(text);
		if (!l->at[r])
			return -ENOMEM;
	}
	return l->at ? 0 : -ENOMEM;
}

static void labels_fini(struct labels *l)
{
	map_fini(&l->seen);
	stringset_fini(&l->texts);
	free(l->at);
}

static void put_labels(struct sink *s, const char *labels)
{
	if (*labels)
		sink_printf(s, "{%s}", labels);
}

/* ---- samples ---- */

static void put_seconds(struct sink *s, uint64_t ns)
{
	char digits[32];
	size_t n;

	snprintf(digits, sizeof(digits), "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
	n = strlen(digits);
	while (digits[n - 1] == '0')
		n--;
	digits[digits[n - 1] == '.' ? n - 1 : n] = 0;
	sink_puts(s, digits);
}

/* The divisor of a figure that is not an integer: a percentage, or a figure of a log. */
static double real_scale(const char *unit)
{
	return !unit ? 1 : !strcmp(unit, "ratio") ? 100 : !strcmp(unit, "seconds") ? 1e9 : 1;
}

static void put_value(struct sink *s, const struct family *f, const struct table_column *c,
		      const struct table_cell *cell)
{
	sink_putc(s, ' ');
	if (c->kind == TABLE_PERCENT)
		sink_printf(s, "%.12g", cell->percent / real_scale(f->unit));
	else if (c->kind == TABLE_BOOL)
		sink_printf(s, "%d", cell->i64 != 0);
	else if (f->unit && !strcmp(f->unit, "seconds"))
		put_seconds(s, cell->u64);
	else
		sink_printf(s, "%" PRIu64, cell->u64);
	sink_putc(s, '\n');
}

static void put_column(struct sink *s, struct family *f, const struct table *t, size_t c,
		       const struct labels *l)
{
	for (size_t r = 0; r < t->shown; r++) {
		const struct table_cell *cell = table_at(t, r, c);

		if (!cell->set)
			continue;
		family_report(s, f);
		put_labels(s, l->at[r]);
		put_value(s, f, &t->columns[c], cell);
	}
}

/* Writes the family "info": texts and identities after the labels. */
static void put_info(struct sink *s, struct family *f, const struct table *t,
		     const struct labels *l)
{
	for (size_t r = 0; r < t->shown; r++) {
		bool any = false;

		for (size_t c = l->n_columns; c < t->n_columns; c++) {
			const struct table_column *column = &t->columns[c];
			const struct table_cell *cell;

			if (!printed(column) || is_figure(column) || column->kind == TABLE_TIME)
				continue;
			cell = table_at(t, r, c);
			if (!cell->set || (column->kind == TABLE_TEXT && !*cell->text))
				continue;
			if (!any) {
				family_report(s, f);
				sink_printf(s, "{%s%s", l->at[r], *l->at[r] ? "," : "");
			}
			label_cell(s, &any, column, cell);
		}
		sink_puts(s, any ? "} 1\n" : "");
	}
}

/* Totals have "all" in their name, so that they are not added to their parts. */
static void put_total(struct sink *s, const struct table_frame *frame, const struct table *t,
		      size_t first)
{
	struct family f;
	char name[NAME_ROOM];

	snprintf(name, sizeof(name), "%s%sall", table_part(frame, t),
		 *table_part(frame, t) ? "_" : "");
	for (size_t c = first; c < t->n_columns; c++) {
		const struct table_column *column = &t->columns[c];
		const struct table_cell *cell = table_at(t, TABLE_TOTAL, c);

		if (!printed(column) || !cell->set ||
		    (!is_figure(column) && column->kind != TABLE_TIME))
			continue;
		family_init(&f, frame->command, name, column->key);
		f.all = true;
		family_report(s, &f);
		put_value(s, &f, column, cell);
	}
}

static void put_table(struct sink *s, const struct table_frame *frame, const struct table *t,
		      const struct labels *l)
{
	struct family f;

	for (size_t c = l->n_columns; c < t->n_columns; c++) {
		const struct table_column *column = &t->columns[c];

		if (!printed(column) || (!is_figure(column) && column->kind != TABLE_TIME))
			continue;
		family_init(&f, frame->command, table_part(frame, t), column->key);
		put_column(s, &f, t, c, l);
	}
	family_init(&f, frame->command, table_part(frame, t), "info");
	put_info(s, &f, t, l);
	family_init(&f, frame->command, table_part(frame, t), "lossy");
	for (size_t r = 0; !t->certain && r < t->shown; r++) {
		family_report(s, &f);
		put_labels(s, l->at[r]);
		sink_puts(s, table_row_lossy(t, r) ? " 1\n" : " 0\n");
	}
	if (t->total)
		put_total(s, frame, t, l->n_columns);
}

/* ---- captures ---- */

static const struct table_frame *capture_at(const struct table_frame *frame, size_t i)
{
	return i ? &frame->others[i - 1] : frame;
}

static void put_capture(struct sink *s, struct family *f, const struct table_frame *of)
{
	static const char *const keys[][2] = {
		{ "host", "host.name" },
		{ "kernel", "host.kernel" },
		{ "arch", "host.arch" },
	};
	bool any = false;

	family_report(s, f);
	sink_putc(s, '{');
	label_text(s, &any, "file", of->file);
	for (size_t i = 0; of->reader && i < sizeof(keys) / sizeof(*keys); i++)
		label_text(s, &any, keys[i][0], cdict_reader_info(of->reader, keys[i][1]));
	sink_puts(s, "} 1\n");
}

/* Figures of a capture, empty if not wanted. */
static const struct table_column of_capture[] = {
	{ "window_ns", NULL, TABLE_MS, 0, NULL, 0 },
	{ "unknown_ns", NULL, TABLE_MS, 0, NULL, 0 },
	{ "lost_events", NULL, TABLE_COUNT, 0, NULL, 0 },
	TABLE_COLUMNS_END,
};

static struct table_cell capture_cell(const struct table_frame *of, size_t i)
{
	struct table_cell cell = { .set = true };
	struct loss_sum loss;

	if (i == 0) {
		cell.u64 = table_length_ns(of);
	} else if (i == 1) {
		cell.set = of->unknown_ns;
		cell.u64 = of->unknown_ns ? *of->unknown_ns : 0;
	} else {
		loss_sum(&loss, of->reader, of->from_ns, of->to_ns);
		cell.u64 = loss.lost + loss.unreadable + loss.damaged;
	}
	return cell;
}

static void put_captures(struct sink *s, const struct table_frame *frame)
{
	struct family f;

	family_init(&f, frame->command, "capture", "info");
	for (size_t i = 0; frame->file && i <= frame->n_others; i++)
		put_capture(s, &f, capture_at(frame, i));
	for (size_t c = 0; of_capture[c].kind != TABLE_END; c++) {
		family_init(&f, frame->command, "capture", of_capture[c].key);
		for (size_t i = 0; i <= frame->n_others; i++) {
			const struct table_frame *of = capture_at(frame, i);
			struct table_cell cell;
			bool any = false;

			if (!of->reader)
				continue;
			cell = capture_cell(of, c);
			if (!cell.set)
				continue;
			family_report(s, &f);
			sink_putc(s, '{');
			label_text(s, &any, "file", of->file);
			sink_putc(s, '}');
			put_value(s, &f, &of_capture[c], &cell);
		}
	}
}

void table_print_openmetrics(struct sink *s, const struct table_frame *frame,
			     struct table *const *tables, size_t n)
{
	/* first allocate everything: output is complete or none */
	struct labels *labels = calloc(n + 1, sizeof(*labels));
	int rc = labels ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++)
		rc = labels_init(&labels[i], tables[i]);
	if (!rc) {
		put_captures(s, frame);
		for (size_t i = 0; i < n; i++)
			put_table(s, frame, tables[i], &labels[i]);
		sink_puts(s, "# EOF\n");
	} else if (!s->error) {
		s->error = rc;
	}
	for (size_t i = 0; labels && i < n; i++)
		labels_fini(&labels[i]);
	free(labels);
}
