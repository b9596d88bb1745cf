/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares two jobs. */
#include "query/fleet/figures/pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The terminal has no room for more. */
#define FIGURES_MOST 5

struct item {
	const char *texts[3]; /* name, VM, reason; NULL */
	int side;
	const double *values;
};

struct pairs {
	ARRAY(struct item) items;
	const char *text_keys[3]; /* NULL: no such column */
	struct {
		const char *key, *title;
		size_t at; /* index of its values */
	} figures[FIGURES_MOST];
	size_t n_figures, worst; /* worst: ranks the rows */
	struct stringset *words;
};

static int compare_texts(const struct item *a, const struct item *b)
{
	int order = 0;

	for (size_t i = 0; i < 3 && !order; i++)
		order = strcmp(a->texts[i] ? a->texts[i] : "", b->texts[i] ? b->texts[i] : "");
	return order;
}

static int by_texts(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = compare_texts(x, y);

	return order ? order : x->side - y->side;
}

/* A row; the values of each side, or NULL. */
struct pair {
	const struct item *who;
	const double *values[2];
	double rank;
};

static int by_rank(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return compare_texts(x->who, y->who);
}

/* A row on one side only has changed by all of it; if both sides are unknown, there is no change. */
static double change_of(const struct pairs *p, const struct pair *row, size_t figure)
{
	size_t at = p->figures[figure].at;
	double was = row->values[0] ? row->values[0][at] : 0;
	double is = row->values[1] ? row->values[1][at] : 0;

	return is - was;
}

/* --- the table --- */

static const char *join_word(struct pairs *p, const char *before, const char *text)
{
	char room[120];
	int n = snprintf(room, sizeof(room), "%s%s", before, text);

	return stringset_add(p->words, room, (size_t)n);
}

static struct table_column *columns_of(struct pairs *p)
{
	static const char *const keys[] = { "was_", "is_", "change_" };
	static const char *const titles[] = { "A: ", "B: ", "± " };
	struct table_column *out = calloc(3 + 3 * FIGURES_MOST + 1, sizeof(*out));
	size_t n = 0;

	for (size_t i = 0; out && i < 3; i++) {
		if (p->text_keys[i])
			out[n++] = (struct table_column){
				p->text_keys[i], p->text_keys[i], TABLE_TEXT, 0, NULL, 0
			};
	}
	for (size_t i = 0; out && i < p->n_figures; i++) {
		for (size_t k = 0; k < 3; k++) {
			const char *key = join_word(p, keys[k], p->figures[i].key);
			const char *title = join_word(p, titles[k], p->figures[i].title);

			if (!key || !title) {
				free(out);
				return NULL;
			}
			out[n++] = (struct table_column){ key, title, TABLE_PERCENT, 0, NULL, 0 };
		}
	}
	if (out)
		out[n].kind = TABLE_END;
	return out;
}

static void fill_row(struct table *t, const struct pairs *p, const struct pair *row)
{
	size_t c = 0;

	table_row(t);
	for (size_t i = 0; i < 3; i++) {
		if (p->text_keys[i])
			table_text(t, c++, row->who->texts[i]);
	}
	for (size_t i = 0; i < p->n_figures; i++) {
		for (int side = 0; side < 2; side++, c++) {
			if (row->values[side])
				table_percent(t, c, row->values[side][p->figures[i].at]);
		}
		table_percent(t, c++, change_of(p, row, i));
	}
}

static struct table *make_table(struct pairs *p, const char *name)
{
	struct pair *rows = calloc(p->items.n + 1, sizeof(*rows));
	struct table_column *columns = columns_of(p);
	struct table *t = columns && rows ? table_new(name, columns) : NULL;
	size_t n = 0;

	if (!t) {
		free(columns);
		free(rows);
		return NULL;
	}
	t->own_columns = columns;
	t->certain = t->grouped = true;
	if (p->items.n)
		qsort(p->items.at, p->items.n, sizeof(*p->items.at), by_texts);
	for (size_t i = 0; i < p->items.n; i++) {
		const struct item *item = &p->items.at[i];

		if (!n || compare_texts(rows[n - 1].who, item))
			rows[n++].who = item;
		rows[n - 1].values[item->side] = item->values;
	}
	for (size_t i = 0; i < n; i++) {
		rows[i].rank = change_of(p, &rows[i], p->worst);
		if (isnan(rows[i].rank))
			rows[i].rank = -INFINITY;
	}
	qsort(rows, n, sizeof(*rows), by_rank);
	for (size_t i = 0; i < n; i++)
		fill_row(t, p, &rows[i]);
	free(rows);
	return table_done(t);
}

/* --- rows --- */

static void choose_figures(struct pairs *p, const struct compare *c, const char *by)
{
	for (size_t i = 0; i < c->n_figures && p->n_figures < FIGURES_MOST; i++) {
		if (c->figures[i].wide && strcmp(c->figures[i].key, by))
			continue;
		p->figures[p->n_figures].key = c->figures[i].key;
		p->figures[p->n_figures].title = c->figures[i].title;
		p->figures[p->n_figures].at = i;
		if (!strcmp(c->figures[i].key, by))
			p->worst = p->n_figures;
		p->n_figures++;
	}
}

static double *add_side(struct pairs *p, const struct compare *c, const struct fleet_picked *from,
			uint64_t window_ns, enum fleet_kind kind, int side)
{
	double *values = calloc(from->n * c->n_figures + 1, sizeof(*values));

	if (!values || tables_merged_figures(c, from->list, from->n, window_ns, values)) {
		free(values);
		return NULL;
	}
	for (size_t i = 0; i < from->n; i++) {
		const struct fleet_key *key = &from->rows.of[kind].at[i].key;
		struct item item = { .texts = { key->name, key->vm, key->reason },
				     .side = side,
				     .values = &values[i * c->n_figures] };

		if (!key->idle && array_push(&p->items, item)) {
			free(values);
			return NULL;
		}
	}
	return values;
}

struct table *fleet_pairs(const char *name, const struct fleet_rows *was,
			  const struct fleet_rows *is, enum fleet_kind kind, unsigned hidden,
			  const char *by, struct stringset *words)
{
	const struct fleet_rows *sides[2] = { was, is };
	const struct fleet_table_options how = { .hidden = hidden };
	struct fleet_picked picked[2] = { 0 };
	struct pairs p = { .words = words,
			   .text_keys = { hidden & HIDE_NAME ? NULL : "name",
					  hidden & HIDE_VM ? NULL : "vm",
					  kind == FLEET_EXITS ? "reason" : NULL } };
	double *values[2] = { NULL, NULL };
	struct compare c;
	struct table *t = NULL;
	bool failed = false;

	compare_declare(&c, kind == FLEET_EXITS   ? COMPARE_EXITS
			    : kind == FLEET_VCPUS ? COMPARE_VCPU
						  : COMPARE_TASKS);
	choose_figures(&p, &c, by);
	for (int side = 0; side < 2 && !failed; side++) {
		failed = fleet_pick(&picked[side], sides[side], kind, &how) != 0;
		if (!failed)
			values[side] =
				add_side(&p, &c, &picked[side], sides[side]->window_ns, kind, side);
		failed |= !values[side];
	}
	if (!failed)
		t = make_table(&p, name);
	for (int side = 0; side < 2; side++) {
		free(values[side]);
		fleet_picked_fini(&picked[side]);
	}
	array_fini(&p.items);
	return t;
}

/* --- hosts --- */

struct table *fleet_pairs_hosts(const struct fleet_grid *was, const struct fleet_grid *is,
				struct stringset *words)
{
	static const enum fleet_figure figures[FIGURES_MOST] = { FLEET_WAITING, FLEET_BUSY,
								 FLEET_LATENCY_P99, FLEET_DELAYED,
								 FLEET_EXITS_RATE };
	const struct fleet_grid *sides[2] = { was, is };
	struct pairs p = { .words = words, .text_keys = { "host" }, .n_figures = FIGURES_MOST };
	double *values[2] = { NULL, NULL };
	struct table *t = NULL;
	bool failed = false;

	for (size_t i = 0; i < FIGURES_MOST; i++) {
		p.figures[i].key = fleet_figure_names[figures[i]].key;
		p.figures[i].title = fleet_figure_names[figures[i]].title;
		p.figures[i].at = i;
	}
	for (int side = 0; side < 2 && !failed; side++) {
		const struct fleet_grid *g = sides[side];
		double *v = calloc(g->lines.n * FIGURES_MOST + 1, sizeof(*v));

		values[side] = v;
		failed = !v;
		for (size_t i = 0; i < g->lines.n && !failed; i++) {
			struct item item = { .texts = { g->read.hosts.at[i].name },
					     .side = side,
					     .values = &v[i * FIGURES_MOST] };

			for (size_t f = 0; f < FIGURES_MOST; f++)
				v[i * FIGURES_MOST + f] =
					fleet_figure(&g->lines.at[i].sums, figures[f]);
			failed = array_push(&p.items, item) != 0;
		}
	}
	if (!failed)
		t = make_table(&p, "hosts");
	free(values[0]);
	free(values[1]);
	array_fini(&p.items);
	return t;
}
