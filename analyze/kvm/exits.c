// SPDX-License-Identifier: LGPL-2.1-only
/* exits.c - see exits.h. */
#include "analyze/kvm/exits_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { MMIO_READ = 1, MMIO_WRITE = 2 }; /* KVM_TRACE_MMIO_* */

static struct thread *thread_of(struct analyze_exits *x, uint32_t task)
{
	struct thread *th = row_at(&x->threads, task);

	if (th && !th->known) {
		th->known = true;
		th->exit.t_ns = th->entry.t_ns = th->mmio.t_ns = ANALYZE_NO_TIME;
	}
	return th;
}

/* Whether events of the thread can be missing between @open and now. */
static bool incomplete(const struct analyze_exits *x, const struct open *open,
		       const struct analyze_kvm *k)
{
	return !x->like_perf && analyze_engine_pair_broken(x->eng, k, open->t_ns, open->cpu);
}

static void begin_exit(struct open *open, const struct analyze_kvm *k, uint32_t row)
{
	*open = (struct open){ .t_ns = k->t_ns, .cpu = k->cpu, .row = row, .in = k->in };
}

/* An exit without an entry counts in the window in which it began. */
static void break_exit(struct analyze_exits *x, const struct open *exit)
{
	x->exits.at[exit->row].broken += exit->in;
	x->exits.at[exit->row].events += exit->in;
}

static uint32_t access_row(struct analyze_exits *x, enum analyze_access_kind kind,
			   const struct analyze_kvm *k, bool write)
{
	uint64_t key = k->task | (uint64_t)kind << 32 | (uint64_t)write << 40;
	uint32_t i = index_take(&x->access_index, key, k->value);
	struct analyze_access_row *row = row_at(&x->accesses, i);

	if (!row) {
		analyze_engine_out_of_memory(x->eng);
		return INDEX_NONE;
	}
	row->task = k->task;
	row->kind = kind;
	row->where = k->value;
	row->write = write;
	row->events += k->in;
	return i;
}

static void end_access(struct analyze_exits *x, struct open *open, const struct analyze_kvm *k)
{
	if (open->t_ns != ANALYZE_NO_TIME && open->row != INDEX_NONE) {
		if (k->in && !incomplete(x, open, k))
			analyze_count(x->eng, &x->accesses.at[open->row].time, k->t_ns - open->t_ns,
				      open->t_ns);
		open->t_ns = ANALYZE_NO_TIME;
	}
}

/* A port or MSR access lasts to the next entry. perf keeps only the latest of a kind. */
static void begin_access(struct analyze_exits *x, struct thread *th, const struct analyze_kvm *k,
			 enum analyze_access_kind kind)
{
	struct open open;

	begin_exit(&open, k, access_row(x, kind, k, k->how));
	if (open.row == INDEX_NONE)
		return;
	for (size_t i = 0; x->like_perf && i < th->accesses.n; i++) {
		if (x->accesses.at[th->accesses.at[i].row].kind == kind) {
			th->accesses.at[i] = open;
			return;
		}
	}
	if (th->accesses.n < ACCESSES_MAX && array_push(&th->accesses, open))
		analyze_engine_out_of_memory(x->eng);
}

static void on_access(struct analyze_exits *x, struct thread *th, const struct analyze_kvm *k)
{
	struct open *mmio = &th->mmio;
	uint32_t row;

	switch (k->kind) {
	case ANALYZE_KIND_KVM_PIO:
		begin_access(x, th, k, ANALYZE_ACCESS_PIO);
		break;
	case ANALYZE_KIND_KVM_MSR:
		begin_access(x, th, k, ANALYZE_ACCESS_MSR);
		break;
	case ANALYZE_KIND_KVM_VIRQ:
		access_row(x, ANALYZE_ACCESS_VIRQ, k, false);
		break;
	case ANALYZE_KIND_KVM_MMIO:
		if (k->how == MMIO_WRITE) {
			begin_exit(mmio, k, access_row(x, ANALYZE_ACCESS_MMIO, k, true));
		} else if (k->how == MMIO_READ) {
			row = access_row(x, ANALYZE_ACCESS_MMIO, k, false);
			/* perf books a read after a write to the write. */
			if (!x->like_perf || mmio->row == INDEX_NONE)
				mmio->row = row;
			end_access(x, mmio, k);
		}
		break;
	default:
		break;
	}
}

/* The row of the event's reason; INDEX_NONE: out of memory. */
static uint32_t exit_row(struct analyze_exits *x, const struct analyze_kvm *k)
{
	uint32_t isa = k->isa, i;
	uint64_t code = k->value;
	struct analyze_exit_row *row;

	analyze_reasons_code(x->reasons, &isa, &code, k->how);
	i = index_take(&x->exit_index, k->task | (uint64_t)isa << 32, code);
	row = row_at(&x->exits, i);
	if (!row) {
		analyze_engine_out_of_memory(x->eng);
		return INDEX_NONE;
	}
	row->task = k->task;
	row->isa = isa;
	row->reason = code;
	return i;
}

/* The reason is recorded while the exit is handled: move the exit to that reason. */
static void on_reason(struct analyze_exits *x, struct thread *th, const struct analyze_kvm *k)
{
	uint32_t i;

	if (th->exit.t_ns == ANALYZE_NO_TIME)
		return;
	i = exit_row(x, k);
	if (i != INDEX_NONE)
		th->exit.row = i;
}

static void on_exit_event(struct analyze_exits *x, struct thread *th, const struct analyze_kvm *k)
{
	uint32_t i = exit_row(x, k);
	struct analyze_guest_row *guest;

	if (i == INDEX_NONE)
		return;
	if (th->exit.t_ns != ANALYZE_NO_TIME)
		break_exit(x, &th->exit);
	begin_exit(&th->exit, k, i);
	th->ran_ns = analyze_engine_ran_ns(x->eng, k->task);

	if (th->entry.t_ns != ANALYZE_NO_TIME) {
		guest = &x->guests.at[th->entry.row];
		if (incomplete(x, &th->entry, k)) {
			guest->broken += th->entry.in;
		} else {
			if (k->in)
				analyze_count(x->eng, &guest->time, k->t_ns - th->entry.t_ns,
					      th->entry.t_ns);
			if (analyze_engine_counts(x->eng, k->cpu))
				guest->guest_ns +=
					analyze_engine_clip(x->eng, th->entry.t_ns, k->t_ns);
		}
		th->entry.t_ns = ANALYZE_NO_TIME;
	}
	if (x->no_accesses)
		return;
	begin_exit(&th->mmio, k, INDEX_NONE);
	if (!x->like_perf)
		th->accesses.n = 0;
}

static void on_entry(struct analyze_exits *x, struct thread *th, const struct analyze_kvm *k)
{
	uint32_t i = index_take(&x->guest_index, k->task, 0);
	struct analyze_guest_row *guest = row_at(&x->guests, i);
	struct analyze_exit_row *row;

	if (!guest) {
		analyze_engine_out_of_memory(x->eng);
		return;
	}
	guest->task = k->task;
	guest->entries += k->in;
	if (th->entry.t_ns != ANALYZE_NO_TIME)
		guest->broken += th->entry.in;
	begin_exit(&th->entry, k, i);

	if (th->exit.t_ns != ANALYZE_NO_TIME) {
		row = &x->exits.at[th->exit.row];
		if (incomplete(x, &th->exit, k)) {
			break_exit(x, &th->exit);
		} else if (k->in) {
			row->events++;
			analyze_count(x->eng, &row->time, k->t_ns - th->exit.t_ns, th->exit.t_ns);
			row->cpu_ns += analyze_engine_ran_ns(x->eng, k->task) - th->ran_ns;
			if (x->ended)
				x->ended(x->ctx, row, th->exit.t_ns, k->t_ns - th->exit.t_ns);
		}
		th->exit.t_ns = ANALYZE_NO_TIME;
	}
	if (x->no_accesses)
		return;
	for (size_t a = 0; a < th->accesses.n; a++)
		end_access(x, &th->accesses.at[a], k);
	th->accesses.n = 0;
	end_access(x, &th->mmio, k);
	if (!x->like_perf)
		th->mmio.t_ns = ANALYZE_NO_TIME;
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct analyze_exits *x = self;
	struct thread *th;

	if (k->kind == ANALYZE_KIND_KVM_USERSPACE ||
	    (k->kind > ANALYZE_KIND_KVM_VIRQ && k->kind != ANALYZE_KIND_KVM_REASON))
		return;
	th = thread_of(x, k->task);
	if (!th) {
		analyze_engine_out_of_memory(x->eng);
		return;
	}
	if (k->kind == ANALYZE_KIND_KVM_ENTRY)
		th->entered = true;
	else if (x->like_perf && !th->entered)
		return;
	if (k->kind == ANALYZE_KIND_KVM_ENTRY)
		on_entry(x, th, k);
	else if (k->kind == ANALYZE_KIND_KVM_EXIT)
		on_exit_event(x, th, k);
	else if (k->kind == ANALYZE_KIND_KVM_REASON)
		on_reason(x, th, k);
	else if (!x->no_accesses)
		on_access(x, th, k);
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_exits *x = self;

	return analyze_reasons_of(&x->reasons, schema, err);
}

static int by_exit(const void *a, const void *b)
{
	const struct analyze_exit_row *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->isa != y->isa)
		return x->isa < y->isa ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

static int by_guest(const void *a, const void *b)
{
	const struct analyze_guest_row *x = a, *y = b;

	return x->task < y->task ? -1 : x->task > y->task;
}

static int by_access(const void *a, const void *b)
{
	const struct analyze_access_row *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->where != y->where)
		return x->where < y->where ? -1 : 1;
	return x->write < y->write ? -1 : x->write > y->write;
}

/* Removes the rows without an event in the window. */
static void leave_in_window(struct analyze_exits *x)
{
	size_t exits = 0, guests = 0, accesses = 0;

	for (size_t i = 0; i < x->exits.n; i++)
		if (x->exits.at[i].events)
			x->exits.at[exits++] = x->exits.at[i];
	for (size_t i = 0; i < x->guests.n; i++)
		if (x->guests.at[i].entries || x->guests.at[i].guest_ns ||
		    x->guests.at[i].time.count)
			x->guests.at[guests++] = x->guests.at[i];
	for (size_t i = 0; i < x->accesses.n; i++)
		if (x->accesses.at[i].events || x->accesses.at[i].time.count)
			x->accesses.at[accesses++] = x->accesses.at[i];
	x->exits.n = exits;
	x->guests.n = guests;
	x->accesses.n = accesses;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_exits *x = self;
	size_t n;

	for (size_t i = 0; i < x->threads.n; i++) {
		const struct thread *th = &x->threads.at[i];

		if (th->known && th->exit.t_ns != ANALYZE_NO_TIME)
			break_exit(x, &th->exit);
		if (th->known && th->entry.t_ns != ANALYZE_NO_TIME)
			x->guests.at[th->entry.row].broken += th->entry.in;
	}
	leave_in_window(x);
	n = x->exits.n;
	x->numbers = calloc(n ? n : 1, sizeof(*x->numbers));
	if (!x->numbers)
		return cdict_fail_nomem(err);
	if (n)
		qsort(x->exits.at, n, sizeof(*x->exits.at), by_exit);
	for (size_t i = 0; i < n; i++) {
		struct analyze_exit_row *row = &x->exits.at[i];

		row->name = analyze_reasons_text(x->reasons, row->isa, row->reason, x->numbers[i]);
		row->idle = analyze_reason_is_idle(row->name);
	}
	if (x->guests.n)
		qsort(x->guests.at, x->guests.n, sizeof(*x->guests.at), by_guest);
	if (x->accesses.n)
		qsort(x->accesses.at, x->accesses.n, sizeof(*x->accesses.at), by_access);
	x->done = true;
	return 0;
}

#define NEED_EXITS (ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_REASON))
#define NEED_ACCESSES                                                                              \
	(ANALYZE_NEED(KVM_PIO) | ANALYZE_NEED(KVM_MMIO) | ANALYZE_NEED(KVM_MSR) |                  \
	 ANALYZE_NEED(KVM_VIRQ))

static bool pending(void *self)
{
	const struct analyze_exits *x = self;
	uint64_t from, to;

	analyze_engine_window(x->eng, &from, &to);
	for (size_t i = 0; i < x->threads.n; i++) {
		const struct thread *th = &x->threads.at[i];

		if (th->known &&
		    ((th->exit.t_ns != ANALYZE_NO_TIME && th->exit.in) || th->entry.t_ns < to))
			return true;
	}
	return false;
}

static const struct analyze_ops ops = {
	.needs = NEED_EXITS | NEED_ACCESSES,
	.kvm = on_kvm,
	.start = on_start,
	.finish = on_finish,
	.resumes = true,
	.pending = pending,
	.part = exits_part,
	.part_free = exits_part_free,
	.begun = exits_begun,
	.agrees = exits_agree,
	.join = exits_join,
};

static const struct analyze_ops ops_no_accesses = {
	.needs = NEED_EXITS,
	.kvm = on_kvm,
	.start = on_start,
	.finish = on_finish,
	.resumes = true,
	.pending = pending,
	.part = exits_part,
	.part_free = exits_part_free,
	.begun = exits_begun,
	.agrees = exits_agree,
	.join = exits_join,
};

int analyze_exits_new(struct analyze_exits **out, struct analyze_engine *eng,
		      const struct analyze_exits_options *opts, struct cdict_error *err)
{
	struct analyze_exits *x = calloc(1, sizeof(*x));
	int ret;

	*out = NULL;
	if (!x)
		return cdict_fail_nomem(err);
	x->eng = eng;
	x->like_perf = opts && opts->like_perf;
	x->no_accesses = opts && opts->no_accesses;
	x->ended = opts ? opts->ended : NULL;
	x->ctx = opts ? opts->ctx : NULL;
	if (x->like_perf)
		analyze_engine_walk_all(eng);
	ret = analyze_engine_add(eng, x->no_accesses ? &ops_no_accesses : &ops, x, err);
	if (ret) {
		free(x);
		return ret;
	}
	*out = x;
	return 0;
}

void analyze_exits_free(struct analyze_exits *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->exits.n; i++)
		analyze_exit_row_fini(&x->exits.at[i]);
	for (size_t i = 0; i < x->guests.n; i++)
		analyze_guest_row_fini(&x->guests.at[i]);
	for (size_t i = 0; i < x->accesses.n; i++)
		analyze_access_row_fini(&x->accesses.at[i]);
	array_fini(&x->exits);
	array_fini(&x->guests);
	array_fini(&x->accesses);
	for (size_t i = 0; i < x->threads.n; i++)
		array_fini(&x->threads.at[i].accesses);
	array_fini(&x->threads);
	array_fini(&x->begin);
	free(x->numbers);
	index_fini(&x->exit_index);
	index_fini(&x->guest_index);
	index_fini(&x->access_index);
	analyze_reasons_free(x->reasons);
	free(x);
}

size_t analyze_exits_count(const struct analyze_exits *x)
{
	return x->done ? x->exits.n : 0;
}

const struct analyze_exit_row *analyze_exits_at(const struct analyze_exits *x, size_t i)
{
	return &x->exits.at[i];
}

size_t analyze_exits_guest_count(const struct analyze_exits *x)
{
	return x->done ? x->guests.n : 0;
}

const struct analyze_guest_row *analyze_exits_guest_at(const struct analyze_exits *x, size_t i)
{
	return &x->guests.at[i];
}

size_t analyze_exits_access_count(const struct analyze_exits *x)
{
	return x->done ? x->accesses.n : 0;
}

const struct analyze_access_row *analyze_exits_access_at(const struct analyze_exits *x, size_t i)
{
	return &x->accesses.at[i];
}

int analyze_exit_row_merge(struct analyze_exit_row *to, const struct analyze_exit_row *from)
{
	to->events += from->events;
	to->broken += from->broken;
	to->cpu_ns += from->cpu_ns;
	return histogram_merge(&to->time, &from->time);
}

void analyze_exit_row_fini(struct analyze_exit_row *row)
{
	histogram_fini(&row->time);
}

int analyze_guest_row_merge(struct analyze_guest_row *to, const struct analyze_guest_row *from)
{
	to->entries += from->entries;
	to->broken += from->broken;
	to->guest_ns += from->guest_ns;
	return histogram_merge(&to->time, &from->time);
}

void analyze_guest_row_fini(struct analyze_guest_row *row)
{
	histogram_fini(&row->time);
}

int analyze_access_row_merge(struct analyze_access_row *to, const struct analyze_access_row *from)
{
	to->events += from->events;
	return histogram_merge(&to->time, &from->time);
}

void analyze_access_row_fini(struct analyze_access_row *row)
{
	histogram_fini(&row->time);
}
