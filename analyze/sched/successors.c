// SPDX-License-Identifier: LGPL-2.1-only
/* successors.c - see successors.h. */
#include "analyze/sched/successors.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

struct analyze_successors {
	struct analyze_engine *eng;
	struct index index; /* (task, next) */
	ARRAY(struct analyze_successor) rows;
};

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_successors *s = self;
	struct analyze_successor *row;

	if (!sw->in)
		return;
	row = row_at(&s->rows, index_take(&s->index, sw->prev, sw->next));
	if (!row) {
		analyze_engine_out_of_memory(s->eng);
		return;
	}
	row->task = sw->prev;
	row->next = sw->next;
	row->count++;
	row->involuntary += sw->involuntary;
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	struct analyze_successors *later;

	(void)self;
	return analyze_successors_new(&later, eng, err);
}

static void part_free(void *self)
{
	analyze_successors_free(self);
}

static int join(void *self, void *later)
{
	struct analyze_successors *s = self;
	const struct analyze_successors *l = later;

	for (size_t i = 0; i < l->rows.n; i++) {
		const struct analyze_successor *from = &l->rows.at[i];
		struct analyze_successor *row =
			row_at(&s->rows, index_take(&s->index, from->task, from->next));

		if (!row)
			return -ENOMEM;
		row->task = from->task;
		row->next = from->next;
		row->count += from->count;
		row->involuntary += from->involuntary;
	}
	return 0;
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
	struct analyze_successor *rows = s->rows.at;
	size_t n = s->rows.n;

	(void)err;
	if (n)
		qsort(rows, n, sizeof(*rows), most_frequent);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (rows[i].task != rows[first].task)
			first = i;
		rows[first].total += rows[i].count;
	}
	for (size_t i = 1; i < n; i++)
		if (rows[i].task == rows[i - 1].task)
			rows[i].total = rows[i - 1].total;
	return 0;
}

static const struct analyze_ops ops = { .sw = on_switch,
					.finish = on_finish,
					.resumes = true,
					.part = part,
					.part_free = part_free,
					.join = join };

int analyze_successors_new(struct analyze_successors **out, struct analyze_engine *eng,
			   struct cdict_error *err)
{
	struct analyze_successors *s = calloc(1, sizeof(*s));
	int ret;

	*out = NULL;
	if (!s)
		return cdict_fail_nomem(err);
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
	array_fini(&s->rows);
	index_fini(&s->index);
	free(s);
}

size_t analyze_successors_count(const struct analyze_successors *s)
{
	return s->rows.n;
}

const struct analyze_successor *analyze_successors_at(const struct analyze_successors *s, size_t i)
{
	return &s->rows.at[i];
}
