/* SPDX-License-Identifier: LGPL-2.1-only */
/* Context switches and busy time per CPU and time bucket. */
#include "tables/tables.h"

enum { CPU, FROM, LENGTH, SWITCHES, INVOLUNTARY, WAKEUPS, RATE, BUSY, BUSY_PERCENT, IDLE, UNKNOWN };

static const struct table_column columns[] = {
	[CPU] = { "cpu", "CPU", TABLE_INTEGER, 0 },
	[FROM] = { "from_ns", "from s", TABLE_TIME, 0 },
	[LENGTH] = { "length_ns", "length ms", TABLE_MS, TABLE_WIDE },
	[SWITCHES] = { "switches", "switches", TABLE_COUNT, 0 },
	[INVOLUNTARY] = { "involuntary", "involunt", TABLE_COUNT, 0 },
	[WAKEUPS] = { "wakeups", "wakeups", TABLE_COUNT, 0 },
	[RATE] = { "switches_per_s", "switches/s", TABLE_COUNT, 0 },
	[BUSY] = { "busy_ns", "busy ms", TABLE_MS, TABLE_WIDE },
	[BUSY_PERCENT] = { "busy_percent", "busy %", TABLE_PERCENT, 0 },
	[IDLE] = { "idle_ns", "idle ms", TABLE_MS, TABLE_WIDE },
	[UNKNOWN] = { "unknown_ns", "unknown ms", TABLE_MS, 0 },
	TABLE_COLUMNS_END,
};

static void add(struct analyze_switch_cell *to, const struct analyze_switch_cell *from)
{
	to->switches += from->switches;
	to->involuntary += from->involuntary;
	to->wakeups += from->wakeups;
	to->busy_ns += from->busy_ns;
	to->idle_ns += from->idle_ns;
	to->unknown_ns += from->unknown_ns;
}

/* @wall_ns: for how long, @cell holding the time of one CPU or of all. */
static void numbers(struct table *t, const struct tables_walk *w,
		    const struct analyze_switch_cell *cell, uint64_t wall_ns)
{
	uint64_t length = cell->busy_ns + cell->idle_ns + cell->unknown_ns;

	table_u64(t, LENGTH, length);
	table_u64(t, SWITCHES, cell->switches);
	table_u64(t, INVOLUNTARY, cell->involuntary);
	if (tables_has_wakeups(w))
		table_u64(t, WAKEUPS, cell->wakeups);
	if (wall_ns)
		table_u64(t, RATE,
			  (uint64_t)((double)cell->switches * 1e9 / (double)wall_ns + 0.5));
	table_u64(t, BUSY, cell->busy_ns);
	table_share(t, BUSY_PERCENT, cell->busy_ns, length);
	table_u64(t, IDLE, cell->idle_ns);
	table_u64(t, UNKNOWN, cell->unknown_ns);
}

/* @buckets: a row a CPU and bucket; else a row a CPU. */
static struct table *fill(const struct tables_walk *w, bool buckets)
{
	uint64_t from_ns = analyze_engine_summary(w->eng)->from_ns;
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	uint64_t bucket_ns = analyze_switches_bucket_ns(w->switches);
	struct table *t = table_new(buckets ? "switches" : "cpus", columns);
	struct analyze_switch_cell all = { 0 };

	if (!t)
		return NULL;
	for (uint32_t c = 0; c < analyze_engine_cpus(w->eng); c++) {
		struct analyze_switch_cell sum = { 0 };
		bool lossy = analyze_engine_loss_ns(w->eng, c) > 0;

		if (!tables_cpu(w, c))
			continue;
		for (uint32_t b = 0; b < analyze_switches_buckets(w->switches); b++) {
			const struct analyze_switch_cell *cell =
				analyze_switches_at(w->switches, c, b);

			add(&sum, cell);
			/* the last may be no more than the window's last instant */
			if (!buckets || (!cell->switches && !cell->wakeups && !cell->busy_ns &&
					 !cell->idle_ns && !cell->unknown_ns))
				continue;
			table_row(t);
			table_i64(t, CPU, c);
			table_u64(t, FROM, from_ns + b * bucket_ns);
			numbers(t, w, cell, cell->busy_ns + cell->idle_ns + cell->unknown_ns);
			table_lossy(t, lossy && cell->unknown_ns);
		}
		add(&all, &sum);
		if (buckets)
			continue;
		table_row(t);
		table_i64(t, CPU, c);
		numbers(t, w, &sum, window_ns);
		table_lossy(t, lossy);
	}
	if (!buckets) {
		table_total(t);
		numbers(t, w, &all, window_ns);
		table_lossy(t, analyze_engine_loss_ns(w->eng, CDICT_CPU_UNKNOWN) > 0);
	}
	return table_done(t);
}

struct table *tables_switches(const struct tables_walk *w)
{
	return fill(w, true);
}

struct table *tables_switches_cpus(const struct tables_walk *w)
{
	return fill(w, false);
}
