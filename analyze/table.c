// SPDX-License-Identifier: LGPL-2.1-only
/* table.c - tid -> task: a dense table behind an open-addressed hash. */
#include "analyze/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct task_table *tab, int32_t tid)
{
	return ((uint32_t)tid * UINT32_C(0x9e3779b1) >> 8) & (tab->n_slots - 1);
}

int table_init(struct task_table *tab, uint32_t cpus)
{
	memset(tab, 0, sizeof(*tab));
	tab->cap = 256;
	tab->n_slots = 1024;
	tab->n_idle = cpus;
	tab->all = calloc(tab->cap, sizeof(*tab->all));
	tab->slots = calloc(tab->n_slots, sizeof(*tab->slots));
	tab->idle = calloc(cpus ? cpus : 1, sizeof(*tab->idle));
	if (!tab->all || !tab->slots || !tab->idle)
		return -1;
	for (uint32_t c = 0; c < cpus; c++)
		tab->idle[c] = ANALYZE_NO_TASK;
	return 0;
}

void table_fini(struct task_table *tab)
{
	free(tab->all);
	free(tab->slots);
	free(tab->idle);
	memset(tab, 0, sizeof(*tab));
}

static struct task *new_task(struct task_table *tab, int32_t tid)
{
	struct task *t;

	if (tab->n == tab->cap) {
		struct task *all = realloc(tab->all, 2 * tab->cap * sizeof(*all));

		if (!all)
			return NULL;
		tab->all = all;
		tab->cap *= 2;
	}
	if (tab->n >= ANALYZE_NO_TASK)
		return NULL;
	t = &tab->all[tab->n];
	memset(t, 0, sizeof(*t));
	t->pub.index = (uint32_t)tab->n++;
	t->pub.tid = tid;
	t->pub.pid = t->pub.ppid = t->pub.vcpu_id = -1;
	t->pub.idle_cpu = t->cpu = CDICT_CPU_UNKNOWN;
	t->pub.born_ns = t->pub.exit_ns = t->pub.first_ns = t->pub.last_ns = ANALYZE_NO_TIME;
	t->since_ns = t->ready_ns = t->moved_ns = ANALYZE_NO_TIME;
	return t;
}

static bool grow_slots(struct task_table *tab)
{
	size_t n = 2 * tab->n_slots;
	struct task_slot *old = tab->slots, *slots = calloc(n, sizeof(*slots));
	size_t n_old = tab->n_slots;

	if (!slots)
		return false;
	tab->slots = slots;
	tab->n_slots = n;
	for (size_t i = 0; i < n_old; i++) {
		size_t s;

		if (!old[i].task)
			continue;
		s = slot_of(tab, old[i].tid);
		while (slots[s].task)
			s = (s + 1) & (n - 1);
		slots[s] = old[i];
	}
	free(old);
	return true;
}

/* The slot of @tid, or the empty one where it belongs. */
static size_t probe(const struct task_table *tab, int32_t tid)
{
	size_t s = slot_of(tab, tid);

	while (tab->slots[s].task && tab->slots[s].tid != tid)
		s = (s + 1) & (tab->n_slots - 1);
	return s;
}

uint32_t table_peek(const struct task_table *tab, int32_t tid)
{
	uint32_t task = tab->slots[probe(tab, tid)].task;

	return task ? task - 1 : ANALYZE_NO_TASK;
}

static uint32_t idle_of(struct task_table *tab, uint32_t cpu)
{
	struct task *t;
	char comm[24];

	if (cpu >= tab->n_idle)
		return ANALYZE_NO_TASK;
	if (tab->idle[cpu] != ANALYZE_NO_TASK)
		return tab->idle[cpu];
	t = new_task(tab, 0);
	if (!t)
		return ANALYZE_NO_TASK;
	t->pub.pid = 0;
	t->pub.idle_cpu = cpu;
	task_comm(t, comm, (size_t)snprintf(comm, sizeof(comm), "swapper/%u", cpu));
	tab->idle[cpu] = t->pub.index;
	return t->pub.index;
}

uint32_t table_find(struct task_table *tab, int32_t tid, uint32_t cpu)
{
	struct task *t;
	size_t s;

	if (tid <= 0)
		return tid ? ANALYZE_NO_TASK : idle_of(tab, cpu);
	s = probe(tab, tid);
	if (tab->slots[s].task)
		return tab->slots[s].task - 1;
	if (tab->used >= tab->n_slots / 2) {
		if (!grow_slots(tab))
			return ANALYZE_NO_TASK;
		s = probe(tab, tid);
	}
	t = new_task(tab, tid);
	if (!t)
		return ANALYZE_NO_TASK;
	tab->slots[s] = (struct task_slot){ tid, t->pub.index + 1 };
	tab->used++;
	return t->pub.index;
}

uint32_t table_birth(struct task_table *tab, int32_t tid, int32_t pid, int32_t ppid, uint64_t t_ns)
{
	uint32_t old = tid > 0 ? table_peek(tab, tid) : ANALYZE_NO_TASK, index = old;
	struct task *t;

	if (tid <= 0)
		return ANALYZE_NO_TASK;
	/* The record and the tracepoint both tell of one fork: who was not heard of since
	 * is the same task. */
	if (old == ANALYZE_NO_TASK) {
		index = table_find(tab, tid, CDICT_CPU_UNKNOWN);
	} else if (t_ns && tab->all[old].pub.first_ns != ANALYZE_NO_TIME) {
		t = new_task(tab, tid);
		if (!t)
			return ANALYZE_NO_TASK;
		index = t->pub.index;
		t->pub.reused = tab->all[old].pub.reused = true;
		tab->slots[probe(tab, tid)] = (struct task_slot){ tid, index + 1 };
		tab->births++;
	}
	if (index == ANALYZE_NO_TASK)
		return index;
	t = &tab->all[index];
	if (pid >= 0)
		t->pub.pid = pid;
	if (ppid >= 0)
		t->pub.ppid = ppid;
	if (t_ns)
		t->pub.born_ns = t_ns;
	return index;
}

void task_comm(struct task *t, const void *comm, size_t len)
{
	char now[sizeof(t->pub.comm)] = { 0 };

	if (len >= sizeof(now))
		len = sizeof(now) - 1;
	memcpy(now, comm, len);
	if (!memcmp(now, t->pub.comm, sizeof(now)))
		return;
	if (t->pub.comm[0])
		t->pub.comm_changes++;
	memcpy(t->pub.comm, now, sizeof(now));
}
