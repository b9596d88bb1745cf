/* SPDX-License-Identifier: LGPL-2.1-only */
/* vCPUs and VMs: how their halts ended, and the cost in CPU time. */
#include <stdlib.h>

#include "analyze/kvm/halts.h"
#include "analyze/walk/index.h"
#include "base/memory/array.h"
#include "tables/columns/decl.h"
#include "tables/columns/tables.h"
#include "tables/names/culprits.h"

struct halts {
	struct analyze_halt_row row;
	uint64_t halts;
	uint64_t hlt_cpu_ns; /* handling idle exits on a CPU, polling included */
	/* of a VM */
	const char *vm, *vm_order;
	uint64_t vcpus;
	bool lossy;
};

#define HALTS(member) offsetof(struct halts, member)

static void cell_polled_share(const struct cell *c)
{
	const struct halts *h = c->row;

	table_share(c->t, c->column, h->row.polled, h->halts);
}

static void cell_of_cpu(const struct cell *c)
{
	const struct halts *h = c->row;

	table_share(c->t, c->column, h->hlt_cpu_ns,
		    analyze_engine_summary(c->r->w->eng)->window_ns);
}

static void cell_halts_vm(const struct cell *c)
{
	const struct halts *h = c->row;

	table_text(c->t, c->column, h->vm);
	if (h->vm_order)
		table_order(c->t, c->column, h->vm_order);
}

#define CELLS_OF_HALTS                                                                                 \
	{ "halts", "halts", TABLE_COUNT, TABLE_OF_HALTS, cell_u64, HALTS(halts) },                     \
		{ "polled", "polled", TABLE_COUNT, TABLE_OF_HALTS, cell_u64, HALTS(row.polled) },      \
		{ "polled_percent", "% polled", TABLE_PERCENT, TABLE_OF_HALTS, cell_polled_share, 0 }, \
		{ "polled_ns", "polled ms",         TABLE_MS, TABLE_KEEP | TABLE_OF_HALTS,             \
		  cell_u64,    HALTS(row.polled_ns) },                                                 \
		{ "slept", "slept", TABLE_COUNT, TABLE_OF_HALTS, cell_u64, HALTS(row.slept) },         \
		{ "slept_ns", "slept ms", TABLE_MS, TABLE_OF_HALTS, cell_u64, HALTS(row.slept_ns) },   \
		{ "hlt_cpu_ns", "HLT on CPU ms",                                                       \
		  TABLE_MS,     TABLE_KEEP | TABLE_OF_SWITCHES | TABLE_OF_RUNS,                        \
		  cell_u64,     HALTS(hlt_cpu_ns) },                                                   \
		{ "poll_limit_ns", "limit ms",         TABLE_MS, TABLE_GAUGE | TABLE_OF_POLLS,         \
		  cell_u64,        HALTS(row.limit_ns) },                                              \
		{ "poll_grown", "grown", TABLE_COUNT, TABLE_OF_POLLS, cell_u64, HALTS(row.grown) },    \
	{                                                                                              \
		"poll_shrunk", "shrunk", TABLE_COUNT, TABLE_OF_POLLS, cell_u64, HALTS(row.shrunk)      \
	}

static const struct table_column columns[] = {
	CELLS_OF_TASK,
	CELLS_OF_HALTS,
	TABLE_COLUMNS_END,
};

static const struct table_column vm_columns[] = {
	{ "vm", "VM", TABLE_TEXT, 0, cell_halts_vm, 0 },
	{ "vcpus", "vCPUs", TABLE_COUNT, TABLE_GAUGE, cell_u64, HALTS(vcpus) },
	CELLS_OF_HALTS,
	{ "hlt_cpu_percent", "% of a CPU", TABLE_PERCENT, TABLE_OF_SWITCHES | TABLE_OF_RUNS,
	  cell_of_cpu, 0 },
	TABLE_COLUMNS_END,
};

static void add_halts(struct halts *sum, const struct halts *one)
{
	sum->halts += one->halts;
	sum->hlt_cpu_ns += one->hlt_cpu_ns;
	sum->vcpus += one->vcpus;
	sum->lossy |= one->lossy;
	analyze_halts_add(&sum->row, &one->row);
}

/* Row @i of the analysis; false: it is not wanted. */
static bool halts_of(const struct tables_walk *w, size_t i, struct halts *h,
		     const struct analyze_task **task)
{
	const struct analyze_vcpu_row *vcpu = analyze_vcpus_row_at(w->vcpus, i);

	*task = analyze_engine_task(w->eng, vcpu->task);
	*h = (struct halts){ .row = *analyze_halts_row(w->halts, vcpu->task),
			     .vcpus = 1,
			     .lossy = vcpu->lost_ns || tables_lossy(w, *task) };
	h->halts = h->row.polled + h->row.slept;
	for (size_t k = 0; k < vcpu->n_reasons; k++)
		h->hlt_cpu_ns += vcpu->reasons[k].idle ? vcpu->reasons[k].exit_ns : 0;
	return names_wanted(&w->names, *task);
}

static void fill_row(struct table *t, const struct tables_row *r)
{
	const struct halts *h = r->row;

	cells_fill(t, r);
	table_lossy(t, h->lossy);
}

struct table *tables_halts(const struct tables_walk *w)
{
	struct table *t = table_new("halts", columns);
	struct halts all = { 0 }, h;
	const struct analyze_task *task;

	if (!t)
		return NULL;
	t->order = "hlt_cpu_ns,polled_ns";
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		if (!halts_of(w, i, &h, &task))
			continue;
		table_row(t);
		fill_row(t, &(struct tables_row){ .w = w, .row = &h, .task = task });
		add_halts(&all, &h);
	}
	table_total(t);
	fill_row(
		t,
		&(struct tables_row){
			.w = w, .row = &all, .name = "all vCPUs", .several = true, .total = true });
	return table_done(t);
}

struct table *tables_halts_vms(const struct tables_walk *w)
{
	struct table *t = table_new("halts_vms", vm_columns);
	struct culprits names = { .names = &w->names };
	ARRAY(struct halts) vms = { 0 };
	struct halts all = { .vm = "all VMs" }, h, *sum;
	const struct analyze_task *task;

	for (size_t i = 0; t && i < analyze_vcpus_row_count(w->vcpus); i++) {
		const char *vm;

		if (!halts_of(w, i, &h, &task))
			continue;
		vm = culprits_vm(&names, task);
		sum = row_at(&vms, culprits_pair(&names, vm, culprits_all));
		t->failed |= !sum;
		if (!sum)
			break;
		sum->vm = vm;
		sum->vm_order = names_vm_order(&w->names, task);
		add_halts(sum, &h);
		add_halts(&all, &h);
	}
	if (t) {
		t->order = "hlt_cpu_ns,polled_ns";
		t->grouped = true;
		for (size_t i = 0; i < vms.n; i++) {
			table_row(t);
			fill_row(t, &(struct tables_row){ .w = w, .row = &vms.at[i] });
		}
		table_total(t);
		fill_row(t, &(struct tables_row){ .w = w, .row = &all, .total = true });
	}
	array_fini(&vms);
	culprits_fini(&names);
	return t ? table_done(t) : NULL;
}
