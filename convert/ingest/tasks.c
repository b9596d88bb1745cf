/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks by tid: open addressing; a rebuild removes the dead. */
#include "convert/ingest/tasks.h"

#include <stdio.h>
#include <stdlib.h>

static struct task_slot *find_slot(struct task_slot *slots, size_t size, int32_t tid)
{
	size_t i = (uint32_t)tid * 2654435761u & (size - 1);

	while (slots[i].tid && slots[i].tid != tid)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

/* Removes the dead, and grows when many are alive. */
static bool rebuild(struct task_table *t)
{
	struct task_slot *slots;
	size_t alive = 0, size = 256;

	for (size_t i = 0; i < t->size; i++)
		alive += t->slots[i].tid && !t->slots[i].gone;
	while (size < alive * 4)
		size *= 2;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slots[i].tid && !t->slots[i].gone)
			*find_slot(slots, size, t->slots[i].tid) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->size = size;
	t->n = alive;
	return true;
}

bool task_table_apply(struct task_table *t, const struct rows *rows, const struct task_row *row)
{
	struct task_slot *slot;

	if (row->tid <= 0)
		return true;
	if (t->n * 4 >= t->size * 3 && !rebuild(t))
		return false;
	slot = find_slot(t->slots, t->size, row->tid);
	if (!slot->tid) {
		if (row->what == CDICT_TASK_EXIT)
			return true;
		t->n++;
	}
	if (slot->gone || !slot->tid)
		*slot = (struct task_slot){ .tid = row->tid };
	slot->pid = row->pid;
	switch (row->what) {
	case CDICT_TASK_FORK:
		slot->parent = row->ptid;
		break;
	case CDICT_TASK_COMM:
	case CDICT_TASK_EXEC:
		snprintf(slot->comm, sizeof(slot->comm), "%s", rows_comm(rows, row));
		break;
	case CDICT_TASK_EXIT:
		slot->gone = true;
		break;
	}
	return true;
}

void task_table_rows(const struct task_table *t, struct rows *rows)
{
	for (size_t i = 0; i < t->size; i++) {
		const struct task_slot *s = &t->slots[i];
		struct cdict_task_event birth = { .what = CDICT_TASK_FORK,
						  .pid = s->pid,
						  .tid = s->tid,
						  .ppid = s->parent,
						  .ptid = s->parent };
		struct cdict_task_event name = {
			.what = CDICT_TASK_COMM, .pid = s->pid, .tid = s->tid, .comm = s->comm
		};

		if (!s->tid || s->gone)
			continue;
		if (s->parent)
			rows_add_task(rows, &birth);
		if (*s->comm)
			rows_add_task(rows, &name);
	}
}

void task_table_fini(struct task_table *t)
{
	free(t->slots);
	*t = (struct task_table){ 0 };
}
