/* SPDX-License-Identifier: LGPL-2.1-only */
/* What changed from one capture to another: tables and regressions. */
#include "tables/changes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below these many a figure says little, and is no regression. */
#define LEAST_WAITS 100
#define LEAST_EXITS 100

/* ---- the tables ---- */

/* Three columns a figure: before, after, the difference. */
enum { BASE, NEW, CHANGE, PARTS = CHANGES_PARTS };
enum { NAME, REASON, CPU, WHY_NOT, FIRST = CHANGES_FIRST };

static void make_columns(struct changes *c)
{
	static const char *const keys[PARTS] = { "base", "new", "change" };
	static const char *const heads[PARTS] = { " was", " is", " by" };
	const struct tables_decl *decl = c->compare.decl;

	c->columns[NAME] = (struct table_column){ .key = "name", .title = decl->name };
	c->columns[REASON] = (struct table_column){ .key = "reason", .title = "reason" };
	c->columns[CPU] =
		(struct table_column){ .key = "cpu", .title = "cpu", .kind = TABLE_INTEGER };
	c->columns[WHY_NOT] =
		(struct table_column){ .key = "not_compared", .title = "not compared" };
	c->columns[REASON].flags = decl->key_reason ? 0 : TABLE_HIDDEN;
	c->columns[CPU].flags = decl->key_cpu ? 0 : TABLE_HIDDEN;
	for (size_t f = 0; f < c->compare.n_figures; f++) {
		const struct compare_figure *figure = &c->compare.figures[f];

		for (size_t p = 0; p < PARTS; p++) {
			size_t at = PARTS * f + p;
			struct table_column *col = &c->columns[FIRST + at];

			snprintf(c->names[at], sizeof(c->names[at]), "%s_%s", figure->key, keys[p]);
			snprintf(c->heads[at], sizeof(c->heads[at]), "%s%s", figure->title,
				 p == CHANGE && !figure->ns && !figure->counts ? " points"
									       : heads[p]);
			*col = (struct table_column){ .key = c->names[at],
						      .title = c->heads[at],
						      .kind = figure->ns ? TABLE_MS : TABLE_PERCENT,
						      .flags = figure->wide ? TABLE_WIDE : 0 };
			/* a signed duration has no kind of its own: programs subtract in ns */
			if (figure->ns && p == CHANGE) {
				col->kind = TABLE_INTEGER;
				col->flags = TABLE_MACHINE;
			}
		}
	}
	c->columns[FIRST + PARTS * c->compare.n_figures] =
		(struct table_column){ .kind = TABLE_END };
}

static void cell(struct table *t, size_t column, double v)
{
	if (!isfinite(v))
		return;
	switch (t->columns[column].kind) {
	case TABLE_MS:
		table_u64(t, column, (uint64_t)v);
		break;
	case TABLE_INTEGER:
		table_i64(t, column, (int64_t)v);
		break;
	default:
		table_percent(t, column, v);
	}
}

/* Which side is too little known, or both. */
static void fill_why_not(struct table *t, const struct compare_row *row)
{
	bool base = row->unknown[0] > COMPARE_UNKNOWN_MAX;
	bool now = row->unknown[1] > COMPARE_UNKNOWN_MAX;
	char text[64] = "its VM has no name";

	if (base && now)
		snprintf(text, sizeof(text), "%.0f %% and %.0f %% are unknown", row->unknown[0],
			 row->unknown[1]);
	else if (base || now)
		snprintf(text, sizeof(text), "%.0f %% of what %s is unknown", row->unknown[now],
			 now ? "is" : "was");
	table_text(t, WHY_NOT, text);
}

static void fill_row(struct changes *c, const struct compare_row *row)
{
	size_t nf = c->compare.n_figures;

	table_row(c->table);
	table_text(c->table, NAME, row->name);
	table_text(c->table, REASON, row->reason);
	if (row->cpu != CDICT_CPU_UNKNOWN)
		table_i64(c->table, CPU, row->cpu);
	if (!compare_row_stands(row, 1))
		fill_why_not(c->table, row);
	for (size_t f = 0; f < nf; f++) {
		double base = row->values[f], now = row->values[nf + f];

		cell(c->table, FIRST + PARTS * f + BASE, base);
		cell(c->table, FIRST + PARTS * f + NEW, now);
		if (compare_row_stands(row, 1))
			cell(c->table, FIRST + PARTS * f + CHANGE, now - base);
	}
}

int changes_init(struct changes *c, enum compare_what what,
		 const struct tables_walk *const walks[2])
{
	int rc = compare_init(&c->compare, what, walks, 2);

	if (rc)
		return rc;
	make_columns(c);
	c->table = table_new(c->compare.decl->name, c->columns);
	for (size_t i = 0; c->table && i < c->compare.rows.n; i++)
		fill_row(c, &c->compare.rows.at[i]);
	c->table = table_done(c->table);
	return c->table ? 0 : -ENOMEM;
}

void changes_fini(struct changes *c)
{
	table_free(c->table);
	compare_fini(&c->compare);
}

/* ---- regressions ---- */

enum { R_WHAT, R_NAME, R_REASON, R_FIGURE, R_BASE, R_NEW, R_LIMIT };

static const struct table_column regression_columns[] = {
	[R_WHAT] = { .key = "what", .title = "worse" },
	[R_NAME] = { .key = "name", .title = "task" },
	[R_REASON] = { .key = "reason", .title = "reason" },
	[R_FIGURE] = { .key = "figure", .title = "figure" },
	[R_BASE] = { .key = "base", .title = "was", .kind = TABLE_PERCENT },
	[R_NEW] = { .key = "new", .title = "is", .kind = TABLE_PERCENT },
	[R_LIMIT] = { .key = "limit", .title = "at most", .kind = TABLE_PERCENT },
	TABLE_COLUMNS_END,
};

static void regression(struct table *t, const struct compare *c, const struct compare_row *row,
		       size_t figure, double limit)
{
	table_row(t);
	table_text(t, R_WHAT, c->decl->name);
	table_text(t, R_NAME, row->name);
	table_text(t, R_REASON, row->reason);
	table_text(t, R_FIGURE, c->figures[figure].key);
	table_percent(t, R_BASE, row->values[figure]);
	table_percent(t, R_NEW, row->values[c->n_figures + figure]);
	table_percent(t, R_LIMIT, limit);
}

static size_t figure_of(const struct compare *c, const char *name)
{
	size_t f = 0;

	while (strcmp(c->figures[f].key, name))
		f++;
	return f;
}

/* Rows of both captures whose @figure grew beyond base * @factor + @points; those of which
 * @often, a rate, says that there were fewer than @least are left alone. */
static void find(struct table *t, const struct compare *c, const char *figure, double factor,
		 double points, const char *often, double least, const double *window_s,
		 struct changes_judged *judged)
{
	size_t nf = c->n_figures, f = figure_of(c, figure), o = often ? figure_of(c, often) : 0;

	for (size_t i = 0; i < c->rows.n; i++) {
		const struct compare_row *row = &c->rows.at[i];
		double base = row->values[f], now = row->values[nf + f];
		double limit = base * factor + points;

		if (!compare_row_stands(row, 1) || !isfinite(base) || !isfinite(now))
			continue;
		if (often && (row->values[o] * window_s[0] < least ||
			      row->values[nf + o] * window_s[1] < least)) {
			judged->few++;
			continue;
		}
		judged->rows++;
		if (!(now > limit))
			continue;
		regression(t, c, row, f, limit);
	}
}

struct table *changes_regressions(const struct changes all[COMPARE_N],
				  const struct changes_limits *limits,
				  const struct tables_walk *const walks[2],
				  struct changes_judged judged[3])
{
	struct table *t = table_new("regressions", regression_columns);
	double window_s[2];

	if (!t)
		return NULL;
	t->heading = "Worse than allowed";
	for (size_t k = 0; k < 2; k++)
		window_s[k] = (double)analyze_engine_summary(walks[k]->eng)->window_ns / 1e9;
	if (isfinite(limits->delay))
		find(t, &all[COMPARE_VCPU].compare, "delayed_percent", 1, limits->delay, NULL, 0,
		     window_s, &judged[0]);
	if (isfinite(limits->latency))
		find(t, &all[COMPARE_TASKS].compare, "latency_p99_ns", 1 + limits->latency / 100, 0,
		     "wakeups_per_s", LEAST_WAITS, window_s, &judged[1]);
	if (isfinite(limits->exits))
		find(t, &all[COMPARE_EXITS].compare, "count_per_s", 1 + limits->exits / 100, 0,
		     "count_per_s", LEAST_EXITS, window_s, &judged[2]);
	return table_done(t);
}
