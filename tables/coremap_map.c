/* SPDX-License-Identifier: LGPL-2.1-only */
/* The core map as people read it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tables/coremap_map.h"

#define CPUS_A_TABLE 16

struct coremap_row {
	char *name;
	int32_t tid; /* -1: of several tasks, or none */
	size_t n_tasks;
	bool lossy, idle;
	uint64_t *run_ns, *switches; /* by place in map->cpus */
	uint64_t all_run_ns, all_switches;
};

/* ---- rows ---- */

static struct coremap_row *new_row(struct coremap_map *m, const char *name, int32_t tid)
{
	struct coremap_row *grown = reallocarray(m->rows, m->n_rows + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	m->rows = grown;
	grown += m->n_rows;
	*grown = (struct coremap_row){ .name = strdup(name), .tid = tid };
	grown->run_ns = calloc((size_t)m->n_cpus + 1, 2 * sizeof(*grown->run_ns));
	m->n_rows++;
	if (!grown->name || !grown->run_ns)
		return NULL;
	grown->switches = grown->run_ns + m->n_cpus + 1;
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

/* The place of @cpu in m->cpus, or m->n_cpus. */
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

/* The row of a wanted task: its own, or that of its kind. */
static struct coremap_row *row_of(struct coremap_map *m, const struct analyze_task *task,
				  struct coremap_row *last)
{
	const struct names *names = &m->w->names;
	struct coremap_row *row = NULL;
	char *name;

	if (last)
		return last; /* the cell before it was the same task's */
	name = names_display(names, task);
	if (!name)
		return NULL;
	if (names_merged(names, task)) {
		for (size_t i = 0; i < m->n_rows && !row; i++) {
			if (m->rows[i].tid < 0 && !strcmp(m->rows[i].name, name))
				row = &m->rows[i];
		}
	}
	if (!row)
		row = new_row(m, name, names_merged(names, task) ? -1 : task->tid);
	free(name);
	if (row)
		row->n_tasks++;
	return row;
}

enum { OTHERS, IDLE, UNKNOWN, EXTRA };

/* Rows of wanted tasks into m->rows; the others, IDLE and unknown into @extra. */
static int collect(struct coremap_map *m, struct coremap_row *extra)
{
	const struct tables_walk *w = m->w;
	uint32_t task_index = ANALYZE_NO_TASK;
	struct coremap_row *row = NULL;

	for (size_t i = 0; i < analyze_coremap_count(m->w->coremap); i++) {
		const struct analyze_core_cell *cell = analyze_coremap_at(m->w->coremap, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, cell->task);
		uint32_t place = place_of(m, cell->cpu);

		if (place == m->n_cpus)
			continue;
		if (cell->task != task_index)
			row = NULL;
		if (!task->tid) {
			row = &extra[IDLE];
		} else if (!names_wanted(&w->names, task)) {
			extra[OTHERS].n_tasks += !row;
			row = &extra[OTHERS];
		} else {
			row = row_of(m, task, row);
		}
		if (!row)
			return -ENOMEM;
		task_index = cell->task;
		row->lossy |= tables_lossy(w, task);
		add(row, place, cell->run_ns, cell->switches);
	}
	for (uint32_t c = 0; c < m->n_cpus; c++)
		add(&extra[UNKNOWN], c, analyze_coremap_cpu(m->w->coremap, m->cpus[c])->unknown_ns,
		    0);
	return 0;
}

/* ---- order ---- */

enum { S_NAME, S_TID, S_RUN, S_SWITCHES, S_ROW };

static const struct table_column sort_columns[] = {
	[S_NAME] = { .key = "name", .title = "task" },
	[S_TID] = { .key = "tid", .title = "tid", .kind = TABLE_INTEGER },
	[S_RUN] = { .key = "run_ns", .title = "run ms", .kind = TABLE_MS },
	[S_SWITCHES] = { .key = "switches", .title = "switches", .kind = TABLE_COUNT },
	[S_ROW] = { .key = "row", .kind = TABLE_INTEGER, .flags = TABLE_HIDDEN },
	TABLE_COLUMNS_END,
};

/* Brings m->rows into the wanted order. */
static int sort_rows(struct coremap_map *m, struct cdict_error *err)
{
	const char *preset = m->by_switches ? "switches" : "run_ns";
	struct table *t = table_new("coremap", sort_columns);
	struct coremap_row *sorted = calloc(m->n_rows + 1, sizeof(*sorted));
	int rc;

	for (size_t i = 0; i < m->n_rows && t; i++) {
		table_row(t);
		table_text(t, S_NAME, m->rows[i].name);
		if (m->rows[i].tid >= 0)
			table_i64(t, S_TID, m->rows[i].tid);
		table_u64(t, S_RUN, m->rows[i].all_run_ns);
		table_u64(t, S_SWITCHES, m->rows[i].all_switches);
		table_i64(t, S_ROW, (int64_t)i);
	}
	t = table_done(t);
	rc = t && sorted ? table_sort(t, m->sort ? m->sort : preset, err) : -ENOMEM;
	if (!rc) {
		for (size_t i = 0; i < m->n_rows; i++)
			sorted[i] = m->rows[table_at(t, i, S_ROW)->i64];
		free(m->rows);
		m->rows = sorted;
		sorted = NULL;
	}
	free(sorted);
	table_free(t);
	return rc;
}

/* What -n leaves out joins the others, then come IDLE and unknown. */
static int finish_rows(struct coremap_map *m, struct coremap_row *extra)
{
	uint64_t top = m->top;
	char name[48];

	while (top && m->n_rows > top) {
		struct coremap_row *row = &m->rows[--m->n_rows];

		for (uint32_t c = 0; c < m->n_cpus; c++)
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
		if (k == UNKNOWN && (m->by_switches || !extra[k].all_run_ns))
			continue;
		row = new_row(m, k == OTHERS ? name : names[k], -1);
		if (!row)
			return -ENOMEM;
		row->lossy = extra[k].lossy;
		row->idle = k == IDLE;
		for (uint32_t c = 0; c < m->n_cpus; c++)
			add(row, c, extra[k].run_ns[c], extra[k].switches[c]);
	}
	return 0;
}

/* ---- tables, of all rows before @sum, the last one ---- */

enum { T_NAME, T_TID, T_ALL, T_CPU };

static void cell(struct table *t, const struct coremap_map *m, size_t column,
		 const struct coremap_row *row, uint32_t place)
{
	uint64_t run_ns = place < m->n_cpus ? row->run_ns[place] : row->all_run_ns;
	uint64_t switches = place < m->n_cpus ? row->switches[place] : row->all_switches;

	if (!run_ns && !switches)
		return;
	if (!m->by_switches)
		table_share(t, column, run_ns, analyze_engine_summary(m->w->eng)->window_ns);
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

static void fill(struct table *t, const struct coremap_map *m, uint32_t from, uint32_t to,
		 const struct coremap_row *sum)
{
	for (const struct coremap_row *row = m->rows; row < sum; row++) {
		if (!shows(row, from, to))
			continue;
		table_row(t);
		table_text(t, T_NAME, row->name);
		if (row->tid >= 0)
			table_i64(t, T_TID, row->tid);
		cell(t, m, T_ALL, row, m->n_cpus);
		for (uint32_t c = from; c < to; c++)
			cell(t, m, T_CPU + c - from, row, c);
		table_lossy(t, row->lossy);
		/* each CPU has an IDLE of its own */
		for (uint32_t c = from; c < to && row->idle && t->now; c++) {
			t->now[T_CPU + c - from].lossy =
				analyze_engine_loss_ns(m->w->eng, m->cpus[c]) > 0;
			t->any_lossy |= t->now[T_CPU + c - from].lossy;
		}
	}
	table_total(t);
	table_text(t, T_NAME, "total");
	cell(t, m, T_ALL, sum, m->n_cpus);
	for (uint32_t c = from; c < to; c++)
		cell(t, m, T_CPU + c - from, sum, c);
}

static struct table *make_table(struct coremap_map *m, uint32_t from, uint32_t to,
				const struct coremap_row *sum)
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
		fill(t, m, from, to, sum);
	t = table_done(t);
	m->tables[m->n_tables++] = t;
	return t;
}

static int make_tables(struct coremap_map *m)
{
	size_t n = (m->n_cpus + CPUS_A_TABLE - 1) / CPUS_A_TABLE;
	struct coremap_row *sum = new_row(m, "total", -1);

	m->tables = calloc(n + 1, sizeof(struct table *));
	m->columns = calloc(n + 1, sizeof(struct table_column *));
	m->titles = calloc((size_t)m->n_cpus + 1, sizeof(*m->titles));
	if (!m->tables || !m->columns || !m->titles || !sum)
		return -ENOMEM;
	for (uint32_t c = 0; c < m->n_cpus; c++) {
		snprintf(m->titles[c], sizeof(m->titles[c]), "CPU %" PRIu32, m->cpus[c]);
		for (const struct coremap_row *row = m->rows; row < sum; row++)
			add(sum, c, row->run_ns[c], row->switches[c]);
	}
	for (uint32_t c = 0; c < m->n_cpus || !m->n_tables; c += CPUS_A_TABLE) {
		uint32_t to = m->n_cpus - c < CPUS_A_TABLE ? m->n_cpus : c + CPUS_A_TABLE;

		if (!make_table(m, c, to, sum))
			return -ENOMEM;
	}
	return 0;
}

int coremap_map_init(struct coremap_map *m, struct cdict_error *err)
{
	struct coremap_row extra[EXTRA] = { 0 };
	int rc = find_cpus(m);

	for (int k = 0; k < EXTRA && !rc; k++) {
		extra[k].run_ns = calloc((size_t)m->n_cpus + 1, 2 * sizeof(uint64_t));
		if (!extra[k].run_ns)
			rc = -ENOMEM;
		else
			extra[k].switches = extra[k].run_ns + m->n_cpus + 1;
	}
	if (!rc)
		rc = collect(m, extra);
	if (!rc)
		rc = sort_rows(m, err);
	if (!rc)
		rc = finish_rows(m, extra);
	if (!rc)
		rc = make_tables(m);
	for (int k = 0; k < EXTRA; k++)
		free(extra[k].run_ns);
	return rc == -ENOMEM ? cdict_fail(err, rc, CDICT_NO_OFFSET, "out of memory") : rc;
}

void coremap_map_fini(struct coremap_map *m)
{
	for (size_t i = 0; i < m->n_tables; i++)
		table_free(m->tables[i]);
	for (size_t i = 0; m->columns && i <= m->n_tables; i++)
		free(m->columns[i]);
	for (size_t i = 0; i < m->n_rows; i++)
		free_row(&m->rows[i]);
	free(m->rows);
	free(m->cpus);
	free(m->tables);
	free(m->columns);
	free(m->titles);
}
