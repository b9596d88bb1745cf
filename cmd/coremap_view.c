/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict coremap: the map, for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/coremap.h"

#define CPUS_A_TABLE 16

struct coremap_row {
	char *name;
	int32_t tid; /* -1: of several tasks, or none */
	size_t n_tasks;
	bool lossy, idle;
	uint64_t *run_ns, *switches; /* by place in view->cpus */
	uint64_t all_run_ns, all_switches;
};

/* ---- rows ---- */

static struct coremap_row *new_row(struct coremap_view *v, const char *name, int32_t tid)
{
	struct coremap_row *grown = reallocarray(v->rows, v->n_rows + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	v->rows = grown;
	grown += v->n_rows;
	*grown = (struct coremap_row){ .name = strdup(name), .tid = tid };
	grown->run_ns = calloc((size_t)v->n_cpus + 1, 2 * sizeof(*grown->run_ns));
	v->n_rows++;
	if (!grown->name || !grown->run_ns)
		return NULL;
	grown->switches = grown->run_ns + v->n_cpus + 1;
	return grown;
}

static void free_row(struct coremap_row *row)
{
	free(row->name);
	free(row->run_ns);
}

static void add(struct coremap_row *row, uint32_t place, uint64_t run_ns, uint64_t switches)
{
	row->run_ns[place] += run_ns;
	row->switches[place] += switches;
	row->all_run_ns += run_ns;
	row->all_switches += switches;
}

static int find_cpus(struct coremap_view *v)
{
	const struct cmd_cpus *want = &v->f->opts->cpus;
	uint32_t n = analyze_engine_cpus(v->f->eng);

	v->cpus = calloc((size_t)n + 1, sizeof(*v->cpus));
	if (!v->cpus)
		return -ENOMEM;
	for (uint32_t c = 0; c < n; c++) {
		if (!want->bits || (c < want->n && (want->bits[c / 64] >> (c % 64) & 1)))
			v->cpus[v->n_cpus++] = c;
	}
	return 0;
}

/* The place of @cpu in v->cpus, or v->n_cpus. */
static uint32_t place_of(const struct coremap_view *v, uint32_t cpu)
{
	uint32_t lo = 0, hi = v->n_cpus;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (v->cpus[mid] < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < v->n_cpus && v->cpus[lo] == cpu ? lo : v->n_cpus;
}

/* The row of a wanted task: its own, or that of its kind. */
static struct coremap_row *row_of(struct coremap_view *v, const struct analyze_task *task,
				  struct coremap_row *last)
{
	const struct names *names = &v->f->names;
	struct coremap_row *row = NULL;
	char *name;

	if (last)
		return last; /* the cell before it was the same task's */
	name = names_display(names, task);
	if (!name)
		return NULL;
	if (names_merged(names, task)) {
		for (size_t i = 0; i < v->n_rows && !row; i++) {
			if (v->rows[i].tid < 0 && !strcmp(v->rows[i].name, name))
				row = &v->rows[i];
		}
	}
	if (!row)
		row = new_row(v, name, names_merged(names, task) ? -1 : task->tid);
	free(name);
	if (row)
		row->n_tasks++;
	return row;
}

enum { OTHERS, IDLE, UNKNOWN, EXTRA };

/* Rows of wanted tasks into v->rows; the others, IDLE and unknown into @extra. */
static int collect(struct coremap_view *v, struct coremap_row *extra)
{
	const struct figures *f = v->f;
	uint32_t task_index = ANALYZE_NO_TASK;
	struct coremap_row *row = NULL;

	for (size_t i = 0; i < analyze_coremap_count(v->map); i++) {
		const struct analyze_core_cell *cell = analyze_coremap_at(v->map, i);
		const struct analyze_task *task = analyze_engine_task(f->eng, cell->task);
		uint32_t place = place_of(v, cell->cpu);

		if (place == v->n_cpus)
			continue;
		if (cell->task != task_index)
			row = NULL;
		if (!task->tid) {
			row = &extra[IDLE];
		} else if (!names_wanted(&f->names, &f->filter, task)) {
			extra[OTHERS].n_tasks += !row;
			row = &extra[OTHERS];
		} else {
			row = row_of(v, task, row);
		}
		if (!row)
			return -ENOMEM;
		task_index = cell->task;
		row->lossy |= figures_lossy(f, task);
		add(row, place, cell->run_ns, cell->switches);
	}
	for (uint32_t c = 0; c < v->n_cpus; c++)
		add(&extra[UNKNOWN], c, analyze_coremap_cpu(v->map, v->cpus[c])->unknown_ns, 0);
	return 0;
}

/* ---- order ---- */

enum { S_NAME, S_TID, S_RUN, S_SWITCHES, S_ROW };

static const struct table_column sort_columns[] = {
	[S_NAME] = { "name", "task", TABLE_TEXT, 0 },
	[S_TID] = { "tid", "tid", TABLE_INTEGER, 0 },
	[S_RUN] = { "run_ns", "run ms", TABLE_MS, 0 },
	[S_SWITCHES] = { "switches", "switches", TABLE_COUNT, 0 },
	[S_ROW] = { "row", "row", TABLE_INTEGER, TABLE_HIDDEN },
	TABLE_COLUMNS_END,
};

/* Brings v->rows into the wanted order. */
static int sort_rows(struct coremap_view *v)
{
	const char *preset = v->by == COREMAP_BY_RUN ? "run_ns" : "switches";
	struct table *t = table_new("coremap", sort_columns);
	struct coremap_row *sorted = calloc(v->n_rows + 1, sizeof(*sorted));
	struct cdict_error err = { 0 };
	int status = t && sorted ? CMD_DONE : figures_no_memory(v->f);

	for (size_t i = 0; i < v->n_rows && !status; i++) {
		table_row(t);
		table_text(t, S_NAME, v->rows[i].name);
		if (v->rows[i].tid >= 0)
			table_i64(t, S_TID, v->rows[i].tid);
		table_u64(t, S_RUN, v->rows[i].all_run_ns);
		table_u64(t, S_SWITCHES, v->rows[i].all_switches);
		table_i64(t, S_ROW, (int64_t)i);
	}
	if (!status && t->failed)
		status = figures_no_memory(v->f);
	if (!status && table_sort(t, v->f->opts->sort ? v->f->opts->sort : preset, &err))
		status = figures_fail(v->f, &err);
	if (!status) {
		for (size_t i = 0; i < v->n_rows; i++)
			sorted[i] = v->rows[t->cells[i * t->n_columns + S_ROW].i64];
		free(v->rows);
		v->rows = sorted;
		sorted = NULL;
	}
	free(sorted);
	table_free(t);
	return status;
}

/* What -n leaves out joins the others, then come IDLE and unknown. */
static int finish_rows(struct coremap_view *v, struct coremap_row *extra)
{
	uint64_t top = v->f->opts->top;
	char name[48];

	while (top && v->n_rows > top) {
		struct coremap_row *row = &v->rows[--v->n_rows];

		for (uint32_t c = 0; c < v->n_cpus; c++)
			add(&extra[OTHERS], c, row->run_ns[c], row->switches[c]);
		extra[OTHERS].n_tasks += row->n_tasks;
		extra[OTHERS].lossy |= row->lossy;
		free_row(row);
	}
	snprintf(name, sizeof(name), "(%zu other%s)", extra[OTHERS].n_tasks,
		 extra[OTHERS].n_tasks == 1 ? "" : "s");
	for (int k = OTHERS; k < EXTRA; k++) {
		static const char *const names[] = { NULL, "IDLE", "unknown" };
		struct coremap_row *row;

		if (k == OTHERS && !extra[k].n_tasks)
			continue;
		if (k == UNKNOWN && (v->by == COREMAP_BY_SWITCHES || !extra[k].all_run_ns))
			continue;
		row = new_row(v, k == OTHERS ? name : names[k], -1);
		if (!row)
			return -ENOMEM;
		row->lossy = extra[k].lossy;
		row->idle = k == IDLE;
		for (uint32_t c = 0; c < v->n_cpus; c++)
			add(row, c, extra[k].run_ns[c], extra[k].switches[c]);
	}
	return 0;
}

/* ---- tables, of all rows before @sum, the last one ---- */

enum { T_NAME, T_TID, T_ALL, T_CPU };

static void cell(struct table *t, const struct coremap_view *v, size_t column,
		 const struct coremap_row *row, uint32_t place)
{
	uint64_t run_ns = place < v->n_cpus ? row->run_ns[place] : row->all_run_ns;
	uint64_t switches = place < v->n_cpus ? row->switches[place] : row->all_switches;

	if (!run_ns && !switches)
		return;
	if (v->by == COREMAP_BY_RUN)
		table_share(t, column, run_ns, analyze_engine_summary(v->f->eng)->window_ns);
	else
		table_u64(t, column, switches);
}

static bool shows(const struct coremap_row *row, uint32_t from, uint32_t to)
{
	for (uint32_t c = from; c < to; c++) {
		if (row->run_ns[c] || row->switches[c])
			return true;
	}
	return false;
}

static void fill(struct table *t, const struct coremap_view *v, uint32_t from, uint32_t to,
		 const struct coremap_row *sum)
{
	for (const struct coremap_row *row = v->rows; row < sum; row++) {
		if (!shows(row, from, to))
			continue;
		table_row(t);
		table_text(t, T_NAME, row->name);
		if (row->tid >= 0)
			table_i64(t, T_TID, row->tid);
		cell(t, v, T_ALL, row, v->n_cpus);
		for (uint32_t c = from; c < to; c++)
			cell(t, v, T_CPU + c - from, row, c);
		table_lossy(t, row->lossy);
		/* each CPU has an IDLE of its own */
		for (uint32_t c = from; c < to && row->idle && t->now; c++)
			t->now[T_CPU + c - from].lossy =
				analyze_engine_loss_ns(v->f->eng, v->cpus[c]) > 0;
	}
	table_total(t);
	table_text(t, T_NAME, "total");
	cell(t, v, T_ALL, sum, v->n_cpus);
	for (uint32_t c = from; c < to; c++)
		cell(t, v, T_CPU + c - from, sum, c);
}

static struct table *make_table(struct coremap_view *v, uint32_t from, uint32_t to,
				const struct coremap_row *sum)
{
	enum table_kind kind = v->by == COREMAP_BY_RUN ? TABLE_PERCENT : TABLE_COUNT;
	struct table_column *columns = calloc(T_CPU + (size_t)(to - from) + 1, sizeof(*columns));
	struct table *t;

	if (!columns)
		return NULL;
	v->columns[v->n_tables] = columns;
	columns[T_NAME] = (struct table_column){ "name", "task", TABLE_TEXT, 0 };
	columns[T_TID] = (struct table_column){ "tid", "tid", TABLE_INTEGER, 0 };
	columns[T_ALL] = (struct table_column){ "all", "all CPUs", kind, TABLE_DASH };
	for (uint32_t c = from; c < to; c++)
		columns[T_CPU + c - from] =
			(struct table_column){ v->titles[c], v->titles[c], kind, TABLE_DASH };
	columns[T_CPU + to - from].kind = TABLE_END;
	t = table_new("coremap", columns);
	v->tables[v->n_tables++] = t;
	if (t)
		fill(t, v, from, to, sum);
	return t;
}

static int make_tables(struct coremap_view *v)
{
	size_t n = (v->n_cpus + CPUS_A_TABLE - 1) / CPUS_A_TABLE;
	struct coremap_row *sum = new_row(v, "total", -1);

	v->tables = calloc(n + 1, sizeof(struct table *));
	v->columns = calloc(n + 1, sizeof(struct table_column *));
	v->titles = calloc((size_t)v->n_cpus + 1, sizeof(*v->titles));
	if (!v->tables || !v->columns || !v->titles || !sum)
		return -ENOMEM;
	for (uint32_t c = 0; c < v->n_cpus; c++) {
		snprintf(v->titles[c], sizeof(v->titles[c]), "CPU %" PRIu32, v->cpus[c]);
		for (const struct coremap_row *row = v->rows; row < sum; row++)
			add(sum, c, row->run_ns[c], row->switches[c]);
	}
	for (uint32_t c = 0; c < v->n_cpus || !v->n_tables; c += CPUS_A_TABLE) {
		uint32_t to = v->n_cpus - c < CPUS_A_TABLE ? v->n_cpus : c + CPUS_A_TABLE;

		if (!make_table(v, c, to, sum))
			return -ENOMEM;
	}
	return 0;
}

int coremap_view_init(struct coremap_view *v)
{
	struct coremap_row extra[EXTRA] = { 0 };
	int rc = find_cpus(v), status = CMD_DONE;

	for (int k = 0; k < EXTRA && !rc; k++) {
		extra[k].run_ns = calloc((size_t)v->n_cpus + 1, 2 * sizeof(uint64_t));
		if (!extra[k].run_ns)
			rc = -ENOMEM;
		else
			extra[k].switches = extra[k].run_ns + v->n_cpus + 1;
	}
	if (!rc)
		rc = collect(v, extra);
	if (!rc)
		status = sort_rows(v);
	if (!rc && !status)
		rc = finish_rows(v, extra);
	if (!rc && !status)
		rc = make_tables(v);
	for (int k = 0; k < EXTRA; k++)
		free(extra[k].run_ns);
	return rc ? figures_no_memory(v->f) : status;
}

void coremap_view_fini(struct coremap_view *v)
{
	for (size_t i = 0; i < v->n_tables; i++)
		table_free(v->tables[i]);
	for (size_t i = 0; v->columns && i <= v->n_tables; i++)
		free(v->columns[i]);
	for (size_t i = 0; i < v->n_rows; i++)
		free_row(&v->rows[i]);
	free(v->rows);
	free(v->cpus);
	free(v->tables);
	free(v->columns);
	free(v->titles);
}
