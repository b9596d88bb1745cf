// SPDX-License-Identifier: LGPL-2.1-only
/* sides.c - see sides.h. */
#include "analyze/guest/sides.h"

#include <stdlib.h>

#include "analyze/guest/pieces.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

struct cpu_runs {
	struct guest_pieces pieces; /* who: the task */
	size_t at;                  /* of the last lookup */
};

struct guest_runs {
	struct analyze_engine *eng;
	const struct guest_clock *clock;
	ARRAY(struct cpu_runs) cpus;
};

static void on_run(void *self, const struct analyze_run *run)
{
	struct guest_runs *r = self;
	struct cpu_runs *cpu;

	if (run->task == ANALYZE_NO_TASK)
		return;
	cpu = row_at(&r->cpus, run->cpu);
	if (!cpu ||
	    guest_pieces_add(&cpu->pieces,
			     (struct guest_piece){ guest_clock_host_ns(r->clock, run->start_ns),
						   run->task, 0 },
			     guest_clock_host_ns(r->clock, run->end_ns)))
		analyze_engine_out_of_memory(r->eng);
}

static const struct analyze_ops ops = { .run = on_run };

int guest_runs_new(struct guest_runs **out, struct analyze_engine *eng,
		   const struct guest_clock *clock, struct cdict_error *err)
{
	struct guest_runs *r = calloc(1, sizeof(*r));
	int rc;

	*out = NULL;
	if (!r)
		return cdict_fail_nomem(err);
	r->eng = eng;
	r->clock = clock;
	rc = analyze_engine_add(eng, &ops, r, err);
	if (rc)
		free(r);
	else
		*out = r;
	return rc;
}

void guest_runs_free(struct guest_runs *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->cpus.n; i++)
		guest_pieces_fini(&r->cpus.at[i].pieces);
	array_fini(&r->cpus);
	free(r);
}

uint32_t guest_runs_at(struct guest_runs *r, uint32_t cpu, uint64_t ns, uint64_t *to_ns)
{
	struct cpu_runs *c = cpu < r->cpus.n ? &r->cpus.at[cpu] : NULL;

	return c ? guest_pieces_at(&c->pieces, &c->at, ns, to_ns).who : ANALYZE_NO_TASK;
}

int guest_sides_add(struct guest_sides *s, const struct guest_side *side)
{
	if (array_push(&s->guests, *side))
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < side->n_vcpus; cpu++) {
		struct guest_vcpu *of;

		if (side->vcpus[cpu] == ANALYZE_NO_TASK)
			continue;
		of = row_at(&s->of_task, side->vcpus[cpu]);
		if (!of)
			return -ENOMEM;
		if (!of->guest)
			*of = (struct guest_vcpu){ (uint32_t)s->guests.n, cpu };
	}
	return 0;
}

void guest_sides_fini(struct guest_sides *s)
{
	array_fini(&s->guests);
	array_fini(&s->of_task);
}

struct guest_culprit guest_sides_culprit(const struct guest_sides *s, uint32_t task, uint64_t ns,
					 uint64_t *to_ns)
{
	struct guest_culprit c = { .task = task, .guest_task = ANALYZE_NO_TASK };
	const struct guest_vcpu *of = task < s->of_task.n ? &s->of_task.at[task] : NULL;

	if (of && of->guest) {
		struct guest_runs *r = s->guests.at[of->guest - 1].runs;

		c.guest = of->guest;
		c.guest_task = guest_runs_at(r, of->cpu, ns, to_ns);
		c.guest_idle = c.guest_task != ANALYZE_NO_TASK &&
			       !analyze_engine_task(r->eng, c.guest_task)->tid;
	}
	return c;
}
