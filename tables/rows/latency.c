/* SPDX-License-Identifier: LGPL-2.1-only */
/* Run-queue latency: its tables and bars. */
#include <errno.h>
#include <inttypes.h>

#include "tables/columns/decl.h"
#include "tables/columns/number.h"
#include "tables/columns/tables.h"

#define ROW(member) offsetof(struct analyze_latency_row, member)

#define LATENCY_COLUMNS                                                                            \
	{ "latency_count", "waits",    TABLE_COUNT, TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,         \
	  cell_count,      ROW(wakeup) },                                                          \
		{ "latency_ns", "sum ms",   TABLE_MS, TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,       \
		  cell_sum,     ROW(wakeup) },                                                     \
		{ "latency_avg_ns", "avg ms",   TABLE_MS, TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,   \
		  cell_avg,         ROW(wakeup) },                                                 \
		{ "latency_p50_ns", "p50 ms",                                                      \
		  TABLE_MS,         TABLE_SPARE | TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,           \
		  cell_p50,         ROW(wakeup) },                                                 \
		{ "latency_p99_ns", "p99 ms",   TABLE_MS, TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,   \
		  cell_p99,         ROW(wakeup) },                                                 \
		{ "latency_p999_ns", "p99.9 ms", TABLE_MS, TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,  \
		  cell_p999,         ROW(wakeup) },                                                \
		{ "latency_max_ns", "max ms",                                                      \
		  TABLE_MS,         TABLE_KEEP | TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,            \
		  cell_max,         ROW(wakeup) },                                                 \
		{ "latency_max_at_ns", "max at s",                                                 \
		  TABLE_TIME,          TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF,                      \
		  cell_max_at,         ROW(wakeup) },                                              \
		{ "preempt_count", "preempted",                                                    \
		  TABLE_COUNT,     TABLE_WIDE | TABLE_OF_STATES | TABLE_OF_TIMES_OFF,              \
		  cell_count,      ROW(preempt) },                                                 \
		{ "preempt_ns", "pre sum ms",                                                      \
		  TABLE_MS,     TABLE_WIDE | TABLE_OF_STATES | TABLE_OF_TIMES_OFF,                 \
		  cell_sum,     ROW(preempt) },                                                    \
		{ "preempt_avg_ns", "pre avg ms",                                                  \
		  TABLE_MS,         TABLE_WIDE | TABLE_OF_STATES | TABLE_OF_TIMES_OFF,             \
		  cell_avg,         ROW(preempt) },                                                \
		{ "preempt_p99_ns", "pre p99 ms", TABLE_MS, TABLE_WIDE | TABLE_OF_TIMES_OFF,       \
		  cell_p99,         ROW(preempt) },                                                \
		{ "preempt_max_ns", "pre max ms",                                                  \
		  TABLE_MS,         TABLE_WIDE | TABLE_OF_STATES | TABLE_OF_TIMES_OFF,             \
		  cell_max,         ROW(preempt) },                                                \
		{ "preempt_max_at_ns", "pre max at s",                                             \
		  TABLE_TIME,          TABLE_WIDE | TABLE_OF_STATES | TABLE_OF_TIMES_OFF,          \
		  cell_max_at,         ROW(preempt) },                                             \
		{ "incomplete", "incomplete",   TABLE_COUNT, TABLE_WIDE | TABLE_OF_TIMES_OFF,      \
		  cell_u64,     ROW(incomplete) },                                                 \
		TABLE_COLUMNS_END

static const struct table_column columns[] = { CELLS_OF_TASK, LATENCY_COLUMNS };

/* ---- as in perf ---- */

#define PERF(member) ROW(perf.member)

/* Empty without a wait. */
static void cell_delay(const struct cell *c)
{
	if (((const struct analyze_latency_row *)c->row)->perf.count)
		cell_u64(c);
}

static void cell_delay_avg(const struct cell *c)
{
	const struct analyze_perf_latency *p = &((const struct analyze_latency_row *)c->row)->perf;

	if (p->count)
		table_u64(c->t, c->column, p->sum_ns / p->count);
}

/* The time of the longest wait; perf prints none if all waits are 0. */
static void cell_delay_at(const struct cell *c)
{
	if (((const struct analyze_latency_row *)c->row)->perf.max_ns)
		cell_delay(c);
}

static const struct table_column perf_columns[] = {
	CELLS_OF_TASK,
	{ "stat_runtime_ns", "runtime ms", TABLE_MS, 0, cell_u64, PERF(runtime_ns) },
	{ "count", "count", TABLE_COUNT, 0, cell_u64, PERF(count) },
	{ "avg_delay_ns", "avg delay ms", TABLE_MS, TABLE_GAUGE, cell_delay_avg, 0 },
	{ "max_delay_ns", "max delay ms", TABLE_MS, TABLE_GAUGE, cell_delay, PERF(max_ns) },
	{ "max_start_ns", "max start s", TABLE_TIME, 0, cell_delay_at, PERF(max_start_ns) },
	{ "max_end_ns", "max end s", TABLE_TIME, 0, cell_delay_at, PERF(max_end_ns) },
	TABLE_COLUMNS_END,
};

/* ---- a row per task ---- */

TABLES_ROWS(latency, latency, analyze_latency_row_count, analyze_latency_row_at)
TABLES_SUMS(latency, analyze_latency_row_merge, analyze_latency_row_fini)

const struct tables_decl tables_decl_latency = {
	.name = "latency",
	.columns = columns,
	.order = "latency_max_ns",
	.count = latency_count,
	.at = latency_at,
	.row_size = sizeof(struct analyze_latency_row),
	.merge = latency_merge,
	.fini = latency_fini,
	.total = "total",
	.no_idle = true,
	.merged = true,
};

struct table *tables_latency(const struct tables_walk *w)
{
	return tables_make(w, &tables_decl_latency, false);
}

struct table *tables_latency_perf(const struct tables_walk *w)
{
	struct tables_decl decl = tables_decl_latency;

	decl.columns = perf_columns;
	decl.order = "max_delay_ns";
	return tables_make(w, &decl, false);
}

/* ---- a row per CPU ---- */

static const struct table_column cpu_columns[] = {
	{ "cpu", "CPU", TABLE_INTEGER, TABLE_EACH, cell_u32, ROW(cpu) },
	LATENCY_COLUMNS,
};

struct table *tables_latency_cpus(const struct tables_walk *w)
{
	struct analyze_latency_row total = { 0 };
	struct tables_row r = { .w = w };
	struct table *t = table_new("latency", cpu_columns);
	bool lossy = false;

	if (!t)
		return NULL;
	t->order = "latency_max_ns";
	for (size_t i = 0; i < analyze_latency_row_count(w->latency); i++) {
		const struct analyze_latency_row *row = analyze_latency_row_at(w->latency, i);
		bool unknown = analyze_engine_loss_ns(w->eng, row->cpu) > 0;

		r.row = row;
		table_row(t);
		cells_fill(t, &r);
		table_lossy(t, unknown);
		lossy |= unknown;
		t->failed |= analyze_latency_row_merge(&total, row) != 0;
	}
	r.row = &total;
	r.total = true;
	table_total(t);
	cells_fill(t, &r);
	table_lossy(t, lossy);
	analyze_latency_row_fini(&total);
	return table_done(t);
}

/* ---- bars ---- */

#define BAR_WIDTH 45 /* makes a line 80 columns wide */

/* "512 ns", "1.02 us", "33.6 ms": a power of two. */
static void edge(struct sink *s, unsigned bit)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = (double)(UINT64_C(1) << bit);
	unsigned u = 0;

	while (v >= 1000 && u < 3) {
		v /= 1000;
		u++;
	}
	sink_printf(s, "%4.*f %-2s", u && v < 9.995 ? 2 : u && v < 99.95 ? 1 : 0, v, units[u]);
}

char *tables_latency_chart(const struct tables_walk *w)
{
	struct histogram sum = { 0 };
	uint64_t bins[64], most = 0;
	int rc = 0;
	unsigned first = 64, last = 0;
	char number[NUMBER_ROOM];
	struct sink s;

	for (size_t i = 0; i < analyze_latency_row_count(w->latency); i++) {
		const struct analyze_latency_row *row = analyze_latency_row_at(w->latency, i);

		if (row->task == ANALYZE_NO_TASK ||
		    names_wanted(&w->names, analyze_engine_task(w->eng, row->task)))
			rc = rc ? rc : histogram_merge(&sum, &row->wakeup);
	}
	histogram_log2(&sum, bins);
	for (unsigned i = 0; i < 64; i++) {
		if (!bins[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = bins[i] > most ? bins[i] : most;
	}
	sink_to_memory(&s);
	if (most)
		sink_puts(&s, "latency from         to      waits\n");
	else
		sink_puts(&s, "");
	for (unsigned i = first; i <= last; i++) {
		unsigned bar = (unsigned)((bins[i] * BAR_WIDTH + most - 1) / most);

		sink_puts(&s, "  ");
		if (i)
			edge(&s, i);
		else
			sink_puts(&s, "   0 ns");
		sink_puts(&s, " - ");
		edge(&s, i < 63 ? i + 1 : 63);
		sink_printf(&s, " %12s%s", number_grouped(number, bins[i]), bar ? "  " : "");
		sink_repeat(&s, '#', bar);
		sink_putc(&s, '\n');
	}
	s.error = rc ? -ENOMEM : s.error;
	histogram_fini(&sum);
	return sink_take(&s, NULL);
}
