/* SPDX-License-Identifier: LGPL-2.1-only */
/* The properties of a file. */
#include "tables/info/info.h"

#include <errno.h>
#include <stdlib.h>

static int count_events(struct info *info)
{
	size_t n = cdict_schema_count(cdict_reader_schema(info->reader));

	info->events = calloc(n + 1, sizeof(*info->events));
	if (!info->events)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		info->events[i] = cdict_reader_type_events(info->reader, i);
		info->counted += info->events[i];
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Counts distinct ids; -1 is an unknown one. */
static size_t distinct(int32_t *ids, size_t n)
{
	size_t found = 0;

	qsort(ids, n, sizeof(*ids), by_number);
	for (size_t i = 0; i < n; i++)
		found += ids[i] >= 0 && (!i || ids[i] != ids[i - 1]);
	return found;
}

static int count_tasks(struct info *info)
{
	size_t n = cdict_reader_task_count(info->reader);
	int32_t *tids = calloc(n + 1, sizeof(*tids)), *pids = calloc(n + 1, sizeof(*pids));
	int rc = tids && pids ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++) {
		const struct cdict_task_event *task = cdict_reader_task_at(info->reader, i);

		tids[i] = task->tid;
		pids[i] = task->pid;
	}
	if (!rc) {
		info->n_threads = distinct(tids, n);
		info->n_processes = distinct(pids, n);
	}
	free(tids);
	free(pids);
	return rc;
}

bool info_wall(const struct cdict_reader *r, uint64_t t_ns, uint64_t *wall_ns)
{
	const char *wall = cdict_reader_info(r, "clock.wall_ns");
	const char *mono = cdict_reader_info(r, "clock.mono_ns");

	if (!wall || !mono)
		return false;
	/* unsigned on purpose: the pair may lie after @t_ns */
	*wall_ns = strtoull(wall, NULL, 10) + (t_ns - strtoull(mono, NULL, 10));
	return true;
}

int info_init(struct info *info, const struct cdict_reader *r, const char *file)
{
	int rc;

	*info = (struct info){ .file = file, .reader = r };
	info->any_event = cdict_reader_window(r, &info->first_ns, &info->last_ns);
	rc = count_events(info);
	return rc ? rc : count_tasks(info);
}

void info_fini(struct info *info)
{
	free(info->events);
	*info = (struct info){ 0 };
}
