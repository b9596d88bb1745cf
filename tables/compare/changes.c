/* SPDX-License-Identifier: LGPL-2.1-only */
/* Changes between two sides: values, and the tables with three columns per figure. */
#include "tables/compare/changes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

size_t changes_first(const struct changes *c, unsigned side)
{
	return side == CHANGES_BASE ? 0 : c->n_base;
}

size_t changes_end(const struct changes *c, unsigned side)
{
	return side == CHANGES_BASE ? c->n_base : c->n_runs;
}

bool changes_several(const struct changes *c)
{
	return c->n_runs > 2;
}

/* ---- values ---- */

/* Orders rows by the names' addresses: equal names have equal addresses. */
static int by_name(const void *a, const void *b)
{
	const struct compare_row *x = ((const struct changes_row *)a)->row;
	const struct compare_row *y = ((const struct changes_row *)b)->row;

	return ((uintptr_t)x->name > (uintptr_t)y->name) -
	       ((uintptr_t)x->name < (uintptr_t)y->name);
}

static bool usable(const struct compare *c, const struct compare_row *row, size_t run)
{
	return compare_row_unknown(c, row, run) <= COMPARE_UNKNOWN_MAX;
}

/* Collects the runs' values of a figure on a side in @out. Missing ones count as 0: shares and rates of a run without
 * the row, if the run has other rows of the table and the task exists on that side. */
static size_t samples(const struct changes *of, const struct changes_row *changed, size_t f,
		      unsigned side, double *out)
{
	const struct compare *c = &of->compare;
	const struct compare_row *row = changed->row;
	const struct compare_figure *figure = &c->figures[f];
	const unsigned flags = c->decl->columns[figure->column].flags;
	size_t n = 0;

	if (c->waits_differ && (flags & TABLE_AND_WAKEUPS))
		return 0;
	for (size_t k = changes_first(of, side); k < changes_end(of, side); k++) {
		double v = compare_row_value(c, row, k, f);

		if (!compare_row_has(row, k) && !row->nameless && !figure->ns &&
		    changed->known[side] && of->any[k] && !(tables_lacks(of->walks[k]) & flags))
			v = 0;
		/* rows that are not compared are still shown */
		if (isfinite(v) && (!changed->stands || usable(c, row, k)))
			out[n++] = v;
	}
	return n;
}

struct changes_value changes_value(const struct changes *c, const struct changes_row *row,
				   size_t figure)
{
	double *of[CHANGES_SIDES] = { c->room, c->room + c->n_base };
	struct changes_value v = { .p = row->p ? row->p[figure] : NAN };

	for (unsigned side = 0; side < CHANGES_SIDES; side++) {
		v.n[side] = samples(c, row, figure, side, of[side]);
		statistics_sort(of[side], v.n[side]);
		v.side[side] = statistics_quartiles(of[side], v.n[side]);
	}
	v.change = v.side[CHANGES_NEW].median - v.side[CHANGES_BASE].median;
	v.percent = v.side[CHANGES_BASE].median > 0 ? 100 * v.change / v.side[CHANGES_BASE].median
						    : NAN;
	return v;
}

/* Whether each side that has the row has a run with enough known time in it. */
static bool stands(const struct changes *c, const struct compare_row *row)
{
	for (unsigned side = 0; side < CHANGES_SIDES; side++) {
		bool set = false, known = false, hidden = false;

		for (size_t k = changes_first(c, side); k < changes_end(c, side); k++) {
			hidden |= compare_row_hidden(&c->compare, row, k);
			set |= compare_row_has(row, k);
			known |= compare_row_has(row, k) && usable(&c->compare, row, k);
		}
		if (set ? !known : hidden)
			return false;
	}
	return !row->nameless;
}

static double or_zero(double v)
{
	return isfinite(v) ? v : 0;
}

/* Computes the p-values of the row, which is complete otherwise. */
static int test_row(const struct changes *c, const struct changes_row *row, double *p)
{
	int rc = 0;

	for (size_t f = 0; f < c->compare.n_figures && !rc; f++) {
		size_t n_base = samples(c, row, f, CHANGES_BASE, c->room);
		size_t n_new = samples(c, row, f, CHANGES_NEW, c->room + c->n_base);

		rc = statistics_mann_whitney(&p[f], c->room, n_base, c->room + c->n_base, n_new);
	}
	return rc;
}

/* Fills the rows from @from to @to, which belong to one task. */
static int fill_rows(struct changes *c, size_t from, size_t to)
{
	size_t nf = c->compare.n_figures;
	bool known[CHANGES_SIDES] = { false };
	int rc = 0;

	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < c->n_runs; k++)
			known[k >= c->n_base] |= compare_row_has(c->rows.at[i].row, k);
	for (size_t i = from; i < to && !rc; i++) {
		struct changes_row *row = &c->rows.at[i];
		struct changes_value first;

		memcpy(row->known, known, sizeof(known));
		row->stands = stands(c, row->row);
		if (c->p) {
			rc = test_row(c, row, c->p + i * nf);
			row->p = c->p + i * nf;
		}
		first = changes_value(c, row, 0);
		if (row->stands)
			row->order = fabs(or_zero(first.side[CHANGES_NEW].median) -
					  or_zero(first.side[CHANGES_BASE].median));
	}
	return rc;
}

static int most_changed(const void *a, const void *b)
{
	const struct changes_row *x = a, *y = b;

	if (x->order != y->order)
		return x->order > y->order ? -1 : 1;
	return (x->row->tasks > y->row->tasks) - (x->row->tasks < y->row->tasks);
}

static int make_rows(struct changes *c)
{
	size_t n = c->compare.rows.n;
	int rc = array_resize(&c->rows, n);

	c->room = calloc(c->n_runs, sizeof(*c->room));
	c->any = calloc(c->n_runs, sizeof(*c->any));
	if (changes_several(c))
		c->p = calloc(n + 1, c->compare.n_figures * sizeof(*c->p));
	if (!c->room || !c->any || (changes_several(c) && !c->p))
		rc = -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		c->rows.at[i] = (struct changes_row){ .row = &c->compare.rows.at[i] };
		for (size_t k = 0; k < c->n_runs; k++)
			c->any[k] |= compare_row_has(&c->compare.rows.at[i], k);
	}
	if (!rc && n)
		qsort(c->rows.at, n, sizeof(*c->rows.at), by_name);
	for (size_t i = 0, end; i < n && !rc; i = end) {
		for (end = i; end < n && c->rows.at[end].row->name == c->rows.at[i].row->name;)
			end++;
		rc = fill_rows(c, i, end);
	}
	if (!rc && n)
		qsort(c->rows.at, n, sizeof(*c->rows.at), most_changed);
	return rc;
}

/* ---- the tables ---- */

/* Three columns a figure: before, after, the difference. */
enum { BASE, NEW, CHANGE, PARTS = CHANGES_PARTS };
enum { NAME, REASON, CPU, WHY_NOT, FIRST = CHANGES_FIRST };

static void make_columns(struct changes *c)
{
	static const char *const keys[PARTS] = { "base", "new", "change" };
	static const char *const heads[PARTS] = { " was", " is", " by" };
	const struct tables_decl *decl = c->compare.decl;

	c->columns[NAME] =
		(struct table_column){ .key = "name", .title = decl->folded ? "group" : "task" };
	c->columns[REASON] = (struct table_column){ .key = "reason", .title = "reason" };
	c->columns[CPU] =
		(struct table_column){ .key = "cpu", .title = "cpu", .kind = TABLE_INTEGER };
	c->columns[WHY_NOT] =
		(struct table_column){ .key = "not_compared", .title = "not compared" };
	c->columns[WHY_NOT].flags = TABLE_SPARE;
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
						      .flags = figure->wide ? TABLE_WIDE
							       : f          ? 0
									    : TABLE_KEEP };
			/* there is no kind for signed durations: programs get ns */
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

double changes_unknown(const struct changes *c, const struct compare_row *row, unsigned side)
{
	double least = INFINITY;

	for (size_t k = changes_first(c, side); k < changes_end(c, side); k++) {
		if (compare_row_has(row, k))
			least = fmin(least, compare_row_unknown(&c->compare, row, k));
	}
	return isfinite(least) ? least : 0;
}

char *changes_why_not(char room[CHANGES_TEXT], const struct changes *c,
		      const struct changes_row *row)
{
	double base = changes_unknown(c, row->row, CHANGES_BASE);
	double now = changes_unknown(c, row->row, CHANGES_NEW);
	bool too_little = now > COMPARE_UNKNOWN_MAX;

	if (row->row->nameless || row->stands)
		return strcpy(room, row->stands ? "" : "its VM has no name");
	if (!(base > COMPARE_UNKNOWN_MAX) && !too_little)
		return strcpy(room, "VMs on the other side have no names");
	if (too_little && base > COMPARE_UNKNOWN_MAX)
		snprintf(room, CHANGES_TEXT, "%.0f %% and %.0f %% are unknown", base, now);
	else
		snprintf(room, CHANGES_TEXT, "%.0f %% of the %s side is unknown",
			 too_little ? now : base, too_little ? "new" : "base");
	return room;
}

/* Fills a cell of the table: see struct table_later. */
static void fill_cell(void *ctx, struct table *t, size_t column, uint32_t id)
{
	const struct changes *c = ctx;
	const struct changes_row *row = &c->rows.at[id];
	const struct compare_row *of = row->row;
	struct changes_value v;
	char why[CHANGES_TEXT];
	size_t part;

	switch (column) {
	case NAME:
		table_text(t, NAME, of->name);
		return;
	case REASON:
		table_text(t, REASON, of->reason);
		return;
	case CPU:
		if (of->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, CPU, of->cpu);
		return;
	case WHY_NOT:
		if (!row->stands)
			table_text(t, WHY_NOT, changes_why_not(why, c, row));
		return;
	}
	v = changes_value(c, row, (column - FIRST) / PARTS);
	part = (column - FIRST) % PARTS;
	if (part != CHANGE)
		cell(t, column, v.side[part == BASE ? CHANGES_BASE : CHANGES_NEW].median);
	else if (row->stands)
		cell(t, column, v.change);
}

static bool never_lossy(void *ctx, uint32_t id)
{
	(void)ctx;
	(void)id;
	return false;
}

static void keep_rows(void *ctx)
{
	(void)ctx; /* the changes own the table */
}

int changes_init(struct changes *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n_base, size_t n_runs)
{
	const struct table_later later = {
		.ctx = c, .fill = fill_cell, .lossy = never_lossy, .free = keep_rows
	};
	int rc = compare_init(&c->compare, what, walks, n_runs);

	c->walks = walks;
	c->n_base = n_base;
	c->n_runs = n_runs;
	if (!rc)
		rc = make_rows(c);
	if (rc)
		return rc;
	make_columns(c);
	c->table = table_new(c->compare.decl->name, c->columns);
	if (c->table)
		table_later(c->table, &later);
	for (size_t i = 0; c->table && i < c->rows.n; i++)
		table_row_later(c->table, (uint32_t)i);
	c->table = table_done(c->table);
	return c->table ? 0 : -ENOMEM;
}

void changes_fini(struct changes *c)
{
	free(c->p);
	free(c->room);
	free(c->any);
	array_fini(&c->rows);
	table_free(c->table);
	compare_fini(&c->compare);
}

double changes_events(const struct changes *c, const struct changes_row *row, size_t figure,
		      unsigned side)
{
	const struct compare *of = &c->compare;
	const struct compare_figure *f = &of->figures[figure];
	size_t often = figure;
	double sum = 0;

	/* Each exit has a duration; durations of tasks belong to wake-ups. One event is enough for
	 * the worst wait. */
	if (f->ns && !(of->decl->columns[f->column].flags & TABLE_GAUGE)) {
		for (often = 0; often < of->n_figures; often++) {
			if (!strcmp(of->figures[often].key, of->decl == &tables_decl_exits
								    ? "count_per_s"
								    : "wakeups_per_s"))
				break;
		}
	}
	if (often == of->n_figures || !of->figures[often].counts)
		return NAN;
	for (size_t k = changes_first(c, side); k < changes_end(c, side); k++) {
		uint64_t window_ns = analyze_engine_summary(c->walks[k]->eng)->window_ns;
		double rate = compare_row_value(of, row->row, k, often);

		/* a count: whole, but for what the division by the window cost */
		if (isfinite(rate))
			sum += round(rate * (double)window_ns / 1e9);
	}
	return sum;
}
