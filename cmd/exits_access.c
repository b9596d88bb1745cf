/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict exits: time in the guest, and accesses by port, address, MSR and vector. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/exits.h"

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

static int task_cells(struct table *t, const struct figures *f, const struct analyze_task *task)
{
	char *name = names_display(&f->names, task), *vm = names_vm(&f->names, task);

	if (!name) {
		free(vm);
		return figures_no_memory(f);
	}
	figures_name_cell(t, G_NAME, f, task, name);
	table_i64(t, G_TID, task->tid);
	figures_vm_cell(t, G_VM, f, task, vm);
	if (names_vcpu(&f->names, task) >= 0)
		table_i64(t, G_VCPU, names_vcpu(&f->names, task));
	table_lossy(t, figures_lossy(f, task));
	free(name);
	free(vm);
	return CMD_DONE;
}

int exits_fill_guest(struct table **out, const struct figures *f, const struct analyze_exits *exits)
{
	uint64_t window_ns = analyze_engine_summary(f->eng)->window_ns;
	struct table *t = table_new("guest", guest_columns);
	int status = t ? CMD_DONE : figures_no_memory(f);

	*out = t;
	for (size_t i = 0; i < analyze_exits_guest_count(exits) && !status; i++) {
		const struct analyze_guest_row *row = analyze_exits_guest_at(exits, i);
		const struct analyze_task *task = analyze_engine_task(f->eng, row->task);

		if (!names_wanted(&f->names, &f->filter, task))
			continue;
		table_row(t);
		status = task_cells(t, f, task);
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
	return status;
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

int exits_fill_access(struct table **out, const struct figures *f,
		      const struct analyze_exits *exits, enum analyze_access_kind kind)
{
	struct table *t = table_new("exits", access_columns[kind]);
	int status = t ? CMD_DONE : figures_no_memory(f);

	*out = t;
	for (size_t i = 0; i < analyze_exits_access_count(exits) && !status; i++) {
		const struct analyze_access_row *row = analyze_exits_access_at(exits, i);
		const struct analyze_task *task = analyze_engine_task(f->eng, row->task);
		const struct histogram *h = &row->time;
		char where[32];

		if (row->kind != kind || !names_wanted(&f->names, &f->filter, task))
			continue;
		table_row(t);
		status = task_cells(t, f, task);
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
	return status;
}
