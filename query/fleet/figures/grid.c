/* SPDX-License-Identifier: GPL-2.0-only */
/* A job as a grid of hosts and time. */
#include "query/fleet/figures/grid.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

/* ---- placing a bucket ---- */

static int by_column(const void *a, const void *b)
{
	const struct fleet_cell *x = a, *y = b;

	return (x->column > y->column) - (x->column < y->column);
}

/* Keeps the larger value of each figure; unknown ones are ignored. */
static void add_cell(struct fleet_cell *to, const struct fleet_cell *from)
{
	bool replace = from->whole && !to->whole, keep = to->whole && !from->whole;

	to->buckets += from->buckets;
	to->whole |= from->whole;
	for (int i = 0; i < FLEET_FIGURES && !keep; i++)
		to->at[i] = replace ? from->at[i] : fmax(to->at[i], from->at[i]);
}

/* Merges pairs of columns. */
static void halve(struct fleet_line *line, bool clocked)
{
	__typeof__(line->cells[0]) *cells = &line->cells[clocked];
	size_t n = 0;

	for (size_t i = 0; i < cells->n; i++)
		cells->at[i].column /= 2;
	if (cells->n)
		qsort(cells->at, cells->n, sizeof(*cells->at), by_column);
	for (size_t i = 0; i < cells->n; i++) {
		if (n && cells->at[n - 1].column == cells->at[i].column)
			add_cell(&cells->at[n - 1], &cells->at[i]);
		else
			cells->at[n++] = cells->at[i];
	}
	cells->n = n;
	line->first[clocked] /= 2;
	line->last[clocked] /= 2;
}

/* Without a common clock each host has its own columns. */
static bool too_wide(const struct fleet_grid *g, const struct fleet_line *line, bool clocked)
{
	uint64_t first = clocked ? g->first[1] : line->first[0];
	uint64_t last = clocked ? g->last[1] : line->last[0];

	return last - first >= FLEET_COLUMNS;
}

static void widen(uint64_t *first, uint64_t *last, bool any, uint64_t column)
{
	*first = any && *first < column ? *first : column;
	*last = any && *last > column ? *last : column;
}

static bool any_cells(const struct fleet_grid *g, bool clocked)
{
	size_t i = 0;

	while (i < g->lines.n && !g->lines.at[i].cells[clocked].n)
		i++;
	return i < g->lines.n;
}

static int put_cell(struct fleet_grid *g, struct fleet_line *line, bool clocked, uint64_t from_ns,
		    struct fleet_cell cell)
{
	__typeof__(line->cells[0]) *cells = &line->cells[clocked];

	cell.column = from_ns / g->width_ns[clocked];
	widen(&g->first[clocked], &g->last[clocked], any_cells(g, clocked), cell.column);
	widen(&line->first[clocked], &line->last[clocked], cells->n, cell.column);
	while (too_wide(g, line, clocked)) {
		g->width_ns[clocked] *= 2;
		g->first[clocked] /= 2;
		g->last[clocked] /= 2;
		cell.column /= 2;
		for (size_t i = 0; i < g->lines.n; i++)
			halve(&g->lines.at[i], clocked);
	}
	/* they usually arrive in order */
	for (size_t i = cells->n; i--;) {
		if (cells->at[i].column == cell.column) {
			add_cell(&cells->at[i], &cell);
			return 0;
		}
	}
	return array_push(cells, cell);
}

static void handle_row(void *ctx, enum fleet_kind kind, const struct fleet_key *key,
		       const union fleet_any *any, unsigned lacks)
{
	struct fleet_grid *g = ctx;

	fleet_summing_row(&g->now, kind, key, any, lacks);
}

static int put_bucket(struct fleet_grid *g, size_t host, const struct fleet_window *w,
		      const double figures[FLEET_FIGURES])
{
	struct fleet_cell cell = { .buckets = 1,
				   .whole = w->window_ns >= g->read.job.bucket_ns / 10 };

	memcpy(cell.at, figures, sizeof(cell.at));
	return put_cell(g, &g->lines.at[host], w->clocked, w->from_ns, cell);
}

/* Adds the sums of the rows that were read to the host's. */
static int end_sums(struct fleet_grid *g, size_t host, struct cdict_error *err)
{
	int rc = fleet_sums_add(&g->lines.at[host].sums, &g->now.sums);
	bool failed = rc || g->now.failed;

	fleet_summing_reset(&g->now);
	return failed ? cdict_fail_nomem(err) : 0;
}

static int handle_bucket(void *ctx, size_t host, const struct fleet_window *w,
			 struct cdict_error *err)
{
	struct fleet_grid *g = ctx;
	double figures[FLEET_FIGURES];

	fleet_summing_end(&g->now, w);
	for (int i = 0; i < FLEET_FIGURES; i++)
		figures[i] = fleet_figure(&g->now.sums, (enum fleet_figure)i);
	if (array_resize(&g->lines, g->read.hosts.n) || put_bucket(g, host, w, figures))
		return cdict_fail_nomem(err);
	return end_sums(g, host, err);
}

static int handle_rollup(void *ctx, size_t host, const struct fleet_rollup *r,
			 struct cdict_error *err)
{
	struct fleet_grid *g = ctx;
	const struct histogram latency = g->now.sums.latency;
	int rc = array_resize(&g->lines, g->read.hosts.n);

	for (size_t i = 0; i < r->n && !rc; i++)
		rc = put_bucket(g, host, &r->buckets[i].window, r->buckets[i].at);
	g->now.sums = r->sums;
	g->now.sums.latency = latency;
	return rc ? cdict_fail_nomem(err) : end_sums(g, host, err);
}

int fleet_grid_read(struct fleet_grid *g, struct store *st, const char *id, struct cdict_error *err)
{
	const struct fleet_listener listener = { handle_row, handle_bucket, handle_rollup, g };
	int rc = store_get(st, id, &g->read.job, err);

	g->width_ns[0] = g->width_ns[1] = g->read.job.bucket_ns ? g->read.job.bucket_ns : 1;
	rc = rc ? rc : fleet_read_each(&g->read, st, id, &listener, err);
	if (!rc && array_resize(&g->lines, g->read.hosts.n))
		rc = cdict_fail_nomem(err);
	return rc;
}

void fleet_grid_fini(struct fleet_grid *g)
{
	for (size_t i = 0; i < g->lines.n; i++) {
		array_fini(&g->lines.at[i].cells[0]);
		array_fini(&g->lines.at[i].cells[1]);
		histogram_fini(&g->lines.at[i].sums.latency);
	}
	array_fini(&g->lines);
	fleet_summing_reset(&g->now);
	fleet_read_fini(&g->read);
}

/* ---- the rectangle ---- */

struct ranked {
	size_t host;
	const char *name;
	double waiting, busy;
};

/* Hosts that waited most first, hosts with unknown waiting last. */
static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	double p = isnan(x->waiting) ? -1 : x->waiting, q = isnan(y->waiting) ? -1 : y->waiting;

	if (p == q) {
		p = isnan(x->busy) ? -1 : x->busy;
		q = isnan(y->busy) ? -1 : y->busy;
	}
	return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

static int rank_hosts(struct fleet_map *m, const struct fleet_grid *g)
{
	size_t n = g->lines.n;
	struct ranked *list = calloc(n + 1, sizeof(*list));

	m->order = calloc(n + 1, sizeof(*m->order));
	for (size_t i = 0; list && i < n; i++)
		list[i] = (struct ranked){ i, g->read.hosts.at[i].name,
					   fleet_figure(&g->lines.at[i].sums, FLEET_WAITING),
					   fleet_figure(&g->lines.at[i].sums, FLEET_BUSY) };
	if (list)
		qsort(list, n, sizeof(*list), by_rank);
	for (size_t i = 0; list && m->order && i < n; i++)
		m->order[i] = list[i].host;
	free(list);
	return list && m->order ? 0 : -ENOMEM;
}

static void put_line(struct fleet_map *m, const struct fleet_line *line, size_t row,
		     uint64_t first_column)
{
	uint64_t first = m->clocked ? first_column : line->first[0];

	m->absent += m->clocked && !line->cells[1].n && line->cells[0].n;
	for (size_t i = 0; i < line->cells[m->clocked].n; i++) {
		const struct fleet_cell *cell = &line->cells[m->clocked].at[i];
		size_t at = row * m->columns + (size_t)(cell->column - first);

		m->seen[at] += cell->buckets;
		m->buckets += cell->buckets;
		m->most = cell->buckets > m->most ? cell->buckets : m->most;
		for (int f = 0; f < FLEET_FIGURES; f++)
			m->at[f][at] = fmax(m->at[f][at], cell->at[f]);
	}
}

int fleet_map_make(struct fleet_map *m, const struct fleet_grid *g)
{
	uint64_t columns = 1;
	size_t n;

	*m = (struct fleet_map){ .clocked = any_cells(g, true) };
	for (size_t i = 0; i < g->lines.n && !m->clocked; i++) {
		const struct fleet_line *line = &g->lines.at[i];

		if (line->cells[0].n && line->last[0] - line->first[0] >= columns)
			columns = line->last[0] - line->first[0] + 1;
	}
	if (m->clocked)
		columns = g->last[1] - g->first[1] + 1;
	m->columns = (size_t)columns;
	m->column_ns = g->width_ns[m->clocked];
	m->from_ns = m->clocked ? g->first[1] * m->column_ns : 0;
	m->per_row = (g->lines.n + FLEET_ROWS - 1) / FLEET_ROWS;
	m->rows = m->per_row ? (g->lines.n + m->per_row - 1) / m->per_row : 0;
	n = m->rows * m->columns;
	m->seen = calloc(n + 1, sizeof(*m->seen));
	if (rank_hosts(m, g) || !m->seen)
		return -ENOMEM;
	for (int f = 0; f < FLEET_FIGURES; f++) {
		m->at[f] = calloc(n + 1, sizeof(**m->at));
		if (!m->at[f])
			return -ENOMEM;
		for (size_t i = 0; i < n; i++)
			m->at[f][i] = NAN;
	}
	for (size_t i = 0; i < g->lines.n; i++)
		put_line(m, &g->lines.at[m->order[i]], i / m->per_row, g->first[1]);
	return 0;
}

void fleet_map_fini(struct fleet_map *m)
{
	for (int f = 0; f < FLEET_FIGURES; f++)
		free(m->at[f]);
	free(m->seen);
	free(m->order);
	*m = (struct fleet_map){ 0 };
}
