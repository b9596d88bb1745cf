/* SPDX-License-Identifier: LGPL-2.1-only */
/* The core map: its cells, and the CPUs. */
#include "tables/columns/decl.h"
#include "tables/columns/tables.h"

#define CELL(member) offsetof(struct analyze_core_cell, member)

/* A row without a task is the time with an unknown task. */
static void cell_unknown(const struct cell *c)
{
	table_i64(c->t, c->column, !c->r->task);
}

static void cell_if_known(const struct cell *c)
{
	if (c->r->task || c->r->several)
		cell_u64(c);
}

/* Empty for tasks, IDLE included, if run times are unknown. */
static void cell_run(const struct cell *c)
{
	if (!c->r->task || !(c->t->lacks & TABLE_OF_RUNS))
		cell_u64(c);
}

static void cell_run_share(const struct cell *c)
{
	if (!c->r->task || !(c->t->lacks & TABLE_OF_RUNS))
		cell_share(c);
}

static const struct table_column columns[] = {
	CELLS_OF_TASK,
	{ "cpu", "cpu", TABLE_INTEGER, 0, cell_u32, CELL(cpu) },
	{ "idle", "idle", TABLE_INTEGER, 0, cell_is_idle, 0 },
	{ "unknown", "unknown", TABLE_INTEGER, 0, cell_unknown, 0 },
	{ "run_ns", "run ms", TABLE_MS, 0, cell_run, CELL(run_ns) },
	{ "run_percent", "run %", TABLE_PERCENT, 0, cell_run_share, CELL(run_ns) },
	{ "edge_ns", "edge ms", TABLE_MS, TABLE_OF_RUNS, cell_if_known, CELL(edge_ns) },
	{ "switches", "switches", TABLE_COUNT, 0, cell_if_known, CELL(switches) },
	TABLE_COLUMNS_END,
};

static const struct tables_change changes[] = {
	TABLES_SHARE("run", "cpu", "run %", false),
	TABLES_PER_S("switches", "switches", "switches/s", false),
	TABLES_CHANGES_END,
};

TABLES_ROWS(coremap, coremap, analyze_coremap_count, analyze_coremap_at)

static int coremap_merge(void *to, const void *from)
{
	struct analyze_core_cell *sum = to;
	const struct analyze_core_cell *cell = from;

	sum->run_ns += cell->run_ns;
	sum->edge_ns += cell->edge_ns;
	sum->switches += cell->switches;
	return 0;
}

static void coremap_fini(void *row)
{
	(void)row; /* owns nothing */
}

const struct tables_decl tables_decl_coremap = {
	.name = "coremap",
	.columns = columns,
	.changes = changes,
	.order = "idle,tid,cpu",
	.count = coremap_count,
	.at = coremap_at,
	.row_size = sizeof(struct analyze_core_cell),
	.merge = coremap_merge,
	.fini = coremap_fini,
	.cpu_at = CELL(cpu),
	.key_cpu = true,
};

struct table *tables_coremap(const struct tables_walk *w)
{
	struct table *t = tables_make(w, &tables_decl_coremap, false);

	for (uint32_t c = 0; t && c < analyze_engine_cpus(w->eng); c++) {
		struct analyze_core_cell cell = {
			.cpu = c, .run_ns = analyze_coremap_cpu(w->coremap, c)->unknown_ns
		};
		struct tables_row r = { .w = w,
					.row = &cell,
					.window_ns = analyze_engine_summary(w->eng)->window_ns };

		if (!cell.run_ns)
			continue;
		table_row(t);
		cells_fill(t, &r);
		table_lossy(t, analyze_engine_loss_ns(w->eng, c) > 0);
	}
	return table_done(t);
}

/* ---- per CPU ---- */

#define CPU(member) offsetof(struct analyze_core_cpu, member)

static void cell_cpu(const struct cell *c)
{
	table_i64(c->t, c->column, c->r->cpu);
}

static void cell_node(const struct cell *c)
{
	if (tables_node(c->r->w, c->r->cpu) >= 0)
		table_i64(c->t, c->column, tables_node(c->r->w, c->r->cpu));
}

/* The CPU's queue; NULL: unknown without switches and wake-ups. */
static const struct analyze_core_queue *queue_of(const struct cell *c)
{
	const struct analyze_core_queue *q = &((const struct analyze_core_cpu *)c->row)->queue;

	return q->seen && q->known_ns && tables_has_wakeups(c->r->w) &&
			       !(c->t->lacks & (TABLE_OF_SWITCHES | TABLE_OF_ALL))
		       ? q
		       : NULL;
}

static void cell_queue_mean(const struct cell *c)
{
	const struct analyze_core_queue *q = queue_of(c);

	if (q)
		table_percent(c->t, c->column, (double)q->waited_ns / (double)q->known_ns);
}

static void cell_queue_u32(const struct cell *c)
{
	if (queue_of(c))
		cell_u32(c);
}

static void cell_queue_u64(const struct cell *c)
{
	if (queue_of(c))
		cell_u64(c);
}

/* Empty when 0. */
static void cell_queue_at(const struct cell *c)
{
	if (queue_of(c) && *(const uint64_t *)((const char *)c->row + c->at))
		cell_u64(c);
}

static const struct table_column cpu_columns[] = {
	{ "cpu", "CPU", TABLE_INTEGER, 0, cell_cpu, 0 },
	{ "node", "node", TABLE_INTEGER, 0, cell_node, 0 },
	{ "busy_ns", "busy ms", TABLE_MS, TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_u64,
	  CPU(busy_ns) },
	{ "busy_percent", "busy %", TABLE_PERCENT, TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_share,
	  CPU(busy_ns) },
	{ "idle_ns", "idle ms", TABLE_MS, TABLE_OF_SWITCHES | TABLE_OF_ALL, cell_u64,
	  CPU(idle_ns) },
	{ "idle_percent", "idle %", TABLE_PERCENT, TABLE_OF_SWITCHES | TABLE_OF_ALL, cell_share,
	  CPU(idle_ns) },
	{ "unknown_ns", "unknown ms", TABLE_MS, 0, cell_u64, CPU(unknown_ns) },
	{ "switches", "switches", TABLE_COUNT, TABLE_OF_SWITCHES, cell_u64, CPU(switches) },
	{ "queue_mean", "queue", TABLE_PERCENT, 0, cell_queue_mean, 0 },
	{ "queue_p50", "q p50", TABLE_COUNT, TABLE_GAUGE, cell_queue_u32, CPU(queue.p50) },
	{ "queue_p99", "q p99", TABLE_COUNT, TABLE_GAUGE, cell_queue_u32, CPU(queue.p99) },
	{ "queue_max", "q max", TABLE_COUNT, TABLE_GAUGE, cell_queue_u32, CPU(queue.max) },
	{ "queue_max_at_ns", "q max at s", TABLE_TIME, 0, cell_queue_at, CPU(queue.max_at_ns) },
	{ "queue_above_1_ns", "q > 1 ms", TABLE_MS, 0, cell_queue_u64, CPU(queue.above_ns) },
	{ "queue_stay_ns", "longest ms", TABLE_MS, TABLE_GAUGE, cell_queue_u64,
	  CPU(queue.stay_ns) },
	{ "queue_stay_at_ns", "longest at s", TABLE_TIME, 0, cell_queue_at, CPU(queue.stay_at_ns) },
	TABLE_COLUMNS_END,
};

struct table *tables_coremap_cpus(const struct tables_walk *w)
{
	struct table *t = table_new("cpus", cpu_columns);

	for (uint32_t c = 0; t && c < analyze_engine_cpus(w->eng); c++) {
		const struct analyze_core_cpu *cpu = analyze_coremap_cpu(w->coremap, c);
		struct tables_row r = { .w = w,
					.row = cpu,
					.cpu = c,
					.window_ns = analyze_engine_summary(w->eng)->window_ns };

		if (!tables_cpu(w, c))
			continue;
		table_row(t);
		cells_fill(t, &r);
		table_lossy(t, analyze_engine_loss_ns(w->eng, c) > 0 ||
				       cpu->unknown_ns > cpu->busy_ns + cpu->idle_ns);
	}
	return table_done(t);
}
