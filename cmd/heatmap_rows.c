/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: the pictures with a row a task: exits, vcpu, cpu, coremap. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/exits.h"
#include "analyze/tasks.h"
#include "analyze/vcpu.h"
#include "cmd/heatmap.h"
#include "render/text.h"
#include "render/view_exits.h"
#include "render/view_tasks.h"
#include "render/view_vcpu.h"

/* --- exits --- */

static int mix_exits(struct exit_mix *mix, const struct figures *f,
		     const struct analyze_exits *exits)
{
	mix->on_cpu = analyze_engine_summary(f->walk.eng)->has_switch;
	for (size_t i = 0; i < analyze_exits_count(exits); i++) {
		const struct analyze_exit_row *row = analyze_exits_at(exits, i);
		bool on_cpu = mix->on_cpu && !row->idle;
		const struct analyze_task *task = analyze_engine_task(f->walk.eng, row->task);
		char *name;
		int rc;

		if (!row->events || !names_wanted(&f->walk.names, task))
			continue;
		name = heatmap_task_name(f, task);
		rc = name ? exit_mix_add(mix, row->task, name, row->name, row->idle, row->events,
					 row->time.count, on_cpu ? row->cpu_ns : row->time.sum)
			  : -1;
		mix->off_ns += on_cpu ? row->time.sum - row->cpu_ns : 0;
		free(name);
		if (rc)
			return figures_no_memory(f);
	}
	return CMD_DONE;
}

int heatmap_exits(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		  const struct canvas *c, struct marks *m)
{
	const struct analyze_exits_options options = { .no_accesses = true };
	struct analyze_exits *exits = NULL;
	struct cdict_error err = { 0 };
	struct heatmap_caption cap = { 0 };
	struct exit_mix mix = { 0 };
	int status = CMD_DONE;

	(void)what;
	if (analyze_exits_new(&exits, f->walk.eng, &options, &err))
		return figures_fail(f, &err);
	status = figures_run(f);
	if (!status)
		status = mix_exits(&mix, f, exits);
	if (!status)
		status = heatmap_caption_init(&cap, f, opts,
					      by ? "KVM exits: time spent per vCPU, by reason"
						 : "KVM exits: how many per vCPU, by reason",
					      "all vCPUs");
	if (!status && view_exits(m, c, &cap.frame, &mix, by == 1))
		status = figures_no_memory(f);
	if (!status && !analyze_engine_summary(f->walk.eng)->has_exit)
		cmd_warn(f->call, f->file, "holds no kvm:kvm_exit; record with -e 'kvm:*'");
	heatmap_caption_fini(&cap);
	exit_mix_fini(&mix);
	analyze_exits_free(exits);
	return status;
}

/* --- vcpu --- */

static int fill_vcpu(struct vcpu_bar *bar, const struct figures *f,
		     const struct analyze_vcpu_row *row)
{
	static const uint8_t states[ANALYZE_VCPU_STATES] = {
		[ANALYZE_VCPU_GUEST] = PALETTE_GUEST,
		[ANALYZE_VCPU_EXIT] = PALETTE_EXIT,
		[ANALYZE_VCPU_QEMU] = PALETTE_QEMU,
		[ANALYZE_VCPU_PREEMPTED] = PALETTE_PREEMPTED,
		[ANALYZE_VCPU_WAITING] = PALETTE_WAITING,
		[ANALYZE_VCPU_HALTED] = PALETTE_HALTED,
		[ANALYZE_VCPU_BLOCKED] = PALETTE_BLOCKED,
		[ANALYZE_VCPU_UNKNOWN] = PALETTE_UNKNOWN,
	};
	uint64_t waited = row->ns[ANALYZE_VCPU_PREEMPTED] + row->ns[ANALYZE_VCPU_WAITING];
	const struct analyze_antagonist *worst = row->antagonists;

	bar->name = heatmap_task_name(f, analyze_engine_task(f->walk.eng, row->task));
	if (!bar->name)
		return -1;
	for (unsigned s = 0; s < ANALYZE_VCPU_STATES; s++)
		bar->ns[states[s]] = row->ns[s];
	if (!row->n_antagonists || !waited)
		return 0;
	bar->antagonist = heatmap_task_name(f, analyze_engine_task(f->walk.eng, worst->task));
	bar->antagonist_share = (double)(worst->preempted_ns + worst->waiting_ns) / (double)waited;
	return bar->antagonist ? 0 : -1;
}

int heatmap_vcpu(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		 const struct canvas *c, struct marks *m)
{
	struct analyze_vcpus *vcpus = NULL;
	struct heatmap_caption cap = { 0 };
	struct cdict_error err = { 0 };
	struct vcpu_bar *bars = NULL;
	size_t n = 0;
	int status;

	(void)what;
	(void)by;
	if (analyze_vcpus_new(&vcpus, f->walk.eng, &err))
		return figures_fail(f, &err);
	status = figures_run(f);
	if (!status) {
		bars = calloc(analyze_vcpus_row_count(vcpus) + 1, sizeof(*bars));
		status = bars ? CMD_DONE : figures_no_memory(f);
	}
	for (size_t i = 0; !status && i < analyze_vcpus_row_count(vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(vcpus, i);

		if (names_wanted(&f->walk.names, analyze_engine_task(f->walk.eng, row->task)) &&
		    fill_vcpu(&bars[n++], f, row))
			status = figures_no_memory(f);
	}
	if (!status)
		status = heatmap_caption_init(&cap, f, opts, "vCPUs: where their time went",
					      "all vCPUs, worst first");
	if (!status && view_vcpu(m, c, &cap.frame, bars, n))
		status = figures_no_memory(f);
	heatmap_caption_fini(&cap);
	for (size_t i = 0; i < n; i++) {
		free(bars[i].name);
		free(bars[i].antagonist);
	}
	free(bars);
	analyze_vcpus_free(vcpus);
	return status;
}

/* --- cpu, coremap --- */

struct bars {
	struct task_bar *all;
	size_t n;
	size_t n_cpus;
};

static void bars_fini(struct bars *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->all[i].name);
		free(b->all[i].cpus);
	}
	free(b->all);
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

static struct task_bar *new_bar(struct bars *b, char *name)
{
	struct task_bar *grown = realloc(b->all, (b->n + 1) * sizeof(*grown));

	if (grown)
		b->all = grown;
	if (!grown || !name) {
		free(name);
		return NULL;
	}
	grown[b->n] = (struct task_bar){ .name = name };
	if (b->n_cpus) {
		grown[b->n].cpus = calloc(b->n_cpus, sizeof(*grown->cpus));
		if (!grown[b->n].cpus) {
			free(name);
			return NULL;
		}
	}
	return &grown[b->n++];
}

/* A bar for each wanted task; IDLE of all CPUs is one. */
static int make_bars(struct bars *b, const struct figures *f, const struct analyze_tasks *tasks)
{
	size_t idle = SIZE_MAX;
	uint32_t last = ANALYZE_NO_TASK;

	for (size_t i = 0; i < analyze_tasks_row_count(tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);
		const struct analyze_task *task = analyze_engine_task(f->walk.eng, row->task);
		struct task_use use = { .run_ns = row->run_ns, .switches = row->switches };
		struct task_bar *bar;

		if ((!use.run_ns && !use.switches) || !names_wanted(&f->walk.names, task))
			continue;
		if (!task->tid && idle != SIZE_MAX) {
			bar = &b->all[idle];
		} else if (task->tid && last == row->task) {
			bar = &b->all[b->n - 1];
		} else {
			bar = new_bar(b, task->tid ? heatmap_task_name(f, task) : strdup("IDLE"));
			if (!bar)
				return figures_no_memory(f);
			bar->idle = !task->tid;
			idle = task->tid ? idle : b->n - 1;
		}
		last = row->task;
		if (!b->n_cpus || row->cpu < b->n_cpus)
			add_use(bar, &use, b->n_cpus ? row->cpu : 0);
	}
	return CMD_DONE;
}

/* Keeps the @top largest and puts the others into one. */
static int cut_bars(struct bars *b, const struct figures *f, uint64_t top, bool by_switches)
{
	struct task_bar *rest;
	size_t end = b->n, cut;
	char *name;

	task_bars_sort(b->all, b->n, by_switches);
	while (end && b->all[end - 1].idle)
		end--;
	if (!top || end <= top + 1)
		return CMD_DONE;
	cut = end - top;
	if (asprintf(&name, "%zu other tasks", cut) < 0)
		return figures_no_memory(f);
	rest = &b->all[top];
	free(rest->name);
	rest->name = name;
	rest->rest = true;
	for (size_t i = top + 1; i < end; i++) {
		struct task_bar *bar = &b->all[i];

		for (size_t cpu = 0; cpu < b->n_cpus; cpu++)
			add_use(rest, &bar->cpus[cpu], cpu);
		if (!b->n_cpus)
			add_use(rest, &bar->all, 0);
		free(bar->name);
		free(bar->cpus);
	}
	memmove(&b->all[top + 1], &b->all[end], (b->n - end) * sizeof(*b->all));
	b->n -= end - top - 1;
	return CMD_DONE;
}

static int run_bars(struct figures *f, const struct heatmap_opts *opts, bool per_cpu,
		    bool by_switches, struct bars *b)
{
	struct analyze_tasks_options how = { .per_cpu = per_cpu };
	struct analyze_tasks *tasks = NULL;
	struct cdict_error err = { 0 };
	int status;

	if (analyze_tasks_new(&tasks, f->walk.eng, &how, &err))
		return figures_fail(f, &err);
	status = figures_run(f);
	if (!status) {
		b->n_cpus = per_cpu ? analyze_engine_cpus(f->walk.eng) : 0;
		status = make_bars(b, f, tasks);
	}
	if (!status)
		status = cut_bars(b, f, opts->top, by_switches);
	if (!status && !analyze_engine_summary(f->walk.eng)->has_switch)
		cmd_warn(f->call, f->file,
			 "holds no sched:sched_switch: nobody knows who ran; "
			 "record with -e 'sched:*'");
	analyze_tasks_free(tasks);
	return status;
}

int heatmap_cpu(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		const struct canvas *c, struct marks *m)
{
	struct heatmap_caption cap = { 0 };
	struct bars b = { 0 };
	size_t n;
	int status = run_bars(f, opts, false, by == 1, &b);

	(void)what;
	if (!status)
		status = heatmap_caption_init(&cap, f, opts,
					      "Tasks: CPU time against context switches",
					      "all tasks but IDLE");
	/* IDLE would make all the others small */
	for (n = b.n; n && b.all[n - 1].idle && !f->opts->task && !f->opts->tids.n;)
		n--;
	if (!status && view_cpu(m, c, &cap.frame, b.all, n))
		status = figures_no_memory(f);
	heatmap_caption_fini(&cap);
	bars_fini(&b);
	return status;
}

/* Wanted CPUs in order of NUMA node, then number. */
static size_t order_cpus(const struct figures *f, uint32_t *cpus, int32_t *nodes)
{
	uint32_t n_cpus = analyze_engine_cpus(f->walk.eng);
	size_t n = 0, known = 0;

	if (f->walk.nodes)
		known = cdict_reader_cpus(f->reader);
	for (int32_t node = -1, next; node != INT32_MAX; node = next) {
		next = INT32_MAX;
		for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
			int32_t mine = cpu < known ? f->walk.nodes[cpu] : -1;

			if (mine > node && mine < next)
				next = mine;
			if (mine != node || !heatmap_wanted_cpu(&f->opts->cpus, cpu))
				continue;
			cpus[n] = cpu;
			nodes[n++] = mine;
		}
	}
	return n;
}

/* A last row for the time of which nobody knows who ran. */
static int add_unknown(struct bars *b, const struct figures *f)
{
	struct task_bar *bar;

	if (!analyze_engine_summary(f->walk.eng)->unknown_ns || f->opts->task || f->opts->tids.n ||
	    f->opts->vm)
		return CMD_DONE;
	bar = new_bar(b, strdup("unknown"));
	if (!bar)
		return figures_no_memory(f);
	bar->idle = true;
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		struct task_use use = { .run_ns = analyze_engine_cpu_unknown_ns(f->walk.eng, cpu) };

		if (heatmap_wanted_cpu(&f->opts->cpus, cpu))
			add_use(bar, &use, cpu);
	}
	return CMD_DONE;
}

/* The bars' columns as @cpus orders them. */
static int reorder(struct bars *b, const uint32_t *cpus, size_t n)
{
	for (size_t i = 0; i < b->n; i++) {
		struct task_use *ordered = calloc(n + 1, sizeof(*ordered));

		if (!ordered)
			return -1;
		for (size_t k = 0; k < n; k++)
			ordered[k] = b->all[i].cpus[cpus[k]];
		free(b->all[i].cpus);
		b->all[i].cpus = ordered;
	}
	return 0;
}

int heatmap_coremap(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		    const struct canvas *c, struct marks *m)
{
	struct coremap map = { .by_switches = by == 1 };
	struct heatmap_caption cap = { 0 };
	uint32_t *cpus = NULL;
	int32_t *nodes = NULL;
	struct bars b = { 0 };
	int status = run_bars(f, opts, true, by == 1, &b);

	(void)what;
	if (!status && !by)
		status = add_unknown(&b, f);
	if (!status) {
		cpus = calloc(b.n_cpus + 1, sizeof(*cpus));
		nodes = calloc(b.n_cpus + 1, sizeof(*nodes));
		if (cpus && nodes)
			map.n_cpus = order_cpus(f, cpus, nodes);
		if (!cpus || !nodes || reorder(&b, cpus, map.n_cpus))
			status = figures_no_memory(f);
	}
	if (!status)
		status = heatmap_caption_init(&cap, f, opts,
					      by ? "Core map: context switches per task and CPU"
						 : "Core map: run time per task and CPU",
					      "all tasks");
	map.bars = b.all;
	map.n = b.n;
	map.cpus = cpus;
	map.nodes = f->walk.nodes ? nodes : NULL;
	if (!status && view_coremap(m, c, &cap.frame, &map))
		status = figures_no_memory(f);
	heatmap_caption_fini(&cap);
	bars_fini(&b);
	free(cpus);
	free(nodes);
	return status;
}
