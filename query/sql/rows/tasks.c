// SPDX-License-Identifier: GPL-2.0-only
/* tasks.c - the tables thread, process and thread_track. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/labels/cgroup_unit.h"
#include "query/sql/list.h"

enum {
	THREAD_UTID,
	THREAD_TID,
	THREAD_PID,
	THREAD_UPID,
	THREAD_NAME,
	THREAD_COMM,
	THREAD_VM,
	THREAD_VM_UUID,
	THREAD_ROLE,
	THREAD_GROUP,
	THREAD_HOST,
	THREAD_UNIT,
	THREAD_CGROUP,
	THREAD_CONTAINER,
	THREAD_POD,
	THREAD_NAMESPACE,
	THREAD_VCPU,
	THREAD_START,
	THREAD_END,
	THREAD_MAIN,
	THREAD_IDLE,
	THREAD_RUN,
	THREAD_ID
};

static const struct query_column thread_columns[] = {
	{ "utid", "INTEGER", QUERY_KEY, false },
	{ "tid", "INTEGER", QUERY_PLAIN, false },
	{ "pid", "INTEGER", QUERY_PLAIN, false },
	{ "upid", "INTEGER", QUERY_PLAIN, false },
	{ "name", "TEXT", QUERY_PLAIN, false },
	{ "comm", "TEXT", QUERY_PLAIN, false },
	{ "vm", "TEXT", QUERY_PLAIN, false },
	{ "vm_uuid", "TEXT", QUERY_PLAIN, false },
	{ "role", "TEXT", QUERY_PLAIN, false },
	{ "grp", "TEXT", QUERY_PLAIN, false },
	{ "host", "TEXT", QUERY_PLAIN, false },
	{ "unit", "TEXT", QUERY_PLAIN, false },
	{ "cgroup", "TEXT", QUERY_PLAIN, false },
	{ "container", "TEXT", QUERY_PLAIN, false },
	{ "pod", "TEXT", QUERY_PLAIN, false },
	{ "namespace", "TEXT", QUERY_PLAIN, false },
	{ "vcpu", "INTEGER", QUERY_PLAIN, false },
	{ "start_ts", "INTEGER", QUERY_PLAIN, false },
	{ "end_ts", "INTEGER", QUERY_PLAIN, false },
	{ "is_main_thread", "INTEGER", QUERY_PLAIN, false },
	{ "is_idle", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	{ "id", "INTEGER", QUERY_PLAIN, true },
	QUERY_COLUMNS_END,
};

static void result_given(struct query_value *out, char *text)
{
	query_result_text(out, text);
	out->given = text;
	if (!text)
		query_result_failed(out, -ENOMEM);
}

static void result_known(struct query_value *out, const char *text)
{
	query_result_text(out, text && *text ? text : NULL);
}

static void result_number(struct query_value *out, int64_t v, bool known)
{
	if (known)
		query_result_int(out, v);
}

static const struct analyze_task *task_of(const struct query_run_of *run,
					  const struct query_thread *t)
{
	return analyze_engine_task(run->walk.eng, t->task);
}

static void result_role(const struct query_run_of *run, struct query_value *out,
			const struct analyze_task *task, const struct cdict_label *label)
{
	int32_t vcpu = names_vcpu(&run->walk.names, task);

	if (label && label->role && *label->role) {
		query_result_text(out, label->role);
	} else if (vcpu >= 0) {
		snprintf(out->room, sizeof(out->room), "vcpu%d", vcpu);
		query_result_text(out, out->room);
	}
}

/* The part of the task's place that @column has. A unit "pod NAMESPACE/NAME" has the pod's names. */
static void result_place(struct query_value *out, const char *unit, const char *cgroup, int column)
{
	const char *pod = unit && !strncmp(unit, "pod ", 4) ? unit + 4 : NULL;
	const char *slash = pod ? strchr(pod, '/') : NULL;
	struct cgroup_unit place = { 0 };

	if (cgroup)
		cgroup_unit(&place, cgroup, strlen(cgroup));
	if (column == THREAD_NAMESPACE && slash)
		result_given(out, strndup(pod, (size_t)(slash - pod)));
	else if (column == THREAD_POD && pod)
		result_given(out, strdup(slash ? slash + 1 : pod));
	else if (column == THREAD_POD && place.pod[0])
		result_given(out, strdup(place.pod));
	else if (column == THREAD_CONTAINER && place.id[0])
		result_given(out, strdup(place.id));
}

static void thread_column(struct query_source *src, struct query_value *out, int column)
{
	const struct list_source *l = (const struct list_source *)(const void *)src;
	const struct query_thread *t = &l->run->threads.at[l->at];
	const struct names *names = &l->run->walk.names;
	const struct analyze_task *task = task_of(l->run, t);
	const struct cdict_label *label = names_label(names, task);
	bool idle = !t->tid;

	switch (column) {
	case THREAD_UTID:
	case THREAD_ID:
		query_result_int(out, t->utid);
		break;
	case THREAD_TID:
		query_result_int(out, t->tid);
		break;
	case THREAD_PID:
		result_number(out, t->pid, t->pid >= 0 || idle);
		break;
	case THREAD_UPID:
		result_number(out, t->upid, t->upid);
		break;
	case THREAD_NAME:
		if (idle)
			query_result_text(out, "swapper");
		else
			result_given(out, names_display(names, task));
		break;
	case THREAD_COMM:
		result_known(out, idle ? "swapper" : task->comm);
		break;
	case THREAD_VM:
		query_result_text(out, names_vm(names, task));
		break;
	case THREAD_VM_UUID:
		result_known(out, label ? label->uuid : NULL);
		break;
	case THREAD_ROLE:
		result_role(l->run, out, task, label);
		break;
	case THREAD_GROUP:
		result_known(out, label ? label->group : NULL);
		break;
	case THREAD_HOST:
		result_known(out, label && label->host && *label->host
					  ? label->host
					  : cdict_reader_info(l->run->reader, "host.name"));
		break;
	case THREAD_UNIT:
		query_result_text(out, names_unit(names, task));
		break;
	case THREAD_CGROUP:
		query_result_text(out, names_cgroup(names, task));
		break;
	case THREAD_CONTAINER:
	case THREAD_POD:
	case THREAD_NAMESPACE:
		result_place(out, names_unit(names, task), names_cgroup(names, task), column);
		break;
	case THREAD_VCPU:
		result_number(out, names_vcpu(names, task), names_vcpu(names, task) >= 0);
		break;
	case THREAD_START:
		query_result_time(out, t->born_ns);
		break;
	case THREAD_END:
		query_result_time(out, t->exit_ns);
		break;
	case THREAD_MAIN:
		result_number(out, t->tid == t->pid, t->pid > 0);
		break;
	case THREAD_IDLE:
		query_result_int(out, idle);
		break;
	default:
		break;
	}
}

static int thread_open(struct query_source **out, struct query_run_of *run,
		       const struct query_table *table, const struct query_scan *scan,
		       struct cdict_error *err)
{
	const struct query_thread *t;
	size_t only = LIST_ALL;
	int rc;

	(void)table;
	/* another file's number: this file's tasks are not needed */
	if (scan->has_key && (scan->key < 0 || (uint64_t)scan->key >> 32 != run->number))
		return list_open(out, run, 0, LIST_ALL, thread_column, err);
	rc = query_threads(run, err);
	if (rc)
		return rc;
	if (scan->has_key) {
		t = query_thread_find(run, scan->key);
		only = t ? (size_t)(t - run->threads.at) : run->threads.n;
	}
	return list_open(out, run, run->threads.n, only, thread_column, err);
}

const struct query_table query_thread_table = {
	.name = "thread", .columns = thread_columns, .flags = QUERY_SMALL, .open = thread_open
};

/* ---- process ---- */

enum {
	PROCESS_UPID,
	PROCESS_PID,
	PROCESS_NAME,
	PROCESS_VM,
	PROCESS_START,
	PROCESS_END,
	PROCESS_THREADS,
	PROCESS_RUN,
	PROCESS_ID
};

static const struct query_column process_columns[] = {
	{ "upid", "INTEGER", QUERY_KEY, false },       { "pid", "INTEGER", QUERY_PLAIN, false },
	{ "name", "TEXT", QUERY_PLAIN, false },        { "vm", "TEXT", QUERY_PLAIN, false },
	{ "start_ts", "INTEGER", QUERY_PLAIN, false }, { "end_ts", "INTEGER", QUERY_PLAIN, false },
	{ "threads", "INTEGER", QUERY_PLAIN, false },  QUERY_COLUMN_RUN,
	{ "id", "INTEGER", QUERY_PLAIN, true },        QUERY_COLUMNS_END,
};

/* The main thread, else the first known one. */
static const struct query_thread *leader(const struct query_run_of *run,
					 const struct query_process *process, int64_t upid)
{
	const struct query_thread *t = query_thread_nth(run, process->pid, 0);

	return t && t->upid == upid ? t : &run->threads.at[process->first];
}

static void process_column(struct query_source *src, struct query_value *out, int column)
{
	const struct list_source *l = (const struct list_source *)(const void *)src;
	const struct query_process *process = &l->run->processes.at[l->at];
	int64_t upid = (int64_t)((uint64_t)l->run->number << 32 | (l->at + 1));
	const struct query_thread *t = leader(l->run, process, upid);
	int32_t pid = process->pid;

	switch (column) {
	case PROCESS_UPID:
	case PROCESS_ID:
		query_result_int(out, upid);
		break;
	case PROCESS_PID:
		query_result_int(out, pid);
		break;
	case PROCESS_NAME:
		if (t->tid == pid)
			result_known(out, task_of(l->run, t)->comm);
		break;
	case PROCESS_VM:
		query_result_text(out, names_vm_of_pid(&l->run->walk.names, pid));
		break;
	case PROCESS_START:
		if (t->tid == pid)
			query_result_time(out, t->born_ns);
		break;
	case PROCESS_END:
		if (t->tid == pid)
			query_result_time(out, t->exit_ns);
		break;
	case PROCESS_THREADS:
		query_result_int(out, process->threads);
		break;
	default:
		break;
	}
}

static int process_open(struct query_source **out, struct query_run_of *run,
			const struct query_table *table, const struct query_scan *scan,
			struct cdict_error *err)
{
	size_t only = LIST_ALL;
	int rc;

	(void)table;
	if (scan->has_key && (scan->key <= 0 || (uint64_t)scan->key >> 32 != run->number))
		return list_open(out, run, 0, LIST_ALL, process_column, err);
	rc = query_threads(run, err);
	if (rc)
		return rc;
	if (scan->has_key) /* 0 is no process, and becomes an index past the end */
		only = (size_t)((uint32_t)scan->key - 1);
	return list_open(out, run, run->processes.n, only, process_column, err);
}

const struct query_table query_process_table = {
	.name = "process", .columns = process_columns, .flags = QUERY_SMALL, .open = process_open
};

/* ---- thread_track: a thread's slices are on the track of its utid ---- */

static const struct query_column track_columns[] = {
	{ "id", "INTEGER", QUERY_KEY, false },
	{ "name", "TEXT", QUERY_PLAIN, false },
	{ "utid", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_END,
};

static void track_column(struct query_source *src, struct query_value *out, int column)
{
	thread_column(src, out, column == 1 ? THREAD_NAME : THREAD_UTID);
}

static int track_open(struct query_source **out, struct query_run_of *run,
		      const struct query_table *table, const struct query_scan *scan,
		      struct cdict_error *err)
{
	int rc = thread_open(out, run, table, scan, err);

	if (!rc)
		(*out)->column = track_column;
	return rc;
}

const struct query_table query_thread_track = {
	.name = "thread_track", .columns = track_columns, .flags = QUERY_SMALL, .open = track_open
};
