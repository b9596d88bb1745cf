/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * .pfw: a line '[', then a line of JSON for each event, as DFTracer writes them, so that a reader may begin at any
 * line and several can share a file (gzip.h ends its members there). Slices of CPUs have the category "sched", exits
 * "kvm_exit", wake-ups "wakeup"; pid and tid are the task's.
 *
 * Times are microseconds, with decimals if they are not whole.
 */
#include <string.h>

#include "query/export/export.h"

struct pfw {
	uint64_t id;
};

/* Begins a line, up to the CPU in its args. */
static void begin_line(struct export *x, const char *category, const char *name, uint32_t task,
		       uint64_t t_ns, uint64_t dur_ns, uint32_t cpu)
{
	struct pfw *p = x->own;
	struct sink *s = x->out;
	const struct analyze_task *t = task == ANALYZE_NO_TASK ? NULL : export_task(x, task);

	sink_printf(s, "{\"id\":%llu,\"name\":", (unsigned long long)p->id++);
	export_text(s, name);
	sink_printf(s, ",\"cat\":\"%s\",\"pid\":%lld,\"tid\":%lld,\"ph\":\"X\",\"ts\":", category,
		    (long long)(t ? export_pid(t) : 0), (long long)(t ? t->tid : 0));
	export_us(s, t_ns);
	sink_puts(s, ",\"dur\":");
	export_us(s, dur_ns);
	sink_printf(s, ",\"args\":{\"cpu\":%u", cpu);
}

static void member(struct sink *s, const char *key, const char *value)
{
	if (!value)
		return;
	sink_printf(s, ",\"%s\":", key);
	export_text(s, value);
}

static void of_task(struct export *x, uint32_t task)
{
	const struct tables_walk *w = x->walk;

	member(x->out, "task", export_name(x, task));
	if (task < analyze_engine_task_count(w->eng))
		member(x->out, "vm", names_vm(&w->names, analyze_engine_task(w->eng, task)));
}

static void end_line(struct sink *s)
{
	sink_puts(s, "}}\n");
}

static void put_slice(struct export *x, const struct export_slice *s)
{
	bool unknown = s->task == ANALYZE_NO_TASK;

	if (export_filtered(x) && (unknown || !export_wanted(x, s->task)))
		return;
	begin_line(x, "sched",
		   unknown                        ? "unknown"
		   : export_task(x, s->task)->tid ? "run"
						  : "idle",
		   s->task, s->from_ns, s->to_ns - s->from_ns, s->cpu);
	if (!unknown)
		of_task(x, s->task);
	if (s->prio != ANALYZE_NO_PRIO)
		sink_printf(x->out, ",\"prio\":%lld", (long long)s->prio);
	if (*s->state)
		member(x->out, "end_state", s->state);
	end_line(x->out);
}

static void put_exit(struct export *x, const struct export_exit *e)
{
	begin_line(x, "kvm_exit", e->reason, e->task, e->t_ns, e->ns, e->cpu);
	of_task(x, e->task);
	end_line(x->out);
}

static void put_wake(struct export *x, const struct export_wake *w)
{
	begin_line(x, "sched", "wakeup", w->task, w->t_ns, 0, w->cpu);
	of_task(x, w->task);
	if (w->waker != ANALYZE_NO_TASK)
		sink_printf(x->out, ",\"waker_tid\":%lld",
			    (long long)export_task(x, w->waker)->tid);
	if (w->target_cpu != CDICT_CPU_UNKNOWN)
		sink_printf(x->out, ",\"target_cpu\":%u", w->target_cpu);
	end_line(x->out);
}

static int begin_pfw(struct export *x, struct cdict_error *err)
{
	(void)err;
	sink_puts(x->out, "[\n");
	return 0;
}

const struct export_format export_pfw = {
	.name = "pfw",
	.own_size = sizeof(struct pfw),
	.begin = begin_pfw,
	.slice = put_slice,
	.exit = put_exit,
	.wake = put_wake,
};
