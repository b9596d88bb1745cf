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

struct export_walk {
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
static void check_sink(struct export_walk *xw)
{
	if (xw->x.out->error)
		analyze_engine_out_of_memory(xw->x.eng);
}

static void write_slice(struct export_walk *xw, struct waiting *w)
{
	if (!w->any)
		return;
	w->any = false;
	xw->x.report->slices++;
	if (xw->format->slice)
		xw->format->slice(&xw->x, &w->slice);
	check_sink(xw);
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct export_walk *xw = self;
	struct waiting *w = run->cpu < xw->n_cpus ? &xw->cpus[run->cpu] : NULL;
	bool whole = run->start_ns == run->end_ns && run->start_seen && run->in;

	/* a slice of zero length counts when both its ends were recorded */
	if (!w || (run->from_ns >= run->to_ns && !whole))
		return;
	/* another piece of the same slice */
	if (w->any && w->slice.task == run->task && w->slice.to_ns == run->from_ns) {
		w->slice.to_ns = run->to_ns;
		return;
	}
	write_slice(xw, w);
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

static void write_switch(struct export_walk *xw, const struct analyze_switch *sw)
{
	const struct export_switch s = { .t_ns = sw->t_ns,
					 .from_ns = sw->slice_start_ns,
					 .cpu = sw->cpu,
					 .prev = sw->prev,
					 .next = sw->next };

	if (!sw->in || !xw->format->sw ||
	    (export_filtered(&xw->x) && !export_wanted(&xw->x, sw->prev)))
		return;
	xw->format->sw(&xw->x, &s);
	check_sink(xw);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct export_walk *xw = self;
	struct waiting *w = sw->cpu < xw->n_cpus ? &xw->cpus[sw->cpu] : NULL;

	if (!w)
		return;
	if (w->any && w->slice.task == sw->prev && w->slice.to_ns == sw->t_ns) {
		w->slice.switched = true;
		w->slice.off = sw->off;
		w->slice.prev_state = sw->prev_state;
		analyze_engine_state(xw->x.eng, sw->prev_state, w->slice.state);
		if (w->slice.prio == ANALYZE_NO_PRIO)
			w->slice.prio = sw->prev_prio;
		write_slice(xw, w);
	}
	w->switched_in = sw->next_prio;
	write_switch(xw, sw);
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct export_walk *xw = self;
	struct export_wake w = { .t_ns = wake->t_ns,
				 .cpu = wake->cpu,
				 .task = wake->task,
				 .target_cpu = wake->target_cpu,
				 .prio = wake->prio };

	if (!wake->in || (wake->kind == ANALYZE_KIND_WAKEUP && xw->waking) || !xw->format->wake ||
	    !export_wanted(&xw->x, wake->task))
		return;
	w.waker = analyze_engine_sampled(xw->x.eng, wake->cpu);
	xw->format->wake(&xw->x, &w);
	check_sink(xw);
}

static void on_exit_ended(void *self, const struct analyze_exit_row *row, uint64_t t_ns,
			  uint64_t ns)
{
	struct export_walk *xw = self;
	char room[24];
	struct export_exit e = {
		.task = row->task, .t_ns = t_ns, .ns = ns, .isa = row->isa, .code = row->reason
	};

	e.cpu = xw->kvm.cpu;
	if (!xw->format->exit || !tables_cpu(xw->x.walk, e.cpu) ||
	    !export_wanted(&xw->x, row->task))
		return;
	e.reason = analyze_reasons_text(xw->reasons, row->isa, row->reason, room);
	xw->x.report->exits++;
	xw->format->exit(&xw->x, &e);
	check_sink(xw);
}

/* Called before analyze_exits and analyze_slices get the event. */
static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct export_walk *xw = self;

	xw->kvm = *k;
}

static int on_guest(void *self, const struct analyze_slice *slice)
{
	struct export_walk *xw = self;
	struct export_guest g = { .task = slice->task,
				  .cpu = slice->cpu,
				  .from_ns = slice->start_ns,
				  .to_ns = slice->end_ns,
				  .isa = xw->kvm.isa,
				  .code = xw->kvm.value };

	if (slice->start_ns == ANALYZE_NO_TIME || !export_wanted(&xw->x, slice->task))
		return 0;
	analyze_reasons_code(xw->reasons, &g.isa, &g.code, xw->kvm.how);
	xw->format->guest(&xw->x, &g);
	check_sink(xw);
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

static int add_exits(struct tables_walk *w, struct export_walk *xw, struct cdict_error *err)
{
	const struct analyze_exits_options how = { .no_accesses = true,
						   .ended = xw ? on_exit_ended : NULL,
						   .ctx = xw };

	return analyze_exits_new(&w->exits, w->eng, &how, err);
}

int export_prepare(struct tables_walk *w, struct cdict_error *err)
{
	int rc = analyze_engine_add(w->eng, &first_walk, NULL, err);

	return rc ? rc : add_exits(w, NULL, err);
}

static int begin_walk(struct export_walk *xw, struct tables_walk *again, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(again->reader);
	int rc = analyze_engine_add(again->eng, &second_walk, xw, err);

	if (!rc)
		rc = add_exits(again, xw, err);
	if (!rc)
		rc = analyze_reasons_of(&xw->reasons, schema, err);
	if (!rc && xw->format->guest)
		rc = analyze_slices_new(
			&xw->slices, again->eng,
			&(struct analyze_slices_options){ .kinds = 1u << ANALYZE_SLICE_GUEST,
							  .on_slice = on_guest,
							  .ctx = xw },
			err);
	if (rc)
		return rc;
	xw->n_cpus = cdict_reader_cpus(again->reader);
	xw->cpus = calloc((size_t)xw->n_cpus + 1, sizeof(*xw->cpus));
	xw->x.n_names = analyze_engine_task_count(xw->x.walk->eng);
	xw->x.names = calloc(xw->x.n_names + 1, sizeof(*xw->x.names));
	xw->x.own = calloc(1, xw->format->own_size + 1);
	if (!xw->cpus || !xw->x.names || !xw->x.own)
		return cdict_fail_nomem(err);
	for (uint32_t c = 0; c < xw->n_cpus; c++)
		xw->cpus[c].switched_in = ANALYZE_NO_PRIO;
	xw->waking = xw->x.sum->has_waking;
	return xw->format->begin ? xw->format->begin(&xw->x, err) : 0;
}

static void fini(struct export_walk *xw)
{
	if (xw->format->fini && xw->x.own)
		xw->format->fini(&xw->x);
	for (size_t i = 0; xw->x.names && i < xw->x.n_names; i++)
		free(xw->x.names[i]);
	free(xw->x.names);
	free(xw->x.own);
	free(xw->cpus);
	analyze_reasons_free(xw->reasons);
	analyze_slices_free(xw->slices);
}

int export_write(struct tables_walk *w, const struct export_format *format, struct sink *out,
		 struct export_report *report, struct cdict_error *err)
{
	struct tables_walk again;
	struct export_walk xw = { .x = { .walk = w, .out = out, .report = report },
				  .format = format };
	int rc;

	rc = tables_walk_init(&again, w->reader, &w->opts, err);
	xw.x.eng = again.eng;
	xw.x.sum = analyze_engine_summary(w->eng);
	if (!rc)
		rc = begin_walk(&xw, &again, err);
	if (!rc)
		rc = tables_walk_begin(&again, err);
	if (!rc)
		rc = analyze_engine_step(again.eng, UINT64_MAX, err);
	for (uint32_t c = 0; !rc && c < xw.n_cpus; c++)
		write_slice(&xw, &xw.cpus[c]);
	if (!rc && format->end)
		rc = format->end(&xw.x, err);
	if (!rc && xw.x.failed)
		rc = cdict_fail_nomem(err);
	fini(&xw);
	tables_walk_fini(&again);
	/* a write error is the cause, and the sink's owner reports it */
	return out->error && out->error != -ENOMEM ? 0 : rc;
}
