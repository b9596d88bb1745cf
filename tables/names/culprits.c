/* SPDX-License-Identifier: LGPL-2.1-only */
/* culprits.c - see culprits.h. */
#include "tables/names/culprits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel_threads[] = "kernel threads", cpu_idle[] = "CPU idle",
		  unknown[] = "unknown";
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
	const char *vm, *unit;

	*kind = "unknown";
	if (!task)
		return unknown;
	*kind = "idle";
	if (!task->tid)
		return cpu_idle;
	vm = names_vm(c->names, task);
	if (!vm)
		vm = names_vm_served(c->names, task);
	*kind = vm == victim ? "self" : "vm";
	if (vm)
		return vm;
	*kind = "kernel";
	if (names_kernel_thread(task))
		return kernel_threads;
	*kind = "unit";
	unit = names_unit(c->names, task);
	if (unit)
		return intern(c, strdup(unit));
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

void culprits_crowds_fini(struct culprits_crowds *crowds)
{
	array_fini(&crowds->all);
	array_fini(&crowds->of);
	map_fini(&crowds->by_name);
}

/* The index in crowds->all of the crowd @name, created if new; UINT32_MAX: out of memory. */
static uint32_t crowd_of(struct culprits_crowds *crowds, const char *name, const char *kind)
{
	uint32_t *at = name ? map_add(&crowds->by_name, (uintptr_t)name, 0) : NULL;
	struct culprits_crowd *one;

	if (at && *at == MAP_NEW) {
		one = array_add(&crowds->all);
		if (!one)
			return UINT32_MAX;
		one->name = name;
		one->kind = kind;
		*at = (uint32_t)(crowds->all.n - 1);
	}
	return at ? *at : UINT32_MAX;
}

void culprits_crowds(struct culprits *c, const struct analyze_engine *eng,
		     const struct analyze_vcpu_row *row, struct culprits_crowds *crowds)
{
	const char *victim = names_vm(c->names, analyze_engine_task(eng, row->task));

	crowds->all.n = crowds->of.n = 0;
	map_clear(&crowds->by_name);
	for (size_t i = 0; i < row->n_antagonists; i++) {
		const struct analyze_antagonist *a = &row->antagonists[i];
		const char *kind,
			*name = culprits_name(c, analyze_engine_task(eng, a->task), victim, &kind);
		uint32_t *of = array_add(&crowds->of);
		uint32_t at = of ? crowd_of(crowds, name, kind) : UINT32_MAX;

		if (at == UINT32_MAX) {
			c->failed = true;
			crowds->all.n = crowds->of.n = 0;
			return;
		}
		*of = at;
		crowds->all.at[at].ns += analyze_behind_ns(a);
		crowds->all.at[at].tasks++;
	}
}

const struct culprits_crowd *culprits_most(const struct culprits_crowds *crowds,
					   const struct culprits_crowd *than)
{
	const struct culprits_crowd *most = NULL;

	for (size_t i = 0; i < crowds->all.n; i++) {
		const struct culprits_crowd *one = &crowds->all.at[i];

		if (one != than && (!most || one->ns > most->ns))
			most = one;
	}
	return most;
}
