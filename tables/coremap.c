/* SPDX-License-Identifier: LGPL-2.1-only */
/* The core map: its cells, and the CPUs. */
#include "tables/tables.h"
#include "tables/task_cells.h"

enum { CPU = TASK_COLUMNS, IDLE, UNKNOWN, RUN, RUN_PERCENT, EDGE, SWITCHES };

static const struct table_column columns[] = {
	TASK_CELLS,
	[CPU] = { "cpu", "cpu", TABLE_INTEGER, 0 },
	[IDLE] = { "idle", "idle", TABLE_INTEGER, 0 },
	[UNKNOWN] = { "unknown", "unknown", TABLE_INTEGER, 0 },
	[RUN] = { "run_ns", "run ms", TABLE_MS, 0 },
	[RUN_PERCENT] = { "run_percent", "run %", TABLE_PERCENT, 0 },
	[EDGE] = { "edge_ns", "edge ms", TABLE_MS, 0 },
	[SWITCHES] = { "switches", "switches", TABLE_COUNT, 0 },
	TABLE_COLUMNS_END,
};

/* Time of which nobody knows who ran: cells of no task, idle 0 and unknown 1. */
static void unknown_cells(struct table *t, const struct tables_walk *w, uint64_t window_ns)
{
	for (uint32_t c = 0; c < analyze_engine_cpus(w->eng); c++) {
		uint64_t ns = analyze_coremap_cpu(w->coremap, c)->unknown_ns;

		if (!ns)
			continue;
		table_row(t);
		table_i64(t, CPU, c);
		table_i64(t, IDLE, 0);
		table_i64(t, UNKNOWN, 1);
		table_u64(t, RUN, ns);
		table_share(t, RUN_PERCENT, ns, window_ns);
		table_lossy(t, analyze_engine_loss_ns(w->eng, c) > 0);
	}
}

struct table *tables_coremap(const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	struct table *t = table_new("coremap", columns);

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_coremap_count(w->coremap); i++) {
		const struct analyze_core_cell *cell = analyze_coremap_at(w->coremap, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, cell->task);

		if (!names_wanted(&w->names, task))
			continue;
		table_row(t);
		task_cells(t, w, task);
		table_i64(t, CPU, cell->cpu);
		table_i64(t, IDLE, task->tid == 0);
		table_i64(t, UNKNOWN, 0);
		table_u64(t, RUN, cell->run_ns);
		table_share(t, RUN_PERCENT, cell->run_ns, window_ns);
		table_u64(t, EDGE, cell->edge_ns);
		table_u64(t, SWITCHES, cell->switches);
	}
	unknown_cells(t, w, window_ns);
	return table_done(t);
}

/* ---- per CPU ---- */

enum { C_CPU, C_NODE, C_BUSY, C_BUSY_PERCENT, C_IDLE, C_IDLE_PERCENT, C_UNKNOWN, C_SWITCHES };

static const struct table_column cpu_columns[] = {
	[C_CPU] = { "cpu", "CPU", TABLE_INTEGER, 0 },
	[C_NODE] = { "node", "node", TABLE_INTEGER, 0 },
	[C_BUSY] = { "busy_ns", "busy ms", TABLE_MS, 0 },
	[C_BUSY_PERCENT] = { "busy_percent", "busy %", TABLE_PERCENT, 0 },
	[C_IDLE] = { "idle_ns", "idle ms", TABLE_MS, 0 },
	[C_IDLE_PERCENT] = { "idle_percent", "idle %", TABLE_PERCENT, 0 },
	[C_UNKNOWN] = { "unknown_ns", "unknown ms", TABLE_MS, 0 },
	[C_SWITCHES] = { "switches", "switches", TABLE_COUNT, 0 },
	TABLE_COLUMNS_END,
};

struct table *tables_coremap_cpus(const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	struct table *t = table_new("cpus", cpu_columns);

	if (!t)
		return NULL;
	for (uint32_t c = 0; c < analyze_engine_cpus(w->eng); c++) {
		const struct analyze_core_cpu *cpu = analyze_coremap_cpu(w->coremap, c);

		if (!tables_cpu(w, c))
			continue;
		table_row(t);
		table_i64(t, C_CPU, c);
		if (tables_node(w, c) >= 0)
			table_i64(t, C_NODE, tables_node(w, c));
		table_u64(t, C_BUSY, cpu->busy_ns);
		table_share(t, C_BUSY_PERCENT, cpu->busy_ns, window_ns);
		table_u64(t, C_IDLE, cpu->idle_ns);
		table_share(t, C_IDLE_PERCENT, cpu->idle_ns, window_ns);
		table_u64(t, C_UNKNOWN, cpu->unknown_ns);
		table_u64(t, C_SWITCHES, cpu->switches);
		table_lossy(t, analyze_engine_loss_ns(w->eng, c) > 0);
	}
	return table_done(t);
}
