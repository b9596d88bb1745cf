// SPDX-License-Identifier: LGPL-2.1-only
/* comms.c - see comms.h. */
#include "analyze/walk/comms.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"

static int by_time(const void *a, const void *b)
{
	const struct cdict_task_event *x = *(const struct cdict_task_event *const *)a;
	const struct cdict_task_event *y = *(const struct cdict_task_event *const *)b;

	if (x->t_ns != y->t_ns)
		return x->t_ns > y->t_ns ? 1 : -1;
	return (x > y) - (x < y);
}

int comms_init(struct comms *c, const struct cdict_reader *r, struct cdict_error *err)
{
	size_t n = cdict_reader_task_count(r);

	*c = (struct comms){ 0 };
	c->tasks = calloc(n + 1, sizeof(*c->tasks));
	if (!c->tasks)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		c->tasks[c->n_tasks++] = cdict_reader_task_at(r, i);
	qsort(c->tasks, n, sizeof(*c->tasks), by_time);
	return 0;
}

void comms_fini(struct comms *c)
{
	free(c->tasks);
	map_fini(&c->by_tid);
	array_fini(&c->names);
	*c = (struct comms){ 0 };
}

static const char *name_of(const struct comms *c, int32_t tid)
{
	const uint32_t *at = map_find(&c->by_tid, (uint32_t)tid, 0);

	return at ? c->names.at[*at] : NULL;
}

static bool set_name(struct comms *c, int32_t tid, const char *name)
{
	uint32_t *at = map_add(&c->by_tid, (uint32_t)tid, 0);

	if (!at)
		return false;
	if (*at == MAP_NEW) {
		*at = (uint32_t)c->names.n;
		return !array_push(&c->names, name);
	}
	c->names.at[*at] = name;
	return true;
}

/* A forked task inherits the comm. */
static bool follow(struct comms *c, uint64_t t_ns)
{
	bool done = true;

	for (; c->next < c->n_tasks && c->tasks[c->next]->t_ns <= t_ns && done; c->next++) {
		const struct cdict_task_event *t = c->tasks[c->next];

		if (t->what == CDICT_TASK_COMM || t->what == CDICT_TASK_EXEC)
			done = set_name(c, t->tid, t->comm);
		else if (t->what == CDICT_TASK_FORK && name_of(c, t->ptid))
			done = set_name(c, t->tid, name_of(c, t->ptid));
	}
	return done;
}

int comms_at(struct comms *c, int32_t tid, uint64_t t_ns, const char **name)
{
	if (!follow(c, t_ns))
		return -ENOMEM;
	*name = tid ? name_of(c, tid) : "swapper";
	return 0;
}
