/* SPDX-License-Identifier: LGPL-2.1-only */
/* vCPUs: which VMs and tasks delayed which VMs, and the CPU capacity. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "tables/columns/decl.h"
#include "tables/columns/tables.h"
#include "tables/names/culprits.h"

/* The waits of @vm behind @behind: sums over the antagonists of all its vCPUs. */
struct delay {
	const char *vm, *vm_order;
	const char *behind, *behind_order, *kind;
	uint64_t vm_delayed_ns; /* of the whole VM: behind_ns of its cell with culprits_all */
	uint64_t behind_ns, preempted_ns, waiting_ns, slices, took_over;
	struct analyze_wait worst; /* of all pairs, the wait in which one task held one CPU
				    * longest */
	uint64_t worst_held_ns;
	uint32_t worst_task;
	bool lossy;
};

struct delays {
	const struct tables_walk *w;
	struct culprits culprits;
	ARRAY(struct delay) all; /* by pair */
};

static struct delay *cell_of(struct delays *d, const char *vm, const char *behind)
{
	uint32_t pair = culprits_pair(&d->culprits, vm, behind);
	struct delay *cell = pair < d->all.n     ? &d->all.at[pair]
			     : pair < UINT32_MAX ? array_add(&d->all)
						 : NULL;

	if (!cell) {
		d->culprits.failed = true;
		return NULL;
	}
	cell->vm = vm;
	cell->behind = behind;
	return cell;
}

static void add_delay(struct delay *cell, uint32_t vcpu, const struct analyze_antagonist *a)
{
	cell->behind_ns += analyze_behind_ns(a);
	cell->preempted_ns += a->preempted_ns;
	cell->waiting_ns += a->waiting_ns;
	cell->slices += a->slices;
	cell->took_over += a->took_over;
	if (a->worst.dur_ns &&
	    (!cell->worst.dur_ns || a->worst_held_ns > cell->worst_held_ns ||
	     (a->worst_held_ns == cell->worst_held_ns && a->worst.at_ns < cell->worst.at_ns))) {
		cell->worst = a->worst;
		cell->worst_held_ns = a->worst_held_ns;
		cell->worst_task = vcpu;
	}
}

static void add_vcpu(struct delays *d, const struct analyze_vcpu_row *row)
{
	const struct analyze_task *task = analyze_engine_task(d->w->eng, row->task);
	struct analyze_antagonist rest = { .preempted_ns = row->ns[ANALYZE_VCPU_PREEMPTED],
					   .waiting_ns = row->ns[ANALYZE_VCPU_WAITING] };
	const char *vm = culprits_vm(&d->culprits, task);
	const char *order = names_vm_order(&d->w->names, task);
	bool lossy = row->lost_ns || tables_lossy(d->w, task);
	struct delay *cell;

	cell = cell_of(d, vm, culprits_all);
	if (cell)
		cell->behind_ns += analyze_behind_ns(&rest);
	for (size_t k = 0; k <= row->n_antagonists && !d->culprits.failed; k++) {
		bool last = k == row->n_antagonists;
		const struct analyze_antagonist *a = last ? &rest : &row->antagonists[k];
		const struct analyze_task *other = last ? NULL
							: analyze_engine_task(d->w->eng, a->task);
		const char *kind, *behind;

		if (last && !analyze_behind_ns(&rest))
			break;
		behind = culprits_name(&d->culprits, other, vm, &kind);
		cell = cell_of(d, vm, behind);
		if (!cell)
			return;
		cell->kind = kind;
		cell->vm_order = order;
		if (other && other->tid)
			cell->behind_order = names_vm_order(&d->w->names, other);
		cell->lossy |= lossy;
		add_delay(cell, row->task, a);
		rest.preempted_ns -= a->preempted_ns;
		rest.waiting_ns -= a->waiting_ns;
	}
}

/* ---- the table ---- */

#define DELAY(member) offsetof(struct delay, member)

static const struct delay *delay_of(const struct cell *c)
{
	return c->row;
}

static void cell_vm_text(const struct cell *c)
{
	table_text(c->t, c->column, delay_of(c)->vm);
	if (delay_of(c)->vm_order)
		table_order(c->t, c->column, delay_of(c)->vm_order);
}

static void cell_behind_text(const struct cell *c)
{
	table_text(c->t, c->column, delay_of(c)->behind);
	if (delay_of(c)->behind_order)
		table_order(c->t, c->column, delay_of(c)->behind_order);
}

static void cell_of_delay(const struct cell *c)
{
	const struct delay *delay = c->row;

	table_share(c->t, c->column, delay->behind_ns, delay->vm_delayed_ns);
}

static void cell_worst_ns(const struct cell *c)
{
	if (delay_of(c)->worst.dur_ns)
		cell_u64(c);
}

static void cell_worst_cpu(const struct cell *c)
{
	if (delay_of(c)->worst.dur_ns)
		cell_u32(c);
}

static const struct analyze_task *worst_of(const struct cell *c)
{
	if (!delay_of(c)->worst.dur_ns)
		return NULL;
	return analyze_engine_task(c->r->w->eng, *(const uint32_t *)((const char *)c->row + c->at));
}

static void cell_worst_who(const struct cell *c)
{
	const struct analyze_task *task = worst_of(c);
	char *full = task ? names_full(&c->r->w->names, task) : NULL;

	if (!task)
		return;
	c->t->failed |= !full;
	table_text(c->t, c->column, full);
	table_task(c->t, c->column, task->index);
	free(full);
}

static void cell_worst_tid(const struct cell *c)
{
	if (worst_of(c))
		table_i64(c->t, c->column, worst_of(c)->tid);
}

static const struct table_column columns[] = {
#define COLUMN_VM 0
	{ "vm", "VM", TABLE_TEXT, 0, cell_vm_text, 0 },
	{ "behind", "was behind", TABLE_TEXT, TABLE_KEEP | TABLE_EACH, cell_behind_text, 0 },
	{ "behind_kind", "which is", TABLE_TEXT, TABLE_SPARE | TABLE_EACH, cell_text, DELAY(kind) },
	{ "behind_ns", "for ms", TABLE_MS,
	  TABLE_KEEP | TABLE_OF_TIMES_OFF | TABLE_OF_STATES | TABLE_OF_SWITCHES, cell_u64,
	  DELAY(behind_ns) },
	{ "delayed_percent", "% of wait", TABLE_PERCENT,
	  TABLE_OF_TIMES_OFF | TABLE_OF_STATES | TABLE_OF_ALL, cell_of_delay, 0 },
	{ "vm_delayed_ns", "of ms", TABLE_MS, TABLE_WIDE | TABLE_OF_TIMES_OFF | TABLE_OF_STATES,
	  cell_u64, DELAY(vm_delayed_ns) },
	{ "preempted_ns", "preempted ms", TABLE_MS,
	  TABLE_WIDE | TABLE_OF_TIMES_OFF | TABLE_OF_STATES, cell_u64, DELAY(preempted_ns) },
	{ "waiting_ns", "waiting ms", TABLE_MS,
	  TABLE_WIDE | TABLE_OF_TIMES_OFF | TABLE_OF_STATES | TABLE_OF_WAKEUPS, cell_u64,
	  DELAY(waiting_ns) },
	{ "slices", "slices", TABLE_COUNT, TABLE_WIDE | TABLE_OF_SWITCHES, cell_u64,
	  DELAY(slices) },
	{ "took_over", "took over", TABLE_COUNT, TABLE_WIDE | TABLE_OF_SWITCHES, cell_u64,
	  DELAY(took_over) },
	{ "worst_ns", "worst wait ms", TABLE_MS, TABLE_GAUGE | TABLE_EACH, cell_worst_ns,
	  DELAY(worst.dur_ns) },
	{ "worst_held_ns", "of it ms", TABLE_MS, TABLE_GAUGE | TABLE_SPARE | TABLE_EACH,
	  cell_worst_ns, DELAY(worst_held_ns) },
	{ "worst_at_ns", "at s", TABLE_TIME, TABLE_KEEP | TABLE_EACH, cell_worst_ns,
	  DELAY(worst.at_ns) },
	{ "worst_cpu", "on CPU", TABLE_INTEGER, TABLE_EACH, cell_worst_cpu, DELAY(worst.cpu) },
	{ "worst_task", "waited", TABLE_TEXT, TABLE_EACH, cell_worst_who, DELAY(worst_task) },
	{ "worst_task_tid", "waited tid", TABLE_INTEGER, TABLE_MACHINE | TABLE_EACH, cell_worst_tid,
	  DELAY(worst_task) },
	{ "worst_antagonist", "had the CPU", TABLE_TEXT, TABLE_EACH, cell_worst_who,
	  DELAY(worst.behind) },
	{ "worst_antagonist_tid", "had the CPU tid", TABLE_INTEGER, TABLE_MACHINE | TABLE_EACH,
	  cell_worst_tid, DELAY(worst.behind) },
	TABLE_COLUMNS_END,
};

static void fill_row(struct table *t, const struct delays *d, const struct delay *delay, bool total)
{
	struct tables_row r = { .w = d->w, .row = delay, .total = total };

	cells_fill(t, &r);
	table_lossy(t, delay->lossy);
}

struct table *tables_delays(const struct tables_walk *w)
{
	struct delay all = { .vm = "all VMs" };
	struct delays d = { .w = w, .culprits = { .names = &w->names } };
	struct table *t = table_new("delays", columns);

	for (size_t i = 0; t && i < analyze_vcpus_row_count(w->vcpus) && !d.culprits.failed; i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		if (names_wanted(&w->names, analyze_engine_task(w->eng, row->task)))
			add_vcpu(&d, row);
	}
	if (t) {
		t->order = "vm_delayed_ns,vm,behind_ns";
		t->grouped = true;
	}
	for (size_t i = 0; t && i < d.all.n && !d.culprits.failed; i++) {
		struct delay *delay = &d.all.at[i];

		if (delay->behind == culprits_all)
			continue;
		delay->vm_delayed_ns = cell_of(&d, delay->vm, culprits_all)->behind_ns;
		table_row(t);
		fill_row(t, &d, delay, false);
		all.behind_ns += delay->behind_ns;
		all.preempted_ns += delay->preempted_ns;
		all.waiting_ns += delay->waiting_ns;
		all.slices += delay->slices;
		all.took_over += delay->took_over;
		all.lossy |= delay->lossy;
	}
	all.vm_delayed_ns = all.behind_ns;
	if (t && !d.culprits.failed) {
		t->lacks = tables_lacks(w);
		table_total(t);
		fill_row(t, &d, &all, true);
	}
	if (t)
		t->failed |= d.culprits.failed;
	array_fini(&d.all);
	culprits_fini(&d.culprits);
	return t ? table_done(t) : NULL;
}

/* ---- capacity ---- */

struct capacity {
	uint64_t cpus, busy_ns, known_ns, vcpus;
	bool overcommitted;
};

static struct capacity capacity_of(const struct tables_walk *w)
{
	const struct analyze_capacity *had = analyze_vcpus_capacity(w->vcpus);
	struct capacity c = { .cpus = analyze_engine_summary(w->eng)->cpus_seen,
			      .busy_ns = had->busy_ns,
			      .known_ns = had->known_ns };

	/* all vCPUs, whatever the filter: they share the CPUs */
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++)
		c.vcpus += analyze_vcpu_life_ns(analyze_vcpus_row_at(w->vcpus, i)) != 0;
	c.overcommitted = c.vcpus > c.cpus;
	return c;
}

#define CAPACITY(member) offsetof(struct capacity, member)

static void cell_busy(const struct cell *c)
{
	const struct capacity *had = c->row;

	table_share(c->t, c->column, had->busy_ns, had->known_ns);
}

static const struct table_column capacity_columns[] = {
	{ "cpus", "CPUs", TABLE_COUNT, TABLE_GAUGE | TABLE_OF_SWITCHES, cell_u64, CAPACITY(cpus) },
	{ "busy_ns", "busy ms", TABLE_MS, TABLE_OF_SWITCHES, cell_u64, CAPACITY(busy_ns) },
	{ "known_ns", "known ms", TABLE_MS, TABLE_OF_SWITCHES, cell_u64, CAPACITY(known_ns) },
	{ "busy_percent", "busy %", TABLE_PERCENT, TABLE_OF_SWITCHES | TABLE_OF_ALL, cell_busy, 0 },
	{ "vcpus", "vCPUs", TABLE_COUNT, TABLE_GAUGE, cell_u64, CAPACITY(vcpus) },
	{ "overcommitted", "overcommitted", TABLE_BOOL,
	  TABLE_MACHINE | TABLE_OF_SWITCHES | TABLE_OF_ALL, cell_bool, CAPACITY(overcommitted) },
	TABLE_COLUMNS_END,
};

struct table *tables_capacity(const struct tables_walk *w)
{
	struct table *t = table_new("capacity", capacity_columns);
	const struct capacity had = capacity_of(w);
	struct tables_row r = { .w = w, .row = &had };

	if (!t)
		return NULL;
	t->grouped = true;
	table_row(t);
	cells_fill(t, &r);
	return table_done(t);
}

char *tables_capacity_text(const struct tables_walk *w)
{
	const struct capacity had = capacity_of(w);
	struct sink s;

	sink_to_memory(&s);
	if (had.known_ns)
		sink_printf(&s, "%" PRIu64 " CPU%s, %.0f %% busy, ", had.cpus,
			    had.cpus == 1 ? "" : "s",
			    100.0 * (double)had.busy_ns / (double)had.known_ns);
	sink_printf(&s, "%" PRIu64 " vCPU%s", had.vcpus, had.vcpus == 1 ? "" : "s");
	sink_puts(&s, !had.known_ns       ? "; CPU use is unknown"
		      : had.overcommitted ? ": overcommitted"
					  : ": a CPU for each");
	return sink_take(&s, NULL);
}
