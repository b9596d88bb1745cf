/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * walk.h - one walk over a capture for tables: its named tasks, and its analyses.
 *
 *	struct tables_walk w;
 *
 *	tables_walk_init(&w, reader, &opts, err);
 *	analyze_tasks_new(&w.tasks, w.eng, NULL, err);	// and its like
 *	tables_walk_run(&w, err);
 *	t = tables_tasks(&w, false);			// tables.h
 *	...
 *	tables_walk_fini(&w);
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  the reader, the labels and pointers in the options are borrowed; analyses put into
 *            the struct are taken.  tables_walk_fini() also after a failure
 */
#ifndef TABLES_COLUMNS_WALK_H
#define TABLES_COLUMNS_WALK_H

#include "analyze/kvm/exits.h"
#include "analyze/kvm/halts.h"
#include "analyze/kvm/vcpu.h"
#include "analyze/sched/coremap.h"
#include "analyze/sched/counts.h"
#include "analyze/sched/latency.h"
#include "analyze/sched/successors.h"
#include "analyze/sched/switches.h"
#include "analyze/sched/tasks.h"
#include "analyze/sched/unknown.h"
#include "analyze/walk/engine.h"
#include "tables/names/names.h"

/* The zero value: the whole capture, all CPUs, all tasks. */
struct tables_options {
	uint64_t from_ns, to_ns; /* the window; both 0: the whole */
	const struct timespec_window
		*windows; /* several in it, or NULL: as in struct analyze_options */
	size_t n_windows;
	const uint64_t *cpus;    /* bitmap of CPUs whose time counts, NULL: all */
	size_t n_cpus;           /* bits in it */
	bool no_guest_mode;      /* leave out samples in guest mode */
	bool whole_waits;        /* as in struct analyze_options */
	unsigned jobs;           /* threads that decode ahead (struct cdict_query) */
	struct digests *digests; /* as in struct analyze_options */
	struct names_options names;
};

struct tables_walk {
	struct cdict_reader *reader;
	struct tables_options opts;
	struct analyze_engine *eng, *later; /* @later: for a walk in parts, or NULL */
	struct analyze_unknown *unknown;
	uint64_t *cpus;          /* CPUs with events or losses, if there are very many; or NULL */
	struct digests *digests; /* owned, or NULL; in a walk in parts those of the later part */
	int32_t *nodes, *cores;  /* NUMA node and core per CPU of the reader, or NULL */
	bool smt;                /* some core has several CPUs */
	struct names names;
	/* The registered analyses, else NULL. */
	struct analyze_tasks *tasks;
	struct analyze_latency *latency;
	struct analyze_exits *exits;
	struct analyze_vcpus *vcpus;
	struct analyze_halts *halts; /* with vcpus */
	struct analyze_coremap *coremap;
	struct analyze_switches *switches;
	struct analyze_successors *successors;
	struct analyze_counts *counts;
};

int tables_walk_init(struct tables_walk *w, struct cdict_reader *r,
		     const struct tables_options *opts, struct cdict_error *err);
/* tables_walk_add - registers the analyses of most tables: tasks, latency, exits without their
 * accesses, vCPUs, their halts, the core map. */
int tables_walk_add(struct tables_walk *w, struct cdict_error *err);
/* tables_walk_run - runs the walk and names the tasks. */
int tables_walk_run(struct tables_walk *w, struct cdict_error *err);
/* tables_walk_begin, tables_walk_step - the same in steps: analyze_engine_step(). */
int tables_walk_begin(struct tables_walk *w, struct cdict_error *err);
int tables_walk_step(struct tables_walk *w, uint64_t events, struct cdict_error *err);
/*
 * The same in two parts if the first call sets w->later: analyze_engine_begin_two(), with @other, a
 * second reader of the file, which must outlive the walk.
 *
 *	tables_walk_begin_two(w, other, err);
 *	tables_walk_later(w, err);	// in another thread, if w->later
 *	tables_walk_first(w, err);
 *	tables_walk_join(w, err);	// both are done
 */
int tables_walk_begin_two(struct tables_walk *w, struct cdict_reader *other,
			  struct cdict_error *err);
int tables_walk_later(struct tables_walk *w, struct cdict_error *err);
int tables_walk_first(struct tables_walk *w, struct cdict_error *err);
int tables_walk_join(struct tables_walk *w, struct cdict_error *err);
void tables_walk_fini(struct tables_walk *w);

/* After the walk. */

/* tables_has_wakeups - whether the capture has sched_waking or sched_wakeup; else wake-up counts
 * are unknown, and cells stay empty. */
bool tables_has_wakeups(const struct tables_walk *w);
/* tables_lacks - the TABLE_OF_* (table.h) that the capture lacks. */
unsigned tables_lacks(const struct tables_walk *w);
/* tables_lossy - whether missing events may have changed the task's figures. */
bool tables_lossy(const struct tables_walk *w, const struct analyze_task *task);
/* tables_cpu - whether the CPU is selected. */
bool tables_cpu(const struct tables_walk *w, uint32_t cpu);
/* tables_node - the NUMA node of a CPU, -1 unknown. */
int32_t tables_node(const struct tables_walk *w, uint32_t cpu);

#endif
