/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks, tables and bins of a capture for the page. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/engine/capture.h"
#include "tables/columns/cells.h"
#include "tables/findings/fold.h"

/* ---- tasks ---- */

#define TASK(member) offsetof(struct analyze_task, member)

/* -1 too */
static void cell_any_pid(const struct cell *c)
{
	table_i64(c->t, c->column, c->r->task->pid);
}

static void cell_idle_cpu(const struct cell *c)
{
	if (!c->r->task->tid && c->r->task->idle_cpu != CDICT_CPU_UNKNOWN)
		table_i64(c->t, c->column, c->r->task->idle_cpu);
}

/* Empty if it is name-tid, as for most tasks, which their tid identifies. */
static void cell_who(const struct cell *c)
{
	const struct names *names = &c->r->w->names;
	char *name = names_display(names, c->r->task), *full = names_full(names, c->r->task);
	size_t len = name ? strlen(name) : 0;
	char tid[16];

	c->t->failed |= !name || !full;
	snprintf(tid, sizeof(tid), "-%" PRId32, c->r->task->tid);
	if (name && full && (strncmp(full, name, len) || strcmp(full + len, tid)))
		table_text(c->t, c->column, full);
	free(name);
	free(full);
}

/* A text of the label, at offset c->at. */
static void cell_label(const struct cell *c)
{
	const struct cdict_label *label = names_label(&c->r->w->names, c->r->task);
	const char *text = label ? *(const char *const *)((const char *)label + c->at) : NULL;

	table_text(c->t, c->column, text && *text ? text : NULL);
}

static void cell_moment(const struct cell *c)
{
	if (*(const uint64_t *)((const char *)c->row + c->at) != ANALYZE_NO_TIME)
		cell_u64(c);
}

static void cell_wanted(const struct cell *c)
{
	table_i64(c->t, c->column, names_wanted(&c->r->w->names, c->r->task));
}

/* The task's row when many tasks are folded into few rows. */
static void cell_fold(const struct cell *c)
{
	struct fold *fold = (struct fold *)c->r->whole;
	struct fold_place place;

	if (fold_find(fold, c->r->task, &place))
		table_text(c->t, c->column, *(const char *const *)((const char *)&place + c->at));
	c->t->failed |= fold->culprits.failed;
}

static const struct table_column task_columns[] = {
	{ "tid", NULL, TABLE_INTEGER, 0, cell_tid, 0 },
	{ "pid", NULL, TABLE_INTEGER, 0, cell_any_pid, 0 },
	{ "idle_cpu", NULL, TABLE_INTEGER, 0, cell_idle_cpu, 0 },
	{ "comm", NULL, TABLE_TEXT, 0, cell_comm, 0 },
	{ "name", NULL, TABLE_TEXT, 0, cell_name, 0 },
	{ "who", NULL, TABLE_TEXT, 0, cell_who, 0 },
	{ "vm", NULL, TABLE_TEXT, 0, cell_vm, 0 },
	{ "vcpu", NULL, TABLE_INTEGER, 0, cell_vcpu, 0 },
	{ "role", NULL, TABLE_TEXT, 0, cell_label, offsetof(struct cdict_label, role) },
	{ "group", NULL, TABLE_TEXT, 0, cell_label, offsetof(struct cdict_label, group) },
	{ "fold", NULL, TABLE_TEXT, 0, cell_fold, offsetof(struct fold_place, group) },
	{ "fold_role", NULL, TABLE_TEXT, 0, cell_fold, offsetof(struct fold_place, role) },
	{ "fold_kind", NULL, TABLE_TEXT, 0, cell_fold, offsetof(struct fold_place, kind) },
	{ "born_ns", NULL, TABLE_TIME, 0, cell_moment, TASK(born_ns) },
	{ "exit_ns", NULL, TABLE_TIME, 0, cell_moment, TASK(exit_ns) },
	{ "first_ns", NULL, TABLE_TIME, 0, cell_moment, TASK(first_ns) },
	{ "last_ns", NULL, TABLE_TIME, 0, cell_moment, TASK(last_ns) },
	{ "reused", NULL, TABLE_BOOL, 0, cell_bool, TASK(reused) },
	{ "wanted", NULL, TABLE_BOOL, 0, cell_wanted, 0 },
	TABLE_COLUMNS_END,
};

/* The numbers of the page's tasks, of very many; NULL: out of memory. */
static uint32_t *kept_tasks(const struct page_capture *c)
{
	uint32_t *numbers = malloc((c->n_kept + 1) * sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < c->n_tasks; i++)
		if (c->kept[i] != UINT32_MAX)
			numbers[c->kept[i]] = i;
	return numbers;
}

/* Column by column, like the tables, but one cell at a time: there may be millions. */
static int tasks_json(struct json *j, const struct page_capture *c)
{
	struct table *t = table_new("tasks", task_columns);
	struct fold fold = { .culprits = { .names = &c->walk->names } };
	size_t n = c->kept ? c->n_kept : analyze_engine_task_count(c->walk->eng);
	uint32_t *numbers = NULL;
	int rc;

	if (t)
		table_row(t);
	if (t && c->kept)
		t->failed |= !(numbers = kept_tasks(c));
	json_open(j, "tasks", '{', true);
	for (size_t k = 0; t && !t->failed && k < t->n_columns; k++) {
		json_open(j, task_columns[k].key, '[', false);
		for (uint32_t i = 0; i < n; i++) {
			const struct analyze_task *task =
				analyze_engine_task(c->walk->eng, numbers ? numbers[i] : i);
			struct tables_row r = {
				.w = c->walk, .row = task, .task = task, .whole = &fold
			};

			cells_fill_one(t, k, &r);
			table_cell_json(j, NULL, &task_columns[k], &t->now[k], c->t0_ns);
			table_clear(t, k);
		}
		json_close(j);
	}
	json_close(j);
	rc = t && !t->failed ? 0 : -ENOMEM;
	fold_fini(&fold);
	table_free(t);
	free(numbers);
	return rc;
}

/* ---- bins ---- */

static bool wanted(void *walk, uint32_t task)
{
	const struct tables_walk *w = walk;

	return names_wanted(&w->names, analyze_engine_task(w->eng, task));
}

static int group_of(void *ctx, uint32_t task, uint64_t *key)
{
	struct fold *fold = ctx;
	struct fold_place place = { 0 };

	if (!fold_find(fold, analyze_engine_task(fold->culprits.names->eng, task), &place))
		return -ENOMEM;
	*key = (uintptr_t)place.group;
	return 0;
}

static int bins_json(struct json *j, const struct page_capture *c, struct sink *arrays)
{
	const struct table *vcpu = c->tables[PAGE_VCPU];
	struct page_bins_select select = {
		.t0_ns = c->t0_ns,
		.numbers = c->numbers,
		.wanted = wanted,
		.ctx = c->walk,
		.group = group_of,
	};
	struct fold fold = { .culprits = { .names = &c->walk->names } };
	uint32_t *vcpus = calloc(vcpu->n_rows + 1, sizeof(*vcpus));
	const char **vms = calloc(vcpu->n_rows + 1, sizeof(*vms));
	int rc = -ENOMEM;

	if (!vcpus || !vms)
		goto out;
	for (size_t r = 0; r < vcpu->n_rows; r++) {
		vcpus[r] = tables_vcpu_row(c->walk, vcpu, r)->task;
		vms[r] = names_vm(&c->walk->names, analyze_engine_task(c->walk->eng, vcpus[r]));
	}
	select.vcpus = vcpus;
	select.vms = vms;
	select.n_vcpus = vcpu->n_rows;
	select.groups = &fold;
	rc = page_bins_write(c->bins, &select, j, arrays);
out:
	fold_fini(&fold);
	free(vcpus);
	free(vms);
	return rc;
}

static const char *const table_names[PAGE_TABLES] = {
	"tasks",        "exits",          "exit_reasons",  "guest",        "vcpu",
	"vcpu_reasons", "antagonists",    "latency",       "coremap",      "cpus",
	"exits_vm",     "exits_sums",     "exits_vm_sums", "coremap_sums", "vcpu_shares",
	"delays",       "beside",         "halts_vms",     "capacity",     "tasks_groups",
	"tasks_roles",  "coremap_groups", "coremap_roles", "vcpu_groups",  "successors",
};

const char *page_table_late(const struct page_capture *c, enum page_table which)
{
	enum { CELLS = 1 << 15 };
	static const bool no_view_opens_with[PAGE_TABLES] = {
		[PAGE_ANTAGONISTS] = true,    [PAGE_LATENCY] = true,       [PAGE_COREMAP] = true,
		[PAGE_COREMAP_GROUPS] = true, [PAGE_COREMAP_ROLES] = true, [PAGE_BESIDE] = true,
	};
	const struct table *t = c->tables[which];

	return t && no_view_opens_with[which] && t->shown > CELLS / t->n_columns
		       ? table_names[which]
		       : NULL;
}

void page_table_json(struct json *j, const struct page_capture *c, enum page_table which)
{
	if (c->tables[which])
		table_page_json(j, table_names[which], c->tables[which], c->t0_ns, c->numbers);
}

int page_figures_json(struct json *j, const struct page_capture *c, struct sink *arrays)
{
	json_open(j, "tables", '{', true);
	for (size_t i = 0; i < PAGE_TABLES; i++)
		page_table_json(j, c, i);
	json_close(j);
	return c->bins ? bins_json(j, c, arrays) : 0;
}

int page_tables_json(struct json *j, const struct page_capture *c, struct sink *arrays)
{
	int rc;

	json_open(j, NULL, '{', true);
	rc = tasks_json(j, c);
	json_open(j, "late", '{', true);
	for (size_t i = 0; i < PAGE_TABLES; i++)
		if (page_table_late(c, i))
			json_u64(j, table_names[i], c->tables[i]->shown);
	json_close(j);
	json_open(j, "tables", '{', true);
	for (size_t i = 0; i < PAGE_TABLES; i++)
		if (!page_table_late(c, i))
			page_table_json(j, c, i);
	json_close(j);
	if (!rc)
		rc = bins_json(j, c, arrays);
	json_close(j);
	return rc;
}
