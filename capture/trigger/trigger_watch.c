/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracks what each task waits for, note by note in time order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "capture/host/tracefs.h"
#include "capture/trigger/trigger_internal.h"

/* The period of a steal value. */
#define WINDOW_NS UINT64_C(1000000000)
/* Below this number, ended tasks are kept. */
#define TASKS_MIN 1024

struct watched {
	int32_t tid;
	bool running;
	bool seen;     /* switched in or out: its state is known */
	bool unsure;   /* woken, but may be running: its switch-out was not recorded */
	bool reported; /* its present wait is reported already */
	bool early;    /* woken in its last slice: if not woken again, it waits since out_ns */
	char comm[16];
	uint64_t woken_ns;  /* waits for its CPU since then; 0: does not wait */
	uint64_t ready_ns;  /* like woken_ns, or since it was preempted */
	uint64_t out_ns;    /* sleeps since then; 0: does not sleep */
	uint64_t exit_ns;   /* when the vCPU left the guest; 0: it is in the guest */
	uint64_t window_ns; /* start of the window of stolen_ns */
	uint64_t stolen_ns;
};

struct watcher {
	struct trigger_spec spec;
	struct task_pattern *pattern;
	bool waking_alone; /* sched_wakeup is not recorded */
	ARRAY(struct watched) tasks;
	struct map places; /* index in tasks, by tid */
	size_t most;       /* number of tasks at which ended ones are removed */
	uint64_t blind_ns; /* until then events were lost */
};

struct watcher *watcher_new(const struct trigger_options *opts, const struct trigger_spec *spec,
			    struct task_pattern *tasks)
{
	struct watcher *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->spec = *spec;
	w->pattern = tasks;
	w->waking_alone = !cdict_schema_find(opts->schema, "sched:sched_wakeup");
	w->most = TASKS_MIN;
	return w;
}

static void forget_all(struct watcher *w)
{
	array_fini(&w->tasks);
	map_fini(&w->places);
}

void watcher_free(struct watcher *w)
{
	if (!w)
		return;
	forget_all(w);
	free(w);
}

static bool is_known(const struct watched *t)
{
	return t->seen || t->woken_ns || t->exit_ns;
}

/* The index of @tid, added if new; NULL: out of memory. */
static uint32_t *place_of(struct watcher *w, int32_t tid)
{
	return map_add(&w->places, (uint32_t)tid, 0);
}

/* Removes ended tasks. */
static void forget_ended(struct watcher *w)
{
	size_t kept = 0;

	map_fini(&w->places);
	for (size_t i = 0; i < w->tasks.n; i++) {
		uint32_t *place = is_known(&w->tasks.at[i]) ? place_of(w, w->tasks.at[i].tid)
							    : NULL;

		if (!place)
			continue;
		*place = (uint32_t)kept;
		w->tasks.at[kept++] = w->tasks.at[i];
	}
	w->tasks.n = kept;
	w->most = kept > TASKS_MIN / 2 ? 2 * kept : TASKS_MIN;
}

/* NULL: the idle task, or out of memory. */
static struct watched *task_of(struct watcher *w, int32_t tid)
{
	struct watched *t;
	uint32_t *place;

	if (tid <= 0)
		return NULL;
	if (w->tasks.n >= w->most)
		forget_ended(w);
	place = place_of(w, tid);
	if (!place)
		return NULL;
	if (*place != MAP_NEW)
		return &w->tasks.at[*place];
	t = array_add(&w->tasks);
	if (!t)
		return NULL;
	t->tid = tid;
	*place = (uint32_t)w->tasks.n - 1;
	return t;
}

static const char *plain(const char *comm, char out[16])
{
	for (int i = 0; i < 16; i++)
		out[i] = comm[i] && (comm[i] < ' ' || comm[i] > '~') ? '?' : comm[i];
	out[15] = '\0';
	return out;
}

/* A vCPU may spin for long without a recorded switch-in: gets its name from /proc. */
static void find_comm(struct watched *t)
{
	char path[32], *text;

	if (*t->comm)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", t->tid);
	text = tracefs_read(path, NULL);
	if (text)
		snprintf(t->comm, sizeof(t->comm), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static bool hit_ns(const struct watcher *w, struct watched *t, const char *what, uint64_t ns,
		   uint64_t now_ns, struct trigger_hit *hit)
{
	char comm[16];

	if (t->reported || ns <= w->spec.limit_ns)
		return false;
	find_comm(t);
	if (!task_pattern_matches(w->pattern, t->comm))
		return false;
	t->reported = true;
	*hit = (struct trigger_hit){ .t_ns = now_ns, .tid = t->tid, .ns = ns };
	memcpy(hit->comm, t->comm, sizeof(hit->comm));
	snprintf(hit->text, sizeof(hit->text),
		 "%s of %s (%" PRId32 ") was %.3f ms at %" PRIu64 ".%09" PRIu64 " s", what,
		 plain(t->comm, comm), t->tid, (double)ns / 1e6, now_ns / 1000000000,
		 now_ns % 1000000000);
	return true;
}

/* Advances the steal of @t to @now_ns; true when a window that ended exceeded the limit. */
static bool steal(struct watcher *w, struct watched *t, uint64_t now_ns, struct trigger_hit *hit)
{
	bool found = false;

	if (t->unsure)
		return false;
	if (!t->window_ns)
		t->window_ns = t->ready_ns ? t->ready_ns : now_ns;
	while (now_ns >= t->window_ns + WINDOW_NS) {
		uint64_t end = t->window_ns + WINDOW_NS;
		uint64_t since = t->ready_ns > t->window_ns ? t->ready_ns : t->window_ns;
		double pct;
		char comm[16];

		if (t->ready_ns && since < end)
			t->stolen_ns += end - since;
		pct = 100.0 * (double)t->stolen_ns / (double)WINDOW_NS;
		if (pct > w->spec.limit_pct)
			find_comm(t);
		if (pct > w->spec.limit_pct && task_pattern_matches(w->pattern, t->comm)) {
			found = true;
			*hit = (struct trigger_hit){ .t_ns = end, .tid = t->tid, .pct = pct };
			memcpy(hit->comm, t->comm, sizeof(hit->comm));
			snprintf(hit->text, sizeof(hit->text),
				 "steal of %s (%" PRId32
				 ") was %.1f %% in the second before %" PRIu64 ".%09" PRIu64 " s",
				 plain(t->comm, comm), t->tid, pct, end / 1000000000,
				 end % 1000000000);
		}
		t->stolen_ns = 0;
		/* Skip windows in which the task slept throughout. */
		t->window_ns = t->ready_ns || now_ns < end + WINDOW_NS ? end : now_ns;
	}
	return found;
}

static void add_ready(struct watched *t, uint64_t until_ns)
{
	uint64_t since = t->ready_ns > t->window_ns ? t->ready_ns : t->window_ns;

	if (t->ready_ns && until_ns > since)
		t->stolen_ns += until_ns - since;
	t->ready_ns = 0;
}

static bool on_wake(struct watcher *w, const struct note *n, struct trigger_hit *hit)
{
	struct watched *t = task_of(w, n->tid);
	bool found = false;

	if (!t)
		return false;
	if (n->flag) /* the previous task of this tid has ended, recorded or not */
		*t = (struct watched){ .tid = n->tid };
	memcpy(t->comm, n->comm, sizeof(t->comm));
	if (w->spec.kind == TRIGGER_STEAL)
		found = steal(w, t, n->t_ns, hit);
	t->early |= t->running && w->waking_alone;
	if (t->running || t->woken_ns || t->ready_ns)
		return found;
	t->woken_ns = t->ready_ns = n->t_ns;
	t->unsure = !t->seen && !n->flag;
	if (w->spec.kind == TRIGGER_LATENCY || w->spec.kind == TRIGGER_DELAY)
		t->reported = false;
	return found;
}

static bool on_switch(struct watcher *w, const struct note *n, struct trigger_hit *hit)
{
	struct watched *prev = task_of(w, n->tid), *next;
	bool found = false;

	if (prev && prev->unsure) /* it was running, and was woken before it slept */
		*prev = (struct watched){ .tid = prev->tid };
	if (prev) {
		if (w->spec.kind == TRIGGER_STEAL)
			found = steal(w, prev, n->t_ns, hit);
		prev->running = false;
		prev->seen = true;
		prev->woken_ns = 0;
		prev->ready_ns = n->flag ? n->t_ns : 0;
		if (w->spec.kind == TRIGGER_DELAY) /* a wait begins */
			prev->reported = false;
		prev->out_ns = n->flag ? 0 : n->t_ns;
	}
	if (prev && n->gone) /* its tid may be reused soon */
		*prev = (struct watched){ .tid = prev->tid };
	next = task_of(w, n->next); /* may move prev */
	if (!next)
		return found;
	memcpy(next->comm, n->comm, sizeof(next->comm));
	next->unsure = false;
	if (next->early && next->out_ns && !next->woken_ns) {
		next->woken_ns = next->ready_ns = next->out_ns;
		next->reported = next->reported && w->spec.kind != TRIGGER_LATENCY &&
				 w->spec.kind != TRIGGER_DELAY;
	}
	if (w->spec.kind == TRIGGER_STEAL)
		found |= steal(w, next, n->t_ns, hit);
	else if (w->spec.kind == TRIGGER_LATENCY && next->woken_ns && n->t_ns > next->woken_ns)
		found |= hit_ns(w, next, "latency", n->t_ns - next->woken_ns, n->t_ns, hit);
	else if (w->spec.kind == TRIGGER_DELAY && next->ready_ns && n->t_ns > next->ready_ns)
		found |= hit_ns(w, next, "delay", n->t_ns - next->ready_ns, n->t_ns, hit);
	add_ready(next, n->t_ns);
	next->running = next->seen = true;
	next->early = false;
	next->woken_ns = next->out_ns = 0;
	return found;
}

bool watcher_note(struct watcher *w, const struct note *n, struct trigger_hit *hit)
{
	struct watched *t;
	bool found = false;

	if (n->kind != NOTE_LOSS && n->t_ns < w->blind_ns)
		return false;
	switch (n->kind) {
	case NOTE_WAKE:
		return on_wake(w, n, hit);
	case NOTE_SWITCH:
		return on_switch(w, n, hit);
	case NOTE_EXIT:
		t = task_of(w, n->tid);
		if (t) {
			t->exit_ns = n->flag ? 0 : n->t_ns;
			t->reported = false;
		}
		return false;
	case NOTE_ENTRY:
		t = task_of(w, n->tid);
		if (t && t->exit_ns && n->t_ns > t->exit_ns)
			found = hit_ns(w, t, "exit", n->t_ns - t->exit_ns, n->t_ns, hit);
		if (t)
			t->exit_ns = 0;
		return found;
	case NOTE_LOSS:
		/* The state of all tasks is unknown now. */
		forget_all(w);
		if (n->until_ns > w->blind_ns)
			w->blind_ns = n->until_ns;
		return false;
	case NOTE_NONE:
		break;
	}
	return false;
}

bool watcher_time(struct watcher *w, uint64_t now_ns, struct trigger_hit *hit)
{
	bool found = false;

	for (size_t i = 0; i < w->tasks.n && !found; i++) {
		struct watched *t = &w->tasks.at[i];

		if (w->spec.kind == TRIGGER_LATENCY && t->woken_ns && !t->unsure &&
		    now_ns > t->woken_ns)
			found = hit_ns(w, t, "latency", now_ns - t->woken_ns, now_ns, hit);
		else if (w->spec.kind == TRIGGER_DELAY && t->ready_ns && !t->unsure &&
			 now_ns > t->ready_ns)
			found = hit_ns(w, t, "delay", now_ns - t->ready_ns, now_ns, hit);
		else if (w->spec.kind == TRIGGER_EXIT && t->exit_ns && now_ns > t->exit_ns)
			found = hit_ns(w, t, "exit", now_ns - t->exit_ns, now_ns, hit);
		else if (w->spec.kind == TRIGGER_STEAL && t->ready_ns)
			found = steal(w, t, now_ns, hit);
	}
	return found;
}
