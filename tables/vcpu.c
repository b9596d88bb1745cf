/* SPDX-License-Identifier: LGPL-2.1-only */
/* vCPUs: the tables of states, reasons and antagonists. */
#include <stdlib.h>

#include "tables/tables.h"
#include "tables/task_cells.h"

enum {
	ROW = TASK_COLUMNS, /* hidden: the row's number in the analysis */
	DELAYED,
	DELAYED_PERCENT,
	GUEST,
	EXIT,
	QEMU,
	PREEMPTED,
	WAITING,
	HALTED,
	BLOCKED,
	UNKNOWN,
	EDGE,
	LOST,
	ABSENT,
	BEHIND,
	PREEMPTIONS,
	WAITS,
	HALTS,
	BLOCKS,
	PREEMPTED_AVG,
	PREEMPTED_P99,
	WAITING_AVG,
	WAITING_P99,
	WORST,
	WORST_AT,
	WORST_CPU,
	WORST_STATE,
	WORST_BEHIND,
};

static const struct table_column columns[] = {
	TASK_CELLS,
	[ROW] = { "row", "row", TABLE_INTEGER, TABLE_HIDDEN },
	[DELAYED] = { "delayed_ns", "delayed ms", TABLE_MS, 0 },
	[DELAYED_PERCENT] = { "delayed_percent", "%", TABLE_PERCENT, 0 },
	[GUEST] = { "guest_ns", "guest ms", TABLE_MS, 0 },
	[EXIT] = { "exit_ns", "exit ms", TABLE_MS, 0 },
	[QEMU] = { "qemu_ns", "QEMU ms", TABLE_MS, 0 },
	[PREEMPTED] = { "preempted_ns", "preempted ms", TABLE_MS, 0 },
	[WAITING] = { "waiting_ns", "waiting ms", TABLE_MS, 0 },
	[HALTED] = { "halted_ns", "halted ms", TABLE_MS, 0 },
	[BLOCKED] = { "blocked_ns", "blocked ms", TABLE_MS, 0 },
	[UNKNOWN] = { "unknown_ns", "unknown ms", TABLE_MS, 0 },
	[EDGE] = { "edge_ns", "edge ms", TABLE_MS, TABLE_WIDE },
	[LOST] = { "lost_ns", "lost ms", TABLE_MS, TABLE_WIDE },
	[ABSENT] = { "absent_ns", "absent ms", TABLE_MS, TABLE_WIDE },
	[BEHIND] = { "behind_ns", "behind ms", TABLE_MS, TABLE_WIDE },
	[PREEMPTIONS] = { "preemptions", "preemptions", TABLE_COUNT, TABLE_WIDE },
	[WAITS] = { "waits", "waits", TABLE_COUNT, TABLE_WIDE },
	[HALTS] = { "halts", "halts", TABLE_COUNT, TABLE_WIDE },
	[BLOCKS] = { "blocks", "blocks", TABLE_COUNT, TABLE_WIDE },
	[PREEMPTED_AVG] = { "preempted_avg_ns", "pre avg ms", TABLE_MS, TABLE_WIDE },
	[PREEMPTED_P99] = { "preempted_p99_ns", "pre p99 ms", TABLE_MS, TABLE_WIDE },
	[WAITING_AVG] = { "waiting_avg_ns", "wait avg ms", TABLE_MS, TABLE_WIDE },
	[WAITING_P99] = { "waiting_p99_ns", "wait p99 ms", TABLE_MS, TABLE_WIDE },
	[WORST] = { "worst_ns", "worst ms", TABLE_MS, 0 },
	[WORST_AT] = { "worst_at_ns", "at s", TABLE_TIME, 0 },
	[WORST_CPU] = { "worst_cpu", "on CPU", TABLE_INTEGER, 0 },
	[WORST_STATE] = { "worst_state", "worst was", TABLE_TEXT, TABLE_WIDE },
	[WORST_BEHIND] = { "worst_behind", "behind", TABLE_TEXT, TABLE_WIDE },
	TABLE_COLUMNS_END,
};

/* The states' columns stand in the states' order. */
static void states(struct table *t, const uint64_t ns[ANALYZE_VCPU_STATES], uint64_t window_ns)
{
	uint64_t delayed = ns[ANALYZE_VCPU_PREEMPTED] + ns[ANALYZE_VCPU_WAITING];

	table_u64(t, DELAYED, delayed);
	table_share(t, DELAYED_PERCENT, delayed, window_ns);
	for (size_t s = 0; s < ANALYZE_VCPU_STATES; s++)
		table_u64(t, GUEST + s, ns[s]);
}

static void worst_cells(struct table *t, const struct tables_walk *w,
			const struct analyze_wait *worst)
{
	char *behind;

	if (!worst->dur_ns)
		return;
	table_u64(t, WORST, worst->dur_ns);
	table_u64(t, WORST_AT, worst->at_ns);
	if (worst->cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, WORST_CPU, worst->cpu);
	table_text(t, WORST_STATE, analyze_vcpu_state_name(worst->state));
	if (worst->behind == ANALYZE_NO_TASK)
		return;
	behind = names_who(&w->names, analyze_engine_task(w->eng, worst->behind));
	t->failed |= !behind;
	table_text(t, WORST_BEHIND, behind);
	free(behind);
}

static void counts(struct table *t, const struct analyze_vcpu_row *row)
{
	table_u64(t, EDGE, row->edge_ns);
	table_u64(t, LOST, row->lost_ns);
	table_u64(t, ABSENT, row->absent_ns);
	table_u64(t, BEHIND, row->behind_ns);
	table_u64(t, PREEMPTIONS, row->preemptions);
	table_u64(t, WAITS, row->waits);
	table_u64(t, HALTS, row->halts);
	table_u64(t, BLOCKS, row->blocks);
	if (row->preempted.count) {
		table_u64(t, PREEMPTED_AVG, histogram_avg(&row->preempted));
		table_u64(t, PREEMPTED_P99, histogram_percentile(&row->preempted, 99));
	}
	if (row->waiting.count) {
		table_u64(t, WAITING_AVG, histogram_avg(&row->waiting));
		table_u64(t, WAITING_P99, histogram_percentile(&row->waiting, 99));
	}
}

/* Events of it are missing: by the scheduler's account, or by its own. */
static bool doubtful(const struct tables_walk *w, const struct analyze_vcpu_row *row)
{
	return row->lost_ns || tables_lossy(w, analyze_engine_task(w->eng, row->task));
}

struct table *tables_vcpu(const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	uint64_t total[ANALYZE_VCPU_STATES] = { 0 };
	struct table *t = table_new("vcpu", columns);
	bool lossy = false;

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);

		if (!names_wanted(&w->names, task))
			continue;
		table_row(t);
		task_cells(t, w, task);
		table_lossy(t, doubtful(w, row));
		table_i64(t, ROW, (int64_t)i);
		states(t, row->ns, window_ns);
		counts(t, row);
		worst_cells(t, w, &row->worst);
		for (size_t s = 0; s < ANALYZE_VCPU_STATES; s++)
			total[s] += row->ns[s];
		lossy |= doubtful(w, row);
	}
	if (t->n_rows) {
		size_t n = t->n_rows;

		table_total(t);
		table_text(t, TASK_NAME, "all vCPUs");
		states(t, total, window_ns * n);
		table_lossy(t, lossy);
	}
	return table_done(t);
}

/* ---- by reason ---- */

enum { R_REASON = TASK_COLUMNS, R_CODE, R_IDLE, R_EXIT, R_EXIT_PERCENT, R_QEMU, R_QEMU_PERCENT };

static const struct table_column reason_columns[] = {
	TASK_CELLS,
	[R_REASON] = { "reason", "reason", TABLE_TEXT, 0 },
	[R_CODE] = { "reason_code", "code", TABLE_INTEGER, TABLE_MACHINE },
	[R_IDLE] = { "idle", "idle", TABLE_INTEGER, TABLE_MACHINE },
	[R_EXIT] = { "exit_ns", "exit ms", TABLE_MS, 0 },
	[R_EXIT_PERCENT] = { "exit_percent", "% of window", TABLE_PERCENT, 0 },
	[R_QEMU] = { "qemu_ns", "QEMU ms", TABLE_MS, 0 },
	[R_QEMU_PERCENT] = { "qemu_percent", "% of window", TABLE_PERCENT, 0 },
	TABLE_COLUMNS_END,
};

struct table *tables_vcpu_reasons(const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	struct table *t = table_new("reasons", reason_columns);

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);

		if (!names_wanted(&w->names, task))
			continue;
		for (size_t k = 0; k < row->n_reasons; k++) {
			const struct analyze_vcpu_reason *r = &row->reasons[k];

			table_row(t);
			task_cells(t, w, task);
			table_lossy(t, doubtful(w, row));
			table_text(t, R_REASON, r->name);
			table_i64(t, R_CODE, (int64_t)r->reason);
			table_i64(t, R_IDLE, r->idle);
			table_u64(t, R_EXIT, r->exit_ns);
			table_share(t, R_EXIT_PERCENT, r->exit_ns, window_ns);
			table_u64(t, R_QEMU, r->qemu_ns);
			table_share(t, R_QEMU_PERCENT, r->qemu_ns, window_ns);
		}
	}
	return table_done(t);
}

/* ---- antagonists ---- */

enum {
	A_WHO = TASK_COLUMNS,
	A_WHO_TID,
	A_WHO_PID,
	A_WHO_VM,
	A_TIME,
	A_SHARE,
	A_PREEMPTED,
	A_WAITING,
	A_SLICES,
	A_TOOK_OVER,
};

static const struct table_column antagonist_columns[] = {
	TASK_CELLS,
	[A_WHO] = { "antagonist", "was behind", TABLE_TEXT, 0 },
	[A_WHO_TID] = { "antagonist_tid", "tid", TABLE_INTEGER, 0 },
	[A_WHO_PID] = { "antagonist_pid", "pid", TABLE_INTEGER, TABLE_MACHINE },
	[A_WHO_VM] = { "antagonist_vm", "vm", TABLE_TEXT, 0 },
	[A_TIME] = { "behind_ns", "for ms", TABLE_MS, 0 },
	[A_SHARE] = { "delayed_percent", "% of delay", TABLE_PERCENT, 0 },
	[A_PREEMPTED] = { "preempted_ns", "preempted ms", TABLE_MS, 0 },
	[A_WAITING] = { "waiting_ns", "waiting ms", TABLE_MS, 0 },
	[A_SLICES] = { "slices", "slices", TABLE_COUNT, 0 },
	[A_TOOK_OVER] = { "took_over", "took over", TABLE_COUNT, 0 },
	TABLE_COLUMNS_END,
};

static void antagonist(struct table *t, const struct tables_walk *w,
		       const struct analyze_vcpu_row *row, const struct analyze_antagonist *a)
{
	const struct analyze_task *who = analyze_engine_task(w->eng, a->task);
	uint64_t delayed = row->ns[ANALYZE_VCPU_PREEMPTED] + row->ns[ANALYZE_VCPU_WAITING];

	task_cells(t, w, analyze_engine_task(w->eng, row->task));
	table_lossy(t, doubtful(w, row));
	task_cell_name(t, A_WHO, w, who);
	table_i64(t, A_WHO_TID, who->tid);
	task_cell_pid(t, A_WHO_PID, who);
	task_cell_vm(t, A_WHO_VM, w, who);
	table_u64(t, A_TIME, a->preempted_ns + a->waiting_ns);
	table_share(t, A_SHARE, a->preempted_ns + a->waiting_ns, delayed);
	table_u64(t, A_PREEMPTED, a->preempted_ns);
	table_u64(t, A_WAITING, a->waiting_ns);
	table_u64(t, A_SLICES, a->slices);
	table_u64(t, A_TOOK_OVER, a->took_over);
}

const struct analyze_vcpu_row *tables_vcpu_row(const struct tables_walk *w,
					       const struct table *vcpu, size_t row)
{
	return analyze_vcpus_row_at(w->vcpus, (size_t)vcpu->cells[row * vcpu->n_columns + ROW].i64);
}

struct table *tables_antagonists(const struct tables_walk *w, const struct table *vcpu, size_t most)
{
	struct table *t = table_new("antagonists", antagonist_columns);

	if (!t)
		return NULL;
	for (size_t r = 0; r < vcpu->shown; r++) {
		const struct analyze_vcpu_row *row = tables_vcpu_row(w, vcpu, r);

		for (size_t k = 0; k < row->n_antagonists; k++) {
			if (most && k >= most)
				break;
			table_row(t);
			antagonist(t, w, row, &row->antagonists[k]);
		}
	}
	return table_done(t);
}
