/* SPDX-License-Identifier: LGPL-2.1-only */
/* The core map for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "tables/rows/coremap_map.h"

#define CPUS_A_TABLE 16

/* A single task: its cells in the analysis; @n 0: @first is a group's number. */
struct coremap_row {
	uint32_t first, n;
};

/* A row of several tasks, or of none. */
struct coremap_group {
	const char *name;
	size_t n_tasks;
	bool lossy, idle;
	struct coremap_sum all;
};

enum { OTHERS, IDLE, UNKNOWN, SUM, EXTRA };

/* ---- rows ---- */

static int new_row(struct coremap_map *m, uint32_t first, uint32_t n)
{
	return array_push(&m->rows, (struct coremap_row){ first, n });
}

/* The number of a new group, INDEX_NONE: out of memory. */
static uint32_t new_group(struct coremap_map *m, const char *name)
{
	const char *copy = stringset_add(&m->names, name, strlen(name));

	if (!copy || array_push(&m->groups, (struct coremap_group){ .name = copy }))
		return INDEX_NONE;
	return (uint32_t)m->groups.n - 1;
}

static int add_sum(struct coremap_map *m, uint32_t group, uint32_t place, struct coremap_sum sum)
{
	struct coremap_sum *at, *all = &m->groups.at[group].all;

	if (!sum.run_ns && !sum.switches)
		return 0;
	at = row_at(&m->sums, index_take(&m->pairs, group, place));
	if (!at)
		return -ENOMEM;
	at->run_ns += sum.run_ns;
	at->switches += sum.switches;
	all->run_ns += sum.run_ns;
	all->switches += sum.switches;
	return 0;
}

static const struct analyze_core_cell *cell_at(const struct coremap_map *m, uint32_t i)
{
	return analyze_coremap_at(m->w->coremap, i);
}

static const struct analyze_task *task_of(const struct coremap_map *m,
					  const struct coremap_row *row)
{
	return row->n ? analyze_engine_task(m->w->eng, cell_at(m, row->first)->task) : NULL;
}

static int find_cpus(struct coremap_map *m)
{
	uint32_t n = analyze_engine_cpus(m->w->eng);

	m->cpus = calloc((size_t)n + 1, sizeof(*m->cpus));
	if (!m->cpus)
		return -ENOMEM;
	for (uint32_t c = 0; c < n; c++) {
		if (tables_cpu(m->w, c))
			m->cpus[m->n_cpus++] = c;
	}
	return 0;
}

/* The index of @cpu in m->cpus, or m->n_cpus. */
static uint32_t place_of(const struct coremap_map *m, uint32_t cpu)
{
	uint32_t lo = 0, hi = m->n_cpus;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (m->cpus[mid] < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->n_cpus && m->cpus[lo] == cpu ? lo : m->n_cpus;
}

/* The row's first cell on @cpu or after it: cells are sorted by CPU. */
static uint32_t cell_from(const struct coremap_map *m, const struct coremap_row *row, uint32_t cpu)
{
	uint32_t lo = row->first, hi = row->first + row->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (cell_at(m, mid)->cpu < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The sum of the row's cells on selected CPUs. */
static struct coremap_sum sum_cells(const struct coremap_map *m, const struct coremap_row *row)
{
	struct coremap_sum sum = { 0 };

	for (uint32_t i = row->first; i < row->first + row->n; i++) {
		const struct analyze_core_cell *cell = cell_at(m, i);

		if (place_of(m, cell->cpu) == m->n_cpus)
			continue;
		sum.run_ns += cell->run_ns;
		sum.switches += cell->switches;
	}
	return sum;
}

/* In m->pairs: the sum of the task's cells from @first on. */
static uint64_t wide_key(uint32_t first)
{
	return UINT64_C(1) << 32 | first;
}

/* Every table shows the sums of its rows over all CPUs: keeps that of a row with cells in many tables. */
static int keep_sum(struct coremap_map *m, const struct coremap_row *row)
{
	struct coremap_sum *at;

	if (row->n <= CPUS_A_TABLE)
		return 0;
	at = row_at(&m->sums, index_take(&m->pairs, wide_key(row->first), 0));
	if (!at)
		return -ENOMEM;
	*at = sum_cells(m, row);
	return 0;
}

/* The row's figures on the CPU at @place; m->n_cpus: on all CPUs. */
static struct coremap_sum sum_of(const struct coremap_map *m, const struct coremap_row *row,
				 uint32_t place)
{
	struct coremap_sum sum = { 0 };
	uint32_t i;

	if (place == m->n_cpus) {
		if (!row->n)
			return m->groups.at[row->first].all;
		if (row->n <= CPUS_A_TABLE)
			return sum_cells(m, row);
		return m->sums.at[index_find(&m->pairs, wide_key(row->first), 0)];
	}
	if (!row->n) {
		i = index_find(&m->pairs, row->first, place);
		return i == INDEX_NONE ? sum : m->sums.at[i];
	}
	for (i = cell_from(m, row, m->cpus[place]);
	     i < row->first + row->n && cell_at(m, i)->cpu == m->cpus[place]; i++) {
		sum.run_ns += cell_at(m, i)->run_ns;
		sum.switches += cell_at(m, i)->switches;
	}
	return sum;
}

/* Adds the row to the group, CPU by CPU. */
static int add_row(struct coremap_map *m, uint32_t group, const struct coremap_row *row)
{
	int rc = 0;

	for (uint32_t i = row->first; i < row->first + row->n && !rc; i++) {
		const struct analyze_core_cell *cell = cell_at(m, i);
		uint32_t place = place_of(m, cell->cpu);

		if (place < m->n_cpus)
			rc = add_sum(m, group, place,
				     (struct coremap_sum){ cell->run_ns, cell->switches });
	}
	for (uint32_t c = 0; !row->n && c < m->n_cpus && !rc; c++)
		rc = add_sum(m, group, c, sum_of(m, row, c));
	return rc;
}

/* The group of tasks with the same merged name: its row is at the place of its first task. */
static uint32_t merged(struct coremap_map *m, const struct analyze_task *task)
{
	char *text = names_display(&m->w->names, task);
	const char *name = text ? stringset_add(&m->names, text, strlen(text)) : NULL;
	uint32_t *group = name ? map_add(&m->by_name, (uintptr_t)name, 0) : NULL;

	if (group && *group == MAP_NEW) {
		*group = new_group(m, name);
		if (*group != INDEX_NONE && new_row(m, *group, 0))
			*group = INDEX_NONE;
	}
	free(text);
	return group ? *group : INDEX_NONE;
}

/* Adds the cells of one task. */
static int collect_task(struct coremap_map *m, const struct coremap_row *row)
{
	const struct analyze_task *task = task_of(m, row);
	uint32_t group = task->tid ? OTHERS : IDLE, asked = 0;

	for (uint32_t i = row->first; i < row->first + row->n; i++)
		asked += place_of(m, cell_at(m, i)->cpu) < m->n_cpus;
	if (!asked)
		return 0;
	if (task->tid && names_wanted(&m->w->names, task)) {
		if (!names_merged(&m->w->names, task))
			return keep_sum(m, row) ? -ENOMEM : new_row(m, row->first, row->n);
		group = merged(m, task);
		if (group == INDEX_NONE)
			return -ENOMEM;
	}
	m->groups.at[group].n_tasks++;
	m->groups.at[group].lossy |= tables_lossy(m->w, task);
	return add_row(m, group, row);
}

/* Makes rows of wanted tasks; others, IDLE and unknown are groups without a row yet. */
static int collect(struct coremap_map *m)
{
	uint32_t n = (uint32_t)analyze_coremap_count(m->w->coremap);
	int rc = 0;

	for (int k = 0; k < EXTRA && !rc; k++)
		rc = new_group(m, "") == INDEX_NONE ? -ENOMEM : 0;
	for (uint32_t i = 0; i < n && !rc;) {
		struct coremap_row row = { i, 1 };

		while (i + row.n < n && cell_at(m, i + row.n)->task == cell_at(m, i)->task)
			row.n++;
		rc = collect_task(m, &row);
		i += row.n;
	}
	for (uint32_t c = 0; c < m->n_cpus && !rc; c++)
		rc = add_sum(m, UNKNOWN, c,
			     (struct coremap_sum){
				     .run_ns = analyze_coremap_cpu(m->w->coremap, m->cpus[c])
						       ->unknown_ns });
	return rc;
}

/* ---- order ---- */

static void cell_name_of(const struct coremap_map *m, const struct coremap_row *row,
			 struct table *t, size_t column)
{
	const struct analyze_task *task = task_of(m, row);
	char *name;

	if (!task) {
		table_text(t, column, m->groups.at[row->first].name);
		return;
	}
	name = names_display(&m->w->names, task);
	t->failed |= !name;
	table_text(t, column, name);
	free(name);
}

static void cell_tid_of(const struct coremap_map *m, const struct coremap_row *row, struct table *t,
			size_t column)
{
	const struct analyze_task *task = task_of(m, row);

	if (task)
		table_i64(t, column, task->tid);
}

static bool no_loss(void *ctx, uint32_t id)
{
	(void)ctx, (void)id;
	return false;
}

static void nothing(void *ctx)
{
	(void)ctx;
}

enum { S_NAME, S_TID, S_RUN, S_SWITCHES };

static const struct table_column sort_columns[] = {
	[S_NAME] = { .key = "name", .title = "task" },
	[S_TID] = { .key = "tid", .title = "tid", .kind = TABLE_INTEGER },
	[S_RUN] = { .key = "run_ns", .title = "run ms", .kind = TABLE_MS },
	[S_SWITCHES] = { .key = "switches", .title = "switches", .kind = TABLE_COUNT },
	TABLE_COLUMNS_END,
};

static void fill_to_sort(void *ctx, struct table *t, size_t column, uint32_t id)
{
	const struct coremap_map *m = ctx;
	const struct coremap_row *row = &m->rows.at[id];

	if (column == S_NAME)
		cell_name_of(m, row, t, column);
	else if (column == S_TID)
		cell_tid_of(m, row, t, column);
	else if (column == S_RUN)
		table_u64(t, column, sum_of(m, row, m->n_cpus).run_ns);
	else
		table_u64(t, column, sum_of(m, row, m->n_cpus).switches);
}

/* Sorts m->rows. */
static int sort_rows(struct coremap_map *m, struct cdict_error *err)
{
	const char *preset = m->by_switches ? "switches" : "run_ns";
	struct coremap_row *sorted = calloc(m->rows.n + 1, sizeof(*sorted));
	struct table *t = table_new("coremap", sort_columns);
	int rc;

	if (t)
		table_later(t, &(struct table_later){ .ctx = m,
						      .fill = fill_to_sort,
						      .lossy = no_loss,
						      .free = nothing });
	for (size_t i = 0; i < m->rows.n && t; i++)
		table_row_later(t, (uint32_t)i);
	t = table_done(t);
	rc = t && sorted ? table_sort(t, m->sort ? m->sort : preset, err) : -ENOMEM;
	if (!rc) {
		for (size_t i = 0; i < m->rows.n; i++)
			sorted[i] = m->rows.at[table_id(t, i)];
		free(m->rows.at);
		m->rows.at = sorted;
		m->rows.cap = m->rows.n + 1;
		sorted = NULL;
	}
	free(sorted);
	table_free(t);
	return rc;
}

/* Rows cut by -n are added to the others; then come IDLE and unknown. */
static int finish_rows(struct coremap_map *m)
{
	struct coremap_group *others;
	const char *copy;
	char name[48];
	int rc = 0;

	while (m->top && m->rows.n > m->top && !rc) {
		const struct coremap_row *row = &m->rows.at[--m->rows.n];
		const struct analyze_task *task = task_of(m, row);

		others = &m->groups.at[OTHERS];
		others->n_tasks += task ? 1 : m->groups.at[row->first].n_tasks;
		others->lossy |= task ? tables_lossy(m->w, task) : m->groups.at[row->first].lossy;
		rc = add_row(m, OTHERS, row);
	}
	others = &m->groups.at[OTHERS];
	snprintf(name, sizeof(name), "(%s other%s)", GROUPED(others->n_tasks),
		 others->n_tasks == 1 ? "" : "s");
	copy = stringset_add(&m->names, name, strlen(name));
	if (rc || !copy)
		return -ENOMEM;
	others->name = copy;
	m->groups.at[IDLE].name = "IDLE";
	m->groups.at[IDLE].idle = true;
	m->groups.at[UNKNOWN].name = "unknown";
	m->groups.at[SUM].name = "total";
	if (others->n_tasks)
		rc = new_row(m, OTHERS, 0);
	if (!rc)
		rc = new_row(m, IDLE, 0);
	if (!rc && !m->by_switches && m->groups.at[UNKNOWN].all.run_ns)
		rc = new_row(m, UNKNOWN, 0);
	for (size_t i = 0; i < m->rows.n && !rc; i++)
		rc = add_row(m, SUM, &m->rows.at[i]);
	return rc;
}

/* ---- tables ---- */

enum { T_NAME, T_TID, T_ALL, T_CPU };

/* One table: CPUs from @from to before @to. */
struct piece {
	const struct coremap_map *m;
	uint32_t from, to;
};

static void put_sum(struct table *t, const struct coremap_map *m, size_t column,
		    struct coremap_sum sum)
{
	if (!sum.run_ns && !sum.switches)
		return;
	if (!m->by_switches)
		table_share(t, column, sum.run_ns, analyze_engine_summary(m->w->eng)->window_ns);
	else
		table_u64(t, column, sum.switches);
}

static bool cpu_lossy(const struct coremap_map *m, uint32_t place)
{
	return analyze_engine_loss_ns(m->w->eng, m->cpus[place]) > 0;
}

static bool is_idle(const struct coremap_map *m, const struct coremap_row *row)
{
	return !row->n && m->groups.at[row->first].idle;
}

static void fill_cell(void *ctx, struct table *t, size_t column, uint32_t id)
{
	const struct piece *p = ctx;
	const struct coremap_row *row = &p->m->rows.at[id];
	uint32_t place;

	if (column == T_NAME) {
		cell_name_of(p->m, row, t, column);
	} else if (column == T_TID) {
		cell_tid_of(p->m, row, t, column);
	} else {
		place = column == T_ALL ? p->m->n_cpus : p->from + (uint32_t)column - T_CPU;
		put_sum(t, p->m, column, sum_of(p->m, row, place));
		/* each CPU has its own IDLE */
		if (column != T_ALL && is_idle(p->m, row))
			t->now[column].lossy = cpu_lossy(p->m, place);
	}
}

static bool row_lossy(void *ctx, uint32_t id)
{
	const struct coremap_map *m = ((const struct piece *)ctx)->m;
	const struct coremap_row *row = &m->rows.at[id];
	const struct analyze_task *task = task_of(m, row);

	return task ? tables_lossy(m->w, task) : m->groups.at[row->first].lossy;
}

/* Whether the row has figures on the CPUs from @from to before @to. */
static bool shows(const struct coremap_map *m, const struct coremap_row *row, uint32_t from,
		  uint32_t to)
{
	if (row->n && from < to) {
		uint32_t i = cell_from(m, row, m->cpus[from]);

		/* most rows have no cell here */
		if (i == row->first + row->n || cell_at(m, i)->cpu > m->cpus[to - 1])
			return false;
	}
	for (uint32_t c = from; c < to; c++) {
		struct coremap_sum sum = sum_of(m, row, c);

		if (sum.run_ns || sum.switches)
			return true;
	}
	return false;
}

static void add_rows(struct table *t, const struct coremap_map *m, uint32_t from, uint32_t to)
{
	const struct coremap_row sum = { .first = SUM };
	struct piece *p = malloc(sizeof(*p));

	if (!p) {
		t->failed = true;
		return;
	}
	*p = (struct piece){ m, from, to };
	table_later(t, &(struct table_later){
			       .ctx = p, .fill = fill_cell, .lossy = row_lossy, .free = free });
	for (size_t i = 0; i < m->rows.n && !t->failed; i++) {
		const struct coremap_row *row = &m->rows.at[i];

		if (!shows(m, row, from, to))
			continue;
		table_row_later(t, (uint32_t)i);
		for (uint32_t c = from; c < to && is_idle(m, row); c++)
			t->any_lossy |= cpu_lossy(m, c);
	}
	table_total(t);
	table_text(t, T_NAME, m->groups.at[SUM].name);
	put_sum(t, m, T_ALL, sum_of(m, &sum, m->n_cpus));
	for (uint32_t c = from; c < to; c++)
		put_sum(t, m, T_CPU + c - from, sum_of(m, &sum, c));
}

static struct table *make_table(struct coremap_map *m, uint32_t from, uint32_t to)
{
	enum table_kind kind = !m->by_switches ? TABLE_PERCENT : TABLE_COUNT;
	struct table_column *columns = calloc(T_CPU + (size_t)(to - from) + 1, sizeof(*columns));
	struct table *t;

	if (!columns)
		return NULL;
	m->columns[m->n_tables] = columns;
	columns[T_NAME] = (struct table_column){ .key = "name", .title = "task" };
	columns[T_TID] =
		(struct table_column){ .key = "tid", .title = "tid", .kind = TABLE_INTEGER };
	columns[T_ALL] = (struct table_column){
		.key = "all", .title = "all CPUs", .kind = kind, .flags = TABLE_DASH
	};
	for (uint32_t c = from; c < to; c++)
		columns[T_CPU + c - from] = (struct table_column){ .key = m->titles[c],
								   .title = m->titles[c],
								   .kind = kind,
								   .flags = TABLE_DASH };
	columns[T_CPU + to - from].kind = TABLE_END;
	t = table_new("coremap", columns);
	if (t)
		add_rows(t, m, from, to);
	t = table_done(t);
	m->tables[m->n_tables++] = t;
	return t;
}

static int make_tables(struct coremap_map *m)
{
	/* one table even without CPUs, with the rows' sums */
	size_t n = m->n_cpus ? (m->n_cpus + CPUS_A_TABLE - 1) / CPUS_A_TABLE : 1;

	m->tables = calloc(n + 1, sizeof(struct table *));
	m->columns = calloc(n + 1, sizeof(struct table_column *));
	m->titles = calloc((size_t)m->n_cpus + 1, sizeof(*m->titles));
	if (!m->tables || !m->columns || !m->titles)
		return -ENOMEM;
	for (uint32_t c = 0; c < m->n_cpus; c++)
		snprintf(m->titles[c], sizeof(m->titles[c]), "CPU %" PRIu32, m->cpus[c]);
	for (uint32_t c = 0; c < m->n_cpus || !m->n_tables; c += CPUS_A_TABLE) {
		uint32_t to = m->n_cpus - c < CPUS_A_TABLE ? m->n_cpus : c + CPUS_A_TABLE;

		if (!make_table(m, c, to))
			return -ENOMEM;
	}
	return 0;
}

int coremap_map_init(struct coremap_map *m, struct cdict_error *err)
{
	int rc = find_cpus(m);

	if (!rc)
		rc = collect(m);
	if (!rc)
		rc = sort_rows(m, err);
	if (!rc)
		rc = finish_rows(m);
	if (!rc)
		rc = make_tables(m);
	return rc == -ENOMEM ? cdict_fail_nomem(err) : rc;
}

void coremap_map_fini(struct coremap_map *m)
{
	for (size_t i = 0; i < m->n_tables; i++)
		table_free(m->tables[i]);
	for (size_t i = 0; i < m->n_tables; i++)
		free(m->columns[i]);
	array_fini(&m->rows);
	array_fini(&m->groups);
	array_fini(&m->sums);
	index_fini(&m->pairs);
	map_fini(&m->by_name);
	stringset_fini(&m->names);
	free(m->cpus);
	free(m->tables);
	free(m->columns);
	free(m->titles);
}
