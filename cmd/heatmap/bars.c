/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cdict heatmap: the views with a row per task: cpu, coremap.
 *
 * A capture may have millions of tasks and a picture shows few: the others share one row, and no
 * data are kept for each of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sched/coremap.h"
#include "base/text/plural.h"
#include "cmd/heatmap/heatmap.h"
#include "render/views/tasks.h"

/* A selected row: its sum, and the position of its cells in the order of rows. */
struct ranked {
	uint32_t row, first, n;
	struct task_use all;
};

/* The sum of several rows, by CPU. */
struct together {
	struct task_use *cpus;
	size_t n_rows;
};

/* A cell of the core map and its row in the picture. */
struct placed {
	uint32_t row, cell;
};

struct bars {
	struct heatmap *h;
	uint32_t n_cpus;
	bool per_cpu;
	size_t top, most;           /* rows given by the user; limit of rows kept, 0: all */
	ARRAY(struct placed) order; /* for groups: the cells in the order of rows */
	bool ordered;               /* rows are groups; false: tasks, consecutive in the map */
	ARRAY(struct ranked) best;
	struct together idle, rest, one;
	size_t n_rows; /* selected rows, without IDLE */
	ARRAY(struct task_bar) all;
};

static const struct analyze_core_cell *cell_at(const struct bars *b, uint32_t i)
{
	return analyze_coremap_at(b->h->f.walk.coremap, b->ordered ? b->order.at[i].cell : i);
}

static int bars_init(struct bars *b, struct heatmap *h, bool per_cpu)
{
	uint64_t top = h->opts->top;

	*b = (struct bars){ .h = h, .per_cpu = per_cpu };
	b->n_cpus = analyze_engine_cpus(h->f.walk.eng);
	b->top = top < UINT32_MAX ? top : 0;
	/* a single row left over is shown instead of a row "1 other task" */
	b->most = b->top ? b->top + 1 : 0;
	b->idle.cpus = calloc((size_t)b->n_cpus + 1, sizeof(*b->idle.cpus));
	b->rest.cpus = calloc((size_t)b->n_cpus + 1, sizeof(*b->rest.cpus));
	b->one.cpus = calloc((size_t)b->n_cpus + 1, sizeof(*b->one.cpus));
	return b->idle.cpus && b->rest.cpus && b->one.cpus ? 0 : -ENOMEM;
}

static void bars_fini(struct bars *b)
{
	for (size_t i = 0; i < b->all.n; i++) {
		free(b->all.at[i].name);
		free(b->all.at[i].cells);
	}
	array_fini(&b->all);
	array_fini(&b->order);
	array_fini(&b->best);
	free(b->idle.cpus);
	free(b->rest.cpus);
	free(b->one.cpus);
}

static void put_together(struct together *to, const struct bars *b, const struct ranked *row)
{
	for (uint32_t i = row->first; i < row->first + row->n; i++) {
		const struct analyze_core_cell *cell = cell_at(b, i);

		to->cpus[cell->cpu].run_ns += cell->run_ns;
		to->cpus[cell->cpu].switches += cell->switches;
	}
	to->n_rows++;
}

static int larger(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* Descending; of equal rows, the one seen first comes first. */
static int by_use(const void *a, const void *b, void *by_switches)
{
	const struct ranked *x = a, *y = b;
	int run = larger(x->all.run_ns, y->all.run_ns);
	int switches = larger(x->all.switches, y->all.switches);
	int order = *(const bool *)by_switches ? (switches ? switches : run)
					       : (run ? run : switches);

	return order ? order : larger(y->first, x->first);
}

/* Keeps the @n largest rows, and adds the others to the rest. */
static void cut(struct bars *b, size_t n)
{
	bool by_switches = b->h->by == 1;

	if (b->best.n)
		qsort_r(b->best.at, b->best.n, sizeof(*b->best.at), by_use, &by_switches);
	for (size_t i = n; i < b->best.n; i++)
		put_together(&b->rest, b, &b->best.at[i]);
	if (n < b->best.n)
		b->best.n = n;
}

static int rank(struct bars *b, const struct ranked *row)
{
	b->n_rows++;
	if (array_push(&b->best, *row))
		return -ENOMEM;
	if (b->most && b->best.n >= 2 * b->most)
		cut(b, b->most);
	return 0;
}

static void add_use(struct ranked *row, const struct analyze_core_cell *cell)
{
	row->all.run_ns += cell->run_ns;
	row->all.switches += cell->switches;
	row->n++;
}

/* Adds a selected task: its row when rows are tasks; otherwise its cells, to be sorted by group. */
static int add_task(struct bars *b, const struct ranked *task, uint32_t id)
{
	struct ranked row = *task;
	int rc;

	if (!analyze_engine_task(b->h->f.walk.eng, id)->tid) {
		put_together(&b->idle, b, task);
		return 0;
	}
	rc = heatmap_row_of(b->h, id, &row.row);
	if (rc || b->h->rows == HEATMAP_ROWS_TASK)
		return rc ? rc : rank(b, &row);
	for (uint32_t i = task->first; i < task->first + task->n && !rc; i++)
		rc = array_push(&b->order, (struct placed){ row.row, i });
	return rc;
}

static int by_row(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
				: (x->cell > y->cell) - (x->cell < y->cell);
}

static int rank_groups(struct bars *b)
{
	int rc = 0;

	if (b->order.n)
		qsort(b->order.at, b->order.n, sizeof(*b->order.at), by_row);
	b->ordered = b->order.n;
	for (uint32_t i = 0; i < b->order.n && !rc;) {
		struct ranked row = { .row = b->order.at[i].row, .first = i };

		for (; i < b->order.n && b->order.at[i].row == row.row; i++)
			add_use(&row, cell_at(b, i));
		rc = rank(b, &row);
	}
	return rc;
}

/* Finds the largest selected rows; sums up the others, and IDLE of all CPUs. */
static int collect(struct bars *b)
{
	const struct analyze_coremap *map = b->h->f.walk.coremap;
	uint32_t n = (uint32_t)analyze_coremap_count(map);
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc;) {
		uint32_t id = analyze_coremap_at(map, i)->task;
		struct ranked task = { .first = i };

		for (; i < n && analyze_coremap_at(map, i)->task == id; i++)
			add_use(&task, analyze_coremap_at(map, i));
		if ((task.all.run_ns || task.all.switches) && heatmap_is_shown(b->h, id))
			rc = add_task(b, &task, id);
	}
	if (!rc)
		rc = rank_groups(b);
	cut(b, b->top && b->n_rows > b->most ? b->top : SIZE_MAX);
	return rc;
}

/* Takes @name; NULL: out of memory. Allocates @n cells. */
static struct task_bar *new_bar(struct bars *b, char *name, size_t n)
{
	struct task_bar *bar = name ? array_add(&b->all) : NULL;

	if (!bar) {
		free(name);
		return NULL;
	}
	bar->name = name;
	bar->cells = b->per_cpu ? calloc(n + 1, sizeof(*bar->cells)) : NULL;
	return bar->cells || !b->per_cpu ? bar : NULL;
}

static void add_cell(struct task_bar *bar, uint32_t cpu, const struct task_use *use)
{
	if (!use->run_ns && !use->switches)
		return;
	bar->all.run_ns += use->run_ns;
	bar->all.switches += use->switches;
	if (bar->cells)
		bar->cells[bar->n_cells++] = (struct task_cell){ cpu, *use };
}

/* Takes @name; NULL: out of memory. */
static struct task_bar *bar_together(struct bars *b, char *name, const struct task_use *cpus)
{
	size_t n = 0;
	struct task_bar *bar;

	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++)
		n += cpus[cpu].run_ns || cpus[cpu].switches;
	bar = new_bar(b, name, n);
	for (uint32_t cpu = 0; bar && cpu < b->n_cpus; cpu++)
		add_cell(bar, cpu, &cpus[cpu]);
	return bar;
}

static int bar_of(struct bars *b, const struct ranked *row)
{
	struct task_bar *bar;

	/* a task's cells are in the map, one per CPU */
	if (!b->ordered) {
		bar = new_bar(b, heatmap_row_name(b->h, row->row), row->n);
		for (uint32_t i = row->first; bar && i < row->first + row->n; i++)
			add_cell(bar, cell_at(b, i)->cpu,
				 &(struct task_use){ cell_at(b, i)->run_ns,
						     cell_at(b, i)->switches });
		return bar ? 0 : -ENOMEM;
	}
	memset(b->one.cpus, 0, b->n_cpus * sizeof(*b->one.cpus));
	put_together(&b->one, b, row);
	return bar_together(b, heatmap_row_name(b->h, row->row), b->one.cpus) ? 0 : -ENOMEM;
}

/* Makes the rows: the largest first, then the sum of the others, IDLE last. */
static int make_bars(struct bars *b, struct heatmap *h, bool per_cpu)
{
	int rc = bars_init(b, h, per_cpu);
	struct task_bar *bar;
	char *name;

	if (!rc)
		rc = collect(b);
	for (size_t i = 0; i < b->best.n && !rc; i++)
		rc = bar_of(b, &b->best.at[i]);
	if (!rc && b->rest.n_rows) {
		if (asprintf(&name, "%s other %s", GROUPED(b->rest.n_rows),
			     h->rows == HEATMAP_ROWS_TASK ? "tasks" : "groups") < 0)
			name = NULL;
		rc = bar_together(b, name, b->rest.cpus) ? 0 : -ENOMEM;
	}
	if (!rc && b->idle.n_rows) {
		bar = bar_together(b, strdup("IDLE"), b->idle.cpus);
		if (bar)
			bar->idle = true;
		rc = bar ? 0 : -ENOMEM;
	}
	return rc;
}

/* ---- cpu ---- */

int heatmap_draw_cpu(struct heatmap *h)
{
	const struct options_shared *o = &h->opts->shared;
	struct bars b;
	int rc = make_bars(&b, h, false);
	size_t n = b.all.n;

	/* IDLE would make all others small */
	if (n && b.all.at[n - 1].idle && !o->task && !o->tids.n)
		n--;
	if (!rc)
		rc = view_cpu(&h->m, &h->c, &h->cap.frame, b.all.at, n);
	bars_fini(&b);
	return rc;
}

/* ---- coremap ---- */

int heatmap_add_coremap(struct heatmap *h, struct cdict_error *err)
{
	return analyze_coremap_new(&h->f.walk.coremap, h->f.walk.eng, err);
}

/* The selected CPUs, sorted by NUMA node and number. */
static size_t order_cpus(const struct tables_walk *w, uint32_t *cpus, int32_t *nodes)
{
	uint32_t n_cpus = analyze_engine_cpus(w->eng);
	size_t n = 0;

	for (int32_t node = -1, next; node != INT32_MAX; node = next) {
		next = INT32_MAX;
		for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
			int32_t mine = tables_node(w, cpu);

			if (mine > node && mine < next)
				next = mine;
			if (mine != node || !tables_cpu(w, cpu))
				continue;
			cpus[n] = cpu;
			nodes[n++] = mine;
		}
	}
	return n;
}

/* Adds a last row for the time in which the running task is unknown. */
static int add_unknown(struct bars *b, const struct heatmap *h)
{
	const struct options_shared *o = &h->opts->shared;
	const struct tables_walk *w = &h->f.walk;
	struct task_bar *bar;

	if (!analyze_engine_summary(w->eng)->unknown_ns || o->task || o->tids.n || o->vm)
		return 0;
	memset(b->rest.cpus, 0, b->n_cpus * sizeof(*b->rest.cpus));
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		if (tables_cpu(w, cpu))
			b->rest.cpus[cpu].run_ns = analyze_engine_cpu_unknown_ns(w->eng, cpu);
	}
	bar = bar_together(b, strdup("unknown"), b->rest.cpus);
	if (!bar)
		return -ENOMEM;
	bar->idle = true;
	return 0;
}

int heatmap_draw_coremap(struct heatmap *h)
{
	const struct tables_walk *w = &h->f.walk;
	uint32_t n_cpus = analyze_engine_cpus(w->eng);
	uint32_t *cpus = calloc((size_t)n_cpus + 1, sizeof(*cpus));
	int32_t *nodes = calloc((size_t)n_cpus + 1, sizeof(*nodes));
	struct coremap map = { .cpus = cpus,
			       .nodes = w->nodes ? nodes : NULL,
			       .by_switches = h->by == 1 };
	struct bars b;
	int rc = make_bars(&b, h, true);

	if (!cpus || !nodes)
		rc = -ENOMEM;
	if (!rc && !h->by)
		rc = add_unknown(&b, h);
	if (!rc) {
		map.bars = b.all.at;
		map.n = b.all.n;
		map.n_cpus = order_cpus(w, cpus, nodes);
		rc = view_coremap(&h->m, &h->c, &h->cap.frame, &map);
	}
	bars_fini(&b);
	free(cpus);
	free(nodes);
	return rc;
}
