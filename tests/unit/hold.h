/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hold.h - invariants of the figures of any capture, however damaged: for the
 * property tests, of made-up captures (test_vcpu.c) and of real ones (tools/addup.c).
 */
#ifndef TESTS_UNIT_HOLD_H
#define TESTS_UNIT_HOLD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/kvm/exits.h"
#include "analyze/kvm/vcpu.h"
#include "analyze/sched/coremap.h"
#include "analyze/sched/latency.h"
#include "analyze/sched/successors.h"
#include "analyze/sched/switches.h"
#include "analyze/sched/tasks.h"
#include "base/memory/array.h"

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
	static int32_t core[256]; /* two threads each */
	struct analyze_options o = opts ? *opts : (struct analyze_options){ 0 };

	for (int32_t c = 0; c < 256; c++)
		core[c] = c / 2;
	o.core_of_cpu = core;
	o.n_core_of_cpu = 256;
	HOLDS(!analyze_engine_new(&a->eng, &o, NULL));
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
		uint64_t behind = 0, handled = 0, next_to = 0;

		HOLDS(vcpu_sum(v) == window);
		for (size_t k = 0; k < v->n_antagonists; k++)
			behind += v->antagonists[k].preempted_ns + v->antagonists[k].waiting_ns;
		HOLDS(behind == v->behind_ns);
		for (size_t k = 0; k < v->n_beside; k++)
			next_to += v->beside[k].ns;
		HOLDS(next_to <= v->beside_ns - v->alone_ns && v->alone_ns <= v->beside_ns);
		/* two threads a core */
		HOLDS(!v->beside_ns || v->beside_ns == v->ns[ANALYZE_VCPU_GUEST]);
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

/* A figure of a task or CPU that adds up over adjacent windows. */
struct part {
	uint64_t figure, owner, whose; /* owner: by tid, or CPU */
	uint64_t value;
};

struct parts {
	ARRAY(struct part) all;
	uint64_t figure; /* counts within one row */
};

static inline void part_add(struct parts *p, uint64_t owner, uint64_t whose, uint64_t value)
{
	struct part part = { p->figure++, owner, whose, value };

	if (value)
		HOLDS(!array_push(&p->all, part));
}

static inline void part_times(struct parts *p, uint64_t owner, uint64_t whose,
			      const struct histogram *h)
{
	part_add(p, owner, whose, h->count);
	part_add(p, owner, whose, h->sum);
}

static inline uint64_t part_of(const struct all *a, uint32_t task)
{
	const struct analyze_task *t = analyze_engine_task(a->eng, task);

	return t->tid ? (uint64_t)(uint32_t)t->tid : UINT64_C(1) << 32 | t->idle_cpu;
}

static inline void parts_of_tasks(struct parts *p, const struct all *a)
{
	for (size_t i = 0; i < analyze_tasks_row_count(a->tasks); i++) {
		const struct analyze_task_row *t = analyze_tasks_row_at(a->tasks, i);
		uint64_t owner = part_of(a, t->task);
		const uint64_t values[] = { t->run_ns,         t->unknown_ns, t->switches,
					    t->switch_ins,     t->edge_outs,  t->voluntary,
					    t->involuntary,    t->iowait_ns,  t->wakeups,
					    t->migrations,     t->events,     t->migrate_events,
					    t->node_migrations };

		p->figure = 100;
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			part_add(p, owner, 0, values[k]);
		for (unsigned s = 0; s < ANALYZE_OFF_N; s++) {
			part_add(p, owner, s, t->outs[s]);
			part_add(p, owner, s, t->off_ns[s]);
		}
		part_times(p, owner, 0, &t->slice);
		part_times(p, owner, 0, &t->latency);
	}
	for (size_t i = 0; i < analyze_latency_row_count(a->latency); i++) {
		const struct analyze_latency_row *l = analyze_latency_row_at(a->latency, i);

		p->figure = 200;
		part_times(p, part_of(a, l->task), 0, &l->wakeup);
		part_times(p, part_of(a, l->task), 0, &l->preempt);
		part_add(p, part_of(a, l->task), 0, l->incomplete);
	}
	for (size_t i = 0; i < analyze_successors_count(a->successors); i++) {
		const struct analyze_successor *s = analyze_successors_at(a->successors, i);

		p->figure = 300;
		part_add(p, part_of(a, s->task), part_of(a, s->next), s->count);
		part_add(p, part_of(a, s->task), part_of(a, s->next), s->involuntary);
	}
}

static inline void parts_of_cpus(struct parts *p, const struct all *a)
{
	for (size_t i = 0; i < analyze_coremap_count(a->map); i++) {
		const struct analyze_core_cell *c = analyze_coremap_at(a->map, i);

		p->figure = 400;
		part_add(p, part_of(a, c->task), c->cpu, c->run_ns);
		part_add(p, part_of(a, c->task), c->cpu, c->switches);
	}
	for (uint32_t c = 0; c < analyze_engine_cpus(a->eng); c++) {
		const struct analyze_core_cpu *cpu = analyze_coremap_cpu(a->map, c);

		p->figure = 500;
		part_add(p, c, 0, cpu->busy_ns);
		part_add(p, c, 0, cpu->idle_ns);
		part_add(p, c, 0, cpu->unknown_ns);
		part_add(p, c, 0, cpu->switches);
		part_add(p, c, 0, cpu->queue.known_ns);
		part_add(p, c, 0, cpu->queue.waited_ns);
		part_add(p, c, 0, cpu->queue.above_ns);
		for (uint32_t b = 0; b < analyze_switches_buckets(a->switches); b++) {
			p->figure = 600;
			part_add(p, c, 0, analyze_switches_at(a->switches, c, b)->wakeups);
			part_add(p, c, 0, analyze_switches_at(a->switches, c, b)->involuntary);
		}
	}
}

static inline void parts_of_vcpus(struct parts *p, const struct all *a)
{
	for (size_t i = 0; i < analyze_exits_count(a->exits); i++) {
		const struct analyze_exit_row *x = analyze_exits_at(a->exits, i);

		p->figure = 700;
		HOLDS(x->time.count + x->broken == x->events);
		part_add(p, part_of(a, x->task), x->reason, x->events);
		part_add(p, part_of(a, x->task), x->reason, x->broken);
		part_add(p, part_of(a, x->task), x->reason, x->cpu_ns);
		part_times(p, part_of(a, x->task), x->reason, &x->time);
	}
	for (size_t i = 0; i < analyze_exits_guest_count(a->exits); i++) {
		const struct analyze_guest_row *g = analyze_exits_guest_at(a->exits, i);

		p->figure = 800;
		part_add(p, part_of(a, g->task), 0, g->entries);
		part_add(p, part_of(a, g->task), 0, g->broken);
		part_add(p, part_of(a, g->task), 0, g->guest_ns);
		part_times(p, part_of(a, g->task), 0, &g->time);
	}
	for (size_t i = 0; i < analyze_exits_access_count(a->exits); i++) {
		const struct analyze_access_row *x = analyze_exits_access_at(a->exits, i);

		p->figure = 900 + 10 * (uint64_t)x->kind + 5 * x->write;
		part_add(p, part_of(a, x->task), x->where, x->events);
		part_times(p, part_of(a, x->task), x->where, &x->time);
	}
	for (size_t i = 0; i < analyze_vcpus_row_count(a->vcpus); i++) {
		const struct analyze_vcpu_row *v = analyze_vcpus_row_at(a->vcpus, i);
		uint64_t owner = part_of(a, v->task);
		const uint64_t values[] = { v->lost_ns,   v->absent_ns, v->preemptions,
					    v->waits,     v->halts,     v->blocks,
					    v->behind_ns, v->beside_ns, v->alone_ns };

		p->figure = 1000;
		for (unsigned s = 0; s < ANALYZE_VCPU_STATES; s++)
			part_add(p, owner, s, v->ns[s]);
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			part_add(p, owner, 0, values[k]);
		part_times(p, owner, 0, &v->preempted);
		part_times(p, owner, 0, &v->waiting);
		for (size_t k = 0; k < v->n_reasons; k++) {
			p->figure = 1100;
			part_add(p, owner, v->reasons[k].reason, v->reasons[k].exit_ns);
			part_add(p, owner, v->reasons[k].reason, v->reasons[k].qemu_ns);
		}
		for (size_t k = 0; k < v->n_antagonists; k++) {
			const struct analyze_antagonist *b = &v->antagonists[k];

			p->figure = 1200;
			part_add(p, owner, part_of(a, b->task), b->preempted_ns);
			part_add(p, owner, part_of(a, b->task), b->waiting_ns);
			part_add(p, owner, part_of(a, b->task), b->took_over);
		}
		for (size_t k = 0; k < v->n_beside; k++) {
			p->figure = 1300;
			part_add(p, owner, part_of(a, v->beside[k].task), v->beside[k].ns);
		}
	}
}

static inline void parts_take(struct parts *p, const struct all *a)
{
	parts_of_tasks(p, a);
	parts_of_cpus(p, a);
	parts_of_vcpus(p, a);
}

/* Figures that do not add up, but are the same for every kind of walk; @mentions: also when each
 * task was mentioned. */
static inline void parts_take_edges(struct parts *p, const struct all *a, bool mentions)
{
	for (size_t i = 0; i < analyze_tasks_row_count(a->tasks); i++) {
		const struct analyze_task_row *t = analyze_tasks_row_at(a->tasks, i);
		const struct analyze_task *task = analyze_engine_task(a->eng, t->task);

		p->figure = 2000;
		part_add(p, part_of(a, t->task), 0, t->edge_ns);
		part_add(p, part_of(a, t->task), 0, t->cpu);
		part_add(p, part_of(a, t->task), 0, t->slice.max);
		part_add(p, part_of(a, t->task), 0, t->latency.max_at);
		part_add(p, part_of(a, t->task), 0, mentions ? task->first_ns : 0);
		part_add(p, part_of(a, t->task), 0, mentions ? task->last_ns : 0);
		part_add(p, part_of(a, t->task), 0, (uint64_t)(int64_t)task->pid);
		for (size_t c = 0; c < sizeof(task->comm); c++)
			part_add(p, part_of(a, t->task), c, (uint64_t)(uint8_t)task->comm[c]);
	}
	for (size_t i = 0; i < analyze_vcpus_row_count(a->vcpus); i++) {
		const struct analyze_vcpu_row *v = analyze_vcpus_row_at(a->vcpus, i);

		p->figure = 3000;
		part_add(p, part_of(a, v->task), 0, 1);
		part_add(p, part_of(a, v->task), 0, v->edge_ns);
		part_add(p, part_of(a, v->task), 0, v->worst.at_ns);
		/* Not the index: a range meets the IDLEs after the tasks. */
		part_add(p, part_of(a, v->task), 0,
			 v->worst.behind == ANALYZE_NO_TASK ? 0 : part_of(a, v->worst.behind));
		for (size_t k = 0; k < v->n_antagonists; k++) {
			const struct analyze_antagonist *b = &v->antagonists[k];

			p->figure = 3100;
			part_add(p, part_of(a, v->task), part_of(a, b->task), b->worst.at_ns);
			part_add(p, part_of(a, v->task), part_of(a, b->task), b->worst.dur_ns);
			part_add(p, part_of(a, v->task), part_of(a, b->task), b->worst_held_ns);
			p->figure = 3000;
		}
	}
	for (uint32_t c = 0; c < analyze_engine_cpus(a->eng); c++) {
		const struct analyze_core_queue *q = &analyze_coremap_cpu(a->map, c)->queue;

		p->figure = 4000;
		part_add(p, c, 0, q->seen);
		part_add(p, c, 0, q->max);
		part_add(p, c, 0, q->max_at_ns);
		part_add(p, c, 0, q->stay_ns);
		part_add(p, c, 0, q->stay_at_ns);
	}
}

static inline int part_order(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct part, value));
}

/* One row a figure. */
static inline void parts_sum(struct parts *p)
{
	size_t n = 0;

	if (p->all.n)
		qsort(p->all.at, p->all.n, sizeof(*p->all.at), part_order);
	for (size_t i = 0; i < p->all.n; i++) {
		if (n && !part_order(&p->all.at[n - 1], &p->all.at[i]))
			p->all.at[n - 1].value += p->all.at[i].value;
		else
			p->all.at[n++] = p->all.at[i];
	}
	p->all.n = n;
}

static inline void parts_must_equal(struct parts *x, struct parts *y)
{
	size_t i = 0;

	parts_sum(x);
	parts_sum(y);
	while (i < x->all.n && i < y->all.n &&
	       !memcmp(&x->all.at[i], &y->all.at[i], sizeof(struct part)))
		i++;
	for (int k = 0; k < 2; k++) {
		struct parts *p = k ? y : x;

		if (i < p->all.n)
			fprintf(stderr, "%s: figure %ju of %jd, %jd: %ju\n", k ? "parts" : "whole",
				(uintmax_t)p->all.at[i].figure, (intmax_t)p->all.at[i].owner,
				(intmax_t)p->all.at[i].whose, (uintmax_t)p->all.at[i].value);
	}
	HOLDS(i == x->all.n && i == y->all.n);
	array_fini(&x->all);
	array_fini(&y->all);
}

#endif
