/* SPDX-License-Identifier: LGPL-2.1-only */
/* culprits.c - see culprits.h. */
#include "tables/culprits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel_threads[] = "kernel threads", nobody[] = "nobody ran",
		  not_known[] = "not known";
const char culprits_all[] = "all";

void culprits_fini(struct culprits *c)
{
	map_fini(&c->pairs);
	stringset_fini(&c->texts);
}

static const char *intern(struct culprits *c, char *text)
{
	const char *name = text ? stringset_add(&c->texts, text, strlen(text)) : NULL;

	c->failed |= !name;
	free(text);
	return name;
}

const char *culprits_vm(struct culprits *c, const struct analyze_task *vcpu)
{
	const char *vm = names_vm(c->names, vcpu);

	return vm ? vm : intern(c, names_display(c->names, vcpu));
}

const char *culprits_name(struct culprits *c, const struct analyze_task *task, const char *victim,
			  const char **kind)
{
	const char *vm;

	*kind = "unknown";
	if (!task)
		return not_known;
	*kind = "idle";
	if (!task->tid)
		return nobody;
	vm = names_vm(c->names, task);
	if (!vm)
		vm = names_vm_served(c->names, task);
	*kind = vm == victim ? "self" : "vm";
	if (vm)
		return vm;
	*kind = "kernel";
	if (names_kernel_thread(task))
		return kernel_threads;
	*kind = "task";
	return intern(c, names_display(c->names, task));
}

uint32_t culprits_pair(struct culprits *c, const char *vm, const char *other)
{
	uint32_t *number = vm && other ? map_add(&c->pairs, (uintptr_t)vm, (uintptr_t)other) : NULL;

	if (!number) {
		c->failed = true;
		return UINT32_MAX;
	}
	if (*number == MAP_NEW)
		*number = c->n_pairs++;
	return *number;
}
