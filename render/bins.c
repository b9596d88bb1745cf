/* SPDX-License-Identifier: GPL-2.0-only */
/* Events counted on a grid of time and duration. */
#include "render/bins.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/index.h"

/* Rows of what is on no cell. */
enum { ROW_SHORT = 0xfff0, ROW_LONG, ROW_OUTSIDE, ROW_UNPLACED };

struct bins {
	uint64_t from_ns, to_ns;
	unsigned columns;
	uint64_t edges[BINS_ROWS + 1];
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

unsigned bins_row(const struct bins *b, uint64_t dur_ns)
{
	unsigned lo = 0, hi = BINS_ROWS;

	/* the last row whose edge is not above */
	if (dur_ns >= b->edges[BINS_ROWS])
		return BINS_ROWS;
	while (hi - lo > 1) {
		unsigned mid = (lo + hi) / 2;

		if (b->edges[mid] <= dur_ns)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

struct bins *bins_new(uint64_t from_ns, uint64_t to_ns, unsigned columns)
{
	struct bins *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->from_ns = from_ns;
	b->to_ns = to_ns;
	b->columns = columns;
	for (unsigned row = 0; row <= BINS_ROWS; row++)
		b->edges[row] = bins_edge(row);
	return b;
}

void bins_free(struct bins *b)
{
	if (!b)
		return;
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

/* @at * @columns / @span, where @at <= @span and the product may need more than 64 bits. */
static unsigned column_of(uint64_t at, unsigned columns, uint64_t span)
{
	uint64_t column = 0, rest = 0;

	if (at == span)
		return columns;
	if (!(at >> 48) && !(columns >> 16))
		return (unsigned)(at * columns / span);
	/* bit by bit; rest < span and at < span */
	for (int bit = 31; bit >= 0; bit--) {
		bool over = rest >= span - rest;

		column = 2 * column + over;
		rest = over ? rest - (span - rest) : 2 * rest;
		if (!(columns >> bit & 1))
			continue;
		over = rest >= span - at;
		column += over;
		rest = over ? rest - (span - at) : rest + at;
	}
	return (unsigned)column;
}

int bins_add(struct bins *b, uint32_t owner, uint64_t t_ns, uint64_t dur_ns)
{
	uint64_t span = b->to_ns - b->from_ns;
	unsigned row, column;

	if (t_ns < b->from_ns || t_ns > b->to_ns)
		return count(b, owner, 0, ROW_OUTSIDE);
	if (!dur_ns)
		return count(b, owner, 0, ROW_SHORT);
	row = bins_row(b, dur_ns);
	if (row == BINS_ROWS)
		return count(b, owner, 0, ROW_LONG);
	/* the end belongs to the last column */
	column = span ? column_of(t_ns - b->from_ns, b->columns, span) : 0;
	if (column >= b->columns)
		column = b->columns - 1;
	return count(b, owner, column, row);
}

int bins_unplaced(struct bins *b, uint32_t owner)
{
	return count(b, owner, 0, ROW_UNPLACED);
}

/* The decades that hold something: [lo, hi). */
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

	*out = (struct bins_grid){ .columns = b->columns, .per_decade = per_decade };
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
