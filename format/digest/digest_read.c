/* SPDX-License-Identifier: LGPL-2.1-only */
/* DGST blocks -> the digests from which an analysis resumes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/digest.h"
#include "format/file/reader.h"

/* Rows and tasks take at most 8 times the file's size plus this. */
#define FREE_BYTES (32u << 20)

struct up {
	uint64_t ns[2];
};

struct file_digests {
	struct cdict_digests pub;
	ARRAY(struct cdict_digest_cut) cuts;
	ARRAY(struct cdict_digest_row) rows;
	ARRAY(struct up) ups; /* by row, when the file has them */
	ARRAY(struct cdict_digest_task) tasks;
	ARRAY(struct cdict_digest_life) lives;
	ARRAY(size_t) first_row; /* of each cut */
};

/* The block being read. */
struct reading {
	const struct cdict_reader *r;
	struct file_digests *d;
	struct cursor head, flags, tids, times, values;
	bool last;
};

static bool take_column(struct cursor *c, struct cursor *column)
{
	uint64_t n = cursor_varint(c);
	const uint8_t *p = n <= c->left ? cursor_take(c, (size_t)n) : NULL;

	*column = cursor_init(p ? p : (const uint8_t *)"", p ? (size_t)n : 0, false);
	return p && cursor_ok(c);
}

static uint64_t room(const struct cdict_reader *r, size_t size)
{
	return (8 * (uint64_t)r->size + FREE_BYTES) / size;
}

/* The index of the event block with number @ordinal; r->blocks.n if there is none. */
static size_t find_block(const struct cdict_reader *r, uint64_t ordinal)
{
	size_t low = 0, high = r->blocks.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->ordinals.at[mid] < ordinal)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->blocks.n && r->ordinals.at[low] == ordinal ? low : r->blocks.n;
}

/* Deltas of a damaged block may have any value: they wrap. */
static int32_t moved(int32_t *from, struct cursor *c)
{
	*from = (int32_t)((uint64_t)*from + (uint64_t)cursor_svarint(c));
	return *from;
}

static uint32_t cpu_value(struct cursor *c)
{
	return (uint32_t)cursor_varint(c) - 1u;
}

static int read_row(struct reading *b, uint64_t end_ns, int32_t *tid)
{
	struct cdict_digest_row *row = array_add(&b->d->rows);
	uint64_t flags = cursor_varint(&b->flags), times[DIGEST_TIMES];

	if (!row)
		return -ENOMEM;
	memset(row, 0xff, sizeof(*row));
	row->tid = moved(tid, &b->tids);
	row->ran = flags & 1;
	for (unsigned i = 0; i < DIGEST_TIMES; i++)
		times[i] = flags >> (i + 1) & 1 ? end_ns - cursor_varint(&b->times) : CDICT_NEVER;
	row->out_ns[0] = times[DIGEST_OUT];
	row->out_ns[1] = times[DIGEST_OUT_BEFORE];
	row->in_ns = times[DIGEST_IN];
	row->wake_ns[0] = times[DIGEST_WAKE];
	row->wake_ns[1] = times[DIGEST_WAKE_BEFORE];
	row->woken_ns = times[DIGEST_WOKEN];
	row->moved_ns[0] = times[DIGEST_MOVED];
	row->moved_ns[1] = times[DIGEST_MOVED_BEFORE];
	row->io_ns = times[DIGEST_IO];
	row->entry_ns = times[DIGEST_ENTRY];
	row->exit_ns = times[DIGEST_EXIT];
	row->user_ns = times[DIGEST_USER];
	row->access_ns = times[DIGEST_ACCESS];
	if (times[DIGEST_OUT] != CDICT_NEVER)
		row->prev_state = cursor_varint(&b->values);
	if (times[DIGEST_WAKE] != CDICT_NEVER)
		row->wake_cpu = cpu_value(&b->values);
	if (times[DIGEST_WOKEN] != CDICT_NEVER)
		row->woken_cpu = cpu_value(&b->values);
	else if (times[DIGEST_WAKE] != CDICT_NEVER) {
		row->woken_ns = row->wake_ns[0];
		row->woken_cpu = row->wake_cpu;
	}
	if (times[DIGEST_MOVED] != CDICT_NEVER)
		row->moved_cpu = cpu_value(&b->values);
	if (times[DIGEST_EXIT] != CDICT_NEVER) {
		row->exit_type = (uint32_t)cursor_varint(&b->values);
		row->exit_reason = cursor_varint(&b->values);
		row->exit_how = cursor_varint(&b->values);
		row->exit_isa = (uint32_t)cursor_varint(&b->values);
	}
	return row->tid >= 0 && flags >> (DIGEST_TIMES + 1) == 0 ? 0 : CDICT_ECORRUPT;
}

/* Reads the head of a cut; its rows are in the columns after all heads. */
static int read_cut(struct reading *b, struct cdict_digest_cut *cut, size_t *n_rows)
{
	uint64_t cpu = cursor_varint(&b->head), ordinal = cursor_varint(&b->head);
	uint64_t n = cursor_varint(&b->head);
	const struct cdict_block_info *info;
	uint64_t missing = cursor_varint(&b->head), ahead = cursor_varint(&b->head);

	*cut = (struct cdict_digest_cut){ .cpu = (uint32_t)cpu,
					  .block = find_block(b->r, ordinal),
					  .missing = missing,
					  .switched = cursor_u8(&b->head),
					  .switch_ns = CDICT_NEVER,
					  .first_switch_ns = CDICT_NEVER,
					  .cur = -1 };
	if (!cursor_ok(&b->head) || cut->block == b->r->blocks.n ||
	    n > room(b->r, sizeof(*b->d->rows.at)) - b->d->rows.n)
		return CDICT_ECORRUPT;
	info = &b->r->blocks.at[cut->block];
	if (info->cpu != cpu || ahead > UINT64_MAX - info->last_ns)
		return CDICT_ECORRUPT;
	cut->ahead_ns = info->last_ns + ahead;
	if (cut->switched) {
		cut->cur = (int32_t)cursor_svarint(&b->head);
		cut->switch_ns = info->last_ns - cursor_varint(&b->head);
		cut->first_switch_ns = cut->switch_ns - cursor_varint(&b->head);
	}
	*n_rows = (size_t)n;
	return cursor_ok(&b->head) && cut->cur >= (cut->switched ? 0 : -1) ? 0 : CDICT_ECORRUPT;
}

struct comm {
	char text[16];
};

static int read_tasks(struct reading *b, struct cursor *c)
{
	uint64_t blocks = cursor_varint(c), n = cursor_varint(c), n_comms, t_ns = 0;
	struct cursor tids, times, pids, vcpus, comms, deaths;
	ARRAY(struct comm) texts = { 0 };
	int32_t tid = 0;
	int ret = 0;

	if (!take_column(c, &tids) || !take_column(c, &times) || !take_column(c, &pids) ||
	    !take_column(c, &vcpus) || !take_column(c, &comms) || !take_column(c, &deaths) ||
	    blocks != b->r->blocks.n || n > tids.left || n > room(b->r, sizeof(*b->d->tasks.at)))
		return CDICT_ECORRUPT;
	n_comms = cursor_varint(c);
	for (uint64_t i = 0; i < n_comms && !ret; i++) {
		uint64_t size = cursor_varint(c);
		const uint8_t *p = size < 16 ? cursor_take(c, (size_t)size) : NULL;
		struct comm *comm = p ? array_add(&texts) : NULL;

		ret = !p ? CDICT_ECORRUPT : !comm ? -ENOMEM : 0;
		if (!ret)
			memcpy(comm->text, p, (size_t)size);
	}
	if (!ret && array_reserve(&b->d->tasks, (size_t)n + 1))
		ret = -ENOMEM;
	for (uint64_t i = 0; i < n && !ret; i++) {
		struct cdict_digest_task *t = array_add(&b->d->tasks);
		uint64_t vcpu, comm, death;

		t->tid = moved(&tid, &tids);
		t->first_ns = t_ns += cursor_varint(&times);
		t->pid = (int32_t)((uint64_t)t->tid + (uint64_t)cursor_svarint(&pids));
		vcpu = cursor_varint(&vcpus);
		t->is_vcpu = vcpu != 0;
		t->vcpu_id = vcpu ? (int32_t)(uint32_t)(vcpu - 2) : -1;
		comm = cursor_varint(&comms);
		death = cursor_varint(&deaths);
		t->died_ns = death ? ((t_ns >> DIGEST_DEATH_SHIFT) + death) << DIGEST_DEATH_SHIFT
				   : CDICT_NEVER;
		t->cpu = CDICT_CPU_UNKNOWN;
		if (comm > texts.n || !t->tid || t->tid < -(int32_t)FORMAT_MAX_CPUS)
			ret = CDICT_ECORRUPT;
		else if (t->tid < 0) {
			t->cpu = (uint32_t)(-1 - t->tid);
			t->tid = 0;
			t->pid = -1;
		}
		if (!ret && comm)
			memcpy(t->comm, texts.at[comm - 1].text, sizeof(t->comm));
	}
	array_fini(&texts);
	if (ret)
		return ret;
	return cursor_ok(&tids) && cursor_ok(&times) && cursor_ok(&pids) && cursor_ok(&vcpus) &&
			       cursor_ok(&comms) && cursor_ok(&deaths)
		       ? 0
		       : CDICT_ECORRUPT;
}

static int by_tid(const void *a, const void *b)
{
	const struct cdict_digest_life *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Lives of the tids that only the task records describe: first birth, latest death. */
static int read_lives(const struct cdict_reader *r, struct file_digests *d)
{
	struct map known = { 0 };
	int ret = 0;

	for (size_t i = 0; i < d->tasks.n && !ret; i++) {
		uint32_t *at = map_add(&known, (uint32_t)d->tasks.at[i].tid, 0);

		ret = at ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < cdict_reader_task_count(r) && !ret; i++) {
		const struct cdict_task_event *ev = cdict_reader_task_at(r, i);
		uint32_t *at = map_find(&known, (uint32_t)ev->tid, 1);
		struct cdict_digest_life *life;

		if (ev->what != CDICT_TASK_FORK || ev->tid <= 0 || !ev->t_ns || at ||
		    map_find(&known, (uint32_t)ev->tid, 0))
			continue;
		at = map_add(&known, (uint32_t)ev->tid, 1);
		life = at ? array_add(&d->lives) : NULL;
		ret = life ? 0 : -ENOMEM;
		if (ret)
			break;
		*at = (uint32_t)d->lives.n - 1;
		*life = (struct cdict_digest_life){ ev->tid, ev->t_ns, CDICT_NEVER };
	}
	/* Records may come in any order. */
	for (size_t i = 0; i < cdict_reader_task_count(r) && !ret; i++) {
		const struct cdict_task_event *ev = cdict_reader_task_at(r, i);
		uint32_t *at = ev->what == CDICT_TASK_EXIT ? map_find(&known, (uint32_t)ev->tid, 1)
							   : NULL;
		uint64_t death = digest_death(ev->t_ns, 1);

		if (at &&
		    (d->lives.at[*at].died_ns == CDICT_NEVER || death > d->lives.at[*at].died_ns))
			d->lives.at[*at].died_ns = death;
	}
	map_fini(&known);
	if (d->lives.n)
		qsort(d->lives.at, d->lives.n, sizeof(*d->lives.at), by_tid);
	return ret;
}

/* Sets sched_wakeup of the rows from @first on: from the column if it has the row, else from WOKEN. */
static int read_ups(struct reading *b, struct cursor *c, size_t first)
{
	const struct cdict_reader *r = b->r;
	struct file_digests *d = b->d;
	struct cursor ups;
	size_t at = first;

	if (array_resize(&d->ups, d->rows.n))
		return -ENOMEM;
	for (size_t i = first; i < d->rows.n; i++) {
		const struct cdict_digest_row *row = &d->rows.at[i];
		bool same = row->woken_ns == row->wake_ns[0] && row->woken_cpu == row->wake_cpu;

		d->ups.at[i] = (struct up){
			{ d->pub.wakeup_counts || same ? CDICT_NEVER : row->woken_ns, CDICT_NEVER }
		};
	}
	if (!take_column(c, &ups))
		return CDICT_ECORRUPT;
	for (size_t cut = 0; ups.left; at++) {
		uint64_t skip = cursor_varint(&ups), up = cursor_varint(&ups),
			 before = cursor_varint(&ups), end_ns;

		if (!cursor_ok(&ups) || skip >= d->rows.n - at)
			return CDICT_ECORRUPT;
		at += (size_t)skip;
		/* Some cuts have no rows. */
		for (; cut + 1 < d->first_row.n && d->first_row.at[cut + 1] <= at; cut++)
			;
		end_ns = r->blocks.at[d->cuts.at[cut].block].last_ns;
		d->ups.at[at] = (struct up){ { end_ns - up,
					       before ? end_ns - (before - 1) : CDICT_NEVER } };
	}
	return 0;
}

static int read_block(struct reading *b, const struct buf *raw)
{
	struct file_digests *d = b->d;
	struct cursor c = cursor_init(raw->data, raw->len, false);
	uint8_t flags = cursor_u8(&c);
	uint64_t n = cursor_varint(&c);
	size_t first = d->cuts.n, first_row = d->rows.n;
	ARRAY(size_t) counts = { 0 };
	int ret = 0;

	if (b->last)
		return CDICT_ECORRUPT; /* a block after the last one */
	if ((flags & DIGEST_DEATHS) != DIGEST_DEATHS)
		return CDICT_ECORRUPT; /* from before the first release */
	d->pub.wakeup_counts = flags & 1;
	b->last = flags >> 1 & 1;
	b->head = c;
	for (uint64_t i = 0; i < n && !ret; i++) {
		struct cdict_digest_cut *cut = array_add(&d->cuts);
		size_t *rows = array_add(&counts);

		ret = cut && rows ? read_cut(b, cut, rows) : -ENOMEM;
	}
	c = b->head;
	if (!ret && (!take_column(&c, &b->flags) || !take_column(&c, &b->tids) ||
		     !take_column(&c, &b->times) || !take_column(&c, &b->values)))
		ret = CDICT_ECORRUPT;
	for (size_t i = first; i < d->cuts.n && !ret; i++) {
		struct cdict_digest_cut *cut = &d->cuts.at[i];
		int32_t tid = 0;

		cut->n_rows = counts.at[i - first];
		if (cut->n_rows > b->flags.left)
			ret = CDICT_ECORRUPT;
		if (!ret && array_push(&d->first_row, d->rows.n))
			ret = -ENOMEM;
		for (size_t k = 0; k < cut->n_rows && !ret; k++)
			ret = read_row(b, b->r->blocks.at[cut->block].last_ns, &tid);
	}
	if (!ret && (!cursor_ok(&b->flags) || !cursor_ok(&b->tids) || !cursor_ok(&b->times) ||
		     !cursor_ok(&b->values)))
		ret = CDICT_ECORRUPT;
	if (!ret && b->last)
		ret = read_tasks(b, &c);
	if (flags & DIGEST_WAKES_APART && !ret)
		ret = read_ups(b, &c, first_row);
	/* All blocks have it, or none. */
	if (first && d->pub.wakes_apart != !!(flags & DIGEST_WAKES_APART))
		ret = CDICT_ECORRUPT;
	d->pub.wakes_apart = flags & DIGEST_WAKES_APART;
	array_fini(&counts);
	return ret;
}

/* Whether the cuts of a CPU are in order, its last one after its last block. */
static bool is_whole(const struct cdict_reader *r, struct file_digests *d)
{
	size_t *cut = calloc(FORMAT_MAX_CPUS, sizeof(*cut)); /* + 1: a CPU's latest */
	bool ok = cut != NULL;

	for (size_t i = 0; ok && i < d->cuts.n; i++) {
		size_t *at = &cut[d->cuts.at[i].cpu];

		ok = !*at || d->cuts.at[*at - 1].block <= d->cuts.at[i].block;
		*at = i + 1;
	}
	for (size_t i = 0; ok && i < r->blocks.n; i++) {
		const struct cdict_block_info *info = &r->blocks.at[i];

		ok = info->cpu < FORMAT_MAX_CPUS && cut[info->cpu] &&
		     d->cuts.at[cut[info->cpu] - 1].block >= i;
	}
	for (size_t cpu = 0; ok && cpu < FORMAT_MAX_CPUS; cpu++)
		if (cut[cpu])
			d->cuts.at[cut[cpu] - 1].last = true;
	free(cut);
	return ok;
}

static void free_digests(struct file_digests *d)
{
	array_fini(&d->cuts);
	array_fini(&d->rows);
	array_fini(&d->ups);
	array_fini(&d->tasks);
	array_fini(&d->lives);
	array_fini(&d->first_row);
	free(d);
}

void cdict_digests_free(struct cdict_digests *d)
{
	if (d)
		free_digests((struct file_digests *)d);
}

int cdict_reader_digests(struct cdict_reader *r, struct cdict_digests **out,
			 struct cdict_error *err)
{
	struct file_digests *d;
	struct reading b = { .r = r };
	struct codec *codec;
	struct buf raw = { 0 };
	int ret = 0;

	*out = NULL;
	if (!r->digests.n || r->damage.first[0])
		return 0;
	d = calloc(1, sizeof(*d));
	codec = codec_new();
	b.d = d;
	if (!d || !codec)
		ret = -ENOMEM;
	for (size_t i = 0; i < r->digests.n && !ret; i++) {
		const uint8_t *p = r->data + r->digests.at[i];
		struct container_header h;

		container_header_read(p, &h);
		raw.len = 0;
		ret = container_unpack(codec, p + FORMAT_BLOCK_HEADER_SIZE, h.size, r->size, &raw);
		if (!ret)
			ret = read_block(&b, &raw);
	}
	buf_fini(&raw);
	codec_free(codec);
	if (!ret && (!b.last || !is_whole(r, d)))
		ret = CDICT_ECORRUPT;
	if (!ret)
		ret = read_lives(r, d);
	if (ret) {
		if (d)
			free_digests(d);
		/* Without digests everything is read: nothing is lost. */
		return ret == -ENOMEM ? cdict_fail_nomem(err) : 0;
	}
	for (size_t i = 0; i < d->cuts.n; i++)
		if (d->cuts.at[i].n_rows)
			d->cuts.at[i].rows = d->rows.at + d->first_row.at[i];
	d->pub.cuts = d->cuts.at;
	d->pub.n_cuts = d->cuts.n;
	d->pub.rows = d->rows.at;
	d->pub.n_rows = d->rows.n;
	d->pub.up_ns = d->pub.wakes_apart && d->ups.n ? &d->ups.at->ns : NULL;
	d->pub.tasks = d->tasks.at;
	d->pub.n_tasks = d->tasks.n;
	d->pub.lives = d->lives.at;
	d->pub.n_lives = d->lives.n;
	*out = &d->pub;
	return 0;
}
