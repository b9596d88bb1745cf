// SPDX-License-Identifier: LGPL-2.1-only
/* unknown.c - see unknown.h. */
#include "analyze/sched/unknown.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

struct analyze_unknown {
	struct analyze_engine *eng;
	ARRAY(bool) tasks;
	uint64_t sched_gap, kvm_gap; /* first one in the window, ANALYZE_NO_TIME: none */
};

static void on_away(void *self, const struct analyze_away *away)
{
	struct analyze_unknown *u = self;
	uint64_t from, to;
	bool *task;

	if (away->off != ANALYZE_OFF_UNKNOWN || !away->ns)
		return;
	/* Time that is unknown for another reason (the recording's begin and end) is reported as
	 * such; this is about events lost before or in the window: the walk may go on after it. */
	analyze_engine_window(u->eng, &from, &to);
	if (to > away->end_ns)
		to = away->end_ns;
	if (analyze_engine_lost(u->eng, false, away->start_ns, to) == ANALYZE_NO_TIME)
		return;
	task = row_at(&u->tasks, away->task);
	if (task)
		*task = true;
	else
		analyze_engine_out_of_memory(u->eng);
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	struct analyze_unknown *later;

	(void)self;
	return analyze_unknown_new(&later, eng, err);
}

static void part_free(void *self)
{
	analyze_unknown_free(self);
}

static int join(void *self, void *later)
{
	struct analyze_unknown *u = self;
	const struct analyze_unknown *l = later;

	for (size_t i = 0; i < l->tasks.n; i++) {
		bool *task = row_at(&u->tasks, i);

		if (!task)
			return -ENOMEM;
		*task |= l->tasks.at[i];
	}
	return 0;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_unknown *u = self;
	uint64_t from, to;

	(void)err;
	analyze_engine_window(u->eng, &from, &to);
	u->sched_gap = analyze_engine_lost(u->eng, false, from, to);
	u->kvm_gap = analyze_engine_lost(u->eng, true, from, to);
	return 0;
}

static const struct analyze_ops ops = { .away = on_away,
					.finish = on_finish,
					.resumes = true,
					.part = part,
					.part_free = part_free,
					.join = join };

int analyze_unknown_new(struct analyze_unknown **out, struct analyze_engine *eng,
			struct cdict_error *err)
{
	struct analyze_unknown *u = calloc(1, sizeof(*u));
	int ret;

	*out = NULL;
	if (!u)
		return cdict_fail_nomem(err);
	u->eng = eng;
	ret = analyze_engine_add(eng, &ops, u, err);
	if (ret) {
		free(u);
		return ret;
	}
	*out = u;
	return 0;
}

void analyze_unknown_free(struct analyze_unknown *u)
{
	if (!u)
		return;
	array_fini(&u->tasks);
	free(u);
}

bool analyze_unknown_task(const struct analyze_unknown *u, uint32_t index)
{
	const struct analyze_task *task = analyze_engine_task(u->eng, index);

	if (!task->tid && task->idle_cpu != CDICT_CPU_UNKNOWN)
		return analyze_engine_loss_ns(u->eng, task->idle_cpu) > 0;
	if (index < u->tasks.n && u->tasks.at[index])
		return true;
	/* Without switches, or if only KVM events are missing, any task may be concerned. */
	if (!analyze_engine_summary(u->eng)->has_switch)
		return u->sched_gap != ANALYZE_NO_TIME || u->kvm_gap != ANALYZE_NO_TIME;
	/* First seen after events were lost: it may have run before. */
	if (u->sched_gap != ANALYZE_NO_TIME && task->first_ns >= u->sched_gap &&
	    (task->born_ns == ANALYZE_NO_TIME || task->born_ns < u->sched_gap))
		return true;
	return task->is_vcpu && u->kvm_gap != ANALYZE_NO_TIME && u->sched_gap == ANALYZE_NO_TIME;
}
