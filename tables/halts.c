/* SPDX-License-Identifier: LGPL-2.1-only */
/* vCPUs: how their halts ended, and what that cost. */
#include <stdlib.h>

#include "analyze/halts.h"
#include "tables/decl.h"
#include "tables/tables.h"

struct halts {
	struct analyze_halt_row row;
	uint64_t halts;
	uint64_t hlt_cpu_ns; /* handling idle exits on a CPU, polling included */
};

#define HALTS(member) offsetof(struct halts, member)

static void cell_polled_share(const struct cell *c)
{
	const struct halts *h = c->row;

	table_share(c->t, c->column, h->row.polled, h->halts);
}

static const struct table_column columns[] = {
	CELLS_OF_TASK,
	{ "halts", "halts", TABLE_COUNT, TABLE_OF_HALTS, cell_u64, HALTS(halts) },
	{ "polled", "polled", TABLE_COUNT, TABLE_OF_HALTS, cell_u64, HALTS(row.polled) },
	{ "polled_percent", "% polled", TABLE_PERCENT, TABLE_OF_HALTS, cell_polled_share, 0 },
	{ "polled_ns", "polled ms", TABLE_MS, TABLE_KEEP | TABLE_OF_HALTS, cell_u64,
	  HALTS(row.polled_ns) },
	{ "slept", "slept", TABLE_COUNT, TABLE_OF_HALTS, cell_u64, HALTS(row.slept) },
	{ "slept_ns", "slept ms", TABLE_MS, TABLE_OF_HALTS, cell_u64, HALTS(row.slept_ns) },
	{ "hlt_cpu_ns", "HLT on CPU ms", TABLE_MS, TABLE_KEEP | TABLE_OF_SWITCHES, cell_u64,
	  HALTS(hlt_cpu_ns) },
	{ "poll_limit_ns", "limit ms", TABLE_MS, TABLE_OF_POLLS, cell_u64, HALTS(row.limit_ns) },
	{ "poll_grown", "grown", TABLE_COUNT, TABLE_OF_POLLS, cell_u64, HALTS(row.grown) },
	{ "poll_shrunk", "shrunk", TABLE_COUNT, TABLE_OF_POLLS, cell_u64, HALTS(row.shrunk) },
	TABLE_COLUMNS_END,
};

static void add(struct halts *sum, const struct halts *one)
{
	sum->halts += one->halts;
	sum->hlt_cpu_ns += one->hlt_cpu_ns;
	sum->row.polled += one->row.polled;
	sum->row.polled_ns += one->row.polled_ns;
	sum->row.slept += one->row.slept;
	sum->row.slept_ns += one->row.slept_ns;
	sum->row.grown += one->row.grown;
	sum->row.shrunk += one->row.shrunk;
	if (one->row.limit_ns > sum->row.limit_ns)
		sum->row.limit_ns = one->row.limit_ns;
}

struct table *tables_halts(const struct tables_walk *w)
{
	struct table *t = table_new("halts", columns);
	struct halts all = { 0 };
	bool lossy = false;

	if (!t)
		return NULL;
	t->order = "hlt_cpu_ns,polled_ns";
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *vcpu = analyze_vcpus_row_at(w->vcpus, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, vcpu->task);
		struct halts h = { .row = *analyze_halts_row(w->halts, vcpu->task) };
		struct tables_row r = { .w = w, .row = &h, .task = task };

		if (!names_wanted(&w->names, task))
			continue;
		h.halts = h.row.polled + h.row.slept;
		for (size_t k = 0; k < vcpu->n_reasons; k++)
			h.hlt_cpu_ns += vcpu->reasons[k].idle ? vcpu->reasons[k].exit_ns : 0;
		table_row(t);
		cells_fill(t, &r);
		table_lossy(t, vcpu->lost_ns || tables_lossy(w, task));
		lossy |= vcpu->lost_ns || tables_lossy(w, task);
		add(&all, &h);
	}
	table_total(t);
	cells_fill(
		t,
		&(struct tables_row){
			.w = w, .row = &all, .name = "all vCPUs", .several = true, .total = true });
	table_lossy(t, lossy);
	return table_done(t);
}
