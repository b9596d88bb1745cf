/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts by columns of time while the engine walks. */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "render/engine/bins_internal.h"

/* Columns are halved until the cells of all CPUs are at most CELLS_MAX; vCPU states have coarser ones. */
#define COLUMNS_MAX 1024u
#define COLUMNS_MIN 64u
#define CELLS_MAX (1u << 16)
#define VCPU_COLUMNS_MAX 256u
/* Further tasks get no row of their own, so that memory stays bounded. */
#define SPARKS_MAX 32768u
#define SECONDS_KEPT 600u
#define STATES_MAX 4096u
/* Cells of all tasks' states, 32 MiB: with more their columns are halved. */
#define STATE_CELLS_KEPT (1u << 22)

static int add_cell(struct heat *h, uint32_t columns, uint32_t column, uint32_t row)
{
	if (h->cells) {
		h->cells[(size_t)column * BINS_ROWS + row]++;
		return 0;
	}
	if (array_push(&h->few, row * columns + column))
		return -ENOMEM;
	if (h->few.n < HEAT_FEW)
		return 0;
	h->cells = calloc((size_t)columns * BINS_ROWS, sizeof(*h->cells));
	for (size_t i = 0; h->cells && i < h->few.n; i++)
		h->cells[(size_t)(h->few.at[i] % columns) * BINS_ROWS + h->few.at[i] / columns]++;
	array_fini(&h->few);
	return h->cells ? 0 : -ENOMEM;
}

/* Counts the end's offset within the second, as the page's "subsecond" does for all tasks. */
static int add_offset(const struct page_bins *b, struct heat *h, uint64_t end_ns)
{
	uint64_t at = end_ns - b->opts.t0_ns, row = at / SECOND_NS - b->first_second;

	if (row >= b->seconds)
		return 0;
	if (!h->offsets)
		h->offsets = calloc(b->seconds * SECOND_COLUMNS, sizeof(*h->offsets));
	if (!h->offsets)
		return -ENOMEM;
	h->offsets[row * SECOND_COLUMNS + at % SECOND_NS * SECOND_COLUMNS / SECOND_NS]++;
	return 0;
}

static int add_heat(struct page_bins *b, enum analyze_slice_kind kind, uint32_t task,
		    uint64_t start_ns, uint64_t end_ns)
{
	struct heat *h = &b->heat[kind];
	uint64_t dur_ns = end_ns - start_ns;
	unsigned row;

	if (b->opts.kinds && !(b->opts.kinds & 1u << kind))
		return 0;
	if (h->owned)
		return start_ns == ANALYZE_NO_TIME ? bins_unplaced(h->owned, task)
						   : bins_add(h->owned, task, end_ns, dur_ns);
	if (!analyze_engine_task(b->eng, task)->tid)
		return 0;
	h->events++;
	if (b->seconds && add_offset(b, h, end_ns))
		return -ENOMEM;
	if (start_ns == ANALYZE_NO_TIME)
		h->unplaced++;
	else if (end_ns < b->columns.from_ns || end_ns > b->columns.to_ns)
		h->outside++;
	else if (!dur_ns)
		h->shorter++;
	else if ((row = bins_row(&b->rows, dur_ns)) == BINS_ROWS)
		h->longer++;
	else
		return add_cell(h, b->columns.n, columns_of(&b->columns, end_ns), row);
	return 0;
}

/* ---- a piece of a CPU's time ---- */

/* The row of @task, or NULL when there are too many tasks; -ENOMEM. */
static int spark_of(struct page_bins *b, uint32_t task, uint64_t **out)
{
	uint64_t **row = row_at(&b->sparks, task);

	*out = NULL;
	if (!row)
		return -ENOMEM;
	if (!*row && b->n_sparks < SPARKS_MAX) {
		*row = calloc(SPARK_COLUMNS, sizeof(**row));
		if (!*row)
			return -ENOMEM;
		b->n_sparks++;
	}
	*out = *row;
	return 0;
}

/* A CPU's row, made on first use: most of 65,536 CPUs have none. NULL: out of memory. */
static uint64_t *row_of_cpu(const struct page_bins *b, uint64_t **rows, uint32_t cpu)
{
	if (!rows[cpu])
		rows[cpu] = calloc(b->columns.n, sizeof(**rows));
	return rows[cpu];
}

static int add_piece(struct page_bins *b, const struct analyze_run *run)
{
	struct columns *c = &b->columns;
	uint64_t from_ns = run->from_ns, *spark = NULL, *row = NULL;
	bool known = run->task != ANALYZE_NO_TASK;

	if (!known || analyze_engine_task(b->eng, run->task)->tid) {
		row = row_of_cpu(b, known ? b->busy : b->unknown, run->cpu);
		if (!row || (known && spark_of(b, run->task, &spark)))
			return -ENOMEM;
	}
	for (unsigned i = columns_of(c, from_ns); from_ns < run->to_ns; i++) {
		uint64_t to_ns = run->to_ns < c->edges[i + 1] ? run->to_ns : c->edges[i + 1];

		if (row)
			row[i] += to_ns - from_ns;
		if (spark)
			spark[i >> b->spark_shift] += to_ns - from_ns;
		if (!row)
			lanes_idle_in(b->lanes, run->cpu, i, run->task, to_ns - from_ns);
		else if (known && lanes_add_in(b->lanes, run->cpu, i, run->task, to_ns - from_ns))
			return -ENOMEM;
		from_ns = to_ns;
	}
	return 0;
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct page_bins *b = self;

	if (run->from_ns < run->to_ns && run->cpu < b->cpus && add_piece(b, run))
		analyze_engine_out_of_memory(b->eng);
}

/* The same intervals as from analyze/sched/slices.c, without a call for each. */
static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct page_bins *b = self;
	int rc = 0;

	if (!sw->in)
		return;
	if (sw->cpu < b->cpus) {
		uint64_t *row = row_of_cpu(b, b->switches, sw->cpu);

		if (row)
			row[columns_of(&b->columns, sw->t_ns)]++;
		else
			rc = -ENOMEM;
	}
	rc |= add_heat(b, ANALYZE_SLICE_RUN, sw->prev, sw->slice_start_ns, sw->t_ns);
	rc |= add_heat(b, ANALYZE_SLICE_SLEEP, sw->next, sw->away_ns, sw->t_ns);
	if (sw->ready_ns != ANALYZE_NO_TIME)
		rc |= add_heat(b, ANALYZE_SLICE_WAKEUP, sw->next, sw->ready_ns, sw->t_ns);
	if (rc)
		analyze_engine_out_of_memory(b->eng);
}

/* Adds intervals of vCPUs: GUEST and EXIT. */
static int add_interval(void *ctx, const struct analyze_slice *s)
{
	struct page_bins *b = ctx;

	if (s->kind == ANALYZE_SLICE_EXIT && b->opts.exit_wanted &&
	    !b->opts.exit_wanted(b->opts.ctx, s))
		return 0;
	return add_heat(b, s->kind, s->task, s->start_ns, s->end_ns);
}

/* ---- vCPU states ---- */

void bins_halve_states(uint64_t *row, unsigned columns)
{
	for (size_t i = 0; i < (size_t)columns / 2 * ANALYZE_VCPU_STATES; i++)
		row[i] = row[2 * i] + row[2 * i + 1];
}

/* Makes the columns of all rows coarser until one more row has room. */
static void limit_states(struct page_bins *b)
{
	size_t n = b->columns.n >> b->vcpu_shift;

	while (n > VCPU_COLUMNS_MIN &&
	       (b->n_states + 1) * n * ANALYZE_VCPU_STATES > STATE_CELLS_KEPT) {
		for (size_t i = 0; i < b->states.n; i++) {
			uint64_t *row = b->states.at[i], *less;

			if (!row)
				continue;
			bins_halve_states(row, n);
			less = realloc(row, n / 2 * ANALYZE_VCPU_STATES * sizeof(*row));
			if (less)
				b->states.at[i] = less;
		}
		n /= 2;
		b->vcpu_shift++;
	}
}

void page_bins_state(void *bins, const struct analyze_vcpu_piece *piece)
{
	struct page_bins *b = bins;
	uint64_t **row = row_at(&b->states, piece->task);
	size_t n;

	if (!row)
		goto no_memory;
	if (!*row) {
		/* Any task may turn out to be a vCPU; known vCPUs get a row beyond the limit, too. */
		if (b->n_states >= STATES_MAX && !analyze_engine_task(b->eng, piece->task)->is_vcpu)
			return;
		limit_states(b);
		*row = calloc((size_t)(b->columns.n >> b->vcpu_shift) * ANALYZE_VCPU_STATES,
			      sizeof(**row));
		if (!*row)
			goto no_memory;
		b->n_states++;
	}
	n = b->columns.n >> b->vcpu_shift;
	columns_spread(&b->columns, *row + n * piece->state, b->vcpu_shift, piece->from_ns,
		       piece->to_ns);
	return;
no_memory:
	analyze_engine_out_of_memory(b->eng);
}

/* ---- new, free ---- */

static int choose_columns(struct page_bins *b)
{
	unsigned n = b->opts.columns ? b->opts.columns : COLUMNS_MAX, shift = 0;

	while (n > COLUMNS_MIN && (uint64_t)n * b->cpus > CELLS_MAX)
		n /= 2;
	while (n >> shift > VCPU_COLUMNS_MAX)
		shift++;
	b->vcpu_shift = shift;
	for (shift = 0; n >> shift > SPARK_COLUMNS;)
		shift++;
	b->spark_shift = shift;
	return columns_init(&b->columns, b->opts.from_ns, b->opts.to_ns, n);
}

static int make_room(struct page_bins *b)
{
	size_t rows = (size_t)b->cpus + 1;

	b->busy = calloc(rows, sizeof(*b->busy));
	b->unknown = calloc(rows, sizeof(*b->unknown));
	b->switches = calloc(rows, sizeof(*b->switches));
	b->lanes = lanes_new(b->opts.from_ns, b->opts.to_ns, b->columns.n, b->cpus);
	if (!b->busy || !b->unknown || !b->switches || !b->lanes)
		return -ENOMEM;
	lanes_keep(b->lanes);
	for (unsigned kind = 0; kind < HEAT_KINDS && b->opts.by_task; kind++) {
		if (b->opts.kinds && !(b->opts.kinds & 1u << kind))
			continue;
		b->heat[kind].owned = bins_new(b->opts.from_ns, b->opts.to_ns, b->columns.n);
		if (!b->heat[kind].owned)
			return -ENOMEM;
	}
	bins_rows_init(&b->rows);
	return 0;
}

int page_bins_new(struct page_bins **out, struct analyze_engine *eng,
		  const struct page_bins_options *opts, struct cdict_error *err)
{
	struct page_bins *b = calloc(1, sizeof(*b));
	struct analyze_slices_options how = { .kinds = 1u << ANALYZE_SLICE_GUEST |
						       1u << ANALYZE_SLICE_EXIT,
					      .on_slice = add_interval };
	int rc;

	*out = NULL;
	if (!b)
		return cdict_fail_nomem(err);
	b->eng = eng;
	b->opts = *opts;
	b->cpus = opts->kinds ? 0 : opts->cpus;
	if (opts->seconds && opts->to_ns >= opts->from_ns && opts->from_ns >= opts->t0_ns) {
		b->first_second = (opts->from_ns - opts->t0_ns) / SECOND_NS;
		b->seconds = (opts->to_ns - opts->t0_ns) / SECOND_NS - b->first_second + 1;
		/* for longer captures the page requests them later */
		b->seconds = b->seconds <= SECONDS_KEPT ? b->seconds : 0;
	}
	b->ops = (struct analyze_ops){
		.needs = ANALYZE_NEED_WAKES, .run = on_run, .sw = on_switch, .resumes = true
	};
	how.ctx = b;
	rc = choose_columns(b);
	if (!rc)
		rc = make_room(b);
	if (rc)
		rc = cdict_fail_nomem(err);
	if (!rc)
		rc = analyze_slices_new(&b->slices, eng, &how, err);
	if (!rc)
		rc = analyze_engine_add(eng, &b->ops, b, err);
	if (rc) {
		page_bins_free(b);
		return rc;
	}
	*out = b;
	return 0;
}

static void free_rows(uint64_t **rows, uint32_t n)
{
	for (uint32_t i = 0; rows && i < n; i++)
		free(rows[i]);
	free(rows);
}

void page_bins_free(struct page_bins *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->sparks.n; i++)
		free(b->sparks.at[i]);
	for (size_t i = 0; i < b->states.n; i++)
		free(b->states.at[i]);
	for (unsigned kind = 0; kind < HEAT_KINDS; kind++) {
		array_fini(&b->heat[kind].few);
		free(b->heat[kind].cells);
		free(b->heat[kind].offsets);
		bins_free(b->heat[kind].owned);
	}
	analyze_slices_free(b->slices);
	columns_fini(&b->columns);
	free_rows(b->busy, b->cpus);
	free_rows(b->unknown, b->cpus);
	free_rows(b->switches, b->cpus);
	lanes_free(b->lanes);
	array_fini(&b->sparks);
	array_fini(&b->states);
	free(b);
}
