/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * story.h - one VM: where the time of its vCPUs went, the waits of all its threads, and who woke
 * them.
 *
 *	tables_walk_init(&w, ...);
 *	story_add(&w, err);
 *	tables_walk_run(&w, err);
 *	story_new(&story, &w, "instance-0000001c", err);
 *	t = story_parts(story);
 *	story_free(story);
 *
 * The VM's time is the sum of its vCPUs' lives in the window (analyze_vcpu_life_ns()); the parts
 * add up to it, to the ns. The VM's threads are its process's, and the kernel threads that serve
 * it.
 *
 * Failure    0 or a negative code with *err filled; tables: NULL when out of memory
 * Ownership  new gives, free takes; the walk must outlive the story
 */
#ifndef TABLES_VM_STORY_H
#define TABLES_VM_STORY_H

#include "analyze/sched/chains.h"
#include "analyze/sched/critical.h"
#include "tables/columns/tables.h"
#include "tables/findings/fold.h"

enum story_part {
	STORY_GUEST = 0,
	STORY_WAITED,     /* for a CPU, behind .of */
	STORY_EXIT,       /* handling exits in the kernel, by reason */
	STORY_VMM,        /* in the VMM, by the exit's reason */
	STORY_HALTED_OWN, /* halted while one of the VM's other threads waited for a CPU */
	STORY_HALTED,
	STORY_BLOCKED,
	STORY_UNKNOWN,
	STORY_PARTS,
};

/* "guest", "waited", "exit", "VMM", "halted, own", "halted", "blocked", "unknown" */
extern const char *const story_part_names[];

struct story_row {
	enum story_part part;
	const char *of, *kind; /* culprit or reason, and kind of culprit; or NULL */
	uint64_t ns;
};

struct story_thread {
	uint32_t task;
	const char *role;
	const struct analyze_chain_row *waits; /* NULL: none */
	uint64_t run_ns, delayed_ns, delays;
};

/* Halts of a vCPU, waits of other threads. */
struct story_span {
	uint64_t from_ns, to_ns;
};

struct story {
	const struct tables_walk *w;
	const char *vm;
	struct fold fold;
	uint64_t *members; /* bitmap of the VM's tasks */
	size_t n_tasks;
	size_t n_vcpus;
	uint64_t life_ns; /* the VM's time */
	uint64_t sums[STORY_PARTS];
	char *next_step;                    /* sentences of next_step.h */
	ARRAY(struct story_row) rows;       /* by part, most time first */
	ARRAY(struct story_thread) threads; /* most waiting first */
	/* The second walk. */
	struct tables_walk again;
	struct analyze_chains *chains;
	ARRAY(struct story_span) halts;
	ARRAY(struct story_span) waits;
	bool failed;
};

/* story_add - registers the analyses that a story needs, before the walk. The walk covers the whole
 * capture, as a story walks again and finds its tasks by their numbers. */
int story_add(struct tables_walk *w, struct cdict_error *err);
/* story_new - CDICT_ENOTFOUND if no VM with vCPUs has this name (culprits_vm()). */
int story_new(struct story **out, const struct tables_walk *w, const char *vm,
	      struct cdict_error *err);
/* story_begin, story_step - the same in steps of at most @events, like tables_walk_step(): 1: call
 * it again; 0: the story is done. */
int story_begin(struct story **out, const struct tables_walk *w, const char *vm,
		struct cdict_error *err);
int story_step(struct story *s, uint64_t events, struct cdict_error *err);
/* story_only_vm - the VM of all wanted vCPUs, interned in @names. NULL: no vCPU is wanted, the vCPUs
 * belong to several VMs (*several), or names->failed. */
const char *story_only_vm(const struct tables_walk *w, struct culprits *names, bool *several);
void story_free(struct story *s);

struct table *story_parts(const struct story *s);
struct table *story_threads(const struct story *s);
/* tables_chains - a row per link of the wait of each task; of the @most with the longest, and the
 * first @links of each; 0: all. */
struct table *tables_chains(const struct tables_walk *w, const struct analyze_chains *chains,
			    size_t most, unsigned links);
/* tables_critical - a row per segment; tables_critical_sums - a row per task and state. */
struct table *tables_critical(const struct tables_walk *w, const struct analyze_critical *c);
struct table *tables_critical_sums(const struct tables_walk *w, const struct analyze_critical *c);
/* table_put_task - the full name of @task. */
void table_put_task(struct table *t, size_t column, const struct tables_walk *w, uint32_t task);
/* story_put_of - the detail of a row of STORY_WAITED, _EXIT or _VMM: "behind VM 1959", "msr". */
void story_put_of(struct sink *out, const struct story_row *row);
/* story_text - the sentences, a line each; to be freed. story_says - the same with mentions
 * (tables.h). */
char *story_says(const struct story *s);
char *story_text(const struct story *s);

#endif
