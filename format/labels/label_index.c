// SPDX-License-Identifier: LGPL-2.1-only
/* Labels assigned to the tasks of a capture. */
#include "format/labels/label_index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define TICK_NS UINT64_C(20000000)
#define DRIFT_PER 10000u
#define NONE UINT32_MAX
#define ALL (UINT32_MAX - 1)
#define UNCLEAR (UINT32_MAX - 2)

/* One task that had a tid: born somewhere in [lo_ns, hi_ns] (one instant when it was
 * seen), dead at exit_ns (UINT64_MAX: not seen). */
struct life {
	int32_t tid;
	uint64_t lo_ns, hi_ns, exit_ns;
	bool seen; /* its birth was */
};

struct label_index {
	struct mapping labels;
	uint32_t *life; /* per label: index into lives, or NONE, ALL, UNCLEAR */
	bool *used, *asked;
	struct life *lives; /* by tid, then time */
	size_t n_lives, cap_lives;
	bool comparable;           /* starts can be compared with the recording's times */
	bool clocks_known;         /* ... exactly */
	uint64_t mono_ns, boot_ns; /* one moment by both, 0 when not known */
};

static bool number(const char *text, uint64_t *v)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*v = strtoull(text, &end, 10);
	return !*end && !errno;
}

static void init_clocks(struct label_index *ix, const struct cdict_reader *r)
{
	const char *id = cdict_reader_info(r, "clock.id");
	uint64_t mono, boot;

	ix->clocks_known = number(cdict_reader_info(r, "clock.mono_ns"), &mono) &&
			   number(cdict_reader_info(r, "clock.boot_ns"), &boot);
	if (ix->clocks_known) {
		ix->mono_ns = mono;
		ix->boot_ns = boot;
	}
	/* Clocks that count from 1970 cannot be compared with the time since boot. */
	ix->comparable = ix->clocks_known || !id || (strcmp(id, "realtime") && strcmp(id, "tai"));
}

/* --- the lives --- */

static int by_tid_and_time(const void *a, const void *b)
{
	const struct cdict_task_event *x = *(const struct cdict_task_event *const *)a;
	const struct cdict_task_event *y = *(const struct cdict_task_event *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x > y) - (x < y); /* both are in one array */
}

static struct life *new_life(struct label_index *ix, const struct life *l)
{
	if (ix->n_lives == ix->cap_lives) {
		size_t cap = ix->cap_lives ? 2 * ix->cap_lives : 256;
		struct life *lives = realloc(ix->lives, cap * sizeof(*lives));

		if (!lives)
			return NULL;
		ix->lives = lives;
		ix->cap_lives = cap;
	}
	ix->lives[ix->n_lives] = *l;
	return &ix->lives[ix->n_lives++];
}

/* Applies one record to the lives of its tid; false when out of memory. */
static bool live(struct label_index *ix, const struct cdict_task_event *ev, uint64_t first_ns)
{
	struct life *last = ix->n_lives ? &ix->lives[ix->n_lives - 1] : NULL;
	bool fork = ev->what == CDICT_TASK_FORK && ev->t_ns;
	struct life l = { .tid = ev->tid, .exit_ns = UINT64_MAX };

	if (last && last->tid != ev->tid)
		last = NULL;
	if (last && last->exit_ns == UINT64_MAX && !fork) {
		if (ev->what == CDICT_TASK_EXIT)
			last->exit_ns = ev->t_ns;
		return true;
	}
	if (last && ev->what == CDICT_TASK_EXIT)
		return true;
	if (last && fork && last->seen && last->hi_ns == ev->t_ns)
		return true; /* recorded twice */
	l.seen = fork;
	l.lo_ns = fork ? ev->t_ns : last ? last->exit_ns : 0;
	l.hi_ns = ev->t_ns ? ev->t_ns : first_ns;
	if (ev->what == CDICT_TASK_EXIT)
		l.exit_ns = ev->t_ns;
	return new_life(ix, &l) != NULL;
}

static bool init_lives(struct label_index *ix, const struct cdict_reader *r)
{
	size_t n = cdict_reader_task_count(r), kept = 0;
	const struct cdict_task_event **events = malloc((n + 1) * sizeof(*events));
	uint64_t first_ns = UINT64_MAX, last_ns;
	bool ok = events;

	cdict_reader_window(r, &first_ns, &last_ns);
	for (size_t i = 0; ok && i < n; i++) {
		const struct cdict_task_event *ev = cdict_reader_task_at(r, i);

		if (mapping_first(&ix->labels, ev->tid) != MAPPING_NONE)
			events[kept++] = ev;
	}
	if (ok)
		qsort(events, kept, sizeof(*events), by_tid_and_time);
	for (size_t i = 0; ok && i < kept; i++)
		ok = live(ix, events[i], first_ns);
	free(events);
	return ok;
}

static struct life *lives_of(const struct label_index *ix, int32_t tid, size_t *n)
{
	size_t lo = 0, hi = ix->n_lives, end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ix->lives[mid].tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (end = lo; end < ix->n_lives && ix->lives[end].tid == tid; end++)
		;
	*n = end - lo;
	return ix->lives + lo;
}

/* --- assignment --- */

static uint64_t slack(const struct label_index *ix, uint64_t start_ns)
{
	return TICK_NS + (ix->clocks_known ? 0 : start_ns / DRIFT_PER);
}

static uint64_t down(uint64_t t, uint64_t by)
{
	return t > by ? t - by : 0;
}

static uint64_t up(uint64_t t, uint64_t by)
{
	return t + by < t ? UINT64_MAX : t + by;
}

/* A start by the recording's clock; 0 when it is before that clock's zero, after a suspend. */
static uint64_t recorded(const struct label_index *ix, uint64_t start_ns)
{
	if (ix->mono_ns >= ix->boot_ns)
		return up(start_ns, ix->mono_ns - ix->boot_ns);
	return down(start_ns, ix->boot_ns - ix->mono_ns);
}

/* Whether a task that started at @start_ns (recording's clock) can be @l. */
static bool fits(const struct life *l, uint64_t start_ns, uint64_t within_ns)
{
	return up(start_ns, within_ns) >= l->lo_ns && down(start_ns, within_ns) <= l->hi_ns;
}

/* The life that the label belongs to.  If several fit: the one whose birth was seen then,
 * unless one from before the recording fits as well (/proc rounds starts down to 10 ms, so
 * that task started before @start + 10 ms). */
static uint32_t resolve(const struct label_index *ix, const struct cdict_label *label)
{
	uint64_t start = recorded(ix, label->start_ns), within = slack(ix, label->start_ns);
	uint32_t found = NONE, exact = NONE;
	unsigned n_found = 0, n_exact = 0, n_older = 0;
	struct life *l;
	size_t n;

	l = lives_of(ix, label->tid, &n);
	if (!label->start_ns || !n)
		return ALL;
	for (size_t i = 0; i < n; i++) {
		uint32_t index = (uint32_t)(l + i - ix->lives);

		if (ix->comparable && !fits(&l[i], start, within))
			continue;
		found = index;
		n_found++;
		if (!l[i].seen) {
			n_older += up(start, TICK_NS / 2) <= l[i].hi_ns;
		} else if (ix->comparable && fits(&l[i], start, TICK_NS)) {
			exact = index;
			n_exact++;
		}
	}
	if (n_found < 2)
		return found;
	return n_exact == 1 && !n_older ? exact : UNCLEAR;
}

int label_index_reader(struct mapping *m, const struct cdict_reader *r, struct cdict_error *err)
{
	size_t n = cdict_reader_label_count(r);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct cdict_label l = *cdict_reader_label_at(r, i);

		rc = mapping_add(m, &l, err);
		if (rc == CDICT_ELIMIT) /* texts in a file may exceed MAPPING_TEXT_MAX */
			rc = 0;
	}
	return rc;
}

int label_index_new(struct label_index **out, const struct cdict_reader *r, bool without,
		    struct mapping *more, struct cdict_error *err)
{
	struct label_index *ix = calloc(1, sizeof(*ix));
	int rc = ix ? 0 : -ENOMEM;

	*out = NULL;
	if (!rc && !without)
		rc = label_index_reader(&ix->labels, r, err);
	if (!rc && more && !ix->labels.n) {
		mapping_fini(&ix->labels);
		ix->labels = *more;
		*more = (struct mapping){ 0 };
	} else if (!rc && more) {
		rc = mapping_add_all(&ix->labels, more, err);
	}
	if (!rc) {
		size_t n = ix->labels.n + 1;

		ix->life = malloc(n * sizeof(*ix->life));
		ix->used = calloc(n, sizeof(*ix->used));
		ix->asked = calloc(n, sizeof(*ix->asked));
		init_clocks(ix, r);
		if (!ix->life || !ix->used || !ix->asked || !init_lives(ix, r))
			rc = -ENOMEM;
	}
	if (rc) {
		label_index_free(ix);
		return rc == -ENOMEM ? cdict_fail(err, rc, CDICT_NO_OFFSET, "out of memory") : rc;
	}
	for (size_t i = 0; i < ix->labels.n; i++)
		ix->life[i] = resolve(ix, &ix->labels.labels[i]);
	*out = ix;
	return 0;
}

void label_index_free(struct label_index *ix)
{
	if (!ix)
		return;
	mapping_fini(&ix->labels);
	free(ix->life);
	free(ix->used);
	free(ix->asked);
	free(ix->lives);
	free(ix);
}

const struct mapping *label_index_mapping(const struct label_index *ix)
{
	return &ix->labels;
}

/* Which of the tid's lives the task is, NONE when the records have none. */
static uint32_t life_of(const struct label_index *ix, const struct label_task *task)
{
	uint64_t at = task->born_ns != UINT64_MAX ? task->born_ns : task->first_ns;
	uint32_t found = NONE;
	struct life *l;
	size_t n;

	l = lives_of(ix, task->tid, &n);
	if (at == UINT64_MAX && task->exit_ns != UINT64_MAX)
		at = task->exit_ns;
	for (size_t i = 0; i < n; i++) {
		if (!i || (at != UINT64_MAX && l[i].lo_ns <= at))
			found = (uint32_t)(l + i - ix->lives);
	}
	return found;
}

/* Whether the task's times, from the walk over the events, contradict the label's start. */
static bool contradicts(const struct label_index *ix, const struct cdict_label *label,
			const struct label_task *task)
{
	uint64_t start = recorded(ix, label->start_ns), within = slack(ix, label->start_ns);

	if (!label->start_ns || !ix->comparable)
		return false;
	if (task->born_ns != UINT64_MAX &&
	    (up(start, within) < task->born_ns || down(start, within) > task->born_ns))
		return true;
	return (task->first_ns != UINT64_MAX && down(start, within) > task->first_ns) ||
	       (task->exit_ns != UINT64_MAX && down(start, within) > task->exit_ns);
}

bool label_index_find(struct label_index *ix, const struct label_task *task,
		      struct cdict_label *out)
{
	struct mapping_origins origins = { 0 };
	uint32_t life = NONE;
	bool found = false, looked = false;
	uint32_t i = mapping_first(&ix->labels, task->tid), first = i;

	*out = (struct cdict_label){ .name = "", .group = "", .group_type = "", .role = "" };
	out->uuid = out->instance = out->project = out->host = "";
	while (i != MAPPING_NONE) {
		const struct cdict_label *l = &ix->labels.labels[i];

		if (!looked)
			life = life_of(ix, task);
		looked = true;
		ix->asked[i] = true;
		if ((ix->life[i] == ALL || ix->life[i] == life) && !contradicts(ix, l, task)) {
			mapping_merge(out, &origins, l);
			ix->used[i] = found = true;
		}
		i = mapping_next(&ix->labels, i, first);
	}
	return found;
}

enum label_use label_index_use(const struct label_index *ix, size_t i)
{
	size_t n;

	if (ix->used[i])
		return LABEL_USED;
	if (ix->life[i] == UNCLEAR)
		return LABEL_AMBIGUOUS;
	lives_of(ix, ix->labels.labels[i].tid, &n);
	return n || ix->asked[i] ? LABEL_OTHER_START : LABEL_NO_TASK;
}
