/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * culprits.h - whom a VM has to do with, as the tables by VM name them: VMs (itself too), tasks of the host by name,
 * kernel threads as one, nobody, and what is not known.
 *
 *	struct culprits c = { .names = &w->names };
 *	vm = culprits_vm(&c, vcpu);
 *	behind = culprits_name(&c, task, vm, &kind);
 *
 * Each text is one pointer: the same names are the same.
 *
 * Failure    NULL and @failed: out of memory
 * Ownership  caller's storage; texts are borrowed and die with culprits_fini(), or with the names
 */
#ifndef TABLES_CULPRITS_H
#define TABLES_CULPRITS_H

#include "analyze/kvm/vcpu.h"
#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "tables/names/names.h"

struct culprits {
	const struct names *names;
	struct stringset texts;
	struct map pairs;
	uint32_t n_pairs;
	bool failed;
};

extern const char culprits_all[]; /* whatever a VM is paired with, for its sums */

void culprits_fini(struct culprits *c);
/* culprits_vm - of the vCPU; its own name where it is of none. */
const char *culprits_vm(struct culprits *c, const struct analyze_task *vcpu);
/* culprits_name - what @task counts as to the VM @victim; NULL: who it was is not known.  *kind: "vm", "self", "task",
 * "kernel", "idle", "unknown". */
const char *culprits_name(struct culprits *c, const struct analyze_task *task, const char *victim,
			  const char **kind);
/* culprits_pair - numbers from 0 for pairs of texts that culprits.h gave, a new one when it is c->n_pairs - 1 then;
 * UINT32_MAX: out of memory. */
uint32_t culprits_pair(struct culprits *c, const char *vm, const char *other);

/* What antagonists of one vCPU are part of. */
struct culprits_crowd {
	const char *name, *kind; /* as culprits_name() has them */
	uint64_t ns;             /* that the vCPU was behind them */
	size_t tasks;
};

struct culprits_crowds {
	ARRAY(struct culprits_crowd) all;
	ARRAY(uint32_t) of; /* of each antagonist its place in @all */
	struct map by_name;
};

/* culprits_crowds - those of @row, in place of what @crowds had; a failure is @c's, and leaves none. */
void culprits_crowds(struct culprits *c, const struct analyze_engine *eng,
		     const struct analyze_vcpu_row *row, struct culprits_crowds *crowds);
/* culprits_most - the one with most time but for @than; NULL: none. */
const struct culprits_crowd *culprits_most(const struct culprits_crowds *crowds,
					   const struct culprits_crowd *than);
void culprits_crowds_fini(struct culprits_crowds *crowds);

#endif
