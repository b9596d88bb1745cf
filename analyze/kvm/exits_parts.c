// SPDX-License-Identifier: LGPL-2.1-only
/* exits_parts.c - the exits of a walk in two parts. */
#include <errno.h>
#include <string.h>

#include "analyze/kvm/exits_internal.h"

int exits_part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	const struct analyze_exits *x = self;
	const struct analyze_exits_options opts = { .no_accesses = x->no_accesses };
	struct analyze_exits *later;

	return x->like_perf || x->ended ? 1 : analyze_exits_new(&later, eng, &opts, err);
}

void exits_part_free(void *self)
{
	analyze_exits_free(self);
}

static bool is_open(const struct open *open)
{
	return open->t_ns != ANALYZE_NO_TIME;
}

static uint64_t ran_since(const struct analyze_exits *x, uint32_t task)
{
	const struct thread *th = &x->threads.at[task];

	return th->known && is_open(&th->exit) ? analyze_engine_ran_ns(x->eng, task) - th->ran_ns
					       : 0;
}

int exits_begun(void *self)
{
	struct analyze_exits *x = self;

	if (array_resize(&x->begin, x->threads.n))
		return -ENOMEM;
	for (size_t i = 0; i < x->threads.n; i++) {
		struct thread *th = &x->threads.at[i];

		th->exit.in = th->entry.in = th->mmio.in = true;
		x->begin.at[i] = (struct thread_begin){ th->known,      th->exit,
							th->entry,      th->mmio,
							th->accesses.n, ran_since(x, (uint32_t)i) };
	}
	for (size_t i = 0; i < x->exits.n; i++) {
		struct analyze_exit_row *row = &x->exits.at[i];

		row->events = row->broken = row->cpu_ns = 0;
		histogram_fini(&row->time);
	}
	for (size_t i = 0; i < x->guests.n; i++) {
		struct analyze_guest_row *row = &x->guests.at[i];

		row->entries = row->broken = row->guest_ns = 0;
		histogram_fini(&row->time);
	}
	for (size_t i = 0; i < x->accesses.n; i++) {
		x->accesses.at[i].events = 0;
		histogram_fini(&x->accesses.at[i].time);
	}
	return 0;
}

static bool same_key(const struct index *a, uint32_t i, const struct index *b, uint32_t k)
{
	if (i == INDEX_NONE || k == INDEX_NONE)
		return i == k;
	return a->keys.at[i].a == b->keys.at[k].a && a->keys.at[i].b == b->keys.at[k].b;
}

static bool same_open(const struct open *a, const struct index *of_a, const struct open *b,
		      const struct index *of_b)
{
	if (!is_open(a) || !is_open(b))
		return is_open(a) == is_open(b);
	return a->t_ns == b->t_ns && a->cpu == b->cpu && same_key(of_a, a->row, of_b, b->row);
}

/* Whether @th of the first part is the state with which the later one began. */
static bool begins(const struct analyze_exits *x, uint32_t task, const struct analyze_exits *l,
		   const struct thread_begin *b)
{
	const struct thread *th = &x->threads.at[task];

	if (!th->known || !b->known)
		return th->known == b->known;
	if (!same_open(&th->exit, &x->exit_index, &b->exit, &l->exit_index) ||
	    !same_open(&th->entry, &x->guest_index, &b->entry, &l->guest_index) ||
	    (is_open(&th->exit) && ran_since(x, task) != b->ran_ns))
		return false;
	return x->no_accesses ||
	       (same_open(&th->mmio, &x->access_index, &b->mmio, &l->access_index) &&
		!th->accesses.n && !b->n_accesses);
}

/* Whether it had no event in the later part. */
static bool rests(const struct analyze_exits *l, const struct thread *th,
		  const struct thread_begin *b)
{
	return th->known == b->known &&
	       (!th->known || (same_open(&th->exit, &l->exit_index, &b->exit, &l->exit_index) &&
			       same_open(&th->entry, &l->guest_index, &b->entry, &l->guest_index) &&
			       same_open(&th->mmio, &l->access_index, &b->mmio, &l->access_index) &&
			       th->accesses.n == b->n_accesses));
}

static const struct thread_begin *begin_of(const struct analyze_exits *l, size_t task)
{
	static const struct thread_begin none;

	return task < l->begin.n ? &l->begin.at[task] : &none;
}

bool exits_agree(const void *self, const void *later)
{
	const struct analyze_exits *x = self, *l = later;

	for (size_t i = 0; i < l->threads.n; i++) {
		const struct thread_begin *b = begin_of(l, i);

		if (rests(l, &l->threads.at[i], b))
			continue;
		if (i < x->threads.n ? !begins(x, (uint32_t)i, l, b) : b->known)
			return false;
	}
	return true;
}

/* The row of @to with the key of row @i of @from, the later part's; INDEX_NONE: out of memory. */
static uint32_t row_like(struct index *to, const struct index *from, uint32_t i)
{
	return i == INDEX_NONE ? i : index_take(to, from->keys.at[i].a, from->keys.at[i].b);
}

static int join_rows(struct analyze_exits *x, const struct analyze_exits *l)
{
	int ret = 0;

	for (size_t i = 0; i < l->exits.n && !ret; i++) {
		const struct analyze_exit_row *from = &l->exits.at[i];
		struct analyze_exit_row *row =
			row_at(&x->exits, row_like(&x->exit_index, &l->exit_index, (uint32_t)i));

		if (!row)
			return -ENOMEM;
		row->task = from->task;
		row->isa = from->isa;
		row->reason = from->reason;
		ret = analyze_exit_row_merge(row, from);
	}
	for (size_t i = 0; i < l->guests.n && !ret; i++) {
		struct analyze_guest_row *row =
			row_at(&x->guests, row_like(&x->guest_index, &l->guest_index, (uint32_t)i));

		if (!row)
			return -ENOMEM;
		row->task = l->guests.at[i].task;
		ret = analyze_guest_row_merge(row, &l->guests.at[i]);
	}
	for (size_t i = 0; i < l->accesses.n && !ret; i++) {
		const struct analyze_access_row *from = &l->accesses.at[i];
		struct analyze_access_row *row = row_at(
			&x->accesses, row_like(&x->access_index, &l->access_index, (uint32_t)i));

		if (!row)
			return -ENOMEM;
		row->task = from->task;
		row->kind = from->kind;
		row->where = from->where;
		row->write = from->write;
		ret = analyze_access_row_merge(row, from);
	}
	return ret;
}

/* Takes the later part's open intervals, with the rows of @x. */
static void join_thread(struct analyze_exits *x, struct thread *to, const struct analyze_exits *l,
			struct thread *from)
{
	struct thread was = *to;

	*to = *from;
	*from = was; /* swapped: the owner frees the memory */
	if (is_open(&to->exit))
		to->exit.row = row_like(&x->exit_index, &l->exit_index, to->exit.row);
	if (is_open(&to->entry))
		to->entry.row = row_like(&x->guest_index, &l->guest_index, to->entry.row);
	if (is_open(&to->mmio))
		to->mmio.row = row_like(&x->access_index, &l->access_index, to->mmio.row);
	for (size_t i = 0; i < to->accesses.n; i++)
		to->accesses.at[i].row =
			row_like(&x->access_index, &l->access_index, to->accesses.at[i].row);
}

int exits_join(void *self, void *later)
{
	struct analyze_exits *x = self, *l = later;
	int ret = join_rows(x, l);

	for (size_t i = 0; i < l->threads.n && !ret; i++) {
		struct thread *to = row_at(&x->threads, i);

		if (!to)
			ret = -ENOMEM;
		else if (!rests(l, &l->threads.at[i], begin_of(l, i)))
			join_thread(x, to, l, &l->threads.at[i]);
	}
	return ret;
}
