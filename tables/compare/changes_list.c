/* SPDX-License-Identifier: LGPL-2.1-only */
/* Changes between two sides, a row per figure: with units for people, with all values for
 * programs. */
#include <math.h>
#include <stdio.h>
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

static void for_programs(struct table *t, const struct changes *c, const struct changes_row *row,
			 size_t f, const struct changes_how *how)
{
	const struct changes_value v = changes_value(c, row, f);
	const struct compare_figure *figure = &c->compare.figures[f];
	static const size_t at[CHANGES_SIDES][4] = { { L_BASE, L_BASE_Q1, L_BASE_Q3, L_BASE_N },
						     { L_NEW, L_NEW_Q1, L_NEW_Q3, L_NEW_N } };

	table_text(t, L_TABLE, c->compare.decl->name);
	table_text(t, L_KEY, figure->key);
	table_text(t, L_UNIT, figure->ns ? "ns" : figure->counts ? "per_s" : "percent");
	for (unsigned side = 0; side < CHANGES_SIDES; side++) {
		table_percent(t, at[side][0], v.side[side].median);
		table_percent(t, at[side][1], v.side[side].q1);
		table_percent(t, at[side][2], v.side[side].q3);
		table_i64(t, at[side][3], (int64_t)v.n[side]);
	}
	if (!row->stands)
		return;
	table_percent(t, L_CHANGE, v.change);
	table_percent(t, L_PERCENT, v.percent);
	table_percent(t, L_P, v.p);
	if (isfinite(v.p))
		table_i64(t, L_SIGNIFICANT, v.p < how->alpha);
}

static void list_row(struct table *t, const struct changes *c, const struct changes_row *row,
		     size_t f, const struct changes_how *how)
{
	const struct changes_value v = changes_value(c, row, f);
	char room[CHANGES_TEXT];

	if (how->people && ((c->compare.figures[f].wide && !how->wide) ||
			    (!v.n[CHANGES_BASE] && !v.n[CHANGES_NEW])))
		return;
	table_row(t);
	table_text(t, L_NAME, row->row->name);
	table_text(t, L_REASON, row->row->reason);
	if (row->row->cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, L_CPU, row->row->cpu);
	table_text(t, L_FIGURE, changes_name(room, &c->compare, f));
	if (!row->stands)
		table_text(t, L_WHY_NOT, changes_why_not(room, c, row));
	if (how->people)
		for_people(t, c, row, f, how);
	else
		for_programs(t, c, row, f, how);
}

struct table *changes_list(const struct changes *const *all, size_t n,
			   const struct changes_how *how)
{
	struct table *t = table_new("changes", list_columns);

	for (size_t k = 0; t && k < n; k++) {
		size_t rows = all[k]->rows.n;

		if (how->people && how->top && rows > how->top)
			rows = how->top;
		for (size_t i = 0; i < rows; i++) {
			for (size_t f = 0; f < all[k]->compare.n_figures; f++)
				list_row(t, all[k], &all[k]->rows.at[i], f, how);
		}
	}
	return t ? table_done(t) : NULL;
}
