/* SPDX-License-Identifier: LGPL-2.1-only */
/* The losses of a capture. */
#include "tables/columns/loss.h"
#include "base/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tables/columns/number.h"
#include "tables/columns/tables.h"

const char *loss_what(enum cdict_loss_what what)
{
	switch (what) {
	case CDICT_LOSS_RING:
		return "ring";
	case CDICT_LOSS_SAMPLES:
		return "samples";
	case CDICT_LOSS_THROTTLE:
		return "throttle";
	case CDICT_LOSS_DISORDER:
		return "disorder";
	case CDICT_LOSS_DAMAGE:
		return "damage";
	}
	return "unknown";
}

bool loss_missing(const struct cdict_loss *loss)
{
	return loss->what == CDICT_LOSS_RING || loss->what == CDICT_LOSS_SAMPLES ||
	       loss->what == CDICT_LOSS_DAMAGE;
}

/* A loss record may name any CPU; higher ones count as unknown. */
#define MAX_CPUS 65536

/* Missing events of a CPU. */
struct per_cpu {
	uint64_t count, from_ns, to_ns;
};

static void note_cpu(struct per_cpu *c, const struct cdict_loss *loss)
{
	if (!c->count || loss->from_ns < c->from_ns)
		c->from_ns = loss->from_ns;
	if (!c->count || loss->to_ns > c->to_ns)
		c->to_ns = loss->to_ns;
	saturated_add(&c->count, loss->count);
}

static void note_worst(struct loss_sum *out, uint32_t cpu, const struct per_cpu *c)
{
	if (!c->count)
		return;
	out->cpus++;
	if (c->count <= out->worst_count)
		return;
	out->worst_cpu = cpu;
	out->worst_count = c->count;
	out->worst_from_ns = c->from_ns;
	out->worst_to_ns = c->to_ns;
}

/* Fallback without memory for all CPUs: searches the losses of each. */
static void find_worst(struct loss_sum *out, const struct cdict_reader *r, uint32_t n,
		       uint64_t from_ns, uint64_t to_ns)
{
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		struct per_cpu c = { 0 };

		for (size_t i = 0; i < cdict_reader_loss_count(r); i++) {
			const struct cdict_loss *loss = cdict_reader_loss_at(r, i);

			if (loss->cpu == cpu && loss_missing(loss) && loss->count &&
			    loss->to_ns >= from_ns && loss->from_ns <= to_ns)
				note_cpu(&c, loss);
		}
		note_worst(out, cpu, &c);
	}
}

uint64_t loss_since(const struct cdict_reader *r, uint64_t from_ns)
{
	uint64_t first_ns, last_ns;

	return cdict_reader_window(r, &first_ns, &last_ns) && from_ns <= first_ns ? 0 : from_ns;
}

/* Events that happened, but were excluded from the file. */
static uint64_t left_out(const struct cdict_reader *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < cdict_reader_unstored_count(r); i++) {
		const struct cdict_unstored *u = cdict_reader_unstored_at(r, i);

		if (strncmp(u->name, "PERF_RECORD_", 12) != 0)
			saturated_add(&n, u->count);
	}
	return n;
}

void loss_sum(struct loss_sum *out, const struct cdict_reader *r, uint64_t from_ns, uint64_t to_ns)
{
	struct per_cpu *cpus;
	struct cdict_damage damage;
	uint64_t gone = 0, of_all, first_ns, last_ns;
	bool of_any = false; /* of any type: a ring loses events regardless of type */
	uint32_t n = 0;

	from_ns = loss_since(r, from_ns);
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++) {
		uint32_t cpu = cdict_reader_loss_at(r, i)->cpu;

		if (cpu >= n && cpu < MAX_CPUS)
			n = cpu + 1;
	}
	cpus = calloc(n + 1, sizeof(*cpus));
	cdict_reader_damage(r, &damage);
	*out = (struct loss_sum){ .stored = cdict_reader_events(r),
				  .damaged = damage.events,
				  .worst_cpu = CDICT_CPU_UNKNOWN };
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(r, i);

		if (loss_missing(loss)) {
			saturated_add(&gone, loss->count);
			of_any |= loss->type >= cdict_schema_count(cdict_reader_schema(r));
		}
		if (loss->to_ns < from_ns || loss->from_ns > to_ns)
			continue;
		switch (loss->what) {
		case CDICT_LOSS_DISORDER:
			saturated_add(&out->disordered, loss->count);
			continue;
		case CDICT_LOSS_THROTTLE:
			saturated_add(&out->throttled_ns, loss->to_ns - loss->from_ns);
			continue;
		case CDICT_LOSS_DAMAGE:
			saturated_add(&out->unreadable, loss->count);
			break;
		case CDICT_LOSS_RING:
		case CDICT_LOSS_SAMPLES:
			saturated_add(&out->lost, loss->count);
			break;
		}
		if (loss->cpu >= n)
			out->any_cpu = true;
		else if (cpus && loss->count)
			note_cpu(&cpus[loss->cpu], loss);
	}
	for (uint32_t i = 0; cpus && i < n; i++)
		note_worst(out, i, &cpus[i]);
	if (!cpus)
		find_worst(out, r, n, from_ns, to_ns);
	/* A ring may lose events before its first one. */
	if (cdict_reader_window(r, &first_ns, &last_ns) && out->worst_from_ns < first_ns)
		out->worst_from_ns = first_ns;
	free(cpus);
	/* the index counts events of damaged blocks as stored */
	saturated_add(&gone, damage.events);
	of_all = out->stored + (of_any ? left_out(r) : 0);
	if (gone)
		out->percent = 100.0 * (double)gone /
			       ((double)of_all + (double)gone - (double)damage.events);
}

static void add_part(struct sink *s, bool *any, const char *fmt, uint64_t count)
{
	char number[NUMBER_ROOM];

	sink_puts(s, *any ? ", " : "loss: ");
	sink_printf(s, fmt, number_grouped(number, count));
	*any = true;
}

static void says(struct sink *s, const struct loss_sum *sum, uint64_t unknown_ns, bool mentions)
{
	char time[NUMBER_ROOM];
	bool any = false;

	if (sum->lost)
		add_part(s, &any,
			 sum->lost == 1 ? "%s event lost while recording"
					: "%s events lost while recording",
			 sum->lost);
	if (sum->unreadable)
		add_part(s, &any, "%s unreadable in the recording", sum->unreadable);
	if (sum->damaged)
		add_part(s, &any, "%s in damaged blocks of this file", sum->damaged);
	if (any)
		sink_printf(s, " (%.2f %% of all)", sum->percent);
	if (sum->worst_cpu != CDICT_CPU_UNKNOWN)
		sink_printf(s, ", %s CPU %" PRIu32, sum->cpus > 1 ? "most on" : "on",
			    sum->worst_cpu);
	if (sum->worst_cpu != CDICT_CPU_UNKNOWN && mentions) {
		sink_puts(s, " between ");
		tables_say_when(s, sum->worst_from_ns);
		sink_puts(s, " and ");
		tables_say_when(s, sum->worst_to_ns);
	} else if (sum->worst_cpu != CDICT_CPU_UNKNOWN) {
		char from[NUMBER_ROOM], to[NUMBER_ROOM];

		sink_printf(s, " between %s and %s s", number_seconds(from, sum->worst_from_ns),
			    number_seconds(to, sum->worst_to_ns));
	}
	if (sum->throttled_ns) {
		sink_printf(s, "%sthrottled for %s",
			    any ? ", " : "loss: ", number_time(time, sum->throttled_ns));
		any = true;
	}
	if (sum->disordered)
		add_part(s, &any,
			 sum->disordered == 1 ? "%s event out of order" : "%s events out of order",
			 sum->disordered);
	if (unknown_ns) {
		sink_printf(s, "%s%s of CPU time unknown%s", any ? ", " : "loss: no events lost; ",
			    number_time(time, unknown_ns), any ? "" : " (running task unknown)");
		any = true;
	}
	if (!any)
		sink_puts(s, "loss: none");
}

void loss_line(struct sink *s, const struct loss_sum *sum, uint64_t unknown_ns)
{
	says(s, sum, unknown_ns, false);
}

void loss_finding(struct sink *s, const struct loss_sum *sum, uint64_t unknown_ns)
{
	says(s, sum, unknown_ns, true);
}

char *loss_text(const struct loss_sum *sum, uint64_t unknown_ns)
{
	struct sink s;

	sink_to_memory(&s);
	loss_line(&s, sum, unknown_ns);
	return sink_take(&s, NULL);
}

void loss_scope(struct sink *s, const struct scope *scope, uint64_t from_ns)
{
	char until[NUMBER_ROOM];

	if (scope->kind == SCOPE_TASKS)
		sink_printf(
			s,
			"recorded: some tasks only%s: other tasks are unknown, and so is time of these "
			"that their own events do not bound\n",
			scope->no_inherit ? ", not their children" : "");
	if (scope->kind == SCOPE_CPUS)
		sink_puts(
			s,
			"recorded: some CPUs only: tasks may run unseen on the others, so times off "
			"the CPU, waits and migrations are unknown\n");
	if (scope->filtered)
		sink_puts(
			s,
			"recorded: some sched_switch events only (--filter): cannot tell which task "
			"ran when\n");
	if (scope->overwritten)
		sink_puts(
			s,
			"recorded: overwriting rings: the time before the first event of each CPU is "
			"unknown\n");
	if (scope->begins_ns > from_ns)
		sink_printf(s,
			    "recorded: one CPU after the other up to %s s, as the recorder "
			    "enabled them: tasks on CPUs not yet enabled are unknown, and so "
			    "are all waits up to then\n",
			    number_seconds(until, scope->begins_ns));
	if (scope->late)
		sink_puts(s, "recorded: starting some time after the recorder's start (-D)\n");
	if (scope->foreign)
		sink_puts(
			s,
			"recorded: in a PID namespace: tids are the host's, as in the scheduler's "
			"events; the recorder's names of tasks are left out\n");
}

void loss_record_open(struct json *j, const struct cdict_loss *loss,
		      const struct cdict_schema *schema)
{
	json_open(j, NULL, '{', false);
	json_text(j, "what", loss_what(loss->what));
	if (loss->cpu == CDICT_CPU_UNKNOWN)
		json_null(j, "cpu");
	else
		json_u64(j, "cpu", loss->cpu);
	if (loss->type < cdict_schema_count(schema))
		json_text(j, "event", cdict_schema_at(schema, loss->type)->name);
}

void loss_json(struct json *j, const struct loss_sum *sum, const struct cdict_reader *r,
	       uint64_t from_ns, uint64_t to_ns, const uint64_t *unknown_ns)
{
	size_t n = 0;

	from_ns = loss_since(r, from_ns);
	json_open(j, "loss", '{', true);
	json_u64(j, "lost", sum->lost);
	json_u64(j, "unreadable", sum->unreadable);
	json_u64(j, "damaged", sum->damaged);
	json_u64(j, "disordered", sum->disordered);
	json_u64(j, "throttled_ns", sum->throttled_ns);
	json_number(j, "percent", sum->percent);
	if (unknown_ns)
		json_u64(j, "unknown_ns", *unknown_ns);
	json_open(j, "records", '[', true);
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(r, i);
		const struct cdict_schema *schema = cdict_reader_schema(r);

		if (loss->to_ns < from_ns || loss->from_ns > to_ns)
			continue;
		if (n++ >= LOSS_RECORDS)
			continue;
		loss_record_open(j, loss, schema);
		json_u64(j, "from_ns", loss->from_ns);
		json_u64(j, "to_ns", loss->to_ns);
		json_u64(j, "count", loss->count);
		json_close(j);
	}
	json_close(j);
	if (n > LOSS_RECORDS)
		json_u64(j, "records_left_out", n - LOSS_RECORDS);
	json_close(j);
}
