// SPDX-License-Identifier: LGPL-2.1-only
/* successors.c - see successors.h. */
#include "analyze/successors.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/index.h"
#include "analyze/ops.h"
#include "base/fail.h"

struct analyze_successors {
	struct analyze_engine *eng;
	struct index index; /* (task, next) */
	struct analyze_successor *rows;
	size_t cap, n;
};

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_successors *s = self;
	struct analyze_successor *row;
	uint32_t i;

	if (!sw->in)
		return;
	i = index_take(&s->index, sw->prev, sw->next);
	if (i == INDEX_NONE || rows_reserve(&s->rows, &s->cap, s->index.n, sizeof(*s->rows))) {
		analyze_engine_out_of_memory(s->eng);
		return;
	}
	row = &s->rows[i];
	row->task = sw->prev;
	row->next = sw->next;
	row->count++;
	row->involuntary += sw->off == ANALYZE_OFF_RUNNABLE || sw->off == ANALYZE_OFF_PREEMPTED;
}

static int most_frequent(const void *a, const void *b)
{
	const struct analyze_successor *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->next < y->next ? -1 : x->next > y->next;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_successors *s = self;

	(void)err;
	s->n = s->index.n < s->cap ? s->index.n : s->cap;
	if (s->n)
		qsort(s->rows, s->n, sizeof(*s->rows), most_frequent);
	for (size_t i = 0, first = 0; i < s->n; i++) {
		if (s->rows[i].task != s->rows[first].task)
			first = i;
		s->rows[first].total += s->rows[i].count;
	}
	for (size_t i = 1; i < s->n; i++)
		if (s->rows[i].task == s->rows[i - 1].task)
			s->rows[i].total = s->rows[i - 1].total;
	return 0;
}

static const struct analyze_ops ops = { .sw = on_switch, .finish = on_finish };

int analyze_successors_new(struct analyze_successors **out, struct analyze_engine *eng,
			   struct cdict_error *err)
{
	struct analyze_successors *s = calloc(1, sizeof(*s));
	int ret;

	*out = NULL;
	if (!s)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	s->eng = eng;
	ret = analyze_engine_add(eng, &ops, s, err);
	if (ret) {
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

void analyze_successors_free(struct analyze_successors *s)
{
	if (!s)
		return;
	free(s->rows);
	index_fini(&s->index);
	free(s);
}

size_t analyze_successors_count(const struct analyze_successors *s)
{
	return s->n;
}

const struct analyze_successor *analyze_successors_at(const struct analyze_successors *s, size_t i)
{
	return &s->rows[i];
}
