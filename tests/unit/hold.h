/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hold.h - what must hold for the figures of any capture, however damaged: for the
 * property tests, of made-up captures (test_vcpu.c) and of real ones (tools/addup.c).
 */
#ifndef TESTS_HOLD_H
#define TESTS_HOLD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/coremap.h"
#include "analyze/exits.h"
#include "analyze/latency.h"
#include "analyze/successors.h"
#include "analyze/switches.h"
#include "analyze/tasks.h"
#include "analyze/vcpu.h"

#define HOLDS(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #what);  \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct all {
	struct analyze_engine *eng;
	struct analyze_tasks *tasks;
	struct analyze_exits *exits;
	struct analyze_vcpus *vcpus;
	struct analyze_coremap *map;
	struct analyze_latency *latency;
	struct analyze_switches *switches;
	struct analyze_successors *successors;
};

static inline void all_new(struct all *a, const struct analyze_options *opts)
{
	HOLDS(!analyze_engine_new(&a->eng, opts, NULL));
	HOLDS(!analyze_tasks_new(&a->tasks, a->eng, NULL, NULL));
	HOLDS(!analyze_exits_new(&a->exits, a->eng, NULL, NULL));
	HOLDS(!analyze_vcpus_new(&a->vcpus, a->eng, NULL));
	HOLDS(!analyze_coremap_new(&a->map, a->eng, NULL));
	HOLDS(!analyze_latency_new(&a->latency, a->eng, NULL, NULL));
	HOLDS(!analyze_switches_new(&a->switches, a->eng, NULL, NULL));
	HOLDS(!analyze_successors_new(&a->successors, a->eng, NULL));
}

static inline void all_free(struct all *a)
{
	analyze_tasks_free(a->tasks);
	analyze_exits_free(a->exits);
	analyze_vcpus_free(a->vcpus);
	analyze_coremap_free(a->map);
	analyze_latency_free(a->latency);
	analyze_switches_free(a->switches);
	analyze_successors_free(a->successors);
	analyze_engine_free(a->eng);
}

static inline uint64_t vcpu_sum(const struct analyze_vcpu_row *v)
{
	uint64_t ns = 0;

	for (unsigned s = 0; s < ANALYZE_VCPU_STATES; s++)
		ns += v->ns[s];
	return ns;
}

static inline void vcpus_must_hold(const struct all *a, uint64_t window)
{
	for (size_t i = 0; i < analyze_vcpus_row_count(a->vcpus); i++) {
		const struct analyze_vcpu_row *v = analyze_vcpus_row_at(a->vcpus, i);
		uint64_t behind = 0, handled = 0;

		HOLDS(vcpu_sum(v) == window);
		for (size_t k = 0; k < v->n_antagonists; k++)
			behind += v->antagonists[k].preempted_ns + v->antagonists[k].waiting_ns;
		HOLDS(behind == v->behind_ns);
		HOLDS(behind <= v->ns[ANALYZE_VCPU_PREEMPTED] + v->ns[ANALYZE_VCPU_WAITING]);
		for (size_t k = 0; k < v->n_reasons; k++)
			handled += v->reasons[k].exit_ns;
		HOLDS(handled == v->ns[ANALYZE_VCPU_EXIT]);
		HOLDS(v->lost_ns <= v->ns[ANALYZE_VCPU_UNKNOWN]);
		HOLDS(v->edge_ns <= v->ns[ANALYZE_VCPU_GUEST] + v->ns[ANALYZE_VCPU_EXIT] +
					    v->ns[ANALYZE_VCPU_QEMU]);
	}
}

static inline void must_hold(const struct all *a)
{
	uint64_t window = analyze_engine_summary(a->eng)->window_ns, ran = 0, known = 0;
	uint64_t switches = 0, followed = 0;

	vcpus_must_hold(a, window);
	for (size_t i = 0; i < analyze_tasks_row_count(a->tasks); i++) {
		const struct analyze_task_row *t = analyze_tasks_row_at(a->tasks, i);
		uint64_t off = t->unknown_ns;

		for (unsigned s = 0; s < ANALYZE_OFF_N; s++)
			off += t->off_ns[s];
		HOLDS(t->edge_ns <= t->run_ns);
		/* A task is in one place at a time. */
		HOLDS(t->run_ns + off <= window);
		HOLDS(t->voluntary + t->involuntary ==
		      (analyze_engine_task(a->eng, t->task)->tid ? t->switches : 0));
		ran += t->run_ns;
		switches += t->switches;
	}
	for (uint32_t c = 0; c < analyze_engine_cpus(a->eng); c++) {
		const struct analyze_core_cpu *cpu = analyze_coremap_cpu(a->map, c);
		uint64_t buckets = 0;

		HOLDS(cpu->busy_ns + cpu->idle_ns + cpu->unknown_ns == window);
		known += cpu->busy_ns + cpu->idle_ns;
		for (uint32_t b = 0; b < analyze_switches_buckets(a->switches); b++) {
			const struct analyze_switch_cell *cell =
				analyze_switches_at(a->switches, c, b);

			buckets += cell->busy_ns + cell->idle_ns + cell->unknown_ns;
		}
		HOLDS(buckets == window);
	}
	HOLDS(ran == known);
	for (size_t i = 0; i < analyze_successors_count(a->successors); i++)
		followed += analyze_successors_at(a->successors, i)->count;
	HOLDS(followed == switches);
	HOLDS(switches == analyze_engine_summary(a->eng)->switches);
}

#endif
