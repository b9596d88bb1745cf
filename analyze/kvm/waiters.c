// SPDX-License-Identifier: LGPL-2.1-only
/* waiters.c - see waiters.h. */
#include "analyze/kvm/waiters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/ops.h"

#define LOOK_BACK 8

int waiters_init(struct waiters *ws, struct analyze_engine *eng)
{
	uint32_t cpus = analyze_engine_cpus(eng);

	memset(ws, 0, sizeof(*ws));
	ws->eng = eng;
	ws->cpus = calloc((size_t)cpus + 1, sizeof(*ws->cpus));
	if (!ws->cpus)
		return -ENOMEM;
	ws->n_cpus = cpus;
	return 0;
}

void waiters_fini(struct waiters *ws)
{
	for (uint32_t c = 0; c < ws->n_cpus; c++)
		array_fini(&ws->cpus[c].all);
	free(ws->cpus);
	array_fini(&ws->antagonists);
	array_fini(&ws->where);
	for (size_t i = 0; i < ws->booked.n; i++)
		array_fini(&ws->booked.at[i].all);
	array_fini(&ws->booked);
	index_fini(&ws->index);
	memset(ws, 0, sizeof(*ws));
}

struct analyze_antagonist *waiters_antagonist(struct waiters *ws, uint32_t task, uint32_t runner)
{
	struct analyze_antagonist *a =
		row_at(&ws->antagonists, index_take(&ws->index, task, runner));

	if (a)
		a->task = runner;
	else
		analyze_engine_out_of_memory(ws->eng);
	return a;
}

/* Books @ns in a window to its last booking of @runner on @cpu. */
static void book_part(struct waiters *ws, struct booking_list *list, uint32_t cpu, uint32_t runner,
		      uint32_t window, uint64_t ns)
{
	struct booking *b = NULL;

	/* A short look back keeps the list short; merge() does the rest when it is counted. */
	for (size_t i = list->all.n; !b && i && i + LOOK_BACK > list->all.n; i--)
		if (list->all.at[i - 1].runner == runner && list->all.at[i - 1].cpu == cpu &&
		    list->all.at[i - 1].window == window)
			b = &list->all.at[i - 1];
	if (!b) {
		b = array_add(&list->all);
		if (!b) {
			analyze_engine_out_of_memory(ws->eng);
			return;
		}
		b->runner = runner;
		b->cpu = cpu;
		b->window = window;
	}
	b->slices++;
	b->ns += ns;
}

static void book(struct waiters *ws, struct waiter *w, uint32_t cpu, uint32_t runner,
		 uint64_t from_ns, uint64_t to_ns)
{
	uint64_t end_ns = to_ns;

	if (from_ns < w->booked_ns)
		from_ns = w->booked_ns;
	if (to_ns <= from_ns)
		return;
	w->booked_ns = to_ns;
	if (!analyze_engine_counts(ws->eng, cpu))
		return;
	if (ws->on_held)
		ws->on_held(ws->on_held_ctx, w->task, runner, cpu, from_ns, to_ns);
	for (; analyze_engine_part(ws->eng, &from_ns, &to_ns); from_ns = to_ns, to_ns = end_ns) {
		if (to_ns - from_ns > w->top_ns) {
			w->top_ns = to_ns - from_ns;
			w->top = runner;
		}
		book_part(ws, &ws->booked.at[w->task], cpu, runner,
			  (uint32_t)analyze_engine_window_of(ws->eng, from_ns), to_ns - from_ns);
	}
}

void waiters_ran(struct waiters *ws, uint32_t cpu, uint32_t task, uint64_t start_ns,
		 uint64_t end_ns)
{
	struct waiter_list *list = &ws->cpus[cpu];

	for (size_t i = 0; i < list->all.n; i++)
		book(ws, &list->all.at[i], cpu, task, start_ns, end_ns);
}

static struct waiter *find_waiter(const struct waiters *ws, uint32_t task)
{
	uint32_t cpu = task < ws->where.n ? ws->where.at[task] : 0;

	for (size_t i = 0; cpu && i < ws->cpus[cpu - 1].all.n; i++)
		if (ws->cpus[cpu - 1].all.at[i].task == task)
			return &ws->cpus[cpu - 1].all.at[i];
	return NULL;
}

void waiters_waited(struct waiters *ws, uint32_t task, uint32_t cpu, uint32_t runner,
		    uint64_t from_ns, uint64_t to_ns)
{
	struct waiter *w = find_waiter(ws, task);

	if (w && runner != ANALYZE_NO_TASK)
		book(ws, w, cpu, runner, from_ns, to_ns);
	else if (w && to_ns > w->booked_ns)
		w->booked_ns = to_ns; /* unknown, but not to be booked to the next CPU either */
}

uint32_t waiters_top(const struct waiters *ws, uint32_t task)
{
	uint32_t cpu = task < ws->where.n ? ws->where.at[task] : 0, runs;
	const struct waiter *w = find_waiter(ws, task);
	uint64_t since;

	if (!w)
		return ANALYZE_NO_TASK;
	runs = analyze_engine_running(ws->eng, cpu - 1, &since);
	if (since < w->booked_ns)
		since = w->booked_ns;
	if (runs != ANALYZE_NO_TASK && runs != task &&
	    analyze_engine_clip(ws->eng, since, analyze_engine_now(ws->eng)) > w->top_ns)
		return runs;
	return w->top;
}

static void add_waiter(struct waiters *ws, const struct waiter *w, uint32_t cpu)
{
	if (!row_at(&ws->where, w->task) || !row_at(&ws->booked, w->task) ||
	    (cpu < ws->n_cpus && array_push(&ws->cpus[cpu].all, *w)))
		analyze_engine_out_of_memory(ws->eng);
	else if (cpu < ws->n_cpus)
		ws->where.at[w->task] = cpu + 1;
}

/* Books what runs on its CPU up to now, and takes @task from the CPU's list. */
static bool take_out(struct waiters *ws, uint32_t task, struct waiter *out)
{
	struct waiter_list *list;
	uint32_t cpu, runs;
	uint64_t since;

	if (task >= ws->where.n || !ws->where.at[task])
		return false;
	cpu = ws->where.at[task] - 1;
	ws->where.at[task] = 0;
	list = &ws->cpus[cpu];
	for (size_t i = 0; i < list->all.n; i++) {
		if (list->all.at[i].task != task)
			continue;
		/* At a switch-in of @task itself the engine has already reported the piece: nothing
		 * is left to book. */
		runs = analyze_engine_running(ws->eng, cpu, &since);
		if (runs != ANALYZE_NO_TASK && runs != task)
			book(ws, &list->all.at[i], cpu, runs, since, analyze_engine_now(ws->eng));
		*out = list->all.at[i];
		out->cpu = cpu;
		list->all.at[i] = list->all.at[--list->all.n];
		return true;
	}
	return false;
}

void waiters_add(struct waiters *ws, uint32_t task, uint32_t cpu, uint64_t since_ns, bool woken)
{
	struct waiter w = { .task = task,
			    .woken = woken,
			    .since_ns = since_ns,
			    .booked_ns = since_ns,
			    .top = ANALYZE_NO_TASK,
			    .held_by = ANALYZE_NO_TASK };
	struct waiter old;

	waiters_end(ws, task, WAIT_BROKEN, &old);
	add_waiter(ws, &w, cpu);
}

static int by_who_and_where(const void *x, const void *y)
{
	const struct booking *a = x, *b = y;

	if (a->runner != b->runner)
		return a->runner < b->runner ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->window < b->window ? -1 : a->window > b->window;
}

/* Merges the bookings of the same task, CPU and window. */
static void merge(struct booking_list *list)
{
	size_t n = 0;

	if (list->all.n < LOOK_BACK)
		return;
	qsort(list->all.at, list->all.n, sizeof(*list->all.at), by_who_and_where);
	for (size_t i = 0; i < list->all.n; i++) {
		struct booking *b = &list->all.at[i], *last = n ? &list->all.at[n - 1] : NULL;

		if (!last || by_who_and_where(last, b)) {
			list->all.at[n++] = *b;
			continue;
		}
		last->slices += b->slices;
		last->ns += b->ns;
	}
	list->all.n = n;
}

/* Keeps the wait in which it held a CPU longest; of equal ones the earliest. */
static void keep_worst(struct analyze_antagonist *a, const struct analyze_wait *wait,
		       uint64_t held_ns)
{
	if (held_ns < a->worst_held_ns ||
	    (held_ns == a->worst_held_ns && a->worst.dur_ns && a->worst.at_ns <= wait->at_ns))
		return;
	a->worst_held_ns = held_ns;
	a->worst = *wait;
}

bool waiters_end(struct waiters *ws, uint32_t task, enum wait_end how, struct waiter *out)
{
	struct booking_list *list;
	bool waited = take_out(ws, task, out);
	uint64_t from_ns, to_ns, now_ns = analyze_engine_now(ws->eng);
	size_t longest;

	if (task >= ws->booked.n)
		return waited;
	list = &ws->booked.at[task];
	if (how == WAIT_BROKEN || !waited) {
		list->all.n = 0;
		return waited;
	}
	merge(list);
	from_ns = out->since_ns;
	to_ns = now_ns;
	analyze_engine_longest(ws->eng, &from_ns, &to_ns);
	longest = analyze_engine_window_of(ws->eng, from_ns);
	for (size_t i = 0; i < list->all.n; i++) {
		const struct booking *b = &list->all.at[i];
		struct analyze_antagonist *a = waiters_antagonist(ws, task, b->runner);
		struct analyze_wait wait = {
			.cpu = b->cpu,
			.state = out->woken ? ANALYZE_VCPU_WAITING : ANALYZE_VCPU_PREEMPTED,
			.behind = b->runner,
		};

		if (!a)
			break;
		if (b->window == longest && b->ns > out->held_ns) {
			out->held_by = b->runner;
			out->held_cpu = b->cpu;
			out->held_ns = b->ns;
		}
		a->cpu = !analyze_behind_ns(a) || a->cpu == b->cpu ? b->cpu : CDICT_CPU_UNKNOWN;
		a->slices += b->slices;
		*(out->woken ? &a->waiting_ns : &a->preempted_ns) += b->ns;
		analyze_engine_window_at(ws->eng, b->window, &from_ns, &to_ns);
		wait.at_ns = out->since_ns > from_ns ? out->since_ns : from_ns;
		wait.dur_ns = (now_ns < to_ns ? now_ns : to_ns) - wait.at_ns;
		keep_worst(a, &wait, b->ns);
	}
	list->all.n = 0;
	return waited;
}

void waiters_move(struct waiters *ws, uint32_t task, uint32_t cpu, uint64_t t_ns)
{
	struct waiter w;

	if (!take_out(ws, task, &w))
		return;
	w.booked_ns = t_ns;
	add_waiter(ws, &w, cpu);
}

int waiters_begin(struct waiters *ws, struct waiters *to)
{
	ws->antagonists.n = 0;
	index_fini(&ws->index);
	if (waiters_init(to, ws->eng) || array_resize(&to->where, ws->where.n) ||
	    array_resize(&to->booked, ws->booked.n))
		return -ENOMEM;
	if (ws->where.n)
		memcpy(to->where.at, ws->where.at, ws->where.n * sizeof(*ws->where.at));
	for (uint32_t c = 0; c < ws->n_cpus; c++)
		for (size_t i = 0; i < ws->cpus[c].all.n; i++)
			if (array_push(&to->cpus[c].all, ws->cpus[c].all.at[i]))
				return -ENOMEM;
	for (size_t i = 0; i < ws->booked.n; i++)
		for (size_t k = 0; k < ws->booked.at[i].all.n; k++)
			if (array_push(&to->booked.at[i].all, ws->booked.at[i].all.at[k]))
				return -ENOMEM;
	return 0;
}

bool waiters_same(const struct waiters *a, const struct waiters *b, uint32_t task)
{
	const struct waiter *w = find_waiter(a, task), *v = find_waiter(b, task);
	const struct booking_list *x, *y;

	if (!w || !v)
		return !w == !v;
	x = &a->booked.at[task];
	y = &b->booked.at[task];
	if (a->where.at[task] != b->where.at[task] || w->woken != v->woken ||
	    w->since_ns != v->since_ns || w->booked_ns != v->booked_ns || w->top != v->top ||
	    w->top_ns != v->top_ns || x->all.n != y->all.n)
		return false;
	for (size_t i = 0; i < x->all.n; i++)
		if (by_who_and_where(&x->all.at[i], &y->all.at[i]) ||
		    x->all.at[i].ns != y->all.at[i].ns ||
		    x->all.at[i].slices != y->all.at[i].slices)
			return false;
	return true;
}

int waiters_join(struct waiters *ws, struct waiters *later)
{
	struct waiters was;

	for (size_t i = 0; i < later->antagonists.n; i++) {
		const struct analyze_antagonist *from = &later->antagonists.at[i];
		struct analyze_antagonist *a =
			waiters_antagonist(ws, (uint32_t)later->index.keys.at[i].a, from->task);

		if (!a)
			return -ENOMEM;
		if (analyze_behind_ns(from))
			a->cpu = !analyze_behind_ns(a) || a->cpu == from->cpu ? from->cpu
									      : CDICT_CPU_UNKNOWN;
		a->preempted_ns += from->preempted_ns;
		a->waiting_ns += from->waiting_ns;
		a->slices += from->slices;
		a->took_over += from->took_over;
		if (from->worst.dur_ns)
			keep_worst(a, &from->worst, from->worst_held_ns);
	}
	was = *ws;
	ws->cpus = later->cpus;
	ws->where = later->where;
	ws->booked = later->booked;
	later->cpus = was.cpus;
	later->where = was.where;
	later->booked = was.booked;
	return 0;
}

struct pair {
	uint32_t task;
	struct analyze_antagonist a;
};

static int by_task_and_time(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;
	uint64_t pn = analyze_behind_ns(&p->a), qn = analyze_behind_ns(&q->a);

	if (p->task != q->task)
		return p->task < q->task ? -1 : 1;
	if (pn != qn)
		return pn > qn ? -1 : 1;
	return p->a.task < q->a.task ? -1 : p->a.task > q->a.task;
}

int waiters_sort(const struct waiters *ws, struct analyze_vcpu_row *rows, size_t n,
		 struct analyze_antagonist **out)
{
	size_t all = ws->antagonists.n;
	struct pair *pairs = calloc(all ? all : 1, sizeof(*pairs));
	struct analyze_antagonist *flat = calloc(all ? all : 1, sizeof(*flat));

	if (!pairs || !flat) {
		free(pairs);
		free(flat);
		return -ENOMEM;
	}
	for (size_t i = 0; i < all; i++)
		pairs[i] = (struct pair){ (uint32_t)ws->index.keys.at[i].a, ws->antagonists.at[i] };
	if (all)
		qsort(pairs, all, sizeof(*pairs), by_task_and_time);
	for (size_t i = 0; i < all; i++)
		flat[i] = pairs[i].a;
	for (size_t r = 0; r < n; r++) {
		size_t lo = index_first(pairs, all, sizeof(*pairs), rows[r].task);

		rows[r].antagonists = flat + lo;
		while (lo < all && pairs[lo].task == rows[r].task) {
			rows[r].behind_ns += flat[lo].preempted_ns + flat[lo].waiting_ns;
			rows[r].n_antagonists++;
			lo++;
		}
	}
	free(pairs);
	*out = flat;
	return 0;
}
