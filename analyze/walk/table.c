// SPDX-License-Identifier: LGPL-2.1-only
/* table.c - maps tids to tasks: a dense table with an index. */
#include "analyze/walk/internal.h"

#include <stdio.h>

int table_init(struct task_table *tab, uint32_t cpus)
{
	memset(tab, 0, sizeof(*tab));
	tab->n_idle = cpus;
	tab->idle = calloc(cpus ? cpus : 1, sizeof(*tab->idle));
	if (!tab->idle)
		return -ENOMEM;
	for (uint32_t c = 0; c < cpus; c++)
		tab->idle[c] = ANALYZE_NO_TASK;
	return 0;
}

void table_fini(struct task_table *tab)
{
	array_fini(&tab->all);
	places_fini(&tab->latest);
	free(tab->idle);
	memset(tab, 0, sizeof(*tab));
}

static struct task *new_task(struct task_table *tab, int32_t tid)
{
	struct task *t = tab->all.n < ANALYZE_NO_TASK ? array_add(&tab->all) : NULL;

	if (!t) {
		tab->failed = true;
		return NULL;
	}
	t->pub.index = (uint32_t)tab->all.n - 1;
	t->pub.tid = tid;
	t->pub.pid = t->pub.ppid = t->pub.vcpu_id = -1;
	t->pub.idle_cpu = t->cpu = CDICT_CPU_UNKNOWN;
	t->pub.born_ns = t->pub.exit_ns = t->pub.first_ns = t->pub.last_ns = ANALYZE_NO_TIME;
	t->since_ns = t->ready_ns = t->moved_ns = t->named_ns = ANALYZE_NO_TIME;
	return t;
}

static void tid_at(const void *all, uint32_t place, uint64_t ab[2])
{
	ab[0] = (uint32_t)((const struct task *)all)[place].pub.tid;
	ab[1] = 0;
}

/* The slot of the tid in tab->latest; false: none. */
static bool find_slot(const struct task_table *tab, int32_t tid, size_t *slot, uint32_t *task)
{
	size_t at = places_begin(&tab->latest, (uint32_t)tid, 0);

	for (; places_at(&tab->latest, at, task); at = places_next(&tab->latest, at)) {
		*slot = at;
		if (tab->all.at[*task].pub.tid == tid)
			return true;
	}
	return false;
}

uint32_t table_peek(const struct task_table *tab, int32_t tid)
{
	uint32_t task;
	size_t slot;

	return find_slot(tab, tid, &slot, &task) ? task : ANALYZE_NO_TASK;
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
	uint32_t task;
	size_t slot;

	if (tid <= 0)
		return tid ? ANALYZE_NO_TASK : idle_of(tab, cpu);
	if (find_slot(tab, tid, &slot, &task))
		return task;
	if (places_room(&tab->latest, tid_at, tab->all.at, sizeof(*tab->all.at)))
		tab->failed = true;
	if (tab->failed || !new_task(tab, tid))
		return ANALYZE_NO_TASK;
	task = (uint32_t)tab->all.n - 1;
	places_add(&tab->latest, (uint32_t)tid, 0, task);
	return task;
}

uint32_t table_birth(struct task_table *tab, int32_t tid, int32_t pid, int32_t ppid, uint64_t t_ns)
{
	uint32_t old = tid > 0 ? table_peek(tab, tid) : ANALYZE_NO_TASK, index = old;
	struct task *t;
	size_t slot;

	if (tid <= 0)
		return ANALYZE_NO_TASK;
	/* The record and the tracepoint report the same fork: a task not seen since is the same
	 * task. */
	if (old == ANALYZE_NO_TASK) {
		index = table_find(tab, tid, CDICT_CPU_UNKNOWN);
	} else if (t_ns && tab->all.at[old].pub.first_ns != ANALYZE_NO_TIME) {
		t = new_task(tab, tid);
		if (!t)
			return ANALYZE_NO_TASK;
		index = t->pub.index;
		t->pub.reused = tab->all.at[old].pub.reused = true;
		find_slot(tab, tid, &slot, &old);
		places_move(&tab->latest, slot, index);
		tab->births++;
	}
	if (index == ANALYZE_NO_TASK)
		return index;
	t = &tab->all.at[index];
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
