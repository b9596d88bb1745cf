/* SPDX-License-Identifier: GPL-2.0-only */
/* The member "compare" of the page: doc/page.md, "Comparison". */
#include <errno.h>
#include <stdlib.h>

#include "render/page_capture.h"
#include "tables/compare.h"

static void row_json(struct json *j, const struct compare *c, const struct compare_row *row)
{
	json_open(j, NULL, '{', false);
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
		for (size_t i = 0; i < compare_task_count(row, k); i++)
			json_u64(j, NULL, compare_task_at(row, k, i));
		json_close(j);
	}
	json_close(j);
	json_open(j, "values", '[', false);
	for (size_t k = 0; k < c->n_captures; k++) {
		if (!row->set[k]) {
			json_null(j, NULL);
			continue;
		}
		json_open(j, NULL, '[', false);
		for (size_t i = 0; i < c->n_figures; i++)
			json_number(j, NULL, row->values[k * c->n_figures + i]);
		json_close(j);
	}
	json_close(j);
	json_open(j, "differences", '[', false);
	for (size_t k = 0; k < c->n_captures; k++) {
		if (!k || !compare_row_stands(row, k)) {
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
		json_number(j, NULL, row->unknown[k]);
	json_close(j);
	json_bool(j, "nameless", row->nameless);
	json_close(j);
}

static int kind_json(struct json *j, enum compare_what what, const struct tables_walk *const *walks,
		     size_t n)
{
	struct compare c;
	int rc = compare_init(&c, what, walks, n);

	json_open(j, c.decl->name, '{', true);
	json_open(j, "key", '[', false);
	json_text(j, NULL, "name");
	if (c.decl->key_reason)
		json_text(j, NULL, "reason");
	if (c.decl->key_cpu)
		json_text(j, NULL, "cpu");
	json_close(j);
	json_open(j, "figures", '[', false);
	for (size_t i = 0; i < c.n_figures; i++)
		json_text(j, NULL, c.figures[i].key);
	json_close(j);
	json_text(j, "hint", c.nameless ? COMPARE_NAMELESS : NULL);
	json_u64(j, "unknown_most", COMPARE_UNKNOWN_MAX);
	json_open(j, "rows", '[', true);
	for (size_t i = 0; i < c.rows.n && !rc; i++)
		row_json(j, &c, &c.rows.at[i]);
	json_close(j);
	json_close(j);
	compare_fini(&c);
	return rc;
}

int page_compare_json(struct json *j, struct page_capture *const *captures, size_t n)
{
	uint64_t first = analyze_engine_summary(captures[0]->walk->eng)->window_ns;
	const struct tables_walk **walks = calloc(n, sizeof(*walks));
	bool same = true;
	int rc = walks ? 0 : -ENOMEM;

	json_open(j, "compare", '{', true);
	json_open(j, "windows_ns", '[', false);
	for (size_t k = 0; k < n && !rc; k++) {
		uint64_t ns = analyze_engine_summary(captures[k]->walk->eng)->window_ns;

		walks[k] = captures[k]->walk;
		json_u64(j, NULL, ns);
		same &= ns == first;
	}
	json_close(j);
	json_bool(j, "normalised", !same);
	json_open(j, "tables", '{', true);
	for (unsigned what = 0; what < COMPARE_N && !rc; what++)
		rc = kind_json(j, (enum compare_what)what, walks, n);
	json_close(j);
	json_close(j);
	free(walks);
	return rc;
}
