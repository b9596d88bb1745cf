/* SPDX-License-Identifier: LGPL-2.1-only */
/* idle_cpus.c - see idle_cpus.h. */
#include "analyze/kvm/idle_cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/index.h"

int idle_cpus_init(struct idle_cpus *s, struct analyze_engine *eng)
{
	size_t n = (size_t)analyze_engine_cpus(eng) + 1;

	*s = (struct idle_cpus){ .eng = eng, .n_cpus = analyze_engine_cpus(eng) };
	s->base_ns = calloc(n, sizeof(*s->base_ns));
	s->mask = calloc(n, sizeof(*s->mask));
	s->late = calloc(n, sizeof(*s->late));
	return s->base_ns && s->mask && s->late ? 0 : -ENOMEM;
}

void idle_cpus_fini(struct idle_cpus *s)
{
	for (size_t i = 0; i < s->waits.n; i++) {
		free(s->waits.at[i].at_ns);
		free(s->waits.at[i].ns);
	}
	array_fini(&s->waits);
	free(s->base_ns);
	free(s->mask);
	free(s->late);
	*s = (struct idle_cpus){ 0 };
}

/* The part of the window before @t_ns. */
static __attribute__((noinline)) uint64_t window_ns(struct idle_cpus *s, uint64_t t_ns)
{
	if (t_ns < s->t_ns)
		return s->now_ns - analyze_engine_clip(s->eng, t_ns, s->t_ns);
	s->now_ns += analyze_engine_clip(s->eng, s->t_ns, t_ns);
	s->t_ns = t_ns;
	return s->now_ns;
}

static uint64_t idle_ns(const struct idle_cpus *s, uint32_t cpu, uint64_t now_ns)
{
	return s->base_ns[cpu] + (s->mask[cpu] & now_ns);
}

/* @cpu was idle in [from_ns, to_ns], of the window, which only its end shows. */
static void was_idle(struct idle_cpus *s, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	s->base_ns[cpu] += to_ns - from_ns;
	for (size_t i = 0; i < s->waits.n; i++) {
		struct idle_wait *w = &s->waits.at[i];

		if (w->open && w->since_ns > from_ns)
			w->at_ns[cpu] += (w->since_ns < to_ns ? w->since_ns : to_ns) - from_ns;
		if (!from_ns && w->ns) /* all that ended lie in it */
			w->ns[cpu] += w->waited_ns;
	}
	s->late[cpu] |= !from_ns;
}

void idle_cpus_ran(struct idle_cpus *s, const struct analyze_run *run)
{
	uint64_t to_ns;

	if (s->mask[run->cpu]) {
		s->base_ns[run->cpu] += window_ns(s, run->end_ns);
		s->mask[run->cpu] = 0;
	} else if (run->start_ns < run->end_ns && run->task != ANALYZE_NO_TASK &&
		   !analyze_engine_task(s->eng, run->task)->tid) {
		to_ns = window_ns(s, run->end_ns);
		was_idle(s, run->cpu, window_ns(s, run->start_ns), to_ns);
	}
}

void idle_cpus_switched(struct idle_cpus *s, uint32_t cpu, bool idle)
{
	if (cpu >= s->n_cpus || !idle || s->mask[cpu] || !analyze_engine_counts(s->eng, cpu))
		return;
	s->base_ns[cpu] -= window_ns(s, analyze_engine_now(s->eng));
	s->mask[cpu] = UINT64_MAX;
}

static bool make_room(struct idle_cpus *s, struct idle_wait *w)
{
	if (!w)
		return false;
	w->at_ns = w->at_ns ? w->at_ns : calloc((size_t)s->n_cpus + 1, sizeof(*w->at_ns));
	w->ns = w->ns ? w->ns : calloc((size_t)s->n_cpus + 1, sizeof(*w->ns));
	return w->at_ns && w->ns;
}

void idle_cpus_wait(struct idle_cpus *s, uint32_t task, uint64_t since_ns)
{
	uint64_t now_ns = window_ns(s, analyze_engine_now(s->eng));
	struct idle_wait *w = row_at(&s->waits, task);

	if (!make_room(s, w)) {
		analyze_engine_out_of_memory(s->eng);
		return;
	}
	w->open = true;
	w->since_ns = window_ns(s, since_ns);
	for (uint32_t c = 0; c < s->n_cpus; c++)
		w->at_ns[c] = idle_ns(s, c, now_ns);
}

/* The idle time of @cpu since the open wait's begin; events that contradict each other may take
 * back some of it. */
static uint64_t since(const struct idle_cpus *s, const struct idle_wait *w, uint32_t cpu,
		      uint64_t now_ns)
{
	int64_t ns = (int64_t)(idle_ns(s, cpu, now_ns) - w->at_ns[cpu]);

	return ns > 0 ? (uint64_t)ns : 0;
}

void idle_cpus_waited(struct idle_cpus *s, uint32_t task, bool whole)
{
	struct idle_wait *w = task < s->waits.n ? &s->waits.at[task] : NULL;
	uint64_t now_ns;

	if (!w || !w->open)
		return;
	w->open = false;
	w->crossed |= whole && w->since_ns < s->begin_ns;
	if (!whole)
		return;
	now_ns = window_ns(s, analyze_engine_now(s->eng));
	for (uint32_t c = 0; c < s->n_cpus; c++)
		w->ns[c] += since(s, w, c, now_ns);
	w->waited_ns += now_ns - w->since_ns;
}

const struct idle_wait *idle_cpus_of(const struct idle_cpus *s, uint32_t task)
{
	return task < s->waits.n && s->waits.at[task].ns ? &s->waits.at[task] : NULL;
}

void idle_cpus_begin(struct idle_cpus *s)
{
	s->begin_ns = window_ns(s, analyze_engine_now(s->eng));
	for (uint32_t c = 0; c < s->n_cpus; c++) {
		uint64_t since_ns;
		uint32_t task = analyze_engine_running(s->eng, c, &since_ns);
		bool idle = task != ANALYZE_NO_TASK && !analyze_engine_task(s->eng, task)->tid &&
			    analyze_engine_counts(s->eng, c);

		s->mask[c] = idle ? UINT64_MAX : 0;
		s->base_ns[c] = idle ? -s->begin_ns : 0;
		s->late[c] = false;
	}
	for (size_t i = 0; i < s->waits.n; i++) {
		struct idle_wait *w = &s->waits.at[i];

		w->waited_ns = 0;
		if (!w->ns)
			continue;
		memset(w->ns, 0, s->n_cpus * sizeof(*w->ns));
		memset(w->at_ns, 0, s->n_cpus * sizeof(*w->at_ns));
	}
}

/* Adds the first part's idle time of a task's waits; that of a wait which is open at the cut counts
 * if the later part saw its end, or goes to it. */
static void join_wait(struct idle_cpus *s, const struct idle_cpus *later, struct idle_wait *w,
		      struct idle_wait *l, uint64_t cut_ns)
{
	bool crosses = w->open && l->open && l->since_ns == w->since_ns;

	for (uint32_t c = 0; c < s->n_cpus; c++) {
		uint64_t open_ns = w->open ? since(s, w, c, cut_ns) : 0;

		l->ns[c] +=
			w->ns[c] + (l->crossed ? open_ns : 0) + (later->late[c] ? w->waited_ns : 0);
		if (crosses)
			l->at_ns[c] -= open_ns;
	}
	l->waited_ns += w->waited_ns;
}

int idle_cpus_join(struct idle_cpus *s, struct idle_cpus *later)
{
	uint64_t cut_ns = window_ns(s, analyze_engine_cut(s->eng));
	struct idle_cpus was = *s;

	for (uint32_t i = 0; i < s->waits.n; i++) {
		struct idle_wait *l = s->waits.at[i].ns ? row_at(&later->waits, i) : NULL;

		if (!s->waits.at[i].ns)
			continue;
		if (!make_room(later, l))
			return -ENOMEM;
		join_wait(s, later, &s->waits.at[i], l, cut_ns);
	}
	*s = *later;
	*later = was;
	s->eng = was.eng;
	later->eng = s->eng;
	return 0;
}
