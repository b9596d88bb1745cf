/* SPDX-License-Identifier: LGPL-2.1-only */
/* Context switches and busy time per CPU and time bucket. */
#include "tables/columns/cells.h"
#include "tables/columns/tables.h"

#define CELL(member) offsetof(struct analyze_switch_cell, member)

static uint64_t length_ns(const struct tables_row *r)
{
	const struct analyze_switch_cell *cell = r->row;

	return cell->busy_ns + cell->idle_ns + cell->unknown_ns;
}

static void cell_cpu(const struct cell *c)
{
	table_i64(c->t, c->column, c->r->cpu);
}

/* The begin of a bucket. */
static void cell_from(const struct cell *c)
{
	if (c->r->from_ns != ANALYZE_NO_TIME)
		table_u64(c->t, c->column, c->r->from_ns);
}

static void cell_length(const struct cell *c)
{
	table_u64(c->t, c->column, length_ns(c->r));
}

static void cell_rate(const struct cell *c)
{
	const struct analyze_switch_cell *cell = c->row;

	if (c->r->window_ns)
		table_u64(c->t, c->column,
			  (uint64_t)((double)cell->switches * 1e9 / (double)c->r->window_ns + 0.5));
}

static void cell_busy_share(const struct cell *c)
{
	table_share(c->t, c->column, ((const struct analyze_switch_cell *)c->row)->busy_ns,
		    length_ns(c->r));
}

static const struct table_column columns[] = {
	{ "cpu", "CPU", TABLE_INTEGER, TABLE_EACH, cell_cpu, 0 },
	{ "from_ns", "from s", TABLE_TIME, 0, cell_from, 0 },
	{ "length_ns", "length ms", TABLE_MS, TABLE_GAUGE | TABLE_WIDE, cell_length, 0 },
	{ "switches", "switches", TABLE_COUNT, TABLE_OF_SWITCHES, cell_u64, CELL(switches) },
	{ "involuntary", "involunt", TABLE_COUNT, TABLE_OF_SWITCHES | TABLE_OF_STATES, cell_u64,
	  CELL(involuntary) },
	{ "wakeups", "wakeups", TABLE_COUNT, TABLE_OF_WAKEUPS, cell_u64, CELL(wakeups) },
	{ "switches_per_s", "switches/s", TABLE_COUNT, TABLE_GAUGE | TABLE_OF_SWITCHES, cell_rate,
	  0 },
	{ "busy_ns", "busy ms", TABLE_MS, TABLE_WIDE | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_u64,
	  CELL(busy_ns) },
	{ "busy_percent", "busy %", TABLE_PERCENT, TABLE_OF_SWITCHES | TABLE_OF_RUNS,
	  cell_busy_share, 0 },
	{ "idle_ns", "idle ms", TABLE_MS, TABLE_WIDE | TABLE_OF_SWITCHES | TABLE_OF_ALL, cell_u64,
	  CELL(idle_ns) },
	{ "unknown_ns", "unknown ms", TABLE_MS, 0, cell_u64, CELL(unknown_ns) },
	TABLE_COLUMNS_END,
};

static void add_cell(struct analyze_switch_cell *to, const struct analyze_switch_cell *from)
{
	to->switches += from->switches;
	to->involuntary += from->involuntary;
	to->wakeups += from->wakeups;
	to->busy_ns += from->busy_ns;
	to->idle_ns += from->idle_ns;
	to->unknown_ns += from->unknown_ns;
}

static void fill_row(struct table *t, const struct tables_row *r, bool lossy)
{
	if (r->total)
		table_total(t);
	else
		table_row(t);
	cells_fill(t, r);
	table_lossy(t, lossy);
}

struct table *tables_switches(const struct tables_walk *w)
{
	uint64_t from_ns = analyze_engine_summary(w->eng)->from_ns;
	uint64_t bucket_ns = analyze_switches_bucket_ns(w->switches);
	struct table *t = table_new("switches", columns);

	for (uint32_t c = 0; t && c < analyze_engine_cpus(w->eng); c++) {
		bool lossy = analyze_engine_loss_ns(w->eng, c) > 0;

		for (uint32_t b = 0; b < analyze_switches_buckets(w->switches); b++) {
			const struct analyze_switch_cell *cell =
				analyze_switches_at(w->switches, c, b);
			struct tables_row r = {
				.w = w, .row = cell, .cpu = c, .from_ns = from_ns + b * bucket_ns
			};

			r.window_ns = length_ns(&r);
			/* the last bucket may just hold the window's last instant */
			if (tables_cpu(w, c) && (cell->switches || cell->wakeups || r.window_ns))
				fill_row(t, &r, lossy && cell->unknown_ns);
		}
	}
	return table_done(t);
}

struct table *tables_switches_cpus(const struct tables_walk *w)
{
	struct analyze_switch_cell all = { 0 }, sum;
	struct tables_row r = { .w = w,
				.row = &sum,
				.from_ns = ANALYZE_NO_TIME,
				.window_ns = analyze_engine_summary(w->eng)->window_ns };
	struct table *t = table_new("cpus", columns);

	if (!t)
		return NULL;
	for (r.cpu = 0; r.cpu < analyze_engine_cpus(w->eng); r.cpu++) {
		if (!tables_cpu(w, r.cpu))
			continue;
		sum = (struct analyze_switch_cell){ 0 };
		for (uint32_t b = 0; b < analyze_switches_buckets(w->switches); b++)
			add_cell(&sum, analyze_switches_at(w->switches, r.cpu, b));
		add_cell(&all, &sum);
		fill_row(t, &r, analyze_engine_loss_ns(w->eng, r.cpu) > 0);
	}
	r.row = &all;
	r.total = true;
	fill_row(t, &r, analyze_engine_loss_ns(w->eng, CDICT_CPU_UNKNOWN) > 0);
	return table_done(t);
}
