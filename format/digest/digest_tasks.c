/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tasks of a file's digests: their names, their deaths, and which of them the records already describe. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/digest/digest_book.h"
#include "format/layout.h"

struct book_task *book_task(struct digest_book *b, int32_t tid)
{
	uint32_t *i = map_add(&b->index, (uint32_t)tid, 0);
	struct book_task *to;

	if (!i)
		return NULL;
	if (*i != MAP_NEW)
		return &b->tasks.at[*i];
	to = b->tasks.n < BOOK_TASKS_MAX ? array_add(&b->tasks) : NULL;
	if (!to)
		return NULL;
	*i = (uint32_t)b->tasks.n - 1;
	*to = (struct book_task){ .tid = tid,
				  .pid = -1,
				  .vcpu_id = -1,
				  .first_ns = CDICT_NEVER,
				  .latest_ns = 0,
				  .died_ns = CDICT_NEVER,
				  .dropped_ns = CDICT_NEVER,
				  .exit_ns = CDICT_NEVER };
	return to;
}

/* Whether its records have all that the list would: birth, name and death. */
static bool is_recorded(const struct book_task *t)
{
	uint64_t death = digest_death(t->exit_ns, 1);

	return t->forks == 1 && t->exit_ns != CDICT_NEVER && t->died_ns != CDICT_NEVER &&
	       !t->is_vcpu && t->forked_ns <= t->first_ns && t->died_ns >= t->exit_ns &&
	       t->died_ns < death && (t->dropped_ns == CDICT_NEVER || death <= t->dropped_ns) &&
	       (t->pid < 0 || t->pid == t->forked_pid) && t->named_pid == t->forked_pid &&
	       t->named[0] && !strcmp(t->comm, t->named);
}

static void list(struct digest_book *b, struct book_task *t)
{
	bool listed = t->mentioned && !is_recorded(t);

	b->listed += (size_t)listed - t->listed;
	t->listed = listed;
}

void digest_book_record(struct digest_book *b, const struct cdict_task_event *ev)
{
	struct book_task *t;

	errno = 0;
	t = b->off || ev->tid <= 0 ? NULL : book_task(b, ev->tid);
	if (!t) {
		if (ev->tid > 0 && !b->off)
			book_give_up(b);
		return;
	}
	switch (ev->what) {
	case CDICT_TASK_FORK:
		t->forks += ev->t_ns ? 1 : 2;
		t->forked_ns = ev->t_ns;
		t->forked_pid = ev->pid;
		break;
	case CDICT_TASK_COMM:
	case CDICT_TASK_EXEC:
		if (ev->t_ns < t->named_ns) /* records may come in any order */
			break;
		t->named_ns = ev->t_ns;
		t->named_pid = ev->pid;
		memset(t->named, 0, sizeof(t->named));
		memcpy(t->named, ev->comm, strnlen(ev->comm, 15));
		break;
	case CDICT_TASK_EXIT:
		if (t->exit_ns == CDICT_NEVER || ev->t_ns > t->exit_ns)
			t->exit_ns = ev->t_ns;
		break;
	}
	list(b, t);
}

/* As in the analyses: other KVM events do not make a task a vCPU. */
static bool is_of_vcpu(const struct cdict_digest_row *row)
{
	return row->exit_ns != CDICT_NEVER || row->entry_ns != CDICT_NEVER;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return b != CDICT_NEVER && b > a ? b : a;
}

/* Time of the task's latest event. */
static uint64_t latest_of(const struct block_digest *d, const struct cdict_digest_row *row,
			  uint64_t first_ns)
{
	uint64_t t_ns = d->switched && d->cur == row->tid ? d->switch_ns : first_ns;

	t_ns = later(t_ns, row->out_ns[0]);
	t_ns = later(t_ns, row->in_ns);
	t_ns = later(t_ns, row->woken_ns);
	t_ns = later(t_ns, row->moved_ns[0]);
	t_ns = later(t_ns, row->io_ns);
	t_ns = later(t_ns, row->exit_ns);
	t_ns = later(t_ns, row->entry_ns);
	t_ns = later(t_ns, row->user_ns);
	return later(t_ns, row->access_ns);
}

/* EXIT_DEAD and EXIT_ZOMBIE of linux/sched.h: the task never runs again. */
#define STATES_DEAD 0x30u

/* False: the tid came back, as a new task, although its rows are already left out. */
static bool note_life(struct book_task *to, const struct block_digest *d,
		      const struct block_task *t, uint64_t first_ns)
{
	uint64_t out = t->row.out_ns[0], latest = latest_of(d, &t->row, first_ns);

	if (to->died_ns != CDICT_NEVER && latest > to->died_ns) {
		to->died_ns = CDICT_NEVER;
		if (to->dropped_ns != CDICT_NEVER)
			return false;
	}
	if (out != CDICT_NEVER && out == latest && out > to->latest_ns &&
	    t->row.prev_state & STATES_DEAD)
		to->died_ns = out;
	if (latest > to->latest_ns)
		to->latest_ns = latest;
	return true;
}

bool book_add_tasks(struct digest_book *b, struct block_digest *d, uint32_t cpu, uint64_t first_ns,
		    uint64_t last_ns)
{
	for (size_t i = 0; i < d->n; i++) {
		struct block_task *t = &d->tasks[i];
		bool idle = !t->row.tid;
		struct book_task *to = book_task(b, idle ? -1 - (int32_t)cpu : t->row.tid);

		if (!to || !note_life(to, d, t, first_ns))
			return false;
		t->book = idle ? BOOK_NONE : (uint32_t)(to - b->tasks.at);
		to->mentioned = true;
		if (t->first_ns < to->first_ns)
			to->first_ns = t->first_ns;
		to->is_vcpu |= is_of_vcpu(&t->row);
		if (to->is_vcpu && to->dropped_ns != CDICT_NEVER)
			return false;
		/* Blocks of different CPUs do not come in order of time. */
		if (!idle && t->pid > 0 && last_ns >= to->pid_ns) {
			to->pid_ns = last_ns;
			to->pid = t->pid;
		}
		if (!idle && t->vcpu_id >= 0 && last_ns >= to->vcpu_ns) {
			to->vcpu_ns = last_ns;
			to->vcpu_id = t->vcpu_id;
		}
		if (!idle && t->comm[0] && last_ns >= to->comm_ns) {
			to->comm_ns = last_ns;
			memcpy(to->comm, t->comm, sizeof(to->comm));
		}
		list(b, to);
	}
	return true;
}

bool book_is_over(const struct book_task *t, uint64_t end_ns)
{
	return t && t->died_ns != CDICT_NEVER && !t->is_vcpu &&
	       digest_death(t->died_ns, 0) <= end_ns;
}

/* ---- in the last block ---- */

void book_put_column(struct buf *out, struct buf *column)
{
	buf_varint(out, column->len);
	buf_add(out, column->data, column->len);
	out->failed |= column->failed;
	column->len = 0;
}

static int by_first(const void *a, const void *b)
{
	const struct book_task *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* The number of @comm in @texts, to which it is added, from 1; 0: no comm. */
static uint32_t comm_number(struct buf *texts, const char comm[16])
{
	uint32_t n = (uint32_t)(texts->len / 16);

	if (!comm[0])
		return 0;
	/* The latest first; with many names some are written twice. */
	for (uint32_t i = n; i > 0 && i + 256 > n; i--)
		if (!memcmp(texts->data + 16 * (size_t)(i - 1), comm, 16))
			return i;
	buf_add(texts, comm, 16);
	return n + 1;
}

void book_put_tasks(struct digest_book *b, struct buf *out)
{
	struct buf texts = { 0 }, comms = { 0 }, deaths = { 0 };
	uint64_t t_ns = 0;
	int32_t tid = 0;

	if (b->tasks.n)
		qsort(b->tasks.at, b->tasks.n, sizeof(*b->tasks.at), by_first);
	for (size_t i = 0; i < b->tasks.n; i++) {
		const struct book_task *t = &b->tasks.at[i];

		if (!t->listed)
			continue;
		buf_svarint(&b->tids, (int64_t)t->tid - tid);
		tid = t->tid;
		buf_varint(&b->times, t->first_ns - t_ns);
		t_ns = t->first_ns;
		buf_svarint(&b->values, t->tid < 0 ? 0 : (int64_t)t->pid - t->tid);
		buf_varint(&b->flags, t->is_vcpu ? t->vcpu_id + UINT64_C(2) : 0);
		buf_varint(&comms, t->tid < 0 ? 0 : comm_number(&texts, t->comm));
		buf_varint(&deaths, t->died_ns == CDICT_NEVER || t->is_vcpu
					    ? 0
					    : (digest_death(t->died_ns, 0) >> DIGEST_DEATH_SHIFT) -
						      (t_ns >> DIGEST_DEATH_SHIFT));
	}
	buf_varint(out, b->blocks);
	buf_varint(out, b->listed);
	book_put_column(out, &b->tids);
	book_put_column(out, &b->times);
	book_put_column(out, &b->values);
	book_put_column(out, &b->flags);
	book_put_column(out, &comms);
	book_put_column(out, &deaths);
	buf_varint(out, texts.len / 16);
	for (size_t i = 0; i < texts.len / 16; i++) {
		const char *comm = (const char *)texts.data + 16 * i;

		buf_string(out, comm, strnlen(comm, 16));
	}
	out->failed |= texts.failed;
	buf_fini(&texts);
	buf_fini(&comms);
	buf_fini(&deaths);
}
