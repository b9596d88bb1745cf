/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Digests of blocks -> DGST blocks.  Each CPU's rows are added up over all blocks since its last
 * cut.  When its next block comes and the budget has room, a cut is made between the two: the parts
 * of rows that the first events of the new block make useless are left out, the rest is written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/coding/encode.h"
#include "format/digest/digest_book.h"
#include "format/layout.h"

/* Size at which a block is written, before deflating. */
#define CONTENT_BYTES (16u << 10)

/* Approximate upper limits of a cut and of a row, before deflating. */
#define CUT_BYTES 24u
#define TASK_BYTES 8u

/* A task on a CPU, since the CPU's last cut. */
struct cpu_row {
	struct cdict_digest_row row;
	uint64_t up_ns[2]; /* as in struct block_task */
	uint32_t book;     /* in the list of all tasks, or BOOK_NONE */
};

struct digest_cpu {
	uint32_t cpu, ordinal; /* of the last block */
	uint64_t last_ns;
	bool switched;
	int32_t cur;
	uint64_t first_switch_ns, switch_ns, missing;
	ARRAY(struct cpu_row) rows;
	struct map index; /* of them, by tid */
};

static void cpu_fini(struct digest_cpu *c)
{
	array_fini(&c->rows);
	map_fini(&c->index);
}

void digest_book_fini(struct digest_book *b)
{
	for (size_t i = 0; i < b->cpus.n; i++)
		cpu_fini(&b->cpus.at[i]);
	array_fini(&b->cpus);
	array_fini(&b->tasks);
	map_fini(&b->index);
	buf_fini(&b->head);
	buf_fini(&b->flags);
	buf_fini(&b->tids);
	buf_fini(&b->times);
	buf_fini(&b->values);
	buf_fini(&b->ups);
}

void book_give_up(struct digest_book *b)
{
	uint64_t stored = b->stored;
	/* digest_book_add() and digest_book_record() set errno to 0 first */
	bool failed = errno == ENOMEM;

	digest_book_fini(b);
	*b = (struct digest_book){ .off = true, .failed = failed, .stored = stored };
}

/* ---- adding up ---- */

static void add_two(uint64_t to[2], const uint64_t of[2])
{
	if (of[0] == CDICT_NEVER)
		return;
	to[1] = of[1] != CDICT_NEVER ? of[1] : to[0];
	to[0] = of[0];
}

static void add_one(uint64_t *to, uint64_t t_ns)
{
	if (t_ns != CDICT_NEVER)
		*to = t_ns;
}

/* Adds @row, of later events of the CPU. */
static void add_row(struct cdict_digest_row *to, const struct cdict_digest_row *row)
{
	if (row->out_ns[0] != CDICT_NEVER)
		to->prev_state = row->prev_state;
	to->ran |= row->ran;
	add_two(to->out_ns, row->out_ns);
	add_one(&to->in_ns, row->in_ns);
	if (row->wake_ns[0] != CDICT_NEVER)
		to->wake_cpu = row->wake_cpu;
	add_two(to->wake_ns, row->wake_ns);
	if (row->woken_ns != CDICT_NEVER)
		to->woken_cpu = row->woken_cpu;
	add_one(&to->woken_ns, row->woken_ns);
	if (row->moved_ns[0] != CDICT_NEVER)
		to->moved_cpu = row->moved_cpu;
	add_two(to->moved_ns, row->moved_ns);
	add_one(&to->io_ns, row->io_ns);
	if (row->exit_ns != CDICT_NEVER) {
		to->exit_type = row->exit_type;
		to->exit_reason = row->exit_reason;
		to->exit_how = row->exit_how;
		to->exit_isa = row->exit_isa;
	}
	add_one(&to->exit_ns, row->exit_ns);
	add_one(&to->entry_ns, row->entry_ns);
	add_one(&to->user_ns, row->user_ns);
	add_one(&to->access_ns, row->access_ns);
}

static struct cpu_row *row_of(struct digest_cpu *c, int32_t tid, uint32_t book)
{
	uint32_t *i = map_add(&c->index, (uint32_t)tid, 0);
	struct cpu_row *row;

	if (!i)
		return NULL;
	if (*i != MAP_NEW)
		return &c->rows.at[*i];
	row = array_add(&c->rows);
	if (!row)
		return NULL;
	*i = (uint32_t)c->rows.n - 1;
	memset(&row->row, 0xff, sizeof(row->row));
	row->row.tid = tid;
	row->row.ran = false;
	row->up_ns[0] = row->up_ns[1] = CDICT_NEVER;
	row->book = book;
	return row;
}

/* NULL for IDLE. */
static struct book_task *task_of(const struct digest_book *b, const struct cpu_row *row)
{
	return row->book == BOOK_NONE ? NULL : &b->tasks.at[row->book];
}

static bool is_vcpu(const struct digest_book *b, const struct cpu_row *row)
{
	const struct book_task *t = task_of(b, row);

	return t && t->is_vcpu;
}

/* ---- parts that later events make useless ---- */

/* Clears the parts of @of that later events @over (enum digest_over) of the same task make useless. */
static void thin(const struct digest_book *b, struct cpu_row *of, unsigned over)
{
	struct cdict_digest_row *row = &of->row;

	if (over & OVER_OUT) {
		/* Earlier switch-ins, wake-ups and moves no longer matter. */
		row->in_ns = row->wake_ns[0] = row->wake_ns[1] = row->woken_ns = CDICT_NEVER;
		row->moved_ns[0] = row->moved_ns[1] = row->io_ns = CDICT_NEVER;
		of->up_ns[0] = of->up_ns[1] = CDICT_NEVER;
		if (over & OVER_RAN && (over & OVER_OUT_TWICE || !is_vcpu(b, of)))
			row->out_ns[0] = row->out_ns[1] = CDICT_NEVER;
	}
	if (over & OVER_WAKE_TWICE)
		row->wake_ns[0] = row->wake_ns[1] = CDICT_NEVER;
	if (over & OVER_UP_TWICE)
		of->up_ns[0] = of->up_ns[1] = CDICT_NEVER;
	if (over & OVER_WOKEN)
		row->woken_ns = CDICT_NEVER;
	if (over & OVER_MOVED_TWICE)
		row->moved_ns[0] = row->moved_ns[1] = CDICT_NEVER;
	if (over & OVER_IO)
		row->io_ns = CDICT_NEVER;
	if (over & OVER_EXIT)
		row->exit_ns = row->access_ns = CDICT_NEVER;
	if (over & OVER_ENTRY)
		row->entry_ns = CDICT_NEVER;
	if (over & OVER_USER)
		row->user_ns = CDICT_NEVER;
	if (over & OVER_ACCESS)
		row->access_ns = CDICT_NEVER;
}

/* ---- a cut ---- */

static int by_tid(const void *a, const void *b)
{
	const struct cpu_row *x = a, *y = b;

	return x->row.tid < y->row.tid ? -1 : x->row.tid > y->row.tid;
}

static void put_time(struct digest_book *b, uint64_t end_ns, uint64_t t_ns)
{
	buf_varint(&b->times, end_ns - t_ns);
}

/* Writes the sched_wakeup times that WOKEN, stored or not, does not give.  False: there are none. */
static bool put_ups(struct digest_book *b, const struct cpu_row *of, uint64_t flags,
		    uint64_t end_ns)
{
	bool woken = flags & UINT64_C(2) << DIGEST_WOKEN;

	if (of->up_ns[0] == CDICT_NEVER || (woken && of->up_ns[1] == CDICT_NEVER))
		return false;
	buf_varint(&b->ups, b->rows - b->ups_row);
	b->ups_row = b->rows + 1;
	buf_varint(&b->ups, end_ns - of->up_ns[0]);
	buf_varint(&b->ups, of->up_ns[1] == CDICT_NEVER ? 0 : end_ns - of->up_ns[1] + 1);
	return true;
}

/* False when the row is empty. */
static bool put_row(struct digest_book *b, const struct cpu_row *of, uint64_t end_ns, bool vcpu,
		    int32_t *tid)
{
	const struct cdict_digest_row *row = &of->row;
	const uint64_t times[DIGEST_TIMES] = {
		[DIGEST_OUT] = row->out_ns[0],
		[DIGEST_OUT_BEFORE] = vcpu ? row->out_ns[1] : CDICT_NEVER,
		[DIGEST_IN] = row->in_ns,
		[DIGEST_WAKE] = row->wake_ns[0],
		[DIGEST_WAKE_BEFORE] = row->wake_ns[1],
		[DIGEST_WOKEN] = row->woken_ns,
		[DIGEST_MOVED] = row->moved_ns[0],
		[DIGEST_MOVED_BEFORE] = row->moved_ns[1],
		[DIGEST_IO] = row->io_ns,
		[DIGEST_ENTRY] = row->entry_ns,
		[DIGEST_EXIT] = row->exit_ns,
		[DIGEST_USER] = row->user_ns,
		[DIGEST_ACCESS] = row->access_ns,
	};
	uint64_t flags = row->ran && row->out_ns[0] != CDICT_NEVER;

	for (unsigned i = 0; i < DIGEST_TIMES; i++)
		if (times[i] != CDICT_NEVER)
			flags |= 2u << i;
	/* WOKEN mostly equals WAKE. */
	if (row->woken_ns == row->wake_ns[0] && row->woken_cpu == row->wake_cpu)
		flags &= ~(UINT64_C(2) << DIGEST_WOKEN);
	if (!put_ups(b, of, flags, end_ns) && !(flags >> 1))
		return false;
	b->rows++;
	buf_varint(&b->flags, flags);
	buf_svarint(&b->tids, (int64_t)row->tid - *tid);
	*tid = row->tid;
	for (unsigned i = 0; i < DIGEST_TIMES; i++)
		if (flags & UINT64_C(2) << i)
			put_time(b, end_ns, times[i]);
	if (flags & UINT64_C(2) << DIGEST_OUT)
		buf_varint(&b->values, row->prev_state);
	if (flags & UINT64_C(2) << DIGEST_WAKE)
		buf_varint(&b->values, row->wake_cpu + 1u);
	if (flags & UINT64_C(2) << DIGEST_WOKEN)
		buf_varint(&b->values, row->woken_cpu + 1u);
	if (flags & UINT64_C(2) << DIGEST_MOVED)
		buf_varint(&b->values, row->moved_cpu + 1u);
	if (flags & UINT64_C(2) << DIGEST_EXIT) {
		buf_varint(&b->values, row->exit_type);
		buf_varint(&b->values, row->exit_reason);
		buf_varint(&b->values, row->exit_how);
		buf_varint(&b->values, row->exit_isa);
	}
	return true;
}

static uint64_t content_bytes(const struct digest_book *b)
{
	return b->head.len + b->flags.len + b->tids.len + b->times.len + b->values.len + b->ups.len;
}

/* Makes a cut after the last block of @c; @last: at the end of the file.  Its rows rely on the events up to @ahead_ns. */
static void put_cut(struct digest_book *b, struct digest_cpu *c, uint64_t ahead_ns, bool last)
{
	uint32_t n = 0;
	int32_t tid = 0;

	if (!last) {
		qsort(c->rows.at, c->rows.n, sizeof(*c->rows.at), by_tid);
		for (size_t i = 0; i < c->rows.n; i++) {
			const struct cpu_row *row = &c->rows.at[i];
			struct book_task *t = task_of(b, row);

			if (!book_is_over(t, c->last_ns))
				n += put_row(b, row, c->last_ns, t && t->is_vcpu, &tid);
			else if (t->dropped_ns == CDICT_NEVER || c->last_ns < t->dropped_ns)
				t->dropped_ns = c->last_ns;
		}
	}
	buf_varint(&b->head, c->cpu);
	buf_varint(&b->head, c->ordinal);
	buf_varint(&b->head, n);
	buf_varint(&b->head, c->missing);
	buf_varint(&b->head, ahead_ns - c->last_ns);
	buf_u8(&b->head, c->switched);
	if (c->switched) {
		buf_svarint(&b->head, c->cur);
		buf_varint(&b->head, c->last_ns - c->switch_ns);
		buf_varint(&b->head, c->switch_ns - c->first_switch_ns);
	}
	c->missing = 0;
	b->n_cuts++;
	b->cuts++;
}

/* DGST bytes allowed for @bytes of events. */
static uint64_t budget(const struct digest_book *b, uint64_t bytes)
{
	return b->budget ? bytes / 1000000 * b->budget + bytes % 1000000 * b->budget / 1000000
			 : bytes / 1000 * 18;
}

/* Whether @bytes of rows may be written now: all blocks so far and the last block to come must
 * stay within the budget. */
static bool has_room(const struct digest_book *b, uint64_t bytes)
{
	return b->stored + content_bytes(b) + bytes + CUT_BYTES * (1 + b->cpus.n) +
		       TASK_BYTES * b->listed <=
	       budget(b, b->event_bytes);
}

/* Approximate size of the rows of @c. */
static uint64_t row_bytes(const struct digest_book *b, const struct digest_cpu *c)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->rows.n; i++) {
		const struct cpu_row *row = &c->rows.at[i];

		bytes += 10 * !((row->row.out_ns[0] == CDICT_NEVER &&
				 row->row.woken_ns == CDICT_NEVER) ||
				book_is_over(task_of(b, row), c->last_ns));
	}
	return bytes;
}

static struct digest_cpu *cpu_of(struct digest_book *b, uint32_t cpu, bool *is_new)
{
	struct digest_cpu *c;

	*is_new = false;
	for (size_t i = 0; i < b->cpus.n; i++)
		if (b->cpus.at[i].cpu == cpu)
			return &b->cpus.at[i];
	c = array_add(&b->cpus);
	if (!c)
		return NULL;
	*is_new = true;
	*c = (struct digest_cpu){ .cpu = cpu, .cur = -1 };
	return c;
}

/* Thins the rows of @c by the events of the same tasks in @d; @early: only by its first events. */
static void thin_all(const struct digest_book *b, struct digest_cpu *c,
		     const struct block_digest *d, bool early)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct block_task *t = &d->tasks[i];
		const uint32_t *at = map_find(&c->index, (uint32_t)t->row.tid, 0);

		if (at)
			thin(b, &c->rows.at[*at], early ? t->early : digest_over(t));
	}
}

/* Makes a cut between the last block of @c and @d, of @size bytes, if there is room, and adds @d.  The fewer events of
 * @d the rows rely on, the less a reader has to decode; such rows may take what @d adds to the budget. */
static bool add_block(struct digest_book *b, struct digest_cpu *c, const struct block_digest *d,
		      const struct format_block *info, uint64_t size)
{
	struct digest_cpu all = *c;
	bool early = d->early_ns != CDICT_NEVER;

	/* Mostly there is no room for a cut, even without rows. */
	if (c->rows.n && info->first_ns > c->last_ns && has_room(b, 0)) {
		memset(&c->rows, 0, sizeof(c->rows));
		if (array_reserve(&c->rows, all.rows.n)) {
			*c = all;
			return false;
		}
		memcpy(c->rows.at, all.rows.at, all.rows.n * sizeof(*c->rows.at));
		c->rows.n = all.rows.n;
		if (early)
			thin_all(b, c, d, true);
		early = early && row_bytes(b, c) <= budget(b, size);
		if (!early)
			thin_all(b, c, d, false);
		if (has_room(b, row_bytes(b, c))) {
			put_cut(b, c, early ? d->early_ns : info->last_ns, false);
			all.missing = 0;
			all.rows.n = 0;
			map_clear(&all.index);
		}
		array_fini(&c->rows);
		*c = all;
	}
	for (size_t i = 0; i < d->n; i++) {
		struct cpu_row *row = row_of(c, d->tasks[i].row.tid, d->tasks[i].book);

		if (!row)
			return false;
		add_row(&row->row, &d->tasks[i].row);
		add_two(row->up_ns, d->tasks[i].up_ns);
	}
	return true;
}

/* If the first switch of @d is away from the task that ran last on @c, that task has run; else a switch is missing. */
static bool note_seam(struct digest_book *b, struct digest_cpu *c, struct block_digest *d)
{
	struct cpu_row *row;
	struct book_task *t;

	if (!c->switched || !d->switched)
		return true;
	for (size_t i = 0; i < d->n && d->first_prev == c->cur; i++)
		if (d->tasks[i].row.tid == c->cur) {
			d->tasks[i].row.ran = true;
			d->tasks[i].early |= OVER_RAN;
		}
	if (d->first_prev == c->cur)
		return true;
	d->missing++; /* counted with the new block */
	t = c->cur > 0 ? book_task(b, c->cur) : NULL;
	if (c->cur > 0 && !t)
		return false;
	row = row_of(c, c->cur, t ? (uint32_t)(t - b->tasks.at) : BOOK_NONE);
	if (row)
		row->row.in_ns = c->switch_ns;
	return row != NULL;
}

void digest_book_add(struct digest_book *b, const struct format_block *info, uint32_t ordinal,
		     uint64_t size, struct block_digest *d)
{
	struct digest_cpu *c;
	bool is_new, ok;

	errno = 0;
	b->event_bytes += size;
	if (b->off || !d || info->cpu >= FORMAT_MAX_CPUS ||
	    (b->blocks && d->wakeup_counts != b->wakeup_counts)) {
		if (!b->off)
			book_give_up(b);
		return;
	}
	b->wakeup_counts = d->wakeup_counts;
	b->blocks++;
	c = cpu_of(b, info->cpu, &is_new);
	/* When time runs backwards, later events are not the latest. */
	ok = c && (is_new || info->first_ns >= c->last_ns) &&
	     book_add_tasks(b, d, info->cpu, info->first_ns, info->last_ns) && note_seam(b, c, d) &&
	     add_block(b, c, d, info, size);
	if (ok) {
		c->ordinal = ordinal;
		c->last_ns = info->last_ns;
		c->missing += d->missing;
		if (d->switched) {
			if (!c->switched)
				c->first_switch_ns = d->first_switch_ns;
			c->switched = true;
			c->cur = d->cur;
			c->switch_ns = d->switch_ns;
		}
	}
	if (!ok)
		book_give_up(b);
}

/* ---- a block ---- */

bool digest_book_take(struct digest_book *b, struct buf *out, bool last)
{
	if (b->off || (last ? !b->cuts : content_bytes(b) < CONTENT_BYTES))
		return false;
	/* The ends of all CPUs, so that a reader that gets here has them all. */
	for (size_t i = 0; last && i < b->cpus.n; i++)
		put_cut(b, &b->cpus.at[i], b->cpus.at[i].last_ns, true);
	buf_u8(out, (uint8_t)(b->wakeup_counts | last << 1 | DIGEST_DEATHS | DIGEST_WAKES_APART));
	buf_varint(out, b->n_cuts);
	buf_add(out, b->head.data, b->head.len);
	out->failed |= b->head.failed;
	b->head.len = 0;
	b->n_cuts = 0;
	book_put_column(out, &b->flags);
	book_put_column(out, &b->tids);
	book_put_column(out, &b->times);
	book_put_column(out, &b->values);
	if (last)
		book_put_tasks(b, out);
	/* After everything that older readers know. */
	book_put_column(out, &b->ups);
	b->rows = b->ups_row = 0;
	return true;
}

static void copy_buf(struct buf *to, const struct buf *from)
{
	*to = (struct buf){ 0 };
	buf_add(to, from->data, from->len);
	to->failed |= from->failed;
}

bool digest_book_view(const struct digest_book *b, struct buf *out)
{
	struct digest_book v = *b;
	bool ok;

	if (b->off || !b->cuts)
		return false;
	/* The last block changes these; it only reads rows and indexes. */
	v.cpus.at = malloc((b->cpus.n + 1) * sizeof(*v.cpus.at));
	v.tasks.at = malloc((b->tasks.n + 1) * sizeof(*v.tasks.at));
	copy_buf(&v.head, &b->head);
	copy_buf(&v.flags, &b->flags);
	copy_buf(&v.tids, &b->tids);
	copy_buf(&v.times, &b->times);
	copy_buf(&v.values, &b->values);
	copy_buf(&v.ups, &b->ups);
	ok = v.cpus.at && v.tasks.at;
	if (ok) {
		memcpy(v.cpus.at, b->cpus.at, b->cpus.n * sizeof(*v.cpus.at));
		if (b->tasks.n)
			memcpy(v.tasks.at, b->tasks.at, b->tasks.n * sizeof(*v.tasks.at));
		ok = digest_book_take(&v, out, true);
	}
	free(v.cpus.at);
	free(v.tasks.at);
	buf_fini(&v.head);
	buf_fini(&v.flags);
	buf_fini(&v.tids);
	buf_fini(&v.times);
	buf_fini(&v.values);
	buf_fini(&v.ups);
	return ok && !out->failed;
}

void digest_book_stored(struct digest_book *b, uint64_t size)
{
	b->stored += size;
}
