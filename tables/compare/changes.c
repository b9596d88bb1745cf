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

/* Where missing values count as 0: shares and rates of a run without the row, if the run has other
 * rows of the table and the task exists on that side. */
struct presence {
	struct changes *c;
	bool *any;   /* [run]: has any row of the table */
	bool *known; /* [side]: has the task */
};

/* Orders rows by the names' addresses: equal names have equal addresses. */
static int by_name(const void *a, const void *b)
{
	const struct compare_row *x = ((const struct changes_row *)a)->row;
	const struct compare_row *y = ((const struct changes_row *)b)->row;

	return ((uintptr_t)x->name > (uintptr_t)y->name) -
	       ((uintptr_t)x->name < (uintptr_t)y->name);
}

static bool usable(const struct compare_row *row, size_t run)
{
	return row->unknown[run] <= COMPARE_UNKNOWN_MAX;
}

/* Collects the runs' values of a figure on a side in @out. */
static size_t samples(const struct presence *p, const struct changes_row *of, size_t f,
		      unsigned side, double *out)
{
	const struct compare *c = &p->c->compare;
	const struct compare_row *row = of->row;
	const struct compare_figure *figure = &c->figures[f];
	const unsigned flags = c->decl->columns[figure->column].flags;
	size_t n = 0;

	if (c->waits_differ && (flags & TABLE_AND_WAKEUPS))
		return 0;
	for (size_t k = changes_first(p->c, side); k < changes_end(p->c, side); k++) {
		double v = row->values[k * c->n_figures + f];

		if (!row->set[k] && !row->nameless && !figure->ns && p->known[side] && p->any[k] &&
		    !(tables_lacks(p->c->walks[k]) & flags))
			v = 0;
		/* rows that are not compared are still shown */
		if (isfinite(v) && (!of->stands || usable(row, k)))
			out[n++] = v;
	}
	return n;
}

static int fill_value(const struct presence *p, const struct changes_row *row, size_t f,
		      double *room)
{
	struct changes_value *v = &row->values[f];
	double *of[CHANGES_SIDES] = { room, room + p->c->n_base };

	v->p = NAN;
	for (unsigned side = 0; side < CHANGES_SIDES; side++) {
		v->n[side] = samples(p, row, f, side, of[side]);
		statistics_sort(of[side], v->n[side]);
		v->side[side] = statistics_quartiles(of[side], v->n[side]);
	}
	v->change = v->side[CHANGES_NEW].median - v->side[CHANGES_BASE].median;
	v->percent = v->side[CHANGES_BASE].median > 0
			     ? 100 * v->change / v->side[CHANGES_BASE].median
			     : NAN;
	if (!changes_several(p->c))
		return 0;
	return statistics_mann_whitney(&v->p, of[CHANGES_BASE], v->n[CHANGES_BASE], of[CHANGES_NEW],
				       v->n[CHANGES_NEW]);
}

/* Whether each side that has the row has a run with enough known time in it. */
static bool stands(const struct changes *c, const struct compare_row *row)
{
	for (unsigned side = 0; side < CHANGES_SIDES; side++) {
		bool set = false, known = false, hidden = false;

		for (size_t k = changes_first(c, side); k < changes_end(c, side); k++) {
			hidden |= compare_row_hidden(&c->compare, row, k);
			set |= row->set[k];
			known |= row->set[k] && usable(row, k);
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

/* Fills the rows from @from to @to, which belong to one task. */
static int fill_rows(struct presence *p, size_t from, size_t to, double *room)
{
	struct changes *c = p->c;
	size_t nf = c->compare.n_figures;
	int rc = 0;

	for (unsigned side = 0; side < CHANGES_SIDES; side++) {
		p->known[side] = false;
		for (size_t i = from; i < to; i++) {
			for (size_t k = changes_first(c, side); k < changes_end(c, side); k++)
				p->known[side] |= c->rows.at[i].row->set[k];
		}
	}
	for (size_t i = from; i < to && !rc; i++) {
		struct changes_row *row = &c->rows.at[i];

		row->stands = stands(c, row->row);
		row->values = calloc(nf, sizeof(*row->values));
		rc = row->values ? 0 : -ENOMEM;
		for (size_t f = 0; f < nf && !rc; f++)
			rc = fill_value(p, row, f, room);
		if (!rc && row->stands)
			row->order = fabs(or_zero(row->values[0].side[CHANGES_NEW].median) -
					  or_zero(row->values[0].side[CHANGES_BASE].median));
	}
	return rc;
}

static int most_changed(const void *a, const void *b)
{
	const struct changes_row *x = a, *y = b;

	if (x->order != y->order)
		return x->order > y->order ? -1 : 1;
	return (x->row->items > y->row->items) - (x->row->items < y->row->items);
}

static int make_rows(struct changes *c)
{
	struct presence p = { .c = c };
	bool known[CHANGES_SIDES] = { false };
	double *room = calloc(c->n_runs, sizeof(*room));
	int rc = array_resize(&c->rows, c->compare.rows.n);

	p.any = calloc(c->n_runs, sizeof(*p.any));
	p.known = known;
	if (!room || !p.any)
		rc = -ENOMEM;
	for (size_t i = 0; i < c->compare.rows.n && !rc; i++) {
		c->rows.at[i].row = &c->compare.rows.at[i];
		for (size_t k = 0; k < c->n_runs; k++)
			p.any[k] |= c->compare.rows.at[i].set[k];
	}
	if (!rc && c->rows.n)
		qsort(c->rows.at, c->rows.n, sizeof(*c->rows.at), by_name);
	for (size_t i = 0, end; i < c->rows.n && !rc; i = end) {
		for (end = i;
		     end < c->rows.n && c->rows.at[end].row->name == c->rows.at[i].row->name;)
			end++;
		rc = fill_rows(&p, i, end, room);
	}
	if (!rc && c->rows.n)
		qsort(c->rows.at, c->rows.n, sizeof(*c->rows.at), most_changed);
	free(room);
	free(p.any);
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
		if (row->set[k])
			least = fmin(least, row->unknown[k]);
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

static void fill_row(struct changes *c, const struct changes_row *row)
{
	const struct compare_row *of = row->row;
	char why[CHANGES_TEXT];

	table_row(c->table);
	table_text(c->table, NAME, of->name);
	table_text(c->table, REASON, of->reason);
	if (of->cpu != CDICT_CPU_UNKNOWN)
		table_i64(c->table, CPU, of->cpu);
	if (!row->stands)
		table_text(c->table, WHY_NOT, changes_why_not(why, c, row));
	for (size_t f = 0; f < c->compare.n_figures; f++) {
		const struct changes_value *v = &row->values[f];

		cell(c->table, FIRST + PARTS * f + BASE, v->side[CHANGES_BASE].median);
		cell(c->table, FIRST + PARTS * f + NEW, v->side[CHANGES_NEW].median);
		if (row->stands)
			cell(c->table, FIRST + PARTS * f + CHANGE, v->change);
	}
}

int changes_init(struct changes *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n_base, size_t n_runs)
{
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
	for (size_t i = 0; c->table && i < c->rows.n; i++)
		fill_row(c, &c->rows.at[i]);
	c->table = table_done(c->table);
	return c->table ? 0 : -ENOMEM;
}

void changes_fini(struct changes *c)
{
	for (size_t i = 0; i < c->rows.n; i++)
		free(c->rows.at[i].values);
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
		double rate = row->row->values[k * of->n_figures + often];

		if (isfinite(rate))
			sum += rate * (double)window_ns / 1e9;
	}
	return sum;
}
