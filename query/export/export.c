/* SPDX-License-Identifier: GPL-2.0-only */
/* The two walks, and the calls of a format. */
#include "query/export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/reasons.h"
#include "analyze/sched/slices.h"
#include "base/fail.h"
#include "base/text/escape.h"

/* A slice that waits for the switch that ends it. */
struct waiting {
	bool any;
	int32_t switched_in; /* priority of the task switched in, or ANALYZE_NO_PRIO */
	struct export_slice slice;
};

struct told {
	struct export x;
	const struct export_format *format;
	struct analyze_reasons *reasons;
	struct waiting *cpus;
	uint32_t n_cpus;
	struct analyze_slices *slices;
	struct analyze_kvm kvm; /* the current event */
	bool waking;            /* sched_waking is recorded: sched_wakeup adds nothing */
};

/* ---- names ---- */

void export_out_of_memory(struct export *x)
{
	x->failed = true;
	analyze_engine_out_of_memory(x->eng);
}

const struct analyze_task *export_task(const struct export *x, uint32_t task)
{
	return analyze_engine_task(x->eng, task);
}

/* The task in the first walk, which has seen all events. */
static const struct analyze_task *known(const struct export *x, uint32_t task)
{
	const struct analyze_engine *eng = x->walk->eng;

	return task < analyze_engine_task_count(eng) ? analyze_engine_task(eng, task) : NULL;
}

bool export_wanted(const struct export *x, uint32_t task)
{
	const struct analyze_task *t = known(x, task);

	return t && names_wanted(&x->walk->names, t);
}

bool export_filtered(const struct export *x)
{
	const struct names_filter *f = &x->walk->opts.names.filter;

	return f->vm || f->n_tids || f->matches || f->wanted;
}

int32_t export_pid(const struct analyze_task *t)
{
	return t->pid > 0 ? t->pid : t->tid;
}

const char *export_name(struct export *x, uint32_t task)
{
	const struct analyze_task *t = known(x, task);

	if (!t || task >= x->n_names)
		return "?";
	if (!x->names[task])
		x->names[task] = names_display(&x->walk->names, t);
	if (!x->names[task])
		export_out_of_memory(x);
	return x->names[task];
}

const char *export_comm(const struct export *x, uint32_t task, char room[EXPORT_COMM])
{
	const struct analyze_task *t = export_task(x, task);

	if (t->tid)
		return t->comm;
	snprintf(room, EXPORT_COMM, "swapper/%u", t->idle_cpu);
	return room;
}

void export_text(struct sink *s, const char *text)
{
	sink_putc(s, '"');
	escape_json(s, text ? text : "", text ? strlen(text) : 0);
	sink_putc(s, '"');
}

void export_us(struct sink *s, uint64_t ns)
{
	unsigned rest = (unsigned)(ns % 1000);

	sink_printf(s, "%llu", (unsigned long long)(ns / 1000));
	if (rest && rest % 100 == 0)
		sink_printf(s, ".%u", rest / 100);
	else if (rest && rest % 10 == 0)
		sink_printf(s, ".%02u", rest / 10);
	else if (rest)
		sink_printf(s, ".%03u", rest);
}

/* ---- the walk ---- */

/* Ends the walk when the reader of a pipe is gone or the disk is full. */
static void look_at_sink(struct told *told)
{
	if (told->x.out->error)
		analyze_engine_out_of_memory(told->x.eng);
}

static void tell_slice(struct told *told, struct waiting *w)
{
	if (!w->any)
		return;
	w->any = false;
	told->x.report->slices++;
	if (told->format->slice)
		told->format->slice(&told->x, &w->slice);
	look_at_sink(told);
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct told *told = self;
	struct waiting *w = run->cpu < told->n_cpus ? &told->cpus[run->cpu] : NULL;
	bool whole = run->start_ns == run->end_ns && run->start_seen && run->in;

	/* a slice of zero length counts when both its ends were recorded */
	if (!w || (run->from_ns >= run->to_ns && !whole))
		return;
	/* another piece of the same slice */
	if (w->any && w->slice.task == run->task && w->slice.to_ns == run->from_ns) {
		w->slice.to_ns = run->to_ns;
		return;
	}
	tell_slice(told, w);
	w->any = true;
	w->slice = (struct export_slice){
		.cpu = run->cpu,
		.task = run->task,
		.from_ns = run->from_ns,
		.to_ns = run->to_ns,
		.prio = run->start_seen && run->task != ANALYZE_NO_TASK ? w->switched_in
									: ANALYZE_NO_PRIO,
	};
}

static void tell_switch(struct told *told, const struct analyze_switch *sw)
{
	const struct export_switch s = { .t_ns = sw->t_ns,
					 .from_ns = sw->slice_start_ns,
					 .cpu = sw->cpu,
					 .prev = sw->prev,
					 .next = sw->next };

	if (!sw->in || !told->format->sw ||
	    (export_filtered(&told->x) && !export_wanted(&told->x, sw->prev)))
		return;
	told->format->sw(&told->x, &s);
	look_at_sink(told);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct told *told = self;
	struct waiting *w = sw->cpu < told->n_cpus ? &told->cpus[sw->cpu] : NULL;

	if (!w)
		return;
	if (w->any && w->slice.task == sw->prev && w->slice.to_ns == sw->t_ns) {
		w->slice.switched = true;
		w->slice.off = sw->off;
		w->slice.prev_state = sw->prev_state;
		analyze_engine_state(told->x.eng, sw->prev_state, w->slice.state);
		if (w->slice.prio == ANALYZE_NO_PRIO)
			w->slice.prio = sw->prev_prio;
		tell_slice(told, w);
	}
	w->switched_in = sw->next_prio;
	tell_switch(told, sw);
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct told *told = self;
	struct export_wake w = { .t_ns = wake->t_ns,
				 .cpu = wake->cpu,
				 .task = wake->task,
				 .target_cpu = wake->target_cpu,
				 .prio = wake->prio };

	if (!wake->in || (wake->kind == ANALYZE_KIND_WAKEUP && told->waking) ||
	    !told->format->wake || !export_wanted(&told->x, wake->task))
		return;
	w.waker = analyze_engine_sampled(told->x.eng, wake->cpu);
	told->format->wake(&told->x, &w);
	look_at_sink(told);
}

static void on_exit_ended(void *self, const struct analyze_exit_row *row, uint64_t t_ns,
			  uint64_t ns)
{
	struct told *told = self;
	char room[24];
	struct export_exit e = {
		.task = row->task, .t_ns = t_ns, .ns = ns, .isa = row->isa, .code = row->reason
	};

	e.cpu = told->kvm.cpu;
	if (!told->format->exit || !tables_cpu(told->x.walk, e.cpu) ||
	    !export_wanted(&told->x, row->task))
		return;
	e.reason = analyze_reasons_text(told->reasons, row->isa, row->reason, room);
	told->x.report->exits++;
	told->format->exit(&told->x, &e);
	look_at_sink(told);
}

/* Called before analyze_exits and analyze_slices get the event. */
static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct told *told = self;

	told->kvm = *k;
}

static int on_guest(void *self, const struct analyze_slice *slice)
{
	struct told *told = self;
	struct export_guest g = { .task = slice->task,
				  .cpu = slice->cpu,
				  .from_ns = slice->start_ns,
				  .to_ns = slice->end_ns,
				  .isa = told->kvm.isa,
				  .code = told->kvm.value };

	if (slice->start_ns == ANALYZE_NO_TIME || !export_wanted(&told->x, slice->task))
		return 0;
	analyze_reasons_code(told->reasons, &g.isa, &g.code, told->kvm.how);
	told->format->guest(&told->x, &g);
	look_at_sink(told);
	return 0;
}

/* Both walks need the same events, so that they begin and end at the same one. */
#define NEEDS ANALYZE_NEED_WAKES

static const struct analyze_ops first_walk = { .needs = NEEDS, .resumes = true };
static const struct analyze_ops second_walk = { .needs = NEEDS | ANALYZE_NEED_PRIORITIES,
						.resumes = true,
						.run = on_run,
						.sw = on_switch,
						.wake = on_wake,
						.kvm = on_kvm };

static int add_exits(struct tables_walk *w, struct told *told, struct cdict_error *err)
{
	const struct analyze_exits_options how = { .no_accesses = true,
						   .ended = told ? on_exit_ended : NULL,
						   .ctx = told };

	return analyze_exits_new(&w->exits, w->eng, &how, err);
}

int export_prepare(struct tables_walk *w, struct cdict_error *err)
{
	int rc = analyze_engine_add(w->eng, &first_walk, NULL, err);

	return rc ? rc : add_exits(w, NULL, err);
}

static int begin(struct told *told, struct tables_walk *again, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(again->reader);
	int rc = analyze_engine_add(again->eng, &second_walk, told, err);

	if (!rc)
		rc = add_exits(again, told, err);
	if (!rc)
		rc = analyze_reasons_of(&told->reasons, schema, err);
	if (!rc && told->format->guest)
		rc = analyze_slices_new(
			&told->slices, again->eng,
			&(struct analyze_slices_options){
				.kinds = 1u << ANALYZE_SLICE_GUEST, .tell = on_guest, .ctx = told },
			err);
	if (rc)
		return rc;
	told->n_cpus = cdict_reader_cpus(again->reader);
	told->cpus = calloc((size_t)told->n_cpus + 1, sizeof(*told->cpus));
	told->x.n_names = analyze_engine_task_count(told->x.walk->eng);
	told->x.names = calloc(told->x.n_names + 1, sizeof(*told->x.names));
	told->x.own = calloc(1, told->format->own_size + 1);
	if (!told->cpus || !told->x.names || !told->x.own)
		return cdict_fail_nomem(err);
	for (uint32_t c = 0; c < told->n_cpus; c++)
		told->cpus[c].switched_in = ANALYZE_NO_PRIO;
	told->waking = told->x.sum->has_waking;
	return told->format->begin ? told->format->begin(&told->x, err) : 0;
}

static void fini(struct told *told)
{
	if (told->format->fini && told->x.own)
		told->format->fini(&told->x);
	for (size_t i = 0; told->x.names && i < told->x.n_names; i++)
		free(told->x.names[i]);
	free(told->x.names);
	free(told->x.own);
	free(told->cpus);
	analyze_reasons_free(told->reasons);
	analyze_slices_free(told->slices);
}

int export_write(struct tables_walk *w, const struct export_format *format, struct sink *out,
		 struct export_report *report, struct cdict_error *err)
{
	struct tables_walk again;
	struct told told = { .x = { .walk = w, .out = out, .report = report }, .format = format };
	int rc;

	rc = tables_walk_init(&again, w->reader, &w->opts, err);
	told.x.eng = again.eng;
	told.x.sum = analyze_engine_summary(w->eng);
	if (!rc)
		rc = begin(&told, &again, err);
	if (!rc)
		rc = tables_walk_begin(&again, err);
	if (!rc)
		rc = analyze_engine_step(again.eng, UINT64_MAX, err);
	for (uint32_t c = 0; !rc && c < told.n_cpus; c++)
		tell_slice(&told, &told.cpus[c]);
	if (!rc && format->end)
		rc = format->end(&told.x, err);
	if (!rc && told.x.failed)
		rc = cdict_fail_nomem(err);
	fini(&told);
	tables_walk_fini(&again);
	/* a write error is the cause, and the sink's owner reports it */
	return out->error && out->error != -ENOMEM ? 0 : rc;
}
