/* SPDX-License-Identifier: LGPL-2.1-only */
/* Exits: reasons and times. */
#include "analyze/printing/reasons.h"
#include "base/memory/array.h"
#include "base/memory/map.h"
#include "tables/columns/decl.h"
#include "tables/columns/tables.h"

#define ROW(member) offsetof(struct analyze_exit_row, member)

static void cell_code(const struct cell *c)
{
	const struct analyze_exit_row *row = c->row;

	if (row->isa != ANALYZE_ISA_UNTOLD)
		table_u64(c->t, c->column, row->reason);
}

/* Shares are of the exits without idle ones. */
static void cell_count_share(const struct cell *c)
{
	const struct analyze_exit_row *row = c->row;
	const struct tables_exits_totals *sum = c->r->whole;

	if (!row->idle)
		table_share(c->t, c->column, row->events, sum->work.events);
}

static bool has_runs(const struct tables_walk *w)
{
	return analyze_engine_summary(w->eng)->has_runs;
}

static void cell_off_cpu(const struct cell *c)
{
	const struct analyze_exit_row *row = c->row;

	if (row->cpu_ns <= row->time.sum)
		table_u64(c->t, c->column, row->time.sum - row->cpu_ns);
}

static void cell_cpu_share(const struct cell *c)
{
	const struct analyze_exit_row *row = c->row;
	const struct tables_exits_totals *sum = c->r->whole;

	if (!row->idle)
		table_share(c->t, c->column, row->cpu_ns, sum->work.cpu_ns);
}

/* Without sched_switch the part on a CPU is unknown. */
static void cell_time_share(const struct cell *c)
{
	const struct analyze_exit_row *row = c->row;
	const struct tables_exits_totals *sum = c->r->whole;

	if (!row->idle && (c->t->lacks & (TABLE_OF_SWITCHES | TABLE_OF_RUNS)))
		table_share(c->t, c->column, row->time.sum, sum->work.time.sum);
}

enum { NAME = 0, VM = 3, REASON = 5 };

static const struct table_column columns[] = {
	[NAME] = { "name", "task", TABLE_TEXT, 0, cell_name, 0 },
	{ "tid", "tid", TABLE_INTEGER, 0, cell_tid, 0 },
	{ "pid", "pid", TABLE_INTEGER, TABLE_WIDE, cell_pid, 0 },
	[VM] = { "vm", "vm", TABLE_TEXT, TABLE_IN_NAME, cell_vm, 0 },
	{ "vcpu", "vcpu", TABLE_INTEGER, TABLE_IN_NAME, cell_vcpu, 0 },
	[REASON] = { "reason", "reason", TABLE_TEXT, 0, cell_text, ROW(name) },
	{ "reason_code", "code", TABLE_CODE, TABLE_MACHINE | TABLE_EACH, cell_code, 0 },
	{ "idle", "idle", TABLE_INTEGER, TABLE_MACHINE | TABLE_EACH, cell_bool, ROW(idle) },
	{ "count", "exits", TABLE_COUNT, TABLE_KEEP, cell_u64, ROW(events) },
	{ "count_percent", "exits %", TABLE_PERCENT, TABLE_SPARE, cell_count_share, 0 },
	{ "cpu_ns", "on CPU ms", TABLE_MS,
	  TABLE_KEEP | TABLE_OF_ENTRIES | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_u64,
	  ROW(cpu_ns) },
	{ "cpu_percent", "CPU %", TABLE_PERCENT,
	  TABLE_OF_ENTRIES | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_cpu_share, 0 },
	{ "off_cpu_ns", "off CPU ms", TABLE_MS,
	  TABLE_OF_ENTRIES | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_off_cpu, 0 },
	{ "time_ns", "time ms", TABLE_MS, TABLE_KEEP | TABLE_OF_ENTRIES, cell_sum, ROW(time) },
	{ "time_percent", "time %", TABLE_PERCENT, TABLE_OF_ENTRIES, cell_time_share, 0 },
	{ "min_ns", "min us", TABLE_US, TABLE_SPARE, cell_min, ROW(time) },
	{ "avg_ns", "avg us", TABLE_US, 0, cell_avg, ROW(time) },
	{ "p50_ns", "p50 us", TABLE_US, TABLE_WIDE, cell_p50, ROW(time) },
	{ "p99_ns", "p99 us", TABLE_US, 0, cell_p99, ROW(time) },
	{ "p999_ns", "p99.9 us", TABLE_US, TABLE_WIDE, cell_p999, ROW(time) },
	{ "max_ns", "max us", TABLE_US, TABLE_KEEP, cell_max, ROW(time) },
	{ "max_at_ns", "max at s", TABLE_TIME, TABLE_WIDE, cell_max_at, ROW(time) },
	{ "unpaired", "unpaired", TABLE_COUNT, TABLE_WIDE, cell_u64, ROW(broken) },
	TABLE_COLUMNS_END,
};

static const struct tables_change changes[] = {
	TABLES_PER_S("count", "rate", "exits/s", false),
	TABLES_SHARE("cpu", "cpu", "on CPU %", false),
	TABLES_SHARE("time", "time", "time %", false),
	TABLES_NS("avg", "avg", "avg ms", true),
	TABLES_NS("p99", "p99", "p99 ms", false),
	TABLES_NS("max", "max", "max ms", true),
	TABLES_CHANGES_END,
};

TABLES_ROWS(exits, exits, analyze_exits_count, analyze_exits_at)
TABLES_SUMS(exits, analyze_exit_row_merge, analyze_exit_row_fini)

const struct tables_decl tables_decl_exits = {
	.name = "exits",
	.columns = columns,
	.changes = changes,
	.count = exits_count,
	.at = exits_at,
	.row_size = sizeof(struct analyze_exit_row),
	.merge = exits_merge,
	.fini = exits_fini,
	.reason_at = ROW(name),
	.key_reason = true,
};

/* Rows that are printed as one. */
struct group {
	const struct analyze_task *task; /* the only or first task */
	bool many_tasks, lossy;
	struct analyze_exit_row row;
};

struct groups {
	ARRAY(struct group) all;
	struct map whose, by_reason;
};

/* The number of the row's group, created if new; NULL: out of memory. */
static const uint32_t *whose(struct groups *groups, const struct tables_walk *w,
			     const struct analyze_task *task, enum tables_exits_by by)
{
	uint64_t vm = by == TABLES_EXITS_BY_VM || by == TABLES_EXITS_BY_VCPU
			      ? (uintptr_t)names_vm(&w->names, task) /* one text per VM */
			      : 0;
	/* a task without a vCPU number counts as a separate vCPU */
	uint64_t which = by == TABLES_EXITS_BY_TASK ||
					 (by == TABLES_EXITS_BY_VCPU && task->vcpu_id < 0)
				 ? UINT64_C(1) << 32 | task->index
			 : by == TABLES_EXITS_BY_VCPU ? (uint32_t)task->vcpu_id
						      : 0;
	uint32_t *number = map_add(&groups->whose, vm, which);

	if (number && *number == MAP_NEW)
		*number = (uint32_t)groups->whose.n;
	return number;
}

static struct group *find_group(struct groups *groups, const struct tables_walk *w,
				const struct analyze_exit_row *row, enum tables_exits_by by)
{
	const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
	const uint32_t *group = whose(groups, w, task, by);
	uint32_t *number =
		group ? map_add(&groups->by_reason, row->reason, (uint64_t)row->isa << 32 | *group)
		      : NULL;
	struct group *g;

	if (!number)
		return NULL;
	if (*number != MAP_NEW) {
		g = &groups->all.at[*number];
		g->many_tasks |= g->task != task;
		return g;
	}
	*number = (uint32_t)groups->all.n;
	g = array_add(&groups->all);
	if (!g)
		return NULL;
	*g = (struct group){ .task = task,
			     .row = { .isa = row->isa,
				      .reason = row->reason,
				      .name = row->name,
				      .idle = row->idle } };
	return g;
}

static void fill_row(struct table *t, const struct tables_walk *w, const struct group *g,
		     enum tables_exits_by by, const struct tables_exits_totals *sum)
{
	struct tables_row r = { .w = w, .row = &g->row, .task = g->task, .whole = sum };

	if (by == TABLES_EXITS_BY_REASON)
		r.hidden = HIDE_NAME | HIDE_VM | HIDE_VCPU;
	else if (by == TABLES_EXITS_BY_VM)
		r.hidden = HIDE_NAME | HIDE_VCPU;
	else if (g->many_tasks)
		r.hidden = HIDE_NAME;
	table_row(t);
	cells_fill(t, &r);
	table_lossy(t, g->lossy);
}

static void fill_total(struct table *t, const struct tables_walk *w, enum tables_exits_by by,
		       const struct tables_exits_totals *sum, bool lossy)
{
	struct tables_row r = { .w = w, .row = &sum->work, .whole = sum, .total = true };

	table_total(t);
	cells_fill(t, &r);
	table_text(t,
		   by == TABLES_EXITS_BY_REASON ? REASON
		   : by == TABLES_EXITS_BY_VM   ? VM
						: NAME,
		   "total without idle");
	table_lossy(t, lossy);
}

struct table *tables_exits(const struct tables_walk *w, enum tables_exits_by by,
			   struct tables_idle_exits *idle)
{
	struct table *t = table_new(tables_decl_exits.name, columns);
	struct groups groups = { 0 };
	struct tables_exits_totals sum = { 0 };
	bool lossy = false;

	if (!t)
		return NULL;
	t->order = has_runs(w) ? "idle,cpu_ns" : "idle,time_ns";
	t->grouped = by == TABLES_EXITS_BY_REASON || by == TABLES_EXITS_BY_VM;
	for (size_t i = 0; i < analyze_exits_count(w->exits) && !t->failed; i++) {
		const struct analyze_exit_row *row = analyze_exits_at(w->exits, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
		struct group *g;

		if (!names_wanted(&w->names, task))
			continue;
		g = find_group(&groups, w, row, by);
		if (!g) {
			t->failed = true;
			break;
		}
		g->lossy |= tables_lossy(w, task);
		lossy |= tables_lossy(w, task);
		t->failed |= analyze_exit_row_merge(&g->row, row) ||
			     analyze_exit_row_merge(row->idle ? &sum.idle : &sum.work, row);
	}
	for (size_t i = 0; i < groups.all.n; i++) {
		fill_row(t, w, &groups.all.at[i], by, &sum);
		analyze_exit_row_fini(&groups.all.at[i].row);
	}
	fill_total(t, w, by, &sum, lossy);
	if (idle)
		*idle = (struct tables_idle_exits){ sum.idle.events, sum.idle.time.sum };
	analyze_exit_row_fini(&sum.work);
	analyze_exit_row_fini(&sum.idle);
	array_fini(&groups.all);
	map_fini(&groups.whose);
	map_fini(&groups.by_reason);
	return table_done(t);
}
