/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * names.h - the interface through which analyze/ looks up labels.
 *
 * The analyses count by task; names, roles and VMs are looked up when rows are
 * made.  Without labels a task is called by its comm, and a VM is a process (its
 * pid) that has vCPU threads.
 *
 * Ownership  everything returned is borrowed and outlives the rows
 */
#ifndef ANALYZE_WALK_NAMES_H
#define ANALYZE_WALK_NAMES_H

#include <stdint.h>

struct analyze_task;

struct analyze_label {
	const char *name; /* display name, or NULL: the comm */
	const char *vm;   /* identity of the VM (UUID, instance), or NULL: the pid */
	const char *role; /* "vcpu0", "emulator", ... or NULL */
};

struct analyze_names {
	void *ctx;
	/* Fills *out for @task; unknown members stay NULL. */
	void (*find)(void *ctx, const struct analyze_task *task, struct analyze_label *out);
};

/* analyze_names_find - the label of @task; all NULL when @names is NULL. */
static inline struct analyze_label analyze_names_find(const struct analyze_names *names,
						      const struct analyze_task *task)
{
	struct analyze_label label = { 0 };

	if (names && names->find)
		names->find(names->ctx, task, &label);
	return label;
}

#endif
