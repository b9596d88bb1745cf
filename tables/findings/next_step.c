/* SPDX-License-Identifier: LGPL-2.1-only */
/* next_step.c - see next_step.h. */
#include "tables/findings/next_step.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tables/columns/tables.h"

/* Shares of the waiting from which a sentence is worth it, in percent; with more of it on idle CPUs
 * (a wake-up's latency), idle CPUs elsewhere mean nothing. */
#define SHARED_FROM 20.0
#define IDLE_FROM 50.0
#define WAKING_FROM 20.0
/* In percent of a vCPU's life: with less unknown time, its life is the base, as in the sentences
 * about vCPUs. */
#define UNKNOWN_FROM 10.0

struct vm_waits {
	size_t vcpus;
	uint64_t delayed_ns, known_ns; /* of all vCPUs */
	uint64_t least_ns, most_ns;    /* the known time of one */
	uint64_t shared_ns;            /* behind another vCPU of the VM */
	uint64_t waking_ns;            /* while its CPU was idle */
	bool one_cpu;                  /* all of shared_ns on @cpu */
	uint32_t cpu;
	uint64_t idle_of_ns;
	uint64_t *idle_ns; /* by CPU */
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_shared(struct vm_waits *v, const struct analyze_antagonist *a)
{
	if (!analyze_behind_ns(a))
		return;
	v->one_cpu = (!v->shared_ns || (v->one_cpu && v->cpu == a->cpu)) &&
		     a->cpu != CDICT_CPU_UNKNOWN;
	v->cpu = a->cpu;
	v->shared_ns += analyze_behind_ns(a);
}

static void add_vcpu(struct vm_waits *v, const struct tables_walk *w, struct culprits *c,
		     const char *vm, const struct analyze_vcpu_row *row)
{
	uint64_t known_ns = analyze_vcpu_life_ns(row), unknown_ns = analyze_vcpu_unknown_ns(row);

	known_ns -= percent(unknown_ns, known_ns) < UNKNOWN_FROM ? 0 : unknown_ns;
	v->least_ns = v->vcpus && v->least_ns < known_ns ? v->least_ns : known_ns;
	v->most_ns = v->most_ns > known_ns ? v->most_ns : known_ns;
	v->vcpus++;
	v->delayed_ns += analyze_vcpu_delayed_ns(row);
	v->known_ns += known_ns;
	for (size_t k = 0; k < row->n_antagonists; k++) {
		const struct analyze_antagonist *a = &row->antagonists[k];
		const struct analyze_task *task = analyze_engine_task(w->eng, a->task);

		if (!task->tid)
			v->waking_ns += analyze_behind_ns(a);
		else if (task->is_vcpu && culprits_vm(c, task) == vm)
			add_shared(v, a);
	}
	v->idle_of_ns += row->idle_of_ns;
	for (uint32_t cpu = 0; row->idle_ns && cpu < analyze_engine_cpus(w->eng); cpu++)
		v->idle_ns[cpu] += row->idle_ns[cpu];
}

/* "(7.78 s of 2 x 8.17 s)", "(5.1 s of 11.3 s in all)" */
static void say_of(struct sink *s, const struct vm_waits *v)
{
	sink_puts(s, " (");
	tables_duration(s, v->delayed_ns);
	sink_puts(s, " of ");
	/* equal as printed */
	if (v->most_ns - v->least_ns <= v->most_ns / 1000) {
		sink_printf(s, "%zu %cu x%c ", v->vcpus, TABLES_MENTION, TABLES_MENTION_END);
		tables_duration(s, v->most_ns);
	} else {
		tables_duration(s, v->known_ns);
		sink_puts(s, " in all");
	}
	sink_putc(s, ')');
}

/* The CPU that was idle longest. */
static uint32_t idlest(const struct vm_waits *v, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t cpu = 1; cpu < n; cpu++)
		if (v->idle_ns[cpu] > v->idle_ns[best])
			best = cpu;
	return best;
}

static void say(struct sink *s, const struct tables_walk *w, const struct vm_waits *v)
{
	uint32_t cpus = analyze_engine_cpus(w->eng), idle = idlest(v, cpus);
	bool shares = v->vcpus > 1 && v->vcpus <= cpus &&
		      percent(v->shared_ns, v->delayed_ns) >= SHARED_FROM;

	if (shares) {
		sink_printf(s, " The VM's %zu vCPUs share ", v->vcpus);
		if (v->one_cpu)
			sink_printf(s, "CPU %" PRIu32, v->cpu);
		else
			sink_puts(s, "a CPU");
		sink_printf(s, " for %.0f %% of their waiting",
			    percent(v->shared_ns, v->delayed_ns));
		say_of(s, v);
		sink_puts(s, ": pin or spread them.");
	}
	if (percent(v->waking_ns, v->delayed_ns) >= WAKING_FROM ||
	    percent(v->idle_ns[idle], v->idle_of_ns) < IDLE_FROM)
		return;
	sink_printf(s, " Host CPU %" PRIu32 " was idle for %.0f %% of ", idle,
		    percent(v->idle_ns[idle], v->idle_of_ns));
	if (shares) {
		sink_puts(s, "it.");
	} else if (v->vcpus > 1) {
		sink_printf(s, "the waiting of the VM's %zu vCPUs", v->vcpus);
		say_of(s, v);
		sink_putc(s, '.');
	} else {
		sink_puts(s, "its waiting.");
	}
}

void next_step_say(struct sink *s, const struct tables_walk *w, struct culprits *c, const char *vm)
{
	struct vm_waits v = { 0 };

	/* which CPUs were idle is known only if all events of all CPUs were recorded */
	if (!vm || (tables_lacks(w) & TABLE_OF_ALL))
		return;
	v.idle_ns = calloc((size_t)analyze_engine_cpus(w->eng) + 1, sizeof(*v.idle_ns));
	if (!v.idle_ns) {
		s->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		if (culprits_vm(c, analyze_engine_task(w->eng, row->task)) == vm)
			add_vcpu(&v, w, c, vm, row);
	}
	if (v.delayed_ns)
		say(s, w, &v);
	free(v.idle_ns);
}
