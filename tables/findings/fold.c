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

/* A row of the table: a row of the analysis, or a sum of several. */
struct folded_row {
	struct fold_place place;
	uint32_t cpu;
	uint32_t last;  /* last task counted; rows of one task are adjacent */
	uint32_t first; /* of the analysis; MAP_NEW: none yet */
	bool lossy;
	uint64_t tasks;
	void *sum; /* NULL: of the first only */
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

/* The source of the rows during the table's life. */
struct folding {
	const struct tables_walk *w;
	const struct tables_decl *decl;
	enum fold_by by;
	struct fold fold;
	struct map roles; /* (group, role) -> its row of all CPUs */
	struct map cpus;  /* (that row, CPU) -> row */
	/* The row found last, of all CPUs and of one: most tasks are of the same group as the one before. */
	struct last_row {
		const char *group, *role; /* NULL: none yet */
		uint32_t cpu, row;
	} last[2];
	ARRAY(struct folded_row) all;
	struct tables_row filled; /* the row of filled_id: its cells are filled one after the other */
	uint32_t filled_id;       /* + 1 */
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
	uint32_t *at;

	if (last->group == place->group && last->role == place->role && last->cpu == cpu)
		return &f->all.at[last->row];
	if (cpu == CDICT_CPU_UNKNOWN)
		at = map_add(&f->roles, (uintptr_t)place->group, (uintptr_t)place->role);
	else
		at = map_add(&f->cpus, f->last[0].row, cpu);
	if (at && *at == MAP_NEW) {
		*at = (uint32_t)f->all.n;
		if (array_push(&f->all, ((struct folded_row){ .place = *place,
							      .cpu = cpu,
							      .last = ANALYZE_NO_TASK,
							      .first = MAP_NEW })))
			at = NULL;
	}
	f->fold.culprits.failed |= !at;
	if (!at)
		return NULL;
	*last = (struct last_row){ place->group, place->role, cpu, *at };
	return &f->all.at[*at];
}

/* Adds up the analysis's rows, which are valid until it returns another. */
static bool add_up(const struct folding *f, struct folded_row *to, uint32_t i)
{
	const struct tables_decl *decl = f->decl;

	if (to->first == MAP_NEW) {
		to->first = i;
		return true;
	}
	if (!to->sum) {
		to->sum = calloc(1, decl->row_size);
		if (!to->sum || decl->merge(to->sum, decl->at(f->w, to->first)))
			return false;
	}
	return !decl->merge(to->sum, decl->at(f->w, i));
}

static void fold_row(struct folding *f, const struct analyze_task *task,
		     const struct fold_place *place, uint32_t i, uint32_t cpu, bool lossy)
{
	struct folded_row *to = row_for(f, place, cpu);

	if (!to)
		return;
	f->fold.culprits.failed |= !add_up(f, to, i);
	to->lossy |= lossy;
	to->tasks += to->last != task->index;
	to->last = task->index;
}

static void collect(struct folding *f)
{
	const struct tables_decl *decl = f->decl;
	uint32_t n = (uint32_t)decl->count(f->w);

	for (uint32_t i = 0; i < n && !f->fold.culprits.failed; i++) {
		const void *row = decl->at(f->w, i);
		const struct analyze_task *task =
			analyze_engine_task(f->w->eng, *(const uint32_t *)row);
		uint32_t cpu = CDICT_CPU_UNKNOWN;
		struct fold_place place;
		bool lossy;

		if ((!task->tid && decl != &tables_decl_tasks) ||
		    !names_wanted(&f->w->names, task) || !find_place(f, task, &place))
			continue;
		lossy = tables_lossy(f->w, task) || (decl->lossy && decl->lossy(row));
		if (decl->key_cpu)
			cpu = *(const uint32_t *)((const char *)row + decl->cpu_at);
		fold_row(f, task, &place, i, CDICT_CPU_UNKNOWN, lossy);
		if (decl->key_cpu)
			fold_row(f, task, &place, i, cpu, lossy);
	}
	map_fini(&f->roles);
	map_fini(&f->cpus);
}

/* ---- cells: see struct table_later ---- */

static const void *figures_of(const struct folding *f, uint32_t id)
{
	const struct folded_row *row = &f->all.at[id];

	return row->sum ? row->sum : f->decl->at(f->w, row->first);
}

static void fill_cell(void *ctx, struct table *t, size_t column, uint32_t id)
{
	struct folding *f = ctx;
	const struct folded_row *row = &f->all.at[id];
	const void *figures = figures_of(f, id);

	if (f->filled_id != id + 1) {
		f->filled_id = id + 1;
		f->filled =
			(struct tables_row){ .w = f->w,
					     .whole = row,
					     .several = true,
					     .idle = row->place.group == idle,
					     .cpu = row->cpu,
					     .window_ns = tables_life_ns(f->decl, f->w, figures) };
	}
	f->filled.row = figures;
	cells_fill_known(t, column, &f->filled);
}

static bool row_lossy(void *ctx, uint32_t id)
{
	const struct folding *f = ctx;

	return f->all.at[id].lossy || (f->decl->unknown && f->decl->unknown(figures_of(f, id)));
}

/* Rows are not of one task. */
static uint32_t no_task(void *ctx, uint32_t id)
{
	(void)ctx;
	(void)id;
	return 0;
}

static void folding_free(void *ctx)
{
	struct folding *f = ctx;

	for (size_t i = 0; i < f->all.n; i++) {
		if (f->all.at[i].sum)
			f->decl->fini(f->all.at[i].sum);
		free(f->all.at[i].sum);
	}
	array_fini(&f->all);
	map_fini(&f->roles);
	map_fini(&f->cpus);
	fold_fini(&f->fold);
	free(f);
}

struct table *tables_fold(const struct tables_walk *w, const struct tables_decl *decl,
			  enum fold_by by)
{
	struct table_column *columns = columns_of(decl, by);
	struct folding *f = calloc(1, sizeof(*f));
	struct table *t = columns && f ? table_new(decl->name, columns) : NULL;

	if (!t) {
		free(columns);
		free(f);
		return NULL;
	}
	t->own_columns = columns;
	t->order = decl == &tables_decl_tasks  ? "idle,run_ns"
		   : decl == &tables_decl_vcpu ? "delayed_ns"
					       : NULL;
	t->grouped = true; /* rows are not of one task */
	*f = (struct folding){
		.w = w, .decl = decl, .by = by, .fold = { .culprits = { .names = &w->names } }
	};
	table_later(t, &(struct table_later){ .ctx = f,
					      .fill = fill_cell,
					      .lossy = row_lossy,
					      .task = no_task,
					      .free = folding_free });
	if (t->failed)
		return table_done(t);
	collect(f);
	t->failed |= f->fold.culprits.failed;
	for (size_t i = 0; i < f->all.n && !t->failed; i++)
		table_row_later(t, (uint32_t)i);
	if (t->n_rows)
		t->lacks = t->later->row->lacks = tables_lacks(w);
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
