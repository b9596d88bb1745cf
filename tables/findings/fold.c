/* SPDX-License-Identifier: LGPL-2.1-only */
/* fold.c - see fold.h. */
#include "tables/findings/fold.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "tables/columns/tables.h"

void fold_fini(struct fold *f)
{
	culprits_fini(&f->culprits);
}

static const char *intern(struct fold *f, const char *text, size_t len)
{
	const char *name = stringset_add(&f->culprits.texts, text, len);

	f->culprits.failed |= !name;
	return name;
}

/* The length of a name's common part, without numbers: kworker/3:1H, vcpu0, vhost-1841, CPU
 * 0/KVM. */
static size_t stem(const char *name)
{
	size_t len = strcspn(name, "/:");

	while (len && (isdigit((unsigned char)name[len - 1]) || strchr("-_. #", name[len - 1])))
		len--;
	return len ? len : strlen(name);
}

/* The task's part of a VM: from its label, else from KVM, else from the names of QEMU's threads. */
static const char *role_in_vm(struct fold *f, const struct analyze_task *task)
{
	const struct cdict_label *label = names_label(f->culprits.names, task);
	const char *role = label && label->role && *label->role ? label->role : task->comm;

	if (names_vcpu(f->culprits.names, task) >= 0)
		return intern(f, "vcpu", 4);
	if (role == task->comm && task->tid == task->pid && task->ppid != 2 &&
	    strncmp(role, "vhost-", 6) != 0)
		return intern(f, "emulator", 8);
	return intern(f, role, stem(role));
}

bool fold_find(struct fold *f, const struct analyze_task *task, struct fold_place *place)
{
	const struct names *names = f->culprits.names;

	if (!task || !task->tid)
		return false;
	*place = (struct fold_place){ 0 };
	if (names_unnamed(names, task) && !names_vm(names, task) && !names_kernel_thread(task) &&
	    !names_unit(names, task)) {
		place->kind = "task";
		if (!f->unnamed)
			f->unnamed = intern(f, NAMES_UNNAMED, sizeof(NAMES_UNNAMED) - 1);
		place->group = f->unnamed;
		return place->group != NULL;
	}
	place->group = culprits_name(&f->culprits, task, NULL, &place->kind);
	if (!place->group)
		return false;
	if (!strcmp(place->kind, "vm"))
		place->role = role_in_vm(f, task);
	else if (!strcmp(place->kind, "kernel") || !strcmp(place->kind, "unit"))
		place->role = intern(f, task->comm, stem(task->comm));
	return !f->culprits.failed;
}

bool fold_lines_has(struct fold_lines *lines, const struct analyze_task *task)
{
	struct fold_place place;

	if (!fold_find(&lines->fold, task, &place))
		return false;
	for (size_t i = 0; i < lines->n; i++) {
		if (lines->groups[i] == place.group)
			return true;
	}
	return false;
}

bool fold_lines_add(struct fold_lines *lines, const struct analyze_task *task)
{
	struct fold_place place;

	if (fold_lines_has(lines, task))
		return true;
	if (lines->n == FOLD_LINES || !fold_find(&lines->fold, task, &place))
		return false;
	lines->groups[lines->n++] = place.group;
	return true;
}

/* ---- tables ---- */

/* A row of the table: a sum of rows of the analysis. */
struct folded_row {
	struct fold_place place;
	uint32_t cpu;
	uint64_t tasks;
	uint32_t last; /* last task counted; rows of one task are adjacent */
	bool lossy;
	void *sum;
};

/* The row for getters of these columns. */
static const struct folded_row *folded_of(const struct cell *c)
{
	return c->r->whole;
}

static void cell_place(const struct cell *c)
{
	table_text(c->t, c->column, *(const char *const *)((const char *)folded_of(c) + c->at));
}

static void cell_tasks(const struct cell *c)
{
	table_u64(c->t, c->column, folded_of(c)->tasks);
}

static void cell_its_cpu(const struct cell *c)
{
	if (folded_of(c)->cpu != CDICT_CPU_UNKNOWN)
		table_i64(c->t, c->column, folded_of(c)->cpu);
}

#define PLACE(member) offsetof(struct folded_row, place.member)

static const struct table_column first_columns[] = {
	{ "group", "group", TABLE_TEXT, 0, cell_place, PLACE(group) },
	{ "role", "role", TABLE_TEXT, 0, cell_place, PLACE(role) },
	{ "kind", "kind", TABLE_TEXT, TABLE_SPARE, cell_place, PLACE(kind) },
	{ "tasks", "tasks", TABLE_COUNT, TABLE_GAUGE, cell_tasks, 0 },
	{ "cpu", "cpu", TABLE_INTEGER, 0, cell_its_cpu, 0 },
};
enum { FIRST = sizeof(first_columns) / sizeof(first_columns[0]), CPU_COLUMN = FIRST - 1 };

/* Whether the column is only meaningful for a single task. */
static bool is_of_one(const struct table_column *c)
{
	static const char *const keys[] = { "name", "tid",  "pid", "comm",
					    "vm",   "vcpu", "cpu", "unknown" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(c->key, keys[i]))
			return true;
	/* the worst of several tasks is meaningful */
	return (c->flags & TABLE_EACH) && strcmp(c->key, "worst_ns") != 0 &&
	       strcmp(c->key, "worst_at_ns") != 0 && strcmp(c->key, "idle") != 0;
}

static struct table_column *columns_of(const struct tables_decl *decl, enum fold_by by)
{
	struct table_column *out;
	size_t n = 0, k = 0;

	while (decl->columns[n].kind != TABLE_END)
		n++;
	out = calloc(FIRST + n + 1, sizeof(*out));
	if (!out)
		return NULL;
	for (size_t i = 0; i < FIRST; i++) {
		if (i == CPU_COLUMN && !decl->key_cpu)
			continue;
		out[k] = first_columns[i];
		if (by != FOLD_BY_ROLE && !strcmp(out[k].key, "role"))
			out[k].flags |= TABLE_MACHINE;
		k++;
	}
	for (size_t i = 0; i < n; i++) {
		if (is_of_one(&decl->columns[i]))
			continue;
		out[k] = decl->columns[i];
		out[k++].flags &= ~(unsigned)TABLE_EACH;
	}
	out[k] = (struct table_column)TABLE_COLUMNS_END;
	return out;
}

struct folding {
	const struct tables_walk *w;
	const struct tables_decl *decl;
	enum fold_by by;
	struct fold fold;
	struct map roles; /* (group, role) -> number */
	struct map rows;  /* (number, CPU) -> row */
	uint32_t n_roles;
	/* The row found last, of all CPUs and of one: most tasks are of the same group as the one before. */
	struct last_row {
		const char *group, *role; /* NULL: none yet */
		uint32_t cpu, row;
	} last[2];
	ARRAY(struct folded_row) all;
};

static const char idle[] = "IDLE", no_cgroup[] = "none";

/* VMs and kernel threads without a known path keep their group. */
static bool by_cgroup(struct fold *f, const struct analyze_task *task, struct fold_place *place)
{
	const char *path = names_cgroup(f->culprits.names, task);

	if (path)
		*place = (struct fold_place){ .group = intern(f, path, strlen(path)),
					      .kind = "cgroup" };
	else if (!strcmp(place->kind, "task") || !strcmp(place->kind, "unit"))
		*place = (struct fold_place){ .group = no_cgroup, .kind = "none" };
	return place->group != NULL;
}

/* Where the task is; false: out of memory. */
static bool find_place(struct folding *f, const struct analyze_task *task, struct fold_place *place)
{
	*place = (struct fold_place){ .group = idle, .kind = "idle" };
	if (task->tid && !fold_find(&f->fold, task, place))
		return false;
	if (f->by != FOLD_BY_ROLE)
		place->role = NULL;
	return f->by != FOLD_BY_CGROUP || !task->tid || by_cgroup(&f->fold, task, place);
}

/* The row of tasks in that place, created if new; NULL: out of memory. */
static struct folded_row *row_for(struct folding *f, const struct fold_place *place, uint32_t cpu)
{
	struct last_row *last = &f->last[cpu != CDICT_CPU_UNKNOWN];
	struct folded_row *row;
	uint32_t *number, *at;

	if (last->group == place->group && last->role == place->role && last->cpu == cpu)
		return &f->all.at[last->row];
	number = map_add(&f->roles, (uintptr_t)place->group, (uintptr_t)place->role);
	if (number && *number == MAP_NEW)
		*number = f->n_roles++;
	at = number ? map_add(&f->rows, *number, cpu) : NULL;
	f->fold.culprits.failed |= !at;
	if (!at)
		return NULL;
	if (*at == MAP_NEW) {
		*at = (uint32_t)f->all.n;
		row = array_add(&f->all);
		if (row)
			*row = (struct folded_row){ .place = *place,
						    .cpu = cpu,
						    .last = ANALYZE_NO_TASK,
						    .sum = calloc(1, f->decl->row_size) };
		f->fold.culprits.failed |= !row || !row->sum;
		if (!row || !row->sum)
			return NULL;
	}
	*last = (struct last_row){ place->group, place->role, cpu, *at };
	return &f->all.at[*at];
}

static void fold_row(struct folding *f, const struct analyze_task *task,
		     const struct fold_place *place, const void *row, uint32_t cpu)
{
	const struct tables_decl *decl = f->decl;
	struct folded_row *to = row_for(f, place, cpu);

	if (!to)
		return;
	f->fold.culprits.failed |= decl->merge(to->sum, row) != 0;
	to->lossy |= tables_lossy(f->w, task) || (decl->lossy && decl->lossy(row));
	to->tasks += to->last != task->index;
	to->last = task->index;
}

static void collect(struct folding *f)
{
	const struct tables_decl *decl = f->decl;

	for (size_t i = 0; i < decl->count(f->w) && !f->fold.culprits.failed; i++) {
		const void *row = decl->at(f->w, i);
		const struct analyze_task *task =
			analyze_engine_task(f->w->eng, *(const uint32_t *)row);
		struct fold_place place;

		if ((!task->tid && decl != &tables_decl_tasks) ||
		    !names_wanted(&f->w->names, task) || !find_place(f, task, &place))
			continue;
		fold_row(f, task, &place, row, CDICT_CPU_UNKNOWN);
		if (decl->key_cpu)
			fold_row(f, task, &place, row,
				 *(const uint32_t *)((const char *)row + decl->cpu_at));
	}
}

static void fill_rows(struct table *t, const struct folding *f)
{
	for (size_t i = 0; i < f->all.n; i++) {
		const struct folded_row *row = &f->all.at[i];
		struct tables_row r = { .w = f->w,
					.row = row->sum,
					.whole = row,
					.several = true,
					.idle = row->place.group == idle,
					.cpu = row->cpu,
					.window_ns = tables_life_ns(f->decl, f->w, row->sum) };

		table_row(t);
		cells_fill(t, &r);
		table_lossy(t, row->lossy || (f->decl->unknown && f->decl->unknown(row->sum)));
	}
}

struct table *tables_fold(const struct tables_walk *w, const struct tables_decl *decl,
			  enum fold_by by)
{
	struct folding f = {
		.w = w, .decl = decl, .by = by, .fold = { .culprits = { .names = &w->names } }
	};
	struct table_column *columns = columns_of(decl, by);
	struct table *t = columns ? table_new(decl->name, columns) : NULL;

	if (!t) {
		free(columns);
		return NULL;
	}
	t->own_columns = columns;
	t->order = decl == &tables_decl_tasks  ? "idle,run_ns"
		   : decl == &tables_decl_vcpu ? "delayed_ns"
					       : NULL;
	t->grouped = true; /* rows are not of one task */
	collect(&f);
	t->failed |= f.fold.culprits.failed;
	if (!t->failed)
		fill_rows(t, &f);
	for (size_t i = 0; i < f.all.n; i++) {
		if (f.all.at[i].sum)
			decl->fini(f.all.at[i].sum);
		free(f.all.at[i].sum);
	}
	array_fini(&f.all);
	map_fini(&f.roles);
	map_fini(&f.rows);
	fold_fini(&f.fold);
	return table_done(t);
}

struct table *tables_tasks_groups(const struct tables_walk *w)
{
	return tables_fold(w, &tables_decl_tasks, FOLD_BY_GROUP);
}

struct table *tables_tasks_roles(const struct tables_walk *w)
{
	return tables_fold(w, &tables_decl_tasks, FOLD_BY_ROLE);
}

struct table *tables_tasks_cgroups(const struct tables_walk *w)
{
	return tables_fold(w, &tables_decl_tasks, FOLD_BY_CGROUP);
}

struct table *tables_coremap_groups(const struct tables_walk *w)
{
	return tables_fold(w, &tables_decl_coremap, FOLD_BY_GROUP);
}

struct table *tables_coremap_roles(const struct tables_walk *w)
{
	return tables_fold(w, &tables_decl_coremap, FOLD_BY_ROLE);
}

struct table *tables_vcpu_groups(const struct tables_walk *w)
{
	return tables_fold(w, &tables_decl_vcpu, FOLD_BY_GROUP);
}
