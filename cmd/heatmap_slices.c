/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: the pictures over time: switches, kvm, cores. */
#include <stdlib.h>
#include <string.h>

#include "analyze/slices.h"
#include "analyze/tasks.h"
#include "cmd/heatmap.h"
#include "render/text.h"
#include "render/view_cores.h"
#include "render/view_switches.h"

static int bin(void *ctx, const struct analyze_slice *s)
{
	struct bins *bins = ctx;

	if (s->start_ns == ANALYZE_NO_TIME)
		return bins_unplaced(bins, s->task);
	return bins_add(bins, s->task, s->end_ns, s->end_ns - s->start_ns);
}

/* A heat map of one kind of slice. */
static int run_slices(struct figures *f, const struct heatmap_opts *opts,
		      enum analyze_slice_kind kind, const char *all, const struct canvas *c,
		      struct marks *m)
{
	struct bins *bins = bins_new(f->filter.from_ns, f->filter.to_ns, view_switches_columns(c));
	struct analyze_slices_options how = { .kinds = 1u << kind, .tell = bin, .ctx = bins };
	struct analyze_slices *slices = NULL;
	struct cdict_error err = { 0 };
	struct heatmap_wanted wanted = { 0 };
	struct heatmap_caption cap = { 0 };
	int status = CMD_DONE;

	if (!bins)
		return figures_no_memory(f);
	if (analyze_slices_new(&slices, f->walk.eng, &how, &err))
		status = figures_fail(f, &err);
	if (!status)
		status = figures_run(f);
	if (!status)
		status = heatmap_wanted_init(&wanted, f);
	if (!status)
		status = heatmap_caption_init(&cap, f, opts, view_switches_title(kind), all);
	if (!status && view_switches(m, c, &cap.frame, kind, bins, heatmap_is_wanted, &wanted))
		status = figures_no_memory(f);
	heatmap_caption_fini(&cap);
	free(wanted.tasks);
	analyze_slices_free(slices);
	bins_free(bins);
	return status;
}

int heatmap_switches(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		     const struct canvas *c, struct marks *m)
{
	static const enum analyze_slice_kind kinds[] = {
		ANALYZE_SLICE_RUN,
		ANALYZE_SLICE_SLEEP,
		ANALYZE_SLICE_WAKEUP,
	};
	int status = run_slices(f, opts, kinds[what], "all tasks but IDLE", c, m);

	(void)by;
	if (!status && !analyze_engine_summary(f->walk.eng)->has_switch)
		cmd_warn(f->call, f->file,
			 "holds no sched:sched_switch: nobody knows who ran; "
			 "record with -e 'sched:*'");
	else if (!status && what == 2 && !tables_has_wakeups(&f->walk))
		cmd_warn(f->call, f->file, "holds no wake-ups; record with -e 'sched:*'");
	return status;
}

int heatmap_kvm(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		const struct canvas *c, struct marks *m)
{
	int status = run_slices(f, opts, what ? ANALYZE_SLICE_GUEST : ANALYZE_SLICE_EXIT,
				"all vCPUs", c, m);
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);

	(void)by;
	if (!status && (!sum->has_exit || !sum->has_entry))
		cmd_warn(f->call, f->file, "holds no kvm:kvm_%s; record with -e 'kvm:*'",
			 sum->has_exit ? "entry" : "exit");
	return status;
}

/* --- cores --- */

static int put_piece(void *ctx, const struct analyze_slice *s)
{
	/* who ran is not known: leave it empty */
	if (s->task == ANALYZE_NO_TASK)
		return 0;
	return lanes_add(ctx, s->cpu, s->task, s->start_ns, s->end_ns);
}

/* Which task has which colour. */
struct colours {
	struct figures *f;
	uint8_t *of; /* by task */
	char *names[PALETTE_TASKS];
};

static unsigned colour_of(void *ctx, uint32_t who)
{
	return ((const struct colours *)ctx)->of[who];
}

/* The wanted tasks that ran longest get the colours. */
static int choose_colours(struct colours *col, struct cores *cores,
			  const struct analyze_tasks *tasks, struct heatmap_wanted *wanted)
{
	size_t n = analyze_engine_task_count(col->f->walk.eng);

	col->of = malloc(n + 1);
	if (!col->of)
		return figures_no_memory(col->f);
	memset(col->of, PALETTE_TASKS, n);
	for (size_t i = 0; i < n; i++) {
		if (!analyze_engine_task(col->f->walk.eng, (uint32_t)i)->tid)
			col->of[i] = CORES_IDLE;
	}
	for (size_t rows = analyze_tasks_row_count(tasks); cores->n_tasks < PALETTE_TASKS;) {
		const struct analyze_task_row *best = NULL;

		for (size_t i = 0; i < rows; i++) {
			const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);

			if (col->of[row->task] == PALETTE_TASKS && row->run_ns &&
			    heatmap_is_wanted(wanted, row->task) &&
			    (!best || row->run_ns > best->run_ns))
				best = row;
		}
		if (!best)
			break;
		col->of[best->task] = (uint8_t)cores->n_tasks;
		col->names[cores->n_tasks] = heatmap_task_name(
			col->f, analyze_engine_task(col->f->walk.eng, best->task));
		if (!col->names[cores->n_tasks])
			return figures_no_memory(col->f);
		cores->tasks[cores->n_tasks].name = col->names[cores->n_tasks];
		cores->tasks[cores->n_tasks].run_ns = best->run_ns;
		cores->n_tasks++;
	}
	for (size_t i = 0; i < analyze_tasks_row_count(tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);

		if (col->of[row->task] == PALETTE_TASKS)
			cores->others_ns += row->run_ns;
	}
	return CMD_DONE;
}

static int draw_cores(struct figures *f, const struct heatmap_opts *opts, const struct lanes *lanes,
		      const struct analyze_tasks *tasks, const struct canvas *c, struct marks *m)
{
	struct cores cores = { .lanes = lanes, .colour = colour_of };
	struct heatmap_wanted wanted = { 0 };
	struct heatmap_caption cap = { 0 };
	struct colours col = { .f = f };
	size_t n = analyze_engine_cpus(f->walk.eng);
	uint32_t *cpus = calloc(n + 1, sizeof(*cpus));
	int status = cpus ? CMD_DONE : figures_no_memory(f);

	for (uint32_t cpu = 0; cpus && cpu < n; cpu++) {
		if (heatmap_wanted_cpu(&f->opts->cpus, cpu))
			cpus[cores.n_cpus++] = cpu;
	}
	cores.cpus = cpus;
	cores.ctx = &col;
	if (!status)
		status = heatmap_wanted_init(&wanted, f);
	if (!status)
		status = choose_colours(&col, &cores, tasks, &wanted);
	if (!status)
		status = heatmap_caption_init(&cap, f, opts, "CPUs: which task ran where",
					      "the tasks that ran longest");
	if (!status && view_cores(m, c, &cap.frame, &cores))
		status = figures_no_memory(f);
	heatmap_caption_fini(&cap);
	for (size_t i = 0; i < PALETTE_TASKS; i++)
		free(col.names[i]);
	free(col.of);
	free(wanted.tasks);
	free(cpus);
	return status;
}

int heatmap_cores(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		  const struct canvas *c, struct marks *m)
{
	struct lanes *lanes = lanes_new(f->filter.from_ns, f->filter.to_ns, view_cores_columns(c),
					cdict_reader_cpus(f->reader));
	struct analyze_slices_options how = { .kinds = 1u << ANALYZE_SLICE_PIECE,
					      .tell = put_piece,
					      .ctx = lanes };
	struct analyze_slices *slices = NULL;
	struct analyze_tasks *tasks = NULL;
	struct cdict_error err = { 0 };
	int status = CMD_DONE;

	(void)what;
	(void)by;
	if (!lanes)
		return figures_no_memory(f);
	if (analyze_slices_new(&slices, f->walk.eng, &how, &err) ||
	    analyze_tasks_new(&tasks, f->walk.eng, NULL, &err))
		status = figures_fail(f, &err);
	if (!status)
		status = figures_run(f);
	if (!status)
		status = draw_cores(f, opts, lanes, tasks, c, m);
	analyze_tasks_free(tasks);
	analyze_slices_free(slices);
	lanes_free(lanes);
	return status;
}
