/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks, tables and bins of a capture, as the page has them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/page_capture.h"

static void json_t(struct json *j, uint64_t t_ns, uint64_t t0_ns)
{
	if (t_ns == ANALYZE_NO_TIME)
		json_null(j, NULL);
	else
		json_i64(j, NULL, (int64_t)(t_ns - t0_ns));
}

static void json_or_null(struct json *j, const char *text)
{
	json_text(j, NULL, text && *text ? text : NULL);
}

/* A task's texts, made once: they are written column by column. */
struct task_text {
	char *name, *who;
};

static void free_texts(struct task_text *texts, size_t n)
{
	for (size_t i = 0; texts && i < n; i++) {
		free(texts[i].name);
		free(texts[i].who);
	}
	free(texts);
}

/* NULL: out of memory. */
static struct task_text *make_texts(const struct page_capture *c, size_t n)
{
	struct task_text *texts = calloc(n + 1, sizeof(*texts));

	for (size_t i = 0; texts && i < n; i++) {
		const struct analyze_task *task = analyze_engine_task(c->walk->eng, (uint32_t)i);

		texts[i].name = names_display(&c->walk->names, task);
		texts[i].who = names_who(&c->walk->names, task);
		if (texts[i].name && texts[i].who)
			continue;
		free_texts(texts, n);
		return NULL;
	}
	return texts;
}

enum task_column {
	T_TID,
	T_PID,
	T_IDLE_CPU,
	T_COMM,
	T_NAME,
	T_WHO,
	T_VM,
	T_VCPU,
	T_ROLE,
	T_GROUP,
	T_BORN,
	T_EXIT,
	T_FIRST,
	T_LAST,
	T_REUSED,
	T_WANTED,
	TASK_COLUMN_N,
};

/* Most tasks are told apart by their tid: then null stands for name-tid. */
static void who_json(struct json *j, const struct analyze_task *task, const struct task_text *text)
{
	size_t len = strlen(text->name);
	char tid[16];

	snprintf(tid, sizeof(tid), "-%" PRId32, task->tid);
	if (!strncmp(text->who, text->name, len) && !strcmp(text->who + len, tid))
		json_null(j, NULL);
	else
		json_text(j, NULL, text->who);
}

static void task_json(struct json *j, const struct page_capture *c, enum task_column column,
		      const struct analyze_task *task, const struct task_text *text)
{
	const struct names *names = &c->walk->names;
	const struct cdict_label *label = names_label(names, task);
	int32_t vcpu;

	switch (column) {
	case T_TID:
		json_i64(j, NULL, task->tid);
		break;
	case T_PID:
		json_i64(j, NULL, task->pid);
		break;
	case T_IDLE_CPU:
		if (task->tid || task->idle_cpu == CDICT_CPU_UNKNOWN)
			json_null(j, NULL);
		else
			json_u64(j, NULL, task->idle_cpu);
		break;
	case T_COMM:
		json_text(j, NULL, task->comm);
		break;
	case T_NAME:
		json_text(j, NULL, text->name);
		break;
	case T_WHO:
		who_json(j, task, text);
		break;
	case T_VM:
		json_text(j, NULL, names_vm(names, task));
		break;
	case T_VCPU:
		vcpu = names_vcpu(names, task);
		if (vcpu < 0)
			json_null(j, NULL);
		else
			json_i64(j, NULL, vcpu);
		break;
	case T_ROLE:
		json_or_null(j, label ? label->role : NULL);
		break;
	case T_GROUP:
		json_or_null(j, label ? label->group : NULL);
		break;
	case T_BORN:
		json_t(j, task->born_ns, c->t0_ns);
		break;
	case T_EXIT:
		json_t(j, task->exit_ns, c->t0_ns);
		break;
	case T_FIRST:
		json_t(j, task->first_ns, c->t0_ns);
		break;
	case T_LAST:
		json_t(j, task->last_ns, c->t0_ns);
		break;
	case T_REUSED:
		json_bool(j, NULL, task->reused);
		break;
	case T_WANTED:
		json_bool(j, NULL, names_wanted(names, task));
		break;
	case TASK_COLUMN_N:
		break;
	}
}

/* Column by column, as the tables. */
static int tasks_json(struct json *j, const struct page_capture *c)
{
	static const char *const keys[TASK_COLUMN_N] = {
		"tid",  "pid",   "idle_cpu", "comm",    "name",     "who",     "vm",     "vcpu",
		"role", "group", "born_ns",  "exit_ns", "first_ns", "last_ns", "reused", "wanted",
	};
	size_t n = analyze_engine_task_count(c->walk->eng);
	struct task_text *texts = make_texts(c, n);

	if (!texts)
		return -ENOMEM;
	json_open(j, "tasks", '{', true);
	for (unsigned column = 0; column < TASK_COLUMN_N; column++) {
		json_open(j, keys[column], '[', false);
		for (size_t i = 0; i < n; i++)
			task_json(j, c, (enum task_column)column,
				  analyze_engine_task(c->walk->eng, (uint32_t)i), &texts[i]);
		json_close(j);
	}
	json_close(j);
	free_texts(texts, n);
	return 0;
}

static bool wanted(void *walk, uint32_t task)
{
	const struct tables_walk *w = walk;

	return names_wanted(&w->names, analyze_engine_task(w->eng, task));
}

static int bins_json(struct json *j, const struct page_capture *c, struct sink *arrays)
{
	const struct table *vcpu = c->tables[PAGE_VCPU];
	struct page_bins_select select = {
		.t0_ns = c->t0_ns, .numbers = c->numbers, .wanted = wanted, .ctx = c->walk
	};
	uint32_t *vcpus = calloc(vcpu->n_rows + 1, sizeof(*vcpus));
	int rc;

	if (!vcpus)
		return -ENOMEM;
	for (size_t r = 0; r < vcpu->n_rows; r++)
		vcpus[r] = tables_vcpu_row(c->walk, vcpu, r)->task;
	select.vcpus = vcpus;
	select.n_vcpus = vcpu->n_rows;
	rc = page_bins_write(c->bins, &select, j, arrays);
	free(vcpus);
	return rc;
}

/* Pairs of a bin, as the step from the one before, and how many fell into it. */
static void spread_json(struct json *j, const struct histogram *h)
{
	unsigned first = (unsigned)h->octave * HISTOGRAM_SUB, last = 0;

	json_open(j, NULL, '[', false);
	for (unsigned bin = first; bin < first + h->n_octaves * HISTOGRAM_SUB; bin++) {
		uint64_t n = histogram_bin_count(h, bin);

		if (!n)
			continue;
		json_u64(j, NULL, bin - last);
		json_u64(j, NULL, n);
		last = bin;
	}
	json_close(j);
}

/* How long exits took, by task and reason: percentiles of several rows of the table of exits do not
 * add up, distributions do. */
static void exit_times_json(struct json *j, const struct page_capture *c)
{
	enum { TASK, REASON, BINS, COLUMN_N };
	static const char *const columns[COLUMN_N] = { "task", "reason", "bins" };

	json_open(j, "exit_times", '{', true);
	json_open(j, "identity", '[', false);
	json_close(j);
	json_open(j, "columns", '[', false);
	for (unsigned k = 0; k < COLUMN_N; k++)
		json_text(j, NULL, columns[k]);
	json_close(j);
	json_open(j, "by_column", '[', true);
	for (unsigned k = 0; k < COLUMN_N; k++) {
		json_open(j, NULL, '[', false);
		for (size_t i = 0; i < analyze_exits_count(c->walk->exits); i++) {
			const struct analyze_exit_row *row = analyze_exits_at(c->walk->exits, i);

			if (!wanted(c->walk, row->task))
				continue;
			if (k == TASK)
				json_u64(j, NULL, c->numbers ? c->numbers[row->task] : row->task);
			else if (k == REASON)
				json_text(j, NULL, row->name);
			else
				spread_json(j, &row->time);
		}
		json_close(j);
	}
	json_close(j);
	json_null(j, "total");
	json_close(j);
}

int page_figures_json(struct json *j, const struct page_capture *c, struct sink *arrays)
{
	static const char *const names[PAGE_TABLES] = {
		"tasks",       "exits",   "guest",   "vcpu", "vcpu_reasons",
		"antagonists", "latency", "coremap", "cpus",
	};

	json_open(j, "tables", '{', true);
	for (size_t i = 0; i < PAGE_TABLES; i++)
		table_page_json(j, names[i], c->tables[i], c->t0_ns, c->numbers);
	exit_times_json(j, c);
	json_close(j);
	return bins_json(j, c, arrays);
}

int page_tables_json(struct json *j, const struct page_capture *c, struct sink *arrays)
{
	int rc;

	json_open(j, NULL, '{', true);
	rc = tasks_json(j, c);
	if (!rc)
		rc = page_figures_json(j, c, arrays);
	json_close(j);
	return rc;
}
