/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * culprits.h - the names of a VM's culprits in the tables by VM: VMs (also itself), tasks of the
 * host by their unit, container or pod, else by name, kernel threads as one, idle, and unknown.
 *
 *	struct culprits c = { .names = &w->names };
 *	vm = culprits_vm(&c, vcpu);
 *	behind = culprits_name(&c, task, vm, &kind);
 *
 * Equal texts have equal pointers.
 *
 * Failure    NULL and @failed: out of memory
 * Ownership  caller's storage; texts are borrowed and die with culprits_fini(), or with the names
 */
#ifndef TABLES_NAMES_CULPRITS_H
#define TABLES_NAMES_CULPRITS_H

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

extern const char culprits_all[]; /* stands for all culprits, for a VM's sums */

void culprits_fini(struct culprits *c);
/* culprits_vm - the VM of the vCPU, or the task's own name if it has none. */
const char *culprits_vm(struct culprits *c, const struct analyze_task *vcpu);
/* culprits_name - the name under which @task (NULL: unknown) counts for the VM @victim. *kind:
 * "vm", "self", "unit", "task", "kernel", "idle", "unknown". */
const char *culprits_name(struct culprits *c, const struct analyze_task *task, const char *victim,
			  const char **kind);
/* culprits_pair - the number, from 0, of a pair of texts from this header; it is new if it is
 * c->n_pairs - 1 afterwards; UINT32_MAX: out of memory. */
uint32_t culprits_pair(struct culprits *c, const char *vm, const char *other);

/* A group of antagonists of one vCPU. */
struct culprits_crowd {
	const char *name, *kind; /* as from culprits_name() */
	uint64_t ns;             /* time that the vCPU waited behind them */
	size_t tasks;
};

struct culprits_crowds {
	ARRAY(struct culprits_crowd) all;
	ARRAY(uint32_t) of; /* of each antagonist: its index in @all */
	struct map by_name;
};

/* culprits_crowds - sets *crowds to those of @row; a failure sets c->failed and leaves none. */
void culprits_crowds(struct culprits *c, const struct analyze_engine *eng,
		     const struct analyze_vcpu_row *row, struct culprits_crowds *crowds);
/* culprits_most - the crowd with most time, other than @than; NULL: none. */
const struct culprits_crowd *culprits_most(const struct culprits_crowds *crowds,
					   const struct culprits_crowd *than);
void culprits_crowds_fini(struct culprits_crowds *crowds);

#endif
