/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * coremap.h - which task ran on which CPU, for how long, how often.
 *
 * For every CPU the cells' run_ns and its unknown time add up to the window, to the ns.
 *
 * Ownership  cells are borrowed and die with the analysis
 */
#ifndef ANALYZE_COREMAP_H
#define ANALYZE_COREMAP_H

#include "analyze/engine.h"

struct analyze_coremap;

struct analyze_core_cell {
	uint32_t task; /* IDLE has a task of its own on each CPU */
	uint32_t cpu;
	uint64_t run_ns;
	uint64_t edge_ns;  /* of run_ns */
	uint64_t switches; /* sched_switch with prev = task on this CPU */
};

int analyze_coremap_new(struct analyze_coremap **out, struct analyze_engine *eng,
			struct cdict_error *err);
void analyze_coremap_free(struct analyze_coremap *m);

/* Cells that are not empty, by task, then CPU. */
size_t analyze_coremap_count(const struct analyze_coremap *m);
const struct analyze_core_cell *analyze_coremap_at(const struct analyze_coremap *m, size_t i);

/* Columns: one per CPU, analyze_engine_cpus() of them. */
struct analyze_core_cpu {
	uint64_t busy_ns;    /* tasks */
	uint64_t idle_ns;    /* IDLE */
	uint64_t unknown_ns; /* busy + idle + unknown = the window (0 for CPUs not asked for) */
	uint64_t switches;
};
const struct analyze_core_cpu *analyze_coremap_cpu(const struct analyze_coremap *m, uint32_t cpu);

#endif
