// SPDX-License-Identifier: GPL-2.0-only
/* kvm.c - the table kvm_exit: each exit of a vCPU, up to its entry. */
#include "analyze/printing/reasons.h"
#include "query/sql/walk.h"

enum { EXIT_VCPU = WALK_OWN, EXIT_REASON, EXIT_ISA, EXIT_CODE };

static const struct query_column columns[] = {
	{ "ts", "INTEGER", QUERY_TS, false },
	{ "dur", "INTEGER", QUERY_DUR, false },
	{ "cpu", "INTEGER", QUERY_CPU, false },
	{ "utid", "INTEGER", QUERY_UTID, false },
	{ "vcpu", "INTEGER", QUERY_PLAIN, false },
	{ "reason", "TEXT", QUERY_PLAIN, false },
	{ "isa", "TEXT", QUERY_PLAIN, false },
	{ "code", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_WINDOW,
	{ "ts_end", "INTEGER", QUERY_TS_END, true },
	QUERY_COLUMNS_END,
};

/* Adds the open exit, with its entry at @end_ns, or without one. */
static void add_exit(struct walk_source *w, uint32_t task, struct walk_task *t, uint64_t end_ns)
{
	struct walk_row *row;

	w->open -= w->open && walk_in_window(w, t->t_ns - 1);
	row = walk_add(w, t->t_ns - 1, end_ns, task);
	t->t_ns = 0;
	if (!row)
		return;
	row->cpu = t->cpu;
	row->value = t->value;
	row->number = t->number;
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct walk_source *w = self;

	return analyze_reasons_of(&w->reasons, schema, err);
}

static void set_reason(const struct walk_source *w, struct walk_task *t,
		       const struct analyze_kvm *k)
{
	uint32_t isa = k->isa;

	t->value = k->value;
	analyze_reasons_code(w->reasons, &isa, &t->value, k->how);
	t->number = (int32_t)isa;
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct walk_source *w = self;
	struct walk_task *t;

	if (k->kind != ANALYZE_KIND_KVM_ENTRY && k->kind != ANALYZE_KIND_KVM_EXIT &&
	    k->kind != ANALYZE_KIND_KVM_REASON)
		return;
	t = walk_task(w, k->task);
	if (!t)
		return;
	if (k->kind == ANALYZE_KIND_KVM_REASON) {
		if (t->t_ns)
			set_reason(w, t, k);
		return;
	}
	if (t->t_ns && k->kind == ANALYZE_KIND_KVM_ENTRY &&
	    !analyze_engine_pair_broken(w->eng, k, t->t_ns - 1, t->cpu)) {
		/* an exit counts in the window in which it ends, as in cdict exits */
		if (w->clipped && !k->in)
			t->t_ns = 0;
		else
			add_exit(w, k->task, t, k->t_ns);
	} else if (t->t_ns) {
		if (w->clipped && !t->known)
			t->t_ns = 0;
		else
			add_exit(w, k->task, t, ANALYZE_NO_TIME);
	}
	if (k->kind == ANALYZE_KIND_KVM_ENTRY)
		return;
	*t = (struct walk_task){ .t_ns = k->t_ns + 1, .cpu = k->cpu, .known = k->in };
	set_reason(w, t, k);
	w->open += walk_in_window(w, k->t_ns);
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct walk_source *w = self;

	(void)err;
	for (uint32_t i = 0; i < w->tasks.n; i++)
		if (w->tasks.at[i].t_ns && (!w->clipped || w->tasks.at[i].known))
			add_exit(w, i, &w->tasks.at[i], ANALYZE_NO_TIME);
	return 0;
}

static bool pending(void *self)
{
	const struct walk_source *w = self;

	for (uint32_t i = 0; w->clipped && i < w->tasks.n; i++)
		if (w->tasks.at[i].t_ns && w->tasks.at[i].known)
			return true;
	return !w->clipped && w->open;
}

static const char *isa_name(int32_t isa)
{
	return isa == ANALYZE_ISA_VMX        ? "vmx"
	       : isa == ANALYZE_ISA_SVM      ? "svm"
	       : isa == ANALYZE_ISA_ARM_TRAP ? "arm64"
					     : NULL;
}

static void column_of(struct query_source *src, struct query_value *out, int column)
{
	struct walk_source *w = (struct walk_source *)(void *)src;
	const struct walk_row *row = walk_row_now(w);
	const struct analyze_task *task = analyze_engine_task(w->eng, row->task);

	switch (column) {
	case EXIT_VCPU:
		if (task->vcpu_id >= 0)
			query_result_int(out, task->vcpu_id);
		break;
	case EXIT_REASON:
		query_result_text(out, analyze_reasons_text(w->reasons, (uint32_t)row->number,
							    row->value, out->room));
		break;
	case EXIT_ISA:
		query_result_fixed(out, isa_name(row->number));
		break;
	case EXIT_CODE:
		query_result_int(out, (int64_t)row->value);
		break;
	default:
		walk_result(w, out, row, &columns[column]);
		break;
	}
}

static int open_exits(struct query_source **out, struct query_run_of *run,
		      const struct query_table *table, const struct query_scan *scan,
		      struct cdict_error *err)
{
	const struct analyze_ops ops = { .needs = ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT) |
						  ANALYZE_NEED(KVM_REASON),
					 .kvm = on_kvm,
					 .pending = pending,
					 .start = on_start,
					 .finish = on_finish };

	return walk_open(out, run, table, scan, &ops, column_of, err);
}

const struct query_table query_kvm_exit = {
	.name = "kvm_exit", .columns = columns, .flags = QUERY_WALK, .open = open_exits
};
