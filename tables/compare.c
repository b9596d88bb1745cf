/* SPDX-License-Identifier: LGPL-2.1-only */
/* Several captures beside each other. */
#include "tables/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct compare_kind compare_kinds[COMPARE_N] = {
	[COMPARE_TASKS] = { "tasks",
			    NULL,
			    { "run_percent", "switches_per_s", "involuntary_per_s", "wakeups_per_s",
			      "migrations_per_s", "latency_avg_ns", "latency_p99_ns",
			      "latency_max_ns" } },
	[COMPARE_EXITS] = { "exits",
			    "reason",
			    { "count_per_s", "time_percent", "avg_ns", "p99_ns", "max_ns" } },
	[COMPARE_VCPU] = { "vcpu",
			   NULL,
			   { "delayed_percent", "guest_percent", "exit_percent", "qemu_percent",
			     "preempted_percent", "waiting_percent", "halted_percent",
			     "blocked_percent", "unknown_percent", "worst_ns" } },
	[COMPARE_COREMAP] = { "coremap", "cpu", { "run_percent", "switches_per_s" } },
};

struct compare_item {
	char *name;         /* owned */
	const char *second; /* borrowed from the analysis */
	uint32_t cpu;
	size_t capture;
	uint32_t task;
	const void *row; /* of the analysis */
};

/* ---- items ---- */

static int add(struct compare *c, size_t *room, size_t capture, const struct tables_walk *w,
	       uint32_t task, const void *row, const char *second, uint32_t cpu)
{
	const struct analyze_task *t = analyze_engine_task(w->eng, task);
	char *name;

	if (!names_wanted(&w->names, t))
		return 0;
	if (c->n_items == *room) {
		size_t more = *room ? 2 * *room : 256;
		struct compare_item *items = reallocarray(c->items, more, sizeof(*items));

		if (!items)
			return -ENOMEM;
		c->items = items;
		*room = more;
	}
	name = t->tid ? names_display(&w->names, t) : strdup("IDLE");
	if (!name)
		return -ENOMEM;
	c->items[c->n_items++] = (struct compare_item){ .name = name,
							.second = second,
							.cpu = cpu,
							.capture = capture,
							.task = task,
							.row = row };
	return 0;
}

static int collect(struct compare *c, size_t *room, const struct tables_walk *w, size_t k)
{
	int rc = 0;

	switch (c->what) {
	case COMPARE_TASKS:
		for (size_t i = 0; i < analyze_tasks_row_count(w->tasks) && !rc; i++) {
			const struct analyze_task_row *row = analyze_tasks_row_at(w->tasks, i);

			rc = add(c, room, k, w, row->task, row, NULL, CDICT_CPU_UNKNOWN);
		}
		break;
	case COMPARE_EXITS:
		for (size_t i = 0; i < analyze_exits_count(w->exits) && !rc; i++) {
			const struct analyze_exit_row *row = analyze_exits_at(w->exits, i);

			rc = add(c, room, k, w, row->task, row, row->name, CDICT_CPU_UNKNOWN);
		}
		break;
	case COMPARE_VCPU:
		for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus) && !rc; i++) {
			const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

			rc = add(c, room, k, w, row->task, row, NULL, CDICT_CPU_UNKNOWN);
		}
		break;
	case COMPARE_COREMAP:
		for (size_t i = 0; i < analyze_coremap_count(w->coremap) && !rc; i++) {
			const struct analyze_core_cell *row = analyze_coremap_at(w->coremap, i);

			rc = add(c, room, k, w, row->task, row, NULL, row->cpu);
		}
		break;
	case COMPARE_N:
		break;
	}
	return rc;
}

static int same_key(const struct compare_item *a, const struct compare_item *b)
{
	int order = strverscmp(a->name, b->name);

	if (!order && a->second && b->second)
		order = strcmp(a->second, b->second);
	return order ? order : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static int by_key(const void *a, const void *b)
{
	const struct compare_item *x = a, *y = b;
	int order = same_key(x, y);

	if (!order)
		order = (x->capture > y->capture) - (x->capture < y->capture);
	return order ? order : (x->task > y->task) - (x->task < y->task);
}

/* ---- figures ---- */

static double percent(uint64_t ns, uint64_t window_ns)
{
	return window_ns ? 100.0 * (double)ns / (double)window_ns : NAN;
}

static double rate(uint64_t n, uint64_t window_ns)
{
	return window_ns ? 1e9 * (double)n / (double)window_ns : NAN;
}

static void of_tasks(double *v, const struct compare_item *items, size_t n,
		     const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	struct analyze_task_row sum = { 0 };

	for (size_t i = 0; i < n; i++)
		analyze_task_row_merge(&sum, items[i].row);
	v[0] = percent(sum.run_ns, window_ns);
	v[1] = rate(sum.switches, window_ns);
	v[2] = rate(sum.involuntary, window_ns);
	if (tables_has_wakeups(w))
		v[3] = rate(sum.wakeups, window_ns);
	v[4] = rate(sum.migrations, window_ns);
	if (sum.latency.count) {
		v[5] = (double)histogram_avg(&sum.latency);
		v[6] = (double)histogram_percentile(&sum.latency, 99);
		v[7] = (double)sum.latency.max;
	}
	analyze_task_row_fini(&sum);
}

static void of_exits(double *v, const struct compare_item *items, size_t n, uint64_t window_ns)
{
	struct analyze_exit_row sum = { 0 };

	for (size_t i = 0; i < n; i++)
		analyze_exit_row_merge(&sum, items[i].row);
	v[0] = rate(sum.events, window_ns);
	v[1] = percent(sum.time.sum, window_ns);
	if (sum.time.count) {
		v[2] = (double)histogram_avg(&sum.time);
		v[3] = (double)histogram_percentile(&sum.time, 99);
		v[4] = (double)sum.time.max;
	}
	analyze_exit_row_fini(&sum);
}

/* vCPUs of the same name: their mean, so that the states still make 100 %. */
static void of_vcpus(double *v, const struct compare_item *items, size_t n, uint64_t window_ns)
{
	uint64_t ns[ANALYZE_VCPU_STATES] = { 0 }, worst = 0;

	for (size_t i = 0; i < n; i++) {
		const struct analyze_vcpu_row *row = items[i].row;

		for (size_t s = 0; s < ANALYZE_VCPU_STATES; s++)
			ns[s] += row->ns[s];
		worst = row->worst.dur_ns > worst ? row->worst.dur_ns : worst;
	}
	v[0] = percent(ns[ANALYZE_VCPU_PREEMPTED] + ns[ANALYZE_VCPU_WAITING], window_ns * n);
	for (size_t s = 0; s < ANALYZE_VCPU_STATES; s++)
		v[1 + s] = percent(ns[s], window_ns * n);
	v[9] = (double)worst;
}

static void of_cells(double *v, const struct compare_item *items, size_t n, uint64_t window_ns)
{
	uint64_t run_ns = 0, switches = 0;

	for (size_t i = 0; i < n; i++) {
		const struct analyze_core_cell *cell = items[i].row;

		run_ns += cell->run_ns;
		switches += cell->switches;
	}
	v[0] = percent(run_ns, window_ns);
	v[1] = rate(switches, window_ns);
}

static void figures_of(enum compare_what what, double *v, const struct compare_item *items,
		       size_t n, const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;

	switch (what) {
	case COMPARE_TASKS:
		of_tasks(v, items, n, w);
		break;
	case COMPARE_EXITS:
		of_exits(v, items, n, window_ns);
		break;
	case COMPARE_VCPU:
		of_vcpus(v, items, n, window_ns);
		break;
	case COMPARE_COREMAP:
		of_cells(v, items, n, window_ns);
		break;
	case COMPARE_N:
		break;
	}
}

/* ---- rows ---- */

static double or_zero(double v)
{
	return isfinite(v) ? v : 0;
}

static int fill_row(struct compare *c, struct compare_row *row,
		    const struct tables_walk *const *walks)
{
	size_t nf = c->n_figures;
	double base;

	row->values = calloc(c->n_captures * nf, sizeof(*row->values));
	row->set = calloc(c->n_captures, sizeof(*row->set));
	if (!row->values || !row->set)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_captures * nf; i++)
		row->values[i] = NAN;
	for (size_t a = 0, b; a < row->n_items; a = b) {
		size_t k = row->items[a].capture;

		for (b = a; b < row->n_items && row->items[b].capture == k;)
			b++;
		row->set[k] = true;
		figures_of(c->what, row->values + k * nf, row->items + a, b - a, walks[k]);
	}
	base = or_zero(row->values[0]);
	for (size_t k = 1; k < c->n_captures; k++) {
		double change = or_zero(row->values[k * nf]) - base;

		if (fabs(change) > fabs(row->change))
			row->change = change;
	}
	return 0;
}

static int most_changed(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	double xc = fabs(x->change), yc = fabs(y->change);

	if (xc != yc)
		return xc > yc ? -1 : 1;
	return (x->items > y->items) - (x->items < y->items); /* by their keys */
}

static int make_rows(struct compare *c, const struct tables_walk *const *walks)
{
	c->rows = calloc(c->n_items + 1, sizeof(*c->rows));
	if (!c->rows)
		return -ENOMEM;
	for (size_t a = 0, b; a < c->n_items; a = b) {
		const struct compare_item *first = &c->items[a];
		struct compare_row *row = &c->rows[c->n++];

		for (b = a; b < c->n_items && !same_key(first, &c->items[b]);)
			b++;
		*row = (struct compare_row){ .name = first->name,
					     .second = first->second,
					     .cpu = first->cpu,
					     .items = first,
					     .n_items = b - a };
		if (fill_row(c, row, walks))
			return -ENOMEM;
	}
	qsort(c->rows, c->n, sizeof(*c->rows), most_changed);
	return 0;
}

int compare_init(struct compare *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n)
{
	size_t room = 0;
	int rc = 0;

	*c = (struct compare){ .what = what, .n_captures = n };
	while (compare_kinds[what].figures[c->n_figures])
		c->n_figures++;
	for (size_t k = 0; k < n && !rc; k++)
		rc = collect(c, &room, walks[k], k);
	if (rc)
		return rc;
	if (c->n_items)
		qsort(c->items, c->n_items, sizeof(*c->items), by_key);
	return make_rows(c, walks);
}

void compare_fini(struct compare *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->rows[i].values);
		free(c->rows[i].set);
	}
	for (size_t i = 0; i < c->n_items; i++)
		free(c->items[i].name);
	free(c->rows);
	free(c->items);
	*c = (struct compare){ 0 };
}

size_t compare_task_count(const struct compare_row *row, size_t capture)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n_items; i++)
		n += row->items[i].capture == capture;
	return n;
}

uint32_t compare_task_at(const struct compare_row *row, size_t capture, size_t at)
{
	for (size_t i = 0; i < row->n_items; i++) {
		if (row->items[i].capture == capture && !at--)
			return row->items[i].task;
	}
	return ANALYZE_NO_TASK;
}
