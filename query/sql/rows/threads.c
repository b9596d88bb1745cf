// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads.c - the tasks of a file, and their numbers in tables.
 *
 * A utid is 1 + the number that a walk over the whole capture gives the task, in order of appearance, which does not
 * depend on the statement. IDLE of all CPUs is 0, in all files. The upper half is the file's number, so that a join by
 * utid or upid never mixes files.
 *
 * If the file has digests (cdict/digest.h), a walk over its last instant finds all tasks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/digest.h"
#include "base/fail.h"
#include "query/sql/tables.h"

int query_digests(struct query_run_of *run, struct cdict_error *err)
{
	int rc = 0;

	if (!run->asked_digests)
		rc = digests_stored(&run->digests, run->reader, err);
	run->asked_digests = !rc;
	return rc;
}

static int by_tid(const void *a, const void *b, void *ctx)
{
	const struct query_run_of *run = ctx;
	const struct query_thread *x = &run->threads.at[*(const uint32_t *)a];
	const struct query_thread *y = &run->threads.at[*(const uint32_t *)b];

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->utid < y->utid ? -1 : x->utid > y->utid;
}

static int64_t number_in(const struct query_run_of *run, uint64_t number)
{
	return (int64_t)((uint64_t)run->number << 32 | number);
}

/* Processes are numbered in the order of their first threads; @t is the next of the threads. */
static int number_process(struct query_run_of *run, struct map *seen, struct query_thread *t)
{
	const struct query_process new = { .pid = t->pid, .first = (uint32_t)run->threads.n };
	uint32_t *at;

	if (t->pid <= 0)
		return 0;
	at = map_add(seen, (uint32_t)t->pid, 0);
	if (!at)
		return -ENOMEM;
	if (*at == MAP_NEW) {
		if (array_push(&run->processes, new))
			return -ENOMEM;
		*at = (uint32_t)run->processes.n;
	}
	run->processes.at[*at - 1].threads++;
	t->upid = number_in(run, *at);
	return 0;
}

static int take_threads(struct query_run_of *run)
{
	const struct analyze_engine *eng = run->walk.eng;
	size_t n = analyze_engine_task_count(eng);
	struct map seen = { 0 };
	bool idle = run->number != 0; /* the first file has it for all files */
	int rc = array_reserve(&run->threads, n ? n : 1);

	for (uint32_t i = 0; i < n && !rc; i++) {
		const struct analyze_task *task = analyze_engine_task(eng, i);
		struct query_thread t = { .tid = task->tid,
					  .pid = task->tid ? task->pid : -1,
					  .born_ns = task->born_ns,
					  .exit_ns = task->exit_ns,
					  .first_ns = task->first_ns,
					  .task = i };

		if (!task->tid && idle)
			continue;
		idle |= !task->tid;
		if (task->tid)
			t.utid = number_in(run, (uint64_t)i + 1);
		rc = number_process(run, &seen, &t);
		if (!rc)
			rc = array_push(&run->threads, t);
	}
	map_fini(&seen);
	run->by_tid = rc ? NULL : calloc(run->threads.n + 1, sizeof(*run->by_tid));
	if (!run->by_tid)
		return -ENOMEM;
	for (uint32_t i = 0; i < run->threads.n; i++)
		run->by_tid[i] = i;
	qsort_r(run->by_tid, run->threads.n, sizeof(*run->by_tid), by_tid, run);
	return 0;
}

int query_threads(struct query_run_of *run, struct cdict_error *err)
{
	struct tables_options opts = { .jobs = run->db->opts.jobs, .names.labels = run->labels };
	int rc = query_digests(run, err);

	if (rc || run->has_threads)
		return rc;
	if (run->digests) {
		opts.from_ns = opts.to_ns = run->last_ns;
		opts.digests = run->digests;
	}
	rc = tables_walk_init(&run->walk, run->reader, &opts, err);
	if (!rc)
		rc = tables_walk_run(&run->walk, err);
	if (!rc && take_threads(run))
		rc = cdict_fail_nomem(err);
	run->has_threads = !rc;
	if (rc)
		query_threads_fini(run);
	return rc;
}

void query_threads_fini(struct query_run_of *run)
{
	tables_walk_fini(&run->walk);
	array_fini(&run->threads);
	array_fini(&run->processes);
	free(run->by_tid);
	run->by_tid = NULL;
	run->has_threads = false;
}

/* The first index of @tid in by_tid. */
static size_t first_of(const struct query_run_of *run, int32_t tid)
{
	size_t lo = 0, hi = run->threads.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (run->threads.at[run->by_tid[mid]].tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct query_thread *nth_of(const struct query_run_of *run, int32_t tid, size_t at)
{
	const struct query_thread *t;

	if (at >= run->threads.n)
		return NULL;
	t = &run->threads.at[run->by_tid[at]];
	return t->tid == tid ? t : NULL;
}

const struct query_thread *query_thread_nth(const struct query_run_of *run, int32_t tid, size_t nth)
{
	return nth_of(run, tid, first_of(run, tid) + nth);
}

const struct query_thread *query_thread_at(const struct query_run_of *run, int32_t tid,
					   uint64_t t_ns)
{
	size_t at = first_of(run, tid);
	const struct query_thread *found = nth_of(run, tid, at), *next;

	while (found && (next = nth_of(run, tid, ++at)) != NULL) {
		uint64_t begin = next->born_ns != ANALYZE_NO_TIME ? next->born_ns : next->first_ns;

		if (begin == ANALYZE_NO_TIME || begin > t_ns)
			break;
		found = next;
	}
	return found;
}

const struct query_thread *query_thread_find(const struct query_run_of *run, int64_t utid)
{
	size_t lo = 0, hi = run->threads.n;

	if (!utid)
		return query_thread_nth(run, 0, 0);
	/* utids ascend, except that of IDLE, which may be at any place */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct query_thread *t = &run->threads.at[mid];

		if (!t->utid || t->utid < utid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < run->threads.n && run->threads.at[lo].utid == utid ? &run->threads.at[lo]
								       : NULL;
}
