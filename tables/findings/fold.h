/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * fold.h - folds many tasks into few rows: a VM and its parts (vCPUs, emulator, vhost, ...), kernel
 * threads by kind, other tasks of the host by name.
 *
 *	struct fold f = { .culprits = { .names = &w->names } };
 *	struct fold_place place;
 *
 *	if (fold_find(&f, task, &place))
 *		... place.group, place.role, place.kind ...
 *	fold_fini(&f);
 *
 * Equal texts have equal pointers.
 *
 * Failure    f->culprits.failed: out of memory
 * Ownership  caller's storage; texts are borrowed and die with fold_fini(), or with the names
 */
#ifndef TABLES_FINDINGS_FOLD_H
#define TABLES_FINDINGS_FOLD_H

#include "tables/columns/decl.h"
#include "tables/names/culprits.h"

struct fold {
	struct culprits culprits;
	const char *unnamed; /* the group of tasks without a name, once there is one */
};

struct fold_place {
	const char *group; /* "Firewall.05", "kernel threads", "fio" */
	const char *role;  /* "vcpu", "kworker"; NULL: a group of one kind */
	const char *kind;  /* "vm", "kernel", "task" */
};

void fold_fini(struct fold *f);
/* fold_find - finds the task's group, role and kind; false: it is IDLE, or out of memory. */
bool fold_find(struct fold *f, const struct analyze_task *task, struct fold_place *place);

/* The groups of findings: each group has one line, and there are few. */
#define FOLD_LINES 5
struct fold_lines {
	struct fold fold;
	const char *groups[FOLD_LINES];
	size_t n;
};

/* fold_lines_has - whether the task's group has a line. */
bool fold_lines_has(struct fold_lines *lines, const struct analyze_task *task);
/* fold_lines_add - gives it a line; false: none is left. */
bool fold_lines_add(struct fold_lines *lines, const struct analyze_task *task);

enum fold_by { FOLD_BY_GROUP = 0, FOLD_BY_ROLE, FOLD_BY_CGROUP };

/* tables_fold - the sums of the rows of @decl for each group, or for each role of a group, over all
 * CPUs, or per CPU if its rows are per CPU. Only the table of tasks has a row of IDLE, for all
 * CPUs. The columns "group role kind tasks" replace those of the task. NULL: out of memory. */
struct table *tables_fold(const struct tables_walk *w, const struct tables_decl *decl,
			  enum fold_by by);

#endif
