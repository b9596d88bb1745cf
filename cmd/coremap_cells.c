/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict coremap: the cells, for programs. */
#include <stdlib.h>

#include "cmd/coremap.h"

enum { CPU = TASK_COLUMNS, IDLE, UNKNOWN, RUN, RUN_PERCENT, EDGE, SWITCHES };

static const struct table_column columns[] = {
	FIGURES_TASK_COLUMNS,
	[CPU] = { "cpu", "cpu", TABLE_INTEGER, 0 },
	[IDLE] = { "idle", "idle", TABLE_INTEGER, 0 },
	[UNKNOWN] = { "unknown", "unknown", TABLE_INTEGER, 0 },
	[RUN] = { "run_ns", "run ms", TABLE_MS, 0 },
	[RUN_PERCENT] = { "run_percent", "run %", TABLE_PERCENT, 0 },
	[EDGE] = { "edge_ns", "edge ms", TABLE_MS, 0 },
	[SWITCHES] = { "switches", "switches", TABLE_COUNT, 0 },
	TABLE_COLUMNS_END,
};

static bool asked_for(const struct figures *f, uint32_t cpu)
{
	const struct cmd_cpus *cpus = &f->opts->cpus;

	return !cpus->bits || (cpu < cpus->n && (cpus->bits[cpu / 64] >> (cpu % 64) & 1));
}

/* Time of which nobody knows who ran: cells of no task, idle 0 and unknown 1. */
static void unknown_cells(struct table *t, const struct figures *f,
			  const struct analyze_coremap *map, uint64_t window_ns)
{
	for (uint32_t c = 0; c < analyze_engine_cpus(f->eng); c++) {
		uint64_t ns = analyze_coremap_cpu(map, c)->unknown_ns;

		if (!ns)
			continue;
		table_row(t);
		table_i64(t, CPU, c);
		table_i64(t, IDLE, 0);
		table_i64(t, UNKNOWN, 1);
		table_u64(t, RUN, ns);
		table_share(t, RUN_PERCENT, ns, window_ns);
		table_lossy(t, analyze_engine_loss_ns(f->eng, c) > 0);
	}
}

int coremap_cells(struct table **out, const struct figures *f, const struct analyze_coremap *map)
{
	uint64_t window_ns = analyze_engine_summary(f->eng)->window_ns;
	struct table *t = table_new("coremap", columns);
	int status = t ? CMD_DONE : figures_no_memory(f);

	*out = t;
	for (size_t i = 0; i < analyze_coremap_count(map) && !status; i++) {
		const struct analyze_core_cell *cell = analyze_coremap_at(map, i);
		const struct analyze_task *task = analyze_engine_task(f->eng, cell->task);

		if (!names_wanted(&f->names, &f->filter, task))
			continue;
		table_row(t);
		status = figures_task_cells(t, f, task);
		table_i64(t, CPU, cell->cpu);
		table_i64(t, IDLE, task->tid == 0);
		table_i64(t, UNKNOWN, 0);
		table_u64(t, RUN, cell->run_ns);
		table_share(t, RUN_PERCENT, cell->run_ns, window_ns);
		table_u64(t, EDGE, cell->edge_ns);
		table_u64(t, SWITCHES, cell->switches);
	}
	if (!status)
		unknown_cells(t, f, map, window_ns);
	return status;
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

int coremap_cpus(struct table **out, const struct figures *f, const struct analyze_coremap *map)
{
	uint64_t window_ns = analyze_engine_summary(f->eng)->window_ns;
	struct table *t = table_new("cpus", cpu_columns);

	*out = t;
	if (!t)
		return figures_no_memory(f);
	for (uint32_t c = 0; c < analyze_engine_cpus(f->eng); c++) {
		const struct analyze_core_cpu *cpu = analyze_coremap_cpu(map, c);

		if (!asked_for(f, c))
			continue;
		table_row(t);
		table_i64(t, C_CPU, c);
		if (f->nodes && c < cdict_reader_cpus(f->reader) && f->nodes[c] >= 0)
			table_i64(t, C_NODE, f->nodes[c]);
		table_u64(t, C_BUSY, cpu->busy_ns);
		table_share(t, C_BUSY_PERCENT, cpu->busy_ns, window_ns);
		table_u64(t, C_IDLE, cpu->idle_ns);
		table_share(t, C_IDLE_PERCENT, cpu->idle_ns, window_ns);
		table_u64(t, C_UNKNOWN, cpu->unknown_ns);
		table_u64(t, C_SWITCHES, cpu->switches);
		table_lossy(t, analyze_engine_loss_ns(f->eng, c) > 0);
	}
	return CMD_DONE;
}
