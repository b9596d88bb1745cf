/* SPDX-License-Identifier: GPL-2.0-only */
/* Events counted on a grid of time and duration. */
#include "render/bins/bins.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/walk/index.h"
#include "render/bins/columns.h"

/* Rows of events without a cell. */
enum { ROW_SHORT = 0xfff0, ROW_LONG, ROW_OUTSIDE, ROW_UNPLACED };

struct bins {
	struct columns columns;
	struct bins_rows rows;
	struct index index; /* (owner, column << 16 | row) */
	ARRAY(uint64_t) counts;
};

uint64_t bins_edge(unsigned row)
{
	/* 24 a decade: 10^(i/24) of the i-th, times 10^9; exact powers of ten stay exact */
	static const double part[BINS_PER_DECADE] = {
		1.0,
		1.100694171252209,
		1.211527658628589,
		1.333521432163324,
		1.467799267622069,
		1.615598098439873,
		1.778279410038923,
		1.957341781490757,
		2.154434690031884,
		2.371373705661655,
		2.610157215682537,
		2.872984833353666,
		3.162277660168379,
		3.480700588428410,
		3.831186849557288,
		4.216965034285822,
		4.641588833612779,
		5.108969774506920,
		5.623413251903491,
		6.189658188912600,
		6.812920690579612,
		7.498942093324558,
		8.254041852680184,
		9.085175756516871,
	};
	uint64_t ten = 1;

	for (unsigned i = 0; i < row / BINS_PER_DECADE; i++)
		ten *= 10;
	return (uint64_t)llround(part[row % BINS_PER_DECADE] * (double)ten);
}

void bins_rows_init(struct bins_rows *r)
{
	for (unsigned row = 0; row <= BINS_ROWS; row++)
		r->edges[row] = bins_edge(row);
	for (unsigned bit = 0, row = 0; bit < 64; bit++) {
		while (row + 1 < BINS_ROWS && r->edges[row + 1] <= UINT64_C(1) << bit)
			row++;
		r->first[bit] = (uint16_t)row;
	}
}

unsigned bins_row(const struct bins_rows *r, uint64_t dur_ns)
{
	unsigned row = r->first[63 - __builtin_clzll(dur_ns)];

	if (dur_ns >= r->edges[BINS_ROWS])
		return BINS_ROWS;
	while (r->edges[row + 1] <= dur_ns)
		row++;
	return row;
}

struct bins *bins_new(uint64_t from_ns, uint64_t to_ns, unsigned columns)
{
	struct bins *b = calloc(1, sizeof(*b));

	if (b && columns_init(&b->columns, from_ns, to_ns, columns)) {
		free(b);
		b = NULL;
	}
	if (b)
		bins_rows_init(&b->rows);
	return b;
}

void bins_free(struct bins *b)
{
	if (!b)
		return;
	columns_fini(&b->columns);
	index_fini(&b->index);
	array_fini(&b->counts);
	free(b);
}

static int count(struct bins *b, uint32_t owner, unsigned column, unsigned row)
{
	uint32_t i = index_take(&b->index, owner, (uint64_t)column << 16 | row);
	uint64_t *n = row_at(&b->counts, i);

	if (!n)
		return -ENOMEM;
	++*n;
	return 0;
}

int bins_add(struct bins *b, uint32_t owner, uint64_t t_ns, uint64_t dur_ns)
{
	unsigned row;

	if (t_ns < b->columns.from_ns || t_ns > b->columns.to_ns)
		return count(b, owner, 0, ROW_OUTSIDE);
	if (!dur_ns)
		return count(b, owner, 0, ROW_SHORT);
	row = bins_row(&b->rows, dur_ns);
	if (row == BINS_ROWS)
		return count(b, owner, 0, ROW_LONG);
	return count(b, owner, columns_of(&b->columns, t_ns), row);
}

int bins_unplaced(struct bins *b, uint32_t owner)
{
	return count(b, owner, 0, ROW_UNPLACED);
}

/* The decades that are not empty: [lo, hi). */
static void decades(const struct bins *b, const bool *mine, unsigned *lo, unsigned *hi)
{
	unsigned first = BINS_ROWS, last = 0;

	for (uint32_t i = 0; i < b->index.keys.n; i++) {
		unsigned row = b->index.keys.at[i].b & 0xffff;

		if (!mine[i] || row >= BINS_ROWS)
			continue;
		first = row < first ? row : first;
		last = row > last ? row : last;
	}
	if (first > last) { /* nothing: µs to ms */
		*lo = 3;
		*hi = 6;
		return;
	}
	*lo = first / BINS_PER_DECADE;
	*hi = last / BINS_PER_DECADE + 1;
}

static void place(struct bins_grid *g, uint64_t key, uint64_t n)
{
	unsigned row = key & 0xffff, column = (unsigned)(key >> 16);
	uint64_t *cell;

	g->events += n;
	switch (row) {
	case ROW_SHORT:
		g->shorter += n;
		return;
	case ROW_LONG:
		g->longer += n;
		return;
	case ROW_OUTSIDE:
		g->outside += n;
		return;
	case ROW_UNPLACED:
		g->unplaced += n;
		return;
	}
	row = row * g->per_decade / BINS_PER_DECADE - g->lo_decade * g->per_decade;
	cell = &g->cells[(size_t)row * g->columns + column];
	*cell += n;
	g->in_cells += n;
	g->max = *cell > g->max ? *cell : g->max;
}

int bins_sum(const struct bins *b, bool (*wanted)(void *ctx, uint32_t owner), void *ctx,
	     unsigned per_decade, struct bins_grid *out)
{
	bool *mine = calloc(b->index.keys.n + 1, sizeof(*mine));
	unsigned lo, hi;

	*out = (struct bins_grid){ .columns = b->columns.n, .per_decade = per_decade };
	if (!mine)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->index.keys.n; i++)
		mine[i] = !wanted || wanted(ctx, (uint32_t)b->index.keys.at[i].a);
	decades(b, mine, &lo, &hi);
	out->lo_decade = lo;
	out->rows = (hi - lo) * per_decade;
	out->cells = calloc((size_t)out->rows * out->columns, sizeof(*out->cells));
	if (out->cells) {
		for (uint32_t i = 0; i < b->index.keys.n; i++) {
			if (mine[i])
				place(out, b->index.keys.at[i].b, b->counts.at[i]);
		}
	}
	free(mine);
	return out->cells ? 0 : -ENOMEM;
}

void bins_grid_fini(struct bins_grid *g)
{
	free(g->cells);
	*g = (struct bins_grid){ 0 };
}
