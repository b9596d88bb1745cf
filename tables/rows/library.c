/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables for programs: cdict/table.h. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cdict/table.h"
#include "tables/columns/tables.h"

struct cdict_table {
	struct table *t;
};

/* ---- the list of tables ---- */

struct source {
	const char *name;
	int (*add)(struct tables_walk *w, struct cdict_error *err); /* the analysis it needs */
	struct table *(*make)(const struct tables_walk *w);
};

static int add_tasks(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_tasks_new(&w->tasks, w->eng, NULL, err);
}

static int add_tasks_cpus(struct tables_walk *w, struct cdict_error *err)
{
	const struct analyze_tasks_options how = { .per_cpu = true };

	return analyze_tasks_new(&w->tasks, w->eng, &how, err);
}

static int add_latency(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_latency_new(&w->latency, w->eng, NULL, err);
}

static int add_latency_cpus(struct tables_walk *w, struct cdict_error *err)
{
	const struct analyze_latency_options how = { .by_cpu = true };

	return analyze_latency_new(&w->latency, w->eng, &how, err);
}

static int add_exits(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_exits_new(&w->exits, w->eng, NULL, err);
}

static int add_vcpus(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_vcpus_new(&w->vcpus, w->eng, err);
}

static int add_coremap(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_coremap_new(&w->coremap, w->eng, err);
}

static int add_switches(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_switches_new(&w->switches, w->eng, NULL, err);
}

static int add_successors(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_successors_new(&w->successors, w->eng, err);
}

/* Counts by task if the tasks are filtered. */
static int add_counts(struct tables_walk *w, unsigned by, struct cdict_error *err)
{
	struct analyze_counts_options how = { .by = by };

	if (w->opts.names.filter.vm || w->opts.names.filter.n_tids)
		how.by |= ANALYZE_COUNTS_BY_TASK;
	return analyze_counts_new(&w->counts, w->eng, &how, err);
}

static int add_events(struct tables_walk *w, struct cdict_error *err)
{
	return add_counts(w, ANALYZE_COUNTS_BY_EVENT, err);
}

static int add_syscalls(struct tables_walk *w, struct cdict_error *err)
{
	return add_counts(w, ANALYZE_COUNTS_BY_SYSCALL, err);
}

static struct table *tasks(const struct tables_walk *w)
{
	return tables_tasks(w, false);
}

static struct table *tasks_cpus(const struct tables_walk *w)
{
	return tables_tasks(w, true);
}

static struct table *exits(const struct tables_walk *w)
{
	return tables_exits(w, TABLES_EXITS_BY_TASK, NULL);
}

static struct table *exits_reasons(const struct tables_walk *w)
{
	return tables_exits(w, TABLES_EXITS_BY_REASON, NULL);
}

static struct table *exits_vms(const struct tables_walk *w)
{
	return tables_exits(w, TABLES_EXITS_BY_VM, NULL);
}

static struct table *counts(const struct tables_walk *w)
{
	const struct tables_count_options how = {
		.abi = syscalls_abi_of(cdict_reader_info(w->reader, "host.arch"))
	};

	return tables_count(w, &how);
}

static struct table *antagonists(const struct tables_walk *w)
{
	struct table *vcpu = tables_vcpu(w);
	struct table *t = vcpu ? tables_antagonists(w, vcpu, 0) : NULL;

	table_free(vcpu);
	return t;
}

static const struct source sources[] = {
	{ "tasks", add_tasks, tasks },
	{ "tasks-cpus", add_tasks_cpus, tasks_cpus },
	{ "latency", add_latency, tables_latency },
	{ "latency-cpus", add_latency_cpus, tables_latency_cpus },
	{ "exits", add_exits, exits },
	{ "exits-reasons", add_exits, exits_reasons },
	{ "exits-vms", add_exits, exits_vms },
	{ "guest", add_exits, tables_guest },
	{ "vcpu", add_vcpus, tables_vcpu },
	{ "vcpu-reasons", add_vcpus, tables_vcpu_reasons },
	{ "antagonists", add_vcpus, antagonists },
	{ "delays", add_vcpus, tables_delays },
	{ "beside", add_vcpus, tables_beside },
	{ "capacity", add_vcpus, tables_capacity },
	{ "coremap", add_coremap, tables_coremap },
	{ "cpus", add_coremap, tables_coremap_cpus },
	{ "switches", add_switches, tables_switches },
	{ "successors", add_successors, tables_successors },
	{ "events", add_events, counts },
	{ "syscalls", add_syscalls, counts },
};
enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

const char *cdict_table_name(size_t i)
{
	return i < SOURCES ? sources[i].name : NULL;
}

/* ---- open, close ---- */

static int make(struct table **out, struct tables_walk *w, const struct source *src,
		struct cdict_error *err)
{
	int ret = src->add(w, err);

	if (!ret)
		ret = tables_walk_run(w, err);
	if (ret)
		return ret;
	*out = src->make(w);
	if (!*out)
		return cdict_fail_nomem(err);
	ret = table_sort(*out, NULL, err);
	table_settle(*out); /* the table outlives the walk */
	return !ret && table_failed(*out) ? cdict_fail_nomem(err) : ret;
}

/* Copies the caller's options, of its size: members that it lacks are unset. */
static int options_of(struct cdict_table_options *out, const struct cdict_table_options *in,
		      struct cdict_error *err)
{
	*out = (struct cdict_table_options){ 0 };
	if (!in)
		return 0;
	if (in->size < offsetof(struct cdict_table_options, append_tid))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "size of struct cdict_table_options is %zu, %zu are needed",
				  in->size, sizeof(*out));
	memcpy(out, in, in->size < sizeof(*out) ? in->size : sizeof(*out));
	return 0;
}

int cdict_table_open(struct cdict_table **out, struct cdict_reader *r, const char *name,
		     const struct cdict_table_options *options, struct cdict_error *err)
{
	struct label_index *labels = NULL;
	const struct source *src = NULL;
	struct cdict_table_options o;
	struct tables_options how;
	struct tables_walk w;
	struct cdict_table *t;
	int ret = options_of(&o, options, err);

	*out = NULL;
	if (ret)
		return ret;
	for (size_t i = 0; i < SOURCES && !src; i++)
		src = strcmp(sources[i].name, name) ? NULL : &sources[i];
	if (!src)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET, "unknown table '%s'",
				  name);
	t = calloc(1, sizeof(*t));
	if (!t)
		return cdict_fail_nomem(err);
	if (cdict_reader_label_count(r))
		ret = label_index_new(&labels, r, false, NULL, err);
	how = (struct tables_options){
		.from_ns = o.from_ns,
		.to_ns = o.to_ns,
		.cpus = o.cpus,
		.n_cpus = o.n_cpus,
		.no_guest_mode = o.no_guest_mode,
		.names = { .labels = labels,
			   .merge_sys_tasks = o.merge_sys_tasks,
			   .append_tid = o.append_tid,
			   .filter = { .vm = o.vm, .tids = o.tids, .n_tids = o.n_tids } }
	};
	if (!ret) {
		ret = tables_walk_init(&w, r, &how, err);
		if (!ret)
			ret = make(&t->t, &w, src, err);
		tables_walk_fini(&w);
	}
	label_index_free(labels);
	if (ret) {
		cdict_table_close(t);
		return ret;
	}
	*out = t;
	return 0;
}

void cdict_table_close(struct cdict_table *t)
{
	if (!t)
		return;
	table_free(t->t);
	free(t);
}

/* ---- rows ---- */

size_t cdict_table_columns(const struct cdict_table *t)
{
	return t->t->n_columns;
}

size_t cdict_table_rows(const struct cdict_table *t)
{
	return t->t->n_rows;
}

size_t cdict_table_total(const struct cdict_table *t)
{
	return t->t->total ? t->t->n_rows : SIZE_MAX;
}

const char *cdict_table_key(const struct cdict_table *t, size_t column)
{
	return t->t->columns[column].key;
}

const char *cdict_table_title(const struct cdict_table *t, size_t column)
{
	return t->t->columns[column].title;
}

enum cdict_table_kind cdict_table_kind(const struct cdict_table *t, size_t column)
{
	switch (t->t->columns[column].kind) {
	case TABLE_INTEGER:
	case TABLE_BOOL:
		return CDICT_TABLE_INTEGER;
	case TABLE_CODE:
	case TABLE_COUNT:
		return CDICT_TABLE_COUNT;
	case TABLE_MS:
	case TABLE_US:
	case TABLE_TIME:
		return CDICT_TABLE_NS;
	case TABLE_PERCENT:
		return CDICT_TABLE_NUMBER;
	case TABLE_TEXT:
	case TABLE_END:
		break;
	}
	return CDICT_TABLE_TEXT;
}

size_t cdict_table_find(const struct cdict_table *t, const char *key)
{
	size_t c = table_column(t->t, key);

	return c < t->t->n_columns ? c : SIZE_MAX;
}

/* NULL: empty, or outside of the table. */
static const struct table_cell *cell_at(const struct cdict_table *t, size_t row, size_t column)
{
	const struct table_cell *cells = row < t->t->n_rows    ? table_cells(t->t, row)
					 : row == t->t->n_rows ? t->t->total
							       : NULL;

	return cells && column < t->t->n_columns && cells[column].set ? &cells[column] : NULL;
}

const char *cdict_table_text(const struct cdict_table *t, size_t row, size_t column)
{
	const struct table_cell *cell = cell_at(t, row, column);

	return cell && cdict_table_kind(t, column) == CDICT_TABLE_TEXT ? cell->text : NULL;
}

bool cdict_table_integer(const struct cdict_table *t, size_t row, size_t column, int64_t *out)
{
	const struct table_cell *cell = cell_at(t, row, column);
	enum cdict_table_kind kind = cell ? cdict_table_kind(t, column) : CDICT_TABLE_TEXT;

	if (kind == CDICT_TABLE_TEXT || kind == CDICT_TABLE_NUMBER)
		return false;
	*out = kind == CDICT_TABLE_INTEGER ? cell->i64 : (int64_t)cell->u64;
	return true;
}

bool cdict_table_number(const struct cdict_table *t, size_t row, size_t column, double *out)
{
	const struct table_cell *cell = cell_at(t, row, column);
	int64_t v;

	if (cell && cdict_table_kind(t, column) == CDICT_TABLE_NUMBER)
		*out = cell->percent;
	else if (cdict_table_integer(t, row, column, &v))
		*out = (double)v;
	else
		return false;
	return true;
}

bool cdict_table_lossy(const struct cdict_table *t, size_t row)
{
	const struct table_cell *cells = row < t->t->n_rows    ? table_cells(t->t, row)
					 : row == t->t->n_rows ? t->t->total
							       : NULL;

	for (size_t c = 0; cells && c < t->t->n_columns; c++)
		if (cells[c].lossy)
			return true;
	return false;
}
