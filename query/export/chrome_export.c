/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chrome's trace events as JSON, one per line, for chrome://tracing, Perfetto and Speedscope: a row for each CPU with
 * the tasks that ran there, and one for each vCPU's thread with its exits.
 *
 * Times are microseconds with three decimals: the format has no other unit.
 */
#include <string.h>

#include "query/export/export.h"
#include "tables/columns/loss.h"

/* The process whose threads are the CPUs: above every pid of Linux (PID_MAX_LIMIT is 2^22). */
enum { PID_CPUS = 1 << 22 };

/* Begins an event, up to its args; @name is NULL when out of memory. */
static void event(struct sink *s, const char *ph, const char *category, const char *name,
		  int64_t pid, int64_t tid, uint64_t t_ns, const uint64_t *dur_ns)
{
	sink_printf(s, ",\n{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":", ph, category);
	export_text(s, name);
	sink_printf(s, ",\"pid\":%lld,\"tid\":%lld,\"ts\":", (long long)pid, (long long)tid);
	export_us(s, t_ns);
	if (dur_ns) {
		sink_puts(s, ",\"dur\":");
		export_us(s, *dur_ns);
	}
	sink_puts(s, ",\"args\":{");
}

static void close_event(struct sink *s)
{
	sink_puts(s, "}}");
}

static void metadata(struct sink *s, bool first, const char *what, int64_t pid, int64_t tid,
		     const char *name)
{
	sink_printf(
		s,
		"%s\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%lld,\"tid\":%lld,\"args\":{\"name\":",
		first ? "" : ",", what, (long long)pid, (long long)tid);
	export_text(s, name);
	sink_puts(s, "}}");
}

static void put_slice(struct export *x, const struct export_slice *s)
{
	struct sink *out = x->out;
	uint64_t dur_ns = s->to_ns - s->from_ns;
	const struct analyze_task *t;

	if (export_filtered(x) && (s->task == ANALYZE_NO_TASK || !export_wanted(x, s->task)))
		return;
	if (s->task == ANALYZE_NO_TASK) {
		event(out, "X", "unknown", "(unknown)", PID_CPUS, s->cpu, s->from_ns, &dur_ns);
		close_event(out);
		return;
	}
	t = export_task(x, s->task);
	if (!t->tid)
		return; /* idle time stays empty */
	event(out, "X", "sched", export_name(x, s->task), PID_CPUS, s->cpu, s->from_ns, &dur_ns);
	sink_printf(out, "\"tid\":%lld,\"pid\":%lld", (long long)t->tid, (long long)export_pid(t));
	if (s->prio != ANALYZE_NO_PRIO)
		sink_printf(out, ",\"prio\":%lld", (long long)s->prio);
	if (*s->state) {
		sink_puts(out, ",\"end_state\":");
		export_text(out, s->state);
	}
	close_event(out);
}

static void put_exit(struct export *x, const struct export_exit *e)
{
	const struct analyze_task *t = export_task(x, e->task);

	event(x->out, "X", "kvm_exit", e->reason, export_pid(t), t->tid, e->t_ns, &e->ns);
	close_event(x->out);
}

/* Writes a wake-up on the row of the waker's CPU. */
static void put_wake(struct export *x, const struct export_wake *w)
{
	event(x->out, "i", "wakeup", export_name(x, w->task), PID_CPUS, w->cpu, w->t_ns, NULL);
	sink_printf(x->out, "\"tid\":%lld", (long long)export_task(x, w->task)->tid);
	if (w->target_cpu != CDICT_CPU_UNKNOWN)
		sink_printf(x->out, ",\"target_cpu\":%u", w->target_cpu);
	sink_puts(x->out, "},\"s\":\"t\"}");
}

static void other_data(struct export *x, const char *key, const char *info)
{
	const char *value = cdict_reader_info(x->walk->reader, info);

	if (!value)
		return;
	sink_printf(x->out, ",\"%s\":", key);
	export_text(x->out, value);
}

static int begin_chrome(struct export *x, struct cdict_error *err)
{
	const struct tables_walk *w = x->walk;
	struct sink *s = x->out;
	char name[32];

	(void)err;
	sink_puts(s, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made_by\":\"cdict export\"");
	other_data(x, "host", "host.name");
	other_data(x, "kernel", "host.kernel");
	other_data(x, "clock", "clock.id");
	sink_puts(s, "},\"traceEvents\":[");
	metadata(s, true, "process_name", PID_CPUS, 0, "CPUs");
	for (uint32_t cpu = 0; cpu < cdict_reader_cpus(w->reader); cpu++) {
		if (!tables_cpu(w, cpu))
			continue;
		snprintf(name, sizeof(name), "CPU %u", cpu);
		metadata(s, false, "thread_name", PID_CPUS, cpu, name);
	}
	for (size_t i = 0; i < analyze_engine_task_count(w->eng); i++) {
		const struct analyze_task *t = analyze_engine_task(w->eng, (uint32_t)i);
		const char *vm = names_vm(&w->names, t), *called;

		if (!t->is_vcpu || !names_wanted(&w->names, t))
			continue;
		called = export_name(x, t->index);
		metadata(s, false, "thread_name", export_pid(t), t->tid, called);
		if (vm)
			metadata(s, false, "process_name", export_pid(t), t->tid, vm);
	}
	return 0;
}

static int end(struct export *x, struct cdict_error *err)
{
	const struct cdict_reader *reader = x->walk->reader;

	(void)err;
	for (size_t i = 0; i < cdict_reader_loss_count(reader); i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(reader, i);
		uint64_t dur_ns = loss->to_ns - loss->from_ns;
		bool one = loss->cpu != CDICT_CPU_UNKNOWN;

		if (!loss_missing(loss) || loss->from_ns > x->sum->to_ns ||
		    loss->to_ns < x->sum->from_ns || (one && !tables_cpu(x->walk, loss->cpu)))
			continue;
		event(x->out, "i", "loss", "events lost", PID_CPUS, one ? loss->cpu : 0,
		      loss->from_ns, NULL);
		sink_printf(x->out, "\"events\":%llu,\"ns\":%llu},\"s\":\"%s\"}",
			    (unsigned long long)loss->count, (unsigned long long)dur_ns,
			    one ? "t" : "g");
	}
	sink_puts(x->out, "\n]}\n");
	return 0;
}

const struct export_format export_chrome = {
	.name = "chrome",
	.begin = begin_chrome,
	.slice = put_slice,
	.exit = put_exit,
	.wake = put_wake,
	.end = end,
};
