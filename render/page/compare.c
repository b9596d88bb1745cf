/* SPDX-License-Identifier: GPL-2.0-only */
/* The member "compare" of the page: doc/page.md, "Comparison". */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "render/engine/capture.h"
#include "tables/compare/compare.h"

/* Rows of a table, those that changed most, as many fewer as there are captures; one more for so many bytes of the files. */
enum { ROWS = 8192, BYTES_A_ROW = 64 };

static size_t rows_most(struct page_capture *const *captures, size_t n)
{
	uint64_t most = ROWS;

	for (size_t k = 0; k < n; k++)
		most += cdict_reader_size(captures[k]->walk->reader) / BYTES_A_ROW;
	return (size_t)(most / n);
}

/* Whether the page lists task @i of the row; sets its number in the page and its capture. */
static bool is_listed(struct page_capture *const *captures, const struct compare_row *row, size_t i,
		      size_t *capture, uint32_t *number)
{
	uint32_t task = row->tasks[i].task;
	const struct page_capture *c = captures[row->tasks[i].capture];

	*capture = row->tasks[i].capture;
	*number = c->kept && task < c->n_tasks ? c->kept[task] : task;
	return *number == task || *number != UINT32_MAX;
}

/* Whether the page lists a task of the row. */
static bool is_shown(struct page_capture *const *captures, const struct compare_row *row)
{
	uint32_t number;
	size_t of, i = 0;

	while (i < row->n_tasks && !is_listed(captures, row, i, &of, &number))
		i++;
	return i < row->n_tasks || !row->n_tasks;
}

/* Writes the row's key, and its tasks in each capture. */
static void key_json(struct json *j, struct page_capture *const *captures, const struct compare *c,
		     const struct compare_row *row)
{
	uint32_t number;
	size_t of;

	json_open(j, "key", '[', false);
	json_text(j, NULL, row->name);
	if (row->reason)
		json_text(j, NULL, row->reason);
	if (row->cpu != CDICT_CPU_UNKNOWN)
		json_u64(j, NULL, row->cpu);
	json_close(j);
	json_open(j, "tasks", '[', false);
	for (size_t k = 0; k < c->n_captures; k++) {
		json_open(j, NULL, '[', false);
		for (size_t i = 0; i < row->n_tasks; i++) {
			if (is_listed(captures, row, i, &of, &number) && of == k)
				json_u64(j, NULL, number);
		}
		json_close(j);
	}
	json_close(j);
}

static void row_json(struct json *j, struct page_capture *const *captures, const struct compare *c,
		     const struct compare_row *row)
{
	json_open(j, NULL, '{', false);
	key_json(j, captures, c, row);
	json_open(j, "values", '[', false);
	for (size_t k = 0; k < c->n_captures; k++) {
		if (!compare_row_has(row, k)) {
			json_null(j, NULL);
			continue;
		}
		json_open(j, NULL, '[', false);
		for (size_t i = 0; i < c->n_figures; i++)
			json_number(j, NULL, compare_row_value(c, row, k, i));
		json_close(j);
	}
	json_close(j);
	json_open(j, "differences", '[', false);
	for (size_t k = 0; k < c->n_captures; k++) {
		if (!k || !compare_row_stands(c, row, k)) {
			json_null(j, NULL);
			continue;
		}
		json_open(j, NULL, '[', false);
		for (size_t i = 0; i < c->n_figures; i++)
			json_number(j, NULL, compare_difference(c, row, k, i));
		json_close(j);
	}
	json_close(j);
	json_number(j, "change", row->change);
	json_open(j, "unknown", '[', false);
	for (size_t k = 0; k < c->n_captures; k++)
		json_number(j, NULL, compare_row_unknown(c, row, k));
	json_close(j);
	json_bool(j, "nameless", row->nameless);
	json_close(j);
}

/* ---- two sides ---- */

static void numbers_json(struct json *j, const struct changes *c, const struct changes_row *row,
			 double (*of)(const struct changes_value *v))
{
	double values[COMPARE_FIGURES_MAX];
	bool any = false;

	for (size_t i = 0; i < c->compare.n_figures; i++) {
		const struct changes_value v = changes_value(c, row, i);

		values[i] = of(&v);
		any |= isfinite(values[i]);
	}
	if (!any) {
		json_null(j, NULL);
		return;
	}
	json_open(j, NULL, '[', false);
	for (size_t i = 0; i < c->compare.n_figures; i++)
		json_number(j, NULL, values[i]);
	json_close(j);
}

static double was(const struct changes_value *v)
{
	return v->side[CHANGES_BASE].median;
}

static double is(const struct changes_value *v)
{
	return v->side[CHANGES_NEW].median;
}

/* New minus base; a side without a value counts as 0. */
static double difference(const struct changes_value *v)
{
	double a = was(v), b = is(v);

	return isfinite(a) || isfinite(b) ? (isfinite(b) ? b : 0) - (isfinite(a) ? a : 0) : NAN;
}

static double chance(const struct changes_value *v)
{
	return v->p;
}

static void sides_row_json(struct json *j, struct page_capture *const *captures,
			   const struct changes *c, const struct changes_row *row)
{
	const struct compare_row *of = row->row;
	const struct changes_value first = changes_value(c, row, 0);

	json_open(j, NULL, '{', false);
	key_json(j, captures, &c->compare, of);
	json_open(j, "values", '[', false);
	numbers_json(j, c, row, was);
	numbers_json(j, c, row, is);
	json_close(j);
	json_open(j, "differences", '[', false);
	json_null(j, NULL);
	if (row->stands)
		numbers_json(j, c, row, difference);
	else
		json_null(j, NULL);
	json_close(j);
	json_open(j, "p", '[', false);
	json_null(j, NULL);
	numbers_json(j, c, row, chance);
	json_close(j);
	json_number(j, "change", row->stands ? difference(&first) : 0);
	json_open(j, "unknown", '[', false);
	for (unsigned side = 0; side < CHANGES_SIDES; side++)
		json_number(j, NULL, changes_unknown(c, of, side));
	json_close(j);
	json_bool(j, "nameless", of->nameless);
	json_close(j);
}

/* Writes all columns, also those only for people. */
static void table_json(struct json *j, const char *key, const struct table *t)
{
	json_open(j, key, '[', true);
	for (size_t r = 0; r < t->n_rows; r++) {
		json_open(j, NULL, '{', false);
		for (size_t i = 0; i < t->n_columns; i++)
			table_cell_json(j, t->columns[i].key, &t->columns[i],
					&t->cells[r * t->n_columns + i], 0);
		json_close(j);
	}
	json_close(j);
}

static void sides_json(struct json *j, const struct page_diff *diff, size_t n)
{
	if (!diff) {
		json_null(j, "sides");
		return;
	}
	json_open(j, "sides", '[', true);
	for (unsigned side = 0; side < CHANGES_SIDES; side++) {
		json_open(j, NULL, '{', false);
		json_text(j, "label", diff->sides[side]);
		json_u64(j, "runs", side ? n - diff->n_base : diff->n_base);
		json_close(j);
	}
	json_close(j);
	json_number(j, "alpha", diff->alpha);
	table_json(j, "rules", diff->rules);
	table_json(j, "broken", diff->broken);
}

/* ---- */

static void kind_json(struct json *j, const struct compare *c)
{
	json_open(j, c->decl->name, '{', true);
	json_open(j, "key", '[', false);
	json_text(j, NULL, "name");
	if (c->decl->key_reason)
		json_text(j, NULL, "reason");
	if (c->decl->key_cpu)
		json_text(j, NULL, "cpu");
	json_close(j);
	json_open(j, "figures", '[', false);
	for (size_t i = 0; i < c->n_figures; i++)
		json_text(j, NULL, c->figures[i].key);
	json_close(j);
	json_text(j, "hint",
		  c->nameless       ? COMPARE_NAMELESS
		  : c->waits_differ ? COMPARE_WAITS
				    : NULL);
	json_u64(j, "unknown_most", COMPARE_UNKNOWN_MAX);
	json_open(j, "rows", '[', true);
}

/* After @shown rows, of which the first @most were written. */
static void close_kind(struct json *j, size_t shown, size_t most)
{
	json_close(j);
	json_u64(j, "more", shown > most ? shown - most : 0);
	json_close(j);
}

static int captures_json(struct json *j, enum compare_what what,
			 struct page_capture *const *captures,
			 const struct tables_walk *const *walks, size_t n)
{
	size_t most = rows_most(captures, n), shown = 0;
	struct compare c;
	int rc = compare_init(&c, what, walks, n);

	kind_json(j, &c);
	for (size_t i = 0; i < c.rows.n && !rc; i++)
		if (is_shown(captures, &c.rows.at[i]) && shown++ < most)
			row_json(j, captures, &c, &c.rows.at[i]);
	close_kind(j, shown, most);
	compare_fini(&c);
	return rc;
}

static void changes_json(struct json *j, struct page_capture *const *captures,
			 const struct changes *c)
{
	size_t most = rows_most(captures, c->compare.n_captures), shown = 0;

	kind_json(j, &c->compare);
	for (size_t i = 0; i < c->rows.n; i++)
		if (is_shown(captures, c->rows.at[i].row) && shown++ < most)
			sides_row_json(j, captures, c, &c->rows.at[i]);
	close_kind(j, shown, most);
}

int page_compare_json(struct json *j, struct page_capture *const *captures, size_t n,
		      const struct page_diff *diff)
{
	uint64_t first = analyze_engine_summary(captures[0]->walk->eng)->window_ns;
	const struct tables_walk **walks = calloc(n, sizeof(*walks));
	bool same = true;
	int rc = walks ? 0 : -ENOMEM;

	json_open(j, "compare", '{', true);
	for (size_t k = 0; k < n && !rc; k++) {
		walks[k] = captures[k]->walk;
		same &= analyze_engine_summary(walks[k]->eng)->window_ns == first;
	}
	json_bool(j, "normalised", !same);
	sides_json(j, diff, n);
	json_open(j, "tables", '{', true);
	for (unsigned what = 0; what < COMPARE_N && !rc; what++)
		if (diff)
			changes_json(j, captures, &diff->all[what]);
		else
			rc = captures_json(j, (enum compare_what)what, captures, walks, n);
	if (diff)
		changes_json(j, captures, diff->groups);
	else if (!rc)
		rc = captures_json(j, COMPARE_GROUPS, captures, walks, n);
	json_close(j);
	json_close(j);
	free(walks);
	return rc;
}
