/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: from the capture to the marks of a picture, view by view. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/exits.h"
#include "analyze/slices.h"
#include "cmd/heatmap.h"
#include "cmd/loss.h"
#include "render/view_exits.h"
#include "render/view_switches.h"

/* --- what all pictures say --- */

/* A caption with what it points to. */
struct caption {
	struct frame_caption frame;
	char *label, *host, *selection, *loss;
	struct cdict_loss *losses;
};

static char *clean(const char *text)
{
	return text && *text ? text_clean(text, strlen(text)) : NULL;
}

static void cpu_list(struct sink *s, const struct cmd_cpus *cpus)
{
	const char *comma = "";

	for (size_t a = 0, b; a < cpus->n; a = b) {
		b = a + 1;
		if (!(cpus->bits[a / 64] >> (a % 64) & 1))
			continue;
		while (b < cpus->n && (cpus->bits[b / 64] >> (b % 64) & 1))
			b++;
		sink_printf(s, "%s%zu", comma, a);
		if (b - a > 1)
			sink_printf(s, "-%zu", b - 1);
		comma = ",";
	}
}

/* "tasks matching qemu, tids 17,23, CPUs 0-3"; @all stands for every task. */
static char *selection(const struct options_shared *o, const char *all)
{
	const char *comma = "";
	char *raw, *text;
	struct sink s;
	size_t len;

	sink_to_memory(&s);
	if (o->task) {
		sink_printf(&s, "tasks matching %s", o->task);
		comma = ", ";
	}
	if (o->tids.n) {
		sink_printf(&s, "%stid%s", comma, o->tids.n > 1 ? "s" : "");
		for (size_t i = 0; i < o->tids.n && i < 8; i++)
			sink_printf(&s, "%s%" PRId32, i ? "," : " ", o->tids.tids[i]);
		if (o->tids.n > 8)
			sink_printf(&s, " and %zu more", o->tids.n - 8);
		comma = ", ";
	}
	if (o->vm) {
		sink_printf(&s, "%sVM %s", comma, o->vm);
		comma = ", ";
	}
	if (!*comma)
		sink_puts(&s, all);
	if (o->cpus.n) {
		sink_puts(&s, ", CPUs ");
		cpu_list(&s, &o->cpus);
	}
	if (o->no_guest_mode)
		sink_puts(&s, ", without guest-mode events");
	raw = sink_take(&s, &len);
	text = raw ? text_clean(raw, len) : NULL;
	free(raw);
	return text;
}

static bool wanted_cpu(const struct cmd_cpus *cpus, uint32_t cpu)
{
	return !cpus->bits || cpu == CDICT_CPU_UNKNOWN ||
	       (cpu < cpus->n && (cpus->bits[cpu / 64] >> (cpu % 64) & 1));
}

/* The losses that touch the window and a wanted CPU. */
static int collect_losses(struct caption *cap, const struct figures *f)
{
	size_t n = cdict_reader_loss_count(f->reader);

	cap->losses = calloc(n + 1, sizeof(*cap->losses));
	if (!cap->losses)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct cdict_loss *l = cdict_reader_loss_at(f->reader, i);

		if (l->what == CDICT_LOSS_DISORDER || l->to_ns < cap->frame.from_ns ||
		    l->from_ns > cap->frame.to_ns || !wanted_cpu(&f->opts->cpus, l->cpu))
			continue;
		cap->losses[cap->frame.n_losses++] = *l;
	}
	cap->frame.losses = cap->losses;
	return 0;
}

static char *loss_sentence(const struct figures *f, const struct caption *cap)
{
	struct loss_sum sum;
	struct sink s;
	char *text;

	loss_sum(&sum, f->reader, cap->frame.from_ns, cap->frame.to_ns);
	sink_to_memory(&s);
	loss_line(&s, &sum, 0);
	text = sink_take(&s, NULL);
	if (text && !strcmp(text, "loss: none")) {
		free(text);
		return strdup("no events lost");
	}
	return text;
}

static int caption_init(struct caption *cap, const struct figures *f,
			const struct heatmap_opts *opts, const char *title, const char *all)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->eng);
	const char *at = cdict_reader_info(f->reader, "captured.at_s");

	*cap = (struct caption){
		.frame = { .title = title, .from_ns = sum->from_ns, .to_ns = sum->to_ns }
	};
	cap->frame.made_at_s = at ? strtoull(at, NULL, 10) : 0;
	cap->frame.label = cap->label = clean(opts->label);
	cap->frame.host = cap->host = clean(cdict_reader_info(f->reader, "host.name"));
	cap->frame.selection = cap->selection = selection(f->opts, all);
	cap->frame.loss = cap->loss = loss_sentence(f, cap);
	if (!cap->selection || !cap->loss || collect_losses(cap, f))
		return figures_no_memory(f);
	return CMD_DONE;
}

static void caption_fini(struct caption *cap)
{
	free(cap->label);
	free(cap->host);
	free(cap->selection);
	free(cap->loss);
	free(cap->losses);
}

/* --- which tasks are wanted, asked once a task --- */

struct wanted {
	bool *tasks;
	size_t n;
};

static int wanted_init(struct wanted *w, const struct figures *f)
{
	bool asked = f->opts->task || f->opts->tids.n || f->opts->vm;

	w->n = analyze_engine_task_count(f->eng);
	w->tasks = calloc(w->n + 1, sizeof(*w->tasks));
	if (!w->tasks)
		return figures_no_memory(f);
	for (size_t i = 0; i < w->n; i++) {
		const struct analyze_task *task = analyze_engine_task(f->eng, (uint32_t)i);

		w->tasks[i] = (task->tid || asked) && names_wanted(&f->names, &f->filter, task);
	}
	return CMD_DONE;
}

static bool is_wanted(void *ctx, uint32_t task)
{
	const struct wanted *w = ctx;

	return task < w->n && w->tasks[task];
}

/* --- switches --- */

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
	struct wanted wanted = { 0 };
	struct caption cap = { 0 };
	int status = CMD_DONE;

	if (!bins)
		return figures_no_memory(f);
	if (analyze_slices_new(&slices, f->eng, &how, &err))
		status = figures_fail(f, &err);
	if (!status)
		status = figures_run(f);
	if (!status)
		status = wanted_init(&wanted, f);
	if (!status)
		status = caption_init(&cap, f, opts, view_switches_title(kind), all);
	if (!status && view_switches(m, c, &cap.frame, kind, bins, is_wanted, &wanted))
		status = figures_no_memory(f);
	caption_fini(&cap);
	free(wanted.tasks);
	analyze_slices_free(slices);
	bins_free(bins);
	return status;
}

static const char *const switch_whats[] = { "run", "sleep", "wakeup", NULL };

static int run_switches(struct figures *f, const struct heatmap_opts *opts, unsigned what,
			unsigned by, const struct canvas *c, struct marks *m)
{
	static const enum analyze_slice_kind kinds[] = {
		ANALYZE_SLICE_RUN,
		ANALYZE_SLICE_SLEEP,
		ANALYZE_SLICE_WAKEUP,
	};
	int status = run_slices(f, opts, kinds[what], "all tasks but IDLE", c, m);

	(void)by;
	if (!status && !analyze_engine_summary(f->eng)->has_switch)
		cmd_warn(f->call, f->file,
			 "holds no sched:sched_switch: nobody knows who ran; "
			 "record with -e 'sched:*'");
	else if (!status && what == 2 && !analyze_engine_summary(f->eng)->has_waking &&
		 !analyze_engine_summary(f->eng)->has_wakeup)
		cmd_warn(f->call, f->file, "holds no wake-ups; record with -e 'sched:*'");
	return status;
}

/* --- exits --- */

static const char *const exit_bys[] = { "count", "time", NULL };

/* "CPU 0/KVM  4711": names of threads repeat between VMs. */
static char *bar_name(const struct figures *f, const struct analyze_task *task)
{
	char *name = names_display(&f->names, task), *text;

	if (!name || f->opts->append_tid)
		return name;
	if (asprintf(&text, "%s  %" PRId32, name, task->tid) < 0)
		text = NULL;
	free(name);
	return text;
}

static int mix_exits(struct exit_mix *mix, const struct figures *f,
		     const struct analyze_exits *exits)
{
	for (size_t i = 0; i < analyze_exits_count(exits); i++) {
		const struct analyze_exit_row *row = analyze_exits_at(exits, i);
		const struct analyze_task *task = analyze_engine_task(f->eng, row->task);
		char *name;
		int rc;

		if (!row->events || !names_wanted(&f->names, &f->filter, task))
			continue;
		name = bar_name(f, task);
		rc = name ? exit_mix_add(mix, row->task, name, row->name, row->idle, row->events,
					 row->time.count, row->time.sum)
			  : -1;
		free(name);
		if (rc)
			return figures_no_memory(f);
	}
	return CMD_DONE;
}

static int run_exits(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		     const struct canvas *c, struct marks *m)
{
	struct analyze_exits *exits = NULL;
	struct cdict_error err = { 0 };
	struct caption cap = { 0 };
	struct exit_mix mix = { 0 };
	int status = CMD_DONE;

	(void)what;
	if (analyze_exits_new(&exits, f->eng, NULL, &err))
		return figures_fail(f, &err);
	status = figures_run(f);
	if (!status)
		status = mix_exits(&mix, f, exits);
	if (!status)
		status = caption_init(&cap, f, opts,
				      by ? "KVM exits: time spent per vCPU, by reason"
					 : "KVM exits: how many per vCPU, by reason",
				      "all vCPUs");
	if (!status && view_exits(m, c, &cap.frame, &mix, by == 1))
		status = figures_no_memory(f);
	if (!status && !analyze_engine_summary(f->eng)->has_exit)
		cmd_warn(f->call, f->file, "holds no kvm:kvm_exit; record with -e 'kvm:*'");
	caption_fini(&cap);
	exit_mix_fini(&mix);
	analyze_exits_free(exits);
	return status;
}

const char *const heatmap_view_names[] = { "switches", "exits", NULL };

const struct heatmap_view heatmap_views[] = {
	{ .name = "switches", .whats = switch_whats, .run = run_switches },
	{ .name = "exits", .bys = exit_bys, .by_rows = true, .run = run_exits },
};
