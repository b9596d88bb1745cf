/* SPDX-License-Identifier: LGPL-2.1-only */
/* vCPUs: the tables of states, reasons and antagonists. */
#include <stdlib.h>

#include "analyze/printing/reasons.h"
#include "tables/columns/decl.h"
#include "tables/columns/tables.h"
#include "tables/names/culprits.h"

#define ROW(member) offsetof(struct analyze_vcpu_row, member)

static const struct analyze_vcpu_row *vcpu_of(const struct tables_row *r)
{
	return r->row;
}

static void cell_index(const struct cell *c)
{
	table_i64(c->t, c->column, (int64_t)c->r->index);
}

static void cell_delayed(const struct cell *c)
{
	table_u64(c->t, c->column, analyze_vcpu_delayed_ns(vcpu_of(c->r)));
}

static void cell_delayed_share(const struct cell *c)
{
	table_share(c->t, c->column, analyze_vcpu_delayed_ns(vcpu_of(c->r)), c->r->window_ns);
}

static void cell_worst(const struct cell *c)
{
	if (vcpu_of(c->r)->worst.dur_ns || c->r->compared)
		cell_u64(c);
}

static void cell_worst_at(const struct cell *c)
{
	if (vcpu_of(c->r)->worst.dur_ns)
		cell_u64(c);
}

static void cell_worst_cpu(const struct cell *c)
{
	const struct analyze_wait *worst = &vcpu_of(c->r)->worst;

	if (worst->dur_ns && worst->cpu != CDICT_CPU_UNKNOWN)
		cell_u32(c);
}

static void cell_worst_state(const struct cell *c)
{
	if (vcpu_of(c->r)->worst.dur_ns)
		table_text(c->t, c->column, analyze_vcpu_state_name(vcpu_of(c->r)->worst.state));
}

static void cell_worst_behind(const struct cell *c)
{
	const struct analyze_wait *worst = &vcpu_of(c->r)->worst;
	char *full;

	if (!worst->dur_ns || worst->behind == ANALYZE_NO_TASK)
		return;
	full = names_full(&c->r->w->names, analyze_engine_task(c->r->w->eng, worst->behind));
	c->t->failed |= !full;
	table_text(c->t, c->column, full);
	free(full);
}

#define STATE(state) cell_u64, ROW(ns[ANALYZE_VCPU_##state])

/* Needs the time of switch-ins, which recordings of some tasks lack. */
#define OF_OFF TABLE_OF_TIMES_OFF | TABLE_OF_ALL | TABLE_OF_STATES

static const struct table_column columns[] = {
	CELLS_OF_TASK,
#define COLUMN_ROW 6
	{ "row", "row", TABLE_INTEGER, TABLE_HIDDEN | TABLE_EACH, cell_index, 0 },
	{ "delayed_ns", "waited ms", TABLE_MS, TABLE_KEEP | OF_OFF | TABLE_AND_WAKEUPS,
	  cell_delayed, 0 },
	{ "delayed_percent", "%", TABLE_PERCENT, OF_OFF, cell_delayed_share, 0 },
	{ "guest_ns", "guest ms", TABLE_MS, TABLE_OF_ENTRIES, STATE(GUEST) },
	{ "exit_ns", "exit ms", TABLE_MS, 0, STATE(EXIT) },
	{ "qemu_ns", "VMM ms", TABLE_MS, TABLE_OF_QEMU, STATE(QEMU) },
	{ "preempted_ns", "preempted ms", TABLE_MS, OF_OFF, STATE(PREEMPTED) },
	{ "waiting_ns", "waiting ms", TABLE_MS, OF_OFF | TABLE_OF_WAKEUPS, STATE(WAITING) },
	{ "halted_ns", "halted ms", TABLE_MS, OF_OFF | TABLE_AND_WAKEUPS, STATE(HALTED) },
	{ "blocked_ns", "blocked ms", TABLE_MS, TABLE_SPARE | OF_OFF | TABLE_AND_WAKEUPS,
	  STATE(BLOCKED) },
	{ "unknown_ns", "unknown ms", TABLE_MS, TABLE_SPARE, STATE(UNKNOWN) },
#define EACH TABLE_WIDE | TABLE_EACH
	{ "edge_ns", "edge ms", TABLE_MS, EACH, cell_u64, ROW(edge_ns) },
	{ "lost_ns", "lost ms", TABLE_MS, EACH, cell_u64, ROW(lost_ns) },
	{ "absent_ns", "absent ms", TABLE_MS, EACH, cell_u64, ROW(absent_ns) },
	{ "behind_ns", "behind ms", TABLE_MS, EACH | OF_OFF, cell_u64, ROW(behind_ns) },
	{ "preemptions", "preemptions", TABLE_COUNT,
	  EACH | TABLE_OF_STATES | TABLE_OF_ALL | TABLE_OF_SWITCHES, cell_u64, ROW(preemptions) },
	{ "waits", "waits", TABLE_COUNT,
	  EACH | TABLE_OF_STATES | TABLE_OF_ALL | TABLE_OF_SWITCHES | TABLE_OF_WAKEUPS, cell_u64,
	  ROW(waits) },
	{ "halts", "halts", TABLE_COUNT, EACH | TABLE_OF_STATES | TABLE_OF_ALL | TABLE_OF_SWITCHES,
	  cell_u64, ROW(halts) },
	{ "blocks", "blocks", TABLE_COUNT,
	  EACH | TABLE_OF_STATES | TABLE_OF_ALL | TABLE_OF_SWITCHES, cell_u64, ROW(blocks) },
	{ "preempted_avg_ns", "pre avg ms", TABLE_MS, EACH | TABLE_OF_ALL, cell_avg,
	  ROW(preempted) },
	{ "preempted_p99_ns", "pre p99 ms", TABLE_MS, EACH | TABLE_OF_ALL, cell_p99,
	  ROW(preempted) },
	{ "waiting_avg_ns", "wait avg ms", TABLE_MS, EACH | TABLE_OF_ALL, cell_avg, ROW(waiting) },
	{ "waiting_p99_ns", "wait p99 ms", TABLE_MS, EACH | TABLE_OF_ALL, cell_p99, ROW(waiting) },
	{ "worst_ns", "worst ms", TABLE_MS,
	  TABLE_GAUGE | TABLE_KEEP | TABLE_EACH | OF_OFF | TABLE_AND_WAKEUPS, cell_worst,
	  ROW(worst.dur_ns) },
	{ "worst_at_ns", "at s", TABLE_TIME, TABLE_KEEP | TABLE_EACH | TABLE_OF_ALL, cell_worst_at,
	  ROW(worst.at_ns) },
	{ "worst_cpu", "on CPU", TABLE_INTEGER, TABLE_EACH | TABLE_OF_ALL, cell_worst_cpu,
	  ROW(worst.cpu) },
	{ "worst_state", "worst state", TABLE_TEXT, EACH | TABLE_OF_ALL, cell_worst_state, 0 },
	{ "worst_behind", "behind", TABLE_TEXT, EACH | TABLE_OF_ALL, cell_worst_behind, 0 },
	TABLE_COLUMNS_END,
};

static const struct tables_change changes[] = {
	TABLES_SHARE("delayed", "delayed", "waited %", false),
	TABLES_SHARE("guest", "guest", "guest %", false),
	TABLES_SHARE("exit", "exit", "exit %", true),
	TABLES_SHARE("qemu", "qemu", "VMM %", true),
	TABLES_SHARE("preempted", "preempted", "preempted %", true),
	TABLES_SHARE("waiting", "waiting", "waiting %", true),
	TABLES_SHARE("halted", "halted", "halted %", true),
	TABLES_SHARE("blocked", "blocked", "blocked %", true),
	TABLES_SHARE("unknown", "unknown", "unknown %", true),
	TABLES_NS("worst", "worst", "worst ms", false),
	TABLES_CHANGES_END,
};

TABLES_ROWS(vcpu, vcpus, analyze_vcpus_row_count, analyze_vcpus_row_at)

#define SHARE(state) cell_share, ROW(ns[ANALYZE_VCPU_##state])

/* The states in percent of the window. */
static const struct table_column share_columns[] = {
	CELLS_OF_TASK,
	{ "guest_percent", "guest %", TABLE_PERCENT, TABLE_OF_ENTRIES, SHARE(GUEST) },
	{ "exit_percent", "exit %", TABLE_PERCENT, 0, SHARE(EXIT) },
	{ "qemu_percent", "VMM %", TABLE_PERCENT, TABLE_OF_QEMU, SHARE(QEMU) },
	{ "preempted_percent", "preempted %", TABLE_PERCENT, OF_OFF, SHARE(PREEMPTED) },
	{ "waiting_percent", "waiting %", TABLE_PERCENT, OF_OFF | TABLE_OF_WAKEUPS,
	  SHARE(WAITING) },
	{ "halted_percent", "halted %", TABLE_PERCENT, OF_OFF, SHARE(HALTED) },
	{ "blocked_percent", "blocked %", TABLE_PERCENT, OF_OFF, SHARE(BLOCKED) },
	{ "unknown_percent", "unknown %", TABLE_PERCENT, 0, SHARE(UNKNOWN) },
	TABLE_COLUMNS_END,
};

/* Whether more of it is unknown than known. */
static bool vcpu_unknown(const void *row)
{
	const struct analyze_vcpu_row *vcpu = row;

	return vcpu->ns[ANALYZE_VCPU_UNKNOWN] > analyze_vcpu_life_ns(vcpu) / 2;
}

/* Whether its own figures show that events are missing. */
static bool vcpu_lossy(const void *row)
{
	return ((const struct analyze_vcpu_row *)row)->lost_ns;
}

struct table *tables_vcpu_shares(const struct tables_walk *w)
{
	static const struct tables_decl decl = { .name = "vcpu_shares",
						 .columns = share_columns,
						 .count = vcpu_count,
						 .at = vcpu_at,
						 .lossy = vcpu_lossy,
						 .unknown = vcpu_unknown };

	return tables_make(w, &decl, false);
}

/* Adds up vCPUs, for the total and comparisons. */
static int vcpu_merge(void *to, const void *from)
{
	struct analyze_vcpu_row *sum = to;
	const struct analyze_vcpu_row *row = from;

	for (size_t s = 0; s < ANALYZE_VCPU_STATES; s++)
		sum->ns[s] += row->ns[s];
	sum->absent_ns += row->absent_ns;
	if (row->worst.dur_ns > sum->worst.dur_ns)
		sum->worst = row->worst;
	return 0;
}

static uint64_t vcpu_life_ns(const void *row)
{
	return analyze_vcpu_life_ns(row);
}

static void vcpu_fini(void *row)
{
	(void)row; /* owns nothing */
}

const struct tables_decl tables_decl_vcpu = {
	.name = "vcpu",
	.columns = columns,
	.changes = changes,
	.count = vcpu_count,
	.at = vcpu_at,
	.row_size = sizeof(struct analyze_vcpu_row),
	.merge = vcpu_merge,
	.fini = vcpu_fini,
	.total = "all vCPUs",
	.life_ns = vcpu_life_ns,
	.lossy = vcpu_lossy,
	.unknown = vcpu_unknown,
};

struct table *tables_vcpu(const struct tables_walk *w)
{
	return tables_make(w, &tables_decl_vcpu, false);
}

const struct analyze_vcpu_row *tables_vcpu_row(const struct tables_walk *w,
					       const struct table *vcpu, size_t row)
{
	int64_t at = table_at(vcpu, row, COLUMN_ROW)->i64;

	return analyze_vcpus_row_at(w->vcpus, (size_t)at);
}

/* Fills a row of a table with several rows per vCPU. */
static void fill_row(struct table *t, const struct tables_walk *w,
		     const struct analyze_vcpu_row *vcpu, const void *row,
		     const struct analyze_task *other)
{
	const struct analyze_task *task = analyze_engine_task(w->eng, vcpu->task);
	struct tables_row r = { .w = w,
				.row = row,
				.task = task,
				.other = other,
				.whole = vcpu,
				.window_ns = analyze_vcpu_life_ns(vcpu) };

	table_row(t);
	cells_fill(t, &r);
	table_lossy(t, vcpu_lossy(vcpu) || vcpu_unknown(vcpu) || tables_lossy(w, task));
}

/* ---- by reason ---- */

#define REASON(member) offsetof(struct analyze_vcpu_reason, member)

static void cell_code(const struct cell *c)
{
	const struct analyze_vcpu_reason *row = c->row;

	if (row->isa != ANALYZE_ISA_UNTOLD)
		table_u64(c->t, c->column, row->reason);
}

static const struct table_column reason_columns[] = {
	CELLS_OF_TASK,
	{ "reason", "reason", TABLE_TEXT, 0, cell_text, REASON(name) },
	{ "reason_code", "code", TABLE_CODE, TABLE_MACHINE, cell_code, 0 },
	{ "idle", "idle", TABLE_INTEGER, TABLE_MACHINE, cell_bool, REASON(idle) },
	{ "exit_ns", "exit ms", TABLE_MS, 0, cell_u64, REASON(exit_ns) },
	{ "exit_percent", "% of life", TABLE_PERCENT, 0, cell_share, REASON(exit_ns) },
	{ "qemu_ns", "VMM ms", TABLE_MS, TABLE_OF_QEMU, cell_u64, REASON(qemu_ns) },
	{ "qemu_percent", "% of life", TABLE_PERCENT, TABLE_OF_QEMU, cell_share, REASON(qemu_ns) },
	TABLE_COLUMNS_END,
};

struct table *tables_vcpu_reasons(const struct tables_walk *w)
{
	struct table *t = table_new("reasons", reason_columns);

	for (size_t i = 0; t && i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		if (!names_wanted(&w->names, analyze_engine_task(w->eng, row->task)))
			continue;
		for (size_t k = 0; k < row->n_reasons; k++)
			fill_row(t, w, row, &row->reasons[k], NULL);
	}
	return table_done(t);
}

/* ---- antagonists ---- */

struct antagonist {
	struct analyze_antagonist a;
	const struct culprits_crowd *crowd; /* its crowd */
};

#define ANTAGONIST(member) offsetof(struct antagonist, member)

static const struct antagonist *antagonist_of(const struct cell *c)
{
	return c->row;
}

static void cell_behind(const struct cell *c)
{
	table_u64(c->t, c->column, analyze_behind_ns(&antagonist_of(c)->a));
}

static void cell_behind_share(const struct cell *c)
{
	table_share(c->t, c->column, analyze_behind_ns(&antagonist_of(c)->a),
		    analyze_vcpu_delayed_ns(c->r->whole));
}

static void cell_group(const struct cell *c)
{
	table_text(c->t, c->column, antagonist_of(c)->crowd->name);
}

static void cell_group_kind(const struct cell *c)
{
	table_text(c->t, c->column, antagonist_of(c)->crowd->kind);
}

static void cell_group_tasks(const struct cell *c)
{
	table_u64(c->t, c->column, antagonist_of(c)->crowd->tasks);
}

static void cell_group_share(const struct cell *c)
{
	table_share(c->t, c->column, antagonist_of(c)->crowd->ns,
		    analyze_vcpu_delayed_ns(c->r->whole));
}

static const struct table_column antagonist_columns[] = {
	CELLS_OF_TASK,
	{ "antagonist", "was behind", TABLE_TEXT, TABLE_KEEP, cell_other_name, 0 },
	{ "antagonist_tid", "tid", TABLE_INTEGER, 0, cell_other_tid, 0 },
	{ "antagonist_pid", "pid", TABLE_INTEGER, TABLE_MACHINE, cell_other_pid, 0 },
	{ "antagonist_vm", "vm", TABLE_TEXT, TABLE_IN_NAME, cell_other_vm, 0 },
	{ "behind_ns", "for ms", TABLE_MS, TABLE_KEEP, cell_behind, 0 },
	{ "delayed_percent", "% of wait", TABLE_PERCENT, 0, cell_behind_share, 0 },
	{ "preempted_ns", "preempted ms", TABLE_MS, 0, cell_u64, ANTAGONIST(a.preempted_ns) },
	{ "waiting_ns", "waiting ms", TABLE_MS, TABLE_OF_WAKEUPS, cell_u64,
	  ANTAGONIST(a.waiting_ns) },
	{ "slices", "slices", TABLE_COUNT, 0, cell_u64, ANTAGONIST(a.slices) },
	{ "took_over", "took over", TABLE_COUNT, 0, cell_u64, ANTAGONIST(a.took_over) },
	{ "group", "group", TABLE_TEXT, TABLE_WIDE, cell_group, 0 },
	{ "group_kind", "group kind", TABLE_TEXT, TABLE_WIDE, cell_group_kind, 0 },
	{ "group_tasks", "group tasks", TABLE_COUNT, TABLE_WIDE, cell_group_tasks, 0 },
	{ "group_percent", "group %", TABLE_PERCENT, TABLE_WIDE, cell_group_share, 0 },
	TABLE_COLUMNS_END,
};

struct table *tables_antagonists(const struct tables_walk *w, const struct table *vcpu, size_t most)
{
	struct table *t = table_new("antagonists", antagonist_columns);
	struct culprits culprits = { .names = &w->names };
	struct culprits_crowds crowds = { 0 };

	for (size_t i = 0; t && i < vcpu->shown && !culprits.failed; i++) {
		const struct analyze_vcpu_row *row = tables_vcpu_row(w, vcpu, i);

		culprits_crowds(&culprits, w->eng, row, &crowds);
		for (size_t k = 0; k < crowds.of.n && (!most || k < most); k++) {
			struct antagonist one = { row->antagonists[k],
						  &crowds.all.at[crowds.of.at[k]] };

			fill_row(t, w, row, &one, analyze_engine_task(w->eng, one.a.task));
		}
	}
	if (t)
		t->failed |= culprits.failed;
	culprits_crowds_fini(&crowds);
	culprits_fini(&culprits);
	return t ? table_done(t) : NULL;
}
