/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV: a row for each slice of a CPU, exit, wake-up and loss, in order of their ends. */
#include <string.h>

#include "base/text/escape.h"
#include "query/export/export.h"
#include "tables/columns/loss.h"

/* The cells of a row; those that are not set stay empty. */
struct row {
	const char *kind;
	uint64_t t_ns;
	const uint64_t *dur_ns;
	uint32_t cpu, task;
	const char *end_state, *reason;
	int32_t prio;
	uint32_t waker, target_cpu;
	const uint64_t *events;
};

static void number(struct sink *s, int64_t v, bool known)
{
	if (known)
		sink_printf(s, "%lld", (long long)v);
	sink_putc(s, ',');
}

static void text(struct sink *s, const char *v)
{
	if (v)
		escape_csv(s, v, strlen(v));
	sink_putc(s, ',');
}

static void of_task(struct export *x, uint32_t task)
{
	const struct names *names = &x->walk->names;
	const struct analyze_task *t;
	char room[EXPORT_COMM];
	const char *name;

	if (task == ANALYZE_NO_TASK) {
		sink_puts(x->out, ",,,,,,");
		return;
	}
	t = export_task(x, task);
	number(x->out, t->tid, true);
	number(x->out, t->pid, t->pid >= 0);
	text(x->out, export_comm(x, task, room));
	name = export_name(x, task);
	text(x->out, name);
	t = task < analyze_engine_task_count(x->walk->eng) ? analyze_engine_task(x->walk->eng, task)
							   : NULL;
	text(x->out, t ? names_vm(names, t) : NULL);
	number(x->out, t ? names_vcpu(names, t) : -1, t && names_vcpu(names, t) >= 0);
}

static void write_row(struct export *x, const struct row *r)
{
	struct sink *s = x->out;

	sink_printf(s, "%s,%llu,", r->kind, (unsigned long long)r->t_ns);
	number(s, r->dur_ns ? (int64_t)*r->dur_ns : 0, r->dur_ns);
	number(s, r->cpu, r->cpu != CDICT_CPU_UNKNOWN);
	of_task(x, r->task);
	text(s, r->end_state);
	number(s, r->prio, r->prio != ANALYZE_NO_PRIO);
	text(s, r->reason);
	number(s, r->waker == ANALYZE_NO_TASK ? 0 : export_task(x, r->waker)->tid,
	       r->waker != ANALYZE_NO_TASK);
	number(s, r->target_cpu, r->target_cpu != CDICT_CPU_UNKNOWN);
	if (r->events)
		sink_printf(s, "%llu", (unsigned long long)*r->events);
	sink_puts(s, "\r\n");
}

static struct row row_of(const char *kind, uint64_t t_ns, uint32_t cpu, uint32_t task)
{
	return (struct row){ .kind = kind,
			     .t_ns = t_ns,
			     .cpu = cpu,
			     .task = task,
			     .prio = ANALYZE_NO_PRIO,
			     .waker = ANALYZE_NO_TASK,
			     .target_cpu = CDICT_CPU_UNKNOWN };
}

static void put_slice(struct export *x, const struct export_slice *s)
{
	struct row r =
		row_of(s->task == ANALYZE_NO_TASK ? "unknown" : "run", s->from_ns, s->cpu, s->task);
	uint64_t dur_ns = s->to_ns - s->from_ns;

	if (export_filtered(x) && (s->task == ANALYZE_NO_TASK || !export_wanted(x, s->task)))
		return;
	r.dur_ns = &dur_ns;
	r.prio = s->prio;
	r.end_state = s->state;
	write_row(x, &r);
}

static void put_exit(struct export *x, const struct export_exit *e)
{
	struct row r = row_of("exit", e->t_ns, e->cpu, e->task);

	r.dur_ns = &e->ns;
	r.reason = e->reason;
	write_row(x, &r);
}

static void put_wake(struct export *x, const struct export_wake *w)
{
	struct row r = row_of("wakeup", w->t_ns, w->cpu, w->task);

	r.prio = w->prio;
	r.waker = w->waker;
	r.target_cpu = w->target_cpu;
	write_row(x, &r);
}

static int begin_csv(struct export *x, struct cdict_error *err)
{
	(void)err;
	sink_puts(x->out,
		  "kind,ts_ns,dur_ns,cpu,tid,pid,comm,name,vm,vcpu,end_state,prio,reason,waker_tid,"
		  "target_cpu,lost\r\n");
	return 0;
}

static int end(struct export *x, struct cdict_error *err)
{
	const struct cdict_reader *reader = x->walk->reader;

	(void)err;
	for (size_t i = 0; i < cdict_reader_loss_count(reader); i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(reader, i);
		struct row r = row_of("loss", loss->from_ns, loss->cpu, ANALYZE_NO_TASK);
		uint64_t dur_ns = loss->to_ns - loss->from_ns;

		if (!loss_missing(loss) || loss->from_ns > x->sum->to_ns ||
		    loss->to_ns < x->sum->from_ns ||
		    (loss->cpu != CDICT_CPU_UNKNOWN && !tables_cpu(x->walk, loss->cpu)))
			continue;
		r.dur_ns = &dur_ns;
		r.reason = loss_what(loss->what);
		r.events = &loss->count;
		write_row(x, &r);
	}
	return 0;
}

const struct export_format export_csv = {
	.name = "csv",
	.begin = begin_csv,
	.slice = put_slice,
	.exit = put_exit,
	.wake = put_wake,
	.end = end,
};
