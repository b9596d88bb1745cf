/* SPDX-License-Identifier: LGPL-2.1-only */
/* Run-queue latency: its tables and bars. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tables/groups.h"
#include "tables/number.h"
#include "tables/tables.h"
#include "tables/task_cells.h"

enum {
	COUNT = TASK_COLUMNS,
	SUM,
	AVG,
	P50,
	P99,
	P999,
	MAX,
	MAX_AT,
	PREEMPT_COUNT,
	PREEMPT_SUM,
	PREEMPT_AVG,
	PREEMPT_P99,
	PREEMPT_MAX,
	PREEMPT_MAX_AT,
	TORN,
};

#define LATENCY_COLUMNS                                                                            \
	[COUNT] = { "latency_count", "waits", TABLE_COUNT, 0 },                                    \
	[SUM] = { "latency_ns", "sum ms", TABLE_MS, 0 },                                           \
	[AVG] = { "latency_avg_ns", "avg ms", TABLE_MS, 0 },                                       \
	[P50] = { "latency_p50_ns", "p50 ms", TABLE_MS, 0 },                                       \
	[P99] = { "latency_p99_ns", "p99 ms", TABLE_MS, 0 },                                       \
	[P999] = { "latency_p999_ns", "p99.9 ms", TABLE_MS, 0 },                                   \
	[MAX] = { "latency_max_ns", "max ms", TABLE_MS, 0 },                                       \
	[MAX_AT] = { "latency_max_at_ns", "max at s", TABLE_TIME, 0 },                             \
	[PREEMPT_COUNT] = { "preempt_count", "preempted", TABLE_COUNT, TABLE_WIDE },               \
	[PREEMPT_SUM] = { "preempt_ns", "pre sum ms", TABLE_MS, TABLE_WIDE },                      \
	[PREEMPT_AVG] = { "preempt_avg_ns", "pre avg ms", TABLE_MS, TABLE_WIDE },                  \
	[PREEMPT_P99] = { "preempt_p99_ns", "pre p99 ms", TABLE_MS, TABLE_WIDE },                  \
	[PREEMPT_MAX] = { "preempt_max_ns", "pre max ms", TABLE_MS, TABLE_WIDE },                  \
	[PREEMPT_MAX_AT] = { "preempt_max_at_ns", "pre max at s", TABLE_TIME, TABLE_WIDE },        \
	[TORN] = { "torn", "torn", TABLE_COUNT, TABLE_WIDE }

static const struct table_column columns[] = {
	TASK_CELLS,
	LATENCY_COLUMNS,
	TABLE_COLUMNS_END,
};

static const struct table_column cpu_columns[] = {
	/* the same places, so that one function fills both; those of a task stay empty */
	[TASK_NAME] = { "cpu", "CPU", TABLE_INTEGER, 0 },
	[TASK_TID] = { "tid", "tid", TABLE_INTEGER, TABLE_HIDDEN },
	[TASK_PID] = { "pid", "pid", TABLE_INTEGER, TABLE_HIDDEN },
	[TASK_COMM] = { "comm", "comm", TABLE_TEXT, TABLE_HIDDEN },
	[TASK_VM] = { "vm", "vm", TABLE_TEXT, TABLE_HIDDEN },
	[TASK_VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, TABLE_HIDDEN },
	LATENCY_COLUMNS,
	TABLE_COLUMNS_END,
};

static void numbers(struct table *t, const struct analyze_latency_row *row)
{
	const struct histogram *h = &row->wakeup;

	table_u64(t, COUNT, h->count);
	table_u64(t, SUM, h->sum);
	if (h->count) {
		table_u64(t, AVG, histogram_avg(h));
		table_u64(t, P50, histogram_percentile(h, 50));
		table_u64(t, P99, histogram_percentile(h, 99));
		table_u64(t, P999, histogram_percentile(h, 99.9));
		table_u64(t, MAX, h->max);
		table_u64(t, MAX_AT, h->max_at);
	}
	h = &row->preempt;
	table_u64(t, PREEMPT_COUNT, h->count);
	table_u64(t, PREEMPT_SUM, h->sum);
	if (h->count) {
		table_u64(t, PREEMPT_AVG, histogram_avg(h));
		table_u64(t, PREEMPT_P99, histogram_percentile(h, 99));
		table_u64(t, PREEMPT_MAX, h->max);
		table_u64(t, PREEMPT_MAX_AT, h->max_at);
	}
	table_u64(t, TORN, row->torn);
}

/* ---- a row per task ---- */

static void row_fini(void *row)
{
	analyze_latency_row_fini(row);
}

typedef void fill_fn(struct table *t, const struct analyze_latency_row *row);

/* Rows of the wanted tasks and their total, the numbers filled by @fill. */
static struct table *fill_tasks(const struct tables_walk *w, const struct table_column *cols,
				fill_fn *fill)
{
	struct table *t = table_new("latency", cols);
	struct analyze_latency_row total = { 0 };
	struct tables_groups groups = { .row_size = sizeof(total), .row_fini = row_fini };
	bool lossy = false;

	if (!t)
		return NULL;

	for (size_t i = 0; i < analyze_latency_row_count(w->latency); i++) {
		const struct analyze_latency_row *row = analyze_latency_row_at(w->latency, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
		struct tables_group *g;
		char *name;

		if (!task->tid || !names_wanted(&w->names, task))
			continue;
		lossy |= tables_lossy(w, task);
		analyze_latency_row_merge(&total, row);
		if (!names_merged(&w->names, task)) {
			table_row(t);
			task_cells(t, w, task);
			fill(t, row);
			continue;
		}
		name = names_display(&w->names, task);
		g = name ? tables_groups_take(&groups, w, task, name, CDICT_CPU_UNKNOWN) : NULL;
		free(name);
		if (g)
			analyze_latency_row_merge(g->row, row);
		else
			t->failed = true;
	}
	for (size_t i = 0; i < groups.n; i++) {
		table_row(t);
		table_text(t, TASK_NAME, groups.items[i].name);
		fill(t, groups.items[i].row);
		table_lossy(t, groups.items[i].lossy);
	}
	table_total(t);
	table_text(t, TASK_NAME, "total");
	fill(t, &total);
	table_lossy(t, lossy);
	analyze_latency_row_fini(&total);
	tables_groups_fini(&groups);
	return table_done(t);
}

struct table *tables_latency(const struct tables_walk *w)
{
	return fill_tasks(w, columns, numbers);
}

/* ---- as perf has it ---- */

enum {
	PERF_RUNTIME = TASK_COLUMNS,
	PERF_COUNT,
	PERF_AVG,
	PERF_MAX,
	PERF_MAX_START,
	PERF_MAX_END,
};

static const struct table_column perf_columns[] = {
	TASK_CELLS,
	[PERF_RUNTIME] = { "stat_runtime_ns", "runtime ms", TABLE_MS, 0 },
	[PERF_COUNT] = { "count", "count", TABLE_COUNT, 0 },
	[PERF_AVG] = { "avg_delay_ns", "avg delay ms", TABLE_MS, 0 },
	[PERF_MAX] = { "max_delay_ns", "max delay ms", TABLE_MS, 0 },
	[PERF_MAX_START] = { "max_start_ns", "max start s", TABLE_TIME, 0 },
	[PERF_MAX_END] = { "max_end_ns", "max end s", TABLE_TIME, 0 },
	TABLE_COLUMNS_END,
};

static void perf_numbers(struct table *t, const struct analyze_latency_row *row)
{
	const struct analyze_perf_latency *p = &row->perf;

	table_u64(t, PERF_RUNTIME, p->runtime_ns);
	table_u64(t, PERF_COUNT, p->count);
	if (!p->count)
		return;
	table_u64(t, PERF_AVG, p->sum_ns / p->count);
	table_u64(t, PERF_MAX, p->max_ns);
	if (!p->max_ns)
		return;
	table_u64(t, PERF_MAX_START, p->max_start_ns);
	table_u64(t, PERF_MAX_END, p->max_end_ns);
}

struct table *tables_latency_perf(const struct tables_walk *w)
{
	return fill_tasks(w, perf_columns, perf_numbers);
}

/* ---- a row per CPU ---- */

struct table *tables_latency_cpus(const struct tables_walk *w)
{
	struct analyze_latency_row total = { 0 };
	struct table *t = table_new("latency", cpu_columns);
	bool lossy = false;

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_latency_row_count(w->latency); i++) {
		const struct analyze_latency_row *row = analyze_latency_row_at(w->latency, i);
		bool unknown = analyze_engine_loss_ns(w->eng, row->cpu) > 0;

		table_row(t);
		table_i64(t, TASK_NAME, row->cpu);
		numbers(t, row);
		table_lossy(t, unknown);
		lossy |= unknown;
		analyze_latency_row_merge(&total, row);
	}
	table_total(t);
	numbers(t, &total);
	table_lossy(t, lossy);
	analyze_latency_row_fini(&total);
	return table_done(t);
}

/* ---- bars ---- */

#define BAR_WIDTH 50

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
	unsigned first = 64, last = 0;
	char number[NUMBER_ROOM];
	struct sink s;

	for (size_t i = 0; i < analyze_latency_row_count(w->latency); i++) {
		const struct analyze_latency_row *row = analyze_latency_row_at(w->latency, i);

		if (row->task == ANALYZE_NO_TASK ||
		    names_wanted(&w->names, analyze_engine_task(w->eng, row->task)))
			histogram_merge(&sum, &row->wakeup);
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
	histogram_fini(&sum);
	return sink_take(&s, NULL);
}
