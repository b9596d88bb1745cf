/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts of events or system calls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/index.h"
#include "tables/columns/cells.h"
#include "tables/columns/tables.h"
#include "tables/names/syscalls.h"

/* A row of the table: one row of the analysis, or several if tasks are not shown. */
struct row {
	struct analyze_counts_row sum;
	bool lossy;
};

#define ROW(member) offsetof(struct row, sum.member)

static void cell_event(const struct cell *c)
{
	const struct cdict_schema *schema = cdict_reader_schema(c->r->w->reader);

	table_text(c->t, c->column,
		   c->r->total
			   ? "total"
			   : cdict_schema_at(schema, ((const struct row *)c->row)->sum.type)->name);
}

static void cell_nr(const struct cell *c)
{
	table_i64(c->t, c->column, ((const struct row *)c->row)->sum.nr);
}

static void cell_syscall(const struct cell *c)
{
	table_text(c->t, c->column, c->r->total ? "total" : c->r->other_name);
}

static void cell_cpu(const struct cell *c)
{
	uint32_t cpu = ((const struct row *)c->row)->sum.cpu;

	if (cpu != CDICT_CPU_UNKNOWN)
		table_i64(c->t, c->column, cpu);
}

static void cell_from(const struct cell *c)
{
	table_u64(c->t, c->column, c->r->from_ns);
}

static void cell_rate(const struct cell *c)
{
	const struct row *row = c->row;

	if (c->r->window_ns)
		table_u64(
			c->t, c->column,
			(uint64_t)((double)row->sum.events * 1e9 / (double)c->r->window_ns + 0.5));
}

static void cell_of_all(const struct cell *c)
{
	table_share(c->t, c->column, ((const struct row *)c->row)->sum.events,
		    ((const struct row *)c->r->whole)->sum.events);
}

#define NO_KEY
#define OF_EVENT { "event", "event", TABLE_TEXT, TABLE_KEEP, cell_event, 0 },
#define OF_SYSCALL                                                                                 \
	{ "syscall", "syscall", TABLE_TEXT, TABLE_KEEP, cell_syscall, 0 },                         \
		{ "nr", "nr", TABLE_INTEGER, TABLE_EACH | TABLE_MACHINE, cell_nr, 0 },
#define OF_TASK CELLS_OF_TASK,
#define OF_CPU { "cpu", "CPU", TABLE_INTEGER, TABLE_EACH, cell_cpu, 0 },
#define OF_TIME { "from_ns", "from s", TABLE_TIME, TABLE_EACH, cell_from, 0 },
#define EVENTS                                                                                     \
	{ "events", "events", TABLE_COUNT, TABLE_KEEP, cell_u64, ROW(events) },                    \
		{ "events_per_s", "events/s", TABLE_COUNT, TABLE_GAUGE, cell_rate, 0 },            \
	{                                                                                          \
		"events_percent", "%", TABLE_PERCENT, 0, cell_of_all, 0                            \
	}
#define CALLS                                                                                          \
	{ "calls", "calls", TABLE_COUNT, TABLE_KEEP | TABLE_OF_CALLS, cell_u64, ROW(events) },         \
		{ "calls_per_s", "calls/s", TABLE_COUNT, TABLE_GAUGE | TABLE_OF_CALLS, cell_rate, 0 }, \
		{ "returns", "returns",   TABLE_COUNT, TABLE_WIDE | TABLE_OF_RETURNS,                  \
		  cell_u64,  ROW(returns) },                                                           \
		{ "errors", "errors", TABLE_COUNT, TABLE_OF_RETURNS, cell_u64, ROW(errors) },          \
		{ "time_ns", "sum ms", TABLE_MS, TABLE_KEEP | TABLE_OF_CALLS | TABLE_OF_RETURNS,       \
		  cell_sum,  ROW(time) },                                                              \
		{ "min_ns", "min us", TABLE_US, TABLE_OF_CALLS | TABLE_OF_RETURNS,                     \
		  cell_min, ROW(time) },                                                               \
		{ "avg_ns", "avg us", TABLE_US, TABLE_OF_CALLS | TABLE_OF_RETURNS,                     \
		  cell_avg, ROW(time) },                                                               \
		{ "p50_ns", "p50 us", TABLE_US, TABLE_OF_CALLS | TABLE_OF_RETURNS,                     \
		  cell_p50, ROW(time) },                                                               \
		{ "p99_ns", "p99 us", TABLE_US, TABLE_OF_CALLS | TABLE_OF_RETURNS,                     \
		  cell_p99, ROW(time) },                                                               \
		{ "max_ns", "max us", TABLE_US, TABLE_OF_CALLS | TABLE_OF_RETURNS,                     \
		  cell_max, ROW(time) },                                                               \
		{ "max_at_ns", "max at s",                                                             \
		  TABLE_TIME,  TABLE_WIDE | TABLE_OF_CALLS | TABLE_OF_RETURNS,                         \
		  cell_max_at, ROW(time) },                                                            \
	{                                                                                              \
		"broken", "broken", TABLE_COUNT, TABLE_WIDE | TABLE_OF_CALLS | TABLE_OF_RETURNS,       \
			cell_u64, ROW(broken)                                                          \
	}

/* Column lists for each combination of keys, with and without buckets: tables can be joined only if
 * their columns are the same list. */
#define COLUMNS(what, WHAT, FIGURES)                                                               \
	static const struct table_column what##_[] = { WHAT FIGURES, TABLE_COLUMNS_END };          \
	static const struct table_column what##_task[] = { WHAT OF_TASK FIGURES,                   \
							   TABLE_COLUMNS_END };                    \
	static const struct table_column what##_cpu[] = { WHAT OF_CPU FIGURES,                     \
							  TABLE_COLUMNS_END };                     \
	static const struct table_column what##_task_cpu[] = { WHAT OF_TASK OF_CPU FIGURES,        \
							       TABLE_COLUMNS_END };                \
	static const struct table_column what##_time[] = { OF_TIME WHAT FIGURES,                   \
							   TABLE_COLUMNS_END };                    \
	static const struct table_column what##_time_task[] = { OF_TIME WHAT OF_TASK FIGURES,      \
								TABLE_COLUMNS_END };               \
	static const struct table_column what##_time_cpu[] = { OF_TIME WHAT OF_CPU FIGURES,        \
							       TABLE_COLUMNS_END };                \
	static const struct table_column what##_time_task_cpu[] = {                                \
		OF_TIME WHAT OF_TASK OF_CPU FIGURES, TABLE_COLUMNS_END                             \
	};                                                                                         \
	static const struct table_column *const columns_of_##what[] = {                            \
		what##_,     what##_task,      what##_cpu,      what##_task_cpu,                   \
		what##_time, what##_time_task, what##_time_cpu, what##_time_task_cpu,              \
	};

COLUMNS(all, NO_KEY, EVENTS)
COLUMNS(event, OF_EVENT, EVENTS)
COLUMNS(syscall, OF_SYSCALL, CALLS)

static const struct table_column *columns_by(const struct analyze_counts_options *how)
{
	size_t which = !!(how->by & ANALYZE_COUNTS_BY_TASK) +
		       2 * !!(how->by & ANALYZE_COUNTS_BY_CPU) +
		       4 * (how->bucket_ns || how->by & ANALYZE_COUNTS_BY_WINDOW);

	return how->by & ANALYZE_COUNTS_BY_SYSCALL ? columns_of_syscall[which]
	       : how->by & ANALYZE_COUNTS_BY_EVENT ? columns_of_event[which]
						   : columns_of_all[which];
}

/* ---- rows ---- */

struct rows {
	ARRAY(struct row) all;
	struct index whats, keys;
	bool failed;
};

static struct row *row_of(struct rows *rows, const struct analyze_counts_row *of, bool by_task)
{
	/* the number of the event type or system call, in 32 bits */
	uint32_t what = index_take(&rows->whats, (uint64_t)of->nr, of->type);
	uint32_t at = index_take(&rows->keys, (uint64_t)what << 32 | (by_task ? of->task : 0),
				 of->bucket << 17 | (of->cpu & 0x1ffff));
	struct row *row = what == INDEX_NONE ? NULL : row_at(&rows->all, at);

	if (row) {
		row->sum.type = of->type;
		row->sum.nr = of->nr;
		row->sum.task = by_task ? of->task : 0;
		row->sum.cpu = of->cpu;
		row->sum.bucket = of->bucket;
	}
	return row;
}

static bool is_wanted(const struct tables_walk *w, uint32_t task)
{
	return task == ANALYZE_NO_TASK ? !w->opts.names.filter.vm && !w->opts.names.filter.n_tids &&
						 !w->opts.names.filter.matches
				       : names_wanted(&w->names, analyze_engine_task(w->eng, task));
}

static void collect(struct rows *rows, struct row *all, const struct tables_walk *w,
		    bool told_apart, bool by_task)
{
	for (size_t i = 0; i < analyze_counts_row_count(w->counts) && !rows->failed; i++) {
		const struct analyze_counts_row *of = analyze_counts_row_at(w->counts, i);
		struct row *row;

		/* a row without figures had only markers */
		if ((told_apart && !is_wanted(w, of->task)) || (!of->events && !of->returns))
			continue;
		row = row_of(rows, of, by_task);
		if (!row || analyze_counts_row_merge(&row->sum, of) ||
		    analyze_counts_row_merge(&all->sum, of)) {
			rows->failed = true;
			return;
		}
		row->lossy |= told_apart && of->task != ANALYZE_NO_TASK &&
			      tables_lossy(w, analyze_engine_task(w->eng, of->task));
	}
}

static void rows_fini(struct rows *rows)
{
	for (size_t i = 0; i < rows->all.n; i++)
		analyze_counts_row_fini(&rows->all.at[i].sum);
	array_fini(&rows->all);
	index_fini(&rows->whats);
	index_fini(&rows->keys);
}

static void fill_row(struct table *t, const struct tables_walk *w, const struct row *row,
		     const struct row *all, const struct tables_count_options *how)
{
	const struct analyze_counts_options *by = analyze_counts_how(w->counts);
	const struct analyze_summary *sum = analyze_engine_summary(w->eng);
	char name[SYSCALLS_ROOM];
	uint64_t to_ns;
	struct tables_row r = {
		.w = w, .row = row, .whole = all, .window_ns = sum->window_ns, .total = row == all
	};

	if (row == all) {
		/* "total" only once: it is already in the column of the event, if there is one */
		r.name = by->by & (ANALYZE_COUNTS_BY_EVENT | ANALYZE_COUNTS_BY_SYSCALL) ? NULL
											: "total";
		table_total(t);
	} else {
		table_row(t);
	}
	if (by->by & ANALYZE_COUNTS_BY_SYSCALL)
		r.other_name = syscalls_name(how->abi, row->sum.nr, name);
	if (how->by_task && row != all && row->sum.task != ANALYZE_NO_TASK)
		r.task = analyze_engine_task(w->eng, row->sum.task);
	if (by->by & ANALYZE_COUNTS_BY_WINDOW && row != all) {
		analyze_engine_window_at(w->eng, row->sum.bucket, &r.from_ns, &to_ns);
		r.window_ns = to_ns - r.from_ns;
	} else if (by->bucket_ns && row != all) {
		r.from_ns = sum->from_ns + row->sum.bucket * by->bucket_ns;
		if (__builtin_add_overflow(r.from_ns, by->bucket_ns, &to_ns))
			to_ns = UINT64_MAX;
		r.window_ns = analyze_engine_clip(w->eng, r.from_ns, to_ns);
	}
	cells_fill(t, &r);
	table_lossy(t, row->lossy);
}

struct table *tables_count(const struct tables_walk *w, const struct tables_count_options *how)
{
	struct analyze_counts_options shown = *analyze_counts_how(w->counts);
	bool told_apart = shown.by & ANALYZE_COUNTS_BY_TASK;
	bool by_time = shown.bucket_ns || shown.by & ANALYZE_COUNTS_BY_WINDOW;
	struct rows rows = { 0 };
	struct row all = { 0 };
	struct table *t;

	if (!how->by_task)
		shown.by &= ~(unsigned)ANALYZE_COUNTS_BY_TASK;
	t = table_new("count", columns_by(&shown));
	if (!t)
		return NULL;
	t->order = shown.by & ANALYZE_COUNTS_BY_SYSCALL
			   ? (by_time ? "from_ns:asc,calls" : "calls")
			   : (by_time ? "from_ns:asc,events" : "events");
	collect(&rows, &all, w, told_apart, how->by_task);
	for (size_t i = 0; i < rows.all.n && !rows.failed; i++) {
		struct row *row = &rows.all.at[i];

		row->lossy |= analyze_engine_loss_ns(w->eng, CDICT_CPU_UNKNOWN) > 0;
		all.lossy |= row->lossy;
		fill_row(t, w, row, &all, how);
	}
	if (!rows.failed)
		fill_row(t, w, &all, &all, how);
	t->failed |= rows.failed;
	analyze_counts_row_fini(&all.sum);
	rows_fini(&rows);
	return table_done(t);
}
