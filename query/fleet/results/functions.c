/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of samples by function. */
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "query/fleet/figures/functions.h"
#include "query/fleet/results/results.h"
#include "tables/columns/table.h"

bool fleet_results_has(const struct fleet_results *r, enum fleet_kind kind)
{
	for (size_t h = 0; h < r->hosts.n; h++) {
		if (r->hosts.at[h].counts.of[kind].n)
			return true;
	}
	return false;
}

enum { HOST = 0, PROGRAM, EVENT, FUNCTION, IN, SAMPLES, VALUE, SHARE };
#define COLUMNS                                                                                    \
	{ "program", "program", TABLE_TEXT, TABLE_KEEP, NULL, 0 },                                 \
		{ "event", "event", TABLE_TEXT, TABLE_KEEP, NULL, 0 },                             \
		{ "function", "function", TABLE_TEXT, TABLE_KEEP, NULL, 0 },                       \
		{ "in", "in", TABLE_TEXT, 0, NULL, 0 },                                            \
		{ "samples", "samples", TABLE_COUNT, 0, NULL, 0 },                                 \
		{ "value", "value", TABLE_COUNT, 0, NULL, 0 },                                     \
		{ "share", "%", TABLE_PERCENT, TABLE_KEEP, NULL, 0 }, TABLE_COLUMNS_END,
static const struct table_column sums[] = { COLUMNS };
static const struct table_column each[] = { { "host", "host", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
					    COLUMNS };

/* The sum of an event over all rows of @rows. */
static uint64_t sum_of(const struct fleet_rows *rows, const char *event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->of[FLEET_FUNCTIONS].n; i++) {
		if (!strcmp(rows->of[FLEET_FUNCTIONS].at[i].key.reason, event))
			saturated_add(&sum, rows->of[FLEET_FUNCTIONS].at[i].any->function.value);
	}
	return sum;
}

static int by_event(const void *a, const void *b)
{
	const struct fleet_row *x = *(const struct fleet_row *const *)a;
	const struct fleet_row *y = *(const struct fleet_row *const *)b;
	int order = strcmp(x->key.reason, y->key.reason);

	if (!order && x->any->function.value != y->any->function.value)
		return x->any->function.value < y->any->function.value ? 1 : -1;
	order = order ? order : strcmp(x->key.name, y->key.name);
	order = order ? order : strcmp(x->key.vm, y->key.vm);
	return order ? order : (x->key.isa > y->key.isa) - (x->key.isa < y->key.isa);
}

/* Adds the rows of one host, or the sums (@host NULL); @shift: columns before those of the sums. */
static void fill(struct table *t, const char *host, const struct fleet_rows *rows)
{
	size_t n = rows->of[FLEET_FUNCTIONS].n, shift = host ? 0 : 1;
	const struct fleet_row **order = calloc(n + 1, sizeof(*order));
	const char *event = "";
	uint64_t sum = 0;

	t->failed |= !order;
	for (size_t i = 0; i < n && order; i++)
		order[i] = &rows->of[FLEET_FUNCTIONS].at[i];
	if (order)
		qsort(order, n, sizeof(*order), by_event);
	for (size_t i = 0; i < n && order; i++) {
		const struct fleet_row *row = order[i];

		if (strcmp(event, row->key.reason))
			sum = sum_of(rows, event = row->key.reason);
		table_row(t);
		if (host)
			table_text(t, HOST, host);
		table_text(t, PROGRAM - shift, row->key.name);
		table_text(t, EVENT - shift, event);
		table_text(t, FUNCTION - shift, row->key.vm);
		table_text(t, IN - shift, fleet_function_in(&row->key));
		table_u64(t, SAMPLES - shift, row->any->function.samples);
		table_u64(t, VALUE - shift, row->any->function.value);
		if (sum)
			table_percent(t, SHARE - shift,
				      100.0 * (double)row->any->function.value / (double)sum);
	}
	free(order);
}

static struct table *new_table(const struct table_column *columns)
{
	struct table *t = table_new("functions", columns);

	if (t)
		t->certain = t->grouped = true;
	return t;
}

struct table *fleet_results_functions(const struct fleet_results *r)
{
	struct table *t = new_table(sums);
	struct fleet_rows rows = { 0 };

	for (size_t h = 0; h < r->hosts.n && t; h++) {
		const struct fleet_rows *of = &r->hosts.at[h].counts;

		for (size_t i = 0; i < of->of[FLEET_FUNCTIONS].n; i++) {
			const struct fleet_row *row = &of->of[FLEET_FUNCTIONS].at[i];

			t->failed |= fleet_rows_add(&rows, FLEET_FUNCTIONS, &row->key, row->any,
						    false, 0, NULL) < 0;
		}
	}
	if (t)
		fill(t, NULL, &rows);
	fleet_rows_fini(&rows);
	return t ? table_done(t) : NULL;
}

struct table *fleet_results_functions_each(const struct fleet_results *r)
{
	struct table *t = new_table(each);

	for (size_t h = 0; h < r->hosts.n && t; h++)
		fill(t, r->hosts.at[h].name, &r->hosts.at[h].counts);
	return t ? table_done(t) : NULL;
}
