/* SPDX-License-Identifier: LGPL-2.1-only */
/* Changes between two sides, a row per figure: with units for people, with all values for
 * programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/columns/number.h"
#include "tables/compare/changes.h"

/* ---- words ---- */

char *changes_alias(char room[CHANGES_NAME], const struct compare *c, size_t figure, unsigned i)
{
	const struct compare_figure *f = &c->figures[figure];
	const char *const names[CHANGES_ALIASES] = { f->name, c->decl->columns[f->column].key,
						     f->key };
	const bool of_tasks = c->decl == &tables_decl_tasks;

	snprintf(room, CHANGES_NAME, "%.20s%s%.40s", of_tasks ? "" : c->decl->name,
		 of_tasks ? "" : ".", names[i]);
	return room;
}

char *changes_name(char room[CHANGES_NAME], const struct compare *c, size_t figure)
{
	return changes_alias(room, c, figure, 0);
}

char *changes_text(char room[CHANGES_TEXT], const struct compare_figure *figure, double v,
		   bool difference)
{
	const char *sign = !difference ? "" : v < 0 ? "-" : "+";
	double size = difference ? fabs(v) : v;
	char number[NUMBER_ROOM];

	if (!isfinite(v)) {
		*room = '\0';
		return room;
	}
	if (figure->ns)
		number_duration(number, (uint64_t)(size + 0.5));
	else if (figure->counts && size >= 99.995)
		number_grouped(number, (uint64_t)(size + 0.5));
	else
		snprintf(number, sizeof(number), "%.2f", size);
	snprintf(room, CHANGES_TEXT, "%s%s%s", sign, number,
		 figure->ns       ? ""
		 : figure->counts ? " /s"
		 : difference     ? " points"
				  : " %");
	return room;
}

/* ---- rows ---- */

enum {
	L_TABLE,
	L_NAME,
	L_REASON,
	L_CPU,
	L_KEY,
	L_UNIT,
	L_FIGURE,
	L_BASE,
	L_BASE_Q1,
	L_BASE_Q3,
	L_BASE_N,
	L_NEW,
	L_NEW_Q1,
	L_NEW_Q3,
	L_NEW_N,
	L_CHANGE,
	L_PERCENT,
	L_P,
	L_SIGNIFICANT,
	L_WAS,
	L_WAS_SPREAD,
	L_IS,
	L_IS_SPREAD,
	L_BY,
	L_RELATIVE,
	L_CHANCE,
	L_RUNS,
	L_WHY_NOT,
};

static const struct table_column list_columns[] = {
	[L_TABLE] = CHANGES_PROGRAMS("table", TABLE_TEXT),
	[L_NAME] = CHANGES_BOTH("name", "task", TABLE_TEXT),
	[L_REASON] = CHANGES_BOTH("reason", "reason", TABLE_TEXT),
	[L_CPU] = CHANGES_BOTH("cpu", "cpu", TABLE_INTEGER),
	[L_KEY] = CHANGES_PROGRAMS("figure", TABLE_TEXT),
	[L_UNIT] = CHANGES_PROGRAMS("unit", TABLE_TEXT),
	[L_FIGURE] = CHANGES_BOTH("rule_figure", "figure", TABLE_TEXT),
	[L_BASE] = CHANGES_PROGRAMS("base", TABLE_PERCENT),
	[L_BASE_Q1] = CHANGES_PROGRAMS("base_q1", TABLE_PERCENT),
	[L_BASE_Q3] = CHANGES_PROGRAMS("base_q3", TABLE_PERCENT),
	[L_BASE_N] = CHANGES_PROGRAMS("base_runs", TABLE_INTEGER),
	[L_NEW] = CHANGES_PROGRAMS("new", TABLE_PERCENT),
	[L_NEW_Q1] = CHANGES_PROGRAMS("new_q1", TABLE_PERCENT),
	[L_NEW_Q3] = CHANGES_PROGRAMS("new_q3", TABLE_PERCENT),
	[L_NEW_N] = CHANGES_PROGRAMS("new_runs", TABLE_INTEGER),
	[L_CHANGE] = CHANGES_PROGRAMS("change", TABLE_PERCENT),
	[L_PERCENT] = CHANGES_PROGRAMS("change_percent", TABLE_PERCENT),
	[L_P] = CHANGES_PROGRAMS("p", TABLE_PERCENT),
	[L_SIGNIFICANT] = CHANGES_PROGRAMS("significant", TABLE_BOOL),
	[L_WAS] = CHANGES_PEOPLE("was", "was", 0),
	[L_WAS_SPREAD] = CHANGES_PEOPLE("was_quartiles", "quartiles", TABLE_SPARE),
	[L_IS] = CHANGES_PEOPLE("is", "is", 0),
	[L_IS_SPREAD] = CHANGES_PEOPLE("is_quartiles", "quartiles", TABLE_SPARE),
	[L_BY] = CHANGES_PEOPLE("by", "by", 0),
	[L_RELATIVE] = CHANGES_PEOPLE("relative", "%", 0),
	[L_CHANCE] = CHANGES_PEOPLE("chance", "p", 0),
	[L_RUNS] = CHANGES_PEOPLE("runs", "n", 0),
	[L_WHY_NOT] = CHANGES_BOTH("not_compared", "not compared", TABLE_TEXT),
	TABLE_COLUMNS_END,
};

static void spread(struct table *t, size_t column, const struct compare_figure *figure,
		   const struct statistics_quartiles *q)
{
	char low[CHANGES_TEXT], high[CHANGES_TEXT], both[2 * CHANGES_TEXT + 4];

	snprintf(both, sizeof(both), "%s to %s", changes_text(low, figure, q->q1, false),
		 changes_text(high, figure, q->q3, false));
	table_text(t, column, both);
}

static void for_people(struct table *t, const struct changes *c, const struct changes_row *row,
		       size_t f, const struct changes_how *how)
{
	const struct changes_value v = changes_value(c, row, f);
	const struct compare_figure *figure = &c->compare.figures[f];
	const struct statistics_quartiles *was = &v.side[CHANGES_BASE];
	const struct statistics_quartiles *is = &v.side[CHANGES_NEW];
	char text[CHANGES_TEXT];

	if (v.n[CHANGES_BASE])
		table_text(t, L_WAS, changes_text(text, figure, was->median, false));
	if (v.n[CHANGES_NEW])
		table_text(t, L_IS, changes_text(text, figure, is->median, false));
	if (changes_several(c)) {
		if (v.n[CHANGES_BASE] > 1)
			spread(t, L_WAS_SPREAD, figure, was);
		if (v.n[CHANGES_NEW] > 1)
			spread(t, L_IS_SPREAD, figure, is);
		snprintf(text, sizeof(text), "%zu+%zu", v.n[CHANGES_BASE], v.n[CHANGES_NEW]);
		table_text(t, L_RUNS, text);
	}
	if (!row->stands || !isfinite(v.change))
		return;
	table_text(t, L_BY, changes_text(text, figure, v.change, true));
	if (isfinite(v.p)) {
		snprintf(text, sizeof(text), "%.3f", v.p);
		table_text(t, L_CHANCE, v.p < 0.0005 ? "<0.001" : text);
	}
	/* an insignificant change is shown as "~", like benchstat */
	if (isfinite(v.p) && !(v.p < how->alpha)) {
		table_text(t, L_RELATIVE, "~");
	} else if (isfinite(v.percent)) {
		snprintf(text, sizeof(text), "%+.1f %%", v.percent);
		table_text(t, L_RELATIVE, text);
	}
}

/* Fills a column that has the same text in people's and programs' rows. */
static void of_both(struct table *t, size_t column, const struct changes *c,
		    const struct changes_row *row, size_t f)
{
	char room[CHANGES_TEXT];

	switch (column) {
	case L_NAME:
		table_text(t, column, row->row->name);
		break;
	case L_REASON:
		table_text(t, column, row->row->reason);
		break;
	case L_CPU:
		if (row->row->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, column, row->row->cpu);
		break;
	case L_FIGURE:
		table_text(t, column, changes_name(room, &c->compare, f));
		break;
	case L_WHY_NOT:
		if (!row->stands)
			table_text(t, column, changes_why_not(room, c, row));
	}
}

/* ---- for programs: rows are filled on access, as there may be millions ---- */

struct list_source {
	const struct changes *all[COMPARE_N];
	size_t n;
	double alpha;
	/* The row accessed last. */
	uint32_t id; /* + 1 */
	const struct changes *c;
	const struct changes_row *row;
	size_t f;
	struct changes_value v;
};

static void find_row(struct list_source *s, uint32_t id)
{
	size_t k = 0, at = id;

	if (s->id == id + 1)
		return;
	while (at >= s->all[k]->rows.n * s->all[k]->compare.n_figures) {
		at -= s->all[k]->rows.n * s->all[k]->compare.n_figures;
		k++;
	}
	s->id = id + 1;
	s->c = s->all[k];
	s->row = &s->c->rows.at[at / s->c->compare.n_figures];
	s->f = at % s->c->compare.n_figures;
	s->v = changes_value(s->c, s->row, s->f);
}

/* The number in a column of the values of one side, or of the difference. */
static double number_of(const struct list_source *s, size_t column)
{
	const struct statistics_quartiles *was = &s->v.side[CHANGES_BASE];
	const struct statistics_quartiles *is = &s->v.side[CHANGES_NEW];

	switch (column) {
	case L_BASE:
		return was->median;
	case L_BASE_Q1:
		return was->q1;
	case L_BASE_Q3:
		return was->q3;
	case L_NEW:
		return is->median;
	case L_NEW_Q1:
		return is->q1;
	case L_NEW_Q3:
		return is->q3;
	case L_CHANGE:
		return s->row->stands ? s->v.change : NAN;
	case L_PERCENT:
		return s->row->stands ? s->v.percent : NAN;
	case L_P:
		return s->row->stands ? s->v.p : NAN;
	}
	return NAN;
}

static void for_programs(void *ctx, struct table *t, size_t column, uint32_t id)
{
	struct list_source *s = ctx;
	const struct compare_figure *figure;

	find_row(s, id);
	figure = &s->c->compare.figures[s->f];
	switch (column) {
	case L_TABLE:
		table_text(t, column, s->c->compare.decl->name);
		break;
	case L_KEY:
		table_text(t, column, figure->key);
		break;
	case L_UNIT:
		table_text(t, column, figure->ns ? "ns" : figure->counts ? "per_s" : "percent");
		break;
	case L_BASE_N:
		table_i64(t, column, (int64_t)s->v.n[CHANGES_BASE]);
		break;
	case L_NEW_N:
		table_i64(t, column, (int64_t)s->v.n[CHANGES_NEW]);
		break;
	case L_SIGNIFICANT:
		if (s->row->stands && isfinite(s->v.p))
			table_i64(t, column, s->v.p < s->alpha);
		break;
	default:
		of_both(t, column, s->c, s->row, s->f);
		if (t->columns[column].kind == TABLE_PERCENT)
			table_percent(t, column, number_of(s, column));
	}
}

static bool never_lossy(void *ctx, uint32_t id)
{
	(void)ctx;
	(void)id;
	return false;
}

static void list_for_programs(struct table *t, const struct changes *const *all, size_t n,
			      const struct changes_how *how)
{
	struct list_source *s = calloc(1, sizeof(*s));
	uint32_t rows = 0;

	if (!s) {
		t->failed = true;
		return;
	}
	s->n = n;
	s->alpha = how->alpha;
	table_later(t,
		    &(struct table_later){
			    .ctx = s, .fill = for_programs, .lossy = never_lossy, .free = free });
	for (size_t k = 0; k < n; k++) {
		s->all[k] = all[k];
		for (size_t i = 0; i < all[k]->rows.n * all[k]->compare.n_figures && !t->failed;
		     i++)
			table_row_later(t, rows++);
	}
}

/* ---- for people ---- */

static void list_row(struct table *t, const struct changes *c, const struct changes_row *row,
		     size_t f, const struct changes_how *how)
{
	static const size_t both[] = { L_NAME, L_REASON, L_CPU, L_FIGURE, L_WHY_NOT };
	const struct changes_value v = changes_value(c, row, f);

	if ((c->compare.figures[f].wide && !how->wide) || (!v.n[CHANGES_BASE] && !v.n[CHANGES_NEW]))
		return;
	table_row(t);
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		of_both(t, both[i], c, row, f);
	for_people(t, c, row, f, how);
}

struct table *changes_list(const struct changes *const *all, size_t n,
			   const struct changes_how *how)
{
	struct table *t = table_new("changes", list_columns);

	if (t && !how->people)
		list_for_programs(t, all, n, how);
	for (size_t k = 0; t && how->people && k < n; k++) {
		size_t rows = all[k]->rows.n;

		if (how->top && rows > how->top)
			rows = how->top;
		for (size_t i = 0; i < rows; i++) {
			for (size_t f = 0; f < all[k]->compare.n_figures; f++)
				list_row(t, all[k], &all[k]->rows.at[i], f, how);
		}
	}
	return t ? table_done(t) : NULL;
}
