/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables of rows that were added up elsewhere. */
#include "tables/compare/merged.h"

#include <errno.h>
#include <stdlib.h>

static void fill_row(struct table *t, const struct tables_row *r, unsigned lacks)
{
	t->lacks = lacks;
	for (size_t c = 0; c < t->n_columns; c++) {
		/* every host has its own clock */
		if (t->columns[c].kind != TABLE_TIME &&
		    !(r->total && (t->columns[c].flags & TABLE_EACH)))
			cells_fill_known(t, c, r);
	}
}

/* The column for the name of the total: name, VM or reason. */
static size_t column_of_total(const struct table *t, unsigned hidden)
{
	const char *key = !(hidden & HIDE_NAME) ? "name" : !(hidden & HIDE_VM) ? "vm" : "reason";

	return table_column(t, key);
}

static uint64_t share_of(const struct tables_decl *decl, const void *row, uint64_t window_ns)
{
	return decl->life_ns ? decl->life_ns(row) : window_ns;
}

static void fill_total(struct table *t, struct tables_row *r, const char *name, unsigned lacks,
		       unsigned hidden)
{
	size_t column = column_of_total(t, hidden);

	r->total = r->several = true;
	table_total(t);
	fill_row(t, r, lacks);
	if (column < t->n_columns)
		table_text(t, column, name);
}

struct table *tables_merged(const struct tables_decl *decl, const struct tables_merged_row *rows,
			    size_t n, uint64_t window_ns, unsigned hidden)
{
	struct table *t = table_new(decl->name, decl->columns);
	bool exits = decl == &tables_decl_exits, lossy = false, any = false;
	void *sum = decl->row_size ? calloc(1, decl->row_size) : NULL;
	struct tables_exits_totals totals = { 0 };
	struct tables_row r = { .cpu = CDICT_CPU_UNKNOWN, .hidden = hidden, .whole = &totals };
	unsigned lacks = ~0u;

	if (!t || (decl->row_size && !sum)) {
		table_free(t);
		free(sum);
		return NULL;
	}
	t->order = exits ? "idle,cpu_ns" : decl == &tables_decl_vcpu ? "delayed_ns" : decl->order;
	t->certain = false;
	for (size_t i = 0; i < n; i++) {
		void *to = exits ? rows[i].idle ? &totals.idle : &totals.work : sum;

		lacks &= rows[i].lacks;
		if (!to || !decl->merge || (!exits && rows[i].idle))
			continue;
		t->failed |= decl->merge(to, rows[i].row) != 0;
		lossy |= rows[i].lossy;
		any = true;
	}
	for (size_t i = 0; i < n; i++) {
		r.row = rows[i].row;
		r.index = i;
		r.name = rows[i].name;
		r.vm = rows[i].vm;
		r.vcpu = (uint32_t)(rows[i].vcpu + 1);
		r.idle = !exits && rows[i].idle;
		r.window_ns = share_of(decl, r.row, window_ns);
		table_row(t);
		fill_row(t, &r, rows[i].lacks);
		table_lossy(t, rows[i].lossy || (decl->unknown && decl->unknown(r.row)));
	}
	if (any && (decl->total || exits)) {
		r.row = exits ? (void *)&totals.work : sum;
		r.name = r.vm = NULL;
		r.vcpu = 0;
		r.idle = false;
		r.window_ns = share_of(decl, r.row, window_ns);
		fill_total(t, &r, exits ? "total without idle" : decl->total, lacks, hidden);
		table_lossy(t, lossy || (decl->unknown && decl->unknown(r.row)));
	}
	if (exits) {
		decl->fini(&totals.work);
		decl->fini(&totals.idle);
	} else if (sum) {
		decl->fini(sum);
	}
	free(sum);
	t->lacks = n ? lacks : 0;
	return table_done(t);
}

int tables_merged_figures(const struct compare *c, const struct tables_merged_row *rows, size_t n,
			  uint64_t window_ns, double *values)
{
	struct table *scratch = table_new(c->decl->name, c->decl->columns);
	int rc;

	if (!scratch)
		return -ENOMEM;
	table_row(scratch);
	for (size_t i = 0; i < n && !scratch->failed; i++) {
		struct tables_row r = { .row = rows[i].row,
					.several = true,
					.cpu = CDICT_CPU_UNKNOWN,
					.window_ns = share_of(c->decl, rows[i].row, window_ns) };

		scratch->lacks = rows[i].lacks;
		for (size_t f = 0; f < c->n_figures; f++) {
			size_t column = c->figures[f].column;

			table_clear(scratch, column);
			cells_fill_known(scratch, column, &r);
			values[i * c->n_figures + f] =
				compare_value(&c->figures[f], &scratch->now[column], r.window_ns);
		}
	}
	rc = scratch->failed ? -ENOMEM : 0;
	table_free(scratch);
	return rc;
}
