/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the counts for the page: JSON that points into an array of numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/engine/arrays.h"
#include "render/engine/bins_internal.h"

/* ---- heat maps ---- */

static void heat_head(struct arrays *w, const char *name, unsigned columns)
{
	json_open(w->j, name, '{', false);
	json_u64(w->j, "columns", columns);
	json_u64(w->j, "rows", BINS_ROWS);
	json_u64(w->j, "per_decade", BINS_PER_DECADE);
	json_u64(w->j, "lo_ns", 1);
}

static void heat_tail(struct arrays *w, uint64_t events, uint64_t outside, uint64_t unplaced,
		      uint64_t shorter, uint64_t longer)
{
	json_u64(w->j, "events", events);
	json_u64(w->j, "drawn", events - outside - unplaced - shorter - longer);
	json_u64(w->j, "outside", outside);
	json_u64(w->j, "unplaced", unplaced);
	json_u64(w->j, "shorter", shorter);
	json_u64(w->j, "longer", longer);
	json_close(w->j);
}

/* A non-empty cell of a grid. */
struct filled {
	uint32_t cell, count;
};

struct sparse {
	ARRAY(struct filled) all; /* in order */
	bool failed;              /* out of memory */
};

static void sparse_add(struct sparse *s, uint32_t cell, uint64_t count)
{
	uint32_t shown = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;

	if (count)
		s->failed |= array_push(&s->all, (struct filled){ cell, shown }) != 0;
}

/* Writes @s and empties it. */
static int sparse_write(struct arrays *w, struct sparse *s)
{
	arrays_steps(w, "cell", s->all.at ? &s->all.at->cell : NULL, s->all.n, sizeof(*s->all.at));
	arrays_member(w, "count", s->all, count);
	array_fini(&s->all);
	return s->failed ? -ENOMEM : 0;
}

static int cell_order(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void sparse_of_few(struct sparse *s, const struct heat *h)
{
	uint32_t *cells = malloc((h->few.n + 1) * sizeof(*cells));

	s->failed |= !cells;
	if (!cells)
		return;
	memcpy(cells, h->few.at, h->few.n * sizeof(*cells));
	qsort(cells, h->few.n, sizeof(*cells), cell_order);
	for (size_t i = 0, n; i < h->few.n; i += n) {
		for (n = 1; i + n < h->few.n && cells[i + n] == cells[i]; n++)
			;
		sparse_add(s, cells[i], n);
	}
	free(cells);
}

static void sparse_of_grid(struct sparse *s, const struct heat *h, unsigned columns)
{
	uint32_t used[BINS_ROWS] = { 0 };

	/* Most rows are empty: skip them, as reading by row touches a cache line per cell. */
	for (unsigned c = 0; c < columns; c++)
		for (unsigned row = 0; row < BINS_ROWS; row++)
			used[row] |= h->cells[(size_t)c * BINS_ROWS + row];
	for (unsigned row = 0; row < BINS_ROWS; row++)
		for (unsigned c = 0; used[row] && c < columns; c++)
			sparse_add(s, row * columns + c, h->cells[(size_t)c * BINS_ROWS + row]);
}

static int second_write(struct arrays *w, const struct heat *h, const struct page_bins *b)
{
	size_t n = b->seconds * SECOND_COLUMNS;
	struct sparse s = { 0 };
	int rc;

	if (!h->offsets) {
		json_null(w->j, "second");
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		sparse_add(&s, (uint32_t)i, h->offsets[i]);
	json_open(w->j, "second", '{', false);
	json_u64(w->j, "seconds", b->seconds);
	json_u64(w->j, "columns", SECOND_COLUMNS);
	rc = sparse_write(w, &s);
	json_close(w->j);
	return rc;
}

static int heat_of_all(struct arrays *w, const char *name, const struct heat *h,
		       const struct page_bins *b)
{
	unsigned columns = b->columns.n;
	struct sparse s = { 0 };
	int rc;

	if (h->cells)
		sparse_of_grid(&s, h, columns);
	else if (h->few.n)
		sparse_of_few(&s, h);
	heat_head(w, name, columns);
	rc = sparse_write(w, &s);
	if (!rc)
		rc = second_write(w, h, b);
	heat_tail(w, h->events, h->outside, h->unplaced, h->shorter, h->longer);
	return rc;
}

static int heat_of_some(struct arrays *w, const char *name, const struct heat *h, unsigned columns,
			const struct page_bins_select *select)
{
	struct sparse s = { 0 };
	struct bins_grid g;
	int rc = bins_sum(h->owned, select->wanted, select->ctx, BINS_PER_DECADE, &g);

	if (rc)
		return rc;
	if (g.events) {
		uint32_t first = g.lo_decade * BINS_PER_DECADE * columns;

		for (size_t i = 0; i < (size_t)g.columns * g.rows; i++)
			sparse_add(&s, first + (uint32_t)i, g.cells[i]);
		heat_head(w, name, columns);
		rc = sparse_write(w, &s);
		heat_tail(w, g.events, g.outside, g.unplaced, g.shorter, g.longer);
	} else {
		json_null(w->j, name);
	}
	bins_grid_fini(&g);
	return rc;
}

static int write_heat(struct arrays *w, const struct page_bins *b,
		      const struct page_bins_select *select)
{
	static const char *const names[HEAT_KINDS] = { "run", "sleep", "wakeup", "guest", "exit" };
	int rc = 0;

	json_open(w->j, "heat", '{', true);
	for (unsigned kind = 0; kind < HEAT_KINDS && !rc; kind++) {
		const struct heat *h = &b->heat[kind];

		if (h->owned)
			rc = heat_of_some(w, names[kind], h, b->columns.n, select);
		else if (h->events)
			rc = heat_of_all(w, names[kind], h, b);
		else
			json_null(w->j, names[kind]);
	}
	json_close(w->j);
	return rc;
}

/* ---- tasks, vCPUs, reasons ---- */

static uint32_t number_of(const struct page_bins_select *select, uint32_t task)
{
	return select->numbers && task != ANALYZE_NO_TASK ? select->numbers[task] : task;
}

struct ranked {
	uint64_t *row;
	uint64_t sum;
	uint32_t number;
};

static int most_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int write_sparks(struct arrays *w, const struct page_bins *b,
			const struct page_bins_select *select)
{
	struct ranked *all = calloc(b->n_sparks + 1, sizeof(*all));
	uint64_t **rows = calloc(b->n_sparks + 1, sizeof(*rows));
	unsigned columns = b->columns.n >> b->spark_shift;
	size_t n = 0;

	for (size_t i = 0; all && rows && i < b->sparks.n; i++) {
		if (!b->sparks.at[i])
			continue;
		all[n] = (struct ranked){ .row = b->sparks.at[i], .number = (uint32_t)i };
		for (unsigned c = 0; c < columns; c++)
			all[n].sum += b->sparks.at[i][c];
		n++;
	}
	if (!all || !rows) {
		free(all);
		free(rows);
		return -ENOMEM;
	}
	qsort(all, n, sizeof(*all), most_first);
	n = n < SPARK_TASKS ? n : SPARK_TASKS;
	json_open(w->j, "spark_tasks", '[', false);
	for (size_t i = 0; i < n; i++) {
		page_number_json(w->j, NULL, number_of(select, all[i].number));
		rows[i] = all[i].row;
	}
	json_close(w->j);
	json_u64(w->j, "spark_columns", columns);
	arrays_rows(w, "spark_ns", rows, n, columns);
	free(all);
	free(rows);
	return 0;
}

/* With very many vCPUs their columns are halved to keep the page small. */
#define STATE_CELLS_MAX (1u << 19)

/* Writes the vCPUs of each VM, and the sum of their vCPU delay; @rows have @columns columns. */
static int write_vms(struct arrays *w, const struct page_bins_select *select, uint64_t **rows,
		     unsigned columns)
{
	static const enum analyze_vcpu_state delays[] = { ANALYZE_VCPU_PREEMPTED,
							  ANALYZE_VCPU_WAITING };
	size_t n = select->n_vcpus, n_vms = 0;
	uint64_t *cells = calloc(n * columns + 1, sizeof(*cells));
	uint64_t **sums = calloc(n + 1, sizeof(*sums));

	json_open(w->j, "vms", '[', true);
	for (size_t i = 0; cells && sums && i < n; i++) {
		uint64_t *sum = cells + n_vms * columns;
		size_t before = 0;

		while (before < i && select->vms[before] != select->vms[i])
			before++;
		if (before < i)
			continue;
		json_open(w->j, NULL, '{', false);
		json_open(w->j, "vcpus", '[', false);
		for (size_t k = i; k < n; k++) {
			if (select->vms[k] != select->vms[i])
				continue;
			page_number_json(w->j, NULL, number_of(select, select->vcpus[k]));
			for (size_t d = 0; rows[k] && d < 2; d++)
				for (unsigned c = 0; c < columns; c++)
					sum[c] += rows[k][delays[d] * columns + c];
		}
		json_close(w->j);
		json_close(w->j);
		sums[n_vms++] = sum;
	}
	json_close(w->j);
	if (cells && sums)
		arrays_rows(w, "vm_delayed_ns", sums, n_vms, columns);
	free(cells);
	free(sums);
	return cells && sums ? 0 : -ENOMEM;
}

static int write_states(struct arrays *w, const struct page_bins *b,
			const struct page_bins_select *select)
{
	uint64_t **rows = calloc(select->n_vcpus + 1, sizeof(*rows));
	unsigned columns = b->columns.n >> b->vcpu_shift;
	int rc;

	if (!rows)
		return -ENOMEM;
	json_open(w->j, "vcpus", '[', false);
	for (size_t i = 0; i < select->n_vcpus; i++) {
		uint32_t task = select->vcpus[i];

		page_number_json(w->j, NULL, number_of(select, task));
		rows[i] = task < b->states.n ? b->states.at[task] : NULL;
	}
	json_close(w->j);
	for (; columns > VCPU_COLUMNS_MIN &&
	       select->n_vcpus * columns * ANALYZE_VCPU_STATES > STATE_CELLS_MAX;
	     columns /= 2) {
		for (size_t i = 0; i < select->n_vcpus; i++) {
			if (rows[i])
				bins_halve_states(rows[i], columns);
		}
	}
	json_u64(w->j, "vcpu_columns", columns);
	arrays_rows(w, "vcpu_ns", rows, select->n_vcpus, (size_t)columns * ANALYZE_VCPU_STATES);
	rc = write_vms(w, select, rows, columns);
	free(rows);
	return rc;
}

static int write_rows(struct arrays *w, const struct page_bins *b,
		      const struct page_bins_select *select)
{
	size_t cells = (size_t)b->columns.n * b->cpus;
	const uint32_t *majority = lanes_majority(b->lanes, 0);
	uint32_t *tasks = malloc((cells + 1) * sizeof(*tasks));
	bool others = false;
	int rc;

	if (!tasks)
		return -ENOMEM;
	arrays_rows(w, "busy_ns", b->busy, b->cpus, b->columns.n);
	arrays_rows(w, "unknown_ns", b->unknown, b->cpus, b->columns.n);
	arrays_rows(w, "switches", b->switches, b->cpus, b->columns.n);
	for (size_t i = 0; i < cells; i++)
		tasks[i] = number_of(select, majority[i]);
	arrays_put(w, "majority", tasks, cells);
	/* nearly always equal: deflates to nothing */
	memset(tasks, 0xff, cells * sizeof(*tasks));
	rc = lanes_groups(b->lanes, select->group, select->groups, tasks);
	for (size_t i = 0; i < cells && !rc; i++) {
		if (tasks[i] == ANALYZE_NO_TASK)
			continue;
		if (tasks[i] == majority[i])
			tasks[i] = ANALYZE_NO_TASK;
		else
			tasks[i] = number_of(select, tasks[i]);
		others |= tasks[i] != ANALYZE_NO_TASK;
	}
	if (!rc) {
		arrays_put(w, "group_majority", tasks, others ? cells : 0);
		rc = write_states(w, b, select);
	}
	rc = rc ? rc : write_sparks(w, b, select);
	free(tasks);
	return rc;
}

int page_bins_write(struct page_bins *b, const struct page_bins_select *select, struct json *j,
		    struct sink *arrays)
{
	struct arrays w = { .j = j, .out = arrays };
	int rc = 0;

	json_open(j, "bins", '{', true);
	json_u64(j, "from", b->columns.from_ns - select->t0_ns);
	json_u64(j, "to", b->columns.to_ns - select->t0_ns);
	json_u64(j, "columns", b->columns.n);
	if (!b->opts.kinds)
		rc = write_rows(&w, b, select);
	if (!rc)
		rc = write_heat(&w, b, select);
	json_close(j);
	return rc ? rc : sink_flush(arrays);
}
