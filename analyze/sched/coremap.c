// SPDX-License-Identifier: LGPL-2.1-only
/* coremap.c - see coremap.h. */
#include "analyze/sched/coremap.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

/* The queue of one CPU. */
struct queue {
	uint32_t length;
	uint64_t since_ns;     /* begin of the present length; accounted up to here */
	uint64_t above_at_ns;  /* longer than 1 since then, if it is */
	ARRAY(uint64_t) at_ns; /* known time at each length */
	struct analyze_core_queue *row;
	/* Later part: the length at its begin; whether it has been above 1 since then; until when
	 * it was. */
	uint32_t begin_length;
	bool stays;
	uint64_t stayed_ns;
};

struct waiting {
	uint32_t cpu; /* the CPU it waits for + 1; n_queues + 1: a CPU without a queue; 0: it does
		       * not wait */
	uint32_t gap; /* analyze_coremap.gap when the wait began */
};

struct analyze_coremap {
	struct analyze_engine *eng;
	ARRAY(struct analyze_core_cell) cells;
	struct places places; /* of (task, CPU) in cells, while walking */
	uint32_t *order;      /* after the walk: the cells by task, then CPU */
	struct analyze_core_cell spill;
	uint32_t *last; /* per CPU: the cell used last */
	struct analyze_core_cpu *cpus;
	struct queue *queues; /* per CPU */
	uint32_t n_queues;
	ARRAY(struct waiting) waiting; /* by task */
	ARRAY(uint32_t) begin;         /* waiting.cpu at the begin of a later part */
	uint32_t gap;                  /* incremented at each gap: earlier waits are dropped */
	uint64_t seen_ns;              /* the latest switch, wake-up or migration */
	uint64_t gap_ns;               /* where the next gap begins, or ANALYZE_NO_TIME */
	uint64_t from_ns;              /* of the window */
	analyze_core_wait_fn *on_wait;
	void *on_wait_ctx;
};

static void key_at(const void *cells, uint32_t place, uint64_t ab[2])
{
	const struct analyze_core_cell *cell = (const struct analyze_core_cell *)cells + place;

	ab[0] = cell->task;
	ab[1] = cell->cpu;
}

/* The index of the pair's cell, created if new; INDEX_NONE: out of memory. */
static uint32_t place_of(struct analyze_coremap *m, uint32_t task, uint32_t cpu)
{
	uint32_t i;

	for (size_t at = places_begin(&m->places, task, cpu); places_at(&m->places, at, &i);
	     at = places_next(&m->places, at))
		if (m->cells.at[i].task == task && m->cells.at[i].cpu == cpu)
			return i;
	i = (uint32_t)m->cells.n;
	if (i == INDEX_NONE || places_room(&m->places, key_at, m->cells.at, sizeof(*m->cells.at)) ||
	    array_push(&m->cells, (struct analyze_core_cell){ .task = task, .cpu = cpu }))
		return INDEX_NONE;
	places_add(&m->places, task, cpu, i);
	return i;
}

static struct analyze_core_cell *cell_of(struct analyze_coremap *m, uint32_t task, uint32_t cpu)
{
	uint32_t i = m->last[cpu];

	/* A switch uses the same cell as the piece before it. */
	if (i < m->cells.n && m->cells.at[i].task == task && m->cells.at[i].cpu == cpu)
		return &m->cells.at[i];
	i = place_of(m, task, cpu);
	if (i == INDEX_NONE) {
		analyze_engine_out_of_memory(m->eng);
		return &m->spill;
	}
	m->last[cpu] = i;
	return &m->cells.at[i];
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_coremap *m = self;
	uint64_t ns = run->ns;
	struct analyze_core_cell *cell;

	if (!ns)
		return;
	if (run->task == ANALYZE_NO_TASK) {
		m->cpus[run->cpu].unknown_ns += ns;
		return;
	}
	if (analyze_engine_task(m->eng, run->task)->tid)
		m->cpus[run->cpu].busy_ns += ns;
	else
		m->cpus[run->cpu].idle_ns += ns;
	cell = cell_of(m, run->task, run->cpu);
	cell->run_ns += ns;
	if (!run->start_seen || !run->end_seen)
		cell->edge_ns += ns;
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_coremap *m = self;

	if (!sw->in)
		return;
	cell_of(m, sw->prev, sw->cpu)->switches++;
	m->cpus[sw->cpu].switches++;
}

/* Sorts the cells of @from (NULL: all, in their present order) into @to by @number, stably. */
static int order_by(const struct analyze_coremap *m, uint32_t *to, const uint32_t *from,
		    uint32_t (*number)(const struct analyze_core_cell *), size_t numbers)
{
	uint32_t *begin = calloc(numbers + 1, sizeof(*begin));

	if (!begin)
		return -ENOMEM;
	for (size_t i = 0; i < m->cells.n; i++)
		begin[number(&m->cells.at[i]) + 1]++;
	for (size_t k = 0; k < numbers; k++)
		begin[k + 1] += begin[k];
	for (uint32_t i = 0; i < m->cells.n; i++) {
		uint32_t cell = from ? from[i] : i;

		to[begin[number(&m->cells.at[cell])]++] = cell;
	}
	free(begin);
	return 0;
}

static uint32_t cpu_of(const struct analyze_core_cell *cell)
{
	return cell->cpu;
}

static uint32_t task_of(const struct analyze_core_cell *cell)
{
	return cell->task;
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_coremap *m = self;

	(void)schema;
	m->cpus = calloc((size_t)analyze_engine_cpus(m->eng) + 1, sizeof(*m->cpus));
	m->last = calloc((size_t)analyze_engine_cpus(m->eng) + 1, sizeof(*m->last));
	return m->cpus && m->last ? 0 : cdict_fail_nomem(err);
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_coremap *m = self;
	uint32_t *by_cpu;
	int rc = -ENOMEM;

	places_fini(&m->places);
	by_cpu = malloc((m->cells.n + 1) * sizeof(*by_cpu));
	m->order = malloc((m->cells.n + 1) * sizeof(*m->order));
	if (by_cpu && m->order)
		rc = order_by(m, by_cpu, NULL, cpu_of, analyze_engine_cpus(m->eng));
	if (!rc)
		rc = order_by(m, m->order, by_cpu, task_of, analyze_engine_task_count(m->eng));
	free(by_cpu);
	return rc ? cdict_fail_nomem(err) : 0;
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	struct analyze_coremap *later;

	(void)self;
	return analyze_coremap_new(&later, eng, err);
}

static void part_free(void *self)
{
	analyze_coremap_free(self);
}

static int join_cells(void *self, void *later)
{
	struct analyze_coremap *m = self;
	const struct analyze_coremap *l = later;

	for (size_t i = 0; i < l->cells.n; i++) {
		struct analyze_core_cell *cell =
			cell_of(m, l->cells.at[i].task, l->cells.at[i].cpu);

		if (cell == &m->spill)
			return -ENOMEM;
		cell->run_ns += l->cells.at[i].run_ns;
		cell->edge_ns += l->cells.at[i].edge_ns;
		cell->switches += l->cells.at[i].switches;
	}
	for (uint32_t c = 0; c < m->n_queues; c++) {
		m->cpus[c].busy_ns += l->cpus[c].busy_ns;
		m->cpus[c].idle_ns += l->cpus[c].idle_ns;
		m->cpus[c].unknown_ns += l->cpus[c].unknown_ns;
		m->cpus[c].switches += l->cpus[c].switches;
	}
	return 0;
}

static const struct analyze_ops ops = {
	.run = on_run,
	.sw = on_switch,
	.start = on_start,
	.finish = on_finish,
	.resumes = true,
	.part = part,
	.part_free = part_free,
	.join = join_cells,
};

/* ---- run queues ---- */

/* Books the time from since_ns to @t_ns, in which the length was the same and known. */
static inline void account(struct analyze_coremap *m, struct queue *cpu, uint64_t t_ns)
{
	uint64_t from_ns = cpu->since_ns, to_ns = t_ns, *at_ns, ns;

	ns = analyze_engine_clip(m->eng, from_ns, to_ns);
	cpu->since_ns = t_ns;
	if (!ns)
		return;
	at_ns = row_at(&cpu->at_ns, cpu->length);
	if (at_ns)
		*at_ns += ns;
	else
		analyze_engine_out_of_memory(m->eng);
	if (cpu->length > cpu->row->max && analyze_engine_part(m->eng, &from_ns, &to_ns)) {
		cpu->row->max = cpu->length;
		cpu->row->max_at_ns = from_ns;
	}
}

static void stay_ends(struct analyze_coremap *m, struct queue *cpu, uint64_t t_ns)
{
	uint64_t from_ns = cpu->above_at_ns, to_ns = t_ns;

	if (cpu->stays) {
		cpu->stays = false;
		cpu->stayed_ns = t_ns;
		return;
	}
	for (; analyze_engine_part(m->eng, &from_ns, &to_ns); from_ns = to_ns, to_ns = t_ns) {
		if (to_ns - from_ns <= cpu->row->stay_ns)
			continue;
		cpu->row->stay_ns = to_ns - from_ns;
		cpu->row->stay_at_ns = from_ns;
	}
}

static void change(struct analyze_coremap *m, uint32_t c, bool one_more, uint64_t t_ns)
{
	struct queue *cpu = &m->queues[c];

	account(m, cpu, t_ns);
	if (one_more) {
		if (++cpu->length == 2)
			cpu->above_at_ns = t_ns;
	} else if (--cpu->length == 1) {
		stay_ends(m, cpu, t_ns);
	}
}

static void report(const struct analyze_coremap *m, uint32_t task, uint32_t cpu, uint64_t t_ns)
{
	if (m->on_wait)
		m->on_wait(m->on_wait_ctx, task, cpu, t_ns);
}

/* Advances to @t_ns: at the begin of a gap all waits are dropped, and the time in it counts for no
 * length. */
static void pass(struct analyze_coremap *m, uint64_t t_ns)
{
	uint64_t gap;

	if (t_ns <= m->gap_ns) {
		m->seen_ns = t_ns;
		return;
	}
	gap = analyze_engine_gap(m->eng, false, CDICT_CPU_UNKNOWN, m->seen_ns, t_ns);
	while (gap != ANALYZE_NO_TIME) {
		uint64_t end = analyze_engine_gap_end(m->eng, gap, t_ns);

		m->gap++;
		report(m, ANALYZE_NO_TASK, CDICT_CPU_UNKNOWN, gap);
		for (uint32_t c = 0; c < m->n_queues; c++) {
			struct queue *cpu = &m->queues[c];

			account(m, cpu, gap);
			if (cpu->length > 1)
				stay_ends(m, cpu, gap);
			cpu->length = 0;
			cpu->since_ns = end;
		}
		gap = end < t_ns ? analyze_engine_gap(m->eng, false, CDICT_CPU_UNKNOWN, end, t_ns)
				 : ANALYZE_NO_TIME;
	}
	m->seen_ns = t_ns;
	m->gap_ns = analyze_engine_gap(m->eng, false, CDICT_CPU_UNKNOWN, t_ns, UINT64_MAX);
}

/* The task's wait, NULL if it is not known to wait. */
static struct waiting *who_waits(struct analyze_coremap *m, uint32_t task)
{
	struct waiting *w = task < m->waiting.n ? &m->waiting.at[task] : NULL;

	return w && w->cpu && w->gap == m->gap ? w : NULL;
}

/* The CPU + 1; 0: none. */
static uint32_t waits_for(const struct analyze_coremap *m, uint32_t task)
{
	const struct waiting *w = task < m->waiting.n ? &m->waiting.at[task] : NULL;

	return w && w->gap == m->gap ? w->cpu : 0;
}

/* Whether the task waited. */
static bool unqueue(struct analyze_coremap *m, uint32_t task, uint64_t t_ns)
{
	struct waiting *w = who_waits(m, task);

	if (!w)
		return false;
	if (w->cpu <= m->n_queues)
		change(m, w->cpu - 1, false, t_ns);
	w->cpu = 0;
	return true;
}

static void leave(struct analyze_coremap *m, uint32_t task, uint64_t t_ns)
{
	if (unqueue(m, task, t_ns))
		report(m, task, CDICT_CPU_UNKNOWN, t_ns);
}

/* A CPU outside of the recording has no queue, but a task that waits for it still waits. */
static struct waiting waiting_for(const struct analyze_coremap *m, uint32_t cpu)
{
	return (struct waiting){ .cpu = (cpu < m->n_queues ? cpu : m->n_queues) + 1,
				 .gap = m->gap };
}

static void join(struct analyze_coremap *m, uint32_t task, uint32_t cpu, uint64_t t_ns)
{
	struct waiting *w = row_at(&m->waiting, task);

	unqueue(m, task, t_ns);
	if (!w) {
		analyze_engine_out_of_memory(m->eng);
		return;
	}
	*w = waiting_for(m, cpu);
	report(m, task, cpu, t_ns);
	if (cpu < m->n_queues)
		change(m, cpu, true, t_ns);
}

static bool is_idle(const struct analyze_coremap *m, uint32_t task)
{
	return !analyze_engine_task(m->eng, task)->tid;
}

static void queue_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_coremap *m = self;

	pass(m, sw->t_ns);
	if (sw->cpu < m->n_queues)
		m->queues[sw->cpu].row->seen = true;
	/* First add, then remove: if the length is the same afterwards, its stretch goes on. */
	if (sw->involuntary)
		join(m, sw->prev, sw->cpu, sw->t_ns);
	else
		leave(m, sw->prev, sw->t_ns); /* it ran, but its switch-in was not seen */
	leave(m, sw->next, sw->t_ns);
}

static void queue_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_coremap *m = self;
	uint32_t cpu = wake->target_cpu;
	struct waiting *w;

	pass(m, wake->t_ns);
	w = who_waits(m, wake->task);
	if (cpu == CDICT_CPU_UNKNOWN)
		cpu = w ? w->cpu - 1 : analyze_engine_last_cpu(m->eng, wake->task);
	if (!is_idle(m, wake->task) && (w ? w->cpu - 1 != cpu : wake->first))
		join(m, wake->task, cpu, wake->t_ns);
}

static void queue_sched(void *self, const struct analyze_sched *ev)
{
	struct analyze_coremap *m = self;
	struct waiting *w;

	if (ev->kind != ANALYZE_KIND_MIGRATE)
		return;
	pass(m, ev->t_ns);
	w = who_waits(m, ev->task);
	if (w && w->cpu - 1 != ev->dest_cpu)
		join(m, ev->task, ev->dest_cpu, ev->t_ns);
}

static int queue_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_coremap *m = self;
	uint64_t from_ns, to_ns, window_to_ns;

	(void)schema;
	analyze_engine_walk(m->eng, &from_ns, &to_ns);
	analyze_engine_window(m->eng, &m->from_ns, &window_to_ns);
	m->seen_ns = from_ns;
	m->gap_ns = analyze_engine_gap(m->eng, false, CDICT_CPU_UNKNOWN, from_ns, UINT64_MAX);
	m->queues = calloc((size_t)analyze_engine_cpus(m->eng) + 1, sizeof(*m->queues));
	if (!m->queues)
		return cdict_fail_nomem(err);
	m->n_queues = analyze_engine_cpus(m->eng);
	for (uint32_t c = 0; c < m->n_queues; c++) {
		m->queues[c].since_ns = from_ns;
		m->queues[c].row = &m->cpus[c].queue;
	}
	return 0;
}

/* The smallest length not exceeded for @percent of the known time. */
static uint32_t percentile(const struct queue *cpu, unsigned percent)
{
	uint64_t known = cpu->row->known_ns, below = 0;
	/* known * percent / 100, rounded up, without overflow */
	uint64_t want = known / 100 * percent + (known % 100 * percent + 99) / 100;

	for (size_t length = 0; length < cpu->at_ns.n; length++) {
		below += cpu->at_ns.at[length];
		if (below >= want)
			return (uint32_t)length;
	}
	return 0;
}

static int queue_finish(void *self, struct cdict_error *err)
{
	struct analyze_coremap *m = self;
	uint64_t from_ns, to_ns;

	(void)err;
	analyze_engine_walk(m->eng, &from_ns, &to_ns);
	pass(m, to_ns);
	for (uint32_t c = 0; c < m->n_queues; c++) {
		struct queue *cpu = &m->queues[c];

		cpu->row->seen |= analyze_engine_has_switches(m->eng, c);
		account(m, cpu, to_ns);
		if (cpu->length > 1)
			stay_ends(m, cpu, to_ns);
		for (size_t length = 0; length < cpu->at_ns.n; length++) {
			cpu->row->known_ns += cpu->at_ns.at[length];
			cpu->row->waited_ns += cpu->at_ns.at[length] * length;
			cpu->row->above_ns += length > 1 ? cpu->at_ns.at[length] : 0;
		}
		cpu->row->p50 = percentile(cpu, 50);
		cpu->row->p99 = percentile(cpu, 99);
	}
	return 0;
}

static void queue_resume(void *self, const struct analyze_resume *r)
{
	struct analyze_coremap *m = self;
	struct waiting *w = r->waits ? row_at(&m->waiting, r->task) : NULL;

	pass(m, analyze_engine_now(m->eng));
	if (r->waits && !w)
		analyze_engine_out_of_memory(m->eng);
	if (!w)
		return;
	*w = waiting_for(m, r->wait_cpu);
	report(m, r->task, r->wait_cpu, r->wait_ns);
	if (r->wait_cpu >= m->n_queues)
		return;
	m->queues[r->wait_cpu].length++;
	m->queues[r->wait_cpu].above_at_ns = m->from_ns;
}

static int queue_begun(void *self)
{
	struct analyze_coremap *m = self;

	pass(m, analyze_engine_now(m->eng));
	if (array_resize(&m->begin, m->waiting.n))
		return -ENOMEM;
	for (size_t i = 0; i < m->waiting.n; i++)
		m->begin.at[i] = waits_for(m, (uint32_t)i);
	for (uint32_t c = 0; c < m->n_queues; c++) {
		struct queue *cpu = &m->queues[c];

		array_fini(&cpu->at_ns);
		*cpu->row = (struct analyze_core_queue){ 0 };
		cpu->since_ns = m->seen_ns;
		cpu->begin_length = cpu->length;
		cpu->stays = cpu->length > 1;
	}
	return 0;
}

static bool queue_agrees(const void *self, const void *later)
{
	const struct analyze_coremap *m = self, *l = later;
	size_t n = m->waiting.n > l->begin.n ? m->waiting.n : l->begin.n;

	for (uint32_t c = 0; c < m->n_queues; c++)
		if (m->queues[c].length != l->queues[c].begin_length)
			return false;
	for (size_t i = 0; i < n; i++)
		if (waits_for(m, (uint32_t)i) != (i < l->begin.n ? l->begin.at[i] : 0))
			return false;
	return true;
}

static int join_queue(struct analyze_coremap *m, struct queue *cpu, struct queue *later)
{
	struct analyze_core_queue *row = cpu->row;

	account(m, cpu, analyze_engine_cut(m->eng));
	if (later->begin_length > 1 && !later->stays)
		stay_ends(m, cpu, later->stayed_ns);
	if (!later->stays)
		cpu->above_at_ns = later->above_at_ns;
	if (later->row->stay_ns > row->stay_ns) {
		row->stay_ns = later->row->stay_ns;
		row->stay_at_ns = later->row->stay_at_ns;
	}
	if (later->row->max > row->max) {
		row->max = later->row->max;
		row->max_at_ns = later->row->max_at_ns;
	}
	row->seen |= later->row->seen;
	for (size_t i = 0; i < later->at_ns.n; i++) {
		uint64_t *at_ns = row_at(&cpu->at_ns, i);

		if (!at_ns)
			return -ENOMEM;
		*at_ns += later->at_ns.at[i];
	}
	cpu->length = later->length;
	cpu->since_ns = later->since_ns;
	return 0;
}

static int queue_join(void *self, void *later)
{
	struct analyze_coremap *m = self, *l = later;
	int ret = 0;

	for (uint32_t c = 0; c < m->n_queues && !ret; c++)
		ret = join_queue(m, &m->queues[c], &l->queues[c]);
	for (size_t i = 0; i < l->waiting.n && !ret; i++) {
		struct waiting *w = row_at(&m->waiting, i);

		if (w)
			*w = l->waiting.at[i];
		ret = w ? 0 : -ENOMEM;
	}
	m->gap = l->gap;
	m->gap_ns = l->gap_ns;
	m->seen_ns = l->seen_ns;
	return ret;
}

static const struct analyze_ops queue_ops = {
	.needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE),
	.all_cpus = true, /* a task that waits for a CPU may be switched in on another one */
	.sw = queue_switch,
	.wake = queue_wake,
	.late_wakes = true,
	.sched = queue_sched,
	.start = queue_start,
	.finish = queue_finish,
	.resumes = true,
	.resume = queue_resume,
	.begun = queue_begun,
	.agrees = queue_agrees,
	.join = queue_join,
};

int analyze_coremap_new(struct analyze_coremap **out, struct analyze_engine *eng,
			struct cdict_error *err)
{
	struct analyze_coremap *m = calloc(1, sizeof(*m));
	int ret;

	*out = NULL;
	if (!m)
		return cdict_fail_nomem(err);
	m->eng = eng;
	ret = analyze_engine_add(eng, &ops, m, err);
	if (!ret) /* after ops: its start allocates the rows */
		ret = analyze_engine_add(eng, &queue_ops, m, err);
	if (ret) {
		free(m);
		return ret;
	}
	*out = m;
	return 0;
}

void analyze_coremap_free(struct analyze_coremap *m)
{
	if (!m)
		return;
	array_fini(&m->cells);
	free(m->cpus);
	free(m->last);
	for (uint32_t c = 0; c < m->n_queues; c++)
		array_fini(&m->queues[c].at_ns);
	free(m->queues);
	array_fini(&m->waiting);
	array_fini(&m->begin);
	places_fini(&m->places);
	free(m->order);
	free(m);
}

void analyze_coremap_on_wait(struct analyze_coremap *m, analyze_core_wait_fn *on_wait, void *ctx)
{
	m->on_wait = on_wait;
	m->on_wait_ctx = ctx;
}

size_t analyze_coremap_count(const struct analyze_coremap *m)
{
	return m->cells.n;
}

const struct analyze_core_cell *analyze_coremap_at(const struct analyze_coremap *m, size_t i)
{
	return &m->cells.at[m->order[i]];
}

const struct analyze_core_cpu *analyze_coremap_cpu(const struct analyze_coremap *m, uint32_t cpu)
{
	return &m->cpus[cpu];
}
