/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: the pictures with a row a task: exits, vcpu, cpu, coremap. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/heatmap.h"
#include "render/view_exits.h"
#include "render/view_tasks.h"
#include "render/view_vcpu.h"

static bool is_shown(const struct heatmap *h, uint32_t task)
{
	return names_wanted(&h->f.walk.names, analyze_engine_task(h->f.walk.eng, task));
}

/* --- exits --- */

int heatmap_add_exits(struct heatmap *h, struct cdict_error *err)
{
	const struct analyze_exits_options options = { .no_accesses = true };

	return analyze_exits_new(&h->f.walk.exits, h->f.walk.eng, &options, err);
}

int heatmap_draw_exits(struct heatmap *h)
{
	struct exit_mix mix = { .on_cpu = analyze_engine_summary(h->f.walk.eng)->has_switch };
	int rc = 0;

	for (size_t i = 0; i < analyze_exits_count(h->f.walk.exits) && !rc; i++) {
		const struct analyze_exit_row *row = analyze_exits_at(h->f.walk.exits, i);
		bool on_cpu = mix.on_cpu && !row->idle;
		char *name;

		if (!row->events || !is_shown(h, row->task))
			continue;
		name = heatmap_task_name(h, row->task);
		rc = name ? exit_mix_add(&mix, row->task, name, row->name, row->idle, row->events,
					 row->time.count, on_cpu ? row->cpu_ns : row->time.sum)
			  : -ENOMEM;
		mix.off_ns += on_cpu ? row->time.sum - row->cpu_ns : 0;
		free(name);
	}
	if (!rc)
		rc = view_exits(&h->m, &h->c, &h->cap.frame, &mix, h->by == 0);
	exit_mix_fini(&mix);
	return rc;
}

/* --- vcpu --- */

int heatmap_add_vcpu(struct heatmap *h, struct cdict_error *err)
{
	return analyze_vcpus_new(&h->f.walk.vcpus, h->f.walk.eng, err);
}

static int fill_vcpu(struct vcpu_bar *bar, const struct heatmap *h,
		     const struct analyze_vcpu_row *row)
{
	uint64_t waited = row->ns[ANALYZE_VCPU_PREEMPTED] + row->ns[ANALYZE_VCPU_WAITING];
	const struct analyze_antagonist *worst = row->antagonists;

	bar->name = heatmap_task_name(h, row->task);
	memcpy(bar->ns, row->ns, sizeof(bar->ns));
	if (!bar->name || !row->n_antagonists || !waited)
		return bar->name ? 0 : -ENOMEM;
	bar->antagonist = heatmap_task_name(h, worst->task);
	bar->antagonist_share = (double)(worst->preempted_ns + worst->waiting_ns) / (double)waited;
	return bar->antagonist ? 0 : -ENOMEM;
}

int heatmap_draw_vcpu(struct heatmap *h)
{
	const struct analyze_vcpus *vcpus = h->f.walk.vcpus;
	size_t n = 0, rows = analyze_vcpus_row_count(vcpus);
	struct vcpu_bar *bars = calloc(rows + 1, sizeof(*bars));
	int rc = bars ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < rows; i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(vcpus, i);

		if (is_shown(h, row->task))
			rc = fill_vcpu(&bars[n++], h, row);
	}
	if (!rc)
		rc = view_vcpu(&h->m, &h->c, &h->cap.frame, bars, n);
	for (size_t i = 0; i < n; i++) {
		free(bars[i].name);
		free(bars[i].antagonist);
	}
	free(bars);
	return rc;
}

/* --- cpu, coremap --- */

struct bars {
	ARRAY(struct task_bar) all;
	size_t n_cpus; /* 0: not per CPU */
};

static void free_bar(struct task_bar *bar)
{
	free(bar->name);
	free(bar->cpus);
}

static void bars_fini(struct bars *b)
{
	for (size_t i = 0; i < b->all.n; i++)
		free_bar(&b->all.at[i]);
	array_fini(&b->all);
}

static void add_use(struct task_bar *to, const struct task_use *from, size_t cpu)
{
	to->all.run_ns += from->run_ns;
	to->all.switches += from->switches;
	if (to->cpus) {
		to->cpus[cpu].run_ns += from->run_ns;
		to->cpus[cpu].switches += from->switches;
	}
}

/* @name is taken; NULL: out of memory. */
static struct task_bar *new_bar(struct bars *b, char *name)
{
	struct task_bar *bar = array_add(&b->all);

	if (!bar) {
		free(name);
		return NULL;
	}
	bar->name = name;
	if (b->n_cpus)
		bar->cpus = calloc(b->n_cpus, sizeof(*bar->cpus));
	return name && (bar->cpus || !b->n_cpus) ? bar : NULL;
}

/* A bar for each wanted task; IDLE of all CPUs is one. */
static int make_bars(struct bars *b, const struct heatmap *h)
{
	struct analyze_tasks *tasks = h->f.walk.tasks;
	size_t idle = SIZE_MAX;
	uint32_t last = ANALYZE_NO_TASK;

	for (size_t i = 0; i < analyze_tasks_row_count(tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);
		struct task_use use = { .run_ns = row->run_ns, .switches = row->switches };
		int32_t tid = analyze_engine_task(h->f.walk.eng, row->task)->tid;
		struct task_bar *bar;

		if ((!use.run_ns && !use.switches) || !is_shown(h, row->task))
			continue;
		if (!tid && idle != SIZE_MAX) {
			bar = &b->all.at[idle];
		} else if (tid && last == row->task) {
			bar = &b->all.at[b->all.n - 1];
		} else {
			bar = new_bar(b, tid ? heatmap_task_name(h, row->task) : strdup("IDLE"));
			if (!bar)
				return -ENOMEM;
			bar->idle = !tid;
			idle = tid ? idle : b->all.n - 1;
		}
		last = row->task;
		if (!b->n_cpus || row->cpu < b->n_cpus)
			add_use(bar, &use, b->n_cpus ? row->cpu : 0);
	}
	return 0;
}

/* Keeps the largest, so many as -n says, and puts the others into one. */
static int cut_bars(struct bars *b, const struct heatmap *h)
{
	struct task_bar *all = b->all.at, *rest;
	size_t end = b->all.n, top = h->opts->top;
	char *name;

	task_bars_sort(all, b->all.n, h->by == 1);
	while (end && all[end - 1].idle)
		end--;
	if (!top || end <= top + 1)
		return 0;
	if (asprintf(&name, "%zu other tasks", end - top) < 0)
		return -ENOMEM;
	rest = &all[top];
	free(rest->name);
	rest->name = name;
	rest->rest = true;
	for (size_t i = top + 1; i < end; i++) {
		for (size_t cpu = 0; cpu < b->n_cpus; cpu++)
			add_use(rest, &all[i].cpus[cpu], cpu);
		if (!b->n_cpus)
			add_use(rest, &all[i].all, 0);
		free_bar(&all[i]);
	}
	memmove(&all[top + 1], &all[end], (b->all.n - end) * sizeof(*all));
	b->all.n -= end - top - 1;
	return 0;
}

int heatmap_add_cpu(struct heatmap *h, struct cdict_error *err)
{
	return analyze_tasks_new(&h->f.walk.tasks, h->f.walk.eng, NULL, err);
}

int heatmap_draw_cpu(struct heatmap *h)
{
	const struct options_shared *o = &h->opts->shared;
	struct bars b = { 0 };
	int rc = make_bars(&b, h);
	size_t n;

	if (!rc)
		rc = cut_bars(&b, h);
	/* IDLE would make all the others small */
	for (n = b.all.n; n && b.all.at[n - 1].idle && !o->task && !o->tids.n;)
		n--;
	if (!rc)
		rc = view_cpu(&h->m, &h->c, &h->cap.frame, b.all.at, n);
	bars_fini(&b);
	return rc;
}

int heatmap_add_coremap(struct heatmap *h, struct cdict_error *err)
{
	struct analyze_tasks_options how = { .per_cpu = true };

	return analyze_tasks_new(&h->f.walk.tasks, h->f.walk.eng, &how, err);
}

/* Wanted CPUs in order of NUMA node, then number. */
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

/* A last row for the time of which nobody knows who ran. */
static int add_unknown(struct bars *b, const struct heatmap *h)
{
	const struct options_shared *o = &h->opts->shared;
	const struct tables_walk *w = &h->f.walk;
	struct task_bar *bar;

	if (!analyze_engine_summary(w->eng)->unknown_ns || o->task || o->tids.n || o->vm)
		return 0;
	bar = new_bar(b, strdup("unknown"));
	if (!bar)
		return -ENOMEM;
	bar->idle = true;
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		struct task_use use = { .run_ns = analyze_engine_cpu_unknown_ns(w->eng, cpu) };

		if (tables_cpu(w, cpu))
			add_use(bar, &use, cpu);
	}
	return 0;
}

int heatmap_draw_coremap(struct heatmap *h)
{
	const struct tables_walk *w = &h->f.walk;
	struct bars b = { .n_cpus = analyze_engine_cpus(w->eng) };
	uint32_t *cpus = calloc(b.n_cpus + 1, sizeof(*cpus));
	int32_t *nodes = calloc(b.n_cpus + 1, sizeof(*nodes));
	struct coremap map = { .cpus = cpus,
			       .nodes = w->nodes ? nodes : NULL,
			       .by_switches = h->by == 1 };
	int rc = cpus && nodes ? make_bars(&b, h) : -ENOMEM;

	if (!rc)
		rc = cut_bars(&b, h);
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
