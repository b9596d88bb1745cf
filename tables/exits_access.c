/* SPDX-License-Identifier: LGPL-2.1-only */
/* Exits: time in the guest, and accesses by port, address, MSR and vector. */
#include <inttypes.h>
#include <stdlib.h>

#include "tables/tables.h"
#include "tables/task_cells.h"

enum {
	G_NAME,
	G_TID,
	G_VM,
	G_VCPU,
	G_ENTRIES,
	G_TIME,
	G_PERCENT,
	G_AVG,
	G_P50,
	G_P99,
	G_P999,
	G_MAX,
	G_MAX_AT,
	G_BROKEN
};

static const struct table_column guest_columns[] = {
	[G_NAME] = { "name", "task", TABLE_TEXT, 0 },
	[G_TID] = { "tid", "tid", TABLE_INTEGER, 0 },
	[G_VM] = { "vm", "vm", TABLE_TEXT, 0 },
	[G_VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, 0 },
	[G_ENTRIES] = { "entries", "entries", TABLE_COUNT, 0 },
	[G_TIME] = { "guest_ns", "guest ms", TABLE_MS, 0 },
	[G_PERCENT] = { "guest_percent", "guest %", TABLE_PERCENT, 0 },
	[G_AVG] = { "avg_ns", "avg us", TABLE_US, 0 },
	[G_P50] = { "p50_ns", "p50 us", TABLE_US, TABLE_WIDE },
	[G_P99] = { "p99_ns", "p99 us", TABLE_US, 0 },
	[G_P999] = { "p999_ns", "p99.9 us", TABLE_US, TABLE_WIDE },
	[G_MAX] = { "max_ns", "max us", TABLE_US, 0 },
	[G_MAX_AT] = { "max_at_ns", "max at s", TABLE_TIME, TABLE_WIDE },
	[G_BROKEN] = { "unpaired", "unpaired", TABLE_COUNT, TABLE_WIDE },
	TABLE_COLUMNS_END,
};

static void who_cells(struct table *t, const struct tables_walk *w, const struct analyze_task *task)
{
	task_cell_name(t, G_NAME, w, task);
	table_i64(t, G_TID, task->tid);
	task_cell_vm(t, G_VM, w, task);
	task_cell_vcpu(t, G_VCPU, w, task);
	table_lossy(t, tables_lossy(w, task));
}

struct table *tables_guest(const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	struct table *t = table_new("guest", guest_columns);

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_exits_guest_count(w->exits); i++) {
		const struct analyze_guest_row *row = analyze_exits_guest_at(w->exits, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);

		if (!names_wanted(&w->names, task))
			continue;
		table_row(t);
		who_cells(t, w, task);
		table_u64(t, G_ENTRIES, row->entries);
		table_u64(t, G_TIME, row->guest_ns);
		table_share(t, G_PERCENT, row->guest_ns, window_ns);
		if (row->time.count) {
			table_u64(t, G_AVG, histogram_avg(&row->time));
			table_u64(t, G_P50, histogram_percentile(&row->time, 50));
			table_u64(t, G_P99, histogram_percentile(&row->time, 99));
			table_u64(t, G_P999, histogram_percentile(&row->time, 99.9));
			table_u64(t, G_MAX, row->time.max);
			table_u64(t, G_MAX_AT, row->time.max_at);
		}
		table_u64(t, G_BROKEN, row->broken);
	}
	return table_done(t);
}

/* The first four are those of the guest table. */
enum {
	A_WHERE = G_VCPU + 1,
	A_DIRECTION,
	A_COUNT,
	A_SAMPLES,
	A_TIME,
	A_MIN,
	A_AVG,
	A_P50,
	A_P99,
	A_P999,
	A_MAX,
	A_MAX_AT
};

#define ACCESS_COLUMNS(key, title)                                                                    \
	{                                                                                             \
		[G_NAME] = { "name", "task", TABLE_TEXT, 0 },                                         \
		[G_TID] = { "tid", "tid", TABLE_INTEGER, 0 }, [G_VM] = { "vm", "vm", TABLE_TEXT, 0 }, \
		[G_VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, 0 },                                      \
		[A_WHERE] = { key, title, TABLE_TEXT, 0 },                                            \
		[A_DIRECTION] = { "direction", "direction", TABLE_TEXT, 0 },                          \
		[A_COUNT] = { "count", "count", TABLE_COUNT, 0 },                                     \
		[A_SAMPLES] = { "timed", "timed", TABLE_COUNT, TABLE_WIDE },                          \
		[A_TIME] = { "time_ns", "time ms", TABLE_MS, 0 },                                     \
		[A_MIN] = { "min_ns", "min us", TABLE_US, 0 },                                        \
		[A_AVG] = { "avg_ns", "avg us", TABLE_US, 0 },                                        \
		[A_P50] = { "p50_ns", "p50 us", TABLE_US, TABLE_WIDE },                               \
		[A_P99] = { "p99_ns", "p99 us", TABLE_US, 0 },                                        \
		[A_P999] = { "p999_ns", "p99.9 us", TABLE_US, TABLE_WIDE },                           \
		[A_MAX] = { "max_ns", "max us", TABLE_US, 0 },                                        \
		[A_MAX_AT] = { "max_at_ns", "max at s", TABLE_TIME, TABLE_WIDE },                     \
		TABLE_COLUMNS_END,                                                                    \
	}

static const struct table_column access_columns[ANALYZE_ACCESS_N][A_MAX_AT + 2] = {
	[ANALYZE_ACCESS_PIO] = ACCESS_COLUMNS("port", "port"),
	[ANALYZE_ACCESS_MMIO] = ACCESS_COLUMNS("address", "address"),
	[ANALYZE_ACCESS_MSR] = ACCESS_COLUMNS("msr", "MSR"),
	[ANALYZE_ACCESS_VIRQ] = ACCESS_COLUMNS("vector", "vector"),
};

static const char *direction(const struct analyze_access_row *row)
{
	switch (row->kind) {
	case ANALYZE_ACCESS_PIO:
		return row->write ? "out" : "in";
	case ANALYZE_ACCESS_MMIO:
	case ANALYZE_ACCESS_MSR:
		return row->write ? "write" : "read";
	default:
		return NULL;
	}
}

struct table *tables_accesses(const struct tables_walk *w, enum analyze_access_kind kind)
{
	struct table *t = table_new("exits", access_columns[kind]);

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_exits_access_count(w->exits); i++) {
		const struct analyze_access_row *row = analyze_exits_access_at(w->exits, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
		const struct histogram *h = &row->time;
		char where[32];

		if (row->kind != kind || !names_wanted(&w->names, task))
			continue;
		table_row(t);
		who_cells(t, w, task);
		snprintf(where, sizeof(where), "0x%" PRIx64, row->where);
		table_text(t, A_WHERE, where);
		table_text(t, A_DIRECTION, direction(row));
		table_u64(t, A_COUNT, row->events);
		table_u64(t, A_SAMPLES, h->count);
		if (!h->count)
			continue;
		table_u64(t, A_TIME, h->sum);
		table_u64(t, A_MIN, h->min);
		table_u64(t, A_AVG, histogram_avg(h));
		table_u64(t, A_P50, histogram_percentile(h, 50));
		table_u64(t, A_P99, histogram_percentile(h, 99));
		table_u64(t, A_P999, histogram_percentile(h, 99.9));
		table_u64(t, A_MAX, h->max);
		table_u64(t, A_MAX_AT, h->max_at);
	}
	return table_done(t);
}
