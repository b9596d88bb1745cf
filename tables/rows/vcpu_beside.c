/* SPDX-License-Identifier: LGPL-2.1-only */
/* vCPUs: the tasks on the other threads of their cores while they were in the guest, VM by VM. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory/array.h"
#include "tables/columns/decl.h"
#include "tables/columns/tables.h"
#include "tables/names/culprits.h"

struct beside {
	const char *vm, *vm_order;
	const char *beside, *beside_order, *kind;
	uint64_t beside_ns, vm_beside_ns; /* vm_beside_ns: of the whole VM */
	bool lossy;
};

struct besides {
	const struct tables_walk *w;
	struct culprits culprits;
	ARRAY(struct beside) all; /* by pair */
};

/* The core has no other thread. */
static const char alone[] = "no other thread";

static struct beside *cell_of(struct besides *b, const char *vm, const char *beside)
{
	uint32_t pair = culprits_pair(&b->culprits, vm, beside);
	struct beside *cell = pair < b->all.n     ? &b->all.at[pair]
			      : pair < UINT32_MAX ? array_add(&b->all)
						  : NULL;

	if (!cell) {
		b->culprits.failed = true;
		return NULL;
	}
	cell->vm = vm;
	cell->beside = beside;
	return cell;
}

static void add_beside(struct besides *b, const struct beside *one)
{
	struct beside *sum = one->beside_ns ? cell_of(b, one->vm, culprits_all) : NULL, *cell;

	if (!sum)
		return;
	sum->beside_ns += one->beside_ns;
	cell = cell_of(b, one->vm, one->beside);
	if (!cell)
		return;
	cell->kind = one->kind;
	cell->vm_order = one->vm_order;
	cell->beside_order = one->beside_order;
	cell->beside_ns += one->beside_ns;
	cell->lossy |= one->lossy;
}

static void add_vcpu(struct besides *b, const struct analyze_vcpu_row *row)
{
	const struct names *names = &b->w->names;
	const struct analyze_task *task = analyze_engine_task(b->w->eng, row->task);
	struct beside one = { .vm = culprits_vm(&b->culprits, task),
			      .vm_order = names_vm_order(names, task),
			      .beside = alone,
			      .kind = "alone",
			      .beside_ns = row->alone_ns,
			      .lossy = row->lost_ns || tables_lossy(b->w, task) };
	uint64_t rest_ns = row->beside_ns - row->alone_ns;

	add_beside(b, &one);
	for (size_t k = 0; k < row->n_beside && !b->culprits.failed; k++) {
		const struct analyze_task *other =
			analyze_engine_task(b->w->eng, row->beside[k].task);

		one.beside = culprits_name(&b->culprits, other, one.vm, &one.kind);
		one.beside_order = other->tid ? names_vm_order(names, other) : NULL;
		one.beside_ns = row->beside[k].ns;
		rest_ns -= one.beside_ns;
		add_beside(b, &one);
	}
	one.beside = culprits_name(&b->culprits, NULL, one.vm, &one.kind);
	one.beside_order = NULL;
	one.beside_ns = rest_ns;
	add_beside(b, &one);
}

#define BESIDE(member) offsetof(struct beside, member)

static void cell_vm_text(const struct cell *c)
{
	const struct beside *b = c->row;

	table_text(c->t, c->column, b->vm);
	if (b->vm_order)
		table_order(c->t, c->column, b->vm_order);
}

static void cell_beside_text(const struct cell *c)
{
	const struct beside *b = c->row;

	table_text(c->t, c->column, b->beside);
	if (b->beside_order)
		table_order(c->t, c->column, b->beside_order);
}

static void cell_part(const struct cell *c)
{
	const struct beside *b = c->row;

	table_share(c->t, c->column, b->beside_ns, b->vm_beside_ns);
}

#define OF_BESIDE (TABLE_OF_CORES | TABLE_OF_SWITCHES | TABLE_OF_ENTRIES)

static const struct table_column columns[] = {
	{ "vm", "VM", TABLE_TEXT, 0, cell_vm_text, 0 },
	{ "beside", "was beside", TABLE_TEXT, TABLE_KEEP | TABLE_EACH, cell_beside_text, 0 },
	{ "beside_kind", "which is", TABLE_TEXT, TABLE_SPARE | TABLE_EACH, cell_text,
	  BESIDE(kind) },
	{ "beside_ns", "for ms", TABLE_MS, TABLE_KEEP | OF_BESIDE, cell_u64, BESIDE(beside_ns) },
	{ "beside_percent", "% of guest time", TABLE_PERCENT, OF_BESIDE, cell_part, 0 },
	{ "vm_beside_ns", "of ms", TABLE_MS, TABLE_WIDE | OF_BESIDE, cell_u64,
	  BESIDE(vm_beside_ns) },
	TABLE_COLUMNS_END,
};

static void fill_row(struct table *t, const struct besides *b, const struct beside *beside,
		     bool total)
{
	struct tables_row r = { .w = b->w, .row = beside, .total = total };

	cells_fill(t, &r);
	table_lossy(t, beside->lossy);
}

struct table *tables_beside(const struct tables_walk *w)
{
	struct beside all = { .vm = "all VMs" };
	struct besides b = { .w = w, .culprits = { .names = &w->names } };
	struct table *t = table_new("beside", columns);

	for (size_t i = 0; t && i < analyze_vcpus_row_count(w->vcpus) && !b.culprits.failed; i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		if (w->smt && names_wanted(&w->names, analyze_engine_task(w->eng, row->task)))
			add_vcpu(&b, row);
	}
	if (t) {
		t->order = "vm_beside_ns,vm,beside_ns";
		t->grouped = true;
	}
	for (size_t i = 0; t && i < b.all.n && !b.culprits.failed; i++) {
		struct beside *beside = &b.all.at[i];

		if (beside->beside == culprits_all)
			continue;
		beside->vm_beside_ns = cell_of(&b, beside->vm, culprits_all)->beside_ns;
		table_row(t);
		fill_row(t, &b, beside, false);
		all.beside_ns += beside->beside_ns;
		all.lossy |= beside->lossy;
	}
	all.vm_beside_ns = all.beside_ns;
	if (t && !b.culprits.failed) {
		table_total(t);
		fill_row(t, &b, &all, true);
	}
	if (t)
		t->failed |= b.culprits.failed;
	array_fini(&b.all);
	culprits_fini(&b.culprits);
	return t ? table_done(t) : NULL;
}

const char *tables_beside_text(const struct tables_walk *w)
{
	if (w->smt)
		return "time in the guest, by the task on the core's sibling thread";
	return w->cores ? "no core of this host has two threads: no task runs beside a vCPU"
			: "CPU topology unknown: cannot tell which CPUs share a core";
}
