/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps a walk's tasks to the page's tasks, and the exit reasons of an answer to numbers. */
#include <stdlib.h>

#include "analyze/walk/ops.h"
#include "render/engine/engine_internal.h"

static int64_t key_of(int32_t tid, uint32_t idle_cpu)
{
	return tid ? tid : -1 - (int64_t)idle_cpu;
}

int page_engine_task(struct page_engine *e, const struct page_task *task)
{
	struct page_tasks *t = &e->tasks;
	struct page_task_key key = { .key = key_of(task->tid, task->idle_cpu),
				     .born_ns = task->born_ns,
				     .number = (uint32_t)t->all.n,
				     .wanted = task->wanted,
				     .vcpu = task->vcpu };

	t->sorted = false;
	return array_push(&t->all, key);
}

static int by_key(const void *a, const void *b)
{
	const struct page_task_key *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->born_ns != y->born_ns)
		return x->born_ns < y->born_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* 1 + index of the task with @key at @t_ns; 0 if not found. */
static size_t find_task(struct page_tasks *t, int64_t key, int64_t t_ns)
{
	size_t lo = 0, hi = t->all.n;

	if (!t->sorted && t->all.n)
		qsort(t->all.at, t->all.n, sizeof(*t->all.at), by_key);
	t->sorted = true;
	/* the first that is after (key, t_ns) */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->all.at[mid].key < key ||
		    (t->all.at[mid].key == key && t->all.at[mid].born_ns <= t_ns))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo && t->all.at[lo - 1].key == key)
		return lo;
	/* all of them were born later: the first */
	return lo < t->all.n && t->all.at[lo].key == key ? lo + 1 : 0;
}

const struct page_task_key *page_tasks_of(struct page_engine *e, uint32_t task)
{
	const struct analyze_task *own = analyze_engine_task(e->eng, task);
	uint64_t t_ns = own->first_ns < own->born_ns ? own->first_ns : own->born_ns;
	struct page_tasks *t = &e->tasks;
	size_t found;

	if (task < t->found.n && t->found.at[task])
		return &t->all.at[t->found.at[task] - 1];
	found = find_task(t, key_of(own->tid, own->idle_cpu),
			  t_ns == ANALYZE_NO_TIME ? INT64_MAX : (int64_t)(t_ns - e->t0_ns));
	if (!found)
		return NULL;
	/* before its first mention the result may still change; without memory it is looked
	 * up again */
	if (t_ns != ANALYZE_NO_TIME &&
	    (task < t->found.n || !array_resize(&t->found, (size_t)task + 1)))
		t->found.at[task] = (uint32_t)found;
	return &t->all.at[found - 1];
}

const struct page_task_key *page_tasks_at(struct page_engine *e, int32_t tid, uint32_t cpu,
					  uint64_t t_ns)
{
	size_t found = find_task(&e->tasks, key_of(tid, cpu), (int64_t)t_ns);

	return found ? &e->tasks.all.at[found - 1] : NULL;
}

uint32_t page_tasks_number(struct page_engine *e, uint32_t task)
{
	const struct page_task_key *known = task == ANALYZE_NO_TASK ? NULL : page_tasks_of(e, task);

	return known ? known->number : PAGE_NO_TASK;
}

bool page_tasks_wanted(struct page_engine *e, const struct page_task_key *known)
{
	if (!known || !e->chosen)
		return known && known->wanted;
	return e->chosen[known->number / 64] >> known->number % 64 & 1;
}

bool page_tasks_heated(struct page_engine *e, uint32_t task)
{
	if (!e->chosen && !e->q.filtered)
		return analyze_engine_task(e->eng, task)->tid != 0;
	return page_tasks_wanted(e, page_tasks_of(e, task));
}

void page_tasks_forget(struct page_tasks *t)
{
	array_fini(&t->found);
}

void page_tasks_fini(struct page_tasks *t)
{
	page_tasks_forget(t);
	array_fini(&t->all);
}

/* ---- exit reasons ---- */

void page_reasons_fini(struct page_reasons *list)
{
	analyze_reasons_free(list->names);
	map_fini(&list->numbers);
	array_fini(&list->all);
}

uint32_t page_reasons_number(struct page_reasons *list, struct page_engine *e, uint32_t isa,
			     uint64_t code)
{
	uint32_t *number = map_add(&list->numbers, isa, code);

	if (number && *number == MAP_NEW) {
		*number = (uint32_t)list->all.n;
		if (array_push(&list->all, (struct page_reason){ isa, code }))
			number = NULL;
	}
	if (number)
		return *number;
	analyze_engine_out_of_memory(e->eng);
	return PAGE_NO_TASK;
}

void page_reasons_write(struct json *j, const char *key, const struct page_reasons *list)
{
	char room[24];

	json_open(j, key, '[', false);
	for (size_t i = 0; i < list->all.n; i++)
		json_text(j, NULL,
			  analyze_reasons_text(list->names, list->all.at[i].isa,
					       list->all.at[i].code, room));
	json_close(j);
}
